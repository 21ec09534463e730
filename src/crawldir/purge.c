#include "crawldir/purge_parts.h"

#include "base/buf.h"
#include "base/file.h"
#include "crawldir/crawldir.h"
#include "crawldir/learned.h"
#include "crawldir/logfile.h"
#include "crawldir/marks.h"
#include "http/http.h"
#include "store/fulltext.h"
#include "url/url.h"
#include "warc/warc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PENDING "purge_pending"

/* ---- step 1: the records that remain of the WARC files with purged ones are copied to new files ---- */

/* Does a record of this URL have to go? */
static bool wants_url(void *ctx, struct str text)
{
    const struct purge *purge = ctx;
    struct arena arena;
    struct url url;
    bool wants = purge_set_has(&purge->urls, url_fingerprint(text, purge->key));

    if (wants || purge->hosts.count == 0)
        return wants;
    arena_init(&arena, SCENT_URL_MAX * 8);
    if (url_parse(&arena, text, NULL, &url) == SCENT_OK) {
        struct str server = str_sub(url.href, url.host_start, url.path_start);

        wants = purge_set_has(&purge->hosts, url_fingerprint(server, purge->key));
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
    struct buf bytes;
    struct warc_writer *writer;
    struct http_packer *packer; /* for it */
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

    *r = (struct rewrite){.purge = purge, .name = name, .limit = UINT64_MAX, .err = err};
    if (str_eq(name, str_of(end->file)))
        r->limit = end->end;
    buf_init(&r->bytes, 0);
    SCENT_TRY(crawldir_warc_path(purge->options->dir, name, &path, err));
    SCENT_TRY(warc_reader_open(path.text, &r->reader, err));
    return next_record(r);
}

static void close_rewrite(struct rewrite *r)
{
    warc_reader_close(r->reader);
    http_packer_free(r->packer);
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
                           "warc/%.*s: the record at byte %llu shares a compressed member and cannot be moved",
                           STR_ARG(r->name), (unsigned long long)record->offset);
    buf_clear(&r->bytes);
    SCENT_TRY(warc_reader_copy(r->reader, record, warc_writer_form(r->writer), r->packer, &r->bytes, r->err));
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
    return store_move_page(r->purge->store, page->number, str_of(at.file), at.end, r->bytes.len, r->err);
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
        r.packer = warc_packer_new(warc_writer_form(writer), 1);
        if (status == SCENT_OK)
            status = rewrite_file(&r);
        close_rewrite(&r);
    }
    return status;
}

/* Rewrites the WARC files and, inside the store's transaction, the rows that refer to what was moved. *end is the
 * synced end; its file name is empty where nothing was written. Names of files to be removed are appended to `old`, a
 * line each. The writer's opening cuts off what was not committed, so that only committed records are looked at. */
static scent_status rewrite_records(struct purge *purge, struct warc_position *end, struct buf *old, struct errmsg *err)
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
    SCENT_TRY(crawldir_open_writer(purge->store, purge->options->dir, WARC_PLAIN, &rng, &writer, err));
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

/* ---- texts ---- */

static bool is_name_char(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c) || c == '-' || c == '.' || c == '_';
}

static bool is_url_char(char c)
{
    return is_name_char(c) || (c && strchr("~%/?#&=+:@!$*;", c));
}

/* Does the name stand by itself at `at`? */
static bool stands_alone(struct str text, size_t at, size_t len, bool is_host)
{
    char before = at ? text.p[at - 1] : ' ';
    char after = at + len < text.len ? text.p[at + len] : ' ';

    if (is_name_char(before))
        return false;
    if (!is_host && (after == ':' || after == ';') && (at + len + 1 >= text.len || text.p[at + len + 1] == ' '))
        return true; /* the end of it in a sentence */
    return is_host ? !is_name_char(after) : !is_url_char(after);
}

scent_status purge_replace(struct str text, struct str name, bool is_host, struct buf *out, size_t *hits)
{
    const struct str instead = is_host ? STR("purged.invalid") : STR("http://purged.invalid/");

    for (size_t i = 0; i < text.len;) {
        if (name.len && str_starts_nocase(str_sub(text, i, text.len), name) &&
            stands_alone(text, i, name.len, is_host)) {
            buf_add(out, instead);
            i += name.len;
            ++*hits;
        } else {
            buf_addc(out, text.p[i++]);
        }
    }
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* A file of the directory that may name it: the copy of the topic file, the log. */
static scent_status purge_file(struct purge *purge, const struct purge_target *targets, const char *name,
                               struct errmsg *err)
{
    struct crawldir_path path = crawldir_path(purge->options->dir, name);
    struct buf text, clean;
    size_t hits = 0;
    scent_status status;

    if (!file_exists(path.text))
        return SCENT_OK;
    buf_init(&text, TOPIC_MAX_BYTES);
    buf_init(&clean, 0);
    status = file_read(path.text, &text, err);
    for (size_t i = 0; i < purge->options->count && status == SCENT_OK; i++) {
        struct str spellings[] = {targets[i].name, str_of(targets[i].text), targets[i].name};

        if (!targets[i].is_host && str_ends(spellings[2], STR("/")))
            spellings[2].len--; /* "http://a.test" */
        for (size_t k = 0; k < 3 && status == SCENT_OK; k++) {
            buf_clear(&clean);
            status = purge_replace(buf_str(&text), spellings[k], targets[i].is_host, &clean, &hits);
            buf_clear(&text);
            buf_add(&text, buf_str(&clean));
        }
    }
    if (status == SCENT_OK && hits)
        status = file_replace(path.text, buf_str(&text), err);
    buf_release(&text);
    buf_release(&clean);
    return status;
}

static scent_status purge_texts(struct purge *purge, const struct purge_target *targets, struct errmsg *err)
{
    static const char *const names[] = {CRAWLDIR_TOPIC, LOGFILE_NAME, LOGFILE_NAME ".1", LOGFILE_NAME ".2",
                                        LOGFILE_NAME ".3"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        SCENT_TRY(purge_file(purge, targets, names[i], err));
    SCENT_TRY(marks_forget(purge->options->dir, wants_url, purge, err));
    for (size_t i = 0; i < purge->options->count; i++)
        SCENT_TRY(store_purge_text(purge->store, targets[i].name, err));
    return SCENT_OK;
}

/* ---- the transaction ---- */

/* The strategy learns anew from the pages that are left, and the terms of the query are counted anew. The files for
 * other crawls go first: the next run writes them again, whether this purge comes to its end or not. */
static scent_status forget_learned(struct purge *purge, struct errmsg *err)
{
    static const char *const names[] = {"strategy_state", "strategy_at", "census",
                                        "census_at",      "repeats",     "repeats_at", "retrained", "weak *"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        SCENT_TRY(store_unset(purge->store, names[i], err));
    return learned_forget(purge->options->dir, err);
}

/* Names of files to be removed are appended to `old`. */
static scent_status purge_rows(struct purge *purge, const struct purge_target *targets, struct buf *old,
                               struct errmsg *err)
{
    struct str event = arena_printf(&purge->arena, "%llu URLs", (unsigned long long)purge->report->urls);
    struct warc_position end;

    SCENT_TRY(purge_texts(purge, targets, err));
    SCENT_TRY(store_purge_rows(purge->store, err));
    SCENT_TRY(rewrite_records(purge, &end, old, err));
    if (end.file[0])
        SCENT_TRY(crawldir_save_end(purge->store, &end, err));
    SCENT_TRY(store_set(purge->store, PENDING, buf_str(old), err));
    if (purge->report->urls)
        SCENT_TRY(forget_learned(purge, err));
    SCENT_TRY(store_add_event(purge->store, clock_wall(&clock_system), "purge", event, err));
    return store_commit(purge->store, err);
}

static scent_status purge_all(struct purge *purge, struct purge_target *targets, struct errmsg *err)
{
    struct buf old;
    scent_status status;

    SCENT_TRY(purge_finish(purge->store, purge->options->dir, err));
    SCENT_TRY(store_purge_begin(purge->store, err));
    buf_init(&old, 0);
    status = purge_find_all(purge, targets, err);
    if (status == SCENT_OK && purge->report->unknown < purge->options->count)
        status = purge_rows(purge, targets, &old, err);
    if (status == SCENT_OK)
        status = purge_finish(purge->store, purge->options->dir, err);
    store_rollback(purge->store); /* where nothing of it is known, or it failed */
    buf_release(&old);
    return status;
}

/* Only counts and tells. */
static scent_status tell_all(struct purge *purge, struct purge_target *targets, struct errmsg *err)
{
    struct warc_position end;
    struct buf affected;
    scent_status status;

    SCENT_TRY(purge_find_all(purge, targets, err));
    SCENT_TRY(crawldir_load_end(purge->store, &end, err));
    buf_init(&affected, 0);
    status = end.file[0] ? find_affected(purge, &end, &affected, err) : SCENT_OK;
    buf_release(&affected);
    return status;
}

scent_status purge_run(const struct purge_options *options, struct purge_report *out, struct errmsg *err)
{
    struct purge purge = {.options = options, .report = out};
    struct purge_target *targets = calloc(options->count, sizeof *targets);
    scent_status status;

    *out = (struct purge_report){0};
    SCENT_BUG_IF(!targets);
    arena_init(&purge.arena, SIZE_MAX);
    status = crawldir_open(options->dir, options->dry_run ? STORE_READ_ALONE : STORE_CHANGE, &purge.store, err);
    if (status == SCENT_OK)
        status = crawldir_get_number(purge.store, "key", &purge.key, err);
    if (status == SCENT_OK)
        status = purge_parse_targets(&purge, targets, err);
    if (status == SCENT_OK)
        status = options->dry_run ? tell_all(&purge, targets, err) : purge_all(&purge, targets, err);
    store_close(purge.store);
    purge_set_release(&purge.urls);
    purge_set_release(&purge.hosts);
    arena_release(&purge.arena);
    free(targets);
    return status;
}

/* ---- what is left to do after the transaction ---- */

static scent_status load_pending(struct store *store, struct buf *out, bool *pending, struct errmsg *err)
{
    scent_status status = store_get(store, PENDING, out, err);

    *pending = status == SCENT_OK;
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

scent_status purge_is_pending(struct store *store, bool *out, struct errmsg *err)
{
    struct buf files;
    scent_status status;

    buf_init(&files, 0);
    status = load_pending(store, &files, out, err);
    buf_release(&files);
    return status;
}

static scent_status remove_files(const char *dir, struct str names, struct errmsg *err)
{
    struct crawldir_path folder = crawldir_path(dir, CRAWLDIR_WARC), path;
    struct str name;

    while (str_split(&names, '\n', &name)) {
        if (name.len == 0)
            continue;
        if (!crawldir_is_warc_name(name))
            return errmsg_fail(err, SCENT_E_FORMAT,
                               "crawl.db: the value " PENDING " is damaged: '%.*s' is not the name of a "
                               "WARC file",
                               STR_ARG(name));
        snprintf(path.text, sizeof path.text, "%s/" CRAWLDIR_WARC "/%.*s", dir, STR_ARG(name));
        if (unlink(path.text) != 0 && errno != ENOENT)
            return errmsg_fail(err, scent_status_of_errno(errno), "cannot remove %s: %s", path.text, strerror(errno));
    }
    return file_is_dir(folder.text) ? file_sync_dir(folder.text, err) : SCENT_OK;
}

static scent_status finish_pending(struct store *store, const char *dir, struct str files, struct errmsg *err)
{
    SCENT_TRY(remove_files(dir, files, err));
    SCENT_TRY(fulltext_remove(crawldir_path(dir, CRAWLDIR_SEARCH).text, err));
    SCENT_TRY(crawldir_write_index(store, dir, err));
    SCENT_TRY(store_scrub(store, err));
    SCENT_TRY(store_begin(store, err));
    SCENT_TRY(store_unset(store, PENDING, err));
    return store_commit(store, err);
}

scent_status purge_finish(struct store *store, const char *dir, struct errmsg *err)
{
    struct buf files;
    bool pending;
    scent_status status;

    buf_init(&files, 0);
    status = load_pending(store, &files, &pending, err);
    if (status == SCENT_OK && pending)
        status = finish_pending(store, dir, buf_str(&files), err);
    buf_release(&files);
    return status;
}
