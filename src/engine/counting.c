#include "engine/counting.h"

#include "base/hash.h"
#include "frontier/frontier.h"

#include <stdio.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000)

/* ---- states and reasons ---- */

static void count_reason(struct counting *counting, struct str text)
{
    uint64_t hash = hash_str(text, 0);
    struct counting_reason *reason;
    size_t i = 0;

    while (i < counting->nreasons && counting->reasons[i].hash != hash)
        i++;
    if (i == COUNTING_REASONS)
        i = COUNTING_REASONS - 1;
    reason = &counting->reasons[i];
    if (i == counting->nreasons) {
        counting->nreasons++;
        *reason = (struct counting_reason){.hash = hash};
        snprintf(reason->text, sizeof reason->text, "%.*s", STR_ARG(text));
        if (counting->nreasons == COUNTING_REASONS)
            snprintf(reason->text, sizeof reason->text, "other reasons");
    }
    reason->count++;
    /* The frequent ones are found early: millions of links are left out for one of a few reasons. */
    if (i && i < COUNTING_REASONS - 1 && reason->count > 2 * counting->reasons[i / 2].count) {
        struct counting_reason other = counting->reasons[i / 2];

        counting->reasons[i / 2] = *reason;
        counting->reasons[i] = other;
    }
}

void counting_url(struct counting *counting, const struct store_url *row)
{
    bool is_requisite = (row->flags & (CANDIDATE_ROBOTS | CANDIDATE_REQUISITE)) == CANDIDATE_REQUISITE;

    if (row->state == STORE_QUEUED)
        return;
    if (row->state != STORE_SEEN)
        ++*(is_requisite ? &counting->requisites[row->state] : &counting->urls[row->state]);
    if (row->error.len && row->state != STORE_FETCHED && !is_requisite)
        count_reason(counting, row->error);
}

void counting_rows(struct counting *counting, const struct rows *rows, bool again)
{
    for (size_t i = 0; i < rows->nadded; i++)
        counting_url(counting, &rows->added[i]);
    for (size_t i = 0; i < rows->nchanged; i++)
        if (!again || rows->changed[i].state != STORE_FETCHED)
            counting_url(counting, &rows->changed[i]);
    counting->links += rows->nlinks;
}

static int order_by_count(const void *a, const void *b)
{
    const struct snapshot_reason *x = a, *y = b;

    return (x->count < y->count) - (x->count > y->count);
}

scent_status counting_reasons(const struct counting *counting, struct arena *arena, struct snapshot_reason **out,
                              size_t *count)
{
    struct snapshot_reason *reasons = arena_array(arena, counting->nreasons + 1, sizeof *reasons);

    if (!reasons)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < counting->nreasons; i++) {
        reasons[i].text = arena_str(arena, str_of(counting->reasons[i].text));
        reasons[i].count = counting->reasons[i].count;
        if (!reasons[i].text.p)
            return SCENT_E_NOMEM;
    }
    qsort(reasons, counting->nreasons, sizeof *reasons, order_by_count);
    *out = reasons;
    *count = counting->nreasons < SNAPSHOT_REASONS ? counting->nreasons : SNAPSHOT_REASONS;
    return SCENT_OK;
}

/* ---- pages ---- */

void counting_page(struct counting *counting, uint32_t judge, bool relevant)
{
    bool *place = &counting->recent[counting->nrecent % SNAPSHOT_RECENT];

    if (judge > counting->judge) {
        counting->judge = judge;
        counting->judged = 0;
    }
    counting->judged += judge == counting->judge;
    if (counting->nrecent >= SNAPSHOT_RECENT)
        counting->recent_relevant -= *place;
    *place = relevant;
    counting->recent_relevant += relevant;
    counting->nrecent++;
}

static void advance(struct counting *counting, int64_t second)
{
    while (counting->second < second) {
        if (second - counting->second > COUNTING_SECONDS)
            counting->second = second - COUNTING_SECONDS - 1;
        counting->by_second[++counting->second % (COUNTING_SECONDS + 1)] = 0;
    }
}

void counting_speed(struct counting *counting, int64_t now)
{
    advance(counting, now / SECOND);
    counting->by_second[now / SECOND % (COUNTING_SECONDS + 1)]++;
}

/* Of whole seconds: the one that has just begun does not count. */
double counting_pages_per_s(const struct counting *counting, int64_t now, int64_t since)
{
    int64_t newest = now / SECOND, seconds = newest - since / SECOND;
    uint64_t pages = 0;

    if (seconds > COUNTING_SECONDS)
        seconds = COUNTING_SECONDS;
    for (int64_t second = newest - seconds; second < newest; second++)
        if (second <= counting->second && second > counting->second - COUNTING_SECONDS - 1)
            pages += counting->by_second[second % (COUNTING_SECONDS + 1)];
    return seconds > 0 ? (double)pages / (double)seconds : 0;
}
