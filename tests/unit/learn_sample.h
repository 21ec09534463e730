/* What the tests of learn share. */
#ifndef SCENT_TESTS_LEARN_SAMPLE_H
#define SCENT_TESTS_LEARN_SAMPLE_H

#include "base/rng.h"
#include "learn/model.h"

#include "test.h"

#include <math.h>

/* cmocka 1.1.5 knows no doubles. */
#define assert_near(got, want, tolerance)                                                             \
    do {                                                                                              \
        double got_ = (got), want_ = (want);                                                          \
                                                                                                      \
        if (!(fabs(got_ - want_) <= (tolerance))) {                                                   \
            print_error("%s is %.17g, not %.17g\n", #got, got_, want_);                               \
            _fail(__FILE__, __LINE__);                                                                \
        }                                                                                             \
    } while (0)

/* Pages that a model can tell apart: some of 300 common words, and some of the 20 words of their class. The stem of
 * word w is w spread over all 64 bits; words 1000 * (class + 1) and up belong to a class. */
enum { SAMPLE_PAGES = 240, SAMPLE_WORDS = 40 };
struct sample {
    struct text_weight words[SAMPLE_PAGES][SAMPLE_WORDS];
    struct learn_example examples[SAMPLE_PAGES];
    struct str classes[4];
    struct learn_word dictionary[8000];
    char texts[8000][8];
    struct learn_set set;
};

static inline uint64_t sample_stem(uint64_t word)
{
    return hash_mix(word, 77);
}

static int sample_by_stem(const void *a, const void *b)
{
    uint64_t x = ((const struct text_weight *)a)->stem, y = ((const struct text_weight *)b)->stem;

    return x < y ? -1 : x > y;
}

static int sample_by_word(const void *a, const void *b)
{
    uint64_t x = ((const struct learn_word *)a)->stem, y = ((const struct learn_word *)b)->stem;

    return x < y ? -1 : x > y;
}

static inline size_t sample_page(struct text_weight *words, uint32_t class, struct rng *rng)
{
    size_t n = 0, kept = 0;

    for (int i = 0; i < SAMPLE_WORDS; i++) {
        uint64_t word = i < 6 ? 1000 * (class + 1) + rng_below(rng, 20) : rng_below(rng, 300);

        words[n++] = (struct text_weight){sample_stem(word), 1 + (double)rng_below(rng, 4)};
    }
    qsort(words, n, sizeof *words, sample_by_stem);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || words[i].stem != words[kept - 1].stem)
            words[kept++] = words[i];
    return kept;
}

/* `pages` of each of `nclasses` classes (at most 4). */
static inline struct sample *sample_new(uint32_t nclasses, uint32_t pages, uint64_t seed)
{
    static const char *const names[] = {"Arts", "Sports.Hockey", "Sports.Football", "Science"};
    struct sample *sample = calloc(1, sizeof *sample);
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint32_t i = 0; i < nclasses * pages; i++) {
        size_t count = sample_page(sample->words[i], i % nclasses, &rng);

        sample->examples[i] = (struct learn_example){{sample->words[i], count}, i % nclasses};
    }
    for (uint32_t c = 0; c < nclasses; c++)
        sample->classes[c] = str_of(names[c]);
    for (uint32_t w = 0; w < 8000; w++) {
        snprintf(sample->texts[w], sizeof sample->texts[w], "w%u", w);
        sample->dictionary[w] = (struct learn_word){sample_stem(w), str_of(sample->texts[w])};
    }
    qsort(sample->dictionary, 8000, sizeof *sample->dictionary, sample_by_word);
    sample->set = (struct learn_set){.examples = sample->examples, .nexamples = nclasses * pages,
                                     .classes = sample->classes, .nclasses = nclasses,
                                     .words = sample->dictionary, .nwords = 8000};
    return sample;
}

#endif
