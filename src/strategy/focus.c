/* soft-focus, hard-focus - a link is as good as its page, by the sum of the page's probabilities over the target
 * classes (Chakrabarti). Hard focus follows the links of a page only if its best class is a target, or, with `by:
 * probability`, if the target classes have half of the probability. With `hubs` the distiller raises the links of the
 * best hubs. */
#include "strategy/guided.h"
#include "strategy/linkgraph.h"
#include "strategy/option.h"
#include "strategy/strategies.h"

#include <stdlib.h>

enum { HUBS_MAX = 64 };

struct focus {
    struct guided guided;
    struct distiller distiller;
    bool hard, by_probability;
    bool refuses;     /* the page whose links are being scored */
    uint64_t decided; /* its number */
};

#define HUBS_OPTION                                                                               \
    {"hubs", "0", "the distiller: links of so many best hubs are raised, up to 64; 0: it is off", \
     OPTION_WHOLE(struct focus, distiller.hubs, 0, HUBS_MAX)}

static const struct strategy_option soft_options[] = {
    HUBS_OPTION,
    {0},
};
static const struct strategy_option hard_options[] = {
    {"by", "class",
     "whose links are followed: class (pages whose best class is a target) or probability (pages of which the targets "
     "have half)",
     OPTION_EITHER(struct focus, by_probability, "class", "probability")},
    HUBS_OPTION,
    {0},
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct focus *focus;
    scent_status status;

    SCENT_TRY(option_new_state(context, sizeof *focus, state, err));
    focus = *state;
    focus->hard = context->ops == &strategy_hard_focus;
    status = guided_init(&focus->guided, context, err);
    if (status != SCENT_OK)
        free(focus);
    return status;
}

static void close_state(void *state)
{
    struct focus *focus = state;

    guided_release(&focus->guided);
    distiller_release(&focus->distiller);
    free(focus);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct focus *focus = state;

    distiller_observe(&focus->distiller, visit, guided_page(visit));
}

/* At the first link and not in observe(): a copy of a page is scored without being observed. */
static void decide(struct focus *focus, const struct strategy_visit *visit, uint32_t link)
{
    if (!focus->hard || (link > 0 && focus->decided == visit->number))
        return;
    focus->refuses = focus->by_probability ? guided_page(visit) < .5
                                           : !focus->guided.wanted[guided_best_class(&focus->guided, visit->page)];
    focus->decided = visit->number;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct focus *focus = state;
    double page = guided_page(visit);

    decide(focus, visit, link);
    *out = (struct strategy_score){
        .priority = (float)page,
        .drop = focus->refuses,
        .nparts = focus->hard ? 2 : 1,
        .parts = {{.name = "probability of the page", .value = page},
                  {.name = "page of a target class", .value = !focus->refuses}},
    };
    (void)distiller_explain(&focus->distiller, visit->targets[link], out);
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    return distiller_stale(&((struct focus *)state)->distiller, ids, room);
}

static bool rescore(void *state, uint32_t id, struct strategy_score *score)
{
    return distiller_rescore(&((struct focus *)state)->distiller, id, score);
}

/* What a hub gave it. Of the page with its best link nothing is kept but the number. */
static bool explain(void *state, uint32_t id, struct strategy_score *score)
{
    return distiller_explain(&((struct focus *)state)->distiller, id, score);
}

static scent_status save(void *state, struct buf *out)
{
    return distiller_save(&((struct focus *)state)->distiller, out);
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    return distiller_load(&((struct focus *)state)->distiller, blob, err);
}

static const char *undivided(void *state)
{
    return ((const struct focus *)state)->distiller.hubs ? "with hubs, hubs are found among the links of all pages"
                                                         : NULL;
}

/* What both strategies have in common. */
#define FOCUS_OPS                                                                                                  \
    .paper = "Chakrabarti, van den Berg and Dom 1999, Focused Crawling", .wants = JUDGE_CLASSES,                   \
    .paper_model = guided_paper_bayes, .paper_leaf = GUIDED_PAPER_LEAF,                                            \
    .open = open_state, .close = close_state, .observe = observe, .score = score, .stale = stale,                  \
    .rescore = rescore, .explain = explain, .undivided = undivided, .save = save, .load = load

const struct strategy_ops strategy_soft_focus = {
    .name = "soft-focus",
    .summary = "the sum of the page's probabilities over the target classes of the taxonomy",
    .options = soft_options,
    FOCUS_OPS,
};

const struct strategy_ops strategy_hard_focus = {
    .name = "hard-focus",
    .summary = "links of pages whose best class is a target, and no others",
    .options = hard_options,
    FOCUS_OPS,
};
