#include "lab/trial_model.h"

#include "base/hash.h"
#include "base/rng.h"
#include "training/backlink_examples.h"
#include "training/general_pages.h"
#include "training/taxonomy.h"
#include "training/topic_walks.h"

#include <stdlib.h>

/* ---- examples ---- */

static scent_status add_pages(struct trial_examples *examples, const struct collection *collection,
                              const uint32_t *pages, size_t count, uint32_t class)
{
    for (size_t i = 0; i < count; i++) {
        const struct page *page = collection_page(collection, pages[i], NULL);
        struct learn_example *example = &examples->items[examples->count++];

        if (!page)
            return SCENT_E_FORMAT;
        example->class = class;
        SCENT_TRY(page_frequencies(page, &examples->arena, &example->tf));
    }
    return SCENT_OK;
}

static scent_status examples_init(struct trial_examples *examples, size_t room)
{
    static const struct str classes[] = {{TOPIC_NEGATIVE, sizeof TOPIC_NEGATIVE - 1},
                                         {TOPIC_POSITIVE, sizeof TOPIC_POSITIVE - 1}};

    *examples = (struct trial_examples){.set = {.classes = classes, .nclasses = 2}};
    arena_init(&examples->arena, SIZE_MAX);
    examples->items = arena_array(&examples->arena, room + 1, sizeof *examples->items);
    return examples->items ? SCENT_OK : SCENT_E_NOMEM;
}

void trial_examples_release(struct trial_examples *examples)
{
    arena_release(&examples->arena);
}

/* What a model learns from: pages of the topic, of other topics, and pages of which nothing is known. */
struct training_pages {
    const uint32_t *positives, *negatives, *weak;
    size_t npositives, nnegatives, nweak;
    size_t ngeneral; /* pages about nothing in particular, by … */
    uint64_t seed;
};

static scent_status add_general(struct trial_examples *examples, size_t count, uint64_t seed)
{
    const struct background *background = background_for(STR("en"));
    struct general_pages general;
    struct rng rng;

    rng_seed(&rng, seed);
    for (size_t i = 0; count && i < examples->count; i++)
        SCENT_TRY(general_pages_known(background, &examples->arena, &examples->items[i].tf));
    general = general_pages_of(background, general_pages_length(examples->items, examples->count));
    for (size_t i = 0; i < count; i++) {
        examples->items[examples->count].class = TRIAL_OTHER;
        SCENT_TRY(general_pages_draw(&general, &rng, &examples->arena, &examples->items[examples->count++].tf));
    }
    return SCENT_OK;
}

static scent_status read_pages(struct trial_examples *examples, const struct collection *collection,
                               const struct training_pages *from, struct errmsg *err)
{
    size_t room = from->npositives + from->nnegatives + from->nweak + from->ngeneral;
    scent_status status = examples_init(examples, room);

    if (status == SCENT_OK)
        status = add_pages(examples, collection, from->positives, from->npositives, TRIAL_TOPIC);
    if (status == SCENT_OK)
        status = add_pages(examples, collection, from->negatives, from->nnegatives, TRIAL_OTHER);
    if (status == SCENT_OK)
        status = add_pages(examples, collection, from->weak, from->nweak, TRIAL_OTHER);
    if (status == SCENT_OK)
        status = add_general(examples, from->ngeneral, from->seed);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "the examples cannot be read: %s", scent_status_text(status));
    examples->set.examples = examples->items;
    examples->set.nexamples = examples->count;
    examples->set.nweak = from->nweak + from->ngeneral;
    return status;
}

/* Pages of the collection as a crawl would meet them: all but the examples, whatever they are. */
static scent_status draw_background(const struct collection *collection, const struct trial *trial, uint64_t seed,
                                    size_t count, uint32_t *out, size_t *drawn)
{
    size_t npages = collection_count(collection);
    bool *from = malloc(npages * sizeof *from);
    struct rng rng;

    if (!from)
        return SCENT_E_NOMEM;
    memset(from, true, npages * sizeof *from);
    for (size_t i = 0; i < trial->npositives; i++)
        from[trial->positives[i]] = false;
    for (size_t i = 0; i < trial->nnegatives; i++)
        from[trial->negatives[i]] = false;
    rng_seed(&rng, hash_str(trial->name, seed + trial->repeat));
    *drawn = trial_draw(from, npages, count, &rng, out);
    free(from);
    return SCENT_OK;
}

static scent_status read_known(struct trial_examples *examples, const struct collection *collection,
                               const struct trial *trial, uint64_t seed, const struct experiment_model *model,
                               struct errmsg *err)
{
    struct training_pages from = {.positives = trial->positives, .npositives = trial->npositives,
                                  .negatives = trial->negatives,
                                  .nnegatives = model->positive_only ? 0 : trial->nnegatives,
                                  .ngeneral = model->general, .seed = hash_str(trial->name, seed + trial->repeat)};
    uint32_t *weak = malloc((model->background + (size_t)1) * sizeof *weak);
    scent_status status;

    *examples = (struct trial_examples){0};
    from.weak = weak;
    status = weak ? SCENT_OK : SCENT_E_NOMEM;
    if (weak && model->background)
        status = draw_background(collection, trial, seed, model->background, weak, &from.nweak);
    status = status == SCENT_OK ? read_pages(examples, collection, &from, err)
                                : errmsg_fail(err, status, "no memory for %u pages", model->background);
    free(weak);
    return status;
}

static scent_status read_windows(struct trial_examples *examples, const struct page_graph *backlinks,
                                 const struct trial *trial, uint64_t seed, struct errmsg *err)
{
    scent_status status = examples_init(examples, trial->npositives + trial->nnegatives);
    size_t positives;
    struct rng rng;

    rng_seed(&rng, hash_mix(hash_str(trial->name, seed), trial->repeat));
    if (status == SCENT_OK)
        status = backlink_examples_add(backlinks, trial->positives, trial->npositives, TRIAL_TOPIC, &rng,
                                       &examples->arena, NULL, examples->items, &examples->count);
    positives = examples->count;
    if (status == SCENT_OK)
        status = backlink_examples_add(backlinks, trial->negatives, trial->nnegatives, TRIAL_OTHER, &rng,
                                       &examples->arena, NULL, examples->items, &examples->count);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "the back-links of the examples cannot be read: %s", scent_status_text(status));
    if (positives == 0 || examples->count == positives)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "no page of the collection links to the %s: there is nothing to learn from; write model: "
                           "{train: pages}", positives ? "negatives" : "seeds");
    examples->set.examples = examples->items;
    examples->set.nexamples = examples->count;
    return SCENT_OK;
}

scent_status trial_examples_read(const struct collection *collection, const struct page_graph *backlinks,
                                 const struct trial *trial, uint64_t seed, const struct experiment_model *model,
                                 struct trial_examples *out, struct errmsg *err)
{
    scent_status status = model->backlinks ? read_windows(out, backlinks, trial, seed, err)
                                           : read_known(out, collection, trial, seed, model, err);

    if (status != SCENT_OK)
        trial_examples_release(out);
    return status;
}

scent_status trial_model_train(const struct collection *collection, const struct page_graph *backlinks,
                               const struct trial *trial, uint64_t seed, const struct experiment_model *model,
                               struct trained *out, struct errmsg *err)
{
    struct trial_examples examples;
    scent_status status;

    SCENT_TRY(trial_examples_read(collection, backlinks, trial, seed, model, &examples, err));
    status = trained_learn(&examples.set, &model->options, TRIAL_RATIO, out, err);
    trial_examples_release(&examples);
    return status;
}

/* ---- evaluation classifiers ---- */

static const enum model_kind evaluation_kinds[] = {MODEL_BAYES, MODEL_SVM, MODEL_MLP};
enum { CLASSIFIERS = sizeof evaluation_kinds / sizeof *evaluation_kinds };

static scent_status train_evaluation(const struct collection *collection, const struct labels *labels,
                                     const struct trial *trial, uint64_t seed, struct arena *arena,
                                     struct model **classifiers, struct errmsg *err)
{
    size_t npages = collection_count(collection), npositives = 0, nnegatives;
    uint32_t *positives = arena_array(arena, trial->nrelevant, sizeof *positives);
    uint32_t *negatives = arena_array(arena, 2 * trial->nrelevant, sizeof *negatives);
    bool *others = arena_zalloc(arena, npages * sizeof *others);
    struct trial_examples examples;
    struct rng rng;
    scent_status status;

    if (!others || !positives || !negatives)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the evaluation classifiers");
    for (size_t i = 0; i < npages; i++)
        if (trial->relevant[i])
            positives[npositives++] = (uint32_t)i;
    trial_others(trial, labels, npages, others);
    rng_seed(&rng, hash_str(trial->name, seed));
    nnegatives = trial_draw(others, npages, 2 * trial->nrelevant, &rng, negatives);
    status = read_pages(&examples, collection,
                        &(struct training_pages){.positives = positives, .npositives = npositives,
                                                  .negatives = negatives, .nnegatives = nnegatives}, err);
    for (size_t i = 0; i < CLASSIFIERS && status == SCENT_OK; i++) {
        struct model_options options = model_options_default(evaluation_kinds[i]);

        options.seed = seed;
        status = model_train(&examples.set, &options, &classifiers[i], err);
    }
    trial_examples_release(&examples);
    return status;
}

static scent_status vote(struct model *const *classifiers, const struct page *page, struct arena *arena,
                         bool *relevant, double *probability)
{
    struct text_vector tf;
    unsigned votes = 0;

    *probability = 0;
    if (!page)
        return SCENT_E_FORMAT;
    SCENT_TRY(page_frequencies(page, arena, &tf));
    for (size_t i = 0; i < CLASSIFIERS; i++) {
        double p[2];

        model_predict(classifiers[i], &tf, p);
        votes += p[TRIAL_TOPIC] > .5;
        *probability += p[TRIAL_TOPIC] / CLASSIFIERS;
    }
    *relevant = votes * 2 > CLASSIFIERS;
    return SCENT_OK;
}

scent_status trial_model_evaluate(const struct collection *collection, const struct labels *labels,
                                  const struct trial *trial, uint64_t seed, bool *relevant, double *probability,
                                  struct errmsg *err)
{
    struct model *classifiers[CLASSIFIERS] = {NULL};
    struct arena arena;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    status = train_evaluation(collection, labels, trial, seed, &arena, classifiers, err);
    for (uint32_t i = 0; i < collection_count(collection) && status == SCENT_OK; i++) {
        arena_reset(&arena);
        status = vote(classifiers, collection_page(collection, i, NULL), &arena, &relevant[i], &probability[i]);
        if (status != SCENT_OK)
            errmsg_fail(err, status, "page %u cannot be judged: %s", i, scent_status_text(status));
    }
    for (size_t i = 0; i < CLASSIFIERS; i++)
        model_free(classifiers[i]);
    arena_release(&arena);
    return status;
}

/* ---- category model ---- */

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

static const uint32_t *links_of(const void *ctx, uint32_t number, size_t *count)
{
    const uint32_t *targets = NULL;
    const struct page *page = collection_page(ctx, number, &targets);

    *count = page ? page->nlinks : 0;
    return targets;
}

static void walk_rules(const struct category_models *models, const uint32_t *class, uint32_t walks,
                       struct rulebook *rules)
{
    struct topic_walks wanted = {.class = class, .links = links_of, .ctx = models->collection, .starts = models->pages,
                                 .nstarts = models->count, .walks = walks};

    wanted.seed = hash_mix(models->experiment->seed, walks);
    topic_walks_count(&wanted, rules);
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

        if (wish->walks)
            walk_rules(models, class, wish->walks, rules);
        else
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
