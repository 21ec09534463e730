/* opic - importance while crawling: every page has cash, and a page that is fetched divides its cash among the pages
 * that it links to (Abiteboul, Preda and Cobena). The URL with the most cash is fetched next.
 *
 * A seed begins with 1, every other page with nothing: the number of pages, by which the paper divides the first cash,
 * is not known here [R]. Links to one target count once, those to the page itself not at all. Cash that flows back to a
 * fetched page waits there for a further visit, as in the paper; a page without links keeps its own.
 * State: 24 bytes a URL. The work is one step a link. */
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/vec.h"

#include <stdlib.h>

enum { VERSION = 1 };

struct opic {
    struct opic_url {
        double cash;     /* since it was fetched, if it was */
        double spent;    /* what it had when it was fetched */
        uint32_t payers; /* pages that paid it something */
        uint32_t paid;   /* while a page pays: it is among those that get something */
    } *urls;             /* by id */
    size_t count, room;
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    (void)context, (void)err;
    *state = calloc(1, sizeof(struct opic));
    SCENT_BUG_IF(!*state);
    return SCENT_OK;
}

static void close_state(void *state)
{
    struct opic *opic = state;

    free(opic->urls);
    free(opic);
}

static struct opic_url *know(struct opic *opic, uint32_t id)
{
    SCENT_BUG_IF(!vec_reserve(&opic->urls, &opic->room, (size_t)id + 1, sizeof *opic->urls));
    while (opic->count <= id)
        opic->urls[opic->count++] = (struct opic_url){0};
    return &opic->urls[id];
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct opic *opic = state;
    struct opic_url *self = know(opic, visit->id);
    double cash = self->cash + (visit->seed ? 1 : 0);
    uint32_t payees = 0;

    for (uint32_t i = 0; i < visit->page->nlinks; i++) {
        uint32_t id = visit->targets[i];

        if (id == STRATEGY_UNKNOWN || id == visit->id || know(opic, id)->paid)
            continue;
        opic->urls[id].paid = 1;
        payees++;
    }
    opic->urls[visit->id].cash = payees ? 0 : cash;
    opic->urls[visit->id].spent = cash;
    for (uint32_t i = 0; i < visit->page->nlinks; i++) {
        uint32_t id = visit->targets[i];

        if (id == STRATEGY_UNKNOWN || id == visit->id || !opic->urls[id].paid)
            continue;
        opic->urls[id].paid = 0;
        opic->urls[id].payers++;
        opic->urls[id].cash += cash / payees;
    }
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    const struct opic *opic = state;
    uint32_t id = visit->targets[link];
    struct opic_url url = id < opic->count ? opic->urls[id] : (struct opic_url){0};
    double cash = url.spent > 0 ? url.spent : url.cash; /* of a fetched page people ask what it was chosen with */

    *out = (struct strategy_score){
        .priority = (float)cash,
        .nparts = 2,
        .parts = {{.name = "cash (a seed begins with 1)", .value = cash},
                  {.name = "pages that gave it some", .value = url.payers}},
    };
}

/* The new score knows all that was paid so far. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    (void)state, (void)id, (void)kept, (void)score;
}

static scent_status save(void *state, struct buf *out)
{
    const struct opic *opic = state;

    buf_addc(out, VERSION);
    bytes_put(out, opic->count, 8);
    for (size_t i = 0; i < opic->count; i++) {
        bytes_put_double(out, opic->urls[i].cash);
        bytes_put_double(out, opic->urls[i].spent);
        bytes_put(out, opic->urls[i].payers, 4);
    }
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct opic *opic = state;
    struct bytes in;
    uint64_t count;

    SCENT_TRY(saved_open("opic", VERSION, blob, &in, err));
    count = bytes_get(&in, 8);
    if (bytes_check(&in, count <= UINT32_MAX, "it has too many URLs") && bytes_has(&in, count, 20) && count)
        (void)know(opic, (uint32_t)(count - 1));
    for (size_t i = 0; i < opic->count; i++) {
        opic->urls[i].cash = bytes_get_double(&in);
        opic->urls[i].spent = bytes_get_double(&in);
        opic->urls[i].payers = (uint32_t)bytes_get(&in, 4);
        bytes_check(&in, opic->urls[i].cash >= 0, "cash is negative");
    }
    return saved_end("opic", &in, err);
}

const struct strategy_ops strategy_opic = {
    .name = "opic",
    .summary = "the URL to which the pages so far hand on the most cash",
    .paper = "Abiteboul, Preda and Cobena 2003, Adaptive On-Line Page Importance Computation",
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .merge = merge,
    .whole_graph = "cash is handed on over the links of all pages",
    .save = save,
    .load = load,
};
