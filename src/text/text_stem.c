/* Snowball stemmers with a cache. The cache is a table of its own and not base/map.h: it is asked for every word of
 * every page and holds no keys but hashes, so that a look-up is one cache line. */
#include "text/text.h"

#include <libstemmer.h>
#include <pthread.h>
#include <stdlib.h>

enum {
    LANGS = 26 * 26,          /* every two-letter code has its place */
    CACHE_SLOTS = 1 << 16,    /* 1 MiB a thread */
    CACHE_FULL = CACHE_SLOTS / 4 * 3
};

struct cached {
    uint64_t key; /* word and language; 0: empty */
    uint64_t stem;
};

struct text_stemmer {
    struct sb_stemmer *snowball[LANGS]; /* made when first wanted */
    bool tried[LANGS];
    size_t count;
    struct cached cache[CACHE_SLOTS];
};

struct text_stemmer *text_stemmer_new(void)
{
    struct text_stemmer *stemmer = calloc(1, sizeof *stemmer);

    SCENT_BUG_IF(!stemmer);
    return stemmer;
}

void text_stemmer_free(struct text_stemmer *stemmer)
{
    if (!stemmer)
        return;
    for (size_t i = 0; i < LANGS; i++)
        sb_stemmer_delete(stemmer->snowball[i]);
    free(stemmer);
}

static int lang_index(struct str lang)
{
    if (lang.len != 2 || lang.p[0] < 'a' || lang.p[0] > 'z' || lang.p[1] < 'a' || lang.p[1] > 'z')
        return -1;
    return (lang.p[0] - 'a') * 26 + (lang.p[1] - 'a');
}

static struct sb_stemmer *snowball_for(struct text_stemmer *stemmer, struct str lang, int index)
{
    if (!stemmer->tried[index]) {
        char code[3] = {lang.p[0], lang.p[1], 0};

        stemmer->snowball[index] = sb_stemmer_new(code, NULL);
        stemmer->tried[index] = true;
    }
    return stemmer->snowball[index];
}

/* Which languages have a stemmer: built once, immutable from then on. */
static bool stemmed[LANGS];
static pthread_once_t listed = PTHREAD_ONCE_INIT;

static void list_languages(void)
{
    for (int i = 0; i < LANGS; i++) {
        char code[3] = {(char)('a' + i / 26), (char)('a' + i % 26), 0};
        struct sb_stemmer *snowball = sb_stemmer_new(code, NULL);

        stemmed[i] = snowball != NULL;
        sb_stemmer_delete(snowball);
    }
}

bool text_has_stemmer(struct str lang)
{
    int index = lang_index(lang);

    pthread_once(&listed, list_languages);
    return index >= 0 && stemmed[index];
}

struct str text_stem(struct text_stemmer *stemmer, struct str lang, struct str folded)
{
    int index = lang_index(lang);
    struct sb_stemmer *snowball = index < 0 || folded.len > INT32_MAX ? NULL : snowball_for(stemmer, lang, index);
    const sb_symbol *stem =
        snowball ? sb_stemmer_stem(snowball, (const sb_symbol *)folded.p, (int)folded.len) : NULL;
    int len = stem ? sb_stemmer_length(snowball) : 0;

    return len > 0 ? (struct str){(const char *)stem, (size_t)len} : folded;
}

static struct cached *find_slot(struct text_stemmer *stemmer, uint64_t key)
{
    size_t i = key & (CACHE_SLOTS - 1);

    while (stemmer->cache[i].key && stemmer->cache[i].key != key)
        i = (i + 1) & (CACHE_SLOTS - 1);
    return &stemmer->cache[i];
}

uint64_t text_stem_hash(struct text_stemmer *stemmer, struct str lang, struct str folded, uint64_t hash)
{
    int index = lang_index(lang);
    struct sb_stemmer *snowball = index < 0 ? NULL : snowball_for(stemmer, lang, index);
    uint64_t key = hash ^ ((uint64_t)(unsigned)index << 40);
    struct cached *slot;

    if (!snowball || folded.len > INT32_MAX)
        return hash;
    key = key ? key : 1;
    slot = find_slot(stemmer, key);
    if (slot->key)
        return slot->stem;
    if (stemmer->count == CACHE_FULL) {
        memset(stemmer->cache, 0, sizeof stemmer->cache);
        stemmer->count = 0;
        slot = find_slot(stemmer, key);
    }
    stemmer->count++;
    *slot = (struct cached){key, text_word_hash(text_stem(stemmer, lang, folded))};
    return slot->stem;
}
