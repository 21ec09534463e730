/* What a text says of a query: tables of its words, made once, the count of its terms, and the belief that follows. */
#include "conf/conf.h"
#include "topic/query_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- tables ----
 *
 * A stem may stand for several words of the query (disease, diseases), and it differs by language. So there is a table
 * for each language in which some word has a stem of its own, and one for all others. */

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

        out[i] = (struct stemmed){stemmed_word_in(&use->word, lang), {use->term, use->window, use->part}};
    }
    qsort(out, query->nuses, sizeof *out, by_stem);
    for (size_t i = 0; i < query->nuses; i++)
        if (n == 0 || !same(&out[n - 1], &out[i]))
            out[n++] = out[i];
    return n;
}

static scent_status fill_table(struct arena *arena, const struct stemmed *stems, size_t n, struct query_table *table)
{
    size_t nslots = 0;

    table->slots = arena_array(arena, n, sizeof *table->slots);
    table->actions = arena_array(arena, n, sizeof *table->actions);
    if (!table->slots || !table->actions || map_reserve(&table->by_stem, n) != SCENT_OK)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < n; i++) { /* they are sorted by stem */
        if (i == 0 || stems[i].stem != stems[i - 1].stem) {
            table->slots[nslots] = (struct query_slot){stems[i].stem, (uint32_t)i, 0};
            SCENT_TRY(map_add(&table->by_stem, stems[i].stem, (uint32_t)nslots));
            nslots++;
        }
        table->slots[nslots - 1].count++;
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
        for (size_t j = 0; j < query->uses[i].word.nforms; j++)
            if (!has_table(query, query->uses[i].word.forms[j].lang))
                query->tables[query->ntables++].lang = query->uses[i].word.forms[j].lang;
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

/* ---- counting ---- */

struct query_text query_text_page(const struct page *page)
{
    struct query_text text = query_text_range(page, 0, page->nwords);

    text.left_out = PAGE_WORD_BOILERPLATE;
    text.length = page->ncontent;
    return text;
}

struct query_text query_text_range(const struct page *page, uint32_t first, uint32_t end)
{
    return (struct query_text){
        .words = page->words, .first = first, .end = end, .length = end - first, .lang = stemmed_lang(page->lang)};
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
    struct map_walk walk;

    if (!(table->bits[stem >> 62] >> (stem >> 56 & 63) & 1))
        return NULL;
    walk = map_find(&table->by_stem, stem);
    while (map_next(&walk))
        if (table->slots[walk.value].stem == stem)
            return &table->slots[walk.value];
    return NULL;
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

        if (!slot || text->words[i].flags & text->left_out)
            continue;
        counter.here.at = i - text->first + 1;
        if (text->weights)
            counter.here.weight = text->weights[i - text->first];
        if (counter.here.weight > 0)
            act(&counter, table->actions + slot->first, slot->count);
    }
}

/* ---- belief ---- */

/* Belief of a term that is not there (Pirkola; InQuery's default). */
#define NOT_THERE .4

double query_idf(uint64_t documents, uint64_t df)
{
    double d = documents ? (double)documents : 1, n = df ? (double)df : 1;

    return log((d + .5) / (n < d ? n : d)) / log(d + 1);
}

static double term_belief(const struct query_stats *stats, const struct query_text *text, double tf, size_t term)
{
    double avglen = text->avglen > 0 ? text->avglen : stats->avglen;
    double ratio = avglen > 0 ? text->length / avglen : 1;

    if (tf <= 0)
        return NOT_THERE;
    return NOT_THERE + (1 - NOT_THERE) * tf / (tf + .5 + 1.5 * ratio) * stats->idf[term];
}

static double node_belief(const struct query_node *node, const struct query_stats *stats, const struct query_text *text,
                          const double *tf)
{
    double all = node->kind == QUERY_AND || node->kind == QUERY_OR ? 1 : 0;

    if (node->kind == QUERY_TERM)
        return term_belief(stats, text, tf[node->term], node->term);
    for (uint32_t i = 0; i < node->nkids; i++) {
        double one = node_belief(node->kids[i], stats, text, tf);

        if (node->kind == QUERY_SUM)
            all += one / node->nkids;
        else if (node->kind == QUERY_WSUM)
            all += one * node->weights[i];
        else if (node->kind == QUERY_AND)
            all *= one;
        else if (node->kind == QUERY_OR)
            all *= 1 - one;
        else if (node->kind == QUERY_MAX)
            all = one > all ? one : all;
        else
            all = 1 - one;
    }
    return node->kind == QUERY_OR ? 1 - all : all;
}

double query_belief(const struct query *query, const struct query_stats *stats, const struct query_text *text,
                    struct query_scratch *scratch)
{
    query_count(query, text, scratch);
    return node_belief(query->root, stats, text, scratch->tf);
}

double query_belief_counted(const struct query *query, const struct query_stats *stats, const double *tf, double length,
                            double avglen)
{
    const struct query_text text = {.length = length, .avglen = avglen};

    return node_belief(query->root, stats, &text, tf);
}

/* ---- explanation ---- */

struct explain {
    const struct query_stats *stats;
    const struct query_text *text;
    struct query_scratch scratch;
    struct buf *out;
};

static void explain_term(struct explain *explain, const struct query_node *node)
{
    double tf = explain->scratch.tf[node->term];

    if (tf > 0)
        buf_printf(explain->out, "  (%.4g on the page", tf);
    else
        buf_addz(explain->out, "  (not on the page");
    buf_printf(explain->out, ", in %" PRIu64 " of %" PRIu64 " pages)", explain->stats->df[node->term],
               explain->stats->documents);
}

/* Recursion is as deep as the parser allowed. */
static void explain_node(struct explain *explain, const struct query_node *node, int indent)
{
    double belief = node_belief(node, explain->stats, explain->text, explain->scratch.tf);

    buf_printf(explain->out, "%*s%.4f  %s", indent, "", belief, conf_show(node->source).text);
    if (node->kind == QUERY_TERM)
        explain_term(explain, node);
    buf_addc(explain->out, '\n');
    for (uint32_t i = 0; i < node->nkids; i++)
        explain_node(explain, node->kids[i], indent + 5);
}

void query_explain(const struct query *query, const struct query_stats *stats, const struct query_text *text,
                   int indent, struct buf *out)
{
    struct explain explain = {.stats = stats, .text = text, .out = out};

    query_count(query, text, &explain.scratch);
    explain_node(&explain, query->root, indent);
}
