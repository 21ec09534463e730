/* collaborative - learns during the crawl whose accesses lead to the predicate (Aggarwal, 8-14), and takes its candidates
 * from what people looked at: links are not followed.
 *
 * The priority is log I^C = log I^B + log I^SF + log I^TL. Candidates are the pages of all users who looked at an examined
 * page; while no page of the crawl is relevant, where it recalled what another one learned of users, and where it has nothing
 * else left, all pages of the trace. Scores drift with every page: `bounded` scores 128 pages of its users again and the
 * next 128 candidates in turn, and everything once, when the first ratio differs from 1; `always` scores all of them after
 * each page; `never` is Figure 1 of the paper: all pages that the examined page's users looked at are scored, and no others.
 *
 * State: crowd.h and prospects.h, at most 34 bytes a page and 95 a user of the trace, 450 a crawled page and 72 a sign; own bytes: the page's
 * number in the trace and a check. A page proposes 4,096 candidates at most (not with `never`); the others come later. */
#include "strategy/collaborative.h"

#include "strategy/aggarwal.h"
#include "strategy/array.h"
#include "strategy/counts.h"
#include "strategy/crowd.h"
#include "strategy/option.h"
#include "strategy/prospects.h"
#include "strategy/saved.h"

#include "base/hash.h"
#include "learn/model.h"

#include <stdio.h>
#include <stdlib.h>

enum { VERSION = 1, LEARNED = 1, MEANING = 64, AT_ONCE = 4096, BESIDE = 128, IN_TURN = 128, LOOKS = 2048 };
enum { NEVER, BOUNDED, ALWAYS };
enum { WORDS, CATEGORIES };

struct collaborative {
    const struct trace *trace;
    const struct model *model; /* of the categories; NULL: words are the signs */
    struct crowd crowd;
    struct prospects prospects;
    unsigned url_flags, rescore;
    struct arena scratch;
    uint64_t relevant; /* pages of this crawl */
    bool recalled;
    uint32_t last;    /* the page that was proposed last */
    uint32_t offered; /* proposals since their last end */
    bool all;         /* everything is stale */
    uint32_t stale[BESIDE + IN_TURN];
    size_t nstale, handed;
};

static const struct strategy_option options[] = {
    {"preset", "ours", "ours, or paper: as printed (user_n: all, users: 1024, rescore: never)"},
    {"significance", "2", "t: standard deviations from which a user, or a sign of pages, counts"},
    {"user_n", "event", "pages that make the deviation: event (those of the user or sign) or all (N, as printed)"},
    {"users", "20", "of a page's users at most so many count, the most significant ones; up to 1024"},
    {"signatures", "words", "what tells what users are like: words of their pages, or categories of the topic's model"},
    {"locality", "5", "accesses before and after one of a relevant page, in one session, that are near it"},
    {"rescore", "bounded", "candidates are scored again: never, bounded or always (after each page, all of them)"},
    {0},
};

/* ---- options ---- */

static scent_status read_choices(const struct strategy_ops *ops, const struct topic *topic, struct collaborative *co,
                                 struct crowd_options *crowd, struct errmsg *err)
{
    enum { CHOICES = 4 };
    static const struct option_preset choices[CHOICES] = {
        {"preset", {"ours", "paper"}, 1},
        {"user_n", {"event", "all"}, 1},
        {"signatures", {"words", "categories"}, WORDS},
        {"rescore", {"never", "bounded", "always"}, NEVER},
    };
    unsigned chosen[CHOICES];
    scent_status status = option_choices(ops, topic, choices, CHOICES, chosen, err);

    if (status != SCENT_OK)
        return status;
    crowd->printed_n = chosen[1];
    crowd->exact = chosen[3] != BOUNDED;
    co->model = chosen[2] == CATEGORIES ? topic->trained : NULL;
    co->rescore = chosen[3];
    if (chosen[0] && !option_is_given(topic, "users"))
        crowd->users = CROWD_USERS_MAX;
    if (chosen[2] == CATEGORIES && !topic->trained)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: signatures: categories needs a model that knows some; add the key "
                           "'taxonomy' or 'examples' to the topic file, or take signatures: words", ops->name);
    return SCENT_OK;
}

static scent_status read_options(const struct strategy_ops *ops, const struct topic *topic, struct collaborative *co,
                                 struct crowd_options *crowd, double *t, struct errmsg *err)
{
    scent_status status = option_u32(ops, topic, "users", 1, CROWD_USERS_MAX, &crowd->users, err);

    if (status == SCENT_OK)
        status = read_choices(ops, topic, co, crowd, err);
    if (status == SCENT_OK)
        status = option_double(ops, topic, "significance", 0, 100, t, err);
    if (status == SCENT_OK)
        status = option_u32(ops, topic, "locality", 0, 100, &crowd->reach, err);
    return status;
}

scent_status collaborative_open(const struct strategy_ops *ops, const struct strategy_context *context,
                                struct collaborative **out, struct errmsg *err)
{
    const struct topic *topic = context->topic;
    struct collaborative *co = calloc(1, sizeof *co);
    struct crowd_options crowd = {0};
    double t = 0;
    scent_status status;

    SCENT_BUG_IF(!co);
    status = read_options(ops, topic, co, &crowd, &t, err);
    if (status == SCENT_OK && !topic->trace)
        status = errmsg_fail(err, SCENT_E_INVALID, "%s learns from what people looked at; name their access logs: "
                             "add 'traces: [access.log]'", ops->name);
    if (status != SCENT_OK) {
        free(co);
        return status;
    }
    co->trace = topic->trace;
    co->url_flags = topic_url_flags(topic);
    co->last = CROWD_NOWHERE;
    arena_init(&co->scratch, 1 << 20);
    crowd_init(&co->crowd, co->trace, &crowd, t);
    prospects_init(&co->prospects, co->trace, co->rescore == NEVER);
    *out = co;
    return SCENT_OK;
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct collaborative *co = NULL;
    scent_status status = collaborative_open(&strategy_collaborative, context, &co, err);

    *state = co;
    return status;
}

static void close_state(void *state)
{
    struct collaborative *co = state;

    crowd_release(&co->crowd);
    prospects_release(&co->prospects);
    arena_release(&co->scratch);
    free(co);
}

/* ---- pages of the trace ---- */

/* A crawl that leaves URLs as they are may have a trace whose URLs were stripped. */
uint32_t collaborative_find(struct collaborative *co, const struct url *url)
{
    uint32_t place = prospects_find(&co->prospects, url->href);
    struct url plain;

    if (place != CROWD_NOWHERE || co->url_flags == trace_options_default().url_flags)
        return place;
    arena_reset(&co->scratch);
    if (url_normalise(&co->scratch, url, trace_options_default().url_flags, &plain) != SCENT_OK)
        return CROWD_NOWHERE;
    return prospects_find(&co->prospects, plain.href);
}

struct own {
    uint32_t page, check; /* page + 1; 0: none */
};

static struct own own_of(const struct collaborative *co, uint32_t place)
{
    return (struct own){place + 1, (uint32_t)crowd_key(trace_url(co->trace, place))};
}

uint32_t collaborative_kept(const struct collaborative *co, const uint8_t *bytes)
{
    struct own own;

    memcpy(&own, bytes, sizeof own);
    if (own.page == 0 || own.page > co->prospects.npages || own_of(co, own.page - 1).check != own.check)
        return CROWD_NOWHERE; /* it never was, or the trace has changed */
    return own.page - 1;
}

uint32_t collaborative_candidate(struct collaborative *co, uint32_t id, const uint8_t *bytes)
{
    struct own own;
    uint32_t place;

    memcpy(&own, bytes, sizeof own);
    if (own.page && own.page <= co->prospects.npages && co->prospects.ids[own.page - 1] == id)
        return own.page - 1; /* no need to read its URL */
    place = collaborative_kept(co, bytes);
    if (place != CROWD_NOWHERE)
        prospects_know(&co->prospects, place, id, true);
    return place;
}

void collaborative_know(struct collaborative *co, uint32_t place, uint32_t id, bool queued)
{
    prospects_know(&co->prospects, place, id, queued);
}

uint32_t collaborative_id(const struct collaborative *co, uint32_t place)
{
    return co->prospects.ids[place];
}

/* ---- learning ---- */

/* The most frequent stems; of equally frequent ones those that come first in the bag. */
static size_t frequent_stems(const struct page *page, uint64_t *signs)
{
    uint32_t tf[CROWD_SIGNS];
    size_t count = 0;

    for (uint32_t i = 0; i < page->nbag; i++) {
        size_t at = count;

        if (count == CROWD_SIGNS && page->bag[i].tf <= tf[CROWD_SIGNS - 1])
            continue;
        while (at && tf[at - 1] < page->bag[i].tf)
            at--;
        count += count < CROWD_SIGNS;
        memmove(signs + at + 1, signs + at, (count - at - 1) * sizeof *signs);
        memmove(tf + at + 1, tf + at, (count - at - 1) * sizeof *tf);
        signs[at] = page->bag[i].stem;
        tf[at] = page->bag[i].tf;
    }
    return count;
}

static size_t signs_of(const struct collaborative *co, const struct strategy_visit *visit, uint64_t *signs)
{
    if (!co->model)
        return frequent_stems(visit->page, signs);
    if (!visit->judgement->classes)
        return 0;
    signs[0] = crowd_key(model_class(co->model, model_best(visit->judgement->classes, model_nclasses(co->model))));
    return 1;
}

static void note_stale(struct collaborative *co, uint32_t place, bool could_learn)
{
    co->nstale = co->handed = 0;
    if (co->rescore == NEVER)
        return;
    if (co->rescore == ALWAYS || could_learn != interest_can_learn(&co->crowd.known)) {
        co->all = true;
        return;
    }
    prospects_begin(&co->prospects);
    if (place != CROWD_NOWHERE)
        co->nstale = prospects_beside(&co->prospects, place, LOOKS, co->stale, BESIDE);
    co->nstale += prospects_turn(&co->prospects, LOOKS, co->stale + co->nstale, IN_TURN);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct collaborative *co = state;
    uint32_t place = collaborative_find(co, &visit->page->url);
    bool could_learn = interest_can_learn(&co->crowd.known);
    uint64_t signs[CROWD_SIGNS];
    size_t nsigns = signs_of(co, visit, signs);

    if (place == CROWD_NOWHERE)
        place = collaborative_kept(co, visit->own); /* what people looked at has moved */
    crowd_learn(&co->crowd, place, visit->judgement->relevant, signs, nsigns);
    co->relevant += visit->judgement->relevant;
    if (place != CROWD_NOWHERE) {
        prospects_know(&co->prospects, place, visit->id, true);
        prospects_examined(&co->prospects, place);
    }
    note_stale(co, place, could_learn);
}

/* ---- scoring ---- */

void collaborative_judge(struct collaborative *co, uint32_t place, struct strategy_score *out)
{
    struct crowd_view view = {0};
    struct own own;

    memcpy(&own, out->own, sizeof own);
    *out = (struct strategy_score){0};
    if (place == CROWD_NOWHERE)
        return;
    crowd_view(&co->crowd, place, &view);
    if (own.page != place + 1)
        own = own_of(co, place);
    memcpy(out->own, &own, sizeof own);
    out->priority = (float)(view.users + view.taste + view.moment);
    out->nparts = COLLABORATIVE_PARTS;
    out->parts[0] = (struct strategy_part){.name = "users", .counted = "users who looked at it tell", .value = view.users,
                                           .count = view.telling, .of = view.visitors, .weight = 1, .is_log = true};
    out->parts[1] = (struct strategy_part){.name = "what its users read", .counted = "telling users have telling signs",
                                           .value = view.taste, .count = view.tasting, .of = view.telling, .weight = 1,
                                           .is_log = true};
    out->parts[2] = (struct strategy_part){
        .name = view.near ? "near relevant accesses" : "far from relevant accesses",
        .counted = view.near ? "crawled pages near relevant accesses are relevant"
                             : "crawled pages far from relevant accesses are relevant",
        .value = view.moment, .count = view.relevant, .of = view.neighbours, .weight = 1, .is_log = true};
}

/* Candidates come from the trace. */
static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    (void)state, (void)visit, (void)link;
    *out = (struct strategy_score){.drop = true};
}

/* What is proposed again has a newer score; a link says nothing. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score_)
{
    (void)state, (void)id;
    if (score_->drop)
        *score_ = *kept;
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct collaborative *co = state;
    size_t count = co->nstale - co->handed;

    /* Proposals come before this: what still waits is of pages that were examined before a restart, and was proposed. */
    if (co->rescore == NEVER)
        prospects_forget_waiting(&co->prospects);
    if (co->all) {
        co->all = false;
        return STRATEGY_ALL;
    }
    count = count < room ? count : room;
    memcpy(ids, co->stale + co->handed, count * sizeof *ids);
    co->handed += count;
    return count;
}

static bool explain(void *state, uint32_t id, struct strategy_score *kept)
{
    struct collaborative *co = state;
    uint32_t place = collaborative_candidate(co, id, kept->own);

    if (place == CROWD_NOWHERE)
        return false;
    collaborative_judge(co, place, kept);
    return true;
}

static bool rescore(void *state, uint32_t id, struct strategy_score *kept)
{
    float before = kept->priority;

    return explain(state, id, kept) && kept->priority != before;
}

/* ---- candidates ---- */

static bool find_next(struct collaborative *co, bool nothing_left)
{
    /* Whatever becomes of them: a log of everything, and a scope of one site, would have all its pages refused at once. */
    if (co->rescore != NEVER && co->offered >= AT_ONCE)
        return false;
    if (co->relevant == 0 || co->recalled)
        prospects_open(&co->prospects);
    if (prospects_next(&co->prospects, &co->last))
        return true;
    if (!nothing_left)
        return false;
    prospects_open(&co->prospects);
    return prospects_next(&co->prospects, &co->last);
}

static bool propose(void *state, bool nothing_left, struct strategy_proposal *out)
{
    struct collaborative *co = state;

    if (!find_next(co, nothing_left)) {
        co->offered = 0;
        return false;
    }
    co->offered++;
    *out = (struct strategy_proposal){.url = trace_url(co->trace, co->last)};
    collaborative_judge(co, co->last, &out->score);
    return true;
}

static void proposed(void *state, uint32_t id, bool queued)
{
    struct collaborative *co = state;

    prospects_know(&co->prospects, co->last, id, queued);
}

/* ---- for other crawls ---- */

/* The options that change what the counts mean. */
static void describe(const struct collaborative *co, char out[MEANING])
{
    snprintf(out, MEANING, "signatures: %s, locality: %u", co->model ? "categories" : "words",
             (unsigned)co->crowd.options.reach);
}

static scent_status learned(void *state, struct buf *out)
{
    struct collaborative *co = state;
    char meaning[MEANING];

    describe(co, meaning);
    counts_put_head(out, LEARNED, meaning);
    crowd_learned(&co->crowd, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct collaborative *co = state;
    struct bytes in = bytes_of(blob), again;
    char meaning[MEANING];
    scent_status status;

    describe(co, meaning);
    status = counts_get_head(&in, "collaborative", LEARNED, meaning, err);
    if (status != SCENT_OK)
        return status;
    again = in;
    crowd_recall(&co->crowd, &in, 0);
    status = counts_end(&in, "collaborative", err);
    if (status != SCENT_OK)
        return status;
    crowd_recall(&co->crowd, &again, weight);
    co->recalled |= weight > 0;
    return SCENT_OK;
}

/* ---- keeping ---- */

struct saved {
    uint64_t opened; /* the next page, + 1; 0: not opened */
    uint64_t relevant, recalled;
};

static uint32_t find_key(void *ctx, uint64_t key)
{
    return prospects_with_key(ctx, key);
}

static scent_status save(void *state, struct buf *out)
{
    const struct collaborative *co = state;
    const struct saved saved = {co->prospects.opened ? (uint64_t)co->prospects.next + 1 : 0, co->relevant, co->recalled};

    buf_addc(out, VERSION);
    array_put(out, &saved, sizeof saved);
    crowd_save(&co->crowd, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* What was proposed is known by its own bytes, once everything has been scored again. */
static void restore_prospects(struct collaborative *co, uint64_t opened)
{
    co->prospects.opened = opened > 0;
    co->prospects.next = opened && opened - 1 < co->prospects.npages ? (uint32_t)opened - 1 : co->prospects.npages;
    for (size_t i = 0; i < co->crowd.npages; i++) {
        uint32_t place = prospects_with_key(&co->prospects, co->crowd.pages[i].key);

        if (place != CROWD_NOWHERE)
            prospects_examined(&co->prospects, place);
    }
    if (co->rescore == NEVER)
        prospects_forget_waiting(&co->prospects);
    co->all = co->rescore != NEVER;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct collaborative *co = state;
    struct saved saved;
    scent_status status = saved_open("collaborative", VERSION, &blob, err);

    if (status != SCENT_OK)
        return status;
    if (!array_get(&blob, &saved, sizeof saved) || !crowd_load(&co->crowd, &blob, find_key, &co->prospects) || blob.len)
        return saved_fail("collaborative", NULL, err);
    co->relevant = saved.relevant;
    co->recalled = saved.recalled != 0;
    restore_prospects(co, saved.opened);
    return SCENT_OK;
}

const struct strategy_ops strategy_collaborative = {
    .name = "collaborative",
    .summary = "learns whose accesses lead to relevant pages, from the topic's traces, and follows people, not links",
    .paper = "Aggarwal, On Learning Strategies for Topic Specific Web Crawling",
    .options = options,
    .wants = JUDGE_CLASSES,
    .uses_trace = true,
    .own_bytes = COLLABORATIVE_OWN,
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
