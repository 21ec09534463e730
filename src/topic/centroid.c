#include "topic/centroid.h"

#include "base/bytes.h"
#include "base/vec.h"
#include "text/background.h"
#include "url/url.h"

#include <math.h>
#include <stdlib.h>

/* 1 + ln tf. Most are small, and a logarithm costs more than all else that is done for a term. */
static double term_weight(uint32_t tf)
{
    static const double small[] = {
        1, /* nothing has a tf of 0 */
        1, 1.6931471805599454, 2.09861228866811, 2.386294361119891, 2.6094379124341005, 2.791759469228055,
        2.9459101490553135, 3.0794415416798357, 3.1972245773362196, 3.302585092994046, 3.3978952727983707,
        3.4849066497880004, 3.5649493574615367, 3.6390573296152584, 3.70805020110221, 3.772588722239781,
        3.833213344056216, 3.8903717578961645, 3.9444389791664403, 3.995732273553991, 4.044522437723423,
        4.091042453358316, 4.13549421592915, 4.178053830347945, 4.218875824868201, 4.258096538021482,
        4.295836866004329, 4.332204510175204, 4.367295829986475, 4.401197381662156, 4.433987204485146,
        4.465735902799727,
    };

    return tf < sizeof small / sizeof *small ? small[tf] : 1 + log(tf);
}

static double bag_norm(const struct page *page)
{
    double sum = 0;

    for (size_t i = 0; i < page->nbag; i++) {
        double weight = term_weight(page->bag[i].tf);

        sum += weight * weight;
    }
    return sqrt(sum);
}

scent_status centroid_page_vector(const struct page *page, struct arena *arena, struct text_vector *out)
{
    double norm = bag_norm(page);

    *out = (struct text_vector){0};
    if (page->nbag == 0)
        return SCENT_OK;
    out->items = arena_array(arena, page->nbag, sizeof *out->items);
    if (!out->items)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < page->nbag; i++)
        out->items[i] = (struct text_weight){page->bag[i].stem, term_weight(page->bag[i].tf) / norm};
    out->count = page->nbag;
    return SCENT_OK;
}

/* Of the item with this stem; UINT32_MAX: there is none. */
static inline uint32_t find_stem(const struct map *by_stem, const struct text_weight *items, uint64_t stem)
{
    struct map_walk walk = map_find(by_stem, stem);

    while (map_next(&walk))
        if (items[walk.value].stem == stem)
            return walk.value;
    return UINT32_MAX;
}

/* ---- likeness ---- */

void likeness_init(struct likeness *likeness, const struct centroid *seeds)
{
    struct text_vector v = {0};
    struct arena arena;
    uint64_t *stems;

    *likeness = (struct likeness){0};
    arena_init(&arena, SIZE_MAX);
    arena_init(&likeness->arena, SIZE_MAX);
    SCENT_BUG_IF(seeds && centroid_vector(seeds, &arena, &v) != SCENT_OK);
    likeness->norm = text_norm(&v);
    stems = arena_array(&likeness->arena, v.count, sizeof *stems);
    likeness->weights = arena_array(&likeness->arena, v.count, sizeof *likeness->weights);
    SCENT_BUG_IF(!stems || !likeness->weights);
    for (size_t i = 0; i < v.count; i++) {
        stems[i] = v.items[i].stem;
        likeness->weights[i] = v.items[i].weight;
    }
    SCENT_BUG_IF(vocabulary_init(&likeness->vocabulary, stems, (uint32_t)v.count, &likeness->arena) != SCENT_OK);
    likeness->may_shift = likeness->vocabulary.shift - 5;
    likeness->may = arena_zalloc(&likeness->arena, ((UINT64_MAX >> likeness->may_shift) + 1) / 8);
    SCENT_BUG_IF(!likeness->may);
    for (size_t i = 0; i < v.count; i++)
        likeness->may[stems[i] >> likeness->may_shift >> 6] |= (uint64_t)1 << (stems[i] >> likeness->may_shift & 63);
    arena_release(&arena);
}

void likeness_release(struct likeness *likeness)
{
    arena_release(&likeness->arena);
    *likeness = (struct likeness){0};
}

static inline double weight_of(const struct likeness *likeness, uint64_t stem)
{
    uint64_t bit = stem >> likeness->may_shift;
    uint32_t found = likeness->may[bit / 64] >> bit % 64 & 1 ? vocabulary_find(&likeness->vocabulary, stem)
                                                             : VOCABULARY_NONE;

    return found == VOCABULARY_NONE ? 0 : likeness->weights[found];
}

static double cosine(const struct likeness *likeness, double dot, double squares)
{
    double value = squares > 0 && likeness->norm > 0 ? dot / (sqrt(squares) * likeness->norm) : 0;

    return value > 1 ? 1 : value;
}

double likeness_of(const struct likeness *likeness, const struct page *page)
{
    double dot = 0, squares = 0;

    for (size_t i = 0; i < page->nbag; i++) {
        double weight = term_weight(page->bag[i].tf);

        squares += weight * weight;
        dot += weight * weight_of(likeness, page->bag[i].stem);
    }
    return cosine(likeness, dot, squares);
}

double likeness_of_bag(const struct likeness *likeness, const struct text_vector *tf)
{
    double dot = 0, squares = 0;

    for (size_t i = 0; i < tf->count; i++) {
        double weight = tf->items[i].weight > 1 ? 1 + log(tf->items[i].weight) : tf->items[i].weight;

        squares += weight * weight;
        dot += weight * weight_of(likeness, tf->items[i].stem);
    }
    return cosine(likeness, dot, squares);
}

/* ---- centroids ---- */

void centroid_init(struct centroid *centroid)
{
    *centroid = (struct centroid){0};
}

void centroid_release(struct centroid *centroid)
{
    free(centroid->items);
    free(centroid->uses);
    map_release(&centroid->by_stem);
    centroid_init(centroid);
}

/* Sums of such numbers are exact below 2^11: some 2,000 pages that have a stem. */
static double on_grid(double number)
{
    return rint(number * 0x1p42) * 0x1p-42;
}

/* *at is its place, or UINT32_MAX where there is no room for another. */
static scent_status place_stem(struct centroid *centroid, uint64_t stem, uint32_t *at)
{
    *at = find_stem(&centroid->by_stem, centroid->items, stem);
    if (*at != UINT32_MAX || centroid->count == CENTROID_STEMS_MAX)
        return SCENT_OK;
    if (!vec_reserve(&centroid->items, &centroid->room, centroid->count + 1, sizeof *centroid->items) ||
        !vec_reserve(&centroid->uses, &centroid->uses_room, centroid->count + 1, sizeof *centroid->uses))
        return SCENT_E_NOMEM;
    SCENT_TRY(map_add(&centroid->by_stem, stem, (uint32_t)centroid->count));
    *at = (uint32_t)centroid->count;
    centroid->uses[*at] = (struct centroid_use){0};
    centroid->items[centroid->count++] = (struct text_weight){.stem = stem};
    return SCENT_OK;
}

scent_status centroid_add(struct centroid *centroid, const struct text_vector *v)
{
    for (size_t i = 0; i < v->count; i++) {
        uint32_t at;

        if (v->items[i].weight <= 0)
            continue;
        SCENT_TRY(place_stem(centroid, v->items[i].stem, &at));
        if (at != UINT32_MAX)
            centroid->items[at].weight += on_grid(v->items[i].weight);
    }
    return SCENT_OK;
}

/* ---- sums of workers ---- */

enum { SUM_VERSION = 1, SUM_TERM = 40 };

void centroid_write(const struct centroid *centroid, struct buf *out)
{
    uint64_t count = 0;

    for (size_t i = 0; i < centroid->count; i++)
        count += centroid->items[i].weight != 0;
    bytes_put(out, SUM_VERSION, 1);
    bytes_put(out, centroid->pages, 4);
    bytes_put(out, count, 4);
    for (size_t i = 0; i < centroid->count; i++)
        if (centroid->items[i].weight != 0) {
            bytes_put(out, centroid->items[i].stem, 8);
            bytes_put_double(out, centroid->items[i].weight);
            bytes_put_double(out, centroid->uses[i].share);
            bytes_put_double(out, centroid->uses[i].root);
            bytes_put_double(out, centroid->uses[i].common);
        }
}

static scent_status add_term(struct centroid *centroid, struct bytes *in, int times)
{
    uint64_t stem = bytes_get(in, 8);
    double weight = bytes_get_double(in), share = bytes_get_double(in), root = bytes_get_double(in);
    double common = bytes_get_double(in);
    struct centroid_use *use;
    uint32_t at;

    bytes_check(in, weight >= 0 && weight < 0x1p11 && share >= 0 && share < 0x1p11 && root >= 0 && root < 0x1p11 &&
                    common >= -1 && common <= 1, "a number is out of range");
    if (in->wrong || times == 0)
        return SCENT_OK;
    SCENT_TRY(place_stem(centroid, stem, &at));
    if (at == UINT32_MAX)
        return SCENT_OK;
    use = &centroid->uses[at];
    centroid->items[at].weight += times * on_grid(weight);
    use->share += times * on_grid(share);
    use->root += times * on_grid(root);
    if (centroid->items[at].weight == 0)
        use->common = 0;
    else if (use->common == 0 || common > use->common)
        use->common = common;
    return SCENT_OK;
}

scent_status centroid_sum(struct centroid *centroid, struct str bytes, int times)
{
    for (int look = 1; look >= 0; look--) {
        struct bytes in = bytes_of(bytes);
        bool known = bytes_get(&in, 1) == SUM_VERSION;
        uint32_t pages = (uint32_t)bytes_get(&in, 4);
        uint64_t count = bytes_get(&in, 4);

        bytes_check(&in, known && bytes_has(&in, count, SUM_TERM) && count <= CENTROID_STEMS_MAX, "it is too short");
        for (uint64_t i = 0; i < count && !in.wrong; i++)
            SCENT_TRY(add_term(centroid, &in, look ? 0 : times));
        if (!bytes_check(&in, bytes_left(&in) == 0, "it is longer than it says"))
            return SCENT_E_FORMAT;
        if (!look)
            centroid->pages += (uint32_t)times * pages;
    }
    return SCENT_OK;
}

/* ---- pages ---- */

#define KEPT_MAGIC STR("example2")
struct kept_term {
    uint64_t stem;
    float tf, common;
};

/* The words of a host's name, without its public suffix: "git" and "scm" of www.git-scm.com. */
enum { NAMES_MAX = 8 };
struct host_names {
    uint64_t stems[NAMES_MAX];
    size_t count;
};

static void find_names(const struct page *page, struct host_names *out)
{
    struct text_stemmer *stemmer = text_stemmer_new();
    struct str host = url_host(&page->url), domain = url_registered_domain(host);
    const char *p = host.p, *end = domain.p;

    out->count = 0;
    while (end < host.p + host.len && *end != '.')
        end++;
    while (p < end && out->count < NAMES_MAX) {
        const char *word = p;

        while (p < end && *p != '.' && *p != '-')
            p++;
        struct str name = {word, (size_t)(p - word)};
        if (name.len)
            out->stems[out->count++] = text_stem_hash(stemmer, page->lang, name, text_word_hash(name));
        p++;
    }
    text_stemmer_free(stemmer);
}

/* Words with a digit and of one letter are numbers, versions and names of variables: they are in every document. The
 * name of a site stands on all its pages, so that it tells little there; elsewhere it may be the topic itself. The
 * fourth root leaves a quarter of its weight (decision 59). */
static float commonness(const struct background *background, const struct host_names *names,
                        const struct page_term *term)
{
    size_t count;
    const struct background_term *terms = background ? background_terms(background, &count) : NULL;
    uint32_t df;
    float common;

    for (size_t i = 0; i < term->text.len; i++)
        if (ascii_is_digit(term->text.p[i]))
            return 1;
    if (term->text.len == 1)
        return 1;
    if (!background)
        return -1;
    df = background_frequency(background, term->stem);
    common = (df ? (float)df : (float)terms[count - 1].df / 2) / (float)background_documents(background);
    for (size_t i = 0; i < names->count; i++)
        if (names->stems[i] == term->stem)
            return sqrtf(sqrtf(common));
    return common;
}

scent_status centroid_keep_page(const struct page *page, struct arena *arena, struct str *out)
{
    const struct background *background = background_for(page->lang);
    struct str magic = KEPT_MAGIC;
    size_t len = magic.len + page->nbag * sizeof(struct kept_term);
    char *bytes = arena_alloc(arena, len);
    struct host_names names;

    if (!bytes)
        return SCENT_E_NOMEM;
    find_names(page, &names);
    memcpy(bytes, magic.p, magic.len);
    for (uint32_t i = 0; i < page->nbag; i++) {
        struct kept_term term = {page->bag[i].stem, (float)page->bag[i].tf,
                                 commonness(background, &names, &page->bag[i])};

        memcpy(bytes + magic.len + i * sizeof term, &term, sizeof term);
    }
    *out = (struct str){bytes, len};
    return SCENT_OK;
}

static struct kept_term kept_term(struct str kept, size_t i)
{
    struct kept_term term;

    memcpy(&term, kept.p + KEPT_MAGIC.len + i * sizeof term, sizeof term);
    return term;
}

static void add_uses(struct centroid *centroid, struct str kept, size_t count, double length)
{
    centroid->pages++;
    for (size_t i = 0; i < count; i++) {
        struct kept_term term = kept_term(kept, i);
        uint32_t at = find_stem(&centroid->by_stem, centroid->items, term.stem);
        struct centroid_use *use = at == UINT32_MAX ? NULL : &centroid->uses[at];

        if (!use) /* too many stems */
            continue;
        use->share += on_grid((double)term.tf / length);
        use->root += on_grid(sqrt((double)term.tf / length));
        if (use->common == 0 || (double)term.common > use->common)
            use->common = (double)term.common;
    }
}

/* `kept` may come from a file that was damaged. */
scent_status centroid_add_kept(struct centroid *centroid, struct str kept)
{
    size_t count = kept.len >= KEPT_MAGIC.len ? (kept.len - KEPT_MAGIC.len) / sizeof(struct kept_term) : 0;
    struct text_vector v = {.count = count};
    double norm = 0, length = 0;
    scent_status status;

    if (!str_starts(kept, KEPT_MAGIC)) {
        v = (struct text_vector){(struct text_weight *)(uintptr_t)kept.p, kept.len / sizeof *v.items};
        return centroid_add(centroid, &v);
    }
    v.items = malloc((count + 1) * sizeof *v.items);
    if (!v.items)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        struct kept_term term = kept_term(kept, i);
        double weight = term.tf >= 1 && term.tf < 4e9f ? term_weight((uint32_t)term.tf) : 0;

        v.items[i] = (struct text_weight){term.stem, weight};
        norm += weight * weight;
        length += (double)term.tf;
    }
    for (size_t i = 0; i < count; i++)
        v.items[i].weight /= sqrt(norm);
    status = norm > 0 ? centroid_add(centroid, &v) : SCENT_OK;
    if (status == SCENT_OK && norm > 0)
        add_uses(centroid, kept, count, length);
    free(v.items);
    return status;
}

scent_status centroid_add_page(struct centroid *centroid, const struct page *page)
{
    struct arena arena;
    struct str kept;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    status = centroid_keep_page(page, &arena, &kept);
    if (status == SCENT_OK)
        status = centroid_add_kept(centroid, kept);
    arena_release(&arena);
    return status;
}

static int by_weight(const void *a, const void *b)
{
    const struct text_weight *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return (x->stem > y->stem) - (x->stem < y->stem);
}

static void scale_to_one(struct text_vector *v)
{
    double norm = text_norm(v);

    for (size_t i = 0; i < v->count; i++)
        v->items[i].weight /= norm;
}

scent_status centroid_vector(const struct centroid *centroid, struct arena *arena, struct text_vector *out)
{
    *out = (struct text_vector){0};
    if (centroid->count == 0)
        return SCENT_OK;
    out->items = arena_array(arena, centroid->count, sizeof *out->items);
    if (!out->items)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < centroid->count; i++)
        if (centroid->items[i].weight != 0)
            out->items[out->count++] = centroid->items[i];
    if (out->count > CENTROID_VECTOR_MAX) {
        qsort(out->items, out->count, sizeof *out->items, by_weight);
        out->count = CENTROID_VECTOR_MAX;
    }
    qsort(out->items, out->count, sizeof *out->items, text_order_stems);
    scale_to_one(out);
    return SCENT_OK;
}
