/* collaborative - learns during the crawl whose accesses lead to the predicate (Aggarwal, 8-14), and takes its
 * candidates from what people looked at: links are not followed.
 *
 * The priority is log I^C = log I^B + log I^SF + log I^TL. Candidates are the pages of all users who looked at an
 * examined page; while no page of the crawl is relevant, where it recalled what another one learned of users, and where
 * it has nothing else left, all pages of the trace. Scores drift with every page: `bounded` scores 128 pages of its
 * users again and the next 128 candidates in turn, and everything once, when the first ratio differs from 1; `always`
 * scores all of them after each page; `never` is Figure 1 of the paper: all pages that the examined page's users looked
 * at are scored, and no others.
 *
 * State: usercounts.h and proposals.h, at most 42 bytes a page and 95 a user of the trace, 450 a crawled page and 72 a
 * signature; own bytes: the page's number in the trace and a check. A page proposes 4,096 candidates at most, and the
 * others come later; with `never` 65,536 (not with `memory: all`), and the others when another page leads to them. */
#include "strategy/collaborative.h"

#include "strategy/option.h"
#include "strategy/proposals.h"
#include "strategy/saved.h"
#include "strategy/shortlist.h"
#include "strategy/strategies.h"
#include "strategy/usercounts.h"

#include "learn/model.h"

#include <stdio.h>
#include <stdlib.h>

enum { VERSION = 1, LEARNED = 1, MEANING = 64 };
enum { AT_ONCE = 4096, AT_MOST = 65536, BESIDE = 128, IN_TURN = 128, LOOKS = 2048 };
enum { NEVER, BOUNDED, ALWAYS };
enum { WORDS, CATEGORIES };

struct collaborative {
    const struct trace *trace;
    const struct model *model; /* of the categories; NULL: words are the signatures */
    struct usercounts_options options;
    struct usercounts counts;
    struct proposals proposals;
    unsigned url_flags, rescore;
    bool by_category;
    struct arena scratch;
    uint64_t relevant; /* pages of this crawl */
    bool recalled;     /* before its first page */
    uint32_t last;    /* the page that was proposed last */
    uint32_t offered; /* proposals since their last end */
    bool all;         /* everything is stale */
    uint32_t stale[BESIDE + IN_TURN];
    size_t nstale, handed;
};

static const struct strategy_option options[] = {
    {"preset", "ours", "ours, or paper: as printed (users: 0, rescore: never, memory: all, support: 1, "
     "clip: 0)", OPTION_PRESET},
    {"significance", "2", "t: standard deviations from which a user, or a signature of pages, counts",
     OPTION_NUMBER(struct collaborative, options.t, 0, 100)},
    {"user_n", "all", "pages that make the deviation: all (N, as printed) or event (those of the user or signature)",
     OPTION_EITHER(struct collaborative, options.printed_n, "event", "all")},
    {"users", "20", "of a page's users at most so many count, the most significant ones; up to 1024; 0: all",
     .printed = "0", OPTION_WHOLE(struct collaborative, options.users, 0, USERCOUNTS_USERS_MAX)},
    {"signatures", "words", "what tells what users are like: words of their pages, or categories of the topic's model",
     OPTION_EITHER(struct collaborative, by_category, "words", "categories")},
    {"locality", "5", "accesses before and after one of a relevant page, in one session, that are near it",
     OPTION_WHOLE(struct collaborative, options.locality, 0, 100)},
    {"support", "3", "pages on which a signature must have occurred before it counts",
     .printed = "1", OPTION_NUMBER(struct collaborative, options.support, 0, 1000000)},
    {"clip", "3", "the largest logarithm, in either direction, of one user or signature; 0: no bound",
     .printed = "0", OPTION_NUMBER(struct collaborative, options.clip, 0, 1000)},
    {"smoothing", "1", "pages that draw each probability to P(U), so that a zero count is not certainty; 0: none",
     OPTION_NUMBER(struct collaborative, options.smoothing, 0, 1000)},
    {"memory", "bounded", "64 stems of a page, and 1,024 accesses of a page or user (bounded), or all of them (all)",
     .printed = "all", OPTION_EITHER(struct collaborative, options.all, "bounded", "all")},
    {"rescore", "bounded", "candidates are scored again: never, bounded or always (after each page, all of them)",
     .printed = "never", OPTION_CHOICE(struct collaborative, rescore, "never", "bounded", "always")},
    {0},
};

/* ---- opening ---- */

static scent_status prepare(struct collaborative *co, const char *strategy, const struct strategy_context *context,
                            struct errmsg *err)
{
    const struct knowledge *knowledge = context->knowledge;
    const struct topic *topic = context->topic;

    SCENT_TRY(option_read(strategy, options, topic, co, err));
    if (co->by_category && !knowledge->model)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: signatures: categories needs a model that knows some; add the "
                           "key 'taxonomy' or 'examples' to the topic file, or take signatures: words", strategy);
    if (!knowledge->trace)
        return errmsg_fail(err, SCENT_E_INVALID, "%s learns from what people looked at; name their access logs: "
                           "add 'traces: [access.log]'", strategy);
    co->options.exact = co->rescore != BOUNDED;
    co->model = co->by_category ? knowledge->model : NULL;
    co->trace = knowledge->trace;
    co->url_flags = topic_url_flags(topic);
    co->last = USERCOUNTS_NONE;
    arena_init(&co->scratch, SIZE_MAX);
    usercounts_init(&co->counts, co->trace, &co->options);
    proposals_init(&co->proposals, co->trace, co->rescore == NEVER);
    return SCENT_OK;
}

scent_status collaborative_open(const char *strategy, const struct strategy_context *context,
                                struct collaborative **out, struct errmsg *err)
{
    scent_status status;

    *out = calloc(1, sizeof **out);
    SCENT_BUG_IF(!*out);
    status = prepare(*out, strategy, context, err);
    if (status != SCENT_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct collaborative *co = NULL;
    scent_status status = collaborative_open("collaborative", context, &co, err);

    *state = co;
    return status;
}

static void close_state(void *state)
{
    struct collaborative *co = state;

    usercounts_release(&co->counts);
    proposals_release(&co->proposals);
    arena_release(&co->scratch);
    free(co);
}

/* ---- pages of the trace ---- */

/* A crawl that leaves URLs as they are may have a trace whose URLs were stripped. */
uint32_t collaborative_find(struct collaborative *co, const struct url *url)
{
    uint32_t place = proposals_find(&co->proposals, url->href);
    struct url plain;

    if (place != USERCOUNTS_NONE || co->url_flags == trace_options_default().url_flags)
        return place;
    arena_reset(&co->scratch);
    if (url_normalise(&co->scratch, url, trace_options_default().url_flags, &plain) != SCENT_OK)
        return USERCOUNTS_NONE;
    return proposals_find(&co->proposals, plain.href);
}

struct own {
    uint32_t page, check; /* page + 1; 0: none */
};

static struct own own_of(const struct collaborative *co, uint32_t place)
{
    return (struct own){place + 1, (uint32_t)usercounts_key(trace_url(co->trace, place))};
}

uint32_t collaborative_kept(const struct collaborative *co, const uint8_t *bytes)
{
    struct own own;

    memcpy(&own, bytes, sizeof own);
    if (own.page == 0 || own.page > co->proposals.npages || own_of(co, own.page - 1).check != own.check)
        return USERCOUNTS_NONE; /* it never was, or the trace has changed */
    return own.page - 1;
}

uint32_t collaborative_candidate(struct collaborative *co, uint32_t id, const uint8_t *bytes)
{
    struct own own;
    uint32_t place;

    memcpy(&own, bytes, sizeof own);
    if (own.page && own.page <= co->proposals.npages && co->proposals.ids[own.page - 1] == id)
        return own.page - 1; /* no need to read its URL */
    place = collaborative_kept(co, bytes);
    if (place != USERCOUNTS_NONE)
        proposals_know(&co->proposals, place, id, true);
    return place;
}

void collaborative_know(struct collaborative *co, uint32_t place, uint32_t id, bool queued)
{
    proposals_know(&co->proposals, place, id, queued);
}

uint32_t collaborative_id(const struct collaborative *co, uint32_t place)
{
    return co->proposals.ids[place];
}

/* ---- learning ---- */

/* The most frequent stems; of equally frequent ones those that come first in the bag. */
static size_t frequent_stems(const struct page *page, uint64_t *signatures)
{
    uint32_t tf[USERCOUNTS_SIGNATURES];
    size_t count = 0;

    for (uint32_t i = 0; i < page->nbag; i++) {
        size_t at = count;

        if (count == USERCOUNTS_SIGNATURES && page->bag[i].tf <= tf[USERCOUNTS_SIGNATURES - 1])
            continue;
        while (at && tf[at - 1] < page->bag[i].tf)
            at--;
        count += count < USERCOUNTS_SIGNATURES;
        memmove(signatures + at + 1, signatures + at, (count - at - 1) * sizeof *signatures);
        memmove(tf + at + 1, tf + at, (count - at - 1) * sizeof *tf);
        signatures[at] = page->bag[i].stem;
        tf[at] = page->bag[i].tf;
    }
    return count;
}

/* `signatures` has room for all stems of the page, and for one signature at least. */
static size_t signatures_of(const struct collaborative *co, const struct strategy_visit *visit, uint64_t *signatures)
{
    uint32_t best;

    if (!co->model && !co->options.all)
        return frequent_stems(visit->page, signatures);
    for (uint32_t i = 0; i < visit->page->nbag && !co->model; i++)
        signatures[i] = visit->page->bag[i].stem;
    if (!co->model)
        return visit->page->nbag;
    if (!visit->judgement->classes)
        return 0;
    best = model_best(visit->judgement->classes, model_nclasses(co->model));
    signatures[0] = usercounts_key(model_class(co->model, best));
    return 1;
}

static void note_stale(struct collaborative *co, uint32_t place, bool could_learn)
{
    co->nstale = co->handed = 0;
    if (co->rescore == NEVER)
        return;
    if (co->rescore == ALWAYS || could_learn != ratios_can_learn(&co->counts.known)) {
        co->all = true;
        return;
    }
    proposals_begin(&co->proposals);
    if (place != USERCOUNTS_NONE)
        co->nstale = proposals_of_users(&co->proposals, place, LOOKS, co->stale, BESIDE);
    co->nstale += proposals_in_turn(&co->proposals, LOOKS, co->stale + co->nstale, IN_TURN);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct collaborative *co = state;
    uint32_t place = collaborative_find(co, &visit->page->url);
    bool could_learn = ratios_can_learn(&co->counts.known);
    uint64_t *signatures;
    size_t nsignatures;

    arena_reset(&co->scratch);
    signatures = arena_array(&co->scratch, USERCOUNTS_SIGNATURES + (co->options.all ? visit->page->nbag : 0),
                             sizeof *signatures);
    SCENT_BUG_IF(!signatures);
    nsignatures = signatures_of(co, visit, signatures);
    if (place == USERCOUNTS_NONE)
        place = collaborative_kept(co, visit->own); /* what people looked at has moved */
    usercounts_learn(&co->counts, place, visit->judgement->relevant, signatures, nsignatures);
    co->relevant += visit->judgement->relevant;
    if (place != USERCOUNTS_NONE) {
        proposals_know(&co->proposals, place, visit->id, true);
        proposals_examined(&co->proposals, place);
    }
    note_stale(co, place, could_learn);
}

/* ---- scoring ---- */

void collaborative_judge(struct collaborative *co, uint32_t place, struct strategy_score *out)
{
    struct usercounts_view view = {0};
    struct own own;

    memcpy(&own, out->own, sizeof own);
    *out = (struct strategy_score){0};
    if (place == USERCOUNTS_NONE)
        return;
    usercounts_view(&co->counts, place, &view);
    if (own.page != place + 1)
        own = own_of(co, place);
    memcpy(out->own, &own, sizeof own);
    out->priority = (float)(view.users + view.signatures + view.locality);
    out->nparts = COLLABORATIVE_PARTS;
    out->parts[0] = (struct strategy_part){
        .name = "users", .counted = "users who looked at it tell", .value = view.users,
        .count = view.significant, .of = view.visitors, .weight = 1, .is_log = true};
    out->parts[1] = (struct strategy_part){
        .name = "what its users read", .counted = "telling users have telling signs", .value = view.signatures,
        .count = view.informative, .of = view.significant, .weight = 1, .is_log = true};
    out->parts[2] = (struct strategy_part){
        .name = view.inside ? "near relevant accesses" : "far from relevant accesses",
        .counted = view.inside ? "crawled pages near relevant accesses are relevant"
                             : "crawled pages far from relevant accesses are relevant",
        .value = view.locality, .count = view.relevant, .of = view.neighbours, .weight = 1, .is_log = true};
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

    /* Proposals come before this: what still waits is of pages that were examined before a restart, and was
     * proposed. */
    if (co->rescore == NEVER)
        proposals_forget_waiting(&co->proposals);
    return shortlist_hand_out(co->stale, co->nstale, &co->handed, &co->all, ids, room);
}

static bool explain(void *state, uint32_t id, struct strategy_score *kept)
{
    struct collaborative *co = state;
    uint32_t place = collaborative_candidate(co, id, kept->own);

    if (place == USERCOUNTS_NONE)
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
    /* Whatever becomes of them: a log of everything, and a scope of one site, would have all its pages refused at
     * once. */
    if (!co->options.all && co->offered >= (co->rescore == NEVER ? AT_MOST : AT_ONCE))
        return false;
    if (co->relevant == 0 || co->recalled)
        proposals_open_all(&co->proposals);
    if (proposals_next(&co->proposals, &co->last))
        return true;
    if (!nothing_left)
        return false;
    proposals_open_all(&co->proposals);
    return proposals_next(&co->proposals, &co->last);
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

    proposals_know(&co->proposals, co->last, id, queued);
}

/* ---- for other crawls ---- */

/* The options that change what the counts mean. */
static void describe(const struct collaborative *co, char out[MEANING])
{
    snprintf(out, MEANING, "signatures: %s, locality: %u", co->model ? "categories" : "words",
             (unsigned)co->options.locality);
}

static scent_status learned(void *state, struct buf *out)
{
    struct collaborative *co = state;
    char meaning[MEANING];

    describe(co, meaning);
    saved_begin_learned(out, LEARNED, meaning);
    usercounts_learned(&co->counts, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct collaborative *co = state;
    struct bytes in = bytes_of(blob), again;
    char meaning[MEANING];

    describe(co, meaning);
    SCENT_TRY(saved_open_learned("collaborative", LEARNED, meaning, &in, err));
    again = in;
    usercounts_recall(&co->counts, &in, 0);
    SCENT_TRY(saved_end_learned("collaborative", &in, err));
    usercounts_recall(&co->counts, &again, weight);
    if (co->counts.observed == 0)
        co->recalled = co->counts.known.pages > 0;
    co->all |= weight != 0 && co->counts.observed > 0 && co->rescore != NEVER;
    return SCENT_OK;
}

/* ---- keeping ---- */

static uint32_t find_key(const void *ctx, uint64_t key)
{
    return proposals_with_key(ctx, key);
}

static scent_status save(void *state, struct buf *out)
{
    const struct collaborative *co = state;

    buf_addc(out, VERSION);
    bytes_put(out, co->proposals.opened ? (uint64_t)co->proposals.next + 1 : 0, 8);
    bytes_put(out, co->relevant, 8);
    bytes_put(out, co->recalled, 8);
    usercounts_save(&co->counts, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* What was proposed is known by its own bytes, once everything has been scored again. */
static void restore_proposals(struct collaborative *co, uint64_t opened)
{
    co->proposals.opened = opened > 0;
    co->proposals.next = opened && opened - 1 < co->proposals.npages ? (uint32_t)opened - 1 : co->proposals.npages;
    for (size_t i = 0; i < co->counts.npages; i++) {
        uint32_t place = proposals_with_key(&co->proposals, co->counts.pages[i].key);

        if (place != USERCOUNTS_NONE)
            proposals_examined(&co->proposals, place);
    }
    if (co->rescore == NEVER)
        proposals_forget_waiting(&co->proposals);
    co->all = co->rescore != NEVER;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct collaborative *co = state;
    struct bytes in;
    uint64_t opened; /* the next page, + 1; 0: not opened */

    SCENT_TRY(saved_open("collaborative", VERSION, blob, &in, err));
    opened = bytes_get(&in, 8);
    co->relevant = bytes_get(&in, 8);
    co->recalled = bytes_get(&in, 8) != 0;
    usercounts_load(&co->counts, &in, find_key, &co->proposals);
    SCENT_TRY(saved_end("collaborative", &in, err));
    restore_proposals(co, opened);
    return SCENT_OK;
}

const struct strategy_ops strategy_collaborative = {
    .name = "collaborative",
    .summary = "learns whose accesses lead to relevant pages, from the topic's traces, and follows people, not links",
    .paper = "Aggarwal, On Learning Strategies for Topic Specific Web Crawling",
    .options = options,
    .wants = JUDGE_CLASSES,
    .trace = STRATEGY_NEEDS,
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
