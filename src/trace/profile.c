/* Two readers, of Firefox and of Chromium, and how the rows of a history become visits. */
#include "trace/profile.h"

#include "base/file.h"
#include "base/rng.h"
#include "base/vec.h"
#include "json/json.h"
#include "store/foreign.h"
#include "trace/names.h"
#include "url/url.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- rows of a history, made visits ---- */

struct history_row {
    int64_t id, from; /* the browser's numbers; from 0: none */
    int64_t time;
    enum profile_fate fate;
    uint32_t url;     /* number in urls */
    uint32_t referrer; /* where `from` is none: the URL that led here, a number too, or BROWSING_NONE */
    uint32_t visit;   /* set by history_finish: the visit that it is or stands for */
};

struct history {
    struct names urls;
    struct history_row *rows;
    uint32_t count;
    size_t room;
};

static void history_init(struct history *history)
{
    *history = (struct history){0};
    names_init(&history->urls, rng_entropy());
}

static void history_release(struct history *history)
{
    names_release(&history->urls);
    free(history->rows);
}

static scent_status fail_history(scent_status status, struct errmsg *err)
{
    if (status == SCENT_E_LIMIT)
        return errmsg_fail(err, status, "the history takes more than the %zu MiB of memory that are meant for visits",
                           BROWSING_MEMORY_MAX >> 20);
    return errmsg_fail(err, status, "there is no memory for the history");
}

/* The numbers of URLs are set here; `referrer` may be empty. SCENT_E_LIMIT: as browsing_is_full(). */
static scent_status history_add(struct history *history, struct history_row row, struct str url, struct str referrer,
                                struct errmsg *err)
{
    scent_status status;

    if (history->count * sizeof *history->rows + names_memory(&history->urls) >= BROWSING_MEMORY_MAX)
        return fail_history(SCENT_E_LIMIT, err);
    if (!vec_reserve(&history->rows, &history->room, history->count + 1, sizeof *history->rows))
        return fail_history(SCENT_E_NOMEM, err);
    row.visit = row.referrer = BROWSING_NONE;
    status = names_add(&history->urls, url, &row.url);
    if (status == SCENT_OK && referrer.len)
        status = names_add(&history->urls, referrer, &row.referrer);
    if (status != SCENT_OK)
        return fail_history(status, err);
    history->rows[history->count++] = row;
    return SCENT_OK;
}

static int by_id(const void *a, const void *b)
{
    const struct history_row *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

static void history_sort(struct history *history)
{
    if (history->count)
        qsort(history->rows, history->count, sizeof *history->rows, by_id);
}

/* A row by the browser's number, once history_sort() has sorted them by it; NULL: none. */
static struct history_row *history_find(struct history *history, int64_t id)
{
    struct history_row key = {.id = id};

    return history->count ? bsearch(&key, history->rows, history->count, sizeof key, by_id) : NULL;
}

static int by_time(const void *a, const void *b, void *ctx)
{
    const struct history *history = ctx;
    const struct history_row *x = &history->rows[*(const uint32_t *)a], *y = &history->rows[*(const uint32_t *)b];

    return x->time != y->time ? (x->time < y->time ? -1 : 1) : by_id(x, y);
}

/* The same page, or another part of it: no step that a link of another page made. */
static bool stays_on_page(const struct browsing *browsing, uint32_t from, struct str url)
{
    uint32_t page;

    return from != BROWSING_NONE && browsing_find_page(browsing, url, &page) &&
           browsing_at(browsing, from)->page == page;
}

static scent_status visit_page(struct history *history, struct history_row *row, uint32_t from,
                               struct browsing *browsing)
{
    struct str url = names_at(&history->urls, row->url);
    scent_status status;

    if (stays_on_page(browsing, from, url)) {
        row->fate = PROFILE_RELOAD;
        row->visit = from;
        return SCENT_OK;
    }
    status = browsing_add_visit(browsing, url, row->time, from, &row->visit);
    if (status != SCENT_E_INVALID && status != SCENT_E_LIMIT)
        return status;
    if (browsing_is_full(browsing))
        return SCENT_E_LIMIT;
    row->fate = PROFILE_SCHEME;
    row->visit = BROWSING_NONE; /* what a page of the browser itself led to was not linked */
    return SCENT_OK;
}

static uint32_t source_of(struct history *history, const struct history_row *row, const struct browsing *browsing)
{
    const struct history_row *source = row->from ? history_find(history, row->from) : NULL;
    uint32_t page;

    if (source)
        return source->visit;
    if (row->referrer == BROWSING_NONE ||
        !browsing_find_page(browsing, names_at(&history->urls, row->referrer), &page))
        return BROWSING_NONE;
    return browsing_last_visit(browsing, page);
}

/* Rows come in the order of time, so what a row came from is settled before it. What is left out stands for the visit
 * that it shows again, or for what led to it. */
static scent_status settle_row(struct history *history, struct history_row *row, uint32_t *last,
                               struct browsing *browsing)
{
    uint32_t from = source_of(history, row, browsing);
    bool again = row->fate == PROFILE_RELOAD || row->fate == PROFILE_BACK;
    scent_status status = SCENT_OK;

    if (row->fate == PROFILE_PAGE)
        status = visit_page(history, row, from, browsing);
    else
        row->visit = again && last[row->url] != BROWSING_NONE ? last[row->url] : from;
    if (row->fate == PROFILE_PAGE)
        last[row->url] = row->visit;
    return status;
}

static scent_status history_finish(struct history *history, struct browsing *browsing, struct profile_counts *counts,
                            struct errmsg *err)
{
    uint32_t *order = calloc((size_t)history->count + 1, sizeof *order);
    uint32_t *last = malloc(((size_t)history->urls.count + 1) * sizeof *last);
    scent_status status = order && last ? SCENT_OK : SCENT_E_NOMEM;

    history_sort(history);
    for (uint32_t i = 0; order && i < history->count; i++)
        order[i] = i;
    if (order && history->count)
        qsort_r(order, history->count, sizeof *order, by_time, history);
    if (last)
        memset(last, 0xff, ((size_t)history->urls.count + 1) * sizeof *last); /* BROWSING_NONE */
    for (uint32_t i = 0; i < history->count && status == SCENT_OK; i++) {
        struct history_row *row = &history->rows[order[i]];

        status = settle_row(history, row, last, browsing);
        counts->visits[row->fate]++;
    }
    free(order);
    free(last);
    return status == SCENT_OK ? SCENT_OK : fail_history(status, err);
}

/* ---- what both kinds of profile share ---- */

enum { PATH_ROOM = 4096, NAMES_SHOWN = 600 };
#define COUNT(array) (sizeof(array) / sizeof *(array))
static const int64_t LATEST = 4102444800 * INT64_C(1000000); /* 2100-01-01 */

struct profile {
    const char *dir, *folder;
    struct browsing *browsing;
    struct profile_counts *counts;
    struct history history;
};

struct profile_column {
    const char *table, *column;
};

/* Microseconds between 1970 and 2100; other times become 0, not known. */
static int64_t profile_time(int64_t since_1970)
{
    return since_1970 > 0 && since_1970 < LATEST ? since_1970 : 0;
}

typedef scent_status read_fn(struct profile *profile, struct foreign *foreign, struct errmsg *err);

/* Opens a database of the profile that has the columns that `read` needs; SCENT_E_VERSION names what is missing. */
static scent_status read_database(struct profile *profile, const char *name, const struct profile_column *columns,
                                  size_t count, read_fn *read, struct errmsg *err)
{
    char path[PATH_ROOM];
    struct foreign *foreign;
    scent_status status;

    snprintf(path, sizeof path, "%s/%s", profile->dir, name);
    SCENT_TRY(foreign_open(path, &foreign, err));
    for (size_t i = 0; i < count; i++)
        if (!foreign_has(foreign, columns[i].table, columns[i].column)) {
            status = errmsg_fail(err, SCENT_E_VERSION, "%s has no column %s.%s: its browser is newer or older than "
                                 "this scent knows; update scent, or give a list of URLs", path, columns[i].table,
                                 columns[i].column);
            goto out;
        }
    status = read(profile, foreign, err);
out:
    foreign_close(foreign);
    return status;
}

static scent_status profile_mark(struct profile *profile, struct str url, int64_t time, struct errmsg *err)
{
    scent_status status = browsing_add_mark(profile->browsing, url, time, true);

    if (status == SCENT_E_NOMEM)
        return errmsg_fail(err, status, "there is no memory for more bookmarks");
    if (status == SCENT_OK)
        profile->counts->bookmarks++;
    else
        profile->counts->other_bookmarks++;
    return SCENT_OK;
}

/* Names of folders, for the message that the one that was asked for is not there. */
static void profile_list_name(struct buf *names, struct str name)
{
    if (!name.len || names->len + name.len > NAMES_SHOWN)
        return;
    buf_addz(names, names->len ? ", '" : "'");
    buf_add(names, name);
    buf_addc(names, '\'');
}

static scent_status profile_no_folder(const struct profile *profile, struct buf *names, struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_INVALID, "%s: there is no folder of bookmarks '%s'; there are %s", profile->dir,
                       profile->folder, names->len ? buf_z(names) : "none");
}

/* ---- Chromium: its history in an SQLite database, its bookmarks in JSON; microseconds since 1601 ---- */

enum { BOOKMARKS_MAX = 32 << 20, ARENA_CAP = 1 << 20 };
static const int64_t SINCE_1601 = 11644473600 * INT64_C(1000000);

/* ui/base/page_transition_types.h: what it was in the low byte, how it came about in the high bits */
enum { CORE = 0xFF, AUTO_SUBFRAME = 3, MANUAL_SUBFRAME = 4, RELOAD = 8 };
#define FORWARD_BACK 0x01000000
#define CHAIN_END 0x20000000

static const struct profile_column chromium_columns[] = {
    {"visits", "id"},   {"visits", "url"}, {"visits", "visit_time"}, {"visits", "from_visit"}, {"visits", "transition"},
    {"urls", "id"},     {"urls", "url"},
};

/* A page in a new tab has the page that opened it in chromium_columns of their own, which old profiles have not. */
#define VISITS(from, referrer) "select v.id, " from ", v.visit_time, v.transition, u.url, " referrer \
                               " from visits v join urls u on u.id = v.url"
static const char chromium_visits_sql[] =
    VISITS("iif(v.from_visit, v.from_visit, v.opener_visit)", "v.external_referrer_url");
static const char chromium_old_visits_sql[] = VISITS("v.from_visit", "''");

static enum profile_fate chromium_fate_of(int64_t transition)
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
static bool is_whole_referrer(struct str referrer, struct str url)
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

static scent_status take_chromium_visit(void *ctx, const struct foreign_row *row, struct errmsg *err)
{
    struct profile *profile = ctx;
    struct str url = foreign_text(row, 4), referrer = foreign_text(row, 5);
    int64_t time = foreign_int(row, 2);
    struct history_row visit = {.id = foreign_int(row, 0), .from = foreign_int(row, 1),
                                .time = time > SINCE_1601 ? profile_time(time - SINCE_1601) : 0,
                                .fate = chromium_fate_of(foreign_int(row, 3))};

    return history_add(&profile->history, visit, url, is_whole_referrer(referrer, url) ? referrer : STR_NONE, err);
}

static bool has_openers(struct foreign *foreign)
{
    return foreign_has(foreign, "visits", "opener_visit") && foreign_has(foreign, "visits", "external_referrer_url");
}

static scent_status read_chromium_history(struct profile *profile, struct foreign *foreign, struct errmsg *err)
{
    return foreign_query(foreign, has_openers(foreign) ? chromium_visits_sql : chromium_old_visits_sql, NULL,
                         take_chromium_visit, profile, err);
}

struct bookmark_walk {
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
static scent_status walk_node(struct bookmark_walk *walk, const struct json *node, bool inside, struct errmsg *err)
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

static scent_status walk_file(struct bookmark_walk *walk, const char *path, struct errmsg *err)
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
    for (size_t i = 0; i < COUNT(roots) && status == SCENT_OK; i++)
        status = walk_node(walk, json_get(json_get(root, "roots"), roots[i]), !walk->profile->folder, err);
    json_free(root);
    buf_release(&text);
    return status;
}

/* A profile without bookmarks has no such file; those of an account lie in a second one. */
static scent_status read_chromium_bookmarks(struct profile *profile, struct errmsg *err)
{
    static const char *const files[] = {"Bookmarks", "AccountBookmarks"};
    struct bookmark_walk walk = {.profile = profile};
    scent_status status = SCENT_OK;
    char path[PATH_ROOM];

    buf_init(&walk.names, 0);
    for (size_t i = 0; i < COUNT(files) && status == SCENT_OK; i++) {
        snprintf(path, sizeof path, "%s/%s", profile->dir, files[i]);
        if (file_exists(path))
            status = walk_file(&walk, path, err);
    }
    if (status == SCENT_OK && profile->folder && !walk.found)
        status = profile_no_folder(profile, &walk.names, err);
    buf_release(&walk.names);
    return status;
}

static scent_status profile_read_chromium(struct profile *profile, struct errmsg *err)
{
    SCENT_TRY(read_chromium_bookmarks(profile, err));
    return read_database(profile, "History", chromium_columns, COUNT(chromium_columns), read_chromium_history, err);
}

/* ---- Firefox: history and bookmarks in places.sqlite; microseconds since 1970 ---- */

/* nsINavHistoryService */
enum {
    VISIT_EMBED = 4,
    VISIT_REDIRECT_PERMANENT = 5,
    VISIT_REDIRECT_TEMPORARY = 6,
    VISIT_DOWNLOAD = 7,
    VISIT_FRAMED = 8,
    VISIT_RELOAD = 9
};

static const struct profile_column firefox_columns[] = {
    {"moz_historyvisits", "id"},         {"moz_historyvisits", "from_visit"}, {"moz_historyvisits", "place_id"},
    {"moz_historyvisits", "visit_date"}, {"moz_historyvisits", "visit_type"}, {"moz_places", "id"},
    {"moz_places", "url"},               {"moz_bookmarks", "type"},           {"moz_bookmarks", "fk"},
    {"moz_bookmarks", "parent"},         {"moz_bookmarks", "title"},          {"moz_bookmarks", "dateAdded"},
    {"moz_bookmarks", "guid"},
};

static const char firefox_visits_sql[] = "select v.id, v.from_visit, v.visit_date, v.visit_type, p.url "
                                 "from moz_historyvisits v join moz_places p on p.id = v.place_id";

/* Type 1 is a bookmark, type 2 a folder. Tags are folders below one with a guid of its own. `union` ends at cycles. */
#define BELOW(condition) "with recursive below(id) as (select id from moz_bookmarks where type = 2 and " condition     \
                         " union select b.id from moz_bookmarks b join below on b.parent = below.id where b.type = 2) "\
                         "select p.url, b.dateAdded from moz_bookmarks b join moz_places p on p.id = b.fk "            \
                         "where b.type = 1 and b.parent "
static const char firefox_folder_sql[] = BELOW("title = ?1 collate nocase") "in (select id from below) order by b.id";
static const char firefox_all_sql[] = BELOW("guid = 'tags________'") "not in (select id from below) order by b.id";
static const char firefox_names_sql[] =
    "select title, title = ?1 collate nocase from moz_bookmarks where type = 2 order by id";

static enum profile_fate firefox_fate_of(int64_t type)
{
    switch (type) {
    case VISIT_EMBED:
    case VISIT_FRAMED:
        return PROFILE_FRAME;
    case VISIT_DOWNLOAD:
        return PROFILE_DOWNLOAD;
    case VISIT_RELOAD:
        return PROFILE_RELOAD;
    default:
        return PROFILE_PAGE;
    }
}

static bool is_redirected(int64_t type)
{
    return type == VISIT_REDIRECT_PERMANENT || type == VISIT_REDIRECT_TEMPORARY;
}

static scent_status take_firefox_visit(void *ctx, const struct foreign_row *row, struct errmsg *err)
{
    struct profile *profile = ctx;
    struct history_row visit = {.id = foreign_int(row, 0), .from = foreign_int(row, 1),
                                .time = profile_time(foreign_int(row, 2)),
                                .fate = firefox_fate_of(foreign_int(row, 3))};

    return history_add(&profile->history, visit, foreign_text(row, 4), STR_NONE, err);
}

/* The end of a redirect knows that it is one, and where it came from; its source does not. */
static scent_status take_redirect(void *ctx, const struct foreign_row *row, struct errmsg *err)
{
    struct profile *profile = ctx;
    struct history_row *source;

    (void)err;
    if (is_redirected(foreign_int(row, 3)) && (source = history_find(&profile->history, foreign_int(row, 1))))
        source->fate = PROFILE_REDIRECT;
    return SCENT_OK;
}

static scent_status take_bookmark(void *ctx, const struct foreign_row *row, struct errmsg *err)
{
    return profile_mark(ctx, foreign_text(row, 0), profile_time(foreign_int(row, 1)), err);
}

struct folders {
    bool found;
    struct buf names;
};

static scent_status take_name(void *ctx, const struct foreign_row *row, struct errmsg *err)
{
    struct folders *folders = ctx;

    (void)err;
    folders->found |= foreign_int(row, 1) != 0;
    profile_list_name(&folders->names, foreign_text(row, 0));
    return SCENT_OK;
}

static scent_status check_folder(struct profile *profile, struct foreign *foreign, struct errmsg *err)
{
    struct folders folders = {.found = false};
    scent_status status;

    if (!profile->folder)
        return SCENT_OK;
    buf_init(&folders.names, 0);
    status = foreign_query(foreign, firefox_names_sql, profile->folder, take_name, &folders, err);
    if (status == SCENT_OK && !folders.found)
        status = profile_no_folder(profile, &folders.names, err);
    buf_release(&folders.names);
    return status;
}

static scent_status read_places(struct profile *profile, struct foreign *foreign, struct errmsg *err)
{
    SCENT_TRY(check_folder(profile, foreign, err));
    SCENT_TRY(foreign_query(foreign, firefox_visits_sql, NULL, take_firefox_visit, profile, err));
    history_sort(&profile->history);
    SCENT_TRY(foreign_query(foreign, firefox_visits_sql, NULL, take_redirect, profile, err));
    return foreign_query(foreign, profile->folder ? firefox_folder_sql : firefox_all_sql, profile->folder,
                         take_bookmark, profile, err);
}

/* ---- profiles ---- */

const char *profile_fate_text(enum profile_fate fate)
{
    static const char *const texts[PROFILE_FATES] = {
        [PROFILE_PAGE] = "pages",
        [PROFILE_SCHEME] = "neither http nor https, or too long",
        [PROFILE_REDIRECT] = "redirects: their ends count",
        [PROFILE_RELOAD] = "reloads, and steps within a page",
        [PROFILE_BACK] = "steps back and forward",
        [PROFILE_FRAME] = "frames: parts of other pages",
        [PROFILE_DOWNLOAD] = "downloads",
    };

    return texts[fate];
}

static bool has_file(const char *dir, const char *name)
{
    char path[PATH_ROOM];

    return snprintf(path, sizeof path, "%s/%s", dir, name) < PATH_ROOM && file_exists(path);
}

enum profile_kind { PROFILE_NONE, PROFILE_FIREFOX, PROFILE_CHROMIUM };

/* By its files. */
static enum profile_kind kind_of(const char *dir)
{
    if (has_file(dir, "places.sqlite"))
        return PROFILE_FIREFOX;
    return has_file(dir, "History") ? PROFILE_CHROMIUM : PROFILE_NONE;
}

/* People name the folder above it, which holds one folder for each of its users. */
static scent_status no_profile(const char *dir, struct errmsg *err)
{
    struct buf inside;
    struct file_list list;

    buf_init(&inside, NAMES_SHOWN);
    if (file_list(dir, "", &list, err) != SCENT_OK)
        return SCENT_E_NOTFOUND;
    for (size_t i = 0; i < list.count; i++) {
        char path[PATH_ROOM];

        snprintf(path, sizeof path, "%s/%s", dir, list.names[i]);
        if (kind_of(path) != PROFILE_NONE)
            profile_list_name(&inside, str_of(list.names[i]));
    }
    if (inside.len)
        errmsg_fail(err, SCENT_E_INVALID, "%s is not a profile but holds some: name one of %s in it", dir,
                    buf_z(&inside));
    else
        errmsg_fail(err, SCENT_E_INVALID, "%s is not a profile: it has neither Firefox's places.sqlite nor Chromium's "
                    "History; about:support and chrome://version tell where yours is", dir);
    file_list_release(&list);
    buf_release(&inside);
    return SCENT_E_INVALID;
}

scent_status profile_read(const char *dir, const char *folder, struct browsing *browsing, struct profile_counts *counts,
                          struct errmsg *err)
{
    struct profile profile = {.dir = dir, .folder = folder, .browsing = browsing, .counts = counts};
    enum profile_kind kind = kind_of(dir);
    scent_status status;

    if (kind == PROFILE_NONE)
        return no_profile(dir, err);
    history_init(&profile.history);
    if (kind == PROFILE_FIREFOX)
        status = read_database(&profile, "places.sqlite", firefox_columns, COUNT(firefox_columns), read_places, err);
    else
        status = profile_read_chromium(&profile, err);
    if (status == SCENT_OK)
        status = history_finish(&profile.history, browsing, counts, err);
    history_release(&profile.history);
    return status;
}
