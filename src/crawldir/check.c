#include "crawldir/check.h"

#include "base/file.h"
#include "base/hash.h"
#include "crawldir/crawldir.h"
#include "crawldir/purge.h"
#include "frontier/frontier.h"
#include "frontier/seen.h"
#include "http/http.h"
#include "url/url.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* What would mend a problem. */
enum fix { FIX_NONE, FIX_PURGE, FIX_TAIL, FIX_INDEX, FIXES };

struct check {
    const struct check_options *options;
    struct check_report *report;
    struct store *store;
    struct warc_position end; /* of the WARC files, as committed */
    uint64_t fixable[FIXES];  /* problems by what would mend them */
    bool interrupted;         /* the last run was: its traces are not damage, and the next run removes them */
};

static void say(struct check *check, enum fix fix, const char *fmt, ...) SCENT_PRINTF(3, 4);
static void say(struct check *check, enum fix fix, const char *fmt, ...)
{
    char line[2048];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof line - 32, fmt, args);
    va_end(args);
    check->report->problems++;
    check->fixable[fix]++;
    if (check->interrupted && fix != FIX_NONE) {
        check->report->passing++;
        snprintf(line + strlen(line), sizeof line - strlen(line), " (the next run mends this)");
    }
    check->options->problem(check->options->ctx, line);
}

/* ---- the database ---- */

static void database_problem(void *ctx, const char *line)
{
    say(ctx, FIX_NONE, "crawl.db: %s", line);
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
    uint64_t print = url_fingerprint(url->url, known->key);
    scent_status status;

    print = url->purged ? url->purged : frontier_identity(print, url->flags, url->own, known->key);
    status = seen_add(&known->seen, print, &id, &is_new);
    known->check->report->urls++;
    if (status == SCENT_OK && !is_new)
        say(known->check, FIX_NONE, "crawl.db: url: row %" PRIu64 " is a second one of %.*s",
            (uint64_t)url->id + 1, STR_ARG(url->url));
    return status;
}

static scent_status check_urls(struct check *check, struct errmsg *err)
{
    struct known known = {.check = check};
    scent_status status = crawldir_get_number(check->store, "key", &known.key, err);

    if (status == SCENT_E_FORMAT)
        say(check, FIX_NONE, "%s", err->text);
    else if (status != SCENT_OK && status != SCENT_E_NOTFOUND)
        return status;
    seen_init(&known.seen);
    status = store_each_url(check->store, know_url, &known, err);
    seen_release(&known.seen);
    return status;
}

static scent_status check_database(struct check *check, struct errmsg *err)
{
    SCENT_TRY(store_check(check->store, database_problem, check, err));
    return check_urls(check, err);
}

/* ---- the records of one WARC file and the rows that refer to it, both in the order of offsets: a merge ---- */

struct merge {
    struct check *check;
    struct str name;
    struct warc_reader *reader;
    struct warc_record record; /* the next one, where `pending` */
    uint64_t limit;
    bool pending, done;
    struct errmsg *err;
};

static scent_status next_record(struct merge *m)
{
    scent_status status;

    m->pending = false;
    status = m->done ? SCENT_E_END : warc_reader_next(m->reader, &m->record, m->err);
    if (status == SCENT_E_END || (status == SCENT_OK && m->record.offset >= m->limit)) {
        m->done = true; /* what lies behind the committed end is told by its length */
        return SCENT_OK;
    }
    if (status != SCENT_OK)
        return status;
    m->pending = true;
    m->check->report->records++;
    if (m->record.damaged)
        say(m->check, FIX_NONE, "warc/%.*s: byte %" PRIu64 ": the record is damaged: %s", STR_ARG(m->name),
            m->record.offset, m->record.damage);
    return SCENT_OK;
}

static bool has_row(const struct warc_record *record)
{
    return record->type == WARC_RESPONSE || record->type == WARC_REVISIT || record->type == WARC_RESOURCE;
}

/* robots.txt is archived for its own sake; it is no page. */
static bool is_robots(struct str url)
{
    struct arena arena;
    struct url parsed;
    bool is = false;

    arena_init(&arena, 1 << 20);
    if (url_parse(&arena, url, NULL, &parsed) == SCENT_OK)
        is = str_eq(str_sub(parsed.href, parsed.path_start, parsed.href.len), STR("/robots.txt"));
    arena_release(&arena);
    return is;
}

static void judge_without_row(struct merge *m)
{
    const struct warc_record *record = &m->record;

    if (!has_row(record) || is_robots(record->url))
        return;
    say(m->check, FIX_NONE, "warc/%.*s: byte %" PRIu64 ": no page row knows the record of %.*s",
        STR_ARG(m->name), record->offset, STR_ARG(record->url));
}

static struct str stated_digest(const struct warc_record *record)
{
    struct str stated = http_header(record->headers, STR("WARC-Payload-Digest"));
    size_t colon = str_find(stated, ':');

    return colon < stated.len ? str_sub(stated, colon + 1, stated.len) : stated;
}

static void judge_with_row(struct merge *m, const struct store_page *page, const struct store_url *url)
{
    const struct warc_record *record = &m->record;
    const char *wrong = NULL;

    if (!has_row(record))
        wrong = "is of another type";
    else if (!str_eq(record->url, url->url))
        wrong = "has another target URI";
    else if (record->length != page->warc_length)
        wrong = "has another length";
    else if (!record->damaged && record->http_status != page->status)
        wrong = "has another status";
    else if (stated_digest(record).len && !str_eq(stated_digest(record), page->digest))
        wrong = "states another digest";
    else if (!record->damaged && warc_record_check_digest(record) == WARC_DIGEST_WRONG)
        wrong = "does not have the digest that it states";
    if (wrong)
        say(m->check, FIX_NONE, "warc/%.*s: byte %" PRIu64 ": the record of page %" PRIu64 " (%.*s) %s",
            STR_ARG(m->name), page->warc_offset, page->number, STR_ARG(url->url), wrong);
}

static scent_status merge_row(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct merge *m = ctx;
    scent_status status = SCENT_OK;

    m->check->report->pages++;
    while (status == SCENT_OK && !m->done && (!m->pending || m->record.offset < page->warc_offset)) {
        if (m->pending)
            judge_without_row(m);
        status = next_record(m);
    }
    if (status != SCENT_OK)
        return status;
    if (!m->pending || m->record.offset != page->warc_offset) {
        say(m->check, FIX_NONE, "warc/%.*s: byte %" PRIu64 ": there is no record for page %" PRIu64
            " (%.*s)", STR_ARG(m->name), page->warc_offset, page->number, STR_ARG(url->url));
        return SCENT_OK;
    }
    judge_with_row(m, page, url);
    return next_record(m);
}

static scent_status check_records(struct check *check, const char *path, struct str name, uint64_t limit,
                                  struct errmsg *err)
{
    struct merge m = {.check = check, .name = name, .limit = limit, .err = err};
    scent_status status;

    SCENT_TRY(warc_reader_open(path, &m.reader, err));
    status = next_record(&m);
    /* No record at all: each row of the file is told below. */
    if (status == SCENT_E_FORMAT) {
        say(check, FIX_NONE, "warc/%.*s: holds no record", STR_ARG(name));
        m.done = true;
        status = SCENT_OK;
    }
    if (status == SCENT_OK)
        status = store_each_page_in(check->store, name, merge_row, &m, err);
    while (status == SCENT_OK && m.pending) {
        judge_without_row(&m);
        status = next_record(&m);
    }
    warc_reader_close(m.reader);
    return status;
}

/* ---- the WARC files ---- */

/* Bytes to be checked; 0: none of it. */
static uint64_t judge_file(struct check *check, const char *file, struct str name, uint64_t size)
{
    const struct warc_position *end = &check->end;
    bool open = name.len < strlen(file);
    uint64_t number, last = 0;

    if (!crawldir_warc_number(name, &number)) {
        say(check, FIX_NONE, "warc/%s: is not a file of this crawl", file);
        return 0;
    }
    if (!end->file[0] || !crawldir_warc_number(str_of(end->file), &last) || number > last) {
        say(check, end->file[0] ? FIX_TAIL : FIX_NONE, "warc/%s: nothing of it was committed", file);
        return 0;
    }
    if (open)
        say(check, number == last ? FIX_TAIL : FIX_NONE,
            "warc/%s: the name ends in .open, but nobody writes it", file);
    if (number < last)
        return size;
    if (size > end->end)
        say(check, FIX_TAIL, "warc/%s: %" PRIu64 " bytes lie behind the committed end at %" PRIu64, file,
            size - end->end, end->end);
    if (size < end->end)
        say(check, FIX_NONE, "warc/%s: holds %" PRIu64 " bytes, but %" PRIu64 " were committed", file, size,
            end->end);
    return end->end;
}

static scent_status check_file(struct check *check, const char *file, struct errmsg *err)
{
    struct crawldir_path folder = crawldir_path(check->options->dir, CRAWLDIR_WARC), path;
    struct str name = crawldir_warc_name(file);
    struct stat info;
    uint64_t limit;
    scent_status status;

    path = crawldir_path(folder.text, file);
    if (lstat(path.text, &info) != 0 || !S_ISREG(info.st_mode)) {
        say(check, FIX_NONE, "warc/%s: is not a file of this crawl", file);
        return SCENT_OK;
    }
    limit = judge_file(check, file, name, (uint64_t)info.st_size);
    if (limit == 0)
        return SCENT_OK;
    check->report->files++;
    status = check_records(check, path.text, name, limit, err);
    if (status != SCENT_E_IO)
        return status;
    say(check, FIX_NONE, "warc/%s: cannot be read: %s", file, err->text);
    return SCENT_OK;
}

/* A file to which rows refer. */
static scent_status expect_file(void *ctx, struct str file)
{
    struct check *check = ctx;
    struct crawldir_path path;
    struct errmsg err;

    if (crawldir_warc_path(check->options->dir, file, &path, &err) != SCENT_OK)
        say(check, FIX_NONE, "%s", err.text);
    else if (!file_exists(path.text))
        say(check, FIX_NONE, "warc/%.*s: is missing, but pages lie in it", STR_ARG(file));
    return SCENT_OK;
}

static scent_status check_files(struct check *check, struct errmsg *err)
{
    struct crawldir_path folder = crawldir_path(check->options->dir, CRAWLDIR_WARC);
    struct file_list files = {0};
    scent_status status = SCENT_OK;

    SCENT_TRY(crawldir_load_end(check->store, &check->end, err));
    SCENT_TRY(store_each_file(check->store, expect_file, check, err));
    if (file_is_dir(folder.text))
        SCENT_TRY(file_list(folder.text, "", &files, err));
    for (size_t i = 0; i < files.count && status == SCENT_OK; i++)
        status = check_file(check, files.names[i], err);
    file_list_release(&files);
    return status;
}

/* ---- index.cdxj against the lines that the page rows give ----
 *
 * Both are read once and only summed up; where the sums differ, the lines are laid side by side. */

enum {
    MAX_TOLD = 20, /* differences that are told one by one */
    INDEX_LINE_MAX = 256 << 10,
    LINES_TOO_MANY = 1000000
};

/* Sums do not depend on order, and 128 bits do not meet by chance. */
struct sums {
    uint64_t a, b, count;
};

static void add_line(struct sums *sums, struct str line)
{
    sums->a += hash_str(line, 1);
    sums->b += hash_str(line, 2);
    sums->count++;
}

static bool same_sums(const struct sums *x, const struct sums *y)
{
    return x->a == y->a && x->b == y->b && x->count == y->count;
}

struct summing {
    struct sums sums;
    struct buf line;
};

static scent_status sum_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct summing *summing = ctx;
    scent_status status;

    buf_clear(&summing->line);
    status = crawldir_add_index_line(page, url, &summing->line);
    if (status == SCENT_OK && summing->line.len)
        add_line(&summing->sums, buf_str(&summing->line));
    return status;
}

static scent_status sum_pages(struct check *check, struct sums *out, struct errmsg *err)
{
    struct summing summing = {0};
    scent_status status;

    buf_init(&summing.line, 0);
    status = store_each_page(check->store, 0, sum_page, &summing, err);
    buf_release(&summing.line);
    *out = summing.sums;
    return status;
}

/* index.cdxj, line by line. It may hold anything: a line is capped, and so is the number of lines. */
struct index {
    FILE *file;
    struct buf line;
    uint64_t limit; /* lines */
    uint64_t count;
    bool too_long;
};

/* The next line with its newline; false at the end, and at a line that is longer than any of ours. */
static bool read_line(struct index *index, struct str *out)
{
    int c = 0;

    buf_clear(&index->line);
    while (c != '\n' && index->count < index->limit && (c = getc_unlocked(index->file)) != EOF)
        if (!buf_addc(&index->line, (char)c)) {
            index->too_long = true;
            return false;
        }
    *out = buf_str(&index->line);
    index->count += out->len > 0;
    return out->len > 0;
}

static void rewind_index(struct index *index, uint64_t limit)
{
    rewind(index->file);
    index->count = 0;
    index->limit = limit;
}

static void sum_file(struct check *check, struct index *index, struct sums *out)
{
    struct str text;
    struct buf last;
    bool sorted = true;

    *out = (struct sums){0};
    buf_init(&last, 0);
    while (read_line(index, &text)) {
        add_line(out, text);
        if (sorted && str_cmp(buf_str(&last), text) > 0) {
            say(check, FIX_INDEX, CRAWLDIR_INDEX ": line %" PRIu64 " is not in order", out->count);
            sorted = false;
        }
        buf_clear(&last);
        buf_add(&last, text);
    }
    buf_release(&last);
}

/* what differs */

struct diff {
    struct check *check;
    uint64_t number, told;
};

static void tell_line(struct diff *diff, const char *what, struct str line)
{
    struct str url = str_sub(line, 0, str_find(line, ' '));

    if (++diff->told > MAX_TOLD)
        return;
    say(diff->check, FIX_INDEX, CRAWLDIR_INDEX ": line %" PRIu64 ": %s %.*s", diff->number, what, STR_ARG(url));
}

/* Two sorted rows of lines; of a file that is not sorted more may be told than differs. */
static void compare_lines(struct diff *diff, struct index *index, struct str want)
{
    struct str have, wanted = STR_NONE;
    bool more = read_line(index, &have);

    diff->number = 1;
    while (more || want.len) {
        size_t end = str_find(want, '\n');
        int order;

        wanted = str_sub(want, 0, end < want.len ? end + 1 : end);
        order = !more ? 1 : !want.len ? -1 : str_cmp(have, wanted);
        if (order < 0)
            tell_line(diff, "no page has this record:", have);
        else if (order > 0)
            tell_line(diff, "before it a line is missing:", wanted);
        if (order >= 0)
            want = str_sub(want, wanted.len, want.len);
        if (order <= 0) {
            more = read_line(index, &have);
            diff->number++;
        }
    }
}

static scent_status tell_differences(struct check *check, struct index *index, struct errmsg *err)
{
    struct diff diff = {.check = check};
    struct buf want;
    scent_status status;

    buf_init(&want, 0);
    status = crawldir_build_index(check->store, &want, err);
    if (status == SCENT_OK)
        compare_lines(&diff, index, buf_str(&want));
    if (diff.told > MAX_TOLD)
        say(check, FIX_INDEX, CRAWLDIR_INDEX ": and %" PRIu64 " more", diff.told - MAX_TOLD);
    buf_release(&want);
    return status;
}

static scent_status compare_index(struct check *check, struct index *index, struct errmsg *err)
{
    struct sums have, want;

    SCENT_TRY(sum_pages(check, &want, err));
    rewind_index(index, want.count + LINES_TOO_MANY);
    sum_file(check, index, &have);
    if (index->too_long) {
        say(check, FIX_INDEX, CRAWLDIR_INDEX ": line %" PRIu64 " is longer than %d KiB", have.count + 1,
            INDEX_LINE_MAX >> 10);
        return SCENT_OK;
    }
    rewind_index(index, want.count + LINES_TOO_MANY);
    return same_sums(&have, &want) ? SCENT_OK : tell_differences(check, index, err);
}

static scent_status check_index(struct check *check, struct errmsg *err)
{
    struct index index = {0};
    scent_status status;
    int fd;

    status = file_open(crawldir_path(check->options->dir, CRAWLDIR_INDEX).text, FILE_REGULAR, &fd, err);
    if (status != SCENT_OK) {
        if (status == SCENT_E_NOTFOUND)
            say(check, FIX_INDEX, CRAWLDIR_INDEX " is missing");
        else
            say(check, FIX_INDEX, "%s", err->text);
        return SCENT_OK;
    }
    index.file = fdopen(fd, "r");
    SCENT_BUG_IF(!index.file);
    buf_init(&index.line, INDEX_LINE_MAX);
    status = compare_index(check, &index, err);
    buf_release(&index.line);
    fclose(index.file);
    return status;
}

/* ---- repair ---- */

static void say_repaired(struct check *check, enum fix fix, const char *what)
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

    rng_seed(&rng, rng_entropy());
    SCENT_TRY(crawldir_open_writer(check->store, check->options->dir, WARC_PLAIN, &rng, &writer, err));
    return warc_writer_close(writer, &end, err);
}

static scent_status repair_all(struct check *check, struct errmsg *err)
{
    if (check->fixable[FIX_TAIL]) {
        SCENT_TRY(repair_tail(check, err));
        say_repaired(check, FIX_TAIL, "the WARC files were cut back to what was committed");
    }
    if (check->fixable[FIX_INDEX]) {
        SCENT_TRY(crawldir_write_index(check->store, check->options->dir, err));
        say_repaired(check, FIX_INDEX, CRAWLDIR_INDEX " was written anew");
    }
    return check->interrupted ? crawldir_mark_run(check->store, false, err) : SCENT_OK;
}

/* ---- all of it ---- */

/* It comes first: what a purge has still to remove would be told record by record. */
static scent_status check_purge(struct check *check, struct errmsg *err)
{
    bool pending = false;

    SCENT_TRY(purge_is_pending(check->store, &pending, err));
    if (!pending)
        return SCENT_OK;
    say(check, FIX_PURGE, "crawl.db: a purge was cut off; what it removes may still be in files");
    if (!check->options->repair)
        return SCENT_OK;
    SCENT_TRY(purge_finish(check->store, check->options->dir, err));
    say_repaired(check, FIX_PURGE, "the purge was brought to its end");
    return SCENT_OK;
}

/* A run that ends says so, gives its last WARC file its name, and leaves no purge pending. */
static scent_status was_interrupted(struct check *check, bool *out, struct errmsg *err)
{
    struct crawldir_path folder = crawldir_path(check->options->dir, CRAWLDIR_WARC);
    struct file_list open;

    SCENT_TRY(crawldir_run_is_open(check->store, out, err));
    if (!*out)
        SCENT_TRY(purge_is_pending(check->store, out, err));
    if (*out || !file_is_dir(folder.text))
        return SCENT_OK;
    SCENT_TRY(file_list(folder.text, ".open", &open, err));
    *out = open.count > 0;
    file_list_release(&open);
    return SCENT_OK;
}

static scent_status check_all(struct check *check, struct errmsg *err)
{
    SCENT_TRY(was_interrupted(check, &check->interrupted, err));
    SCENT_TRY(check_purge(check, err));
    SCENT_TRY(check_database(check, err));
    SCENT_TRY(check_files(check, err));
    SCENT_TRY(check_index(check, err));
    return check->options->repair ? repair_all(check, err) : SCENT_OK;
}

scent_status check_run(const struct check_options *options, struct check_report *out, struct errmsg *err)
{
    struct check check = {.options = options, .report = out};
    scent_status status;

    *out = (struct check_report){0};
    status = crawldir_open(options->dir, options->repair ? STORE_CHANGE : STORE_READ_ALONE, &check.store, err);
    if (status == SCENT_OK)
        status = check_all(&check, err);
    store_close(check.store);
    /* Damage that ends the reading is what was looked for. */
    if (status != SCENT_E_FORMAT)
        return status;
    say(&check, FIX_NONE, "%s", err->text);
    return SCENT_OK;
}
