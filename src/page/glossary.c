/* It has a hash table of its own: with base/map.h an analysis took 3% more instructions and 4% more time (150 pages of
 * the PostgreSQL manual). The same memory then serves to collect the terms and to sort them. */
#include "page/outline.h"

#include "base/vec.h"

#include <stdlib.h>

enum { FEWEST_SLOTS = 4096, MOST_KEPT_SLOTS = 1 << 16 };

static bool make_slots(struct glossary *glossary, size_t nslots)
{
    if (!vec_reserve(&glossary->slots, &glossary->slots_room, nslots, sizeof *glossary->slots))
        return false;
    memset(glossary->slots, 0, nslots * sizeof *glossary->slots);
    glossary->nslots = nslots;
    return true;
}

void glossary_init(struct glossary *glossary)
{
    *glossary = (struct glossary){0};
    SCENT_BUG_IF(!make_slots(glossary, FEWEST_SLOTS));
}

void glossary_release(struct glossary *glossary)
{
    free(glossary->words);
    free(glossary->text);
    free(glossary->slots);
    free(glossary->terms);
}

void glossary_clear(struct glossary *glossary)
{
    if (glossary->slots_room > MOST_KEPT_SLOTS) { /* one giant page should not fill memory from then on */
        glossary_release(glossary);
        glossary_init(glossary);
        return;
    }
    glossary->count = glossary->text_len = 0;
    SCENT_BUG_IF(!make_slots(glossary, FEWEST_SLOTS)); /* few again: clearing many costs more than a small page */
}

static bool grow_slots(struct glossary *glossary)
{
    if (!make_slots(glossary, glossary->nslots * 2))
        return false;
    for (size_t n = 0; n < glossary->count; n++) {
        size_t mask = glossary->nslots - 1, i = glossary->words[n].word & mask;

        while (glossary->slots[i])
            i = (i + 1) & mask;
        glossary->slots[i] = (uint32_t)n + 1;
    }
    return true;
}

static uint32_t *find_slot(struct glossary *glossary, uint64_t hash)
{
    size_t mask = glossary->nslots - 1, i = hash & mask;

    while (glossary->slots[i] && glossary->words[glossary->slots[i] - 1].word != hash)
        i = (i + 1) & mask;
    return &glossary->slots[i];
}

uint32_t glossary_add(struct glossary *glossary, struct str folded)
{
    uint64_t hash = text_word_hash(folded);
    uint32_t *slot = find_slot(glossary, hash);

    if (*slot) {
        glossary->words[*slot - 1].count++;
        return *slot - 1;
    }
    if (!vec_reserve(&glossary->words, &glossary->room, glossary->count + 1, sizeof *glossary->words) ||
        !vec_reserve(&glossary->text, &glossary->text_room, glossary->text_len + folded.len, 1))
        return PAGE_NONE;
    if (glossary->count * 2 >= glossary->nslots) {
        if (!grow_slots(glossary))
            return PAGE_NONE;
        slot = find_slot(glossary, hash);
    }
    glossary->words[glossary->count] = (struct glossary_word){
        .word = hash, .text = (uint32_t)glossary->text_len, .len = (uint32_t)folded.len, .count = 1};
    memcpy(glossary->text + glossary->text_len, folded.p, folded.len);
    glossary->text_len += folded.len;
    *slot = (uint32_t)++glossary->count;
    return *slot - 1;
}

static struct str text_of(const struct glossary *glossary, const struct glossary_word *word)
{
    return (struct str){glossary->text + word->text, word->len};
}

void glossary_stem(struct glossary *glossary, struct text_stemmer *stemmer, struct str lang)
{
    const struct text_stop_words *stop = text_stop_words_for(lang);

    for (size_t i = 0; i < glossary->count; i++) {
        struct glossary_word *word = &glossary->words[i];

        word->stem = text_stem_hash(stemmer, lang, text_of(glossary, word), word->word);
        word->flags = stop && text_stop_words_have(stop, word->word) ? PAGE_WORD_STOP : 0;
    }
}

struct str glossary_language(const struct glossary *glossary)
{
    struct text_votes votes = {0};

    for (size_t i = 0; i < glossary->count; i++)
        text_vote(&votes, glossary->words[i].word, glossary->words[i].count);
    return text_votes_winner(&votes);
}

/* Adds up the words of one stem. term.text.p is not set yet: .len holds the number of its first word. */
static size_t collect_terms(struct glossary *glossary)
{
    size_t count = 0, mask = glossary->nslots - 1;

    memset(glossary->slots, 0, glossary->nslots * sizeof *glossary->slots);
    for (size_t n = 0; n < glossary->count; n++) {
        struct glossary_word *word = &glossary->words[n];
        size_t i = word->stem & mask;

        if (word->flags & PAGE_WORD_STOP || word->count == word->boilerplate)
            continue;
        while (glossary->slots[i] && glossary->terms[glossary->slots[i] - 1].stem != word->stem)
            i = (i + 1) & mask;
        if (!glossary->slots[i]) {
            glossary->terms[count] = (struct page_term){.stem = word->stem, .text = {NULL, n}};
            glossary->slots[i] = (uint32_t)++count;
        }
        glossary->terms[glossary->slots[i] - 1].tf += word->count - word->boilerplate;
    }
    return count;
}

/* Stems are hashes, evenly spread: with as many buckets as terms, insertion within a bucket is cheap. The words
 * themselves are under the page's control, so a bucket may be long; then it is left to qsort. */
static int by_stem(const void *a, const void *b)
{
    uint64_t x = ((const struct page_term *)a)->stem, y = ((const struct page_term *)b)->stem;

    return (x > y) - (x < y);
}

static void insertion_sort(struct page_term *terms, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct page_term term = terms[i];
        size_t j = i;

        for (; j > 0 && terms[j - 1].stem > term.stem; j--)
            terms[j] = terms[j - 1];
        terms[j] = term;
    }
}

/* Distributes terms[0, count) over `to` by the highest bits; `ends` (1 << bits zeros) are the buckets' ends. */
static void sort_terms(const struct page_term *terms, size_t count, unsigned bits, uint32_t *ends,
                       struct page_term *to)
{
    size_t buckets = (size_t)1 << bits, start = 0;

    for (size_t i = 0; i < count; i++)
        ends[terms[i].stem >> (64 - bits)]++;
    for (size_t b = 0, sum = 0; b < buckets; b++) {
        size_t size = ends[b];

        ends[b] = (uint32_t)sum;
        sum += size;
    }
    for (size_t i = 0; i < count; i++)
        to[ends[terms[i].stem >> (64 - bits)]++] = terms[i];
    for (size_t b = 0; b < buckets; start = ends[b++]) {
        if (ends[b] - start > 16)
            qsort(to + start, ends[b] - start, sizeof *to, by_stem);
        else
            insertion_sort(to + start, ends[b] - start);
    }
}

/* Points the terms at copies of their words. */
static bool copy_texts(struct glossary *glossary, struct arena *arena, struct page *out)
{
    size_t bytes = 0;
    char *p;

    for (uint32_t i = 0; i < out->nbag; i++)
        bytes += glossary->words[out->bag[i].text.len].len;
    p = arena_alloc(arena, bytes);
    if (!p)
        return false;
    for (uint32_t i = 0; i < out->nbag; i++) {
        struct str text = text_of(glossary, &glossary->words[out->bag[i].text.len]);

        memcpy(p, text.p, text.len);
        out->bag[i].text = (struct str){p, text.len};
        p += text.len;
    }
    return true;
}

scent_status glossary_bag(struct glossary *glossary, struct arena *arena, struct page *out)
{
    unsigned bits = 1;

    if (!vec_reserve(&glossary->terms, &glossary->terms_room, glossary->count, sizeof *glossary->terms))
        return SCENT_E_NOMEM;
    out->nbag = (uint32_t)collect_terms(glossary);
    out->bag = arena_array(arena, out->nbag, sizeof *out->bag);
    if (!out->bag)
        return SCENT_E_NOMEM;
    while (((size_t)2 << bits) <= glossary->nslots && ((size_t)1 << bits) < out->nbag)
        bits++;
    memset(glossary->slots, 0, ((size_t)1 << bits) * sizeof *glossary->slots);
    sort_terms(glossary->terms, out->nbag, bits, glossary->slots, out->bag);
    return copy_texts(glossary, arena, out) ? SCENT_OK : SCENT_E_NOMEM;
}
