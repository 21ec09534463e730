/* fish, shark - children of relevant pages first, and fewer and fewer after pages that are not relevant.
 *
 * fish (De Bra): of a relevant page the first 1.5 * width links get potential 1, of an irrelevant one the first `width`
 * .5, all others 0. Own bytes: the depth left (1).
 * shark (Hersovici et al.): likeness to the topic instead of yes and no, handed down from page to page, and the words
 * around a link. Own bytes: what a child inherits (4), the depth left (1). State: the words of the seeds where the
 * topic has no query, 50 to 100 bytes a distinct stem.
 * Both spend their depth alike: a relevant page feeds its children for `depth` more links, an irrelevant one for one
 * fewer than it had itself. */
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/vec.h"
#include "page/context.h"
#include "topic/query.h"
#include "topic/centroid.h"

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
    if (kept->priority > score->priority)
        score->priority = kept->priority;
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

/* ---- shark: sim(q, text) for any words of a page, 0 where nothing matches, 1 at best ----
 *
 * q is the topic's query, if it has one: (belief - .4)/.6. Else it is the centroid of the seed pages, and sim the
 * cosine; it grows while seeds come in, which is before anything else. */

enum { VERSION = 1, DEPTH = 3 }; /* depth: links that are followed beyond a relevant page */
#define RELEVANT .1 /* a page that is more like the topic than this feeds its children (Hersovici) */

struct shark {
    const struct query *query; /* NULL: by the seeds */
    struct query_scratch *scratch;
    struct centroid seeds;
    struct likeness likeness; /* to the seeds so far */
    struct text_weight *items;
    size_t room;
    double inherit, anchor, mix;
    uint32_t window;
    /* of the page that is being scored */
    uint64_t number;
    uint32_t id;
    uint8_t children; /* the depth that it gives */
    bool dead;        /* none of its links is followed */
    float inherited;  /* what its links inherit */
};

static void renew_likeness(struct shark *shark)
{
    likeness_release(&shark->likeness);
    likeness_init(&shark->likeness, &shark->seeds);
}

static void learn_seed(struct shark *shark, const struct page *page)
{
    if (centroid_add_page(&shark->seeds, page) == SCENT_OK)
        renew_likeness(shark); /* without memory the seeds so far stay the aim */
}

static double likeness_of_belief(double belief)
{
    double share = (belief - .4) / .6;

    return share > 0 ? share : 0;
}

static double likeness_of_visit(struct shark *shark, const struct strategy_visit *visit)
{
    return shark->query ? likeness_of_belief(visit->judgement->query) : likeness_of(&shark->likeness, visit->page);
}

static double likeness_of_context(struct shark *shark, const struct strategy_visit *visit, struct context context)
{
    struct text_vector bag;

    if (shark->query) {
        struct query_text text = query_text_range(visit->page, context.first, context.end);

        return likeness_of_belief(query_belief(shark->query, visit->judgement->stats, &text, shark->scratch));
    }
    SCENT_BUG_IF(!vec_reserve(&shark->items, &shark->room, context.end - context.first, sizeof *shark->items));
    bag = context_bag(visit->page, context, NULL, shark->items);
    return likeness_of_bag(&shark->likeness, &bag);
}

/* ---- shark: the strategy ---- */

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
    shark->query = context->topic->query;
    centroid_init(&shark->seeds);
    likeness_init(&shark->likeness, NULL);
    shark->scratch = shark->query ? malloc(sizeof *shark->scratch) : NULL;
    SCENT_BUG_IF(shark->query && !shark->scratch);
    return SCENT_OK;
}

static void close_shark(void *state)
{
    struct shark *shark = state;

    centroid_release(&shark->seeds);
    likeness_release(&shark->likeness);
    free(shark->scratch);
    free(shark->items);
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
    sim = likeness_of_visit(shark, visit);
    shark->inherited = (float)(shark->inherit * (sim > 0 ? sim : (double)inherited));
    shark->dead = !feed_children(visit, sim > RELEVANT, visit->own[sizeof(float)], DEPTH, &shark->children);
}

static void observe_shark(void *state, const struct strategy_visit *visit)
{
    struct shark *shark = state;

    if (visit->seed && !shark->query)
        learn_seed(shark, visit->page);
    examine_shark(shark, visit);
}

static void score_shark(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct shark *shark = state;
    double anchor = likeness_of_context(shark, visit, context_anchor(visit->page, link));
    double context =
        anchor > 0 ? 1 : likeness_of_context(shark, visit, context_window(visit->page, link, shark->window));
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

/* The words of the seeds. */
static scent_status save_shark(void *state, struct buf *out)
{
    const struct shark *shark = state;

    buf_addc(out, VERSION);
    for (size_t i = 0; i < shark->seeds.count; i++)
        if (shark->seeds.items[i].weight != 0) {
            bytes_put(out, shark->seeds.items[i].stem, 8);
            bytes_put_double(out, shark->seeds.items[i].weight);
        }
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load_shark(void *state, struct str blob, struct errmsg *err)
{
    struct shark *shark = state;
    scent_status status = SCENT_OK;
    struct bytes in;

    SCENT_TRY(saved_open("shark", VERSION, blob, &in, err));
    while (status == SCENT_OK && bytes_left(&in) && !in.wrong) {
        struct text_weight item = {.stem = bytes_get(&in, 8)};

        item.weight = bytes_get_double(&in);
        if (bytes_check(&in, item.weight > 0 && item.weight < 1e12, "a weight is out of range"))
            status = centroid_add(&shark->seeds, &(struct text_vector){&item, 1});
    }
    SCENT_TRY(saved_end("shark", &in, err));
    if (status == SCENT_OK)
        renew_likeness(shark);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "no memory for the words of the seeds");
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
