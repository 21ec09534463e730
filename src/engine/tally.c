#include "engine/tally.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000)

/* ---- states and reasons ---- */

static void count_reason(struct tally *tally, struct str text)
{
    uint64_t hash = hash_str(text, 0);
    struct tally_reason *reason;
    size_t i = 0;

    while (i < tally->nreasons && tally->reasons[i].hash != hash)
        i++;
    if (i == TALLY_REASONS)
        i = TALLY_REASONS - 1;
    reason = &tally->reasons[i];
    if (i == tally->nreasons) {
        tally->nreasons++;
        *reason = (struct tally_reason){.hash = hash};
        snprintf(reason->text, sizeof reason->text, "%.*s", STR_ARG(text));
        if (tally->nreasons == TALLY_REASONS)
            snprintf(reason->text, sizeof reason->text, "other reasons");
    }
    reason->count++;
    /* The frequent ones are found early: millions of links are left out for one of a few reasons. */
    if (i && i < TALLY_REASONS - 1 && reason->count > 2 * tally->reasons[i / 2].count) {
        struct tally_reason other = tally->reasons[i / 2];

        tally->reasons[i / 2] = *reason;
        tally->reasons[i] = other;
    }
}

void tally_url(struct tally *tally, enum store_url_state state, struct str error)
{
    if (state == STORE_QUEUED)
        return;
    if (state != STORE_SEEN)
        tally->urls[state]++;
    if (error.len && state != STORE_FETCHED)
        count_reason(tally, error);
}

void tally_rows(struct tally *tally, const struct rows *rows, bool again)
{
    for (size_t i = 0; i < rows->nadded; i++)
        tally_url(tally, rows->added[i].state, rows->added[i].error);
    for (size_t i = 0; i < rows->nchanged; i++)
        if (!again || rows->changed[i].state != STORE_FETCHED)
            tally_url(tally, rows->changed[i].state, rows->changed[i].error);
    tally->links += rows->nlinks;
}

static int order_by_count(const void *a, const void *b)
{
    const struct snapshot_reason *x = a, *y = b;

    return (x->count < y->count) - (x->count > y->count);
}

scent_status tally_reasons(const struct tally *tally, struct arena *arena, struct snapshot_reason **out, size_t *count)
{
    struct snapshot_reason *reasons = arena_array(arena, tally->nreasons + 1, sizeof *reasons);

    if (!reasons)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < tally->nreasons; i++) {
        reasons[i].text = arena_str(arena, str_of(tally->reasons[i].text));
        reasons[i].count = tally->reasons[i].count;
        if (!reasons[i].text.p)
            return SCENT_E_NOMEM;
    }
    qsort(reasons, tally->nreasons, sizeof *reasons, order_by_count);
    *out = reasons;
    *count = tally->nreasons < SNAPSHOT_REASONS ? tally->nreasons : SNAPSHOT_REASONS;
    return SCENT_OK;
}

/* ---- pages ---- */

void tally_page(struct tally *tally, uint32_t judge, bool relevant)
{
    bool *place = &tally->recent[tally->nrecent % SNAPSHOT_RECENT];

    if (judge > tally->judge) {
        tally->judge = judge;
        tally->judged = 0;
    }
    tally->judged += judge == tally->judge;
    if (tally->nrecent >= SNAPSHOT_RECENT)
        tally->recent_relevant -= *place;
    *place = relevant;
    tally->recent_relevant += relevant;
    tally->nrecent++;
}

static void advance(struct tally *tally, int64_t second)
{
    while (tally->second < second) {
        if (second - tally->second > TALLY_SECONDS)
            tally->second = second - TALLY_SECONDS - 1;
        tally->by_second[++tally->second % (TALLY_SECONDS + 1)] = 0;
    }
}

void tally_speed(struct tally *tally, int64_t now)
{
    advance(tally, now / SECOND);
    tally->by_second[now / SECOND % (TALLY_SECONDS + 1)]++;
}

/* Of whole seconds: the one that has just begun does not count. */
double tally_pages_per_s(const struct tally *tally, int64_t now, int64_t since)
{
    int64_t newest = now / SECOND, seconds = newest - since / SECOND;
    uint64_t pages = 0;

    if (seconds > TALLY_SECONDS)
        seconds = TALLY_SECONDS;
    for (int64_t second = newest - seconds; second < newest; second++)
        if (second <= tally->second && second > tally->second - TALLY_SECONDS - 1)
            pages += tally->by_second[second % (TALLY_SECONDS + 1)];
    return seconds > 0 ? (double)pages / (double)seconds : 0;
}
