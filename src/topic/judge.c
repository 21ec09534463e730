#include "topic/judge.h"

#include "base/hash.h"
#include "conf/conf.h"
#include "topic/external.h"
#include "trace/browse.h"
#include "topic/predicate.h"
#include "topic/query.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { TELLING = 8, MEMORY = 64 << 20 };

struct judge {
    atomic_uint refs;
    uint32_t version;
    uint64_t digest; /* of topic and knowledge */
    unsigned wants;
    const struct topic *topic;
    struct knowledge knowledge;
    enum predicate_value score;  /* the measure that is the score */
    struct query_stats *stats;   /* NULL: no query */
    bool *wanted;                /* by class: classifier() is their sum; NULL: no model */
    bool *categories;            /* the same for each category of the predicate, one after the other */
    struct likeness likeness;    /* to the centroid: the cosine of strategies */
    struct signature signature;     /* of the seeds: similar() */
};

/* ---- snapshots ---- */

/* Which classes of the model are meant by classifier() and by each category(). */
static uint32_t mark_classes(struct judge *judge)
{
    const struct model *model = judge->knowledge.model;
    const struct topic *topic = judge->topic;
    uint32_t n = model_nclasses(model), wanted;
    size_t ncategories = predicate_ncategories(topic->predicate);

    judge->wanted = calloc(n, sizeof *judge->wanted);
    judge->categories = calloc(n * (ncategories + 1), sizeof *judge->categories);
    SCENT_BUG_IF(!judge->wanted || !judge->categories);
    wanted = knowledge_wanted_classes(topic, model, judge->wanted);
    for (size_t i = 0; i < ncategories; i++)
        (void)model_class_members(model, predicate_category(topic->predicate, i), judge->categories + i * n);
    return wanted;
}

static enum predicate_value choose_score(struct judge *judge)
{
    bool wants_classes = judge->knowledge.model && mark_classes(judge);

    if (judge->knowledge.external)
        return VALUE_JUDGE;
    if (wants_classes)
        return VALUE_CLASSIFIER;
    if (judge->knowledge.model && predicate_asks(judge->topic->predicate, VALUE_CATEGORY))
        return VALUE_CATEGORY;
    if (judge->topic->query)
        return VALUE_QUERY;
    return judge->knowledge.browsing ? VALUE_BROWSING : VALUE_SIMILAR;
}

struct judge *judge_new(const struct judge_basis *basis)
{
    struct judge *judge = calloc(1, sizeof *judge);

    SCENT_BUG_IF(!judge);
    atomic_init(&judge->refs, 1);
    judge->version = basis->version;
    judge->digest = basis->digest;
    judge->wants = basis->wants;
    judge->topic = basis->topic;
    judge->knowledge = basis->knowledge ? *basis->knowledge : knowledge_none;
    likeness_init(&judge->likeness, basis->seeds);
    signature_init(&judge->signature, basis->seeds);
    if (basis->topic->query)
        judge->stats = query_counts_stats(basis->topic->query, basis->term_counts, judge->knowledge.sample);
    judge->score = choose_score(judge);
    return judge;
}

struct judge *judge_ref(struct judge *judge)
{
    atomic_fetch_add_explicit(&judge->refs, 1, memory_order_relaxed);
    return judge;
}

void judge_unref(struct judge *judge)
{
    if (!judge || atomic_fetch_sub_explicit(&judge->refs, 1, memory_order_acq_rel) != 1)
        return;
    likeness_release(&judge->likeness);
    free(judge->stats);
    free(judge->wanted);
    free(judge->categories);
    free(judge);
}

bool judge_uses_seeds(const struct judge *judge)
{
    return judge->score == VALUE_SIMILAR || predicate_asks(judge->topic->predicate, VALUE_SIMILAR);
}

uint64_t judge_digest(const struct judge *judge)
{
    const struct query_stats *stats = judge->stats;
    uint64_t digest = hash_mix(judge->digest, judge->score);

    if (judge_uses_seeds(judge))
        digest = hash_mix(digest, signature_digest(&judge->signature));
    if (stats) {
        digest = hash_mix(digest, stats->documents);
        digest = hash_mix(digest, (uint64_t)(stats->avglen * (double)stats->documents + 0.5));
        for (size_t i = 0; i < query_terms(judge->topic->query); i++)
            digest = hash_mix(digest, stats->df[i]);
    }
    return digest;
}

/* ---- measures: each is taken once a page, when it is asked for ---- */

struct hearing {
    const struct judge *judge;
    const struct judge_input *input;
    struct judgement *out;
    struct arena *arena;
    struct text_vector tf; /* of the page, once it was asked for */
    const double *belief;  /* of the query, where it is known before; NULL: it is not */
    struct external_answer *reason; /* receives the words of the user's program; NULL: nobody reads them */
};

/* Its frequencies. False: there is no memory. */
static bool hear_words(struct hearing *hearing)
{
    if (hearing->tf.items)
        return true;
    return page_frequencies(hearing->input->page, hearing->arena, &hearing->tf) == SCENT_OK;
}

static double hear_similar(struct hearing *hearing)
{
    double *similar = &hearing->out->similar;

    if (*similar == JUDGE_UNASKED)
        *similar = hearing->input->seed ? 1 : signature_likeness(&hearing->judge->signature, hearing->input->page);
    return *similar;
}

static bool believe_counted(const struct judge *judge, struct str counted, double *belief)
{
    const struct query *query = judge->topic->query;
    struct query_scratch scratch;
    double length;

    if (!counted.p || !query_counted_read(query, judge_counted_key(judge->topic), counted, &scratch, &length))
        return false;
    *belief = query_belief_counted(query, judge->stats, scratch.tf, length, 0);
    return true;
}

static double hear_query(struct hearing *hearing)
{
    const struct judge *judge = hearing->judge;
    double *query = &hearing->out->query;

    if (*query == JUDGE_UNASKED && judge->stats && !believe_counted(judge, hearing->input->counted, query)) {
        struct query_text text = query_text_page(hearing->input->page);
        struct query_scratch scratch;

        *query = query_belief(judge->topic->query, judge->stats, &text, &scratch);
    } else if (*query == JUDGE_UNASKED) {
        *query = 0;
    }
    return *query;
}

/* The probabilities; NULL: there is no model, or no memory. */
static const double *hear_classes(struct hearing *hearing)
{
    const struct model *model = hearing->judge->knowledge.model;
    double *p;

    if (!model || hearing->out->classes)
        return hearing->out->classes;
    p = arena_array(hearing->arena, model_nclasses(model), sizeof *p);
    if (!hear_words(hearing) || !p)
        return NULL;
    model_predict(model, &hearing->tf, p);
    hearing->out->classes = p;
    return p;
}

static double add_up(struct hearing *hearing, const bool *members)
{
    const double *p = hear_classes(hearing);
    double sum = 0;

    for (uint32_t i = 0; p && i < model_nclasses(hearing->judge->knowledge.model); i++)
        sum += members[i] ? p[i] : 0;
    return sum < 1 ? sum : 1;
}

static double hear_classifier(struct hearing *hearing)
{
    double *classifier = &hearing->out->classifier;

    if (*classifier == JUDGE_UNASKED)
        *classifier = add_up(hearing, hearing->judge->wanted);
    return *classifier;
}

static double hear_browsing(struct hearing *hearing)
{
    const struct browse *browsing = hearing->judge->knowledge.browsing;
    struct judgement *out = hearing->out;
    struct browse_sense sense = {0};

    if (out->browsing != JUDGE_UNASKED)
        return out->browsing;
    if (browsing && hear_words(hearing))
        browse_ask(browsing, hearing->input->page, &hearing->tf, hearing->arena, &sense);
    out->browsing = sense.similar;
    out->cluster = sense.cluster;
    out->strange = sense.strange;
    out->familiar = (float)sense.familiar;
    return out->browsing;
}

static double hear_external(struct hearing *hearing)
{
    struct external *external = hearing->judge->knowledge.external;
    const struct external_answer *answer = hearing->input->external;
    struct judgement *out = hearing->out;
    struct external_answer own = {0};

    if (out->external != JUDGE_UNASKED)
        return out->external;
    if (!answer) {
        if (external)
            external_ask(external, hearing->input, &own);
        answer = &own;
    }
    out->is_unanswered = external && !answer->is_given;
    if (hearing->reason)
        *hearing->reason = *answer;
    out->external = answer->score;
    return out->external;
}

static const bool *members_of(const struct judge *judge, uint32_t category)
{
    return judge->categories + (size_t)category * model_nclasses(judge->knowledge.model);
}

static double ask(void *ctx, enum predicate_value measure, uint32_t category)
{
    struct hearing *hearing = ctx;

    switch (measure) {
    case VALUE_SIMILAR:
        return hear_similar(hearing);
    case VALUE_QUERY:
        return hear_query(hearing);
    case VALUE_CLASSIFIER:
        return hear_classifier(hearing);
    case VALUE_BROWSING:
        return hear_browsing(hearing);
    case VALUE_JUDGE:
        return hear_external(hearing);
    case VALUE_CATEGORY:
        return hearing->judge->knowledge.model ? add_up(hearing, members_of(hearing->judge, category)) : 0;
    default:
        return 0;
    }
}

static double hear_score(struct hearing *hearing)
{
    double best = 0;

    if (hearing->judge->score != VALUE_CATEGORY)
        return ask(hearing, hearing->judge->score, 0);
    for (uint32_t i = 0; i < predicate_ncategories(hearing->judge->topic->predicate); i++) {
        double one = ask(hearing, VALUE_CATEGORY, i);

        best = one > best ? one : best;
    }
    return best;
}

/* ---- verdicts ---- */

static void hear(struct hearing *hearing, struct predicate_input *question)
{
    const struct judge *judge = hearing->judge;
    struct judgement *out = hearing->out;

    *out = (struct judgement){
        .similar = JUDGE_UNASKED,
        .cosine = JUDGE_UNASKED,
        .query = hearing->belief ? *hearing->belief : JUDGE_UNASKED,
        .browsing = JUDGE_UNASKED,
        .external = JUDGE_UNASKED,
        .classifier = JUDGE_UNASKED,
        .stats = judge->stats,
        .version = judge->version,
    };
    *question = (struct predicate_input){
        .page = hearing->input->page,
        .bytes = hearing->input->bytes,
        .depth = hearing->input->depth,
        .oracle = {.ask = ask, .ctx = hearing},
    };
    out->relevant = predicate_eval(judge->topic->predicate, question);
    out->score = hear_score(hearing);
}

void judge_page(const struct judge *judge, const struct judge_input *input, struct judgement *out)
{
    struct hearing hearing = {.judge = judge, .input = input, .out = out, .arena = input->arena};
    struct predicate_input question;
    struct arena own;

    arena_init(&own, MEMORY);
    if (!input->arena)
        hearing.arena = &own;
    hear(&hearing, &question);
    if (judge->wants & JUDGE_COSINE)
        out->cosine = input->seed ? 1 : likeness_of(&judge->likeness, input->page);
    if (judge->wants & JUDGE_QUERY && judge->stats)
        (void)hear_query(&hearing);
    if (judge->wants & JUDGE_CLASSES)
        (void)hear_classes(&hearing);
    if (judge->wants & JUDGE_BROWSING && judge->knowledge.browsing)
        (void)hear_browsing(&hearing);
    if (!input->arena)
        out->classes = NULL;
    arena_release(&own);
}

uint64_t judge_counted_key(const struct topic *topic)
{
    return hash_mix(query_key(topic->query), topic->content);
}

bool judge_counted(const struct judge *judge, const struct judge_input *input, struct judgement *out)
{
    struct predicate_input question;
    double belief;

    if (judge->score != VALUE_QUERY || !predicate_asks_only(judge->topic->predicate, VALUE_QUERY) ||
        !believe_counted(judge, input->counted, &belief))
        return false;
    hear(&(struct hearing){.judge = judge, .input = input, .out = out, .belief = &belief}, &question);
    return true;
}

/* ---- reasons ---- */

static struct str word_of(const struct page *page, const struct model_term *term)
{
    for (size_t i = 0; i < page->nbag; i++)
        if (page->bag[i].stem == term->stem)
            return page->bag[i].text;
    return term->text;
}

/* The class that says most for the members. */
static uint32_t strongest(const double *p, const bool *members, uint32_t n)
{
    uint32_t best = 0;

    for (uint32_t i = 0; i < n; i++)
        if (members[i] && (!members[best] || p[i] > p[best]))
            best = i;
    return best;
}

static void explain_classes(struct hearing *hearing, const bool *members, int indent, struct buf *out)
{
    const struct model *model = hearing->judge->knowledge.model;
    const double *p = model ? hear_classes(hearing) : NULL;
    struct model_term terms[TELLING];
    uint32_t class;
    size_t n;

    if (!p)
        return;
    class = strongest(p, members, model_nclasses(model));
    n = model_explain(model, &hearing->tf, class, terms, TELLING);
    buf_printf(out, "%*s%.4f  %.*s, by", indent, "", p[class], STR_ARG(model_class(model, class)));
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s %.*s %+.3g", i ? "," : "", STR_ARG(word_of(hearing->input->page, &terms[i])),
                   terms[i].weight);
    buf_addz(out, n ? "\n" : " no word that the model knows\n");
}

static void explain_browsing(struct hearing *hearing, int indent, struct buf *out)
{
    const struct browse *browsing = hearing->judge->knowledge.browsing;

    (void)hear_browsing(hearing);
    buf_printf(out, "%*sits cluster is %u%s:", indent, "", hearing->out->cluster + 1,
               hearing->out->strange ? ", to which it is a stranger" : "");
    for (uint32_t i = 0; browse_telling(browsing, hearing->out->cluster, i).len; i++)
        buf_printf(out, " %.*s", STR_ARG(browse_telling(browsing, hearing->out->cluster, i)));
    buf_addc(out, '\n');
}

static void explain_external(struct hearing *hearing, int indent, struct buf *out)
{
    (void)hear_external(hearing);
    buf_printf(out, "%*s%s: %s\n", indent, "", conf_show(external_name(hearing->judge->knowledge.external)).text,
               hearing->reason->why[0] ? hearing->reason->why : "it gave no reason");
}

static void explain(void *ctx, enum predicate_value measure, uint32_t category, int indent, struct buf *out)
{
    struct hearing *hearing = ctx;
    const struct judge *judge = hearing->judge;
    struct query_text text = query_text_page(hearing->input->page);

    if (measure == VALUE_SIMILAR && !hearing->input->seed)
        signature_explain(&judge->signature, hearing->input->page, indent, out);
    else if (measure == VALUE_QUERY && judge->stats)
        query_explain(judge->topic->query, judge->stats, &text, indent, out);
    else if (measure == VALUE_CLASSIFIER && judge->wanted)
        explain_classes(hearing, judge->wanted, indent, out);
    else if (measure == VALUE_CATEGORY && judge->categories)
        explain_classes(hearing, members_of(judge, category), indent, out);
    else if (measure == VALUE_JUDGE && judge->knowledge.external)
        explain_external(hearing, indent, out);
    else if (measure == VALUE_BROWSING && judge->knowledge.browsing)
        explain_browsing(hearing, indent, out);
}

scent_status judge_explain(const struct judge *judge, const struct judge_input *input, struct buf *out)
{
    static const char *const sources[] = {
        [VALUE_SIMILAR] = "the likeness to the seeds",
        [VALUE_QUERY] = "the belief in the query",
        [VALUE_CLASSIFIER] = "the classifier's probability",
        [VALUE_CATEGORY] = "the probability of the best category",
        [VALUE_JUDGE] = "what the topic's own judge says",
        [VALUE_BROWSING] = "the likeness to a useful page of the browsing model",
    };
    struct judgement judgement;
    struct predicate_input question;
    struct arena own;
    struct external_answer reason = {0};
    struct hearing hearing = {.judge = judge, .input = input, .out = &judgement, .arena = &own, .reason = &reason};
    scent_status status;

    arena_init(&own, MEMORY);
    hear(&hearing, &question);
    question.oracle.explain = explain;
    buf_printf(out, "%s, score %.4f: %s%s\n", judgement.relevant ? "relevant" : "not relevant", judgement.score,
               sources[judge->score], input->seed ? " (it is a seed)" : "");
    status = predicate_explain(judge->topic->predicate, &question, out);
    arena_release(&own);
    return status;
}
