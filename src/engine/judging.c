#include "engine/judging.h"

#include <stdio.h>

void judging_init(struct judging *judging, const struct topic *topic, const struct knowledge *knowledge)
{
    *judging = (struct judging){.topic = topic, .knowledge = knowledge};
    centroid_init(&judging->centroid);
    if (topic->query)
        query_counts_init(&judging->term_counts, topic->query);
    if (topic->content == TOPIC_CONTENT_MAIN)
        judging->repeats = repeats_new();
}

void judging_release(struct judging *judging)
{
    judge_unref(judging->judge);
    centroid_release(&judging->centroid);
    query_counts_release(&judging->term_counts);
    repeats_free(judging->repeats);
}

void judging_renew(struct judging *judging)
{
    judge_unref(judging->judge);
    judging->judge = judge_new(&(struct judge_basis){
        .topic = judging->topic,
        .knowledge = judging->knowledge,
        .seeds = &judging->centroid,
        .term_counts = judging->topic->query ? &judging->term_counts : NULL,
        .wants = judging->wants,
        .version = ++judging->version,
    });
    judging->judged_seeds = judging->seeds;
    judging->judged_documents = judging->term_counts.documents;
}

static void keep_example(struct rows *rows, uint32_t url, const struct text_vector *vector)
{
    struct str name = arena_printf(rows->arena, "example %lu", url + 1ul);
    struct str items = {(const char *)vector->items, vector->count * sizeof *vector->items};

    if (!name.p)
        rows->failed = true;
    else
        ROWS_ADD(rows, values, ((struct rows_value){name.p, items}));
}

/* With thousands of seeds a snapshot for each would cost more than the crawl, so a new one is made when their number
 * has grown by a sixteenth. */
scent_status judging_learn_seed(struct judging *judging, const struct page *page, uint32_t url, bool archived,
                                struct rows *rows)
{
    struct text_vector vector;

    SCENT_TRY(centroid_page_vector(page, rows->arena, &vector));
    if (!archived)
        keep_example(rows, url, &vector);
    SCENT_TRY(centroid_add(&judging->centroid, &vector));
    judging->seeds++;
    if (judging->seeds - judging->judged_seeds > judging->judged_seeds / 16)
        judging_renew(judging);
    return SCENT_OK;
}

void judging_count_page(struct judging *judging, const struct page *page)
{
    if (judging->repeats)
        repeats_count(judging->repeats, page);
    if (!judging->topic->query)
        return;
    query_counts_add(&judging->term_counts, page);
    if (query_counts_is_due(&judging->term_counts, judging->judged_documents))
        judging_renew(judging);
}

scent_status judging_load_example(struct store *store, uint32_t url, struct arena *arena, struct text_vector *out,
                                  struct errmsg *err)
{
    char name[32];
    struct buf blob;
    scent_status status;

    *out = (struct text_vector){0};
    buf_init(&blob, 0);
    snprintf(name, sizeof name, "example %lu", url + 1ul);
    status = store_get(store, name, &blob, err);
    if (status == SCENT_OK) {
        out->count = blob.len / sizeof *out->items;
        out->items = arena_array(arena, out->count + 1, sizeof *out->items);
        if (!out->items)
            status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the value %s", name);
        else
            memcpy(out->items, blob.p, out->count * sizeof *out->items);
    }
    buf_release(&blob);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}
