/* shark - fish with teeth: likeness instead of yes and no, handed down from page to page, and the words around a link
 * (Hersovici et al.).
 *
 * Own bytes: what a child inherits (4), the depth left (1). State: the words of the seeds where the topic has no
 * query. */
#include "strategy/aim.h"
#include "strategy/classics.h"
#include "strategy/fish.h"
#include "strategy/option.h"
#include "strategy/saved.h"

#include <stdlib.h>

enum { VERSION = 1 };

struct shark {
    struct aim aim;
    double inherit, anchor, mix, relevant;
    uint32_t depth, window;
    double sim;        /* of the page that is being scored */
    uint8_t children;  /* the depth that it gives */
    bool dead;         /* none of its links is followed */
    float inherited;   /* what its links inherit */
};

static const struct strategy_option options[] = {
    {"inherit", "0.5", "d: the share of a page's likeness that its links inherit"},
    {"anchor", "0.8", "b: the weight of the anchor text against the words around it"},
    {"mix", "0.5", "g: the weight of what is inherited against the neighbourhood"},
    {"relevant", "0.1", "a page that is more like the topic than this feeds its children"},
    {"depth", "3", "links that are followed beyond a relevant page"},
    {"window", "40", "words around the link"},
    {0},
};

static scent_status read_options(const struct topic *topic, struct shark *shark, struct errmsg *err)
{
    const struct strategy_ops *ops = &strategy_shark;
    scent_status status = option_double(ops, topic, "inherit", 0, 1, &shark->inherit, err);

    if (status == SCENT_OK)
        status = option_double(ops, topic, "anchor", 0, 1, &shark->anchor, err);
    if (status == SCENT_OK)
        status = option_double(ops, topic, "mix", 0, 1, &shark->mix, err);
    if (status == SCENT_OK)
        status = option_double(ops, topic, "relevant", 0, 1, &shark->relevant, err);
    if (status == SCENT_OK)
        status = option_u32(ops, topic, "depth", 1, 255, &shark->depth, err);
    return status == SCENT_OK ? option_u32(ops, topic, "window", 0, 100000, &shark->window, err) : status;
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct shark *shark = calloc(1, sizeof *shark);
    scent_status status;

    SCENT_BUG_IF(!shark);
    status = read_options(context->topic, shark, err);
    if (status == SCENT_OK) {
        aim_init(&shark->aim, context->topic);
        *state = shark;
    } else {
        free(shark);
    }
    return status;
}

static void close_state(void *state)
{
    struct shark *shark = state;

    aim_release(&shark->aim);
    free(shark);
}

static float inherited_by_page(const struct strategy_visit *visit)
{
    float inherited;

    memcpy(&inherited, visit->own, sizeof inherited);
    return visit->seed ? 0 : inherited;
}

/* What all links of the page have in common. */
static void observe(void *state, const struct strategy_visit *visit)
{
    struct shark *shark = state;
    uint8_t own = fish_depth_of_page(visit, (uint8_t)shark->depth, visit->own[sizeof(float)]);

    aim_observe(&shark->aim, visit);
    shark->sim = aim_page(&shark->aim, visit);
    shark->inherited = (float)(shark->inherit * (shark->sim > 0 ? shark->sim : (double)inherited_by_page(visit)));
    shark->dead = !fish_depth_of_children(shark->sim > shark->relevant, own, (uint8_t)shark->depth, &shark->children);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct shark *shark = state;
    double anchor = aim_context(&shark->aim, visit, context_anchor(visit->page, link));
    double context = anchor > 0 ? 1 : aim_context(&shark->aim, visit, context_window(visit->page, link, shark->window));
    double neighbourhood = shark->anchor * anchor + (1 - shark->anchor) * context;

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
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    uint8_t depth = kept->own[sizeof(float)] > score->own[sizeof(float)] ? kept->own[sizeof(float)]
                                                                         : score->own[sizeof(float)];

    (void)state, (void)id;
    if (kept->priority >= score->priority)
        *score = *kept;
    score->own[sizeof(float)] = depth;
}

static scent_status save(void *state, struct buf *out)
{
    buf_addc(out, VERSION);
    return aim_save(&((struct shark *)state)->aim, out);
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    scent_status status = saved_open("shark", VERSION, &blob, err);

    return status == SCENT_OK ? aim_load(&((struct shark *)state)->aim, blob, err) : status;
}

const struct strategy_ops strategy_shark = {
    .name = "shark",
    .summary = "likeness that is handed down, the anchor and the words around it",
    .paper = "Hersovici et al. 1998, The Shark-Search Algorithm",
    .options = options,
    .wants = JUDGE_QUERY,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .own_bytes = sizeof(float) + 1,
    .score = score,
    .merge = merge,
    .save = save,
    .load = load,
};
