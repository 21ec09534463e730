#include "app/why_explain.h"
#include "page/repeats.h"

#include "app/command.h"
#include "app/workspace.h"
#include "crawldir/rejudge.h"
#include "frontier/frontier.h"
#include "json/json.h"
#include "pdf/pdf_reader.h"
#include "topic/centroid.h"
#include "warc/pagefile.h"

enum { PAGE_ARENA = 512 << 20 };

/* The crawl's topic, strategy and judge, opened again. */
struct explanation {
    struct why *why;
    const char *dir;
    const struct log *log;
    struct workspace workspace; /* its topic, and what was learned for it */
    struct strategy strategy;
    struct judge *judge;
    struct page_analyser *analyser;
    struct pdf_reader *pdf;
    struct repeats *repeats; /* blocks, by host; NULL: the topic reads whole pages */
    struct centroid seeds;
    struct archive *archive; /* NULL: there is none that could be read */
    struct buf lookup;
    struct arena arena; /* of one page */
};

static void leave_unexplained(struct why *why, const char *what, const char *reason)
{
    why->unexplained = arena_printf(&why->arena, "%s: %s", what, reason);
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
    struct buf spec;

    if (!ops)
        return SCENT_OK;
    buf_init(&spec, 64 << 10);
    buf_add(&spec, name);
    for (const struct strategy_option *option = ops->options; option && option->name; option++)
        plain &= add_option(&spec, options, option->name);
    plain &= add_option(&spec, options, "threshold");
    if (plain || !str_eq(name, topic->strategy))
        status = topic_set_strategy(topic, buf_str(&spec), err);
    buf_release(&spec);
    return status;
}

/* A run may have been given another strategy than its topic file has, or other options. */
static scent_status name_strategy(struct explanation *explanation, const char *strategy, struct errmsg *err)
{
    struct json *root;
    const struct json *run;
    scent_status status = SCENT_OK;

    if (strategy)
        return topic_set_strategy(explanation->workspace.topic, str_of(strategy), err);
    run = crawldir_last_run(explanation->dir, &root);
    if (run)
        status = take_strategy(explanation->workspace.topic, run, err);
    json_free(root);
    return status;
}

static bool find_knowledge(struct explanation *explanation)
{
    struct network network = {0};
    struct crawldir_path path = crawldir_path(explanation->dir, CRAWLDIR_TOPIC);
    struct workspace *workspace = &explanation->workspace;

    workspace->path = path.text;
    workspace->network = &network;
    workspace->log = explanation->log;
    workspace->quiet = true;
    return workspace_find_knowledge(workspace, explanation->dir, false) == EXIT_DONE;
}

static scent_status load_state(struct explanation *explanation, struct store *store, struct errmsg *err)
{
    const struct strategy *strategy = &explanation->strategy;
    struct buf blob;
    scent_status status;

    if (!strategy->ops->load)
        return SCENT_OK;
    buf_init(&blob, 0);
    status = store_get(store, REJUDGE_STRATEGY, &blob, err);
    if (status == SCENT_OK)
        status = strategy->ops->load(strategy->state, buf_str(&blob), err);
    buf_release(&blob);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status; /* it has learned nothing yet */
}

/* Where they are damaged, or of another version, a page is explained by itself. */
static scent_status load_repeats(struct explanation *explanation, struct store *store, struct errmsg *err)
{
    struct buf saved;
    scent_status status;

    if (explanation->workspace.topic->content == TOPIC_CONTENT_ALL)
        return SCENT_OK;
    explanation->repeats = repeats_new();
    buf_init(&saved, 0);
    status = store_get(store, "repeats", &saved, err);
    if (status == SCENT_OK && !repeats_load(explanation->repeats, buf_str(&saved)))
        log_line(explanation->log, LOG_INFO, "crawl.db: the value repeats is of another version, or damaged");
    buf_release(&saved);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

static bool open_crawl(struct explanation *explanation, struct store *store, const char *strategy)
{
    struct strategy_context context = {0};
    struct errmsg err = {{0}};
    scent_status status =
        topic_load(crawldir_path(explanation->dir, CRAWLDIR_TOPIC).text, &explanation->workspace.topic, &err);

    if (status == SCENT_OK)
        status = name_strategy(explanation, strategy, &err);
    if (status != SCENT_OK) {
        leave_unexplained(explanation->why, "the topic", err.text);
        return false;
    }
    if (!find_knowledge(explanation)) {
        leave_unexplained(explanation->why, "the topic", "its model, rules, traces or browsing model no longer exist");
        return false;
    }
    context.topic = explanation->workspace.topic;
    context.knowledge = &explanation->workspace.knowledge;
    status = strategy_open(&context, &explanation->strategy, &err);
    if (status == SCENT_OK)
        status = load_state(explanation, store, &err);
    if (status == SCENT_OK)
        status = load_repeats(explanation, store, &err);
    if (status != SCENT_OK)
        leave_unexplained(explanation->why, "the strategy", err.text);
    return status == SCENT_OK;
}

static scent_status add_seed(void *ctx, const struct pagefile_page *from, struct errmsg *err);

static void open_judge(struct explanation *explanation)
{
    struct page_options options = {.whole_page = explanation->workspace.topic->content == TOPIC_CONTENT_ALL,
                                   .url_flags = topic_url_flags(explanation->workspace.topic),
                                   .max_bytes = PAGEFILE_MAX_BYTES};
    struct errmsg err = {{0}};

    explanation->pdf = pdf_reader_new(NULL, NULL, &err);
    options.pdf = pdf_reader_option(explanation->pdf);
    explanation->analyser = page_analyser_new(&options);
    if (archive_open(explanation->dir, explanation->log, &explanation->archive, &err) != SCENT_OK)
        explanation->archive = NULL;
    for (size_t i = 0; i < explanation->workspace.topic->nseeds && explanation->archive; i++)
        if (pagefile_find(explanation->archive, explanation->workspace.topic->seeds[i].href, &explanation->lookup,
                          add_seed, explanation, &err) != SCENT_OK)
            log_line(explanation->log, LOG_INFO, "%.*s: %s", STR_ARG(explanation->workspace.topic->seeds[i].href),
                     err.text);
    explanation->judge = judge_new(&(struct judge_basis){.topic = explanation->workspace.topic,
                                                   .knowledge = &explanation->workspace.knowledge,
                                                   .seeds = &explanation->seeds,
                                                   .wants = explanation->strategy.ops->wants,
                                                   .version = 1});
}

/* ---- pages ---- */

static bool is_seed(const struct explanation *explanation, const struct page *page)
{
    const struct topic *topic = explanation->workspace.topic;

    for (size_t i = 0; i < topic->nseeds; i++)
        if (str_eq(topic->seeds[i].href, page->url.href))
            return true;
    return false;
}

/* As the crawl sees it: seeds alone, other pages among those of their host. */
static scent_status analyse(struct explanation *explanation, const struct pagefile_page *from, struct page *page)
{
    struct repeats_host *host;

    arena_reset(&explanation->arena);
    SCENT_TRY(page_analyse_stored(explanation->analyser, from->url, from->headers, from->body, &explanation->arena,
                                  page));
    if (!explanation->repeats || is_seed(explanation, page))
        return SCENT_OK;
    host = repeats_of(explanation->repeats, &page->url);
    repeats_apply(host, page);
    repeats_host_unref(host);
    return SCENT_OK;
}

static scent_status add_seed(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct explanation *explanation = ctx;
    struct page page;

    (void)err;
    SCENT_TRY(analyse(explanation, from, &page));
    return centroid_add_page(&explanation->seeds, &page);
}

static scent_status tell_reasons(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct explanation *explanation = ctx;
    struct why *why = explanation->why;
    struct page page;
    scent_status status = analyse(explanation, from, &page);
    struct judge_input input = {.page = &page, .bytes = page.bytes, .depth = why->url.depth,
                                .seed = why->url.flags & CANDIDATE_SEED, .arena = &explanation->arena};
    struct buf reasons;

    (void)err;
    if (status != SCENT_OK)
        return status;
    buf_init(&reasons, 0);
    status = judge_explain(explanation->judge, &input, &reasons);
    why->reasons = arena_str(&why->arena, str_trim(buf_str(&reasons)));
    buf_release(&reasons);
    return status;
}

/* The page with the best link is seen again; what was learned after it counts. */
static scent_status score_again(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    static const uint8_t own[STRATEGY_OWN_BYTES];
    struct explanation *explanation = ctx;
    struct why *why = explanation->why;
    struct judgement judgement;
    struct page page;
    uint32_t *targets;
    scent_status status = analyse(explanation, from, &page);
    struct judge_input input = {.page = &page, .bytes = page.bytes, .arena = &explanation->arena};
    struct strategy_visit visit = {.number = why->links[0].link.page, .id = STRATEGY_UNKNOWN, .page = &page,
                                   .judgement = &judgement, .own = own};

    (void)err;
    targets = status == SCENT_OK ? arena_array(&explanation->arena, page.nlinks + 1, sizeof *targets) : NULL;
    if (!targets)
        return status == SCENT_OK ? SCENT_E_NOMEM : status;
    judge_page(explanation->judge, &input, &judgement);
    visit.targets = targets;
    for (uint32_t i = 0; i < page.nlinks; i++)
        targets[i] = str_eq(page.links[i].url.href, why->url.url) ? why->url.id : STRATEGY_UNKNOWN;
    for (uint32_t i = 0; i < page.nlinks && !why->explained; i++)
        if (targets[i] != STRATEGY_UNKNOWN) {
            explanation->strategy.ops->score(explanation->strategy.state, &visit, i, &why->score);
            why->explained = true;
        }
    return SCENT_OK;
}

/* ---- the explanation ---- */

static void explain_score(struct explanation *explanation)
{
    const struct strategy *strategy = &explanation->strategy;
    struct why *why = explanation->why;
    struct errmsg err = {{0}};

    why->score = (struct strategy_score){.priority = why->url.priority};
    memcpy(why->score.own, why->url.own, sizeof why->score.own);
    if (strategy->ops->explain && strategy->ops->explain(strategy->state, why->url.id, &why->score)) {
        why->explained = why->now = true;
        return;
    }
    /* A strategy that learns keeps no score of a seed, which did not become a candidate by a link. */
    if (!why->linking || (strategy->ops->explain && why->url.flags & CANDIDATE_SEED))
        return;
    if (!explanation->archive)
        leave_unexplained(why, "the score", "the page that links to it is not archived here");
    else if (pagefile_find(explanation->archive, why->links[0].from, &explanation->lookup, score_again, explanation,
                           &err) != SCENT_OK)
        leave_unexplained(why, "the score", err.text[0] ? err.text : "the page that links to it cannot be read");
}

static void explain_verdict(struct explanation *explanation)
{
    struct why *why = explanation->why;
    struct errmsg err = {{0}};

    if (!why->visits || !why->page.counted || !explanation->archive)
        return;
    if (pagefile_find(explanation->archive, why->url.url, &explanation->lookup, tell_reasons, explanation, &err) !=
        SCENT_OK)
        leave_unexplained(why, "the verdict", err.text[0] ? err.text : "the page cannot be read");
}

void why_explain(struct why *why, struct store *store, const char *dir, const char *strategy, const struct log *log)
{
    struct explanation explanation = {.why = why, .dir = dir, .log = log};

    arena_init(&explanation.arena, PAGE_ARENA);
    centroid_init(&explanation.seeds);
    buf_init(&explanation.lookup, 0);
    if (open_crawl(&explanation, store, strategy)) {
        why->strategy = explanation.strategy.ops->name;
        open_judge(&explanation);
        explain_score(&explanation);
        explain_verdict(&explanation);
    }
    judge_unref(explanation.judge);
    page_analyser_free(explanation.analyser);
    pdf_reader_free(explanation.pdf);
    repeats_free(explanation.repeats);
    archive_free(explanation.archive);
    buf_release(&explanation.lookup);
    centroid_release(&explanation.seeds);
    if (explanation.strategy.ops)
        strategy_close(&explanation.strategy);
    knowledge_release(&explanation.workspace.knowledge);
    topic_free(explanation.workspace.topic);
    arena_release(&explanation.arena);
}
