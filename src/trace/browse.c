/* Asking a model of browsing, and its file. */
#include "trace/browse.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/hash.h"
#include "page/context.h"
#include "trace/browse_parts.h"

#include <stdlib.h>

struct browse *browse_new(void)
{
    struct browse *browse = calloc(1, sizeof *browse);

    SCENT_BUG_IF(!browse);
    arena_init(&browse->arena, SIZE_MAX);
    return browse;
}

void browse_free(struct browse *browse)
{
    if (!browse)
        return;
    lsi_free(browse->lsi);
    arena_release(&browse->arena);
    free(browse);
}

/* pi over the labels of all pages, A over the links, B over the clusters of each label. */
static void estimate_hmm(struct browse *browse)
{
    const struct browse_concepts *concepts = &browse->concepts;
    struct hmm_counts counts = {0};

    for (uint32_t from = 0; from < BROWSE_NODES; from++) {
        uint32_t label = from / CLUSTER_MAX;

        counts.labels[label] += concepts->pages[from];
        counts.seen[label][from % CLUSTER_MAX] += concepts->pages[from];
        for (uint32_t to = 0; to < BROWSE_NODES; to++)
            counts.steps[label][to / CLUSTER_MAX] += concepts->links[from][to];
    }
    hmm_estimate(&counts, browse->nclusters, &browse->hmm);
}

void browse_finish(struct browse *browse)
{
    uint32_t sizes[CLUSTER_MAX] = {0};

    for (uint32_t i = 0; i < browse->npages; i++) {
        browse->concepts.pages[browse_node(browse->labels[i], browse->of[i])]++;
        sizes[browse->of[i]]++;
    }
    browse->neighbours = sizes[0];
    for (uint32_t c = 1; c < browse->nclusters; c++)
        browse->neighbours = sizes[c] < browse->neighbours ? sizes[c] : browse->neighbours;
    estimate_hmm(browse);
}

/* ---- what a page is compared by ---- */

/* A word of a title is another feature than the same word in the text. */
enum { SALT_TITLE = 0x7171e, SALT_ANCHOR = 0xa2c402 };

struct words {
    struct text_weight *items;
    size_t count;
};

static void add_words(const struct page *page, struct context range, double weight, uint64_t salt, struct words *out)
{
    for (uint32_t i = range.first; weight > 0 && i < range.end; i++)
        if (!(page->words[i].flags & (PAGE_WORD_STOP | PAGE_WORD_BOILERPLATE)))
            out->items[out->count++] = (struct text_weight){hash_mix(page->words[i].stem, salt), weight};
}

scent_status browse_vector(const struct browse_features *features, const struct page *page,
                           const struct text_vector *tf, struct arena *arena, struct text_vector *out)
{
    struct context title = context_title(page);
    size_t room = tf->count + title.end - title.first + 1;
    struct words words = {0};

    *out = *tf;
    if (features->title <= 0 && features->anchors <= 0)
        return SCENT_OK;
    for (uint32_t i = 0; i < page->nlinks; i++)
        room += page->links[i].end_word - page->links[i].first_word;
    words.items = arena_array(arena, room, sizeof *words.items);
    if (!words.items)
        return SCENT_E_NOMEM;
    add_words(page, title, features->title, SALT_TITLE, &words);
    for (uint32_t i = 0; i < page->nlinks; i++)
        add_words(page, context_anchor(page, i), features->anchors, SALT_ANCHOR, &words);
    memcpy(words.items + words.count, tf->items, tf->count * sizeof *tf->items);
    words.count += tf->count;
    qsort(words.items, words.count, sizeof *words.items, text_order_stems);
    *out = (struct text_vector){words.items, 0};
    for (size_t i = 0; i < words.count; i++) {
        if (out->count && out->items[out->count - 1].stem == words.items[i].stem)
            out->items[out->count - 1].weight += words.items[i].weight;
        else
            out->items[out->count++] = words.items[i];
    }
    return SCENT_OK;
}

struct browse_features browse_features(const struct browse *browse)
{
    return browse->features;
}

/* ---- asking ---- */

/* Strange is a page by the words of its text alone: nearly every title is new. */
void browse_ask(const struct browse *browse, const struct page *page, const struct text_vector *tf, struct arena *arena,
                struct browse_sense *out)
{
    uint32_t dims = lsi_dims(browse->lsi);
    double *cosines = arena_array(arena, browse->npages, sizeof *cosines), point[LSI_DIMS], known;
    struct clustering_neighbour *room = arena_array(arena, browse->neighbours, sizeof *room);
    struct text_vector all;

    *out = (struct browse_sense){0};
    if (!cosines || !room || browse_vector(&browse->features, page, tf, arena, &all) != SCENT_OK)
        return;
    lsi_project_unit(browse->lsi, &all, point);
    for (uint32_t i = 0; i < browse->npages; i++) {
        cosines[i] = clustering_dot(point, browse->points + (size_t)i * dims, dims);
        if (browse->labels[i] == 0 && cosines[i] > out->similar)
            out->similar = cosines[i] < 1 ? cosines[i] : 1;
    }
    out->cluster = clustering_of_nearest(cosines, browse->of, browse->npages, browse->neighbours, room);
    known = lsi_known(browse->lsi, tf);
    out->strange = known <= 0 || known < browse->familiar[out->cluster];
    out->familiar = !out->strange ? 1 : known > 0 ? known / browse->familiar[out->cluster] : 0;
}

const struct hmm *browse_hmm(const struct browse *browse)
{
    return &browse->hmm;
}

uint32_t browse_nclusters(const struct browse *browse)
{
    return browse->nclusters;
}

uint32_t browse_dims(const struct browse *browse)
{
    return lsi_dims(browse->lsi);
}

struct str browse_telling(const struct browse *browse, uint32_t cluster, uint32_t i)
{
    return i < BROWSE_TELLING ? browse->telling[cluster][i] : STR_NONE;
}

const struct browse_concepts *browse_concepts(const struct browse *browse)
{
    return &browse->concepts;
}

/* ---- as bytes (docs/internals/formats.md) ---- */

enum { FILE_CAP = 1 << 30, WORD_BYTES = 255 };

#define FRAME(number)                                                                                                 \
    {.magic = "scentbrw", .version = number, .seed = 0x627277, .thing = "browsing model",                              \
     .foreign = "name a file that `scent browse train` wrote", .again = "train it again with `scent browse train`"}

/* A model of the text alone is written as it always was; the features of version 2 stand behind all else. */
static const struct frame of_text = FRAME(1), of_features = FRAME(2);

static bool has_features(const struct browse *browse)
{
    return browse->features.title > 0 || browse->features.anchors > 0;
}

static void put_words(const struct browse *browse, struct buf *out)
{
    for (uint32_t c = 0; c < browse->nclusters; c++)
        for (uint32_t i = 0; i < BROWSE_TELLING; i++) {
            struct str word = browse->telling[c][i];

            word.len = word.len < WORD_BYTES ? word.len : WORD_BYTES;
            bytes_put_str(out, word, 1);
        }
}

/* For each pair of nodes that exist in this many clusters. */
static void put_links(const struct browse *browse, struct buf *out)
{
    for (uint32_t from = 0; from < BROWSE_NODES; from++)
        for (uint32_t to = 0; to < BROWSE_NODES; to++)
            if (from % CLUSTER_MAX < browse->nclusters && to % CLUSTER_MAX < browse->nclusters)
                bytes_put(out, browse->concepts.links[from][to], 4);
}

scent_status browse_write(const struct browse *browse, struct buf *out)
{
    const struct frame *frame = has_features(browse) ? &of_features : &of_text;
    size_t begin = frame_begin(frame, out);

    bytes_put(out, browse->npages, 4);
    bytes_put(out, browse->nclusters, 4);
    lsi_put(browse->lsi, out);
    for (size_t i = 0; i < (size_t)browse->npages * lsi_dims(browse->lsi); i++)
        bytes_put_double(out, browse->points[i]);
    for (uint32_t i = 0; i < browse->npages; i++) {
        bytes_put(out, browse->of[i], 1);
        bytes_put(out, browse->labels[i], 1);
    }
    for (uint32_t c = 0; c < browse->nclusters; c++)
        bytes_put_double(out, browse->familiar[c]);
    put_links(browse, out);
    put_words(browse, out);
    if (has_features(browse)) {
        bytes_put_double(out, browse->features.title);
        bytes_put_double(out, browse->features.anchors);
    }
    return frame_end(frame, out, begin);
}

scent_status browse_save(const struct browse *browse, const char *path, struct errmsg *err)
{
    scent_status status;
    struct buf out;

    buf_init(&out, FILE_CAP); /* what could not be read again is not written */
    status = browse_write(browse, &out);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "%s: the browsing model does not fit into %d MiB or into memory", path,
                    FILE_CAP >> 20);
    else
        status = file_replace(path, buf_str(&out), err);
    buf_release(&out);
    return status;
}

/* ---- reading ---- */

static void *get_room(struct bytes *in, struct browse *browse, uint64_t count, size_t stored, size_t size)
{
    void *p;

    if (!bytes_has(in, count, stored))
        return NULL;
    p = arena_array(&browse->arena, count, size);
    bytes_check(in, p != NULL, "there is no memory for it");
    return p;
}

static void get_pages(struct bytes *in, struct browse *browse)
{
    uint64_t count = (uint64_t)browse->npages * (in->wrong ? 0 : lsi_dims(browse->lsi));
    bool met[CLUSTER_MAX] = {false}, target = false;

    browse->points = get_room(in, browse, count, 8, sizeof *browse->points);
    for (uint64_t i = 0; i < count && !in->wrong; i++) {
        browse->points[i] = bytes_get_double(in);
        bytes_check(in, browse->points[i] >= -1.001 && browse->points[i] <= 1.001, "a number is out of range");
    }
    browse->of = get_room(in, browse, browse->npages, 2, sizeof *browse->of);
    browse->labels = get_room(in, browse, browse->npages, 2, sizeof *browse->labels);
    for (uint32_t i = 0; i < browse->npages && !in->wrong; i++) {
        browse->of[i] = (uint32_t)bytes_get(in, 1);
        browse->labels[i] = (uint8_t)bytes_get(in, 1);
        if (bytes_check(in, browse->of[i] < browse->nclusters && browse->labels[i] < HMM_STATES,
                        "a cluster or label is out of range"))
            met[browse->of[i]] = true;
        target |= browse->labels[i] == 0;
    }
    for (uint32_t c = 0; c < browse->nclusters && !in->wrong; c++)
        bytes_check(in, met[c], "a cluster is empty");
    bytes_check(in, target, "it has no useful page");
}

static void get_links(struct bytes *in, struct browse *browse)
{
    const uint32_t most = LSI_PAGES_MAX * LSI_PAGES_MAX; /* a link at most from page to page */

    for (uint32_t from = 0; from < BROWSE_NODES && !in->wrong; from++)
        for (uint32_t to = 0; to < BROWSE_NODES && !in->wrong; to++) {
            if (from % CLUSTER_MAX >= browse->nclusters || to % CLUSTER_MAX >= browse->nclusters)
                continue;
            browse->concepts.links[from][to] = (uint32_t)bytes_get(in, 4);
            bytes_check(in, browse->concepts.links[from][to] <= most, "a count is out of range");
        }
}

static void get_words(struct bytes *in, struct browse *browse)
{
    for (uint32_t c = 0; c < browse->nclusters && !in->wrong; c++)
        for (uint32_t i = 0; i < BROWSE_TELLING; i++) {
            struct str word = bytes_get_str(in, 1, WORD_BYTES);

            if (word.len)
                browse->telling[c][i] = arena_str(&browse->arena, word);
        }
}

static double get_weight(struct bytes *in)
{
    double weight = bytes_get_double(in);

    bytes_check(in, weight >= 0 && weight <= BROWSE_WEIGHT_MAX, "a weight is out of range");
    return weight;
}

static void get_model(struct bytes *in, bool featured, struct browse *browse)
{
    browse->npages = (uint32_t)bytes_get(in, 4);
    browse->nclusters = (uint32_t)bytes_get(in, 4);
    bytes_check(in, browse->npages >= 1 && browse->npages <= LSI_PAGES_MAX && browse->nclusters >= 1 &&
                browse->nclusters <= CLUSTER_MAX, "it has too few or too many pages or clusters");
    if (!in->wrong)
        browse->lsi = lsi_get(in);
    get_pages(in, browse);
    for (uint32_t c = 0; c < browse->nclusters && !in->wrong; c++) {
        browse->familiar[c] = bytes_get_double(in);
        bytes_check(in, browse->familiar[c] >= 0 && browse->familiar[c] <= 1, "a number is out of range");
    }
    get_links(in, browse);
    get_words(in, browse);
    if (!featured || in->wrong)
        return;
    browse->features.title = get_weight(in);
    browse->features.anchors = get_weight(in);
    bytes_check(in, has_features(browse), "it has no features beside the text");
}

scent_status browse_read(struct str bytes, const char *name, struct browse **out, struct errmsg *err)
{
    const bool featured = bytes.len >= FRAME_HEAD && bytes.p[FRAME_MAGIC] != (char)of_text.version;
    const struct frame *frame = featured ? &of_features : &of_text;
    struct browse *browse;
    struct bytes in;
    scent_status status = frame_open(frame, bytes, name, &in, err);

    *out = NULL;
    if (status != SCENT_OK)
        return status;
    browse = browse_new();
    get_model(&in, featured, browse);
    status = frame_close(frame, &in, name, err);
    if (status != SCENT_OK) {
        browse_free(browse);
        return status;
    }
    browse_finish(browse);
    *out = browse;
    return SCENT_OK;
}

scent_status browse_load(const char *path, struct browse **out, struct errmsg *err)
{
    scent_status status;
    struct buf bytes;

    *out = NULL;
    buf_init(&bytes, FILE_CAP);
    status = frame_load(&of_text, path, &bytes, err);
    if (status == SCENT_OK)
        status = browse_read(buf_str(&bytes), path, out, err);
    buf_release(&bytes);
    return status;
}
