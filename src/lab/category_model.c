#include "lab/category_model.h"

#include "lab/trial_model.h"
#include "training/taxonomy.h"

#include <stdlib.h>

struct kind {
    struct experiment_model model;
    struct category_model learned;
};

struct category_models {
    const struct experiment *experiment;
    const struct collection *collection;
    struct arena arena;
    struct str *classes;
    uint32_t nclasses;
    struct learn_example *examples; /* class by class */
    uint32_t *pages;                /* of the examples */
    size_t count;
    struct kind *kinds;
    size_t nkinds;
};

/* ---- classes and examples ---- */

static scent_status add_labels(const struct category_models *models, const struct labels *labels,
                               struct taxonomy *taxonomy)
{
    for (size_t i = 0; i < labels->count; i++) {
        const struct labels_row *row = &labels->rows[i];
        scent_status status;

        if (!experiment_trains_on(models->experiment, collection_url(models->collection, row->page)))
            continue;
        status = taxonomy_add_number(taxonomy, row->category, row->page);
        if (status != SCENT_OK && status != SCENT_E_INVALID) /* invalid: a category without a name */
            return status;
    }
    return SCENT_OK;
}

static scent_status add_example(struct category_models *models, uint32_t number)
{
    struct learn_example *example = &models->examples[models->count];
    const struct page *page = collection_page(models->collection, number, NULL);

    if (!page)
        return SCENT_E_FORMAT;
    if (page->nbag == 0)
        return SCENT_OK;
    example->class = models->nclasses;
    models->pages[models->count++] = number;
    return page_frequencies(page, &models->arena, &example->tf);
}

static scent_status add_class(struct category_models *models, const struct taxonomy_category *category)
{
    size_t before = models->count;

    for (size_t i = 0; i < category->count; i++)
        SCENT_TRY(add_example(models, category->items[i].number));
    if (models->count == before)
        return SCENT_OK;
    models->classes[models->nclasses] = arena_str(&models->arena, str_of(category->name));
    return models->classes[models->nclasses++].p ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status add_classes(struct category_models *models, const struct taxonomy *taxonomy)
{
    models->classes = arena_array(&models->arena, taxonomy->count + 1, sizeof *models->classes);
    models->examples = arena_array(&models->arena, taxonomy->nitems + 1, sizeof *models->examples);
    models->pages = arena_array(&models->arena, taxonomy->nitems + 1, sizeof *models->pages);
    if (!models->classes || !models->examples || !models->pages)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < taxonomy->count; i++)
        if (!taxonomy->categories[i].dead)
            SCENT_TRY(add_class(models, &taxonomy->categories[i]));
    return SCENT_OK;
}

static scent_status read_labels(struct category_models *models, const struct labels *labels, struct errmsg *err)
{
    struct taxonomy_options options = {.levels = models->experiment->taxonomy.levels};
    struct taxonomy *taxonomy = taxonomy_new(&options);
    scent_status status = add_labels(models, labels, taxonomy);

    if (status == SCENT_OK) {
        if (models->experiment->taxonomy.min_leaf)
            (void)taxonomy_merge_leaves(taxonomy, models->experiment->taxonomy.min_leaf);
        status = add_classes(models, taxonomy);
    }
    taxonomy_free(taxonomy);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "nothing can be learned from the labels: %s", scent_status_text(status));
    return models->nclasses > 1 ? SCENT_OK
                                : errmsg_fail(err, SCENT_E_INVALID,
                                              "a model of the labels needs two categories, and %s; lower "
                                              "taxonomy.min_leaf",
                                              models->nclasses ? "one is left" : "none is left");
}

/* ---- rules ---- */

static uint32_t class_of(const struct category_models *models, const struct model *model, uint32_t page,
                         struct arena *scratch, double *scores)
{
    const struct page *content = collection_page(models->collection, page, NULL);
    struct text_vector tf;

    arena_reset(scratch);
    if (!content || page_frequencies(content, scratch, &tf) != SCENT_OK)
        return RULEBOOK_NONE;
    model_decision(model, &tf, scores);
    return model_best(scores, model_nclasses(model));
}

/* Of every training page: RULEBOOK_NONE for the others. */
static uint32_t *classify(const struct category_models *models, const struct model *model)
{
    uint32_t npages = collection_count(models->collection);
    uint32_t *class = malloc((npages + 1) * sizeof *class);
    double *scores = calloc(models->nclasses, sizeof *scores);
    struct arena scratch;

    SCENT_BUG_IF(!class || !scores);
    arena_init(&scratch, SIZE_MAX);
    for (uint32_t i = 0; i < npages; i++)
        class[i] = experiment_trains_on(models->experiment, collection_url(models->collection, i))
                       ? class_of(models, model, i, &scratch, scores)
                       : RULEBOOK_NONE;
    arena_release(&scratch);
    free(scores);
    return class;
}

/* Examples come class by class, so one stamp a page tells whether the class has counted it. */
static void count_rules(const struct category_models *models, const uint32_t *class, struct rulebook *rules)
{
    uint32_t *stamp = calloc(collection_count(models->collection) + 1, sizeof *stamp);

    SCENT_BUG_IF(!stamp);
    for (size_t i = 0; i < models->count; i++) {
        uint32_t from = models->examples[i].class;
        const uint32_t *targets;
        const struct page *page = collection_page(models->collection, models->pages[i], &targets);

        for (uint32_t k = 0; page && k < page->nlinks; k++) {
            uint32_t to = targets[k];

            if (class[to] == RULEBOOK_NONE || stamp[to] == from + 1 || to == models->pages[i])
                continue;
            stamp[to] = from + 1;
            rulebook_add(rules, from, class[to], 1);
        }
    }
    free(stamp);
}

static scent_status train_kind(struct category_models *models, const struct experiment_model *wish, struct kind *out,
                               struct errmsg *err)
{
    struct learn_set set = {.examples = models->examples, .nexamples = models->count, .classes = models->classes,
                            .nclasses = models->nclasses};
    struct model *model = NULL;
    struct rulebook *rules = NULL;
    scent_status status = model_train(&set, &wish->options, &model, err);

    out->model = *wish;
    out->learned.model = model;
    if (status == SCENT_OK)
        status = rulebook_new(models->classes, models->nclasses, &rules, err);
    out->learned.rules = rules;
    if (status == SCENT_OK) {
        uint32_t *class = classify(models, model);

        count_rules(models, class, rules);
        free(class);
    }
    return status;
}

/* ---- the interface ---- */

const struct category_model *category_models_find(const struct category_models *models,
                                                  const struct experiment_model *kind)
{
    for (size_t i = 0; models && i < models->nkinds; i++)
        if (experiment_same_model(&models->kinds[i].model, kind))
            return &models->kinds[i].learned;
    return NULL;
}

static scent_status train_all(struct category_models *models, const struct labels *labels, struct errmsg *err)
{
    const struct experiment *experiment = models->experiment;
    scent_status status = read_labels(models, labels, err);

    models->kinds = arena_zalloc(&models->arena, experiment->nstrategies * sizeof *models->kinds);
    if (!models->kinds)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the labels");
    for (size_t i = 0; i < experiment->nstrategies && status == SCENT_OK; i++) {
        const struct experiment_model *model = &experiment->strategies[i].model;

        if (model->taxonomy && !category_models_find(models, model))
            status = train_kind(models, model, &models->kinds[models->nkinds++], err);
    }
    return status;
}

scent_status category_models_new(const struct experiment *experiment, const struct collection *collection,
                                 const struct labels *labels, struct category_models **out, struct errmsg *err)
{
    struct category_models *models;
    scent_status status;

    *out = NULL;
    if (!experiment->trains_on_labels)
        return SCENT_OK;
    models = calloc(1, sizeof *models);
    SCENT_BUG_IF(!models);
    models->experiment = experiment;
    models->collection = collection;
    arena_init(&models->arena, SIZE_MAX);
    status = train_all(models, labels, err);
    if (status == SCENT_OK)
        *out = models;
    else
        category_models_free(models);
    return status;
}

void category_models_free(struct category_models *models)
{
    if (!models)
        return;
    for (size_t i = 0; i < models->nkinds; i++) {
        model_free((struct model *)models->kinds[i].learned.model);
        rulebook_free((struct rulebook *)models->kinds[i].learned.rules);
    }
    arena_release(&models->arena);
    free(models);
}
