/* A stem may stand for several words of the query (disease, diseases), and it differs by language. So there is a table
 * for each language in which some word has a stem of its own, and one for all others. */
#include "topic/query_tree.h"

#include <stdlib.h>

struct stemmed {
    uint64_t stem;
    struct query_action action;
};

/* By stem; the word alone before windows; the parts of a window from the last to the first. */
static int by_stem(const void *a, const void *b)
{
    const struct stemmed *x = a, *y = b;
    uint16_t xw = (uint16_t)(x->action.window + 1u), yw = (uint16_t)(y->action.window + 1u);

    if (x->stem != y->stem)
        return x->stem < y->stem ? -1 : 1;
    if (xw != yw)
        return xw < yw ? -1 : 1;
    if (x->action.part != y->action.part)
        return x->action.part > y->action.part ? -1 : 1;
    return (x->action.term > y->action.term) - (x->action.term < y->action.term);
}

static bool same(const struct stemmed *x, const struct stemmed *y)
{
    return by_stem(x, y) == 0;
}

/* The uses with their stems in `lang`, sorted, without repetitions. */
static size_t stem_uses(const struct query *query, uint16_t lang, struct stemmed *out)
{
    size_t n = 0;

    for (size_t i = 0; i < query->nuses; i++) {
        const struct query_use *use = &query->uses[i];

        out[i] = (struct stemmed){lemma_stem(&use->lemma, lang), {use->term, use->window, use->part}};
    }
    qsort(out, query->nuses, sizeof *out, by_stem);
    for (size_t i = 0; i < query->nuses; i++)
        if (n == 0 || !same(&out[n - 1], &out[i]))
            out[n++] = out[i];
    return n;
}

static struct query_slot *find_slot(const struct query_table *table, uint64_t stem)
{
    size_t i = stem & table->mask;

    while (table->slots[i].count && table->slots[i].stem != stem)
        i = (i + 1) & table->mask;
    return &table->slots[i];
}

static scent_status fill_table(struct arena *arena, const struct stemmed *stems, size_t n, struct query_table *table)
{
    size_t nslots = 4;

    while (nslots < 2 * n)
        nslots *= 2;
    table->mask = (uint32_t)nslots - 1;
    table->slots = arena_zalloc(arena, nslots * sizeof *table->slots);
    table->actions = arena_array(arena, n, sizeof *table->actions);
    if (!table->slots || !table->actions)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < n; i++) {
        struct query_slot *slot = find_slot(table, stems[i].stem);

        if (slot->count == 0)
            *slot = (struct query_slot){stems[i].stem, (uint32_t)i, 0};
        slot->count++;
        table->actions[i] = stems[i].action;
        table->bits[stems[i].stem >> 62] |= 1ull << (stems[i].stem >> 56 & 63);
    }
    return SCENT_OK;
}

static bool has_table(const struct query *query, uint16_t lang)
{
    for (size_t i = 0; i < query->ntables; i++)
        if (query->tables[i].lang == lang)
            return true;
    return false;
}

static void list_languages(struct query *query)
{
    query->tables[query->ntables++].lang = 0;
    for (size_t i = 0; i < query->nuses; i++)
        for (size_t j = 0; j < query->uses[i].lemma.nforms; j++)
            if (!has_table(query, query->uses[i].lemma.forms[j].lang))
                query->tables[query->ntables++].lang = query->uses[i].lemma.forms[j].lang;
}

scent_status query_compile(struct query *query)
{
    struct stemmed *stems = calloc(query->nuses, sizeof *stems);
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!stems);
    list_languages(query);
    for (size_t i = 0; i < query->ntables && status == SCENT_OK; i++) {
        size_t n = stem_uses(query, query->tables[i].lang, stems);

        status = fill_table(&query->arena, stems, n, &query->tables[i]);
    }
    free(stems);
    return status;
}
