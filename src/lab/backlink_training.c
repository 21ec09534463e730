#include "lab/backlink_training.h"

#include "base/hash.h"
#include "context/context.h"

struct lesson {
    const struct collection *collection;
    const struct backlinks *backlinks;
    struct rng rng;
    struct arena arena;
    struct learn_example *examples;
    size_t nexamples;
};

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

/* An example without any words but stop words teaches nothing and is left out. */
static scent_status add_window(struct lesson *lesson, struct backlink from, uint32_t class)
{
    const struct page *page = collection_page(lesson->collection, from.page, NULL);
    struct learn_example *example = &lesson->examples[lesson->nexamples];
    struct text_weight *items;
    struct context range;

    if (!page)
        return SCENT_E_FORMAT;
    range = context_window(page, from.link, BACKLINK_TRAINING_WORDS);
    items = arena_array(&lesson->arena, range.end - range.first + 1, sizeof *items);
    if (!items)
        return SCENT_E_NOMEM;
    *example = (struct learn_example){context_bag(page, range, NULL, items), class};
    lesson->nexamples += example->tf.count > 0;
    return SCENT_OK;
}

static scent_status add_class(struct lesson *lesson, const uint32_t *pages, size_t npages, uint32_t class)
{
    struct backlink *pool = arena_array(&lesson->arena, npages * BACKLINK_TRAINING_LINKS + 1, sizeof *pool);
    size_t n = 0, count;
    scent_status status = SCENT_OK;

    if (!pool)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < npages; i++)
        n += backlinks_draw(lesson->backlinks, pages[i], BACKLINK_TRAINING_LINKS, &lesson->rng, pool + n);
    count = n < npages ? n : npages;
    shuffle(pool, n, count, &lesson->rng);
    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = add_window(lesson, pool[i], class);
    return status;
}

static scent_status prepare(struct lesson *lesson, const struct trial *trial, struct errmsg *err)
{
    size_t positives = 0;
    scent_status status;

    lesson->examples = arena_array(&lesson->arena, trial->nseeds + trial->nnegatives + 1, sizeof *lesson->examples);
    status = lesson->examples ? add_class(lesson, trial->seeds, trial->nseeds, TRIAL_TOPIC) : SCENT_E_NOMEM;
    positives = lesson->nexamples;
    if (status == SCENT_OK)
        status = add_class(lesson, trial->negatives, trial->nnegatives, TRIAL_OTHER);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "the back-links of the examples cannot be read: %s", scent_status_text(status));
    if (positives == 0 || lesson->nexamples == positives)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "no page of the collection links to the %s: there is nothing to learn from; write model: "
                           "{train: pages}", positives ? "negatives" : "seeds");
    return SCENT_OK;
}

scent_status backlink_train(const struct collection *collection, const struct backlinks *backlinks,
                            const struct trial *trial, uint64_t seed, const struct model_options *options,
                            struct model **out, struct errmsg *err)
{
    struct lesson lesson = {.collection = collection, .backlinks = backlinks};
    scent_status status;

    rng_seed(&lesson.rng, hash_mix(hash_str(trial->name, seed), trial->repeat));
    arena_init(&lesson.arena, SIZE_MAX);
    status = prepare(&lesson, trial, err);
    if (status == SCENT_OK)
        status = trial_train_examples(lesson.examples, lesson.nexamples, options, out, err);
    arena_release(&lesson.arena);
    return status;
}
