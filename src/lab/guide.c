#include "lab/guide.h"

#include "topic/vector.h"

#include <stdlib.h>

struct guide {
    const struct trial *trial;
    bool by_label;
    struct model_options options;
    struct model *model;
    struct arena arena; /* for one page */
    double norm;
    struct text_vector centroid;
    struct judgement *verdicts; /* of every page; version 0: not judged yet */
    struct arena kept;
};

/* The mean of the seeds' vectors, for similar(). */
static scent_status make_centroid(struct guide *guide, const struct collection *collection)
{
    struct centroid centroid;
    scent_status status = SCENT_OK;

    centroid_init(&centroid);
    for (size_t i = 0; i < guide->trial->nseeds && status == SCENT_OK; i++) {
        const struct page *page = collection_page(collection, guide->trial->seeds[i], NULL);
        struct text_vector vector;

        arena_reset(&guide->arena);
        status = page ? topic_page_vector(page, &guide->arena, &vector) : SCENT_E_FORMAT;
        if (status == SCENT_OK)
            status = centroid_add(&centroid, &vector);
    }
    if (status == SCENT_OK)
        status = centroid_vector(&centroid, &guide->kept, &guide->centroid);
    guide->norm = text_norm(&guide->centroid);
    centroid_release(&centroid);
    return status;
}

scent_status guide_new(const struct experiment *experiment, const struct collection *collection,
                       const struct trial *trial, const struct model_options *options, struct guide **out,
                       struct errmsg *err)
{
    struct guide *guide = calloc(1, sizeof *guide);
    scent_status status;

    SCENT_BUG_IF(!guide);
    guide->trial = trial;
    guide->by_label = experiment->judge == JUDGED_BY_LABEL;
    guide->options = *options;
    arena_init(&guide->arena, SIZE_MAX);
    arena_init(&guide->kept, SIZE_MAX);
    guide->verdicts = calloc(collection_count(collection), sizeof *guide->verdicts);
    SCENT_BUG_IF(!guide->verdicts);
    status = make_centroid(guide, collection);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "the seeds cannot be read: %s", scent_status_text(status));
    else
        status = trial_train(collection, options, trial->seeds, trial->nseeds, trial->negatives, trial->nnegatives,
                             &guide->model, err);
    if (status == SCENT_OK)
        *out = guide;
    else
        guide_free(guide);
    return status;
}

void guide_free(struct guide *guide)
{
    if (!guide)
        return;
    model_free(guide->model);
    arena_release(&guide->arena);
    arena_release(&guide->kept);
    free(guide->verdicts);
    free(guide);
}

const struct model *guide_model(const struct guide *guide)
{
    return guide->model;
}

bool guide_fits(const struct guide *guide, const struct model_options *options)
{
    const struct model_options *own = &guide->options;

    return own->kind == options->kind && own->weighting == options->weighting && own->C == options->C &&
           own->alpha == options->alpha && own->hidden == options->hidden && own->flatten == options->flatten;
}

static void judge(struct guide *guide, uint32_t number, const struct page *page, bool seed, struct judgement *out)
{
    struct text_vector tf;
    double p[2];

    arena_reset(&guide->arena);
    SCENT_BUG_IF(trial_page_tf(page, &guide->arena, &tf) != SCENT_OK);
    model_predict(guide->model, &tf, p);
    out->similar = seed ? 1 : topic_page_cosine(page, &guide->centroid, guide->norm);
    out->score = guide->by_label ? guide->trial->relevant[number] : p[TRIAL_TOPIC];
    out->relevant = out->score > .5;
    out->version = 1;
}

const struct judgement *guide_judge(void *ctx, uint32_t number, const struct page *page, bool seed)
{
    struct guide *guide = ctx;
    struct judgement *verdict = &guide->verdicts[number];

    if (verdict->version == 0)
        judge(guide, number, page, seed, verdict);
    return verdict;
}
