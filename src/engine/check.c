#include "engine/check_parts.h"

#include "base/file.h"
#include "engine/cdxindex.h"
#include "engine/purge.h"
#include "engine/warcend.h"
#include "frontier/seen.h"
#include "url/url.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

void check_say(struct check *check, enum check_fix fix, const char *fmt, ...)
{
    char line[2048];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    check->report->problems++;
    check->fixable[fix]++;
    check->options->problem(check->options->ctx, line);
}

/* ---- the database ---- */

static void database_problem(void *ctx, const char *line)
{
    check_say(ctx, CHECK_NOTHING, "crawl.db: %s", line);
}

struct known {
    struct check *check;
    struct seen seen;
    uint64_t key;
};

/* A resume knows URLs by their fingerprints: two of one would be the same. */
static scent_status know_url(void *ctx, const struct store_url *url)
{
    struct known *known = ctx;
    uint32_t id;
    bool is_new;
    scent_status status =
        seen_add(&known->seen, url->purged ? url->purged : url_fingerprint(url->url, known->key), &id, &is_new);

    known->check->report->urls++;
    if (status == SCENT_OK && !is_new)
        check_say(known->check, CHECK_NOTHING, "crawl.db: url: row %" PRIu64 " is a second one of %.*s",
                  (uint64_t)url->id + 1, STR_ARG(url->url));
    return status;
}

static scent_status check_urls(struct check *check, struct errmsg *err)
{
    struct known known = {.check = check};
    struct buf text;
    scent_status status;

    buf_init(&text, 64);
    status = store_get(check->store, "key", &text, err);
    if (status == SCENT_OK && !str_parse_u64(buf_str(&text), &known.key))
        check_say(check, CHECK_NOTHING, "crawl.db: value: key is no number");
    buf_release(&text);
    if (status != SCENT_OK && status != SCENT_E_NOTFOUND)
        return status;
    seen_init(&known.seen);
    status = store_each_url(check->store, know_url, &known, err);
    seen_release(&known.seen);
    return status;
}

static scent_status check_database(struct check *check, struct errmsg *err)
{
    scent_status status = store_check(check->store, database_problem, check, err);

    return status == SCENT_OK ? check_urls(check, err) : status;
}

/* ---- the WARC files ---- */

static void file_path(const struct check *check, const char *name, char out[4096])
{
    snprintf(out, 4096, "%s/warc/%s", check->options->dir, name);
}

/* The number in the name of a file of ours. */
static bool series_number(struct str name, uint64_t *number)
{
    const struct str before = STR(WARCEND_PREFIX "-"), after = STR(".warc.gz");

    return name.len > before.len + after.len && str_starts(name, before) && str_ends(name, after) &&
           str_parse_u64(str_sub(name, before.len, name.len - after.len), number);
}

/* Bytes to be checked; 0: none of it. */
static uint64_t judge_file(struct check *check, const char *file, struct str name, uint64_t size)
{
    const struct warc_position *end = &check->end;
    bool open = name.len < strlen(file);
    uint64_t number, last = 0;

    if (!series_number(name, &number)) {
        check_say(check, CHECK_NOTHING, "warc/%s: is no file of this crawl", file);
        return 0;
    }
    if (!end->file[0] || !series_number(str_of(end->file), &last) || number > last) {
        check_say(check, end->file[0] ? CHECK_TAIL : CHECK_NOTHING, "warc/%s: nothing of it was committed", file);
        return 0;
    }
    if (open)
        check_say(check, number == last ? CHECK_TAIL : CHECK_NOTHING,
                  "warc/%s: the name ends in .open, but nobody writes it", file);
    if (number < last)
        return size;
    if (size > end->end)
        check_say(check, CHECK_TAIL, "warc/%s: %" PRIu64 " bytes lie behind the committed end at %" PRIu64, file,
                  size - end->end, end->end);
    if (size < end->end)
        check_say(check, CHECK_NOTHING, "warc/%s: holds %" PRIu64 " bytes, but %" PRIu64 " were committed", file, size,
                  end->end);
    return end->end;
}

static scent_status check_file(struct check *check, const char *file, struct errmsg *err)
{
    struct str name = str_of(file);
    struct stat info;
    char path[4096];
    uint64_t limit;
    scent_status status;

    file_path(check, file, path);
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        check_say(check, CHECK_NOTHING, "warc/%s: is no file of this crawl", file);
        return SCENT_OK;
    }
    if (str_ends(name, STR(".open")))
        name.len -= strlen(".open");
    limit = judge_file(check, file, name, (uint64_t)info.st_size);
    if (limit == 0)
        return SCENT_OK;
    check->report->files++;
    status = check_records(check, path, name, limit, err);
    if (status != SCENT_E_IO)
        return status;
    check_say(check, CHECK_NOTHING, "warc/%s: cannot be read: %s", file, err->text);
    return SCENT_OK;
}

/* A file to which rows refer. */
static scent_status expect_file(void *ctx, struct str file)
{
    struct check *check = ctx;
    char name[128], path[4096];

    snprintf(name, sizeof name, "%.*s", STR_ARG(file));
    file_path(check, name, path);
    if (file_exists(path))
        return SCENT_OK;
    snprintf(name, sizeof name, "%.*s.open", STR_ARG(file));
    file_path(check, name, path);
    if (!file_exists(path))
        check_say(check, CHECK_NOTHING, "warc/%.*s: is missing, but pages lie in it", STR_ARG(file));
    return SCENT_OK;
}

static scent_status check_files(struct check *check, struct errmsg *err)
{
    char path[4096];
    struct file_list files = {0};
    scent_status status = warcend_load(check->store, &check->end, err);

    snprintf(path, sizeof path, "%s/warc", check->options->dir);
    if (status == SCENT_OK)
        status = store_each_file(check->store, expect_file, check, err);
    if (status == SCENT_OK && file_is_dir(path))
        status = file_list(path, "", &files, err);
    for (size_t i = 0; i < files.count && status == SCENT_OK; i++)
        status = check_file(check, files.names[i], err);
    file_list_release(&files);
    return status;
}

/* ---- repair ---- */

static void say_repaired(struct check *check, enum check_fix fix, const char *what)
{
    check->report->repaired += check->fixable[fix];
    check->options->repaired(check->options->ctx, what);
}

/* To open the WARC files for writing cuts them back to what was committed; to close them gives them their names. */
static scent_status repair_tail(struct check *check, struct errmsg *err)
{
    struct warc_writer *writer;
    struct warc_position end;
    struct rng rng;
    scent_status status;

    rng_seed(&rng, rng_entropy());
    status = warcend_open_writer(check->store, check->options->dir, STR_NONE, &rng, &writer, err);
    return status == SCENT_OK ? warc_writer_close(writer, &end, err) : status;
}

static scent_status repair(struct check *check, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    if (check->fixable[CHECK_TAIL]) {
        status = repair_tail(check, err);
        if (status == SCENT_OK)
            say_repaired(check, CHECK_TAIL, "the WARC files were cut back to what was committed");
    }
    if (status == SCENT_OK && check->fixable[CHECK_INDEX]) {
        status = cdxindex_write(check->store, check->options->dir, err);
        if (status == SCENT_OK)
            say_repaired(check, CHECK_INDEX, CDXINDEX_FILE " was written anew");
    }
    return status;
}

/* ---- all of it ---- */

/* It comes first: what a purge has still to remove would be told record by record. */
static scent_status check_purge(struct check *check, struct errmsg *err)
{
    bool pending = false;
    scent_status status = purge_is_pending(check->store, &pending, err);

    if (status != SCENT_OK || !pending)
        return status;
    check_say(check, CHECK_PURGE, "crawl.db: a purge was cut off; what it removes may still be in files");
    if (!check->options->repair)
        return SCENT_OK;
    status = purge_finish(check->store, check->options->dir, err);
    if (status == SCENT_OK)
        say_repaired(check, CHECK_PURGE, "the purge was brought to its end");
    return status;
}

static scent_status check_all(struct check *check, struct errmsg *err)
{
    scent_status status = check_purge(check, err);

    if (status == SCENT_OK)
        status = check_database(check, err);
    if (status == SCENT_OK)
        status = check_files(check, err);
    if (status == SCENT_OK)
        status = check_index(check, err);
    if (status == SCENT_OK && check->options->repair)
        status = repair(check, err);
    return status;
}

scent_status check_run(const struct check_options *options, struct check_report *out, struct errmsg *err)
{
    struct check check = {.options = options, .report = out};
    scent_status status;

    *out = (struct check_report){0};
    status = store_open(options->dir, options->repair ? STORE_CHANGE : STORE_READ_ALONE, &check.store, err);
    if (status == SCENT_OK)
        status = check_all(&check, err);
    store_close(check.store);
    /* Damage that ends the reading is what was looked for. */
    if (status != SCENT_E_FORMAT)
        return status;
    check_say(&check, CHECK_NOTHING, "%s", err->text);
    return SCENT_OK;
}
