#include "engine/retries.h"

#include "base/vec.h"

#include <stdlib.h>

void retries_release(struct retries *retries)
{
    for (size_t i = 0; i < retries->count; i++)
        free((char *)retries->heap[i].href.p);
    free(retries->heap);
    *retries = (struct retries){0};
}

/* Puts `retry` into the gap at `i`, or further up: its parents that are due later move down. */
static void sift_up(struct retry *heap, size_t i, struct retry retry)
{
    while (i && heap[(i - 1) / 2].due > retry.due) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = retry;
}

bool retries_add(struct retries *retries, const struct steer_visit *visit, struct str href, int64_t due, int64_t idle)
{
    struct retry retry = {.due = due, .idle = idle, .visit = *visit};
    char *copy;

    if (retries->count == RETRIES_MAX ||
        !vec_reserve(&retries->heap, &retries->room, retries->count + 1, sizeof *retries->heap))
        return false;
    copy = malloc(href.len + 1);
    if (!copy)
        return false;
    memcpy(copy, href.p, href.len);
    retry.href = (struct str){copy, href.len};
    sift_up(retries->heap, retries->count++, retry);
    return true;
}

/* The last one fills the gap at the top: the earlier of two children moves up until it fits. */
static void remove_first(struct retries *retries)
{
    struct retry *heap = retries->heap, last = heap[--retries->count];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < retries->count) {
        child += child + 1 < retries->count && heap[child + 1].due < heap[child].due;
        if (heap[child].due >= last.due)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
}

/* With nothing else to do, those that may come now become due; the heap is made anew. */
static void hurry(struct retries *retries, int64_t now)
{
    struct retry *heap = retries->heap;

    for (size_t i = 0; i < retries->count; i++) {
        struct retry retry = heap[i];

        if (retry.idle <= now)
            retry.due = retry.idle;
        sift_up(heap, i, retry);
    }
}

scent_status retries_queue_due(struct retries *retries, struct frontier *frontier, int64_t now, bool idle)
{
    if (idle)
        hurry(retries, now);
    while (retries->count && retries->heap[0].due <= now) {
        struct retry retry = retries->heap[0];

        frontier_reopen(frontier, retry.visit.id);
        SCENT_TRY(frontier_queue(frontier, retry.visit.id, retry.href, retry.visit.host, &retry.visit.candidate));
        remove_first(retries);
        free((char *)retry.href.p);
    }
    return SCENT_OK;
}

void retries_drop(struct retries *retries, bool (*gone)(void *ctx, const struct steer_visit *visit), void *ctx)
{
    size_t count = retries->count;

    retries->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct retry retry = retries->heap[i];

        if (gone(ctx, &retry.visit))
            free((char *)retry.href.p);
        else
            sift_up(retries->heap, retries->count++, retry);
    }
}
