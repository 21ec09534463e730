#include "lab/trial_model.h"

#include "base/hash.h"
#include "page/context.h"

struct examples {
    const struct collection *collection;
    struct arena arena;
    struct learn_example *items;
    size_t count;
};

static scent_status train_examples(const struct examples *examples, const struct model_options *options,
                                   struct model **out, struct errmsg *err)
{
    const struct str classes[] = {STR(TOPIC_NEGATIVE), STR(TOPIC_POSITIVE)};
    struct learn_set set = {
        .examples = examples->items, .nexamples = examples->count, .classes = classes, .nclasses = 2};

    return model_train(&set, options, out, err);
}

/* ---- from pages ---- */

static scent_status add_pages(struct examples *examples, const uint32_t *pages, size_t count, uint32_t class)
{
    for (size_t i = 0; i < count; i++) {
        const struct page *page = collection_page(examples->collection, pages[i], NULL);
        struct learn_example *example = &examples->items[examples->count++];

        if (!page)
            return SCENT_E_FORMAT;
        example->class = class;
        SCENT_TRY(page_frequencies(page, &examples->arena, &example->tf));
    }
    return SCENT_OK;
}

static scent_status train_pages(const struct collection *collection, const struct model_options *options,
                                const uint32_t *positives, size_t npositives, const uint32_t *negatives,
                                size_t nnegatives, struct model **out, struct errmsg *err)
{
    struct examples examples = {.collection = collection};
    scent_status status;

    arena_init(&examples.arena, SIZE_MAX);
    examples.items = arena_array(&examples.arena, npositives + nnegatives, sizeof *examples.items);
    status = examples.items ? add_pages(&examples, positives, npositives, TRIAL_TOPIC) : SCENT_E_NOMEM;
    if (status == SCENT_OK)
        status = add_pages(&examples, negatives, nnegatives, TRIAL_OTHER);
    status = status == SCENT_OK
                 ? train_examples(&examples, options, out, err)
                 : errmsg_fail(err, status, "the examples cannot be read: %s", scent_status_text(status));
    arena_release(&examples.arena);
    return status;
}

scent_status trial_model_train(const struct collection *collection, const struct trial *trial,
                               const struct model_options *options, struct model **out, struct errmsg *err)
{
    return train_pages(collection, options, trial->seeds, trial->nseeds, trial->negatives, trial->nnegatives, out, err);
}

/* ---- from back-links ---- */

/* `count` of the n items come to the front, each as likely as the others. */
static void shuffle(struct backlink *items, size_t n, size_t count, struct rng *rng)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = i + rng_below(rng, n - i);
        struct backlink item = items[i];

        items[i] = items[k];
        items[k] = item;
    }
}

/* A window without any words but stop words is no example. */
static scent_status add_window(struct examples *examples, struct backlink from, uint32_t class)
{
    const struct page *page = collection_page(examples->collection, from.page, NULL);
    struct learn_example *example = &examples->items[examples->count];
    struct text_weight *items;
    struct context range;

    if (!page)
        return SCENT_E_FORMAT;
    range = context_window(page, from.link, TRIAL_MODEL_WORDS);
    items = arena_array(&examples->arena, range.end - range.first + 1, sizeof *items);
    if (!items)
        return SCENT_E_NOMEM;
    *example = (struct learn_example){context_bag(page, range, NULL, items), class};
    examples->count += example->tf.count > 0;
    return SCENT_OK;
}

static scent_status add_windows(struct examples *examples, const struct backlinks *backlinks, const uint32_t *pages,
                                size_t npages, uint32_t class, struct rng *rng)
{
    struct backlink *links = arena_array(&examples->arena, npages * TRIAL_MODEL_LINKS + 1, sizeof *links);
    size_t n = 0, count;

    if (!links)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < npages; i++)
        n += backlinks_draw(backlinks, pages[i], TRIAL_MODEL_LINKS, rng, links + n);
    count = n < npages ? n : npages;
    shuffle(links, n, count, rng);
    for (size_t i = 0; i < count; i++)
        SCENT_TRY(add_window(examples, links[i], class));
    return SCENT_OK;
}

static scent_status collect_windows(struct examples *examples, const struct backlinks *backlinks,
                                    const struct trial *trial, struct rng *rng, struct errmsg *err)
{
    size_t positives;
    scent_status status;

    examples->items = arena_array(&examples->arena, trial->nseeds + trial->nnegatives + 1, sizeof *examples->items);
    status = examples->items ? add_windows(examples, backlinks, trial->seeds, trial->nseeds, TRIAL_TOPIC, rng)
                             : SCENT_E_NOMEM;
    positives = examples->count;
    if (status == SCENT_OK)
        status = add_windows(examples, backlinks, trial->negatives, trial->nnegatives, TRIAL_OTHER, rng);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "the back-links of the examples cannot be read: %s", scent_status_text(status));
    if (positives == 0 || examples->count == positives)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "no page of the collection links to the %s: there is nothing to learn from; write model: "
                           "{train: pages}", positives ? "negatives" : "seeds");
    return SCENT_OK;
}

scent_status trial_model_train_backlinks(const struct collection *collection, const struct backlinks *backlinks,
                                         const struct trial *trial, uint64_t seed, const struct model_options *options,
                                         struct model **out, struct errmsg *err)
{
    struct examples examples = {.collection = collection};
    struct rng rng;
    scent_status status;

    rng_seed(&rng, hash_mix(hash_str(trial->name, seed), trial->repeat));
    arena_init(&examples.arena, SIZE_MAX);
    status = collect_windows(&examples, backlinks, trial, &rng, err);
    if (status == SCENT_OK)
        status = train_examples(&examples, options, out, err);
    arena_release(&examples.arena);
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
    struct rng rng;

    if (!others || !positives || !negatives)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the evaluation classifiers");
    for (size_t i = 0; i < npages; i++)
        if (trial->relevant[i])
            positives[npositives++] = (uint32_t)i;
    trial_others(trial, labels, npages, others);
    rng_seed(&rng, hash_str(trial->name, seed));
    nnegatives = trial_draw(others, npages, 2 * trial->nrelevant, &rng, negatives);
    for (size_t i = 0; i < CLASSIFIERS; i++) {
        struct model_options options = model_options_default(evaluation_kinds[i]);

        options.seed = seed;
        SCENT_TRY(train_pages(collection, &options, positives, npositives, negatives, nnegatives, &classifiers[i],
                              err));
    }
    return SCENT_OK;
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
