#include "training/training_plan.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"
#include "page/page.h"
#include "training/example_files.h"
#include "training/taxonomy.h"
#include "url/url.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { URL_LIST_MAX = 32 << 20, SAMPLE = 64 << 10 };
static const size_t max_memory = (size_t)8 << 30;

static const struct str two_classes[] = {{TOPIC_NEGATIVE, sizeof TOPIC_NEGATIVE - 1},
                                         {TOPIC_POSITIVE, sizeof TOPIC_POSITIVE - 1}};

static scent_status add_item(struct training_plan *plan, struct training_items *list, struct str where, uint32_t class)
{
    struct training_item *item;

    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        struct training_item *items =
            arena_grow(&plan->arena, list->items, list->room * sizeof *items, room * sizeof *items);

        if (!items)
            return SCENT_E_NOMEM;
        list->items = items;
        list->room = room;
    }
    item = &list->items[list->count];
    *item = (struct training_item){
        .where = arena_str(&plan->arena, where), .class = class, .is_url = url_is_absolute(where)};
    if (!item->where.p)
        return SCENT_E_NOMEM;
    if (!item->is_url)
        item->file = (uint8_t)pagefile_kind_of(item->where.p);
    list->count++;
    return SCENT_OK;
}

/* ---- the taxonomy ---- */

/* The numbers of the wanted categories. */
static scent_status find_targets(const struct training_plan *plan, const struct taxonomy *taxonomy, int32_t *out,
                                 struct errmsg *err)
{
    const struct topic_taxonomy *wish = &plan->topic->taxonomy;

    for (size_t i = 0; i < wish->ntargets; i++) {
        out[i] = taxonomy_find(taxonomy, wish->targets[i]);
        if (out[i] == TAXONOMY_NONE)
            return errmsg_fail(err, SCENT_E_INVALID,
                               "taxonomy.target: %s has no category '%.*s'; one that it has is '%s'%s", wish->file.p,
                               STR_ARG(wish->targets[i]), taxonomy->categories[0].name,
                               wish->levels ? " (mind taxonomy.levels)" : "");
        if (taxonomy->categories[out[i]].dead)
            return errmsg_fail(err, SCENT_E_INVALID,
                               "taxonomy.target: the category '%.*s' has fewer than %" PRIu32
                               " examples and went into its parent; lower taxonomy.min_leaf or name another",
                               STR_ARG(wish->targets[i]), wish->min_leaf);
    }
    return SCENT_OK;
}

static bool is_target(const struct taxonomy *taxonomy, uint32_t category, const int32_t *targets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (taxonomy_is_below(taxonomy, category, targets[i]))
            return true;
    return false;
}

static scent_status add_category(struct training_plan *plan, struct training_items *list,
                                 const struct taxonomy_category *category, uint32_t class)
{
    for (size_t i = 0; i < category->count; i++)
        SCENT_TRY(add_item(plan, list, str_of(category->items[i].text), class));
    return SCENT_OK;
}

static scent_status fail_memory(const struct training_plan *plan, struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_NOMEM, "%s: out of memory", plan->topic->taxonomy.file.p);
}

/* Targets are what is wanted, unless the user gave examples; all others are what negatives are drawn from. */
static scent_status plan_two_classes(struct training_plan *plan, const struct taxonomy *taxonomy,
                                     const int32_t *targets, struct errmsg *err)
{
    bool own = plan->topic->examples.npositive > 0;
    scent_status status = SCENT_OK;

    for (uint32_t i = 0; i < taxonomy->count && status == SCENT_OK; i++) {
        if (!is_target(taxonomy, i, targets, plan->topic->taxonomy.ntargets))
            status = add_category(plan, &plan->draws, &taxonomy->categories[i], 0);
        else if (!own)
            status = add_category(plan, &plan->given, &taxonomy->categories[i], 1);
    }
    if (!own)
        plan->npositive = plan->given.count;
    if (status != SCENT_OK)
        return fail_memory(plan, err);
    if (plan->npositive == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "taxonomy.target: the wanted categories have no examples");
    if (plan->draws.count == 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "taxonomy: every category is wanted, none is left to draw negative examples from");
    return SCENT_OK;
}

static scent_status plan_all_classes(struct training_plan *plan, const struct taxonomy *taxonomy, struct errmsg *err)
{
    struct str *classes = arena_array(&plan->arena, taxonomy->count, sizeof *classes);

    plan->classes = classes;
    plan->nclasses = 0;
    for (size_t i = 0; i < taxonomy->count; i++) {
        const struct taxonomy_category *category = &taxonomy->categories[i];

        if (category->dead || category->count == 0)
            continue;
        if (!classes || !(classes[plan->nclasses] = arena_str(&plan->arena, str_of(category->name))).p ||
            add_category(plan, &plan->given, category, plan->nclasses++) != SCENT_OK)
            return fail_memory(plan, err);
    }
    if (plan->nclasses < 2)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: a model needs two categories with examples, there %s%s",
                           plan->topic->taxonomy.file.p, plan->nclasses ? "is one" : "are none",
                           plan->topic->taxonomy.min_leaf ? "; lower taxonomy.min_leaf" : "");
    return SCENT_OK;
}

/* Small leaves move up: a target stays as long as it and all below it have so many examples. */
static uint32_t allowed_leaf(const struct topic_taxonomy *wish, const struct taxonomy *taxonomy)
{
    uint32_t leaf = wish->leaf_if_allowed;

    for (size_t i = 0; i < wish->ntargets; i++) {
        int32_t target = taxonomy_find(taxonomy, wish->targets[i]);
        size_t examples = 0;

        for (uint32_t k = 0; target != TAXONOMY_NONE && k < taxonomy->count; k++)
            if (taxonomy_is_below(taxonomy, k, target))
                examples += taxonomy->categories[k].count;
        if (target != TAXONOMY_NONE && examples < leaf)
            leaf = (uint32_t)examples;
    }
    return leaf;
}

static scent_status read_taxonomy(struct training_plan *plan, struct taxonomy *taxonomy, struct errmsg *err)
{
    const struct topic_taxonomy *wish = &plan->topic->taxonomy;
    int32_t *targets = arena_array(&plan->arena, wish->ntargets + 1, sizeof *targets);
    struct errmsg why = {{0}};
    uint64_t dropped;
    uint32_t leaf;
    scent_status status = taxonomy_read(taxonomy, wish->file.p, plan->log, &why);

    if (status != SCENT_OK || !targets)
        return errmsg_fail(err, targets ? status : SCENT_E_NOMEM, "taxonomy: %s", why.text);
    leaf = wish->min_leaf ? wish->min_leaf : allowed_leaf(wish, taxonomy);
    if (leaf && (dropped = taxonomy_merge_leaves(taxonomy, leaf)) > 0)
        log_line(plan->log, LOG_INFO,
                 "taxonomy: %" PRIu64 " pages of inner categories are left out (min_leaf %" PRIu32 ")", dropped, leaf);
    SCENT_TRY(find_targets(plan, taxonomy, targets, err));
    return plan->learns == TOPIC_CATEGORIES ? plan_all_classes(plan, taxonomy, err)
                                            : plan_two_classes(plan, taxonomy, targets, err);
}

/* Everything, or the targets and what to draw from. */
static scent_status plan_taxonomy(struct training_plan *plan, struct errmsg *err)
{
    const struct topic_taxonomy *wish = &plan->topic->taxonomy;
    struct taxonomy_options options = {
        .levels = wish->levels, .per_class = wish->per_class, .seed = plan->topic->model.seed};
    struct taxonomy *taxonomy = taxonomy_new(&options);
    scent_status status = read_taxonomy(plan, taxonomy, err);

    taxonomy_free(taxonomy);
    return status;
}

/* ---- the user's paths ---- */

struct url_list {
    struct training_plan *plan;
    struct training_items *list;
    const char *path;
    uint32_t class;
    size_t bad;
};

static scent_status add_listed(void *ctx, struct str line, size_t number, struct errmsg *err)
{
    struct url_list *urls = ctx;
    struct str url;

    (void)number;
    if (!pagefile_next_url(&line, &url))
        return SCENT_OK;
    if (!url_is_absolute(url)) {
        urls->bad++;
        return SCENT_OK;
    }
    return add_item(urls->plan, urls->list, url, urls->class) == SCENT_OK
               ? SCENT_OK
               : errmsg_fail(err, SCENT_E_NOMEM, "%s: out of memory", urls->path);
}

static scent_status add_urls(struct training_plan *plan, struct training_items *list, const char *path, uint32_t class,
                             struct errmsg *err)
{
    struct url_list urls = {.plan = plan, .list = list, .path = path, .class = class};

    SCENT_TRY(file_each_line(path, URL_LIST_MAX, add_listed, &urls, err));
    if (urls.bad)
        log_line(plan->log, LOG_WARN, "%s: %zu lines are not http or https URLs and are left out", path, urls.bad);
    return SCENT_OK;
}

static scent_status add_path(struct training_plan *plan, struct training_items *list, const char *what,
                             const char *path, uint32_t class, struct errmsg *err)
{
    struct example_files found = {0};
    struct errmsg why = {{0}};
    size_t before = list->count;
    scent_status status;

    if (url_is_absolute(str_of(path)))
        return add_item(plan, list, str_of(path), class) == SCENT_OK
                   ? SCENT_OK
                   : errmsg_fail(err, SCENT_E_NOMEM, "%s: out of memory", path);
    status = example_files_add(&found, path, &plan->arena, &why);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "examples.%s: %s", what, why.text);
    for (size_t i = 0; i < found.count; i++) {
        const struct example_file *file = &found.files[i];

        if (file->kind == PAGEFILE_URLS)
            SCENT_TRY(add_urls(plan, list, file->path.p, class, err));
        else if (add_item(plan, list, file->path, class) != SCENT_OK)
            return errmsg_fail(err, SCENT_E_NOMEM, "%s: out of memory", path);
    }
    if (list->count == before)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "examples.%s: %s holds no example; expected pages (.html, .txt, also .gz), lists of URLs or "
                           "WARC files%s",
                           what, path, found.others ? ", and found only other files" : "");
    example_files_report(&found, path, plan->log);
    plan->others += found.others;
    return SCENT_OK;
}

static scent_status add_paths(struct training_plan *plan, struct training_items *list, const char *what,
                              const struct str *paths, size_t count, uint32_t class, struct errmsg *err)
{
    for (size_t i = 0; i < count; i++)
        SCENT_TRY(add_path(plan, list, what, paths[i].p, class, err));
    return SCENT_OK;
}

static scent_status plan_examples(struct training_plan *plan, struct errmsg *err)
{
    const struct topic_examples *examples = &plan->topic->examples;

    SCENT_TRY(add_paths(plan, &plan->given, "positive", examples->positive, examples->npositive, 1, err));
    plan->npositive = plan->given.count;
    if (examples->nnegative)
        SCENT_TRY(add_paths(plan, &plan->given, "negative", examples->negative, examples->nnegative, 0, err));
    if (examples->nbackground) {
        plan->weak = plan->topic->model.weak > 0 && !plan->topic->learns_backlinks;
        if (plan->weak || !examples->nnegative)
            return add_paths(plan, &plan->draws, "background", examples->background, examples->nbackground, 0, err);
    }
    if (examples->nnegative)
        return SCENT_OK;
    if (plan->topic->taxonomy.file.len)
        return plan_taxonomy(plan, err);
    plan->weak = plan->general = !plan->topic->learns_backlinks;
    return plan->general ? SCENT_OK
                         : errmsg_fail(err, SCENT_E_INVALID,
                                       "there are no negative examples and nothing to draw them from: words around "
                                       "links have to be told from others. Add 'negative: PATH' to 'examples' (pages "
                                       "on other subjects), or 'background: PATH' (pages of all kinds), or a "
                                       "'taxonomy'");
}

static scent_status pass_over(void *ctx, const struct pagefile_page *page, struct errmsg *err)
{
    (void)ctx, (void)page, (void)err;
    return SCENT_OK;
}

/* An archive counts by its pages: so many negatives will have to be fetched for it. */
static void count_positives(struct training_plan *plan)
{
    size_t items = plan->npositive;

    for (size_t i = 0; i < items && plan->draws.count && !training_plan_has_collection(plan); i++) {
        const struct training_item *item = &plan->given.items[i];
        struct pagefile_counts counts = {0};
        struct errmsg err;

        if (!item->is_url && item->file == PAGEFILE_WARC &&
            pagefile_read(item->where.p, PAGEFILE_WARC, pass_over, NULL, &counts, &err) == SCENT_OK && counts.pages)
            plan->npositive += counts.pages - 1;
    }
}

/* ---- the plan ---- */

bool training_plan_has_collection(const struct training_plan *plan)
{
    return plan->topic->taxonomy.collection.len > 0;
}

size_t training_plan_wanted(const struct training_plan *plan, size_t npositive)
{
    size_t wanted = (size_t)ceil((double)npositive * plan->topic->examples.ratio);

    return plan->weak && wanted < TRAINING_PLAN_WEAK ? TRAINING_PLAN_WEAK : wanted;
}

/* Fisher and Yates. */
static void shuffle(struct training_items *list, uint64_t seed)
{
    struct rng rng;

    rng_seed(&rng, seed);
    for (size_t i = list->count; i > 1; i--) {
        size_t k = (size_t)rng_below(&rng, i);
        struct training_item swap = list->items[i - 1];

        list->items[i - 1] = list->items[k];
        list->items[k] = swap;
    }
}

scent_status training_plan_new(const struct topic *topic, const struct log *log, struct training_plan **out,
                               struct errmsg *err)
{
    struct training_plan *plan = calloc(1, sizeof *plan);
    scent_status status;

    SCENT_BUG_IF(!plan);
    *plan = (struct training_plan){.topic = topic, .log = log, .learns = topic_classes(topic)};
    arena_init(&plan->arena, max_memory);
    plan->classes = two_classes;
    plan->nclasses = 2;
    if (plan->learns == TOPIC_NO_MODEL)
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
    SCENT_BUG_IF(plan->learns != TOPIC_CATEGORIES);
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

static size_t list_urls(const struct training_items *list, size_t count, struct buf *out)
{
    size_t urls = 0;

    for (size_t i = 0; i < list->count && i < count; i++)
        if (list->items[i].is_url && is_good_url(list->items[i].where)) {
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
    size_t count;

    if (!own && training_plan_has_collection(plan))
        return 0;
    count = list_urls(&plan->given, plan->given.count, out);
    if (!training_plan_has_collection(plan))
        count += list_urls(&plan->draws, training_plan_wanted(plan, plan->npositive), out);
    return count;
}

/* ---- the fingerprint ---- */

static void mix(uint64_t *sum, const void *bytes, size_t len)
{
    *sum = hash_mix(*sum, hash_bytes(bytes, len, len));
}

static void mix_number(uint64_t *sum, double number)
{
    mix(sum, &number, sizeof number);
}

static void mix_str(uint64_t *sum, struct str s)
{
    mix(sum, s.p ? s.p : "", s.len);
}

/* Its size, its beginning and its end. */
static void mix_file(uint64_t *sum, const char *path, char *room)
{
    struct stat st;
    ssize_t got;
    int fd;

    if (file_open(path, FILE_REGULAR, &fd, NULL) != SCENT_OK || fstat(fd, &st)) {
        mix_str(sum, STR("unreadable"));
    } else {
        mix_number(sum, (double)st.st_size);
        got = pread(fd, room, SAMPLE, 0);
        mix(sum, room, got > 0 ? (size_t)got : 0);
        got = st.st_size > SAMPLE ? pread(fd, room, SAMPLE, st.st_size > 2 * SAMPLE ? st.st_size - SAMPLE : SAMPLE) : 0;
        mix(sum, room, got > 0 ? (size_t)got : 0);
    }
    if (fd >= 0)
        close(fd);
}

/* The names count from the path on, so that a folder may be moved together with its topic. */
static void mix_path(uint64_t *sum, struct str path, char *room)
{
    struct example_files found = {0};
    struct arena arena;

    arena_init(&arena, (size_t)1 << 30);
    if (url_is_absolute(path))
        mix_str(sum, path);
    else if (!path.len || example_files_add(&found, path.p, &arena, NULL) != SCENT_OK)
        mix_str(sum, STR("missing"));
    for (size_t i = 0; i < found.count; i++) {
        const char *slash = strrchr(found.files[i].path.p, '/');

        mix_str(sum, found.files[i].folder);
        mix_str(sum, str_of(slash ? slash + 1 : found.files[i].path.p));
        mix_file(sum, found.files[i].path.p, room);
    }
    arena_release(&arena);
}

static void mix_paths(uint64_t *sum, const struct str *paths, size_t count, char *room)
{
    mix_number(sum, (double)count);
    for (size_t i = 0; i < count; i++)
        mix_path(sum, paths[i], room);
}

static void mix_model(uint64_t *sum, const struct model_options *model)
{
    const double numbers[] = {
        (double)model->kind, (double)model->weighting, model->C,
        model->alpha,        model->flatten,           (double)model->folds,
        (double)model->hidden, (double)model->epochs,  model->l2,
        (double)model->max_features, (double)model->loss, model->weak, model->prior,
    };

    mix(sum, numbers, sizeof numbers);
    mix(sum, &model->seed, sizeof model->seed);
}

uint64_t training_plan_fingerprint(const struct topic *topic)
{
    const struct topic_examples *examples = &topic->examples;
    const struct topic_taxonomy *taxonomy = &topic->taxonomy;
    const double numbers[] = {examples->ratio, taxonomy->min_leaf ? taxonomy->min_leaf : taxonomy->leaf_if_allowed,
                              taxonomy->levels, taxonomy->per_class, PAGE_VERSION, topic->content};
    char *room = malloc(SAMPLE);
    uint64_t sum = 2; /* the version of this sum */

    SCENT_BUG_IF(!room);
    mix_model(&sum, &topic->model);
    mix(&sum, numbers, sizeof numbers);
    for (size_t i = 0; i < taxonomy->ntargets; i++)
        mix_str(&sum, taxonomy->targets[i]);
    mix_paths(&sum, examples->positive, examples->npositive, room);
    mix_paths(&sum, examples->negative, examples->nnegative, room);
    mix_paths(&sum, examples->background, examples->nbackground, room);
    if (taxonomy->file.len)
        mix_path(&sum, taxonomy->file, room);
    if (taxonomy->collection.len)
        mix_path(&sum, taxonomy->collection, room);
    if (topic->learns_backlinks) {
        mix_str(&sum, STR("backlinks"));
        mix_path(&sum, topic->graph, room);
    }
    free(room);
    return sum;
}
