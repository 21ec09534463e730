#include "trace/places.h"

#include "base/file.h"
#include "json/json.h"
#include "store/foreign.h"

#include <stdio.h>
#include <unistd.h>

enum { BOOKMARKS_MAX = 64 << 20, PATH_ROOM = 4096 };

/* Chromium counts from 1601 on. */
#define SINCE_1601 INT64_C(11644473600000000)

struct reading {
    place_fn *fn;
    void *ctx;
    int64_t epoch;     /* what its times are later than those of 1970 */
    bool is_bookmarks;
};

/* ---- databases ---- */

static scent_status take_row(void *ctx, const struct foreign_row *row, struct errmsg *err)
{
    struct reading *reading = ctx;
    int64_t visits = foreign_int(row, 2), last = foreign_int(row, 3);
    struct place place = {
        .url = foreign_text(row, 0),
        .title = foreign_text(row, 1),
        .visits = reading->is_bookmarks || visits < 0 ? 0 : (uint64_t)visits,
        .last = last > reading->epoch ? last - reading->epoch : 0,
    };

    return reading->is_bookmarks || place.visits ? reading->fn(reading->ctx, &place, err) : SCENT_OK;
}

static bool has_all(struct foreign *foreign, const char *table, const char *const *columns)
{
    for (; *columns; columns++)
        if (!foreign_has(foreign, table, *columns))
            return false;
    return true;
}

static scent_status read_firefox(struct foreign *foreign, struct reading *reading, struct errmsg *err)
{
    static const char history[] = "select url, title, visit_count, last_visit_date from moz_places "
                                  "where visit_count > 0 and hidden = 0";
    /* Type 1 is a bookmark. Tags are bookmarks in folders below one with a guid of its own. */
    static const char bookmarks[] =
        "select p.url, coalesce(b.title, p.title), 0, 0 from moz_bookmarks b join moz_places p on p.id = b.fk "
        "where b.type = 1 and b.parent not in (select t.id from moz_bookmarks t join moz_bookmarks r "
        "on r.id = t.parent where r.guid = 'tags________')";

    SCENT_TRY(foreign_query(foreign, history, NULL, take_row, reading, err));
    reading->is_bookmarks = true;
    return foreign_query(foreign, bookmarks, NULL, take_row, reading, err);
}

static scent_status read_chromium(struct foreign *foreign, struct reading *reading, struct errmsg *err)
{
    reading->epoch = SINCE_1601;
    return foreign_query(foreign, "select url, title, visit_count, last_visit_time from urls where hidden = 0", NULL,
                         take_row, reading, err);
}

static scent_status read_database(const char *path, struct reading *reading, struct errmsg *err)
{
    static const char *const places[] = {"id", "url", "title", "visit_count", "hidden", "last_visit_date", NULL};
    static const char *const bookmarks[] = {"id", "type", "fk", "parent", "title", "guid", NULL};
    static const char *const urls[] = {"url", "title", "visit_count", "hidden", "last_visit_time", NULL};
    struct foreign *foreign;
    scent_status status;

    SCENT_TRY(foreign_open(path, &foreign, err));
    if (has_all(foreign, "moz_places", places) && has_all(foreign, "moz_bookmarks", bookmarks))
        status = read_firefox(foreign, reading, err);
    else if (has_all(foreign, "urls", urls))
        status = read_chromium(foreign, reading, err);
    else
        status = errmsg_fail(err, SCENT_E_VERSION,
                             "%s is a database, but not a history that we know: Firefox's is called places.sqlite, "
                             "Chromium's History", path);
    foreign_close(foreign);
    return status;
}

/* ---- bookmarks as JSON: Chromium's file, and Firefox's backups. The JSON reader bounds the depth ---- */

static scent_status walk_bookmarks(const struct json *node, struct reading *reading, struct errmsg *err)
{
    static const char *const roots[] = {"bookmark_bar", "other", "synced"};
    const struct json *children = json_get(node, "children"), *folders = json_get(node, "roots");
    struct str url = json_as_str(json_get(node, "url"));
    struct place place = {.url = url.len ? url : json_as_str(json_get(node, "uri")),
                          .title = json_as_str(json_get(node, url.len ? "name" : "title"))};

    if (place.url.len)
        SCENT_TRY(reading->fn(reading->ctx, &place, err));
    for (size_t i = 0; i < json_count(children); i++)
        SCENT_TRY(walk_bookmarks(json_at(children, i), reading, err));
    for (size_t i = 0; folders && i < sizeof roots / sizeof *roots; i++)
        SCENT_TRY(walk_bookmarks(json_get(folders, roots[i]), reading, err));
    return SCENT_OK;
}

static scent_status read_bookmarks(const char *path, struct reading *reading, struct errmsg *err)
{
    struct errmsg why = {""};
    struct json *root = NULL;
    struct buf text;
    scent_status status;

    buf_init(&text, BOOKMARKS_MAX);
    status = file_read(path, &text, err);
    if (status == SCENT_OK && json_parse(buf_str(&text), &root, &why) != SCENT_OK)
        status = errmsg_fail(err, SCENT_E_FORMAT, "%s is not a file of bookmarks: %.500s", path, why.text);
    if (status == SCENT_OK)
        status = walk_bookmarks(root, reading, err);
    json_free(root);
    buf_release(&text);
    return status;
}

/* ---- what a path is ---- */

enum kind { KIND_NONE, KIND_DATABASE, KIND_BOOKMARKS };

static enum kind kind_of(const char *path)
{
    static const char magic[] = "SQLite format 3";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char head[sizeof magic] = {0};
    struct str begin;
    size_t got = 0;
    int fd;

    if (file_open(path, FILE_REGULAR, &fd, NULL) != SCENT_OK)
        return KIND_NONE;
    if (file_take(fd, path, head, sizeof head, &got, NULL) != SCENT_OK)
        got = 0;
    close(fd);
    if (got == sizeof magic && memcmp(head, magic, sizeof magic) == 0)
        return KIND_DATABASE;
    begin = str_trim((struct str){head, got});
    if (!begin.len || begin.p[0] != '{')
        return KIND_NONE;
    return strstr(name, "ookmarks") ? KIND_BOOKMARKS : KIND_NONE;
}

static const char *const profile_files[] = {"places.sqlite", "History", "Bookmarks", "AccountBookmarks"};

bool places_is_source(const char *path)
{
    char inside[PATH_ROOM];

    if (!file_is_dir(path))
        return kind_of(path) != KIND_NONE;
    for (size_t i = 0; i < sizeof profile_files / sizeof *profile_files; i++)
        if (snprintf(inside, sizeof inside, "%s/%s", path, profile_files[i]) < PATH_ROOM &&
            kind_of(inside) != KIND_NONE)
            return true;
    return false;
}

static scent_status read_one(const char *path, place_fn *fn, void *ctx, struct errmsg *err)
{
    struct reading reading = {.fn = fn, .ctx = ctx};

    switch (kind_of(path)) {
    case KIND_DATABASE:
        return read_database(path, &reading, err);
    case KIND_BOOKMARKS:
        return read_bookmarks(path, &reading, err);
    case KIND_NONE:
        break;
    }
    return errmsg_fail(err, SCENT_E_INVALID, "%s is neither a history nor a file of bookmarks", path);
}

scent_status places_read(const char *path, place_fn *fn, void *ctx, struct errmsg *err)
{
    char inside[PATH_ROOM];

    if (!file_is_dir(path))
        return read_one(path, fn, ctx, err);
    for (size_t i = 0; i < sizeof profile_files / sizeof *profile_files; i++)
        if (snprintf(inside, sizeof inside, "%s/%s", path, profile_files[i]) < PATH_ROOM &&
            kind_of(inside) != KIND_NONE)
            SCENT_TRY(read_one(inside, fn, ctx, err));
    return SCENT_OK;
}
