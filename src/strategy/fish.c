/* fish, shark - children of relevant pages first, and fewer and fewer after pages that are not relevant.
 *
 * fish (De Bra): of a relevant page the first 1.5 * width links get potential 1, of an irrelevant one the first `width`
 * .5, all others 0. Own bytes: the depth left (1).
 * shark (Hersovici et al.): likeness to the topic instead of yes and no, handed down from page to page, and the words
 * around a link. Own bytes: what a child inherits (4), the depth left (1). State: the words of the seeds where the
 * topic has no query, 50 to 100 bytes a distinct stem.
 * Both spend their depth alike: a relevant page feeds its children for `depth` more links, an irrelevant one for one
 * fewer than it had itself. */
#include "strategy/aim.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include <stdlib.h>

/* What the children of a page get; false: none is followed. `kept` is the depth that the page was given when it was
 * found; seeds have the whole. */
static bool feed_children(const struct strategy_visit *visit, bool relevant, uint8_t kept, uint8_t whole, uint8_t *out)
{
    uint8_t own = visit->seed ? whole : kept;

    *out = relevant ? whole : own ? (uint8_t)(own - 1) : 0;
    return relevant || own > 0;
}

/* ---- fish ---- */

struct fish {
    uint32_t width, depth;
};

static const struct strategy_option fish_options[] = {
    {"width", "10", "links of an irrelevant page that are followed early; of a relevant one half as many more",
     OPTION_WHOLE(struct fish, width, 1, 100000)},
    {"depth", "3", "links that are followed beyond a relevant page", OPTION_WHOLE(struct fish, depth, 1, 255)},
    {0},
};

static scent_status open_fish(const struct strategy_context *context, void **state, struct errmsg *err)
{
    return option_new_state(context, sizeof(struct fish), state, err);
}

static void score_fish(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    const struct fish *fish = state;
    bool relevant = visit->judgement->relevant;
    uint32_t first = relevant ? fish->width + fish->width / 2 : fish->width;
    double potential = link >= first ? 0 : relevant ? 1 : .5;
    uint8_t depth;

    *out = (struct strategy_score){.priority = (float)potential};
    out->drop = !feed_children(visit, relevant, visit->own[0], (uint8_t)fish->depth, &depth);
    out->own[0] = depth;
    out->nparts = 2;
    out->parts[0] = (struct strategy_part){.name = "potential", .value = potential};
    out->parts[1] = (struct strategy_part){.name = "depth left", .value = depth};
}

/* The larger potential and the larger depth, each for itself. */
static void merge_fish(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    (void)state, (void)id;
    if (kept->priority > score->priority) {
        score->priority = kept->priority;
        score->nparts = 0; /* they are of the other link */
    }
    if (kept->own[0] > score->own[0])
        score->own[0] = kept->own[0];
}

const struct strategy_ops strategy_fish = {
    .name = "fish",
    .summary = "children of relevant pages first; a branch dies after some irrelevant ones",
    .paper = "De Bra and Post 1994, Information Retrieval in the World-Wide Web",
    .options = fish_options,
    .open = open_fish,
    .close = free,
    .own_bytes = 1,
    .score = score_fish,
    .merge = merge_fish,
};

/* ---- shark: sim(q, text) is the likeness to the aim (aim.h) ---- */

enum { VERSION = 1, DEPTH = 3 }; /* depth: links that are followed beyond a relevant page */
#define RELEVANT .1 /* a page that is more like the topic than this feeds its children (Hersovici) */

struct shark {
    struct aim aim;
    double inherit, anchor, mix;
    uint32_t window;
    /* of the page that is being scored */
    uint64_t number;
    uint32_t id;
    uint8_t children; /* the depth that it gives */
    bool dead;        /* none of its links is followed */
    float inherited;  /* what its links inherit */
};

static const struct strategy_option shark_options[] = {
    {"inherit", "0.5", "d: the share of a page's likeness that its links inherit",
     OPTION_NUMBER(struct shark, inherit, 0, 1)},
    {"anchor", "0.8", "b: the weight of the anchor text against the words around it",
     OPTION_NUMBER(struct shark, anchor, 0, 1)},
    {"mix", "0.5", "g: the weight of what is inherited against the neighbourhood",
     OPTION_NUMBER(struct shark, mix, 0, 1)},
    {"window", "40", "words around the link", OPTION_WHOLE(struct shark, window, 0, 100000)},
    {0},
};

static scent_status open_shark(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct shark *shark;

    SCENT_TRY(option_new_state(context, sizeof *shark, state, err));
    shark = *state;
    aim_init(&shark->aim, context->topic, false);
    return SCENT_OK;
}

static void close_shark(void *state)
{
    struct shark *shark = state;

    aim_release(&shark->aim);
    free(shark);
}

/* What all links of the page have in common. */
static void examine_shark(struct shark *shark, const struct strategy_visit *visit)
{
    float inherited = 0;
    double sim;

    shark->number = visit->number;
    shark->id = visit->id;
    if (!visit->seed)
        memcpy(&inherited, visit->own, sizeof inherited);
    sim = aim_page(&shark->aim, visit);
    shark->inherited = (float)(shark->inherit * (sim > 0 ? sim : (double)inherited));
    shark->dead = !feed_children(visit, sim > RELEVANT, visit->own[sizeof(float)], DEPTH, &shark->children);
}

static void observe_shark(void *state, const struct strategy_visit *visit)
{
    struct shark *shark = state;

    aim_observe(&shark->aim, visit);
    examine_shark(shark, visit);
}

static void score_shark(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct shark *shark = state;
    double anchor = aim_context(&shark->aim, visit, context_anchor(visit->page, link));
    double context =
        anchor > 0 ? 1 : aim_context(&shark->aim, visit, context_window(visit->page, link, shark->window));
    double neighbourhood = shark->anchor * anchor + (1 - shark->anchor) * context;

    /* A copy of another page, and one that has changed, are not observed. */
    if (shark->number != visit->number || shark->id != visit->id)
        examine_shark(shark, visit);
    *out = (struct strategy_score){
        .priority = (float)(shark->mix * (double)shark->inherited + (1 - shark->mix) * neighbourhood),
        .drop = shark->dead,
        .nparts = 4,
        .parts = {{.name = "inherited", .value = (double)shark->inherited},
                  {.name = "likeness of the anchor", .value = anchor},
                  {.name = "likeness of the words around it", .value = context},
                  {.name = "depth left", .value = shark->children}},
    };
    memcpy(out->own, &shark->inherited, sizeof shark->inherited);
    out->own[sizeof(float)] = shark->children;
}

/* The larger potential brings what is inherited; the larger depth stays. */
static void merge_shark(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    uint8_t before = kept->own[sizeof(float)], depth = score->own[sizeof(float)];

    (void)state, (void)id;
    if (kept->priority >= score->priority)
        *score = *kept;
    score->own[sizeof(float)] = before > depth ? before : depth;
}

static scent_status save_shark(void *state, struct buf *out)
{
    const struct shark *shark = state;

    buf_addc(out, VERSION);
    aim_save(&shark->aim, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load_shark(void *state, struct str blob, struct errmsg *err)
{
    struct shark *shark = state;
    struct bytes in;

    SCENT_TRY(saved_open("shark", VERSION, blob, &in, err));
    SCENT_TRY(aim_load(&shark->aim, &in, err));
    return saved_end("shark", &in, err);
}

const struct strategy_ops strategy_shark = {
    .name = "shark",
    .summary = "likeness that is handed down, the anchor and the words around it",
    .paper = "Hersovici et al. 1998, The Shark-Search Algorithm",
    .options = shark_options,
    .wants = JUDGE_QUERY,
    .open = open_shark,
    .close = close_shark,
    .observe = observe_shark,
    .own_bytes = sizeof(float) + 1,
    .score = score_shark,
    .merge = merge_shark,
    .save = save_shark,
    .load = load_shark,
};
