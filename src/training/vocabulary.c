#include "training/vocabulary.h"

#include <stdlib.h>

void vocabulary_release(struct vocabulary *book)
{
    free(book->slots);
    *book = (struct vocabulary){0};
}

static struct learn_word *find_slot(const struct vocabulary *book, uint64_t stem)
{
    size_t i = stem & (book->nslots - 1);

    while (book->slots[i].text.len && book->slots[i].stem != stem)
        i = (i + 1) & (book->nslots - 1);
    return &book->slots[i];
}

static bool grow(struct vocabulary *book)
{
    struct vocabulary larger = {.nslots = book->nslots ? book->nslots * 2 : 4096, .count = book->count};

    larger.slots = calloc(larger.nslots, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < book->nslots; i++)
        if (book->slots[i].text.len)
            *find_slot(&larger, book->slots[i].stem) = book->slots[i];
    free(book->slots);
    *book = larger;
    return true;
}

scent_status vocabulary_add(struct vocabulary *book, uint64_t stem, struct str text, struct arena *arena)
{
    struct learn_word *slot;

    if (!text.len)
        return SCENT_OK;
    if (book->count * 2 >= book->nslots && !grow(book))
        return SCENT_E_NOMEM;
    slot = find_slot(book, stem);
    if (slot->text.len || book->count == VOCABULARY_MAX)
        return SCENT_OK;
    text = arena_str(arena, text);
    if (!text.p)
        return SCENT_E_NOMEM;
    *slot = (struct learn_word){stem, text};
    book->count++;
    return SCENT_OK;
}

static int by_stem(const void *a, const void *b)
{
    uint64_t x = ((const struct learn_word *)a)->stem, y = ((const struct learn_word *)b)->stem;

    return (x > y) - (x < y);
}

scent_status vocabulary_list(const struct vocabulary *book, struct arena *arena, struct learn_word **out)
{
    struct learn_word *words = arena_array(arena, book->count + 1, sizeof *words);
    size_t n = 0;

    if (!words)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < book->nslots; i++)
        if (book->slots[i].text.len)
            words[n++] = book->slots[i];
    if (n)
        qsort(words, n, sizeof *words, by_stem);
    *out = words;
    return SCENT_OK;
}
