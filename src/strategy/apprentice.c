/* apprentice - a second classifier that learns while it crawls which words near a link, and where they stand, lead to
 * the topic (Chakrabarti, Punera and Subramanyam 2002, Accelerated Focused Crawling through Online Relevance Feedback).
 *
 * An example is a link (u, v) that was followed. Its features are pairs of a word and an offset: the number of text
 * leaves between the word and the link, -5 to 5, 0 in the anchor; and the class of the page u. Its label is the
 * probability that the topic's classifier gives to v. The apprentice is Naive Bayes with two classes; an example counts
 * for both, by its label and by one minus that. Until it has seen `after` examples the probability of the page decides
 * (soft focus); then the apprentice does.
 *
 * Where the paper is silent [R]: at most KEYS words of a link count, the nearest first. What was counted comes into
 * use when it has grown by a tenth (strategies.h), and then all candidates are scored again, so that all are ranked by
 * the same counts. A feature that is not in use says nothing. 1 is added to each count.
 *
 * Memory: 44 to 72 bytes a feature, of which there are at most FEATURES (later ones are not learned); the words of the
 * last LINKS links, 176 bytes each, 6 MB in all. A candidate whose words are forgotten comes after those whose words
 * are known, by the probability of its page. Work: some look-ups a link; new scores are a constant a page on average.
 */
#include "strategy/guided.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

enum { VERSION = 1, LEAVES = 5, KEYS = 40, LINKS = 1 << 15, FEATURES = 1 << 18, ZONES = 4 };
/* The lowest bits of a feature's key: where the word stands. */
enum zone { ANCHOR, BEFORE, BEHIND, CLASS };

struct feature {
    uint32_t key;
    double count[2]; /* of examples off and on the topic, in part */
    float weight;    /* in use: ln P(feature | on) / P(feature | off); 0: it is not in use yet */
};

/* A link that may be followed. */
struct remembered {
    uint32_t number; /* 1, 2, … of all links of observed pages; 0: none */
    uint32_t target;
    uint32_t keys[KEYS];
    uint8_t nkeys;
};

/* What a candidate keeps. */
struct kept {
    uint32_t number; /* of its link; 0: not remembered */
    float page;      /* the probability of its page */
};

struct apprentice {
    struct guided guided;
    uint32_t after;
    double flatten;
    struct feature *features;
    struct map by_key;
    size_t nfeatures, feature_room;
    double examples[2], words[2]; /* counted: of both classes */
    double used, used_on, prior;  /* examples that are in use, those on the topic, ln of their ratio */
    struct remembered *links;     /* link n at n modulo LINKS */
    size_t nlinks, link_room;
    uint32_t last;    /* number of the last link */
    uint64_t shown;   /* number of the page whose links are numbered from `first` on */
    uint32_t first;
    bool all_stale;
    uint32_t *stale; /* candidates whose link was forgotten */
    size_t nstale, stale_room;
};

static const struct strategy_option options[] = {
    {"after", "1000", "followed links after which the apprentice decides; before, the probability of the page does",
     OPTION_WHOLE(struct apprentice, after, 1, 100000000)},
    {"flatten", "10", "the features of a link count as so many, so that probabilities differ; 0: as they are",
     .printed = "0", OPTION_NUMBER(struct apprentice, flatten, 0, 1000)},
    {0},
};

/* ---- features ---- */

static uint32_t key_of(uint64_t word, int offset, enum zone zone)
{
    uint64_t hash = hash_mix(word, (uint64_t)(offset + LEAVES + 1) * ZONES + zone);

    return (uint32_t)(hash >> 32) / ZONES * ZONES + zone;
}

static void add_key(struct remembered *link, uint32_t key)
{
    for (unsigned i = 0; i < link->nkeys; i++)
        if (link->keys[i] == key)
            return;
    if (link->nkeys < KEYS)
        link->keys[link->nkeys++] = key;
}

/* The words of the anchor, then those a leaf away on both sides, and so on. */
static void find_features(const struct page *page, uint32_t number, uint64_t class, struct remembered *link)
{
    struct context anchor = context_anchor(page, number), around = context_leaves(page, number, LEAVES);
    uint32_t node = page->links[number].node;
    uint32_t low = node == PAGE_NONE ? 0 : page->nodes[node].first_leaf;
    uint32_t high = node == PAGE_NONE ? 0 : page->nodes[node].end_leaf;
    uint32_t left = anchor.first, right = anchor.end;

    link->nkeys = 0;
    add_key(link, key_of(class, 0, CLASS));
    for (uint32_t i = anchor.first; i < anchor.end && link->nkeys < KEYS; i++)
        if (!(page->words[i].flags & PAGE_WORD_STOP))
            add_key(link, key_of(page->words[i].stem, 0, ANCHOR));
    for (int d = 1; d <= LEAVES && link->nkeys < KEYS; d++) {
        for (; left > around.first && page->words[left - 1].leaf + (uint32_t)d >= low; left--)
            if (!(page->words[left - 1].flags & PAGE_WORD_STOP))
                add_key(link, key_of(page->words[left - 1].stem, -d, BEFORE));
        for (; right < around.end && page->words[right].leaf < high + (uint32_t)d; right++)
            if (!(page->words[right].flags & PAGE_WORD_STOP))
                add_key(link, key_of(page->words[right].stem, d, BEHIND));
    }
}

static struct feature *find_feature(const struct apprentice *apprentice, uint32_t key)
{
    struct map_walk walk = map_find(&apprentice->by_key, hash_mix(key, 1));

    while (map_next(&walk))
        if (apprentice->features[walk.value].key == key)
            return &apprentice->features[walk.value];
    return NULL;
}

/* NULL: there are too many. */
static struct feature *add_feature(struct apprentice *apprentice, uint32_t key)
{
    struct feature *feature = find_feature(apprentice, key);

    if (feature || apprentice->nfeatures == FEATURES)
        return feature;
    SCENT_BUG_IF(!vec_reserve(&apprentice->features, &apprentice->feature_room, apprentice->nfeatures + 1,
                              sizeof *apprentice->features));
    SCENT_BUG_IF(map_add(&apprentice->by_key, hash_mix(key, 1), (uint32_t)apprentice->nfeatures) != SCENT_OK);
    feature = &apprentice->features[apprentice->nfeatures++];
    *feature = (struct feature){.key = key};
    return feature;
}

/* ---- learning ---- */

static void learn(struct apprentice *apprentice, const struct remembered *link, double on)
{
    const double share[2] = {1 - on, on};

    for (int c = 0; c < 2; c++)
        apprentice->examples[c] += share[c];
    for (unsigned i = 0; i < link->nkeys; i++) {
        struct feature *feature = add_feature(apprentice, link->keys[i]);

        for (int c = 0; c < 2 && feature; c++) {
            feature->count[c] += share[c];
            apprentice->words[c] += share[c];
        }
    }
}

static void use_counts(struct apprentice *apprentice)
{
    double distinct = (double)apprentice->nfeatures;

    for (size_t i = 0; i < apprentice->nfeatures; i++) {
        struct feature *feature = &apprentice->features[i];

        feature->weight = (float)(log((feature->count[1] + 1) / (apprentice->words[1] + distinct)) -
                                  log((feature->count[0] + 1) / (apprentice->words[0] + distinct)));
    }
    apprentice->used = apprentice->examples[0] + apprentice->examples[1];
    apprentice->used_on = apprentice->examples[1];
    apprentice->prior = log((apprentice->examples[1] + 1) / (apprentice->examples[0] + 1));
    apprentice->all_stale = true;
}

static bool decides(const struct apprentice *apprentice)
{
    return apprentice->used > 0;
}

static const struct remembered *recollect(const struct apprentice *apprentice, uint32_t number)
{
    const struct remembered *link = number % LINKS < apprentice->nlinks ? &apprentice->links[number % LINKS] : NULL;

    return number && link && link->number == number ? link : NULL;
}

static void remember(struct apprentice *apprentice, const struct strategy_visit *visit, uint32_t i, uint64_t class)
{
    struct remembered *link;
    size_t at;

    apprentice->last += apprentice->last == UINT32_MAX ? 2 : 1; /* 0 is none */
    at = apprentice->last % LINKS;
    while (apprentice->nlinks <= at) {
        SCENT_BUG_IF(!vec_reserve(&apprentice->links, &apprentice->link_room, apprentice->nlinks + 1,
                                  sizeof *apprentice->links));
        apprentice->links[apprentice->nlinks++] = (struct remembered){0};
    }
    link = &apprentice->links[at];
    if (link->number) {
        SCENT_BUG_IF(!vec_reserve(&apprentice->stale, &apprentice->stale_room, apprentice->nstale + 1,
                                  sizeof *apprentice->stale));
        apprentice->stale[apprentice->nstale++] = link->target;
    }
    *link = (struct remembered){.number = apprentice->last, .target = visit->targets[i]};
    find_features(visit->page, i, class, link);
}

static struct kept read_own(const uint8_t *own)
{
    struct kept kept;

    memcpy(&kept.number, own, sizeof kept.number);
    memcpy(&kept.page, own + sizeof kept.number, sizeof kept.page);
    return kept;
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct apprentice *apprentice = state;
    const struct remembered *link = visit->seed ? NULL : recollect(apprentice, read_own(visit->own).number);
    const struct model *model = apprentice->guided.model;
    double label = guided_page(visit), seen;
    uint64_t class;

    if (link && label >= 0 && label <= 1)
        learn(apprentice, link, label);
    seen = apprentice->examples[0] + apprentice->examples[1];
    /* Labels are parts that do not add up exactly. */
    if (decides(apprentice) ? strategy_refine_is_due(seen, apprentice->used) : seen > apprentice->after - .5)
        use_counts(apprentice);
    class = hash_str(model_class(model, guided_best_class(&apprentice->guided, visit->page)), 0);
    apprentice->shown = visit->number;
    apprentice->first = apprentice->last + 1;
    for (uint32_t i = 0; i < visit->page->nlinks; i++)
        remember(apprentice, visit, i, class);
}

/* ---- scores ---- */

/* What each zone says, and all together; the parts add up to the logarithm of the odds. */
static double rate(const struct apprentice *apprentice, const struct remembered *link, double zones[ZONES])
{
    double sum = apprentice->prior, known = 0, scale;

    for (int z = 0; z < ZONES; z++)
        zones[z] = 0;
    for (unsigned i = 0; i < link->nkeys; i++) {
        const struct feature *feature = find_feature(apprentice, link->keys[i]);

        if (!feature || feature->weight == 0)
            continue;
        zones[link->keys[i] % ZONES] += (double)feature->weight;
        known++;
    }
    scale = apprentice->flatten > 0 && known > apprentice->flatten ? apprentice->flatten / known : 1;
    for (int z = 0; z < ZONES; z++)
        sum += zones[z] *= scale;
    return 1 / (1 + exp(-sum));
}

static void tell(const struct apprentice *apprentice, struct kept kept, struct strategy_score *out)
{
    const struct remembered *link = recollect(apprentice, kept.number);
    double zones[ZONES], p;

    if (!decides(apprentice)) {
        out->priority = kept.page;
        out->nparts = 2;
        out->parts[0] = (struct strategy_part){.name = "probability of the page", .value = (double)kept.page};
        out->parts[1] = (struct strategy_part){
            .name = "followed links that the apprentice has learned from, too few to decide",
            .value = apprentice->examples[0] + apprentice->examples[1]};
        return;
    }
    if (!link) {
        out->priority = kept.page - 1;
        out->nparts = 2;
        out->parts[0] = (struct strategy_part){.name = "probability of the page", .value = (double)kept.page};
        out->parts[1] = (struct strategy_part){
            .name = "the words near the link are forgotten, so that it comes after the others", .value = -1};
        return;
    }
    p = rate(apprentice, link, zones);
    out->priority = (float)p;
    out->nparts = 6;
    out->parts[0] = (struct strategy_part){.name = "probability by the words near the link", .value = p};
    out->parts[1] = (struct strategy_part){.name = "words of the anchor", .value = zones[ANCHOR], .is_log = true};
    out->parts[2] = (struct strategy_part){.name = "words before the link", .value = zones[BEFORE], .is_log = true};
    out->parts[3] = (struct strategy_part){.name = "words behind the link", .value = zones[BEHIND], .is_log = true};
    out->parts[4] = (struct strategy_part){.name = "class of its page", .value = zones[CLASS], .is_log = true};
    out->parts[5] = (struct strategy_part){.name = "links in general",
                                           .value = apprentice->prior,
                                           .is_log = true,
                                           .counted = "links that were followed led to the topic",
                                           .count = (uint32_t)lround(fmin(apprentice->used_on, 1e9)),
                                           .of = (uint32_t)lround(fmin(apprentice->used, 1e9))};
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct apprentice *apprentice = state;
    struct kept kept = {.page = (float)guided_page(visit)};

    if (apprentice->shown == visit->number) /* else it is a copy of another page, whose links are remembered */
        kept.number = apprentice->first + link;
    *out = (struct strategy_score){0};
    memcpy(out->own, &kept.number, sizeof kept.number);
    memcpy(out->own + sizeof kept.number, &kept.page, sizeof kept.page);
    tell(apprentice, kept, out);
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct apprentice *apprentice = state;
    size_t count;

    if (apprentice->all_stale) {
        apprentice->all_stale = false;
        apprentice->nstale = 0;
        return STRATEGY_ALL;
    }
    count = apprentice->nstale < room ? apprentice->nstale : room;
    for (size_t i = 0; i < count; i++)
        ids[i] = apprentice->stale[--apprentice->nstale];
    return count;
}

static bool explain(void *state, uint32_t id, struct strategy_score *out)
{
    (void)id;
    tell(state, read_own(out->own), out);
    return true;
}

static bool rescore(void *state, uint32_t id, struct strategy_score *out)
{
    float before = out->priority;

    return explain(state, id, out) && out->priority != before;
}

/* ---- keeping ---- */

static scent_status save(void *state, struct buf *out)
{
    const struct apprentice *apprentice = state;

    bytes_put(out, VERSION, 1);
    for (int c = 0; c < 2; c++) {
        bytes_put_double(out, apprentice->examples[c]);
        bytes_put_double(out, apprentice->words[c]);
    }
    bytes_put_double(out, apprentice->used);
    bytes_put_double(out, apprentice->used_on);
    bytes_put_double(out, apprentice->prior);
    bytes_put(out, apprentice->nfeatures, 4);
    for (size_t i = 0; i < apprentice->nfeatures; i++) {
        const struct feature *feature = &apprentice->features[i];

        bytes_put(out, feature->key, 4);
        bytes_put_double(out, feature->count[0]);
        bytes_put_double(out, feature->count[1]);
        bytes_put_float(out, feature->weight);
    }
    bytes_put(out, apprentice->last, 4);
    bytes_put(out, apprentice->nlinks, 4);
    for (size_t i = 0; i < apprentice->nlinks; i++) {
        const struct remembered *link = &apprentice->links[i];

        bytes_put(out, link->number, 4);
        bytes_put(out, link->target, 4);
        bytes_put(out, link->nkeys, 1);
        saved_put_array(out, link->keys, link->nkeys, sizeof *link->keys);
    }
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static void load_features(struct apprentice *apprentice, struct bytes *in)
{
    uint64_t count = bytes_get(in, 4);

    if (!bytes_check(in, count <= FEATURES, "it has too many features") || !bytes_has(in, count, 24))
        return;
    for (uint64_t i = 0; i < count && !in->wrong; i++) {
        struct feature *feature = add_feature(apprentice, (uint32_t)bytes_get(in, 4));

        feature->count[0] = bytes_get_double(in);
        feature->count[1] = bytes_get_double(in);
        feature->weight = bytes_get_float(in);
        bytes_check(in, feature->count[0] >= 0 && feature->count[1] >= 0 && fabsf(feature->weight) < 1e6f,
                    "a feature is out of range");
    }
    bytes_check(in, apprentice->nfeatures == count, "a feature comes twice");
}

static void load_links(struct apprentice *apprentice, struct bytes *in)
{
    uint64_t count;

    apprentice->last = (uint32_t)bytes_get(in, 4);
    count = bytes_get(in, 4);
    if (!bytes_check(in, count <= LINKS, "it remembers too many links") || !bytes_has(in, count, 9))
        return;
    SCENT_BUG_IF(!vec_reserve(&apprentice->links, &apprentice->link_room, count, sizeof *apprentice->links));
    for (; apprentice->nlinks < count && !in->wrong; apprentice->nlinks++) {
        struct remembered *link = &apprentice->links[apprentice->nlinks];

        *link = (struct remembered){.number = (uint32_t)bytes_get(in, 4), .target = (uint32_t)bytes_get(in, 4)};
        link->nkeys = (uint8_t)bytes_get(in, 1);
        if (bytes_check(in, link->nkeys <= KEYS, "a link has too many words"))
            saved_get_array(in, link->keys, link->nkeys, sizeof *link->keys);
    }
}

/* Candidates come with the scores that they were queued with, so all of them are scored again. */
static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct apprentice *apprentice = state;
    struct bytes in;

    SCENT_TRY(saved_open("apprentice", VERSION, blob, &in, err));
    for (int c = 0; c < 2; c++) {
        apprentice->examples[c] = bytes_get_double(&in);
        apprentice->words[c] = bytes_get_double(&in);
        bytes_check(&in, saved_is_count(apprentice->examples[c]) && saved_is_count(apprentice->words[c]),
                    "a count is out of range");
    }
    apprentice->used = bytes_get_double(&in);
    apprentice->used_on = bytes_get_double(&in);
    apprentice->prior = bytes_get_double(&in);
    bytes_check(&in, saved_is_count(apprentice->used) && saved_is_count(apprentice->used_on),
                "a count is out of range");
    load_features(apprentice, &in);
    load_links(apprentice, &in);
    apprentice->all_stale = true;
    return saved_end("apprentice", &in, err);
}

/* ---- opening ---- */

static void close_state(void *state)
{
    struct apprentice *apprentice = state;

    guided_release(&apprentice->guided);
    map_release(&apprentice->by_key);
    free(apprentice->features);
    free(apprentice->links);
    free(apprentice->stale);
    free(apprentice);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct apprentice *apprentice;
    scent_status status;

    SCENT_TRY(option_new_state(context, sizeof *apprentice, state, err));
    apprentice = *state;
    status = guided_init(&apprentice->guided, context, err);
    if (status != SCENT_OK)
        close_state(apprentice);
    return status;
}

const struct strategy_ops strategy_apprentice = {
    .name = "apprentice",
    .summary = "a second classifier that learns from followed links which words near a link lead to the topic",
    .paper = "Chakrabarti, Punera and Subramanyam 2002, Accelerated Focused Crawling through Online Relevance Feedback",
    .options = options,
    .wants = JUDGE_CLASSES,
    .own_bytes = 8,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .whole_graph = "what it learns of a link is remembered where the link was found",
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .save = save,
    .load = load,
};
