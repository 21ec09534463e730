#include "web/lexicon.h"

#include "web/language.h"
#include "web/webspec.h"

#include <math.h>
#include <stdlib.h>

enum { LIST_MAX = 96, SYLLABLES_MAX = 4 };

struct list {
    struct str items[LIST_MAX];
    uint32_t count;
};

/* "-" is the empty item. */
static void split(const char *text, struct list *out)
{
    struct str rest = str_of(text), item;

    out->count = 0;
    while (str_split(&rest, ' ', &item)) {
        SCENT_BUG_IF(out->count == LIST_MAX);
        out->items[out->count++] = str_eq(item, STR("-")) ? STR("") : item;
    }
}

struct syllables {
    struct list parts[3], ascii[3]; /* onsets, nuclei, codas */
    int min, max;
};

static void split_syllables(const struct language *language, struct syllables *out)
{
    const char *parts[3] = {language->onsets, language->nuclei, language->codas};
    const char *ascii[3] = {language->ascii_onsets, language->ascii_nuclei, language->ascii_codas};

    for (int i = 0; i < 3; i++) {
        split(parts[i], &out->parts[i]);
        split(ascii[i] ? ascii[i] : parts[i], &out->ascii[i]);
        SCENT_BUG_IF(out->parts[i].count != out->ascii[i].count);
    }
    out->min = language->min_syllables;
    out->max = language->max_syllables;
}

/* A part that does not fit is left out whole, so that no character is cut. */
static void append(struct lexicon_word *word, struct str part)
{
    if (word->len + part.len > LEXICON_WORD_MAX)
        return;
    memcpy(word->text + word->len, part.p, part.len);
    word->len += (uint8_t)part.len;
}

static void make_word(const struct syllables *syllables, uint64_t key, struct lexicon_word *word,
                      struct lexicon_word *slug)
{
    struct dice dice = dice_of(key, 0x30bd);
    int count = syllables->min + (int)dice_below(&dice, (uint64_t)(syllables->max - syllables->min + 1));

    *word = *slug = (struct lexicon_word){.len = 0};
    for (int s = 0; s < count; s++) {
        for (int part = 0; part < 3; part++) {
            uint64_t i = dice_below(&dice, syllables->parts[part].count);

            append(word, syllables->parts[part].items[i]);
            append(slug, syllables->ascii[part].items[i]);
        }
    }
}

static void make_words(const struct syllables *syllables, uint64_t key, size_t from, size_t to,
                       struct lexicon_word *words, struct lexicon_word *slugs)
{
    for (size_t i = from; i < to; i++)
        make_word(syllables, hash_mix(key, i), &words[i], &slugs[i]);
}

static uint32_t put_stop_words(const struct language *language, uint32_t room, struct lexicon_word *words)
{
    struct str rest = str_of(language->stop_words), item;
    uint32_t n = 0;

    while (n < room / 2 && str_split(&rest, ' ', &item)) {
        SCENT_BUG_IF(item.len == 0 || item.len > LEXICON_WORD_MAX);
        words[n] = (struct lexicon_word){.len = 0};
        append(&words[n++], item);
    }
    return n;
}

static bool open_tongue(struct lexicon *lexicon, const char *code, uint64_t seed, struct lexicon_tongue *tongue)
{
    const struct language *language = language_find(str_of(code));
    size_t topic_words = (size_t)lexicon->topic_count * lexicon->topic_size;
    struct syllables syllables;
    uint64_t key = hash_bytes(code, strlen(code), seed);

    SCENT_BUG_IF(!language);
    split_syllables(language, &syllables);
    memcpy(tongue->code, code, strlen(code) + 1);
    tongue->spaced = language->spaced;
    tongue->charset = language->charset;
    tongue->background = calloc(lexicon->background_size, sizeof *tongue->background);
    tongue->background_slugs = calloc(lexicon->background_size, sizeof *tongue->background_slugs);
    tongue->topics = calloc(topic_words, sizeof *tongue->topics);
    tongue->topic_slugs = calloc(topic_words, sizeof *tongue->topic_slugs);
    if (!tongue->background || !tongue->background_slugs || !tongue->topics || !tongue->topic_slugs)
        return false;
    tongue->stop_words = put_stop_words(language, lexicon->background_size, tongue->background);
    make_words(&syllables, hash_mix(key, 1), tongue->stop_words, lexicon->background_size, tongue->background,
               tongue->background_slugs);
    make_words(&syllables, hash_mix(key, 2), 0, topic_words, tongue->topics, tongue->topic_slugs);
    return true;
}

static void fill_zipf(struct lexicon_zipf *zipf, uint32_t size)
{
    for (int i = 0; i <= LEXICON_KNOTS; i++)
        zipf->knots[i] = (uint32_t)lround((exp(i * log(size + 1.0) / LEXICON_KNOTS) - 1) * 32768);
    zipf->knots[LEXICON_KNOTS] = size << 15;
}

scent_status lexicon_new(const struct webspec *spec, struct lexicon **out)
{
    struct lexicon *lexicon = calloc(1, sizeof *lexicon);

    SCENT_BUG_IF(!lexicon);
    lexicon->topic_count = (uint32_t)spec->topics;
    lexicon->topic_size = (uint32_t)spec->topic_vocabulary;
    lexicon->background_size = (uint32_t)spec->vocabulary;
    lexicon->tongue_count = spec->language_count;
    lexicon->tongues = calloc(spec->language_count, sizeof *lexicon->tongues);
    SCENT_BUG_IF(!lexicon->tongues);
    fill_zipf(&lexicon->topic_zipf, lexicon->topic_size);
    fill_zipf(&lexicon->background_zipf, lexicon->background_size);
    for (size_t i = 0; i < spec->language_count; i++) {
        if (!open_tongue(lexicon, spec->languages[i].code, spec->seed, &lexicon->tongues[i])) {
            lexicon_free(lexicon);
            return SCENT_E_NOMEM;
        }
    }
    *out = lexicon;
    return SCENT_OK;
}

void lexicon_free(struct lexicon *lexicon)
{
    if (!lexicon)
        return;
    for (size_t i = 0; i < lexicon->tongue_count; i++) {
        free(lexicon->tongues[i].background);
        free(lexicon->tongues[i].background_slugs);
        free(lexicon->tongues[i].topics);
        free(lexicon->tongues[i].topic_slugs);
    }
    free(lexicon->tongues);
    free(lexicon);
}

const struct lexicon_word *lexicon_topic_slug(const struct lexicon *lexicon, const struct lexicon_tongue *tongue,
                                              uint32_t topic, uint32_t random)
{
    uint64_t rank = (uint64_t)random * (lexicon->topic_size / 2) >> 32;

    return &tongue->topic_slugs[(size_t)topic * lexicon->topic_size + rank];
}

const struct lexicon_word *lexicon_plain_slug(const struct lexicon *lexicon, const struct lexicon_tongue *tongue,
                                              uint32_t random)
{
    uint64_t rank = (uint64_t)random * (lexicon->background_size - tongue->stop_words) >> 32;

    return &tongue->background_slugs[tongue->stop_words + rank];
}
