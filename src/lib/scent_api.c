/* scent_api - the functions of scent.h, in terms of the modules.
 *
 * What comes from outside is copied by the size that its struct states, and what goes out is written no further. */
#include "app/crawl_run.h"
#include "base/file.h"
#include "crawldir/crawldir.h"
#include "plugin/plugin.h"
#include "strategy/strategy.h"
#include "topic/external.h"
#include "topic/judge.h"
#include "training/trained.h"
#include "training/training_set.h"
#include "url/url.h"

#include <scent.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGE_ARENA = 256 << 20 };

struct scent {
    char *path;
    struct topic *topic;
    struct trained trained;
    struct knowledge knowledge;
    struct judge *judge;
    struct page_analyser *analyser;
    struct log log;
};

struct scent_document {
    struct arena arena;
    struct page page;
    struct buf text;
    struct scent_page view;
};

/* ---- failures ---- */

static int fail(struct scent_error *error, const struct errmsg *why)
{
    if (error)
        snprintf(error->text, sizeof error->text, "%s", why->text[0] ? why->text : "out of memory");
    return -1;
}

static int fail_with(struct scent_error *error, const char *why)
{
    if (error)
        snprintf(error->text, sizeof error->text, "%s", why);
    return -1;
}

static void drop_line(void *ctx, enum log_level level, const char *line)
{
    (void)ctx;
    (void)level;
    (void)line;
}

const char *scent_version(void)
{
    return SCENT_VERSION;
}

/* ---- a topic ---- */

/* The folder of the topic file: where programs and plug-ins lie. */
static scent_status open_external(struct scent *scent, struct errmsg *err)
{
    struct arena arena;
    struct str folder;
    scent_status status;

    if (!topic_has_judge(scent->topic))
        return SCENT_OK;
    arena_init(&arena, 64 << 10);
    folder = file_beside(&arena, scent->path, STR("."));
    status = folder.p ? external_open(&scent->topic->judge, folder.p, &scent->log, &scent->knowledge.external, err)
                      : SCENT_E_NOMEM;
    arena_release(&arena);
    return status;
}

static scent_status load_model(struct scent *scent, struct errmsg *err)
{
    size_t end = strlen(scent->path);
    uint64_t fingerprint = 0;
    char path[4096 + 64];
    scent_status status;

    if (topic_classes(scent->topic) == TOPIC_NO_MODEL)
        return SCENT_OK;
    if (str_ends(str_of(scent->path), STR(".yaml")))
        end -= 5;
    snprintf(path, sizeof path, "%.*s.model", (int)end, scent->path);
    status = trained_load(path, &scent->trained, &fingerprint, err);
    if (status == SCENT_E_NOTFOUND)
        return errmsg_fail(err, SCENT_E_INVALID, "%s does not exist: run 'scent train %s' first", path, scent->path);
    SCENT_TRY(status);
    if (fingerprint != training_plan_fingerprint(scent->topic))
        return errmsg_fail(err, SCENT_E_INVALID, "%s is of other examples: run 'scent train %s' again", path,
                           scent->path);
    scent->knowledge.model = scent->trained.judge;
    scent->knowledge.guide = scent->trained.guide;
    return knowledge_check_model(scent->topic, scent->knowledge.model, err);
}

struct scent *scent_open(const char *topic_file, struct scent_error *error)
{
    struct scent *scent = calloc(1, sizeof *scent);
    struct page_options pages = {0};
    struct errmsg err = {{0}};
    scent_status status;

    SCENT_BUG_IF(!scent);
    scent->log = (struct log){.level = LOG_ERROR, .sink = drop_line};
    scent->path = str_dup(str_of(topic_file));
    SCENT_BUG_IF(!scent->path);
    status = topic_load(topic_file, &scent->topic, &err);
    if (status == SCENT_OK)
        status = load_model(scent, &err);
    if (status == SCENT_OK)
        status = open_external(scent, &err);
    if (status == SCENT_OK)
        status = knowledge_check(scent->topic, &scent->knowledge, &err);
    if (status != SCENT_OK) {
        (void)fail(error, &err);
        scent_close(scent);
        return NULL;
    }
    pages.url_flags = topic_url_flags(scent->topic);
    pages.whole_page = scent->topic->content == TOPIC_CONTENT_ALL;
    scent->analyser = page_analyser_new(&pages);
    scent->judge = judge_new(&(struct judge_basis){
        .topic = scent->topic, .knowledge = &scent->knowledge, .version = 1,
        .wants = JUDGE_COSINE | JUDGE_QUERY | JUDGE_CLASSES | JUDGE_BROWSING});
    return scent;
}

void scent_close(struct scent *scent)
{
    if (!scent)
        return;
    judge_unref(scent->judge);
    if (scent->analyser)
        page_analyser_free(scent->analyser);
    external_free(scent->knowledge.external);
    trained_release(&scent->trained);
    topic_free(scent->topic);
    free(scent->path);
    free(scent);
}

/* ---- pages ---- */

struct scent_document *scent_analyse(struct scent *scent, const char *url, const char *headers, const void *body,
                                     size_t length, struct scent_error *error)
{
    struct scent_document *document = calloc(1, sizeof *document);
    scent_status status;

    SCENT_BUG_IF(!document);
    arena_init(&document->arena, PAGE_ARENA);
    buf_init(&document->text, 0);
    status = page_analyse_stored(scent->analyser, str_of(url), str_of(headers), (struct str){body, length},
                                 &document->arena, &document->page);
    for (uint32_t i = 0; status == SCENT_OK && i < document->page.nblocks; i++) {
        const struct page_block *block = &document->page.blocks[i];

        if (!block->is_boilerplate && block->start < block->end) {
            buf_add(&document->text, str_sub(document->page.text, block->start, block->end));
            buf_addc(&document->text, '\n');
        }
    }
    if (status == SCENT_OK)
        status = plugin_show_page(&document->page, buf_str(&document->text), NULL, &document->arena, &document->view);
    if (status == SCENT_OK)
        return document;
    (void)fail_with(error, status == SCENT_E_NOMEM ? "the page is too large" : "its URL is neither http nor https");
    scent_document_free(document);
    return NULL;
}

void scent_document_free(struct scent_document *document)
{
    if (!document)
        return;
    arena_release(&document->arena);
    buf_release(&document->text);
    free(document);
}

const struct scent_page *scent_document_page(const struct scent_document *document)
{
    return &document->view;
}

static struct judgement judge_document(struct scent *scent, const struct scent_document *document, struct arena *arena)
{
    struct judge_input input = {.page = &document->page, .bytes = document->page.bytes, .arena = arena};
    struct judgement judgement;

    judge_page(scent->judge, &input, &judgement);
    return judgement;
}

int scent_judge(struct scent *scent, const struct scent_document *document, struct scent_verdict *out,
                struct scent_error *error)
{
    struct judgement judgement;
    struct scent_verdict verdict;
    struct arena arena;
    uint32_t size = out->size;

    if (size < sizeof verdict)
        return fail_with(error, "scent_verdict.size is not set");
    arena_init(&arena, PAGE_ARENA);
    judgement = judge_document(scent, document, &arena);
    arena_release(&arena);
    if (judgement.is_unanswered)
        return fail_with(error, "the topic's own judge gave no answer");
    verdict = (struct scent_verdict){.size = size, .is_relevant = judgement.relevant, .score = judgement.score};
    memcpy(out, &verdict, sizeof verdict);
    return 0;
}

char *scent_explain(struct scent *scent, const struct scent_document *document, struct scent_error *error)
{
    struct judge_input input = {.page = &document->page, .bytes = document->page.bytes};
    char *text = NULL;
    struct buf reasons;

    buf_init(&reasons, 0);
    if (judge_explain(scent->judge, &input, &reasons) == SCENT_OK)
        text = str_dup(buf_str(&reasons));
    buf_release(&reasons);
    if (!text)
        (void)fail_with(error, "out of memory");
    return text;
}

static void give_score(const struct strategy_score *score, uint32_t size, struct scent_score *out)
{
    *out = (struct scent_score){.size = size, .priority = score->priority, .drop = score->drop};
    memcpy(out->own, score->own, sizeof out->own);
    for (uint32_t i = 0; i < score->nparts && i < SCENT_SCORE_PARTS; i++) {
        out->parts[i].name = score->parts[i].name;
        out->parts[i].value = score->parts[i].value;
        out->parts[i].weight = (double)score->parts[i].weight;
        out->part_count++;
    }
}

int scent_score_links(struct scent *scent, const struct scent_document *document, struct scent_score *scores,
                      struct scent_error *error)
{
    const struct page *page = &document->page;
    struct strategy_context context = {.topic = scent->topic, .knowledge = &scent->knowledge, .seed = 1};
    uint8_t own[STRATEGY_OWN_BYTES] = {0};
    struct strategy_visit visit = {.number = 1, .page = page, .seed = true, .own = own};
    struct strategy strategy;
    struct judgement judgement;
    struct errmsg err = {{0}};
    struct arena arena;
    uint32_t *targets, size = page->nlinks ? scores[0].size : 0;

    if (page->nlinks && size < sizeof *scores)
        return fail_with(error, "scent_score.size is not set");
    if (strategy_open(&context, &strategy, &err) != SCENT_OK)
        return fail(error, &err);
    arena_init(&arena, PAGE_ARENA);
    targets = arena_array(&arena, page->nlinks + (size_t)1, sizeof *targets);
    for (uint32_t i = 0; targets && i < page->nlinks; i++)
        targets[i] = i + 1;
    visit.targets = targets;
    judgement = judge_document(scent, document, &arena);
    visit.judgement = &judgement;
    if (targets && strategy.ops->observe)
        strategy.ops->observe(strategy.state, &visit);
    for (uint32_t i = 0; targets && i < page->nlinks; i++) {
        struct strategy_score score = {0};

        strategy.ops->score(strategy.state, &visit, i, &score);
        give_score(&score, size, (struct scent_score *)((char *)scores + (size_t)i * size));
    }
    strategy_close(&strategy);
    arena_release(&arena);
    return targets ? 0 : fail_with(error, "out of memory");
}

/* ---- crawls ---- */

struct crawling {
    struct scent_crawl_options options;
    atomic_int stop;
};

static struct scent_text text_of(struct str s)
{
    return (struct scent_text){s.p ? s.p : "", s.len};
}

static void tell_page(void *ctx, const struct engine_page *page)
{
    struct crawling *crawling = ctx;
    struct scent_crawled crawled = {
        .size = sizeof crawled,
        .is_relevant = page->relevant,
        .url = text_of(page->url),
        .title = text_of(page->title),
        .lang = text_of(page->lang),
        .score = page->score,
        .priority = (double)page->priority,
        .number = page->number,
        .depth = page->depth,
        .http_status = page->status,
    };

    if (crawling->options.on_page && crawling->options.on_page(crawling->options.context, &crawled) != 0)
        atomic_store(&crawling->stop, 1);
}

static void tell_line(void *ctx, enum log_level level, const char *line)
{
    struct crawling *crawling = ctx;

    (void)level;
    crawling->options.on_message(crawling->options.context, line);
}

int scent_crawl(struct scent *scent, const struct scent_crawl_options *options, struct scent_crawl_report *out,
                struct scent_error *error)
{
    struct crawling crawling = {.options = {0}};
    struct log log = scent->log;
    struct topic topic = *scent->topic;
    struct network network = {0};
    struct engine_options engine = {.topic = &topic, .knowledge = &scent->knowledge, .log = &log,
                                    .stop = &crawling.stop, .on_page = tell_page, .ctx = &crawling};
    struct engine_report report = {0};
    struct errmsg err = {{0}};
    scent_status status;

    if (out->size < sizeof *out || options->size < offsetof(struct scent_crawl_options, context) + sizeof(void *))
        return fail_with(error, "the size of the options or of the report is not set");
    memcpy(&crawling.options, options, options->size < sizeof *options ? options->size : sizeof *options);
    options = &crawling.options;
    if (!options->directory)
        return fail_with(error, "scent_crawl_options.directory is not set");
    if (options->on_message)
        log = (struct log){.level = LOG_INFO, .sink = tell_line, .ctx = &crawling};
    if (options->pages)
        topic.limits.pages = options->pages;
    network.from = options->from;
    network.allow_private = options->allow_private;
    engine.dir = options->directory;
    signal(SIGPIPE, SIG_IGN); /* a server that hangs up must not end the program */
    status = topic.nseeds ? network_open(&network, &log, &err)
                          : errmsg_fail(&err, SCENT_E_INVALID, "%s: there are no seeds", scent->path);
    if (status == SCENT_OK)
        status = network_prepare(&network, scent->path, &topic, &engine, &err);
    if (status == SCENT_OK)
        status = crawldir_make(engine.dir, &err);
    if (status == SCENT_OK)
        status = engine_run(&engine, &report, &err);
    network_close(&network);
    out->can_resume = report.end == ENGINE_INTERRUPTED;
    out->pages = report.totals.pages;
    out->relevant = report.totals.relevant;
    out->failed = report.totals.failed;
    return status == SCENT_OK ? 0 : fail(error, &err);
}
