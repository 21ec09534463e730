#include "app/why_explain.h"

#include "app/command.h"
#include "app/workspace.h"
#include "crawldir/kept_parts.h"
#include "crawldir/rejudge.h"
#include "frontier/frontier.h"
#include "json/json.h"
#include "pdf/pdf_reader.h"
#include "strategy/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The crawl's topic, strategy and judges, opened again. */
struct explainer {
    struct store *store;
    const char *dir;
    const struct log *log;
    struct workspace workspace; /* its topic, and what was learned for it */
    struct strategy strategy;
    bool other;             /* it is not the crawl's */
    struct parts_names names; /* of what priorities were made of */
    uint64_t key, seed;
    struct pdf_reader *pdf;
    struct reread *reread;
    struct centroid seeds;
    struct judge *judge; /* the one that was asked for last; NULL: none */
    uint32_t judge_id;
    bool judge_found;
    char problem[512]; /* why nothing can be explained; empty: it can */
};

static void leave_unexplained(struct why *why, const char *what, const char *reason)
{
    why->unexplained = arena_printf(&why->arena, "%s: %s", what, reason);
}

static bool fail_open(struct explainer *explainer, const char *what, const char *reason)
{
    snprintf(explainer->problem, sizeof explainer->problem, "%s: %.400s", what, reason);
    return false;
}

/* ---- topic, strategy, judge ---- */

static bool add_option(struct buf *spec, const struct json *options, const char *name)
{
    struct str value = json_as_str(json_get(options, name));

    if (str_find(value, ',') < value.len)
        return false;
    if (value.len)
        buf_printf(spec, "%c%s=%.*s", str_find(buf_str(spec), ':') < spec->len ? ',' : ':', name, STR_ARG(value));
    return true;
}

/* The library of a plug-in by its whole path, which the copy of the topic does not have; its options stay. */
static scent_status take_plugin(struct topic *topic, struct str file)
{
    struct topic_option *changed = arena_array(&topic->arena, topic->noptions + 1, sizeof *changed);

    if (!changed)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < topic->noptions; i++) {
        changed[i] = topic->options[i];
        if (file.len && str_eq(changed[i].key, STR("file")))
            changed[i].value = arena_str(&topic->arena, file);
    }
    topic->options = changed;
    return SCENT_OK;
}

/* The strategy of a run with its options, as a command line gives them. Options that cannot be given there are those of
 * the topic file.
 */
static scent_status take_strategy(struct topic *topic, const struct json *run, struct errmsg *err)
{
    const struct json *options = json_get(run, "options");
    struct str name = json_as_str(json_get(run, "strategy"));
    const struct strategy_ops *ops = strategy_find(name);
    scent_status status = SCENT_OK;
    bool plain = true;
    struct buf spec, own;

    if (!ops)
        return SCENT_OK;
    if (ops->takes_any_option)
        return take_plugin(topic, json_as_str(json_get(options, "file")));
    buf_init(&spec, 64 << 10);
    buf_add(&spec, name);
    for (const struct strategy_option *option = ops->options; option && option->name; option++)
        plain &= add_option(&spec, options, option->name);
    plain &= add_option(&spec, options, "threshold");
    buf_init(&own, 0);
    topic_write_strategy(topic, &own);
    if ((plain || !str_eq(name, topic->strategy)) && !str_eq(buf_str(&own), buf_str(&spec)))
        status = topic_set_strategy(topic, buf_str(&spec), err);
    buf_release(&own);
    buf_release(&spec);
    return status;
}

/* A run may have been given another strategy than its topic file has, or other options. */
static scent_status name_strategy(struct explainer *explainer, const char *strategy, struct errmsg *err)
{
    struct json *root;
    const struct json *run;
    scent_status status = SCENT_OK;

    if (strategy)
        return topic_set_strategy(explainer->workspace.topic, str_of(strategy), err);
    run = crawldir_last_run(explainer->dir, &root);
    if (run)
        status = take_strategy(explainer->workspace.topic, run, err);
    json_free(root);
    return status;
}

static bool find_knowledge(struct explainer *explainer)
{
    struct network network = {0};
    struct crawldir_path path = crawldir_path(explainer->dir, CRAWLDIR_TOPIC);
    struct workspace *workspace = &explainer->workspace;

    workspace->path = path.text;
    workspace->network = &network;
    workspace->log = explainer->log;
    workspace->quiet = true;
    return workspace_find_knowledge(workspace, explainer->dir, false) == EXIT_DONE;
}

static scent_status load_state(struct explainer *explainer, struct errmsg *err)
{
    const struct strategy *strategy = &explainer->strategy;
    struct buf blob;
    scent_status status;

    if (!strategy->ops->load)
        return SCENT_OK;
    buf_init(&blob, 0);
    status = store_get(explainer->store, JUDGED_STRATEGY, &blob, err);
    if (status == SCENT_OK)
        status = strategy->ops->load(strategy->state, buf_str(&blob), err);
    buf_release(&blob);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status; /* it has learned nothing yet */
}

/* The background sample that the crawl has kept. */
static scent_status find_sample(struct explainer *explainer, struct errmsg *err)
{
    struct knowledge *knowledge = &explainer->workspace.knowledge;
    struct query_counts *sample;

    if (!explainer->workspace.topic->query || knowledge->sample)
        return SCENT_OK;
    SCENT_TRY(judged_load_sample(explainer->store, explainer->workspace.topic->query, &sample, err));
    knowledge->sample = sample;
    return SCENT_OK;
}

static scent_status open_strategy(struct explainer *explainer, struct errmsg *err)
{
    struct strategy_context context = {.topic = explainer->workspace.topic,
                                       .knowledge = &explainer->workspace.knowledge};

    SCENT_TRY(crawldir_get_number(explainer->store, "key", &explainer->key, err));
    SCENT_TRY(crawldir_get_number(explainer->store, "seed", &explainer->seed, err));
    SCENT_TRY(find_sample(explainer, err));
    SCENT_TRY(kept_parts_names(explainer->store, &explainer->names, err));
    context.seed = explainer->seed;
    SCENT_TRY(strategy_open(&context, &explainer->strategy, err));
    return load_state(explainer, err);
}

static bool open_crawl(struct explainer *explainer, const char *strategy)
{
    struct errmsg err = {{0}};
    scent_status status =
        topic_load(crawldir_path(explainer->dir, CRAWLDIR_TOPIC).text, &explainer->workspace.topic, &err);

    if (status == SCENT_OK)
        status = name_strategy(explainer, strategy, &err);
    if (status != SCENT_OK)
        return fail_open(explainer, "the topic", err.text);
    if (!find_knowledge(explainer))
        return fail_open(explainer, "the topic",
                         "its model, rules, traces, browsing model or judge no longer exist, or must not be run");
    if (open_strategy(explainer, &err) != SCENT_OK)
        return fail_open(explainer, "the strategy", err.text);
    explainer->pdf = pdf_reader_new(NULL, NULL, &err);
    explainer->reread = reread_new(explainer->dir, explainer->workspace.topic, explainer->key,
                                   pdf_reader_option(explainer->pdf));
    if (reread_seeds(explainer->reread, explainer->store, UINT64_MAX, true, &explainer->seeds, &err) != SCENT_OK ||
        judged_add_others(explainer->store, NULL, &explainer->seeds, &err) != SCENT_OK)
        return fail_open(explainer, "the seeds", err.text);
    return true;
}

struct explainer *why_open(struct store *store, const char *dir, const char *strategy, bool allow_programs,
                           const struct log *log)
{
    struct explainer *explainer = calloc(1, sizeof *explainer);

    SCENT_BUG_IF(!explainer);
    explainer->store = store;
    explainer->dir = dir;
    explainer->log = log;
    explainer->other = strategy;
    explainer->workspace.allow_programs = allow_programs;
    centroid_init(&explainer->seeds);
    parts_names_init(&explainer->names);
    (void)open_crawl(explainer, strategy);
    return explainer;
}

void why_close(struct explainer *explainer)
{
    judge_unref(explainer->judge);
    reread_free(explainer->reread);
    pdf_reader_free(explainer->pdf);
    centroid_release(&explainer->seeds);
    parts_names_release(&explainer->names);
    if (explainer->strategy.ops)
        strategy_close(&explainer->strategy);
    workspace_release(&explainer->workspace);
    free(explainer);
}

/* ---- pages as they were seen ---- */

/* A judge of the crawl, with what it knew. */
static scent_status find_judge(struct explainer *explainer, uint32_t id, struct errmsg *err)
{
    if (explainer->judge && explainer->judge_id == id)
        return SCENT_OK;
    judge_unref(explainer->judge);
    explainer->judge = NULL;
    explainer->judge_id = id;
    return judged_load(explainer->store, explainer->workspace.topic, &explainer->workspace.knowledge, &explainer->seeds,
                       explainer->strategy.ops->wants, id, &explainer->judge_found, &explainer->judge, err);
}

struct record {
    struct arena *arena;
    struct str blocks;
};

static scent_status keep_record(void *ctx, const struct store_blocks *blocks)
{
    struct record *record = ctx;

    record->blocks = arena_str(record->arena, blocks->blocks);
    return record->blocks.p ? SCENT_OK : SCENT_E_NOMEM;
}

/* With the content that a judge saw: the one of now, or the first. */
static scent_status read_page(struct explainer *explainer, const struct store_page *row, struct str url,
                              enum repeats_bit when, struct page *page, struct arena **arena, struct errmsg *err)
{
    struct record record = {0};
    struct repeats_host *host;

    if (row->warc_length == 0)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "%.*s is not archived here", STR_ARG(url));
    SCENT_TRY(reread_page(explainer->reread, row, url, page, arena, err));
    record.arena = *arena;
    SCENT_TRY(store_get_blocks(explainer->store, row->number, keep_record, &record, err));
    host = repeats_host_of(record.blocks, when);
    repeats_apply(host, page);
    repeats_host_unref(host);
    return SCENT_OK;
}

/* ---- the verdict ---- */

static scent_status explain_verdict(struct explainer *explainer, struct why *why, struct errmsg *err)
{
    struct judge_input input = {.bytes = why->page.bytes, .depth = why->url.depth,
                                .seed = why->url.flags & CANDIDATE_SEED};
    struct judgement judgement;
    struct page page;
    struct buf reasons;
    scent_status status;

    SCENT_TRY(find_judge(explainer, why->page.judge_version, err));
    SCENT_TRY(read_page(explainer, &why->page, why->url.url, REPEATS_NOW, &page, &input.arena, err));
    input.page = &page;
    judge_page(explainer->judge, &input, &judgement);
    why->judged = true;
    why->judged_relevant = judgement.relevant;
    why->judged_score = judgement.score;
    buf_init(&reasons, 0);
    status = judge_explain(explainer->judge, &input, &reasons);
    why->reasons = arena_str(&why->arena, str_trim(buf_str(&reasons)));
    buf_release(&reasons);
    return status;
}

/* ---- the score ---- */

/* As the strategy saw the page with the best link; what it has learned since counts. */
static scent_status score_again(struct explainer *explainer, struct why *why, struct errmsg *err)
{
    const struct why_link *best = &why->links[0];
    struct judge_input input = {.bytes = best->page.bytes, .depth = best->parent.depth,
                                .seed = best->parent.flags & CANDIDATE_SEED};
    struct judgement judgement;
    struct page page;
    uint32_t *targets;
    struct strategy_visit visit = {.number = best->number, .id = best->page.url, .page = &page,
                                   .judgement = &judgement, .depth = best->parent.depth, .seed = input.seed,
                                   .priority = best->page.priority, .own = best->parent.own};

    SCENT_TRY(find_judge(explainer, best->page.first_judge, err));
    SCENT_TRY(read_page(explainer, &best->page, best->from, REPEATS_FIRST, &page, &input.arena, err));
    input.page = &page;
    judge_page(explainer->judge, &input, &judgement);
    judgement.relevant = best->page.first_relevant;
    judgement.score = best->page.first_score;
    targets = arena_array(input.arena, page.nlinks + (size_t)1, sizeof *targets);
    if (!targets)
        return SCENT_E_NOMEM;
    visit.targets = targets;
    for (uint32_t i = 0; i < page.nlinks; i++)
        targets[i] = str_eq(page.links[i].url.href, why->url.url) ? why->url.id : STRATEGY_UNKNOWN;
    for (uint32_t i = 0; i < page.nlinks; i++) {
        struct strategy_score score = {0};

        if (targets[i] == STRATEGY_UNKNOWN)
            continue;
        explainer->strategy.ops->score(explainer->strategy.state, &visit, i, &score);
        if (!why->explained || score.priority > why->score.priority)
            why->score = score;
        why->explained = true;
    }
    return SCENT_OK;
}

/* Stored as 32 bits. */
static bool is_same(float a, float b)
{
    return a == b || (isfinite(a) && isfinite(b) && fabsf(a - b) <= 1e-6f * fmaxf(fabsf(a), fabsf(b)));
}

/* Counts and parts that would have cost too much when each link was scored, and which are still those that made the
 * value. */
static void fill_parts(struct strategy_score *kept, const struct strategy_score *now)
{
    for (unsigned i = 0; i < kept->nparts && i < now->nparts; i++)
        if (!kept->parts[i].of && strcmp(kept->parts[i].name, now->parts[i].name) == 0 &&
            is_same((float)kept->parts[i].value, (float)now->parts[i].value))
            kept->parts[i] = now->parts[i];
    while (kept->nparts < now->nparts) {
        kept->parts[kept->nparts] = now->parts[kept->nparts];
        kept->nparts++;
    }
}

/* A seed, or what sitemaps list alone, has no score. */
static scent_status explain_score(struct explainer *explainer, struct why *why, struct errmsg *err)
{
    const struct strategy *strategy = &explainer->strategy;
    struct strategy_score kept = {.priority = why->url.priority};
    bool learned;

    why->stored = why->url.priority;
    memcpy(kept.own, why->url.own, sizeof kept.own);
    why->now = kept;
    learned = strategy->ops->explain && strategy->ops->explain(strategy->state, why->url.id, &why->now);
    if (!explainer->other && isfinite(why->stored) && parts_read(&explainer->names, why->url.parts, &kept)) {
        why->explained = true;
        why->score = kept;
        why->changed = learned && !is_same(why->now.priority, why->stored);
        if (learned && !why->changed)
            fill_parts(&why->score, &why->now);
        return SCENT_OK;
    }
    if (learned) {
        why->explained = true;
        why->source = WHY_LEARNED;
        why->score = why->now;
        why->drifted = isfinite(why->stored) && !is_same(why->score.priority, why->stored);
        return SCENT_OK;
    }
    /* A strategy that learns keeps no score of a seed, which did not become a candidate by a link. */
    if (!why->nlinks || (strategy->ops->explain && why->url.flags & CANDIDATE_SEED))
        return SCENT_OK;
    why->source = WHY_LINK;
    SCENT_TRY(score_again(explainer, why, err));
    why->stored = why->links[0].link.priority;
    why->drifted = !is_same(why->score.priority, why->stored);
    return SCENT_OK;
}

void why_explain(struct explainer *explainer, struct why *why)
{
    struct errmsg err = {{0}};

    why->strategy = explainer->strategy.ops ? explainer->strategy.ops->name : NULL;
    why->chosen = why->strategy ? explainer->workspace.topic->chosen : NULL;
    if (explainer->problem[0]) {
        why->unexplained = arena_str(&why->arena, str_of(explainer->problem));
        return;
    }
    if (explain_score(explainer, why, &err) != SCENT_OK)
        leave_unexplained(why, "the score", err.text[0] ? err.text : "the page that links to it cannot be read");
    if (why->visits && why->page.counted && explain_verdict(explainer, why, &err) != SCENT_OK)
        leave_unexplained(why, "the verdict", err.text[0] ? err.text : "the page cannot be read");
}
