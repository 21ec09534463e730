#include "engine/judging.h"

#include "crawldir/rejudge.h"

void judging_init(struct judging *judging, const struct topic *topic, const struct knowledge *knowledge,
                  const struct clock *clock)
{
    *judging = (struct judging){.topic = topic, .clock = clock};
    judging->knowledge = knowledge ? *knowledge : knowledge_none;
    judging->digest = knowledge_digest(topic, &judging->knowledge);
    centroid_init(&judging->centroid);
    centroid_init(&judging->other_seeds);
    if (topic->query) {
        query_counts_init(&judging->term_counts, topic->query);
        query_counts_init(&judging->judged_counts, topic->query);
        query_counts_init(&judging->settled_counts, topic->query);
        query_counts_init(&judging->recalled, topic->query);
        query_counts_init(&judging->others, topic->query);
    }
    if (topic->content == TOPIC_CONTENT_MAIN)
        judging->repeats = repeats_new();
}

void judging_release(struct judging *judging)
{
    judge_unref(judging->judge);
    centroid_release(&judging->centroid);
    query_counts_release(&judging->term_counts);
    query_counts_release(&judging->judged_counts);
    query_counts_release(&judging->settled_counts);
    query_counts_release(&judging->recalled);
    query_counts_release(&judging->others);
    centroid_release(&judging->other_seeds);
    repeats_free(judging->repeats);
    query_counts_free(judging->sample);
}

void judging_replace(struct judging *judging, const struct knowledge *knowledge)
{
    judging->knowledge = *knowledge;
    if (!judging->knowledge.sample)
        judging->knowledge.sample = judging->sample;
    judging->digest = knowledge_digest(judging->topic, &judging->knowledge);
    if (judging->judge)
        judging_renew(judging);
}

/* Of all workers. */
static void sum_seeds(const struct judging *judging, struct centroid *out)
{
    const struct centroid *parts[] = {&judging->centroid, &judging->other_seeds};

    centroid_init(out);
    for (int i = 0; i < 2; i++) {
        struct buf bytes;

        buf_init(&bytes, 0);
        centroid_write(parts[i], &bytes);
        SCENT_BUG_IF(bytes.failed || centroid_sum(out, buf_str(&bytes), 1) == SCENT_E_FORMAT);
        buf_release(&bytes);
    }
}

/* One that gives the same verdicts has the same number. */
void judging_restore(struct judging *judging)
{
    struct centroid all;
    struct judge_basis basis = {
        .topic = judging->topic,
        .knowledge = &judging->knowledge,
        .seeds = &judging->centroid,
        .term_counts = judging->topic->query ? &judging->judged_counts : NULL,
        .wants = judging->wants,
        .version = judging->version,
        .digest = judging->digest,
    };
    struct judge *judge;

    if (judging->other_seeds.pages) {
        sum_seeds(judging, &all);
        basis.seeds = &all;
    }
    judge = judge_new(&basis);
    if (!judging->judge || judge_digest(judge) != judging->judge_digest) {
        judging->judge_digest = judge_digest(judge);
        judging->is_new = true;
        judge_unref(judge);
        basis.version = ++judging->version;
        judge = judge_new(&basis);
    }
    judge_unref(judging->judge);
    judging->judge = judge;
    judging->judged_seeds = judging->seeds;
    if (basis.seeds == &all)
        centroid_release(&all);
}

static void take_counts(struct judging *judging)
{
    if (!judging->topic->query)
        return;
    query_counts_release(&judging->judged_counts);
    query_counts_init(&judging->judged_counts, judging->topic->query);
    query_counts_sum(&judging->judged_counts, &judging->term_counts);
    query_counts_sum(&judging->judged_counts, &judging->others);
}

/* Of the pages of this worker. */
static bool is_due(const struct judging *judging)
{
    uint64_t judged = judging->judged_counts.documents, others = judging->others.documents;

    return query_counts_is_due(&judging->term_counts, judged > others ? judged - others : 0);
}

void judging_renew(struct judging *judging)
{
    take_counts(judging);
    judging_restore(judging);
}

/* What was counted of it is read, or all its words (.p NULL). */
static void count_terms(struct judging *judging, const struct page *page, struct str counted)
{
    struct query_counts one;

    query_counts_init(&one, judging->topic->query);
    if (!counted.p || !query_counts_add_counted(&one, judge_counted_key(judging->topic), counted))
        query_counts_add(&one, page);
    query_counts_sum(&judging->term_counts, &one);
    if (judging->is_settled)
        query_counts_sum(&judging->settled_counts, &one);
    query_counts_release(&one);
}

void judging_recount(struct judging *judging, const struct page *page)
{
    count_terms(judging, page, STR_NONE);
    if (is_due(judging))
        take_counts(judging);
}

/* ---- other workers ---- */

bool judging_needs_seeds(const struct judging *judging)
{
    return judging->wants || (judging->judge && judge_uses_seeds(judging->judge));
}

scent_status judging_write_own(const struct judging *judging, struct buf *counts, struct buf *seeds)
{
    struct query_counts own;
    scent_status status = SCENT_OK;

    if (judging_needs_seeds(judging))
        centroid_write(&judging->centroid, seeds);
    if (judging->topic->query) {
        query_counts_init(&own, judging->topic->query);
        query_counts_sum(&own, &judging->term_counts);
        if (judging->recalled.documents <= own.documents && judging->recalled.words <= own.words)
            query_counts_less(&own, &judging->recalled);
        status = query_counts_write(&own, counts);
        query_counts_release(&own);
    }
    return seeds->failed ? SCENT_E_NOMEM : status;
}

void judging_forget_others(struct judging *judging)
{
    centroid_release(&judging->other_seeds);
    if (!judging->topic->query)
        return;
    query_counts_release(&judging->others);
    query_counts_init(&judging->others, judging->topic->query);
}

scent_status judging_add_other(struct judging *judging, struct str counts, struct str seeds, struct errmsg *err)
{
    if (counts.len && judging->topic->query)
        SCENT_TRY(query_counts_read(&judging->others, counts, "another worker", err));
    if (seeds.len && centroid_sum(&judging->other_seeds, seeds, 1) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_FORMAT, "the seeds of another worker are damaged");
    return SCENT_OK;
}

void judging_note(struct judging *judging, struct rows *rows)
{
    struct store_judge row;

    if (!judging->is_new)
        return;
    judging->is_new = false;
    if (judged_describe(judging->judge, judging->topic, &judging->knowledge,
                         judging->topic->query ? &judging->judged_counts : NULL, rows->arena, &row) != SCENT_OK)
        rows->failed = true;
    row.id = judging->version;
    row.made = clock_wall(judging->clock);
    ROWS_ADD(rows, judges, row);
}

static void keep_example(struct rows *rows, uint32_t url, struct str kept)
{
    struct str name = arena_str(rows->arena, str_of(reread_example_name(url).text));

    if (!name.p)
        rows->failed = true;
    else
        ROWS_ADD(rows, values, ((struct rows_value){name.p, kept}));
}

/* With thousands of seeds a snapshot for each would cost more than the crawl, so a new one is made when their number
 * has grown by a sixteenth. */
scent_status judging_learn_seed(struct judging *judging, const struct page *page, uint32_t url, bool archived,
                                struct rows *rows)
{
    struct str kept;

    SCENT_TRY(centroid_keep_page(page, rows->arena, &kept));
    if (!archived)
        keep_example(rows, url, kept);
    SCENT_TRY(centroid_add_kept(&judging->centroid, kept));
    judging->seeds++;
    if (judging->seeds - judging->judged_seeds > judging->judged_seeds / 16)
        judging_renew(judging);
    return SCENT_OK;
}

void judging_count_page(struct judging *judging, const struct page *page, struct str counted)
{
    if (judging->repeats)
        repeats_count(judging->repeats, page);
    if (!judging->topic->query)
        return;
    count_terms(judging, page, counted);
    if (is_due(judging))
        judging_renew(judging);
}
