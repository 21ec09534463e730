/* What the readers of both kinds of profile share, and how rows of a history become visits. */
#include "trace/profile.h"

#include "base/file.h"
#include "base/rng.h"
#include "base/vec.h"
#include "trace/profile_parts.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- rows of a history, made visits ---- */

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
        return errmsg_fail(err, status, "the history has more than %d visits, or more text of URLs than memory is "
                           "meant for", BROWSING_VISITS_MAX);
    return errmsg_fail(err, status, "there is no memory for the history");
}

scent_status history_add(struct history *history, struct history_row row, struct str url, struct str referrer,
                         struct errmsg *err)
{
    scent_status status;

    if (history->count >= BROWSING_VISITS_MAX)
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

void history_sort(struct history *history)
{
    if (history->count)
        qsort(history->rows, history->count, sizeof *history->rows, by_id);
}

struct history_row *history_find(struct history *history, int64_t id)
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
    if (browsing_visits(browsing) >= BROWSING_VISITS_MAX)
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

/* ---- profiles ---- */

enum { PATH_ROOM = 4096, NAMES_SHOWN = 600 };
static const int64_t LATEST = 4102444800 * INT64_C(1000000); /* 2100-01-01 */

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

int64_t profile_time(int64_t since_1970)
{
    return since_1970 > 0 && since_1970 < LATEST ? since_1970 : 0;
}

scent_status profile_check(struct foreign *foreign, const char *path, const struct profile_column *columns,
                           size_t count, struct errmsg *err)
{
    for (size_t i = 0; i < count; i++)
        if (!foreign_has(foreign, columns[i].table, columns[i].column))
            return errmsg_fail(err, SCENT_E_VERSION, "%s has no column %s.%s: its browser is newer or older than this "
                               "scent knows; update scent, or give a list of URLs", path, columns[i].table,
                               columns[i].column);
    return SCENT_OK;
}

scent_status profile_mark(struct profile *profile, struct str url, int64_t time, struct errmsg *err)
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

void profile_list_name(struct buf *names, struct str name)
{
    if (!name.len || names->len + name.len > NAMES_SHOWN)
        return;
    buf_addz(names, names->len ? ", '" : "'");
    buf_add(names, name);
    buf_addc(names, '\'');
}

scent_status profile_no_folder(const struct profile *profile, struct buf *names, struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_INVALID, "%s: there is no folder of bookmarks '%s'; there are %s", profile->dir,
                       profile->folder, names->len ? buf_z(names) : "none");
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
    status = kind == PROFILE_FIREFOX ? profile_read_firefox(&profile, err) : profile_read_chromium(&profile, err);
    if (status == SCENT_OK)
        status = history_finish(&profile.history, browsing, counts, err);
    history_release(&profile.history);
    return status;
}
