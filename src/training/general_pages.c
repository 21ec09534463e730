#include "training/general_pages.h"

#include <stdlib.h>
#include <string.h>

struct general_pages general_pages_of(const struct background *background, double stems)
{
    struct general_pages general = {.documents = background_documents(background), .stems = stems};

    general.terms = background_terms(background, &general.nterms);
    return general;
}

double general_pages_length(const struct learn_example *examples, size_t n)
{
    double stems = 0, pages = 0;

    for (size_t i = 0; i < n; i++) {
        stems += examples[i].class == 1 ? (double)examples[i].tf.count : 0;
        pages += examples[i].class == 1;
    }
    return pages > 0 ? stems / pages : 0;
}

/* A page of the length of the examples, since longer ones have more of all words; but not shorter than pages are, or a
 * few short examples would meet no common word often enough to learn that it is common. */
scent_status general_pages_draw(const struct general_pages *general, struct rng *rng, struct arena *arena,
                                struct text_vector *out)
{
    struct text_weight *items = malloc((general->nterms + 1) * sizeof *items);
    double expected = 0, scale;

    *out = (struct text_vector){0};
    if (!items)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < general->nterms; i++)
        expected += general->terms[i].df / general->documents;
    scale = expected > 0 && general->stems > expected ? general->stems / expected : 1;
    for (size_t i = 0; i < general->nterms; i++)
        if (rng_unit(rng) < scale * general->terms[i].df / general->documents)
            items[out->count++] = (struct text_weight){general->terms[i].stem, general->terms[i].tf};
    qsort(items, out->count, sizeof *items, text_order_stems);
    out->items = arena_array(arena, out->count + 1, sizeof *items);
    if (out->items)
        memcpy(out->items, items, out->count * sizeof *items);
    free(items);
    return out->items ? SCENT_OK : SCENT_E_NOMEM;
}

scent_status general_pages_known(const struct background *background, struct arena *arena, struct text_vector *tf)
{
    struct text_vector known = {.items = arena_array(arena, tf->count + 1, sizeof *tf->items)};

    if (!known.items)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < tf->count; i++)
        if (background_frequency(background, tf->items[i].stem))
            known.items[known.count++] = tf->items[i];
    *tf = known;
    return SCENT_OK;
}
