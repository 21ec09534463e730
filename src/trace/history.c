#include "trace/history.h"

#include "base/vec.h"
#include "base/rng.h"

#include <stdlib.h>

void history_init(struct history *history)
{
    *history = (struct history){0};
    names_init(&history->urls, rng_entropy());
}

void history_release(struct history *history)
{
    names_release(&history->urls);
    free(history->rows);
}

static scent_status fail(scent_status status, struct errmsg *err)
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
        return fail(SCENT_E_LIMIT, err);
    if (!vec_reserve(&history->rows, &history->room, history->count + 1, sizeof *history->rows))
        return fail(SCENT_E_NOMEM, err);
    row.visit = row.referrer = BROWSING_NONE;
    status = names_add(&history->urls, url, &row.url);
    if (status == SCENT_OK && referrer.len)
        status = names_add(&history->urls, referrer, &row.referrer);
    if (status != SCENT_OK)
        return fail(status, err);
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
static bool stays(const struct browsing *browsing, uint32_t from, struct str url)
{
    uint32_t page;

    return from != BROWSING_NONE && browsing_find_page(browsing, url, &page) &&
           browsing_at(browsing, from)->page == page;
}

static scent_status visit(struct history *history, struct history_row *row, uint32_t from, struct browsing *browsing)
{
    struct str url = names_at(&history->urls, row->url);
    scent_status status;

    if (stays(browsing, from, url)) {
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
static scent_status settle(struct history *history, struct history_row *row, uint32_t *last, struct browsing *browsing)
{
    uint32_t from = source_of(history, row, browsing);
    bool again = row->fate == PROFILE_RELOAD || row->fate == PROFILE_BACK;
    scent_status status = SCENT_OK;

    if (row->fate == PROFILE_PAGE)
        status = visit(history, row, from, browsing);
    else
        row->visit = again && last[row->url] != BROWSING_NONE ? last[row->url] : from;
    if (row->fate == PROFILE_PAGE)
        last[row->url] = row->visit;
    return status;
}

scent_status history_finish(struct history *history, struct browsing *browsing, struct profile_counts *counts,
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

        status = settle(history, row, last, browsing);
        counts->visits[row->fate]++;
    }
    free(order);
    free(last);
    return status == SCENT_OK ? SCENT_OK : fail(status, err);
}
