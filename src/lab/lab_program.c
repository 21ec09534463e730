/* The scores that a program of the user's gives the pages of a collection (`judge: {command: …}` of an experiment).
 *
 * The program depends on nothing but a page, so each is asked for once, before the crawls, and all trials share the
 * answers. A collection does not keep the texts of its pages: they are analysed again for it. */
#include "lab/lab.h"

#include "base/file.h"
#include "base/machine.h"
#include "lab/collection_file.h"
#include "topic/external.h"
#include "web/web.h"

#include <math.h>
#include <stdlib.h>

enum { PAGE_MEMORY = 256 << 20 };

struct asking {
    struct lab *lab;
    const struct lab_options *options;
    struct web *web;
    struct page_options pages;
    struct asker {
        struct page_analyser *analyser;
        struct arena arena;
        struct buf body;
    } *askers;
    atomic_size_t done, unanswered;
};

static bool ask(struct asking *asking, struct asker *asker, uint32_t page, double *score)
{
    struct str href = collection_url(asking->lab->collection, page);
    struct judge_input input = {0};
    struct external_answer answer = {0};
    struct web_response response;
    struct errmsg err;
    struct page analysed;

    arena_reset(&asker->arena);
    if (web_get(asking->web, href, &asker->body, &response, &err) != SCENT_OK ||
        page_analyse_stored(asker->analyser, href, response.head, response.body, &asker->arena, &analysed) != SCENT_OK)
        return false;
    input.page = &analysed;
    input.bytes = analysed.bytes;
    external_ask(asking->lab->external, &input, &answer);
    *score = answer.score;
    return answer.is_given;
}

static void ask_one(void *ctx, uint32_t thread, size_t i)
{
    struct asking *asking = ctx;
    const struct lab_options *options = asking->options;
    double *score = &asking->lab->scores[i];

    if (options->stop && atomic_load(options->stop))
        return;
    if (!ask(asking, &asking->askers[thread], (uint32_t)i, score)) {
        *score = NAN;
        atomic_fetch_add(&asking->unanswered, 1);
    }
    atomic_fetch_add(&asking->done, 1);
}

static scent_status ask_all(struct asking *asking, struct errmsg *err)
{
    uint32_t count = collection_count(asking->lab->collection);
    uint32_t threads = external_threads(asking->lab->external, asking->options->threads);
    size_t unanswered;

    asking->askers = calloc(threads, sizeof *asking->askers);
    SCENT_BUG_IF(!asking->askers);
    for (uint32_t i = 0; i < threads; i++) {
        asking->askers[i].analyser = page_analyser_new(&asking->pages);
        arena_init(&asking->askers[i].arena, PAGE_MEMORY);
        buf_init(&asking->askers[i].body, 0);
    }
    cores_run(threads, count, ask_one, asking);
    for (uint32_t i = 0; i < threads; i++) {
        page_analyser_free(asking->askers[i].analyser);
        arena_release(&asking->askers[i].arena);
        buf_release(&asking->askers[i].body);
    }
    free(asking->askers);
    if (external_has_failed(asking->lab->external, err))
        return SCENT_E_INVALID;
    if (atomic_load(&asking->done) < count)
        return errmsg_fail(err, SCENT_E_END, "interrupted while pages were judged; run it again");
    unanswered = atomic_load(&asking->unanswered);
    if (unanswered)
        log_line(asking->options->log, LOG_WARN, "the judge has no answer for %zu of %u pages: they count as 0",
                 unanswered, count);
    return SCENT_OK;
}

scent_status lab_ask_program(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    const struct experiment *experiment = lab->experiment;
    struct asking asking = {.lab = lab, .options = options};
    struct str folder;
    scent_status status;

    if (experiment->judge != JUDGED_BY_PROGRAM)
        return SCENT_OK;
    folder = file_beside(&lab->arena, experiment->file.p, STR("."));
    lab->scores = calloc(collection_count(lab->collection) + (size_t)1, sizeof *lab->scores);
    if (!folder.p || !lab->scores)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the scores of the pages");
    asking.pages = (struct page_options){.url_flags = COLLECTION_URL_FLAGS, .max_bytes = experiment->page_bytes,
                                         .max_links = experiment->page_links,
                                         .whole_page = experiment->content == TOPIC_CONTENT_ALL};
    SCENT_TRY(external_open(&experiment->program, folder.p, options->log, &lab->external, err));
    SCENT_TRY(web_open(experiment->collection.p, options->log, &asking.web, err));
    status = ask_all(&asking, err);
    web_free(asking.web);
    return status;
}
