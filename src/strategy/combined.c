/* combined - people and links together (Aggarwal, section 4): the candidates of `collaborative`, and the links of
 * relevant pages. The priority is log I^C + log I^L, where I^L is what `intelligent` says; either is 0 where it knows
 * nothing of a URL. Both learn from every page.
 *
 * State: that of the two. Own bytes: those of the two. */
#include "strategy/collaborative.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"
#include "strategy/usercounts.h"

#include <math.h>
#include <stdlib.h>

enum { VERSION = 1, LEARNED = 1 };

struct combined {
    struct collaborative *people;
    void *links; /* the state of `intelligent` */
    struct topic topic; /* as both read it: with the `rescore` of this strategy, whose default is another one */
    struct topic_option *given;
};

static const struct strategy_ops *const by_people = &strategy_collaborative, *const by_links = &strategy_intelligent;

static const struct strategy_option options[] = {
    {"preset", "ours", "ours, or paper: as printed, of both collaborative and intelligent", OPTION_TEXT},
    {"significance", "2", "t: standard deviations from which a user, a signature of pages, a word or a token counts",
     OPTION_TEXT},
    {"rescore", "never", "candidates are scored again: never (but when they are found again), bounded or always (after "
     "each page, all of them)", OPTION_TEXT},
    {"user_n", "all", "as collaborative: all or event", OPTION_TEXT},
    {"users", "20", "as collaborative: so many of a page's users count", OPTION_TEXT},
    {"signatures", "words", "as collaborative: words or categories", OPTION_TEXT},
    {"locality", "5", "as collaborative: accesses before and after one that are near it", OPTION_TEXT},
    {"support", "3", "pages on which a word, token or signature must have occurred before it counts", OPTION_TEXT},
    {"clip", "3", "the largest logarithm of one word, token, user, signature or count of siblings; 0: no bound",
     OPTION_TEXT},
    {"smoothing", "1", "pages that draw each probability to that of the crawl; 0: none", OPTION_TEXT},
    {"memory", "bounded", "as both: bounded or all", OPTION_TEXT},
    {"seeds", "one", "as intelligent: one or each", OPTION_TEXT},
    {"n", "event", "as intelligent: event or relevant", OPTION_TEXT},
    {"tokens", "plain", "as intelligent: plain or fine", OPTION_TEXT},
    {"siblings", "significant", "as intelligent: significant, both or above", OPTION_TEXT},
    {"weights", "balanced", "as intelligent: equal, balanced or manual", OPTION_TEXT},
    {"content", "1", "as intelligent: with weights: manual", OPTION_TEXT},
    {"url", "1", "as intelligent: with weights: manual", OPTION_TEXT},
    {"links", "1", "as intelligent: with weights: manual", OPTION_TEXT},
    {"sibling", "1", "as intelligent: with weights: manual", OPTION_TEXT},
    {0},
};

static void prepare_topic(struct combined *co, const struct topic *topic)
{
    co->given = calloc(topic->noptions + 1, sizeof *co->given);
    SCENT_BUG_IF(!co->given);
    co->given[0] = (struct topic_option){STR("rescore"), option_text(options, topic, "rescore")};
    co->topic = *topic;
    co->topic.options = co->given;
    co->topic.noptions = 1;
    for (size_t i = 0; i < topic->noptions; i++)
        if (!str_eq(topic->options[i].key, co->given[0].key))
            co->given[co->topic.noptions++] = topic->options[i];
}

static void close_state(void *state)
{
    struct combined *co = state;

    if (co->people)
        by_people->close(co->people);
    if (co->links)
        by_links->close(co->links);
    free(co->given);
    free(co);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct combined *co = calloc(1, sizeof *co);
    struct strategy_context own = *context;
    scent_status status;

    SCENT_BUG_IF(!co || by_links->own_bytes + COLLABORATIVE_OWN > STRATEGY_OWN_BYTES);
    prepare_topic(co, context->topic);
    own.topic = &co->topic;
    status = collaborative_open("combined", &own, &co->people, err);
    own.ops = by_links;
    if (status == SCENT_OK)
        status = by_links->open(&own, &co->links, err);
    if (status == SCENT_OK)
        *state = co;
    else
        close_state(co);
    return status;
}

/* ---- two scores, and one of them ---- */

static struct strategy_score links_part(const struct strategy_score *both)
{
    struct strategy_score part = {.priority = NAN}; /* whatever it says now is new */

    memcpy(part.own, both->own + COLLABORATIVE_OWN, STRATEGY_OWN_BYTES - COLLABORATIVE_OWN);
    return part;
}

/* What `links` says is added to what `out` has of people. */
static void add_links(const struct strategy_score *links, struct strategy_score *out)
{
    out->priority += links->priority;
    memcpy(out->own + COLLABORATIVE_OWN, links->own, STRATEGY_OWN_BYTES - COLLABORATIVE_OWN);
    for (unsigned i = 0; i < links->nparts && out->nparts < STRATEGY_PARTS; i++)
        out->parts[out->nparts++] = links->parts[i];
}

/* *score comes in as kept; false: neither knows anything of it. Its parts are complete where it is `told`. */
static bool judge(struct combined *co, uint32_t id, uint32_t place, bool told, struct strategy_score *score)
{
    struct strategy_score links = links_part(score);
    bool knows = id != STRATEGY_UNKNOWN && (told ? by_links->explain : by_links->rescore)(co->links, id, &links);

    if (!knows && place == USERCOUNTS_NONE)
        return false;
    collaborative_judge(co->people, place, score);
    if (knows)
        add_links(&links, score);
    return true;
}

/* ---- the calls ---- */

static struct strategy_visit links_visit(const struct strategy_visit *visit, uint8_t own[STRATEGY_OWN_BYTES])
{
    struct strategy_visit view = *visit;

    memset(own, 0, STRATEGY_OWN_BYTES);
    memcpy(own, visit->own + COLLABORATIVE_OWN, STRATEGY_OWN_BYTES - COLLABORATIVE_OWN);
    view.own = own;
    return view;
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct combined *co = state;
    uint8_t own[STRATEGY_OWN_BYTES];
    struct strategy_visit view = links_visit(visit, own);

    by_people->observe(co->people, visit);
    by_links->observe(co->links, &view);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct combined *co = state;
    uint8_t own[STRATEGY_OWN_BYTES];
    struct strategy_visit view = links_visit(visit, own);
    uint32_t place = collaborative_find(co->people, &visit->page->links[link].url);
    struct strategy_score links = {0};

    by_links->score(co->links, &view, link, &links);
    *out = (struct strategy_score){0};
    collaborative_judge(co->people, place, out);
    add_links(&links, out);
    out->drop = !visit->judgement->relevant;
    if (place != USERCOUNTS_NONE)
        collaborative_know(co->people, place, visit->targets[link], false);
}

/* From all that is known by now, wherever it was found again. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score_)
{
    struct combined *co = state;
    uint32_t place = collaborative_kept(co->people, score_->own);

    if (place == USERCOUNTS_NONE)
        place = collaborative_kept(co->people, kept->own);
    if (!judge(co, id, place, true, score_))
        *score_ = *kept;
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct combined *co = state;
    size_t first = by_links->stale(co->links, ids, room), second;

    if (first == room)
        return first;
    if (first == STRATEGY_ALL) { /* with all of them, those of the other are done too */
        while (by_people->stale(co->people, ids, room) == room)
            ;
        return first;
    }
    second = by_people->stale(co->people, ids + first, room - first);
    return second == STRATEGY_ALL ? second : first + second;
}

static bool judge_again(struct combined *co, uint32_t id, bool told, struct strategy_score *kept)
{
    return judge(co, id, collaborative_candidate(co->people, id, kept->own), told, kept);
}

static bool explain(void *state, uint32_t id, struct strategy_score *kept)
{
    return judge_again(state, id, true, kept);
}

static bool rescore(void *state, uint32_t id, struct strategy_score *kept)
{
    float before = kept->priority;

    return judge_again(state, id, false, kept) && kept->priority != before;
}

/* A page of the trace that a link named before has both. */
static bool propose(void *state, bool nothing_left, struct strategy_proposal *out)
{
    struct combined *co = state;
    uint32_t place;

    if (!by_people->propose(co->people, nothing_left, out))
        return false;
    place = collaborative_kept(co->people, out->score.own);
    (void)judge(co, collaborative_id(co->people, place), place, true, &out->score);
    return true;
}

static void proposed(void *state, uint32_t id, bool queued)
{
    by_people->proposed(((struct combined *)state)->people, id, queued);
}

/* ---- keeping ---- */

static scent_status save(void *state, struct buf *out)
{
    struct combined *co = state;

    buf_addc(out, VERSION);
    SCENT_TRY(saved_put_part(by_people->save, co->people, out));
    return saved_put_part(by_links->save, co->links, out);
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct combined *co = state;
    struct str people, links;
    struct bytes in;

    SCENT_TRY(saved_open("combined", VERSION, blob, &in, err));
    people = saved_get_part(&in);
    links = saved_get_part(&in);
    SCENT_TRY(saved_end("combined", &in, err));
    SCENT_TRY(by_people->load(co->people, people, err));
    return by_links->load(co->links, links, err);
}

/* ---- for other crawls ---- */

static scent_status learned(void *state, struct buf *out)
{
    struct combined *co = state;

    saved_begin_learned(out, LEARNED, "people and links");
    SCENT_TRY(saved_put_part(by_people->learned, co->people, out));
    return saved_put_part(by_links->learned, co->links, out);
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct combined *co = state;
    struct bytes in = bytes_of(blob);
    struct str people, links;

    SCENT_TRY(saved_open_learned("combined", LEARNED, "people and links", &in, err));
    people = saved_get_part(&in);
    links = saved_get_part(&in);
    SCENT_TRY(saved_end_learned("combined", &in, err));
    for (int look = 1; look >= 0; look--) { /* both are sound before either is added */
        SCENT_TRY(by_people->recall(co->people, people, look ? 0 : weight, err));
        SCENT_TRY(by_links->recall(co->links, links, look ? 0 : weight, err));
    }
    return SCENT_OK;
}

const struct strategy_ops strategy_combined = {
    .name = "combined",
    .summary = "collaborative and intelligent together: follows people, and the links of relevant pages",
    .paper = "Aggarwal, On Learning Strategies for Topic Specific Web Crawling",
    .idle_threshold = "what is found first has 0 and keeps it; 0 leaves out what the evidence speaks against",
    .options = options,
    .wants = JUDGE_CLASSES,
    .trace = STRATEGY_NEEDS,
    .own_bytes = STRATEGY_OWN_BYTES,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .merge = merge,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .propose = propose,
    .proposed = proposed,
    .save = save,
    .load = load,
    .learned = learned,
    .recall = recall,
};
