#include "strategy/features.h"

#include "base/hash.h"
#include "base/vec.h"
#include "strategy/saved.h"

#include <stdlib.h>

void features_release(struct features *features)
{
    free(features->counts);
    free(features->recalled);
    free(features->at);
    free(features->marks);
    map_release(&features->by_key);
}

uint32_t features_find(const struct features *features, uint64_t key)
{
    struct map_walk walk = map_find(&features->by_key, hash_mix(key, 0));

    while (map_next(&walk))
        if (features->counts[walk.value].key == key)
            return walk.value;
    return FEATURES_NONE;
}

static void make_room(struct features *features, size_t need)
{
    size_t room = features->room, same = room;

    SCENT_BUG_IF(!vec_reserve(&features->counts, &features->room, need, sizeof *features->counts) ||
                 !vec_reserve(&features->marks, &room, features->room, sizeof *features->marks) ||
                 !vec_reserve(&features->at, &same, features->room, sizeof *features->at));
}

static uint32_t add_feature(struct features *features, uint64_t key)
{
    uint32_t number = (uint32_t)features->count;

    if (features->count == features->room)
        make_room(features, features->count + 1);
    SCENT_BUG_IF(map_add(&features->by_key, hash_mix(key, 0), number) != SCENT_OK);
    features->counts[number] = (struct features_count){.key = key};
    features->marks[number] = (struct features_mark){.value = 0};
    features->at[number] = 0;
    features->count++;
    return number;
}

uint32_t features_number(struct features *features, uint64_t key)
{
    uint32_t number = features_find(features, key);

    return number == FEATURES_NONE ? add_feature(features, key) : number;
}

/* ---- what they say ---- */

void features_renew(struct features *features)
{
    features->moment += 2;
    if (features->moment)
        return;
    if (features->count)
        memset(features->at, 0, features->count * sizeof *features->at);
    features->moment = 2;
}

/* True: it says something. */
static bool look_up(struct features *features, const struct ratios_now *now, size_t feature)
{
    struct features_seen sum = features_sum(features, (uint32_t)feature);
    double value = ratios_now_if_significant(now, sum.pages, sum.relevant);

    features->marks[feature].value = value;
    features->at[feature] = features->moment + (value != 0);
    return value != 0;
}

double features_value(struct features *features, const struct ratios_now *now, uint32_t feature)
{
    if ((features->at[feature] & ~1U) != features->moment)
        (void)look_up(features, now, feature);
    return features->marks[feature].value;
}

/* Most tokens are on one URL only, which is too few to be believed as a rule: they are not worth looking up. */
static inline bool is_significant(struct features *features, const struct ratios_now *now, size_t feature)
{
    return (features->counts[feature].pages >= now->support || feature < features->nrecalled) &&
           look_up(features, now, feature);
}

double features_add_up(struct features *features, const struct ratios_now *now, const uint32_t *items, size_t count)
{
    const uint32_t silent = features->moment, *at = features->at;
    double sum = 0;

    for (const uint32_t *feature = items; feature < items + count; feature++)
        if (at[*feature] != silent && (at[*feature] == silent + 1 || is_significant(features, now, *feature)))
            sum += features->marks[*feature].value;
    return sum;
}

struct reading {
    const uint32_t *at;
    struct features_mark *marks;
    uint32_t silent, round;
};

/* The way of most words is one comparison. */
static inline void add_value(struct features *features, const struct ratios_now *now, struct reading in, size_t feature,
                             struct features_totals *totals)
{
    struct features_mark *mark;

    if (in.at[feature] == in.silent)
        return;
    if (in.at[feature] != in.silent + 1 && !is_significant(features, now, feature))
        return;
    mark = &in.marks[feature];
    totals->all += mark->value;
    if (mark->round == in.round)
        return;
    mark->round = in.round;
    totals->distinct += mark->value;
}

/* Four at a time: these loops are most of what a page costs. */
struct features_totals features_total(struct features *features, const struct ratios_now *now,
                                      const struct features_list *lists, size_t nlists)
{
    struct features_totals sums = {0};
    struct reading in;

    features_begin(features);
    in = (struct reading){features->at, features->marks, features->moment, features->round};
    for (const struct features_list *list = lists; list < lists + nlists; list++) {
        const uint32_t *feature = list->items, *end = feature + list->count;

        for (; end - feature >= 4; feature += 4) {
            add_value(features, now, in, feature[0], &sums);
            add_value(features, now, in, feature[1], &sums);
            add_value(features, now, in, feature[2], &sums);
            add_value(features, now, in, feature[3], &sums);
        }
        for (; feature < end; feature++)
            add_value(features, now, in, *feature, &sums);
    }
    return sums;
}

void features_begin(struct features *features)
{
    if (++features->round)
        return;
    for (size_t i = 0; i < features->count; i++)
        features->marks[i].round = 0;
    features->round = 1;
}

bool features_first(struct features *features, uint32_t feature)
{
    bool first = features->marks[feature].round != features->round;

    features->marks[feature].round = features->round;
    return first;
}

/* ---- for other crawls ---- */

static bool is_counted(const struct features *features, size_t feature)
{
    return features_sum(features, (uint32_t)feature).pages > 0;
}

struct keyed {
    uint64_t key;
    uint32_t feature;
};

static int by_key(const void *a, const void *b)
{
    uint64_t x = ((const struct keyed *)a)->key, y = ((const struct keyed *)b)->key;

    return (x > y) - (x < y);
}

/* How many features; of each its key and counts. Features that were met and never counted are left out. */
void features_learned(const struct features *features, struct buf *out)
{
    struct keyed *order = malloc((features->count + 1) * sizeof *order);
    size_t counted = 0;

    SCENT_BUG_IF(!order);
    for (size_t i = 0; i < features->count; i++)
        if (is_counted(features, i))
            order[counted++] = (struct keyed){features->counts[i].key, (uint32_t)i};
    qsort(order, counted, sizeof *order, by_key);
    bytes_put_varint(out, counted);
    for (size_t i = 0; i < counted; i++) {
        struct features_seen sum = features_sum(features, order[i].feature);

        bytes_put(out, order[i].key, 8);
        saved_put_count(out, sum.pages);
        saved_put_count(out, sum.relevant);
    }
    free(order);
}

static struct features_seen *recalled_of(struct features *features, uint64_t key)
{
    uint32_t feature = features_number(features, key);

    SCENT_BUG_IF(!vec_reserve(&features->recalled, &features->recalled_room, (size_t)feature + 1,
                              sizeof *features->recalled));
    if (features->nrecalled <= feature) {
        memset(features->recalled + features->nrecalled, 0,
               (feature + 1 - features->nrecalled) * sizeof *features->recalled);
        features->nrecalled = (size_t)feature + 1;
    }
    return &features->recalled[feature];
}

void features_recall(struct features *features, struct bytes *in, double weight)
{
    enum { LEAST = 10 }; /* bytes of a feature */
    uint64_t count = bytes_get_varint(in);

    bytes_has(in, count, LEAST);
    bytes_check(in, count < FEATURES_NONE - features->count, "it has too many features");
    for (uint64_t i = 0; i < count && !in->wrong; i++) {
        uint64_t key = bytes_get(in, 8);
        double pages = saved_get_count(in), relevant = saved_get_count(in);

        if (!bytes_check(in, relevant <= pages, "a feature holds for more relevant pages than pages") || weight == 0)
            continue;
        recalled_of(features, key)->pages += saved_weigh(pages, weight);
        recalled_of(features, key)->relevant += saved_weigh(relevant, weight);
    }
}

/* ---- keeping ---- */

void features_save(const struct features *features, struct buf *out)
{
    bytes_put(out, features->count, 8);
    bytes_put(out, features->nrecalled, 8);
    for (size_t i = 0; i < features->count; i++) {
        const uint64_t words[] = {features->counts[i].key,
                                  features->counts[i].pages | (uint64_t)features->counts[i].relevant << 32};

        saved_put_array(out, words, 2, sizeof *words);
    }
    for (size_t i = 0; i < features->nrecalled; i++) {
        const double counts[] = {features->recalled[i].pages, features->recalled[i].relevant};

        saved_put_array(out, counts, 2, sizeof *counts);
    }
}

/* Each feature stands there once, and with counts that can be. */
void features_load(struct features *features, struct bytes *in)
{
    uint64_t count = bytes_get(in, 8), nrecalled = bytes_get(in, 8);

    features_release(features);
    *features = (struct features){0};
    if (!bytes_has(in, count, 16) ||
        !bytes_check(in, count < FEATURES_NONE && nrecalled <= count, "it has too many features"))
        return;
    make_room(features, count + 1);
    for (uint64_t i = 0; i < count && !in->wrong; i++) {
        uint64_t words[2];

        saved_get_array(in, words, 2, sizeof *words);
        bytes_check(in, features_find(features, words[0]) == FEATURES_NONE, "a feature stands there twice");
        (void)add_feature(features, words[0]);
        features->counts[i].pages = (uint32_t)words[1];
        features->counts[i].relevant = (uint32_t)(words[1] >> 32);
        bytes_check(in, features->counts[i].relevant <= features->counts[i].pages,
                    "a feature holds for more relevant pages than pages");
    }
    for (uint64_t i = 0; i < nrecalled && !in->wrong; i++) {
        struct features_seen *recalled = recalled_of(features, features->counts[i].key);

        recalled->pages = bytes_get_double(in);
        recalled->relevant = bytes_get_double(in);
        bytes_check(in, recalled->relevant >= 0 && recalled->relevant <= recalled->pages &&
                        saved_is_count(recalled->pages), "a count is out of range");
    }
}

/* ---- features of a page that may be known before it is seen ---- */

enum { OFTEN = 256 }; /* counts from here on are as good as equal */

static size_t capped_tf(const struct page_term *term)
{
    return term->tf < OFTEN ? term->tf : OFTEN - 1;
}

size_t features_stems(const struct page *page, uint64_t *stems, size_t room)
{
    const struct page_term *end = page->nbag ? page->bag + page->nbag : page->bag;
    uint32_t having[OFTEN] = {0};
    size_t limit = OFTEN, above = 0, count = 0, rest, least;

    for (const struct page_term *term = page->bag; term < end; term++)
        having[capped_tf(term)]++;
    while (limit && above + having[limit - 1] <= room)
        above += having[--limit];
    rest = limit ? room - above : 0; /* all from `limit` on have room, and so many of those just below */
    least = limit ? limit - 1 : 0;
    for (const struct page_term *term = page->bag; term < end; term++)
        if (term->tf >= least && (capped_tf(term) >= limit || (rest && rest--)))
            stems[count++] = term->stem;
    return count;
}

struct str features_url_text(const struct url *url)
{
    return str_sub(url->href, url->host_start, url->query_end);
}

static bool is_separator(char c, bool fine)
{
    return fine ? !ascii_is_alpha(c) && !ascii_is_digit(c) : c == '.' || c == '/';
}

enum { FOLDED = 256 };

/* With small letters for A to Z: servers and authors write the same word either way. */
static uint64_t folded_hash(struct str token)
{
    char folded[FOLDED];
    uint64_t key = 0;

    for (size_t at = 0, n = 0; at < token.len; at += n) {
        for (n = 0; n < sizeof folded && at + n < token.len; n++)
            folded[n] = ascii_lower(token.p[at + n]);
        key = hash_bytes(folded, n, key);
    }
    return key;
}

bool features_token(struct str *rest, bool fine, uint64_t *key)
{
    size_t from = 0, to;
    bool folds = false;

    while (from < rest->len && is_separator(rest->p[from], fine))
        from++;
    for (to = from; to < rest->len && !is_separator(rest->p[to], fine); to++)
        folds |= (unsigned char)(rest->p[to] - 'A') < 26;
    *key = 0;
    if (to > from)
        *key = folds || to - from > FOLDED ? folded_hash(str_sub(*rest, from, to))
                                           : hash_str(str_sub(*rest, from, to), 0);
    *rest = str_sub(*rest, to, rest->len);
    return to > from;
}
