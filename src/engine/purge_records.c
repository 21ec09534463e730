#include "engine/purge_parts.h"

#include "base/file.h"
#include "engine/warcend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- one file ---- */

struct rewrite {
    struct purge *purge;
    struct str name;           /* of the file, without .open */
    struct warc_reader *reader;
    struct warc_record record; /* the next one, where `pending` */
    bool pending;
    uint64_t limit;            /* what lies behind was not committed */
    int fd;                    /* of the same file, for raw bytes */
    struct buf bytes;
    struct warc_writer *writer;
    struct errmsg *err;
};

static scent_status next_record(struct rewrite *r)
{
    scent_status status = warc_reader_next(r->reader, &r->record, r->err);

    r->pending = status == SCENT_OK && r->record.offset < r->limit;
    /* A file without any record has none to purge. */
    return status == SCENT_E_END || status == SCENT_E_FORMAT ? SCENT_OK : status;
}

/* A revisit that refers to a purged URL names it, and has no content without it. */
static bool must_go(const struct rewrite *r)
{
    const struct warc_record *record = &r->record;
    struct str original = warc_record_header(record, STR("WARC-Refers-To-Target-URI"));

    return (record->url.len && purge_wants(r->purge, record->url)) ||
           (original.len && purge_wants(r->purge, original));
}

static scent_status open_rewrite(struct rewrite *r, struct purge *purge, const char *path, struct str name,
                                 uint64_t limit, struct errmsg *err)
{
    scent_status status;

    *r = (struct rewrite){.purge = purge, .name = name, .limit = limit, .fd = -1, .err = err};
    buf_init(&r->bytes, 0);
    status = warc_reader_open(path, &r->reader, err);
    if (status != SCENT_OK)
        return status;
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0)
        return errmsg_fail(err, scent_status_of_errno(errno), "cannot open %s: %s", path, strerror(errno));
    return next_record(r);
}

static void close_rewrite(struct rewrite *r)
{
    warc_reader_close(r->reader);
    if (r->fd >= 0)
        close(r->fd);
    buf_release(&r->bytes);
}

/* How many of its records must go? */
static scent_status count_file(struct rewrite *r, uint64_t *count)
{
    scent_status status = SCENT_OK;

    for (*count = 0; status == SCENT_OK && r->pending; status = next_record(r)) {
        if (!must_go(r))
            continue;
        ++*count;
        r->purge->options->item(r->purge->options->ctx, "record", r->record.url);
    }
    return status;
}

static scent_status read_raw(struct rewrite *r)
{
    size_t len = (size_t)r->record.length, got = 0;

    buf_clear(&r->bytes);
    if (!buf_reserve(&r->bytes, len))
        return errmsg_fail(r->err, SCENT_E_NOMEM, "no memory for a record of warc/%.*s", STR_ARG(r->name));
    while (got < len) {
        ssize_t n = pread(r->fd, r->bytes.p + got, len - got, (off_t)(r->record.offset + got));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return errmsg_fail(r->err, SCENT_E_IO, "cannot read warc/%.*s: %s", STR_ARG(r->name),
                               n ? strerror(errno) : "it is shorter than it was");
        got += (size_t)n;
    }
    r->bytes.len = len;
    return SCENT_OK;
}

/* Appends the record to the new file; *at stays empty where it does not come along: purged, the file's own head, or so
 * damaged that nobody knows whose it is. */
static scent_status copy_record(struct rewrite *r, struct warc_position *at)
{
    const struct warc_record *record = &r->record;
    scent_status status;

    *at = (struct warc_position){0};
    if (must_go(r) || record->type == WARC_INFO || (record->damaged && record->url.len == 0))
        return SCENT_OK;
    if (record->length == 0)
        return errmsg_fail(r->err, SCENT_E_UNSUPPORTED,
                           "warc/%.*s: the record at byte %llu shares a gzip member and cannot be moved", STR_ARG(r->name),
                           (unsigned long long)record->offset);
    status = read_raw(r);
    return status == SCENT_OK ? warc_writer_append(r->writer, buf_str(&r->bytes), at, r->err) : status;
}

/* The rows come in the order of the records. */
static scent_status move_row(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct rewrite *r = ctx;
    struct warc_position at = {0};
    scent_status status = SCENT_OK;

    (void)url;
    while (status == SCENT_OK && r->pending && r->record.offset < page->warc_offset) {
        status = copy_record(r, &at);
        if (status == SCENT_OK)
            status = next_record(r);
    }
    at = (struct warc_position){0};
    if (status == SCENT_OK && r->pending && r->record.offset == page->warc_offset) {
        status = copy_record(r, &at);
        if (status == SCENT_OK)
            status = next_record(r);
    }
    return status == SCENT_OK ? store_move_page(r->purge->store, page->number, str_of(at.file), at.end, r->err) : status;
}

static scent_status rewrite_file(struct rewrite *r)
{
    struct warc_position at;
    scent_status status = store_each_page_in(r->purge->store, r->name, move_row, r, r->err);

    while (status == SCENT_OK && r->pending) {
        status = copy_record(r, &at);
        if (status == SCENT_OK)
            status = next_record(r);
    }
    return status;
}

/* ---- all files ---- */

/* While the writer is open its file's name ends in .open. */
static struct str final_name(const char *file)
{
    struct str name = str_of(file);

    if (str_ends(name, STR(".open")))
        name.len -= strlen(".open");
    return name;
}

static void file_path(const struct purge *purge, struct str name, char out[4096])
{
    snprintf(out, 4096, "%s/warc/%.*s", purge->options->dir, STR_ARG(name));
    if (!file_exists(out))
        snprintf(out, 4096, "%s/warc/%.*s.open", purge->options->dir, STR_ARG(name));
}

static uint64_t limit_of(struct str name, const struct warc_position *end)
{
    return str_eq(name, str_of(end->file)) ? end->end : UINT64_MAX;
}

/* Adds the names of the files with purged records to `affected`, a line each. */
static scent_status find_affected(struct purge *purge, const struct warc_position *end, struct buf *affected,
                                  struct errmsg *err)
{
    struct file_list files;
    char path[4096];
    scent_status status;

    snprintf(path, sizeof path, "%s/warc", purge->options->dir);
    status = file_list(path, "", &files, err);
    for (size_t i = 0; status == SCENT_OK && i < files.count; i++) {
        struct str name = final_name(files.names[i]);
        struct rewrite r;
        uint64_t count;

        if (!str_ends(name, STR(".warc.gz")))
            continue;
        file_path(purge, name, path);
        status = open_rewrite(&r, purge, path, name, limit_of(name, end), err);
        if (status == SCENT_OK)
            status = count_file(&r, &count);
        if (status == SCENT_OK && count) {
            purge->report->records += count;
            purge->report->files++;
            buf_printf(affected, "%.*s\n", STR_ARG(name));
        }
        close_rewrite(&r);
    }
    file_list_release(&files);
    return status;
}

static scent_status rewrite_affected(struct purge *purge, struct warc_writer *writer, const struct warc_position *end,
                                     struct str affected, struct errmsg *err)
{
    struct str name;
    scent_status status = warc_writer_rotate(writer, err);

    while (status == SCENT_OK && str_split(&affected, '\n', &name)) {
        struct rewrite r;
        char path[4096];

        if (name.len == 0)
            continue;
        file_path(purge, name, path);
        status = open_rewrite(&r, purge, path, name, limit_of(name, end), err);
        r.writer = writer;
        if (status == SCENT_OK)
            status = rewrite_file(&r);
        close_rewrite(&r);
    }
    return status;
}

scent_status purge_count_records(struct purge *purge, struct errmsg *err)
{
    struct warc_position end;
    struct buf affected;
    scent_status status = warcend_load(purge->store, &end, err);

    buf_init(&affected, 0);
    if (status == SCENT_OK && end.file[0])
        status = find_affected(purge, &end, &affected, err);
    buf_release(&affected);
    return status;
}

/* The writer's opening cuts off what was not committed, so that nothing but committed records is looked at. */
scent_status purge_records(struct purge *purge, struct warc_position *end, struct buf *old, struct errmsg *err)
{
    struct warc_writer *writer;
    struct warc_position last, closed;
    struct errmsg close_err;
    struct rng rng;
    scent_status status = warcend_load(purge->store, &last, err);

    *end = (struct warc_position){0};
    if (status != SCENT_OK || !last.file[0])
        return status;
    rng_seed(&rng, rng_entropy());
    status = warcend_open_writer(purge->store, purge->options->dir, STR_NONE, &rng, &writer, err);
    if (status != SCENT_OK)
        return status;
    status = find_affected(purge, &last, old, err);
    if (status == SCENT_OK && old->len) {
        status = rewrite_affected(purge, writer, &last, buf_str(old), err);
        if (status == SCENT_OK)
            status = warc_writer_sync(writer, end, err);
    }
    /* Its failure leaves the name .open, which every later opening copes with. */
    if (warc_writer_close(writer, &closed, &close_err) != SCENT_OK && status == SCENT_OK)
        log_line(purge->options->log, LOG_WARN, "%s", close_err.text);
    return status;
}
