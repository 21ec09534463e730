#include "lab/trial.h"

#include "base/rng.h"
#include "lab/collection.h"
#include "topic/predicate.h"
#include "topic/query.h"
#include "trace/browse.h"
#include "training/backlink_examples.h"

#include <stdlib.h>

/* ---- keywords ---- */

void trial_keyword_write(struct str keyword, struct buf *out)
{
    buf_addc(out, '"');
    buf_add(out, keyword);
    buf_addc(out, '"');
}

static scent_status parse_keyword(struct str keyword, struct predicate **out)
{
    struct errmsg err = {0};
    struct buf text;
    scent_status status;

    buf_init(&text, 0);
    trial_keyword_write(keyword, &text);
    status = predicate_parse(buf_str(&text), out, &err);
    buf_release(&text);
    return status;
}

scent_status trial_keyword_check(struct str keyword)
{
    struct predicate *predicate;

    for (size_t i = 0; i < keyword.len; i++)
        if (keyword.p[i] == '"' || keyword.p[i] == '\\' || (unsigned char)keyword.p[i] < ' ')
            return SCENT_E_INVALID;
    if (parse_keyword(keyword, &predicate) != SCENT_OK)
        return SCENT_E_INVALID;
    predicate_free(predicate);
    return SCENT_OK;
}

size_t trial_keyword_keep(const struct collection *collection, struct str keyword, bool *marks)
{
    struct predicate *predicate;
    size_t count = 0;

    SCENT_BUG_IF(parse_keyword(keyword, &predicate) != SCENT_OK);
    for (uint32_t i = 0; i < collection_count(collection); i++) {
        struct predicate_input input = {.page = marks[i] ? collection_page(collection, i, NULL) : NULL};

        marks[i] = input.page && predicate_eval(predicate, &input);
        count += marks[i];
    }
    predicate_free(predicate);
    return count;
}

/* ---- topics ---- */

/* Every category together with every keyword that at least `min_pages` of its pages contain. */
static scent_status join_keywords(const struct experiment *experiment, const struct collection *collection,
                                  const struct labels *labels, const struct str *categories, size_t ncategories,
                                  struct arena *arena, struct experiment_topic *out, size_t *count)
{
    size_t npages = collection_count(collection), n = 0;
    bool *marks = arena_array(arena, npages + 1, sizeof *marks);

    for (size_t i = 0; i < ncategories && marks; i++)
        for (size_t k = 0; k < experiment->nkeywords; k++) {
            struct experiment_topic topic = {.category = categories[i], .keyword = experiment->keywords[k]};

            memset(marks, 0, npages * sizeof *marks);
            labels_mark(labels, topic.category, marks);
            if (trial_keyword_keep(collection, topic.keyword, marks) < experiment->min_pages)
                continue;
            topic.name = arena_printf(arena, "%.*s + %.*s", STR_ARG(topic.category), STR_ARG(topic.keyword));
            if (!topic.name.p)
                return SCENT_E_NOMEM;
            out[n++] = topic;
        }
    *count = n;
    return marks ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status find_topics(const struct experiment *experiment, const struct collection *collection,
                                const struct labels *labels, struct arena *arena, struct experiment_topic **out,
                                size_t *count)
{
    size_t ncategories, keywords = experiment->nkeywords ? experiment->nkeywords : 1;
    struct str *categories;
    scent_status status =
        labels_categories(labels, experiment->level, experiment->min_pages, arena, &categories, &ncategories);

    *out = status == SCENT_OK ? arena_zalloc(arena, (ncategories * keywords + 1) * sizeof **out) : NULL;
    if (!*out)
        return SCENT_E_NOMEM;
    *count = ncategories;
    for (size_t i = 0; i < ncategories; i++)
        (*out)[i] = (struct experiment_topic){.name = categories[i], .category = categories[i]};
    return experiment->nkeywords
               ? join_keywords(experiment, collection, labels, categories, ncategories, arena, *out, count)
               : SCENT_OK;
}

/* `wanted` of them come to the front, in the order in which they were; each as likely as the others. */
static void draw_topics(struct experiment_topic *topics, size_t count, size_t wanted, uint64_t seed)
{
    size_t kept = 0;
    struct rng rng;

    rng_seed(&rng, seed);
    for (size_t i = 0; i < count && kept < wanted; i++)
        if (rng_below(&rng, count - i) < wanted - kept)
            topics[kept++] = topics[i];
}

scent_status trial_topics(const struct experiment *experiment, const struct collection *collection,
                          const struct labels *labels, struct arena *arena, struct experiment_topic **out,
                          size_t *count, struct errmsg *err)
{
    *out = experiment->topics;
    *count = experiment->ntopics;
    if (*count)
        return SCENT_OK;
    if (find_topics(experiment, collection, labels, arena, out, count) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the topics");
    if (*count == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "no category of level %u has %zu pages%s: lower topics.min_pages",
                           experiment->level, experiment->min_pages,
                           experiment->nkeywords ? " with one of the keywords" : "");
    if (!experiment->max_topics || *count <= experiment->max_topics)
        return SCENT_OK;
    if (experiment->random_topics)
        draw_topics(*out, *count, experiment->max_topics, experiment->seed);
    *count = experiment->max_topics;
    return SCENT_OK;
}

/* ---- drawing ---- */

size_t trial_draw(const bool *from, size_t npages, size_t count, struct rng *rng, uint32_t *out)
{
    size_t n = 0, seen = 0;

    /* A sample of fixed size from a stream (Vitter's algorithm R): every page is looked at once. */
    for (size_t page = 0; page < npages; page++) {
        size_t at;

        if (!from[page])
            continue;
        at = seen++ < count ? n++ : rng_below(rng, seen);
        if (at < count)
            out[at] = (uint32_t)page;
    }
    return n;
}

static scent_status find_pages(const struct collection *collection, const struct str *urls, size_t count,
                               uint32_t *out, struct errmsg *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!collection_find(collection, urls[i], &out[i]))
            return errmsg_fail(err, SCENT_E_INVALID, "%.*s is not in the collection", STR_ARG(urls[i]));
        for (size_t k = 0; k < i; k++)
            if (out[k] == out[i])
                return errmsg_fail(err, SCENT_E_INVALID, "%.*s is named twice", STR_ARG(urls[i]));
    }
    return SCENT_OK;
}

/* What may be a seed: the topic's pages, or those of its core; where a model learns from the labels, only training
 * pages. */
static scent_status mark_known(struct trial *trial, const struct experiment *experiment,
                               const struct collection *collection, bool *known, size_t *count)
{
    uint32_t npages = collection_count(collection);
    scent_status status = SCENT_OK;

    if (experiment->seeding == SEEDS_FROM_CORE)
        status = trial_mark_core(collection, trial->relevant, known, count);
    else
        memcpy(known, trial->relevant, npages * sizeof *known);
    *count = 0;
    for (uint32_t i = 0; i < npages; i++) {
        known[i] &= !experiment->trains_on_labels || experiment_trains_on(experiment, collection_url(collection, i));
        *count += known[i];
    }
    return status;
}

/* Disjoint sets are slices of one drawing, which is the same for all repeats (of a draw). */
static scent_status draw_seeds(struct trial *trial, const struct experiment *experiment,
                               const struct collection *collection, struct rng *rng, struct errmsg *err)
{
    size_t npages = collection_count(collection), count;
    size_t sets = experiment->disjoint ? experiment->repeats : 1, want = trial->nseeds * sets;
    bool *known = arena_zalloc(&trial->arena, npages * sizeof *known);
    uint32_t *drawn = arena_array(&trial->arena, want, sizeof *drawn);
    scent_status status = known && drawn ? mark_known(trial, experiment, collection, known, &count) : SCENT_E_NOMEM;
    struct rng same;

    if (status != SCENT_OK)
        return errmsg_fail(err, status, "seeds cannot be drawn: %s", scent_status_text(status));
    if (count < want)
        return errmsg_fail(err, SCENT_E_INVALID, "%zu of its pages may be seeds: too few for %zu sets of %zu", count,
                           sets, trial->nseeds);
    rng_seed(&same, hash_str(trial->name, experiment->seed + trial->draw));
    trial_draw(known, npages, want, experiment->disjoint ? &same : rng, drawn);
    memcpy(trial->seeds, drawn + (experiment->disjoint ? trial->repeat * trial->nseeds : 0),
           trial->nseeds * sizeof *drawn);
    return SCENT_OK;
}

static scent_status choose_seeds(struct trial *trial, const struct experiment *experiment,
                                 const struct collection *collection, const struct experiment_topic *topic,
                                 struct rng *rng, struct errmsg *err)
{
    size_t want = topic->nseeds ? topic->nseeds : experiment->seeds;
    bool named = topic->nseeds && trial->draw == 0;

    if (trial->nrelevant <= want)
        return errmsg_fail(err, SCENT_E_INVALID, "it has %zu pages: too few for %zu seeds and a target",
                           trial->nrelevant, want);
    trial->seeds = arena_array(&trial->arena, want, sizeof *trial->seeds);
    if (!trial->seeds)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for seeds");
    trial->nseeds = want;
    if (named)
        return find_pages(collection, topic->seeds, want, trial->seeds, err);
    return draw_seeds(trial, experiment, collection, rng, err);
}

/* ---- training pages ---- */

/* What is drawn beside seeds has random numbers of its own, so that the other draws stay as they are. */
static void seed_training(struct rng *rng, const struct trial *trial, const struct experiment *experiment,
                          uint64_t what)
{
    rng_seed(rng, hash_mix(hash_str(trial->name, experiment->seed + what),
                           (uint64_t)trial->draw << 32 | trial->repeat));
}

/* The seeds, and as many more pages of the topic as the experiment asks for and its share allows. */
static scent_status choose_positives(struct trial *trial, const struct experiment *experiment, size_t npages,
                                     struct errmsg *err)
{
    const struct experiment_training *training = &experiment->training;
    size_t most = (size_t)(training->share * (double)trial->nrelevant);
    size_t want = training->positives < most ? training->positives : most;
    bool *known = arena_zalloc(&trial->arena, npages * sizeof *known);
    struct rng rng;

    trial->positives = trial->seeds;
    trial->npositives = trial->nseeds;
    if (want <= trial->nseeds)
        return SCENT_OK;
    trial->positives = arena_array(&trial->arena, want, sizeof *trial->positives);
    if (!trial->positives || !known)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for training pages");
    memcpy(known, trial->relevant, npages * sizeof *known);
    memcpy(trial->positives, trial->seeds, trial->nseeds * sizeof *trial->seeds);
    for (size_t i = 0; i < trial->nseeds; i++)
        known[trial->seeds[i]] = false;
    seed_training(&rng, trial, experiment, 0x706f73);
    trial->npositives += trial_draw(known, npages, want - trial->nseeds, &rng, trial->positives + trial->nseeds);
    return SCENT_OK;
}

scent_status trial_draw_negatives(struct trial *trial, const struct experiment *experiment, size_t npages,
                                  struct trial *const *others, size_t nothers, struct errmsg *err)
{
    const struct experiment_training *training = &experiment->training;
    size_t wanted = (size_t)(training->other_topics * training->negatives + .5), count;
    uint32_t *negatives = arena_array(&trial->arena, training->negatives + (size_t)1, sizeof *negatives);
    bool *from = arena_zalloc(&trial->arena, npages * sizeof *from);
    struct rng rng;

    if (!negatives || !from)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for negatives");
    if (trial->negatives_named)
        return SCENT_OK;
    seed_training(&rng, trial, experiment, 0x6e6567);
    for (size_t i = 0; i < nothers; i++)
        for (size_t k = 0; k < others[i]->npositives; k++)
            from[others[i]->positives[k]] = !trial->relevant[others[i]->positives[k]];
    count = trial_draw(from, npages, wanted, &rng, negatives);
    if (count < wanted && training->other_topics == 1)
        return errmsg_fail(err, SCENT_E_INVALID, "the other topics have %zu examples: too few for %zu negatives",
                           count, wanted);
    for (size_t i = 0; i < npages; i++)
        from[i] = !trial->relevant[i];
    for (size_t i = 0; i < count; i++)
        from[negatives[i]] = false;
    trial->nnegatives = count + trial_draw(from, npages, training->negatives - count, &rng, negatives + count);
    trial->negatives = negatives;
    return SCENT_OK;
}

void trial_others(const struct trial *trial, const struct labels *labels, size_t npages, bool *others)
{
    for (size_t i = 0; i < labels->count; i++)
        others[labels->rows[i].page] = !trial->relevant[labels->rows[i].page];
    for (size_t i = 0; i < npages && labels->count == 0; i++)
        others[i] = !trial->relevant[i];
}

/* One page on both sides would teach a model nothing. */
static scent_status find_negatives(struct trial *trial, const struct collection *collection,
                                   const struct experiment_topic *topic, struct errmsg *err)
{
    scent_status status = find_pages(collection, topic->negatives, topic->nnegatives, trial->negatives, err);

    for (size_t i = 0; i < trial->nnegatives && status == SCENT_OK; i++)
        for (size_t k = 0; k < trial->nseeds; k++)
            if (trial->negatives[i] == trial->seeds[k])
                return errmsg_fail(err, SCENT_E_INVALID, "%.*s is a seed and a negative", STR_ARG(topic->negatives[i]));
    return status;
}

static scent_status choose_negatives(struct trial *trial, const struct experiment *experiment,
                                     const struct collection *collection, const struct labels *labels,
                                     const struct experiment_topic *topic, struct rng *rng, struct errmsg *err)
{
    size_t want = topic->nnegatives ? topic->nnegatives : experiment->negatives, npages = collection_count(collection);
    bool *others = arena_zalloc(&trial->arena, npages * sizeof *others);

    trial->negatives = arena_array(&trial->arena, want, sizeof *trial->negatives);
    if (!trial->negatives || !others)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for negatives");
    trial->nnegatives = want;
    trial->negatives_named = topic->nnegatives > 0;
    if (trial->negatives_named)
        return find_negatives(trial, collection, topic, err);
    trial_others(trial, labels, npages, others);
    trial->nnegatives = trial_draw(others, npages, want, rng, trial->negatives);
    return trial->nnegatives ? SCENT_OK
                             : errmsg_fail(err, SCENT_E_INVALID, "no page of another category to draw negatives from");
}

/* ---- relevant pages ---- */

scent_status trial_believe(const struct collection *collection, const struct query *query, struct query_counts *counts,
                           double *beliefs, struct errmsg *err)
{
    struct query_scratch *scratch = malloc(sizeof *scratch);
    uint32_t npages = collection_count(collection);
    struct query_stats *stats = NULL;
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!scratch);
    for (uint32_t i = 0; i < npages && status == SCENT_OK; i++) {
        const struct page *page = collection_page(collection, i, NULL);

        if (page)
            query_counts_add(counts, page);
        else
            status = errmsg_fail(err, SCENT_E_FORMAT, "page %u of the collection is damaged", i);
    }
    if (status == SCENT_OK && beliefs)
        stats = query_counts_stats(query, counts, NULL);
    for (uint32_t i = 0; i < npages && stats; i++) {
        struct query_text text = query_text_page(collection_page(collection, i, NULL));

        beliefs[i] = query_belief(query, stats, &text, scratch);
    }
    free(stats);
    free(scratch);
    return status;
}

/* Counts the terms of the query in the whole collection: one index for all crawls, as Pirkola and Talvensaari rank
 * theirs. Where relevance is by query, the pages whose belief is above the threshold are relevant. */
static scent_status ask_query(struct trial *trial, const struct experiment *experiment,
                              const struct collection *collection, struct errmsg *err)
{
    uint32_t npages = collection_count(collection);
    double *beliefs = NULL;
    scent_status status;

    SCENT_TRY(query_parse(trial->query, &trial->parsed, err));
    trial->term_counts = query_counts_new(trial->parsed);
    if (experiment->relevance == RELEVANT_BY_QUERY) {
        beliefs = calloc(npages + (size_t)1, sizeof *beliefs);
        SCENT_BUG_IF(!beliefs);
    }
    status = trial_believe(collection, trial->parsed, trial->term_counts, beliefs, err);
    for (uint32_t i = 0; i < npages && beliefs && status == SCENT_OK; i++) {
        trial->relevant[i] = beliefs[i] > experiment->belief;
        trial->nrelevant += trial->relevant[i];
    }
    free(beliefs);
    return status;
}

static scent_status find_relevant(struct trial *trial, const struct experiment *experiment,
                                  const struct collection *collection, const struct labels *labels, struct errmsg *err)
{
    bool by_query = experiment->relevance == RELEVANT_BY_QUERY;

    if (by_query && !trial->query.len)
        return errmsg_fail(err, SCENT_E_INVALID, "relevance is by query, and it has none: give it a 'query'");
    if (!by_query)
        trial->nrelevant = labels_mark(labels, trial->category, trial->relevant);
    for (size_t i = 0; i < trial->nalso && !by_query; i++)
        trial->nrelevant += labels_mark(labels, trial->also[i], trial->relevant);
    if (trial->keyword.len)
        trial->nrelevant = trial_keyword_keep(collection, trial->keyword, trial->relevant);
    return trial->query.len ? ask_query(trial, experiment, collection, err) : SCENT_OK;
}

/* ---- the trial ---- */

static scent_status fill(struct trial *trial, const struct experiment *experiment, const struct collection *collection,
                         const struct labels *labels, const struct experiment_topic *topic, struct errmsg *err)
{
    size_t npages = collection_count(collection);
    struct rng rng;
    scent_status status;

    rng_seed(&rng, hash_mix(hash_str(trial->name, experiment->seed), (uint64_t)trial->draw << 32 | trial->repeat));
    trial->relevant = arena_zalloc(&trial->arena, npages * sizeof *trial->relevant);
    trial->target = arena_zalloc(&trial->arena, npages * sizeof *trial->target);
    if (!trial->relevant || !trial->target)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for a topic");
    status = find_relevant(trial, experiment, collection, labels, err);
    if (status == SCENT_OK)
        status = choose_seeds(trial, experiment, collection, topic, &rng, err);
    if (status == SCENT_OK)
        status = choose_positives(trial, experiment, npages, err);
    if (status == SCENT_OK)
        status = choose_negatives(trial, experiment, collection, labels, topic, &rng, err);
    if (status != SCENT_OK)
        return status;
    memcpy(trial->target, trial->relevant, npages * sizeof *trial->target);
    trial->starts = trial->seeds;
    trial->nstarts = trial->nseeds;
    for (size_t i = 0; i < trial->npositives; i++)
        trial->target[trial->positives[i]] = false;
    for (uint32_t i = 0; i < npages; i++) {
        trial->target[i] &= !experiment->trains_on_labels ||
                            !experiment_trains_on(experiment, collection_url(collection, i));
        trial->ntargets += trial->target[i];
    }
    return trial->ntargets ? SCENT_OK
                           : errmsg_fail(err, SCENT_E_INVALID, "all of its pages are training pages: none is a target");
}

scent_status trial_make(const struct experiment *experiment, const struct collection *collection,
                        const struct labels *labels, const struct experiment_topic *topic, uint32_t repeat,
                        uint32_t draw, struct trial **out, struct errmsg *err)
{
    struct trial *trial = calloc(1, sizeof *trial);
    struct errmsg why = {0};
    scent_status status;

    SCENT_BUG_IF(!trial);
    arena_init(&trial->arena, SIZE_MAX);
    trial->name = topic->name;
    trial->category = topic->category;
    if (topic->ncategories) {
        trial->also = topic->categories + 1;
        trial->nalso = topic->ncategories - 1;
    }
    trial->query = topic->query.len ? topic->query : experiment->query;
    trial->predicate = topic->relevant.len ? topic->relevant : experiment->relevant;
    trial->keyword = topic->keyword;
    trial->repeat = repeat;
    trial->draw = draw;
    status = fill(trial, experiment, collection, labels, topic, &why);
    if (status == SCENT_OK) {
        *out = trial;
        return SCENT_OK;
    }
    trial_free(trial);
    return errmsg_fail(err, status, "topic %.*s: %s", STR_ARG(topic->name), why.text);
}

void trial_free(struct trial *trial)
{
    if (!trial)
        return;
    query_counts_free(trial->term_counts);
    query_free(trial->parsed);
    for (size_t i = 0; i < trial->nbrowsing; i++)
        browse_free(trial->browsing[i]);
    arena_release(&trial->arena);
    free(trial);
}

/* ---- hubs ---- */

static scent_status join_starts(struct trial *trial, const uint32_t *hubs, size_t count)
{
    uint32_t *starts = arena_array(&trial->arena, trial->nstarts + count, sizeof *starts);

    if (!starts)
        return SCENT_E_NOMEM;
    memcpy(starts, trial->starts, trial->nstarts * sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        starts[trial->nstarts++] = hubs[i];
        trial->ntargets -= trial->target[hubs[i]];
        trial->target[hubs[i]] = false;
    }
    trial->starts = starts;
    return SCENT_OK;
}

scent_status trial_add_hubs(struct trial *trial, const struct page_graph *backlinks, size_t count, struct errmsg *err)
{
    uint32_t *hubs = malloc((count + 1) * sizeof *hubs);
    scent_status status = SCENT_E_NOMEM;

    if (hubs)
        status = join_starts(trial, hubs, backlink_hubs(backlinks, trial->seeds, trial->nseeds, count, hubs));
    free(hubs);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "no memory for hubs");
}

/* ---- core ---- */

/* Tarjan's algorithm with a stack of its own: a topic may be one long chain of pages. */

enum { DONE = UINT32_MAX }; /* `low` of a page whose component is known */

struct step {
    uint32_t page, link; /* the next of its links to look at */
};

struct search {
    const struct collection *collection;
    const bool *topic;
    uint32_t *order, *low;  /* of every page: when it was met (0: not yet), and the earliest that it leads back to */
    uint32_t *open;         /* met, and their component is not yet complete */
    struct step *path;
    size_t nopen, npath, best;
    uint32_t met;
    bool *core;
    bool damaged;
};

static void enter(struct search *search, uint32_t page)
{
    search->order[page] = search->low[page] = ++search->met;
    search->open[search->nopen++] = page;
    search->path[search->npath++] = (struct step){page, 0};
}

/* Everything that was opened after `page` belongs to its component. */
static void close_component(struct search *search, uint32_t page)
{
    size_t end = search->nopen;

    while (search->open[--search->nopen] != page)
        search->low[search->open[search->nopen]] = DONE;
    search->low[page] = DONE;
    if (end - search->nopen <= search->best)
        return;
    search->best = end - search->nopen;
    memset(search->core, 0, collection_count(search->collection) * sizeof *search->core);
    for (size_t i = search->nopen; i < end; i++)
        search->core[search->open[i]] = true;
}

static void leave(struct search *search, uint32_t page)
{
    uint32_t low = search->low[page];

    search->npath--;
    if (low == search->order[page])
        close_component(search, page);
    else if (search->npath && low < search->low[search->path[search->npath - 1].page])
        search->low[search->path[search->npath - 1].page] = low;
}

/* The next link of the page at the end of the path. */
static void advance(struct search *search)
{
    struct step *step = &search->path[search->npath - 1];
    const uint32_t *targets;
    const struct page *page = collection_page(search->collection, step->page, &targets);
    uint32_t target;

    search->damaged |= !page;
    if (!page || step->link == page->nlinks) {
        leave(search, step->page);
        return;
    }
    target = targets[step->link++];
    if (!search->topic[target] || search->low[target] == DONE)
        return;
    if (!search->order[target])
        enter(search, target);
    else if (search->order[target] < search->low[step->page])
        search->low[step->page] = search->order[target];
}

static void look_everywhere(struct search *search, size_t npages)
{
    for (uint32_t i = 0; i < npages; i++) {
        if (search->topic[i] && !search->order[i])
            enter(search, i);
        while (search->npath)
            advance(search);
    }
}

scent_status trial_mark_core(const struct collection *collection, const bool *topic, bool *core, size_t *count)
{
    size_t npages = collection_count(collection);
    uint32_t *numbers = calloc(3 * npages + 1, sizeof *numbers);
    struct search search = {.collection = collection, .topic = topic, .core = core};
    scent_status status = SCENT_E_NOMEM;

    search.path = calloc(npages + 1, sizeof *search.path);
    memset(core, 0, npages * sizeof *core);
    if (numbers && search.path) {
        search.order = numbers;
        search.low = numbers + npages;
        search.open = numbers + 2 * npages;
        look_everywhere(&search, npages);
        status = search.damaged ? SCENT_E_FORMAT : SCENT_OK;
    }
    *count = search.best;
    free(numbers);
    free(search.path);
    return status;
}
