/* All stop words of all languages stand in one table, hash -> set of languages: a lookup for one language
 * and a vote for all of them are the same probe. Built once, immutable from then on. */
#include "text/stop.h"
#include "text/stop_words.h"

#include <pthread.h>

enum { SLOTS = 8192 }; /* about 2,500 distinct words: a miss usually meets an empty slot */

struct text_stop_words {
    uint32_t bit;
};

static struct {
    uint64_t hash; /* 0: empty */
    uint32_t langs;
} table[SLOTS];
static struct text_stop_words sets[STOP_WORDS_LANGS];
static pthread_once_t built = PTHREAD_ONCE_INIT;

static size_t slot_of(uint64_t hash)
{
    size_t i = hash & (SLOTS - 1);

    while (table[i].hash && table[i].hash != hash)
        i = (i + 1) & (SLOTS - 1);
    return i;
}

static void build(void)
{
    for (unsigned lang = 0; lang < STOP_WORDS_LANGS; lang++) {
        struct str rest = str_of(stop_words[lang].words), word;

        sets[lang].bit = 1u << lang;
        while (str_split(&rest, ' ', &word)) {
            uint64_t hash = text_word_hash(word);
            size_t i = slot_of(hash);

            table[i].hash = hash;
            table[i].langs |= 1u << lang;
        }
    }
}

uint32_t stop_langs(uint64_t word_hash)
{
    pthread_once(&built, build);
    return table[slot_of(word_hash)].langs;
}

const struct text_stop_words *text_stop_words_for(struct str lang)
{
    pthread_once(&built, build);
    for (unsigned i = 0; i < STOP_WORDS_LANGS; i++)
        if (str_eq(lang, str_of(stop_words[i].lang)))
            return &sets[i];
    return NULL;
}

bool text_stop_words_have(const struct text_stop_words *set, uint64_t word_hash)
{
    return (table[slot_of(word_hash)].langs & set->bit) != 0;
}

bool text_is_stop_word(struct str lang, struct str folded)
{
    const struct text_stop_words *set = text_stop_words_for(lang);

    return set && text_stop_words_have(set, text_word_hash(folded));
}

bool text_is_stop_word_somewhere(uint64_t word_hash)
{
    return stop_langs(word_hash) != 0;
}
