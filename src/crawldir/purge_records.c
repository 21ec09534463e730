/* The first step of a purge: the records that remain of the WARC files with purged ones are copied to new files. */
#include "crawldir/purge_parts.h"

#include "base/file.h"
#include "base/vec.h"
#include "crawldir/crawldir.h"
#include "http/http.h"
#include "url/url.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is purged ---- */

scent_status purge_set_add(struct purge_set *set, uint64_t hash)
{
    if (!vec_reserve(&set->hashes, &set->room, set->count + 1, sizeof *set->hashes))
        return SCENT_E_NOMEM;
    set->hashes[set->count++] = hash;
    return SCENT_OK;
}

void purge_set_close(struct purge_set *set)
{
    if (set->count)
        qsort(set->hashes, set->count, sizeof *set->hashes, order_u64);
}

static bool set_has(const struct purge_set *set, uint64_t hash)
{
    return set->count && bsearch(&hash, set->hashes, set->count, sizeof *set->hashes, order_u64);
}

void purge_set_release(struct purge_set *set)
{
    free(set->hashes);
    *set = (struct purge_set){0};
}

/* Does a record of this URL have to go? */
static bool wants_url(const struct purge *purge, struct str text)
{
    struct arena arena;
    struct url url;
    bool wants = set_has(&purge->urls, url_fingerprint(text, purge->key));

    if (wants || purge->hosts.count == 0)
        return wants;
    arena_init(&arena, SCENT_URL_MAX * 8);
    if (url_parse(&arena, text, NULL, &url) == SCENT_OK) {
        struct str server = str_sub(url.href, url.host_start, url.path_start);

        wants = set_has(&purge->hosts, url_fingerprint(server, purge->key));
    }
    arena_release(&arena);
    return wants;
}

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
    struct str original = http_header(record->headers, STR("WARC-Refers-To-Target-URI"));

    return (record->url.len && wants_url(r->purge, record->url)) ||
           (original.len && wants_url(r->purge, original));
}

/* close_rewrite() is due either way. */
static scent_status open_rewrite(struct rewrite *r, struct purge *purge, struct str name,
                                 const struct warc_position *end, struct errmsg *err)
{
    struct crawldir_path path;

    *r = (struct rewrite){.purge = purge, .name = name, .limit = UINT64_MAX, .fd = -1, .err = err};
    if (str_eq(name, str_of(end->file)))
        r->limit = end->end;
    buf_init(&r->bytes, 0);
    SCENT_TRY(crawldir_warc_path(purge->options->dir, name, &path, err));
    SCENT_TRY(warc_reader_open(path.text, &r->reader, err));
    r->fd = open(path.text, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0)
        return errmsg_fail(err, scent_status_of_errno(errno), "cannot open %s: %s", path.text, strerror(errno));
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

    *at = (struct warc_position){0};
    if (must_go(r) || record->type == WARC_INFO || (record->damaged && record->url.len == 0))
        return SCENT_OK;
    if (record->length == 0)
        return errmsg_fail(r->err, SCENT_E_UNSUPPORTED,
                           "warc/%.*s: the record at byte %llu shares a gzip member and cannot be moved",
                           STR_ARG(r->name), (unsigned long long)record->offset);
    SCENT_TRY(read_raw(r));
    return warc_writer_append(r->writer, buf_str(&r->bytes), at, r->err);
}

/* What lies before `offset`. */
static scent_status copy_until(struct rewrite *r, uint64_t offset)
{
    struct warc_position at;

    while (r->pending && r->record.offset < offset) {
        SCENT_TRY(copy_record(r, &at));
        SCENT_TRY(next_record(r));
    }
    return SCENT_OK;
}

/* The rows come in the order of the records. */
static scent_status move_row(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct rewrite *r = ctx;
    struct warc_position at = {0};

    (void)url;
    SCENT_TRY(copy_until(r, page->warc_offset));
    if (r->pending && r->record.offset == page->warc_offset) {
        SCENT_TRY(copy_record(r, &at));
        SCENT_TRY(next_record(r));
    }
    return store_move_page(r->purge->store, page->number, str_of(at.file), at.end, r->err);
}

static scent_status rewrite_file(struct rewrite *r)
{
    SCENT_TRY(store_each_page_in(r->purge->store, r->name, move_row, r, r->err));
    return copy_until(r, UINT64_MAX);
}

/* ---- all files ---- */

/* Adds the names of the files with purged records to `affected`, a line each. */
static scent_status find_affected(struct purge *purge, const struct warc_position *end, struct buf *affected,
                                  struct errmsg *err)
{
    struct file_list files;
    scent_status status = file_list(crawldir_path(purge->options->dir, CRAWLDIR_WARC).text, "", &files, err);

    for (size_t i = 0; status == SCENT_OK && i < files.count; i++) {
        struct str name = crawldir_warc_name(files.names[i]);
        struct rewrite r;
        uint64_t count;

        if (!crawldir_is_warc_name(name))
            continue;
        status = open_rewrite(&r, purge, name, end, err);
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

        if (name.len == 0)
            continue;
        status = open_rewrite(&r, purge, name, end, err);
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
    scent_status status = crawldir_load_end(purge->store, &end, err);

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
    scent_status status = crawldir_load_end(purge->store, &last, err);

    *end = (struct warc_position){0};
    if (status != SCENT_OK || !last.file[0])
        return status;
    rng_seed(&rng, rng_entropy());
    SCENT_TRY(crawldir_open_writer(purge->store, purge->options->dir, &rng, &writer, err));
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
