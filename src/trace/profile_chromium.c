/* Chromium keeps its history in an SQLite database and its bookmarks in JSON. Times are microseconds since 1601. */
#include "base/file.h"
#include "json/json.h"
#include "trace/profile_parts.h"
#include "url/url.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATH_ROOM = 4096, BOOKMARKS_MAX = 256 << 20, ARENA_CAP = 1 << 20 };
static const int64_t SINCE_1601 = 11644473600 * INT64_C(1000000);

/* ui/base/page_transition_types.h: what it was in the low byte, how it came about in the high bits */
enum { CORE = 0xFF, AUTO_SUBFRAME = 3, MANUAL_SUBFRAME = 4, RELOAD = 8 };
#define FORWARD_BACK 0x01000000
#define CHAIN_END 0x20000000

static const struct profile_column columns[] = {
    {"visits", "id"},   {"visits", "url"}, {"visits", "visit_time"}, {"visits", "from_visit"}, {"visits", "transition"},
    {"urls", "id"},     {"urls", "url"},
};

/* A page in a new tab has the page that opened it in columns of their own, which old profiles have not. */
#define VISITS(from, referrer) "select v.id, " from ", v.visit_time, v.transition, u.url, " referrer \
                               " from visits v join urls u on u.id = v.url"
static const char new_sql[] = VISITS("iif(v.from_visit, v.from_visit, v.opener_visit)", "v.external_referrer_url");
static const char old_sql[] = VISITS("v.from_visit", "''");

static enum profile_fate fate_of(int64_t transition)
{
    int64_t core = transition & CORE;

    if (core == AUTO_SUBFRAME || core == MANUAL_SUBFRAME)
        return PROFILE_FRAME;
    if (!(transition & CHAIN_END))
        return PROFILE_REDIRECT;
    if (transition & FORWARD_BACK)
        return PROFILE_BACK;
    return core == RELOAD ? PROFILE_RELOAD : PROFILE_PAGE;
}

/* A page of another site tells only its host as the referrer, which would be taken for that site's first page. */
static bool is_whole(struct str referrer, struct str url)
{
    struct arena arena;
    struct url from, to;
    bool whole;

    arena_init(&arena, ARENA_CAP);
    whole = url_parse(&arena, referrer, NULL, &from) == SCENT_OK && url_parse(&arena, url, NULL, &to) == SCENT_OK &&
            (url_path(&from).len > 1 || str_eq(url_origin(&from), url_origin(&to)));
    arena_release(&arena);
    return whole;
}

static scent_status take_visit(void *ctx, const struct foreign_row *row, struct errmsg *err)
{
    struct profile *profile = ctx;
    struct str url = foreign_text(row, 4), referrer = foreign_text(row, 5);
    int64_t time = foreign_int(row, 2);
    struct history_row visit = {.id = foreign_int(row, 0), .from = foreign_int(row, 1),
                                .time = time > SINCE_1601 ? profile_time(time - SINCE_1601) : 0,
                                .fate = fate_of(foreign_int(row, 3))};

    return history_add(&profile->history, visit, url, is_whole(referrer, url) ? referrer : STR_NONE, err);
}

static bool is_new(struct foreign *foreign)
{
    return foreign_has(foreign, "visits", "opener_visit") && foreign_has(foreign, "visits", "external_referrer_url");
}

static scent_status read_history(struct profile *profile, struct errmsg *err)
{
    char path[PATH_ROOM];
    struct foreign *foreign;
    scent_status status;

    snprintf(path, sizeof path, "%s/History", profile->dir);
    status = foreign_open(path, &foreign, err);
    if (status == SCENT_OK)
        status = profile_check(foreign, path, columns, sizeof columns / sizeof *columns, err);
    if (status == SCENT_OK)
        status = foreign_query(foreign, is_new(foreign) ? new_sql : old_sql, NULL, take_visit, profile, err);
    foreign_close(foreign);
    return status;
}

/* ---- bookmarks ---- */

struct walk {
    struct profile *profile;
    bool found; /* the folder that was asked for */
    struct buf names;
};

static int64_t added_at(const struct json *node)
{
    uint64_t time;

    if (!str_parse_u64(json_as_str(json_get(node, "date_added")), &time) || time > INT64_MAX ||
        (int64_t)time <= SINCE_1601)
        return 0;
    return profile_time((int64_t)time - SINCE_1601);
}

/* The JSON reader bounds the depth. */
static scent_status walk_node(struct walk *walk, const struct json *node, bool inside, struct errmsg *err)
{
    const struct json *children = json_get(node, "children");
    struct str name = json_as_str(json_get(node, "name")), url = json_as_str(json_get(node, "url"));
    scent_status status = SCENT_OK;

    if (!children)
        return inside && url.len ? profile_mark(walk->profile, url, added_at(node), err) : SCENT_OK;
    profile_list_name(&walk->names, name);
    if (walk->profile->folder && str_eq_nocase(name, str_of(walk->profile->folder)))
        walk->found = inside = true;
    for (size_t i = 0; i < json_count(children) && status == SCENT_OK; i++)
        status = walk_node(walk, json_at(children, i), inside, err);
    return status;
}

static scent_status walk_file(struct walk *walk, const char *path, struct errmsg *err)
{
    static const char *const roots[] = {"bookmark_bar", "other", "synced"};
    struct errmsg why = {""};
    struct json *root = NULL;
    scent_status status;
    struct buf text;

    buf_init(&text, BOOKMARKS_MAX);
    status = file_read(path, &text, err);
    if (status == SCENT_OK && json_parse(buf_str(&text), &root, &why) != SCENT_OK)
        status = errmsg_fail(err, SCENT_E_FORMAT, "%s is damaged: %.500s; restore it from Bookmarks.bak beside it",
                             path, why.text);
    for (size_t i = 0; i < sizeof roots / sizeof *roots && status == SCENT_OK; i++)
        status = walk_node(walk, json_get(json_get(root, "roots"), roots[i]), !walk->profile->folder, err);
    json_free(root);
    buf_release(&text);
    return status;
}

/* A profile without bookmarks has no such file; those of an account lie in a second one. */
static scent_status read_bookmarks(struct profile *profile, struct errmsg *err)
{
    static const char *const files[] = {"Bookmarks", "AccountBookmarks"};
    struct walk walk = {.profile = profile};
    scent_status status = SCENT_OK;
    char path[PATH_ROOM];

    buf_init(&walk.names, 0);
    for (size_t i = 0; i < sizeof files / sizeof *files && status == SCENT_OK; i++) {
        snprintf(path, sizeof path, "%s/%s", profile->dir, files[i]);
        if (file_exists(path))
            status = walk_file(&walk, path, err);
    }
    if (status == SCENT_OK && profile->folder && !walk.found)
        status = profile_no_folder(profile, &walk.names, err);
    buf_release(&walk.names);
    return status;
}

scent_status profile_read_chromium(struct profile *profile, struct errmsg *err)
{
    SCENT_TRY(read_bookmarks(profile, err));
    return read_history(profile, err);
}
