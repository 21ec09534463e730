#include "topic/query_tree.h"

struct query_text query_text_page(const struct page *page)
{
    return query_text_range(page, 0, page->nwords);
}

struct query_text query_text_range(const struct page *page, uint32_t first, uint32_t end)
{
    return (struct query_text){
        .words = page->words, .first = first, .end = end, .length = end - first, .lang = lemma_lang(page->lang)};
}

struct query_text query_text_weighted(const struct page *page, uint32_t first, uint32_t end, const float *weights)
{
    struct query_text text = query_text_range(page, first, end);

    text.weights = weights;
    text.length = 0;
    for (uint32_t i = 0; i < end - first; i++)
        text.length += weights[i];
    return text;
}

struct counter {
    const struct query *query;
    struct query_scratch *scratch;
    struct query_mark here; /* the word that is looked at */
};

/* A term counts once at a place, whatever of it ends there. */
static void credit(struct counter *counter, uint16_t term, float weight)
{
    struct query_mark *last = &counter->scratch->last[term];
    float before = last->at == counter->here.at ? last->weight : 0;

    if (weight <= before)
        return;
    counter->scratch->tf[term] += weight - before;
    *last = (struct query_mark){counter->here.at, weight};
}

static float lesser(float a, float b)
{
    return a < b ? a : b;
}

static void complete(struct counter *counter, const struct query_window *window, float weight)
{
    memset(counter->scratch->parts + window->first_part, 0, window->nparts * sizeof *counter->scratch->parts);
    credit(counter, window->term, weight);
}

/* parts[k] is where the first k + 1 parts were last found in a row. The latest place is the best one to go on from,
 * because only the distance to the next part counts. Parts descend, so that a word does not follow itself. */
static void hit_ordered(struct counter *counter, const struct query_window *window, const struct query_action *actions,
                        size_t n)
{
    struct query_mark *parts = counter->scratch->parts + window->first_part, here = counter->here;

    for (size_t i = 0; i < n; i++) {
        unsigned k = actions[i].part;
        const struct query_mark *before = k ? &parts[k - 1] : NULL;

        if (before && (!before->at || here.at - before->at > window->width))
            continue;
        parts[k] = (struct query_mark){here.at, before ? lesser(before->weight, here.weight) : here.weight};
        if (k + 1u == window->nparts) {
            complete(counter, window, parts[k].weight);
            return;
        }
    }
}

/* parts[k] is where part k was last found. A word that can be several parts takes the place of the oldest. */
static void hit_unordered(struct counter *counter, const struct query_window *window,
                          const struct query_action *actions, size_t n)
{
    struct query_mark *parts = counter->scratch->parts + window->first_part, *oldest = &parts[actions[0].part];
    float weight = counter->here.weight;

    for (size_t i = 1; i < n; i++)
        if (parts[actions[i].part].at < oldest->at)
            oldest = &parts[actions[i].part];
    *oldest = counter->here;
    for (size_t k = 0; k < window->nparts; k++) {
        if (!parts[k].at || counter->here.at - parts[k].at >= window->width)
            return;
        weight = lesser(weight, parts[k].weight);
    }
    complete(counter, window, weight);
}

static void act(struct counter *counter, const struct query_action *actions, size_t count)
{
    for (size_t i = 0, n; i < count; i += n) {
        const struct query_window *window;

        n = 1;
        if (actions[i].window == QUERY_NO_WINDOW) {
            credit(counter, actions[i].term, counter->here.weight);
            continue;
        }
        while (i + n < count && actions[i + n].window == actions[i].window)
            n++;
        window = &counter->query->windows[actions[i].window];
        (window->ordered ? hit_ordered : hit_unordered)(counter, window, actions + i, n);
    }
}

static const struct query_table *table_for(const struct query *query, uint16_t lang)
{
    for (size_t i = 1; i < query->ntables; i++)
        if (query->tables[i].lang == lang)
            return &query->tables[i];
    return &query->tables[0];
}

static const struct query_slot *look_up(const struct query_table *table, uint64_t stem)
{
    size_t i = stem & table->mask;

    if (!(table->bits[stem >> 62] >> (stem >> 56 & 63) & 1))
        return NULL;
    while (table->slots[i].count && table->slots[i].stem != stem)
        i = (i + 1) & table->mask;
    return table->slots[i].count ? &table->slots[i] : NULL;
}

void query_count(const struct query *query, const struct query_text *text, struct query_scratch *scratch)
{
    const struct query_table *table = table_for(query, text->lang);
    struct counter counter = {query, scratch, {0, 1}};

    memset(scratch->tf, 0, query->nterms * sizeof *scratch->tf);
    memset(scratch->last, 0, query->nterms * sizeof *scratch->last);
    memset(scratch->parts, 0, query->nparts * sizeof *scratch->parts);
    for (uint32_t i = text->first; i < text->end; i++) {
        const struct query_slot *slot = look_up(table, text->words[i].stem);

        if (!slot)
            continue;
        counter.here.at = i - text->first + 1;
        if (text->weights)
            counter.here.weight = text->weights[i - text->first];
        if (counter.here.weight > 0)
            act(&counter, table->actions + slot->first, slot->count);
    }
}
