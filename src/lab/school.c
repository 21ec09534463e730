#include "lab/school.h"

#include "base/hash.h"
#include "lab/trial.h"
#include "training/taxonomy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct lesson {
    struct experiment_model model;
    struct school_lesson taught;
};

struct school {
    const struct experiment *experiment;
    const struct collection *collection;
    struct arena arena;
    struct str *classes;
    uint32_t nclasses;
    struct learn_example *examples; /* class by class */
    uint32_t *pages;                /* of the examples */
    size_t count;
    struct lesson *lessons;
    size_t nlessons;
};

bool school_teaches(const struct experiment *experiment, struct str url)
{
    /* The upper 32 bits as a number in [0, 1). */
    return (double)(hash_str(url, experiment->seed) >> 32) / 4294967296. < experiment->taxonomy.share;
}

/* ---- classes and examples ---- */

static scent_status plant(const struct school *school, const struct labels *labels, struct taxonomy *taxonomy)
{
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < labels->count && status == SCENT_OK; i++) {
        const struct labels_row *row = &labels->rows[i];
        char number[16];

        if (!school_teaches(school->experiment, collection_url(school->collection, row->page)))
            continue;
        snprintf(number, sizeof number, "%" PRIu32, row->page);
        status = taxonomy_add(taxonomy, row->category, str_of(number));
        if (status == SCENT_E_INVALID)
            status = SCENT_OK; /* a category without a name */
    }
    return status;
}

static scent_status add_example(struct school *school, const char *item)
{
    struct learn_example *example = &school->examples[school->count];
    const struct page *page;
    uint64_t number;

    SCENT_BUG_IF(!str_parse_u64(str_of(item), &number));
    page = collection_page(school->collection, (uint32_t)number, NULL);
    if (!page)
        return SCENT_E_FORMAT;
    if (page->nbag == 0)
        return SCENT_OK;
    example->class = school->nclasses;
    school->pages[school->count++] = (uint32_t)number;
    return trial_page_tf(page, &school->arena, &example->tf);
}

static scent_status add_class(struct school *school, const struct taxonomy_category *category)
{
    size_t before = school->count;
    scent_status status = SCENT_OK;

    for (uint32_t i = 0; i < category->count && status == SCENT_OK; i++)
        status = add_example(school, category->items[i]);
    if (status != SCENT_OK || school->count == before)
        return status;
    school->classes[school->nclasses] = arena_str(&school->arena, str_of(category->name));
    return school->classes[school->nclasses++].p ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status harvest(struct school *school, const struct taxonomy *taxonomy)
{
    scent_status status = SCENT_OK;

    school->classes = arena_array(&school->arena, taxonomy->count + 1, sizeof *school->classes);
    school->examples = arena_array(&school->arena, taxonomy->nitems + 1, sizeof *school->examples);
    school->pages = arena_array(&school->arena, taxonomy->nitems + 1, sizeof *school->pages);
    if (!school->classes || !school->examples || !school->pages)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < taxonomy->count && status == SCENT_OK; i++)
        if (!taxonomy->categories[i].dead)
            status = add_class(school, &taxonomy->categories[i]);
    return status;
}

static scent_status read_labels(struct school *school, const struct labels *labels, struct errmsg *err)
{
    struct taxonomy_options options = {.levels = school->experiment->taxonomy.levels};
    struct taxonomy *taxonomy = taxonomy_new(&options);
    scent_status status = plant(school, labels, taxonomy);

    if (status == SCENT_OK) {
        if (school->experiment->taxonomy.min_leaf)
            (void)taxonomy_merge_leaves(taxonomy, school->experiment->taxonomy.min_leaf);
        status = harvest(school, taxonomy);
    }
    taxonomy_free(taxonomy);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "the labels cannot be taught: %s", scent_status_text(status));
    return school->nclasses > 1 ? SCENT_OK
                                : errmsg_fail(err, SCENT_E_INVALID,
                                              "a model of the labels needs two categories, and %s; lower "
                                              "taxonomy.min_leaf",
                                              school->nclasses ? "one is left" : "none is left");
}

/* ---- rules ---- */

static uint32_t class_of(const struct school *school, const struct model *model, uint32_t page, struct arena *scratch,
                         double *scores)
{
    const struct page *content = collection_page(school->collection, page, NULL);
    struct text_vector tf;

    arena_reset(scratch);
    if (!content || trial_page_tf(content, scratch, &tf) != SCENT_OK)
        return RULEBOOK_NONE;
    model_decision(model, &tf, scores);
    return model_best(scores, model_nclasses(model));
}

/* Of every page that is taught: RULEBOOK_NONE for the others. */
static uint32_t *classify(const struct school *school, const struct model *model)
{
    uint32_t npages = collection_count(school->collection);
    uint32_t *class = malloc((npages + 1) * sizeof *class);
    double *scores = calloc(school->nclasses, sizeof *scores);
    struct arena scratch;

    SCENT_BUG_IF(!class || !scores);
    arena_init(&scratch, SIZE_MAX);
    for (uint32_t i = 0; i < npages; i++)
        class[i] = school_teaches(school->experiment, collection_url(school->collection, i))
                       ? class_of(school, model, i, &scratch, scores)
                       : RULEBOOK_NONE;
    arena_release(&scratch);
    free(scores);
    return class;
}

/* Examples come class by class, so one stamp a page tells whether the class has counted it. */
static void count_rules(const struct school *school, const uint32_t *class, struct rulebook *rules)
{
    uint32_t *stamp = calloc(collection_count(school->collection) + 1, sizeof *stamp);

    SCENT_BUG_IF(!stamp);
    for (size_t i = 0; i < school->count; i++) {
        uint32_t from = school->examples[i].class;
        const uint32_t *targets;
        const struct page *page = collection_page(school->collection, school->pages[i], &targets);

        for (uint32_t k = 0; page && k < page->nlinks; k++) {
            uint32_t to = targets[k];

            if (class[to] == RULEBOOK_NONE || stamp[to] == from + 1 || to == school->pages[i])
                continue;
            stamp[to] = from + 1;
            rulebook_add(rules, from, class[to], 1);
        }
    }
    free(stamp);
}

static scent_status teach(struct school *school, const struct experiment_model *wish, struct lesson *out,
                          struct errmsg *err)
{
    struct learn_set set = {.examples = school->examples, .nexamples = school->count, .classes = school->classes,
                            .nclasses = school->nclasses};
    struct model *model = NULL;
    struct rulebook *rules = NULL;
    scent_status status = model_train(&set, &wish->options, &model, err);

    out->model = *wish;
    out->taught.model = model;
    if (status == SCENT_OK)
        status = rulebook_new(school->classes, school->nclasses, &rules, err);
    out->taught.rules = rules;
    if (status == SCENT_OK) {
        uint32_t *class = classify(school, model);

        count_rules(school, class, rules);
        free(class);
    }
    return status;
}

/* ---- the interface ---- */

const struct school_lesson *school_lesson(const struct school *school, const struct experiment_model *model)
{
    for (size_t i = 0; school && i < school->nlessons; i++)
        if (experiment_same_model(&school->lessons[i].model, model))
            return &school->lessons[i].taught;
    return NULL;
}

static scent_status fill(struct school *school, const struct labels *labels, struct errmsg *err)
{
    const struct experiment *experiment = school->experiment;
    scent_status status = read_labels(school, labels, err);

    school->lessons = arena_zalloc(&school->arena, experiment->nstrategies * sizeof *school->lessons);
    if (!school->lessons)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the labels");
    for (size_t i = 0; i < experiment->nstrategies && status == SCENT_OK; i++) {
        const struct experiment_model *model = &experiment->strategies[i].model;

        if (model->taxonomy && !school_lesson(school, model))
            status = teach(school, model, &school->lessons[school->nlessons++], err);
    }
    return status;
}

scent_status school_new(const struct experiment *experiment, const struct collection *collection,
                        const struct labels *labels, struct school **out, struct errmsg *err)
{
    struct school *school;
    scent_status status;

    *out = NULL;
    if (!experiment->schooled)
        return SCENT_OK;
    school = calloc(1, sizeof *school);
    SCENT_BUG_IF(!school);
    school->experiment = experiment;
    school->collection = collection;
    arena_init(&school->arena, SIZE_MAX);
    status = fill(school, labels, err);
    if (status == SCENT_OK)
        *out = school;
    else
        school_free(school);
    return status;
}

void school_free(struct school *school)
{
    if (!school)
        return;
    for (size_t i = 0; i < school->nlessons; i++) {
        model_free((struct model *)school->lessons[i].taught.model);
        rulebook_free((struct rulebook *)school->lessons[i].taught.rules);
    }
    arena_release(&school->arena);
    free(school);
}
