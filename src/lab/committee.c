#include "lab/committee.h"

#include "base/rng.h"

#include <stdlib.h>

enum { MEMBERS = 3 };

static const enum model_kind kinds[MEMBERS] = {MODEL_BAYES, MODEL_SVM, MODEL_MLP};

struct committee {
    uint32_t *positives, *negatives;
    size_t npositives, nnegatives;
    struct model *members[MEMBERS];
};

static scent_status choose(const struct collection *collection, const struct labels *labels, const struct trial *trial,
                           uint64_t seed, struct arena *arena, struct committee *out)
{
    size_t npages = collection_count(collection);
    bool *others = arena_zalloc(arena, npages * sizeof *others);
    struct rng rng;

    out->positives = arena_array(arena, trial->nrelevant, sizeof *out->positives);
    out->negatives = arena_array(arena, 2 * trial->nrelevant, sizeof *out->negatives);
    if (!others || !out->positives || !out->negatives)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < npages; i++)
        if (trial->relevant[i])
            out->positives[out->npositives++] = (uint32_t)i;
    trial_others(trial, labels, npages, others);
    rng_seed(&rng, hash_str(trial->name, seed));
    out->nnegatives = trial_draw(others, npages, 2 * trial->nrelevant, &rng, out->negatives);
    return SCENT_OK;
}

static scent_status train(const struct collection *collection, struct committee *committee, uint64_t seed,
                          struct errmsg *err)
{
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < MEMBERS && status == SCENT_OK; i++) {
        struct model_options options = model_options_default(kinds[i]);

        options.seed = seed;
        status = trial_train(collection, &options, committee->positives, committee->npositives, committee->negatives,
                             committee->nnegatives, &committee->members[i], err);
    }
    return status;
}

static scent_status vote(const struct committee *committee, const struct page *page, struct arena *arena,
                         bool *verdict, double *probability)
{
    struct text_vector tf;
    unsigned votes = 0;
    scent_status status = page ? trial_page_tf(page, arena, &tf) : SCENT_E_FORMAT;

    *probability = 0;
    for (size_t i = 0; i < MEMBERS && status == SCENT_OK; i++) {
        double p[2];

        model_predict(committee->members[i], &tf, p);
        votes += p[TRIAL_TOPIC] > .5;
        *probability += p[TRIAL_TOPIC] / MEMBERS;
    }
    *verdict = votes * 2 > MEMBERS;
    return status;
}

scent_status committee_judge(const struct collection *collection, const struct labels *labels,
                             const struct trial *trial, uint64_t seed, bool *verdict, double *probability,
                             struct errmsg *err)
{
    struct committee committee = {0};
    struct arena arena, scratch;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    arena_init(&scratch, SIZE_MAX);
    status = choose(collection, labels, trial, seed, &arena, &committee);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "no memory for the committee");
    else
        status = train(collection, &committee, seed, err);
    for (uint32_t i = 0; i < collection_count(collection) && status == SCENT_OK; i++) {
        arena_reset(&scratch);
        status = vote(&committee, collection_page(collection, i, NULL), &scratch, &verdict[i], &probability[i]);
        if (status != SCENT_OK)
            errmsg_fail(err, status, "page %u cannot be judged: %s", i, scent_status_text(status));
    }
    for (size_t i = 0; i < MEMBERS; i++)
        model_free(committee.members[i]);
    arena_release(&scratch);
    arena_release(&arena);
    return status;
}
