#include "crawldir/judged.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- statistics ---- */

scent_status judged_load_counts(struct store *store, const char *name, struct query_counts *out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, 0);
    status = store_get(store, name, &text, err);
    if (status == SCENT_OK)
        status = query_counts_read(out, buf_str(&text), name, err);
    buf_release(&text);
    return status == SCENT_E_INVALID || status == SCENT_E_VERSION ? SCENT_E_NOTFOUND : status;
}

scent_status judged_load_sample(struct store *store, const struct query *query, struct query_counts **out,
                                struct errmsg *err)
{
    scent_status status;

    *out = query_counts_new(query);
    status = judged_load_counts(store, JUDGED_SAMPLE, *out, err);
    if (status != SCENT_OK) {
        query_counts_free(*out);
        *out = NULL;
    }
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

scent_status judged_add_others(struct store *store, struct query_counts *counts, struct centroid *seeds,
                               struct errmsg *err)
{
    struct buf bytes;
    scent_status status = counts ? judged_load_counts(store, JUDGED_OTHERS, counts, err) : SCENT_OK;

    if ((status != SCENT_OK && status != SCENT_E_NOTFOUND) || !seeds)
        return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
    buf_init(&bytes, 0);
    status = store_get(store, JUDGED_OTHER_SEEDS, &bytes, err);
    if (status == SCENT_OK && centroid_sum(seeds, buf_str(&bytes), 1) != SCENT_OK)
        status = errmsg_fail(err, SCENT_E_FORMAT, "crawl.db: the value " JUDGED_OTHER_SEEDS " is damaged");
    buf_release(&bytes);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

/* What was counted of other crawls all workers know. */
static scent_status share_own(struct store *store, const struct query_counts *counts, const struct centroid *seeds,
                              judged_share_fn *share, void *ctx, struct errmsg *err)
{
    struct query_counts own, recalled;
    scent_status status;

    if (!counts)
        return share(ctx, NULL, seeds, err);
    query_counts_init(&own, counts->query);
    query_counts_init(&recalled, counts->query);
    query_counts_sum(&own, counts);
    status = judged_load_counts(store, JUDGED_RECALLED, &recalled, err);
    if (status == SCENT_OK)
        query_counts_less(&own, &recalled);
    if (status == SCENT_OK || status == SCENT_E_NOTFOUND)
        status = share(ctx, &own, seeds, err);
    query_counts_release(&own);
    query_counts_release(&recalled);
    return status;
}

scent_status judged_sum_all(struct store *store, struct query_counts *counts, struct centroid *seeds,
                            judged_share_fn *share, void *ctx, struct errmsg *err)
{
    if (share)
        SCENT_TRY(share_own(store, counts, seeds, share, ctx, err));
    return judged_add_others(store, counts, seeds, err);
}

/* ---- judges ---- */

scent_status judged_describe(const struct judge *judge, const struct topic *topic, const struct knowledge *knowledge,
                              const struct query_counts *counts, struct arena *arena, struct store_judge *out)
{
    struct query_counts both;
    struct buf text;
    scent_status status = SCENT_OK;

    *out = (struct store_judge){.digest = judge_digest(judge), .relevant = topic->relevant};
    if (!topic->query)
        return SCENT_OK;
    out->query = query_source(topic->query);
    query_counts_init(&both, topic->query);
    buf_init(&text, 0);
    query_counts_sum(&both, counts);
    query_counts_sum(&both, knowledge ? knowledge->sample : NULL);
    status = query_counts_write(&both, &text);
    out->counts = arena_str(arena, buf_str(&text));
    query_counts_release(&both);
    buf_release(&text);
    return status == SCENT_OK && !out->counts.p ? SCENT_E_NOMEM : status;
}

struct search {
    uint32_t id;
    const struct query *query;
    struct query_counts *counts;
    scent_status status; /* of reading them */
    bool found;
    struct errmsg err;
};

static scent_status find_judge(void *ctx, const struct store_judge *judge)
{
    struct search *search = ctx;

    if (search->id && judge->id != search->id)
        return SCENT_OK;
    search->found = true;
    query_counts_release(search->counts);
    if (search->query)
        query_counts_init(search->counts, search->query);
    search->status = search->query && judge->counts.len
                         ? query_counts_read(search->counts, judge->counts, "crawl.db: judge", &search->err)
                         : SCENT_OK;
    return SCENT_OK;
}

scent_status judged_load(struct store *store, const struct topic *topic, const struct knowledge *knowledge,
                          const struct centroid *seeds, unsigned wants, uint32_t id, bool *found, struct judge **out,
                          struct errmsg *err)
{
    struct knowledge known = knowledge ? *knowledge : knowledge_none;
    struct query_counts counts = {0};
    struct search search = {.id = id, .query = topic->query, .counts = &counts};
    scent_status status = store_each_judge(store, find_judge, &search, err);

    *found = search.found && search.status == SCENT_OK;
    if (*found)
        known.sample = NULL; /* it is among the counts */
    if (status == SCENT_OK)
        *out = judge_new(&(struct judge_basis){.topic = topic, .knowledge = &known, .seeds = seeds, .wants = wants,
                                               .term_counts = *found && topic->query ? &counts : NULL,
                                               .version = id});
    query_counts_release(&counts);
    return status;
}

/* ---- what was judged by ---- */

/* As values of the store: name, and what people call it. */
static const struct {
    const char *name, *what;
} parts[] = {
    {"judged relevant", "what is relevant"},
    {"judged query", "the query"},
    {"judged content", "the part of pages that is looked at"},
    {JUDGED_KNOWLEDGE, "the model or the background sample"}, /* a digest, of the others too */
};
enum { NPARTS = sizeof parts / sizeof *parts };

static void tell_change(const char *what, struct str before, struct str now, const struct log *log)
{
    if (before.len && now.len)
        log_line(log, LOG_WARN, "%s has changed: it was '%.*s', and is '%.*s'", what, STR_ARG(before), STR_ARG(now));
    else if (now.len)
        log_line(log, LOG_WARN, "%s is new: '%.*s'", what, STR_ARG(now));
    else
        log_line(log, LOG_WARN, "%s is gone: it was '%.*s'", what, STR_ARG(before));
}

/* The digest is told where none of the other parts says why. */
static scent_status compare_part(struct store *store, size_t part, struct str now, const struct log *log,
                                 bool *changed, struct errmsg *err)
{
    struct buf before;
    scent_status status;

    buf_init(&before, 0);
    status = store_get(store, parts[part].name, &before, err);
    if (status == SCENT_OK && !str_eq(buf_str(&before), now) && (part + 1 < NPARTS || !*changed)) {
        *changed = true;
        if (part + 1 < NPARTS)
            tell_change(parts[part].what, buf_str(&before), now, log);
        else
            log_line(log, LOG_WARN, "%s has changed since this crawl was judged", parts[part].what);
    }
    buf_release(&before);
    return status == SCENT_OK || status == SCENT_E_NOTFOUND ? store_set(store, parts[part].name, now, err) : status;
}

static scent_status keep_sample(struct store *store, const struct query_counts *sample, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, 0);
    status = query_counts_write(sample, &text);
    if (status == SCENT_OK)
        status = store_set(store, JUDGED_SAMPLE, buf_str(&text), err);
    buf_release(&text);
    return status;
}

scent_status judged_compare(struct store *store, const struct topic *topic, const struct knowledge *knowledge,
                             const struct log *log, bool *changed, struct errmsg *err)
{
    char digest[17];
    struct str now[NPARTS] = {
        topic->relevant,
        topic->query ? query_source(topic->query) : STR_NONE,
        topic->content == TOPIC_CONTENT_MAIN ? STR("main") : STR("all"),
        {digest, sizeof digest - 1},
    };

    snprintf(digest, sizeof digest, "%016" PRIx64, knowledge_digest(topic, knowledge));
    *changed = false;
    SCENT_TRY(store_begin(store, err));
    for (size_t i = 0; i < NPARTS; i++)
        SCENT_TRY(compare_part(store, i, now[i], log, changed, err));
    if (knowledge->sample)
        SCENT_TRY(keep_sample(store, knowledge->sample, err));
    return store_commit(store, err);
}
