#include "crawldir/crawldir.h"

#include "base/clock.h"
#include "base/file.h"
#include "crawldir/control.h"
#include "crawldir/logfile.h"
#include "crawldir/marks.h"
#include "warc/cdxj.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#define PREFIX "scent"
#define OPEN ".open"
#define END "warc_end"
#define RUNS "run.json"
#define RUN_OPEN "run_open"
#define INFO "warcinfo"
enum { RUNS_MAX = 16 << 20 };

struct crawldir_path crawldir_path(const char *dir, const char *name)
{
    struct crawldir_path path;

    snprintf(path.text, sizeof path.text, "%s/%s", dir, name);
    return path;
}

/* ---- what somebody else may have put there ---- */

static scent_status refuse_link(const char *dir, const char *name, struct errmsg *err)
{
    struct crawldir_path path = crawldir_path(dir, name);
    struct stat info;

    if (lstat(path.text, &info) != 0 || !S_ISLNK(info.st_mode))
        return SCENT_OK;
    return errmsg_fail(
        err, SCENT_E_INVALID,
        "%s is a symbolic link, which could lead out of the crawl directory: put the file or folder itself "
        "there",
        path.text);
}

scent_status crawldir_open(const char *dir, enum store_mode mode, struct store **out, struct errmsg *err)
{
    static const char *const names[] = {"crawl.db", "crawl.db-wal", "crawl.db-shm", "crawl.db-journal", "lock",
                                        CRAWLDIR_SEARCH, CRAWLDIR_SEARCH "-wal", CRAWLDIR_SEARCH "-shm",
                                        CRAWLDIR_SEARCH "-journal", CRAWLDIR_WARC, CRAWLDIR_LEARNED, MARKS_FILE};

    *out = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        SCENT_TRY(refuse_link(dir, names[i], err));
    return store_open(dir, mode, out, err);
}

scent_status crawldir_make(const char *dir, struct errmsg *err)
{
    static const char *const names[] = {"crawl.db", "lock", CRAWLDIR_TOPIC, CRAWLDIR_INDEX, CRAWLDIR_WARC,
                                        CRAWLDIR_LEARNED, MARKS_FILE, CONTROL_SOCKET, LOGFILE_NAME, RUNS, NULL};

    /* A crawl may have notes of its owner beside its files; a folder without a crawl is somebody's. */
    if (!file_exists(crawldir_path(dir, "crawl.db").text))
        SCENT_TRY(file_expect_only(dir, names, "crawl directory", err));
    return file_make_dir(dir, err);
}

scent_status crawldir_make_folder(const char *dir, const char *name, struct errmsg *err)
{
    SCENT_TRY(refuse_link(dir, name, err));
    return file_make_dir(crawldir_path(dir, name).text, err);
}

scent_status crawldir_replace(const char *dir, const char *name, struct str content, struct errmsg *err)
{
    return file_replace(crawldir_path(dir, name).text, content, err);
}

scent_status crawldir_get_number(struct store *store, const char *name, uint64_t *out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, 64);
    status = store_get(store, name, &text, err);
    if (status == SCENT_OK && !str_parse_u64(buf_str(&text), out))
        status = errmsg_fail(err, SCENT_E_FORMAT, "crawl.db: the value %s is damaged: it is not a number", name);
    buf_release(&text);
    return status;
}

/* ---- the WARC files ---- */

struct str crawldir_warc_name(const char *file)
{
    struct str name = str_of(file);

    if (str_ends(name, STR(OPEN)))
        name.len -= strlen(OPEN);
    return name;
}

bool crawldir_warc_number(struct str name, uint64_t *number)
{
    return warc_file_number(PREFIX, name, number);
}

bool crawldir_is_warc_name(struct str name)
{
    return warc_name_packing(name) != WARC_PLAIN && str_find(name, '/') == name.len;
}

scent_status crawldir_warc_path(const char *dir, struct str name, struct crawldir_path *out, struct errmsg *err)
{
    if (!crawldir_is_warc_name(name))
        return errmsg_fail(err, SCENT_E_FORMAT, "crawl.db: '%.*s' is not the name of a WARC file of this crawl",
                           STR_ARG(name));
    snprintf(out->text, sizeof out->text, "%s/" CRAWLDIR_WARC "/%.*s", dir, STR_ARG(name));
    if (!file_exists(out->text))
        snprintf(out->text, sizeof out->text, "%s/" CRAWLDIR_WARC "/%.*s" OPEN, dir, STR_ARG(name));
    return SCENT_OK;
}

scent_status crawldir_load_end(struct store *store, struct warc_position *out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    *out = (struct warc_position){0};
    buf_init(&text, 256);
    status = store_get(store, END, &text, err);
    if (status == SCENT_OK && sscanf(buf_z(&text), "%63s %" SCNu64, out->file, &out->end) != 2)
        status = errmsg_fail(err, SCENT_E_FORMAT, "crawl.db: the value " END " is damaged");
    buf_release(&text);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

scent_status crawldir_save_end(struct store *store, const struct warc_position *end, struct errmsg *err)
{
    char text[128];
    int len = snprintf(text, sizeof text, "%s %" PRIu64, end->file, end->end);

    return store_set(store, END, (struct str){text, (size_t)len}, err);
}

scent_status crawldir_open_writer(struct store *store, const char *dir, enum warc_packing packing, struct rng *rng,
                                  struct warc_writer **out, struct errmsg *err)
{
    struct crawldir_path folder = crawldir_path(dir, CRAWLDIR_WARC);
    struct warc_writer_options options = {
        .dir = folder.text, .prefix = PREFIX, .unique = true, .software = "scent/" SCENT_VERSION, .packing = packing};
    struct warc_position last;
    struct buf info;
    scent_status status;

    SCENT_TRY(crawldir_load_end(store, &last, err));
    SCENT_TRY(crawldir_make_folder(dir, CRAWLDIR_WARC, err));
    buf_init(&info, 0);
    status = crawldir_load_info(store, &info, err);
    options.info = buf_str(&info);
    if (status == SCENT_OK)
        status = warc_writer_open(&options, last.file[0] ? &last : NULL, rng, out, err);
    buf_release(&info);
    return status;
}

static void add_info(struct buf *out, const char *key, struct str value)
{
    if (!value.len)
        return;
    buf_printf(out, "%s: ", key);
    for (size_t i = 0; i < value.len; i++)
        buf_addc(out, (unsigned char)value.p[i] < ' ' ? ' ' : value.p[i]);
    buf_addz(out, "\r\n");
}

/* ISO 28500:2017, 6.2: what an archivist wants to know of a file that came without its crawl directory. */
scent_status crawldir_save_info(struct store *store, const struct topic *topic, struct errmsg *err)
{
    struct buf info;
    scent_status status;

    buf_init(&info, 0);
    add_info(&info, "operator", topic->politeness.operator);
    add_info(&info, "http-header-user-agent", topic->politeness.user_agent);
    add_info(&info, "robots",
             topic->politeness.ignore_page_robots ? STR("robots.txt alone, not what pages say") : STR("obey"));
    add_info(&info, "isPartOf", topic->name);
    add_info(&info, "description", STR("pages that a focused crawl for this topic visited"));
    status = info.failed ? SCENT_E_NOMEM : store_begin(store, err);
    if (status == SCENT_OK)
        status = store_set(store, INFO, buf_str(&info), err);
    if (status == SCENT_OK)
        status = store_commit(store, err);
    buf_release(&info);
    return status;
}

scent_status crawldir_load_info(struct store *store, struct buf *out, struct errmsg *err)
{
    scent_status status = store_get(store, INFO, out, err);

    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

/* ---- pages ---- */

void crawldir_add_page_line(struct buf *out, const struct store_page *page, const struct store_url *url)
{
    struct json_writer w;
    char when[32];

    clock_format_iso(page->wall, when, sizeof when);
    json_writer_init(&w, out);
    json_object_begin(&w);
    json_put_int(&w, "n", (int64_t)page->number);
    json_put_str(&w, "url", url->url);
    json_put_str(&w, "time", str_of(when));
    json_put_int(&w, "status", page->status);
    json_put_bool(&w, "relevant", page->relevant);
    json_put_double(&w, "score", page->score);
    json_put_double(&w, "priority", (double)page->priority);
    json_put_int(&w, "depth", url->depth);
    json_put_str(&w, "mime", page->mime);
    json_put_str(&w, "lang", page->lang);
    json_put_str(&w, "title", page->title);
    json_put_int(&w, "bytes", (int64_t)page->bytes);
    json_put_int(&w, "words", page->words);
    json_put_int(&w, "links", page->links);
    json_put_str(&w, "digest", page->digest);
    json_put_str(&w, "warc", page->warc_file);
    json_put_int(&w, "offset", (int64_t)page->warc_offset);
    json_put_int(&w, "length", (int64_t)page->warc_length);
    json_object_end(&w);
    buf_addc(out, '\n');
}

/* ---- the index ---- */

scent_status crawldir_add_index_line(const struct store_page *page, const struct store_url *url, struct buf *out)
{
    char date[32], digest[64];
    struct cdxj_entry entry = {
        .url = url->url,
        .mime = store_page_is_revisit(page) ? STR("warc/revisit") : page->mime,
        .status = page->status,
        .offset = page->warc_offset,
        .length = page->warc_length,
        .file = page->warc_file,
    };

    if (page->warc_length == 0)
        return SCENT_OK;
    clock_format_iso(page->wall, date, sizeof date);
    snprintf(digest, sizeof digest, "sha1:%.*s", STR_ARG(page->digest));
    entry.date = str_of(date);
    entry.digest = str_of(digest);
    return cdxj_add(&entry, out);
}

static scent_status add_row(void *ctx, const struct store_page *page, const struct store_url *url)
{
    return crawldir_add_index_line(page, url, ctx);
}

scent_status crawldir_build_index(struct store *store, struct buf *out, struct errmsg *err)
{
    scent_status status = store_each_page(store, 0, add_row, out, err);

    if (status == SCENT_OK)
        status = cdxj_sort(out);
    return status == SCENT_E_NOMEM ? errmsg_fail(err, status, "no memory for the index") : status;
}

scent_status crawldir_write_index(struct store *store, const char *dir, struct errmsg *err)
{
    struct buf index;
    scent_status status;

    buf_init(&index, 0);
    status = crawldir_build_index(store, &index, err);
    if (status == SCENT_OK)
        status = crawldir_replace(dir, CRAWLDIR_INDEX, buf_str(&index), err);
    buf_release(&index);
    return status;
}

/* ---- the runs ---- */

scent_status crawldir_mark_run(struct store *store, bool open, struct errmsg *err)
{
    SCENT_TRY(store_begin(store, err));
    SCENT_TRY(open ? store_set(store, RUN_OPEN, STR("1"), err) : store_unset(store, RUN_OPEN, err));
    return store_commit(store, err);
}

scent_status crawldir_run_is_open(struct store *store, bool *out, struct errmsg *err)
{
    struct buf value;
    scent_status status;

    buf_init(&value, 0);
    status = store_get(store, RUN_OPEN, &value, err);
    buf_release(&value);
    *out = status == SCENT_OK;
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

static scent_status write_run(struct store *store, struct str run, struct buf *all, struct errmsg *err)
{
    char name[32];
    scent_status status = SCENT_OK;

    buf_addz(all, "{\"runs\":[\n");
    for (size_t number = 1; status == SCENT_OK; number++) {
        snprintf(name, sizeof name, "run %zu", number);
        status = store_get(store, name, all, err);
        if (status == SCENT_OK)
            buf_addz(all, ",\n");
    }
    if (status != SCENT_E_NOTFOUND)
        return status;
    buf_add(all, run);
    buf_addz(all, "\n]}\n");
    SCENT_TRY(store_begin(store, err));
    SCENT_TRY(store_set(store, name, run, err));
    return store_commit(store, err);
}

scent_status crawldir_add_run(struct store *store, const char *dir, struct str run, struct errmsg *err)
{
    struct buf all;
    scent_status status;

    buf_init(&all, 0);
    status = write_run(store, run, &all, err);
    if (status == SCENT_OK)
        status = crawldir_replace(dir, RUNS, buf_str(&all), err);
    buf_release(&all);
    return status;
}

scent_status crawldir_load_runs(const char *dir, struct buf *out, struct errmsg *err)
{
    struct crawldir_path path = crawldir_path(dir, RUNS);

    if (!file_exists(path.text))
        return errmsg_fail(err, SCENT_E_NOTFOUND, "there is no %s", path.text);
    return file_read(path.text, out, err);
}

const struct json *crawldir_last_run(const char *dir, struct json **root)
{
    const struct json *runs = NULL;
    struct buf text;

    *root = NULL;
    buf_init(&text, RUNS_MAX);
    if (crawldir_load_runs(dir, &text, NULL) == SCENT_OK &&
        json_parse(buf_str(&text), root, NULL) == SCENT_OK)
        runs = json_get(*root, "runs");
    buf_release(&text);
    return json_count(runs) ? json_at(runs, json_count(runs) - 1) : NULL;
}
