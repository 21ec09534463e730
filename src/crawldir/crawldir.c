#include "crawldir/crawldir.h"

#include "base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#define PREFIX "scent"
#define SUFFIX ".warc.gz"
#define OPEN ".open"
#define END "warc_end"

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
                                        CRAWLDIR_WARC, CRAWLDIR_LEARNED};

    *out = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        SCENT_TRY(refuse_link(dir, names[i], err));
    return store_open(dir, mode, out, err);
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
    const struct str before = STR(PREFIX "-"), after = STR(SUFFIX);

    return name.len > before.len + after.len && str_starts(name, before) && str_ends(name, after) &&
           str_parse_u64(str_sub(name, before.len, name.len - after.len), number);
}

bool crawldir_is_warc_name(struct str name)
{
    return name.len > strlen(SUFFIX) && str_ends(name, STR(SUFFIX)) && str_find(name, '/') == name.len;
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

scent_status crawldir_open_writer(struct store *store, const char *dir, struct rng *rng, struct warc_writer **out,
                                  struct errmsg *err)
{
    struct crawldir_path folder = crawldir_path(dir, CRAWLDIR_WARC);
    struct warc_writer_options options = {
        .dir = folder.text, .prefix = PREFIX, .software = "scent/" SCENT_VERSION};
    struct warc_position last;

    SCENT_TRY(crawldir_load_end(store, &last, err));
    SCENT_TRY(crawldir_make_folder(dir, CRAWLDIR_WARC, err));
    return warc_writer_open(&options, last.file[0] ? &last : NULL, rng, out, err);
}
