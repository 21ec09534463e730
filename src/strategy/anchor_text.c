/* anchor-text - the words of the anchor, the words around it and the linking page, by the topic's own words: its query,
 * the words of its predicate, or its seeds (aim.h).
 *
 * It is the neighbourhood score of shark without what is handed down from page to page, and so can be fused with a
 * strategy that learns: at the start of a crawl nothing was learned yet, and anchors that name the topic lead to it. */
#include "strategy/aim.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include <stdlib.h>

enum { VERSION = 1 };

struct anchor_text {
    struct aim aim;
    double page, anchor; /* weights */
    uint32_t words;
    uint64_t number;     /* of the visit that is being scored, */
    uint32_t id;
    double page_likeness; /* and what its page says */
};

static const struct strategy_option options[] = {
    {"anchor", "0.6", "the weight of the anchor text", OPTION_NUMBER(struct anchor_text, anchor, 0, 1)},
    {"page", "0.2", "the weight of the linking page; the words around the link have the rest",
     OPTION_NUMBER(struct anchor_text, page, 0, 1)},
    {"words", "20", "words around the link, half of them before the anchor and half after; the anchor comes on top",
     OPTION_WHOLE(struct anchor_text, words, 0, 100000)},
    {0},
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct anchor_text *own;

    SCENT_TRY(option_new_state(context, sizeof *own, state, err));
    own = *state;
    if (own->anchor + own->page > 1) {
        free(own);
        return errmsg_fail(err, SCENT_E_INVALID, "anchor-text: anchor and page weigh more than 1 together");
    }
    aim_init(&own->aim, context->topic, true);
    return SCENT_OK;
}

static void close_state(void *state)
{
    struct anchor_text *own = state;

    aim_release(&own->aim);
    free(own);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct anchor_text *own = state;

    aim_observe(&own->aim, visit);
    own->number = 0; /* a seed is like itself */
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct anchor_text *own = state;
    double anchor = aim_context(&own->aim, visit, context_anchor(visit->page, link));
    double around = aim_context(&own->aim, visit, context_window(visit->page, link, own->words));
    double rest = 1 - own->anchor - own->page;

    if (own->number != visit->number || own->id != visit->id) {
        own->number = visit->number;
        own->id = visit->id;
        own->page_likeness = aim_page(&own->aim, visit);
    }
    *out = (struct strategy_score){
        .priority = (float)(own->anchor * anchor + rest * around + own->page * own->page_likeness),
        .nparts = 3,
        .parts = {{.name = "likeness of the anchor", .value = anchor, .weight = (float)own->anchor},
                  {.name = "likeness of the words around it", .value = around, .weight = (float)rest},
                  {.name = "likeness of the page", .value = own->page_likeness, .weight = (float)own->page}},
    };
}

static scent_status save(void *state, struct buf *out)
{
    const struct anchor_text *own = state;

    buf_addc(out, VERSION);
    aim_save(&own->aim, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct anchor_text *own = state;
    struct bytes in;

    SCENT_TRY(saved_open("anchor-text", VERSION, blob, &in, err));
    SCENT_TRY(aim_load(&own->aim, &in, err));
    return saved_end("anchor-text", &in, err);
}

const struct strategy_ops strategy_anchor_text = {
    .name = "anchor-text",
    .summary = "the anchor, the words around it and the page, by the query, the predicate's words or the seeds",
    .paper = "after Hersovici et al. 1998, The Shark-Search Algorithm",
    .options = options,
    .wants = JUDGE_QUERY,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .adopt = strategy_adopt_judgements,
    .save = save,
    .load = load,
};
