#include "training/training_plan.h"

#include "base/file.h"
#include "base/rng.h"
#include "training/pagefile.h"
#include "url/url.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_MEMORY = 1 << 30, URL_LIST_MAX = 256 << 20 };

static const struct str two_classes[] = {{TOPIC_NEGATIVE, sizeof TOPIC_NEGATIVE - 1},
                                         {TOPIC_POSITIVE, sizeof TOPIC_POSITIVE - 1}};

scent_status plan_list_add(struct plan_list *list, struct arena *arena, struct str where, uint32_t class)
{
    struct plan_item *item;

    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        struct plan_item *items = arena_grow(arena, list->items, list->room * sizeof *items, room * sizeof *items);

        if (!items)
            return SCENT_E_NOMEM;
        list->items = items;
        list->room = room;
    }
    item = &list->items[list->count];
    *item = (struct plan_item){.where = arena_str(arena, where), .class = class};
    if (!item->where.p)
        return SCENT_E_NOMEM;
    item->kind = url_is_absolute(where) ? PLAN_URL : PLAN_FILE;
    if (item->kind == PLAN_FILE)
        item->file = (uint8_t)pagefile_kind_of(item->where.p);
    list->count++;
    return SCENT_OK;
}

/* ---- the user's paths ---- */

static scent_status add_urls(struct training_plan *plan, struct plan_list *list, const char *path, uint32_t class,
                             struct errmsg *err)
{
    struct buf text;
    struct str rest, url;
    size_t bad = 0;
    scent_status status;

    buf_init(&text, URL_LIST_MAX);
    status = file_read(path, &text, err);
    for (rest = buf_str(&text); status == SCENT_OK && pagefile_next_url(&rest, &url);) {
        if (!url_is_absolute(url))
            bad++;
        else if ((status = plan_list_add(list, &plan->arena, url, class)) != SCENT_OK)
            errmsg_fail(err, status, "%s: out of memory", path);
    }
    if (bad)
        log_line(plan->log, LOG_WARN, "%s: %zu lines are no http or https URLs and are left out", path, bad);
    buf_release(&text);
    return status;
}

static scent_status add_path(struct training_plan *plan, struct plan_list *list, const char *what, const char *path,
                             uint32_t class, struct errmsg *err)
{
    struct example_files found = {0};
    struct errmsg why = {{0}};
    size_t before = list->count;
    scent_status status;

    if (url_is_absolute(str_of(path))) {
        status = plan_list_add(list, &plan->arena, str_of(path), class);
        return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: out of memory", path);
    }
    status = example_files_add(&found, path, &plan->arena, &why);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "examples.%s: %s", what, why.text);
    for (size_t i = 0; status == SCENT_OK && i < found.count; i++) {
        const struct example_file *file = &found.files[i];

        if (file->kind == PAGEFILE_URLS)
            status = add_urls(plan, list, file->path.p, class, err);
        else if ((status = plan_list_add(list, &plan->arena, file->path, class)) != SCENT_OK)
            errmsg_fail(err, status, "%s: out of memory", path);
    }
    if (status == SCENT_OK && list->count == before)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "examples.%s: %s holds no example; expected pages (.html, .txt, also .gz), lists of URLs or "
                           "WARC files%s",
                           what, path, found.others ? ", and found only other files" : "");
    return status;
}

static scent_status add_paths(struct training_plan *plan, struct plan_list *list, const char *what,
                              const struct str *paths, size_t count, uint32_t class, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = add_path(plan, list, what, paths[i].p, class, err);
    return status;
}

/* Fisher and Yates. */
static void shuffle(struct plan_list *list, uint64_t seed)
{
    struct rng rng;

    rng_seed(&rng, seed);
    for (size_t i = list->count; i > 1; i--) {
        size_t k = (size_t)rng_below(&rng, i);
        struct plan_item swap = list->items[i - 1];

        list->items[i - 1] = list->items[k];
        list->items[k] = swap;
    }
}

static scent_status plan_examples(struct training_plan *plan, struct errmsg *err)
{
    const struct topic_examples *examples = &plan->topic->examples;
    scent_status status = add_paths(plan, &plan->given, "positive", examples->positive, examples->npositive, 1, err);

    plan->npositive = plan->given.count;
    if (status == SCENT_OK && examples->nnegative)
        return add_paths(plan, &plan->given, "negative", examples->negative, examples->nnegative, 0, err);
    if (status == SCENT_OK && examples->nbackground)
        return add_paths(plan, &plan->draws, "background", examples->background, examples->nbackground, 0, err);
    if (status == SCENT_OK && !plan->topic->taxonomy.file.len)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "there are no negative examples and nothing to draw them from: a model needs to see what is "
                           "not "
                           "wanted too. Add 'negative: PATH' to 'examples' (pages on other subjects), or 'background: "
                           "PATH' (pages of all kinds, some of which are drawn), or a 'taxonomy'");
    return status == SCENT_OK ? plan_taxonomy(plan, err) : status;
}

/* ---- how many positives ---- */

static scent_status pass_over(void *ctx, const struct pagefile_page *page, struct errmsg *err)
{
    (void)ctx, (void)page, (void)err;
    return SCENT_OK;
}

/* An archive counts by its pages: so many negatives will have to be fetched for it. */
static void count_positives(struct training_plan *plan)
{
    size_t items = plan->npositive;

    for (size_t i = 0; i < items && plan->draws.count && !plan_has_collection(plan); i++) {
        const struct plan_item *item = &plan->given.items[i];
        struct pagefile_counts counts = {0};
        struct errmsg err;

        if (item->kind == PLAN_FILE && item->file == PAGEFILE_WARC &&
            pagefile_read(item->where.p, PAGEFILE_WARC, pass_over, NULL, &counts, &err) == SCENT_OK && counts.pages)
            plan->npositive += counts.pages - 1;
    }
}

/* ---- the plan ---- */

bool plan_has_collection(const struct training_plan *plan)
{
    return plan->topic->taxonomy.collection.len > 0;
}

size_t plan_wanted(const struct training_plan *plan, size_t npositive)
{
    return (size_t)ceil((double)npositive * plan->topic->examples.ratio);
}

scent_status training_plan_new(const struct topic *topic, const struct log *log, struct training_plan **out,
                           struct errmsg *err)
{
    struct training_plan *plan = calloc(1, sizeof *plan);
    scent_status status;

    SCENT_BUG_IF(!plan);
    *plan = (struct training_plan){.topic = topic, .log = log, .lesson = topic_lesson(topic)};
    arena_init(&plan->arena, MAX_MEMORY);
    plan->classes = two_classes;
    plan->nclasses = 2;
    if (plan->lesson == TOPIC_NO_MODEL)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "the topic has no examples; add 'examples: {positive: PATH, negative: PATH}' or a "
                             "'taxonomy'");
    else if (topic->examples.npositive)
        status = plan_examples(plan, err);
    else
        status = plan_taxonomy(plan, err);
    if (status != SCENT_OK) {
        training_plan_free(plan);
        return status;
    }
    count_positives(plan);
    shuffle(&plan->draws, topic->model.seed);
    *out = plan;
    return SCENT_OK;
}

void training_plan_free(struct training_plan *plan)
{
    if (!plan)
        return;
    arena_release(&plan->arena);
    free(plan);
}

void training_plan_links(struct training_plan *plan, struct linked_pages *linked)
{
    SCENT_BUG_IF(plan->lesson != TOPIC_CATEGORIES);
    plan->linked = linked;
}

static bool is_good_url(struct str text)
{
    struct arena arena;
    struct url url;
    bool good;

    arena_init(&arena, 256 << 10);
    good = url_parse(&arena, text, NULL, &url) == SCENT_OK;
    arena_release(&arena);
    return good;
}

static size_t list_urls(const struct plan_list *list, size_t count, struct buf *out)
{
    size_t urls = 0;

    for (size_t i = 0; i < list->count && i < count; i++)
        if (list->items[i].kind == PLAN_URL && is_good_url(list->items[i].where)) {
            buf_add(out, list->items[i].where);
            buf_addc(out, '\n');
            urls++;
        }
    return urls;
}

/* A taxonomy with a collection has its pages there; lists of URLs beside it are fetched all the same, and what the
 * collection has is not asked for a second time: it is found there first. */
size_t training_plan_urls(const struct training_plan *plan, struct buf *out)
{
    bool own = plan->topic->examples.npositive > 0;

    if (!own && plan_has_collection(plan))
        return 0;
    return list_urls(&plan->given, plan->given.count, out) +
           (plan_has_collection(plan) ? 0 : list_urls(&plan->draws, plan_wanted(plan, plan->npositive), out));
}
