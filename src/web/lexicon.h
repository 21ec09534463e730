/* lexicon - the words of a generated web.
 *
 * Each language has a background vocabulary (its real stop words first, then words made of its syllables) and one
 * vocabulary for each topic, all with Zipf weights. Everything is made once from the seed; drawing a word is a table
 * look-up and costs about a nanosecond. Each word has a slug, its spelling in a URL.
 * Thread: immutable after lexicon_new. */
#ifndef SCENT_WEB_LEXICON_H
#define SCENT_WEB_LEXICON_H

#include "base/hash.h"
#include "base/status.h"
#include "base/str.h"

/* dice - random numbers for the generated web: a counter and a mixer, all inline, because a page rolls
 * thousands of times and the generator shares its machine with the crawler that is being measured.
 * Deterministic: the same key gives the same rolls everywhere. */
struct dice {
    uint64_t state;
};

static inline struct dice dice_of(uint64_t key, uint64_t salt)
{
    return (struct dice){hash_mix(key, salt)};
}

static inline uint64_t dice_roll(struct dice *dice)
{
    uint64_t x = dice->state += 0x9E3779B97F4A7C15u;

    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* [0, bound) from the upper half of a roll; bound below 2^32. */
static inline uint64_t dice_scale(uint64_t roll, uint64_t bound)
{
    return ((roll >> 32) * bound) >> 32;
}

static inline uint64_t dice_below(struct dice *dice, uint64_t bound)
{
    return dice_scale(dice_roll(dice), bound);
}

/* Odds are a share times 2^32, so that a chance is one comparison. */
static inline uint64_t dice_odds(double share)
{
    return (uint64_t)(share * 4294967296.0);
}

static inline bool dice_hit(uint64_t roll, uint64_t odds)
{
    return roll >> 32 < odds;
}

static inline bool dice_chance(struct dice *dice, uint64_t odds)
{
    return dice_hit(dice_roll(dice), odds);
}

/* [0, bound), the small numbers more often: the popularity of hosts and pages. The density falls with the square
 * root, so the least popular still has half the mean. */
static inline uint64_t dice_popular(struct dice *dice, uint64_t bound)
{
    uint64_t u = dice_roll(dice) >> 32;

    return (((u * u) >> 32) * bound) >> 32;
}

/* What the words of a language look like: its stop words, and the syllables that new words are made of. */

/* Lists are separated by spaces. A syllable is onset + nucleus + coda; in `codas` "-" stands for none. */
struct language {
    const char *code;
    const char *stop_words; /* most frequent first */
    const char *onsets, *nuclei, *codas;
    const char *ascii_onsets, *ascii_nuclei, *ascii_codas; /* the same in URL letters; NULL: the same */
    int min_syllables, max_syllables;
    bool spaced;
    const char *charset; /* the old 8-bit one */
};

const struct language *language_find(struct str code); /* NULL: unknown */
const char *language_list(void);

enum { LEXICON_WORDS_MAX = 8 * 1000 * 1000, LEXICON_WORD_MAX = 15, LEXICON_KNOTS = 4096 };

/* 16 bytes, so that writing a word is one load and one store. */
struct lexicon_word {
    char text[LEXICON_WORD_MAX];
    uint8_t len;
};

/* The inverse of the distribution function of 1/rank, in steps between which we interpolate: every rank comes. */
struct lexicon_zipf {
    uint32_t knots[LEXICON_KNOTS + 1]; /* rank << 15 */
};

struct lexicon_tongue {
    char code[8];
    bool spaced;                 /* words are separated by spaces */
    uint32_t stop_words;         /* so many of the background words are real */
    struct lexicon_word *background, *background_slugs;
    struct lexicon_word *topics, *topic_slugs; /* topic t begins at t * topic_size */
    const char *charset;         /* the old 8-bit one; NULL: none that we can write */
};

struct lexicon {
    uint32_t topic_count, topic_size, background_size;
    size_t tongue_count;
    struct lexicon_tongue *tongues;
    struct lexicon_zipf topic_zipf, background_zipf;
};

struct webspec;
SCENT_NODISCARD scent_status lexicon_new(const struct webspec *spec, struct lexicon **out);
void lexicon_free(struct lexicon *lexicon);

/* A rank in [0, size) for 32 random bits. */
static inline uint32_t lexicon_rank(const struct lexicon_zipf *zipf, uint32_t random)
{
    uint32_t knot = random >> 20, low = zipf->knots[knot], high = zipf->knots[knot + 1];

    return (low + (uint32_t)(((uint64_t)(high - low) * (random & 0xfffff)) >> 20)) >> 15;
}

static inline const struct lexicon_word *lexicon_topic_word(const struct lexicon *lexicon,
                                                            const struct lexicon_tongue *tongue, uint32_t topic,
                                                            uint32_t random)
{
    return &tongue->topics[(size_t)topic * lexicon->topic_size + lexicon_rank(&lexicon->topic_zipf, random)];
}

static inline const struct lexicon_word *lexicon_background_word(const struct lexicon *lexicon,
                                                                 const struct lexicon_tongue *tongue, uint32_t random)
{
    return &tongue->background[lexicon_rank(&lexicon->background_zipf, random)];
}

/* A slug of a topic's more frequent half, or one that says nothing (no stop word). */
const struct lexicon_word *lexicon_topic_slug(const struct lexicon *lexicon, const struct lexicon_tongue *tongue,
                                              uint32_t topic, uint32_t random);
const struct lexicon_word *lexicon_plain_slug(const struct lexicon *lexicon, const struct lexicon_tongue *tongue,
                                              uint32_t random);

#endif
