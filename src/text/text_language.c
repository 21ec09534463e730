/* The language of a text: by its stop words, and by n-grams (libexttextcat) where these do not decide. */
#include "text/text_parts.h"

#include <libexttextcat/textcat.h>
#include <pthread.h>
#include <unistd.h>

_Static_assert((int)TEXT_VOTE_LANGS == (int)STOP_WORDS_LANGS, "the header's number of languages");

/* A word that k languages share is worth 1/k to each; in units that divide well. */
enum { VOTE_UNIT = 840, MIN_HITS = 3, MIN_HITS_AHEAD = 5 };

void text_vote(struct text_votes *votes, uint64_t word_hash, uint32_t times)
{
    uint32_t langs = stop_langs(word_hash);
    uint64_t weight;

    votes->words += times;
    if (!langs)
        return;
    weight = (uint64_t)times * (VOTE_UNIT / (unsigned)__builtin_popcount(langs));
    for (; langs; langs &= langs - 1) {
        unsigned lang = (unsigned)__builtin_ctz(langs);

        votes->hits[lang] += times;
        votes->weight[lang] += weight;
    }
}

/* Running text of any of our languages has at least a quarter of stop words, lists and tables far fewer; a
 * foreign text hits a few by chance. Sure means: 1 word in 12, and a quarter ahead of the next language; or, for text
 * that is mostly names and code, 1 word in 30, and three times the next (n-grams are worse there, and dear). */
struct str text_votes_winner(const struct text_votes *votes)
{
    unsigned best = 0;
    uint64_t second = 0;
    bool sure, ahead;

    for (unsigned i = 1; i < STOP_WORDS_LANGS; i++)
        if (votes->weight[i] > votes->weight[best])
            best = i;
    for (unsigned i = 0; i < STOP_WORDS_LANGS; i++)
        if (i != best && votes->weight[i] > second)
            second = votes->weight[i];
    sure = votes->hits[best] >= MIN_HITS && votes->hits[best] * 12 >= votes->words &&
           votes->weight[best] * 4 >= second * 5;
    ahead = votes->hits[best] >= MIN_HITS_AHEAD && votes->hits[best] * 30 >= votes->words &&
            votes->weight[best] >= second * 3;
    return sure || ahead ? str_of(stop_words[best].lang) : STR_NONE;
}

/* The library's own table of languages; loaded once, read only from then on. */
#define FINGERPRINTS "/usr/share/libexttextcat/"
enum { SAMPLE = 2048, PADDING = 64, SHORTEST = 32 }; /* bytes */

static void *textcat; /* NULL where the fingerprints are not installed */
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load_ngrams(void)
{
    if (access(FINGERPRINTS "fpdb.conf", R_OK) == 0)
        textcat = special_textcat_Init(FINGERPRINTS "fpdb.conf", FINGERPRINTS);
}

/* Our code for a name like "en--utf8" or "zh-CN-utf8"; names live as long as the table. */
static struct str code_of(const char *name)
{
    struct str code = str_of(name);

    code.len = str_find(code, '-');
    return str_eq(code, STR("nb")) || str_eq(code, STR("nn")) ? STR("no") : code;
}

/* The library looks at bytes behind the end that it is told: it gets a copy with zeros there, or the guess would
 * depend on what happens to stand in memory. */
struct str text_guess_by_ngrams(struct str utf8)
{
    char sample[SAMPLE + PADDING] = {0};
    candidate_t *candidates;
    struct str code = STR_NONE;
    int count;

    pthread_once(&loaded, load_ngrams);
    if (!textcat || utf8.len < SHORTEST || !(candidates = textcat_GetClassifyFullOutput(textcat)))
        return STR_NONE;
    if (utf8.len > SAMPLE)
        for (utf8.len = SAMPLE; utf8.len && ((unsigned char)utf8.p[utf8.len] & 0xC0) == 0x80;)
            utf8.len--; /* whole characters */
    memcpy(sample, utf8.p, utf8.len);
    count = textcat_ClassifyFull(textcat, sample, utf8.len, candidates);
    if (count > 0)
        code = code_of(candidates[0].name);
    textcat_ReleaseClassifyFullOutput(textcat, candidates);
    return code;
}

struct str text_guess_language(struct str utf8)
{
    struct text_votes votes = {0};
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX];
    struct str winner;
    size_t len;

    text_cursor_init(&cursor, utf8);
    while (votes.words < 5000 && text_next_word(&cursor, word, &len))
        text_vote(&votes, text_word_hash((struct str){word, len}), 1);
    winner = text_votes_winner(&votes);
    return winner.p ? winner : text_guess_by_ngrams(utf8);
}

/* Codes that mean the same to us: old ones, Norwegian's written forms, and the common three-letter ones. */
static const char aliases[][2][4] = {
    {"nb", "no"}, {"nn", "no"}, {"iw", "he"}, {"in", "id"}, {"eng", "en"}, {"deu", "de"}, {"ger", "de"},
    {"fra", "fr"}, {"fre", "fr"}, {"spa", "es"}, {"ita", "it"}, {"por", "pt"}, {"nld", "nl"}, {"dut", "nl"},
    {"swe", "sv"}, {"dan", "da"}, {"nor", "no"}, {"nob", "no"}, {"nno", "no"}, {"fin", "fi"}, {"rus", "ru"},
    {"hun", "hu"}, {"tur", "tr"}, {"ron", "ro"}, {"rum", "ro"}, {"zho", "zh"}, {"chi", "zh"}, {"jpn", "ja"},
    {"kor", "ko"}, {"ara", "ar"}, {"ell", "el"}, {"gre", "el"}, {"pol", "pl"}, {"ces", "cs"}, {"cze", "cs"},
};

bool text_lang_code(struct str tag, char out[4])
{
    size_t len = 0;

    tag = str_trim(tag);
    while (len < tag.len && ascii_is_alpha(tag.p[len]))
        len++;
    if (len < 2 || len > 3 || (len < tag.len && !strchr("-_.,; ", tag.p[len])))
        return false;
    for (size_t i = 0; i < 4; i++)
        out[i] = i < len ? ascii_lower(tag.p[i]) : 0;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(out, aliases[i][0]) == 0) {
            memcpy(out, aliases[i][1], 4);
            break;
        }
    return strcmp(out, "und") != 0 && strcmp(out, "mul") != 0 && strcmp(out, "zxx") != 0;
}
