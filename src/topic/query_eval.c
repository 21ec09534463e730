/* What a text says of a query: tables of its words, made once, the count of its terms, and the belief that follows. */
#include "base/bytes.h"
#include "base/hash.h"
#include "conf/conf.h"
#include "text/background.h"
#include "topic/query_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

/* ---- counts of the terms in many texts ---- */

enum { VERSION = 1, FIRST_REFRESH = 16, REFRESH = 1000 };

void query_counts_init(struct query_counts *counts, const struct query *query)
{
    *counts = (struct query_counts){.query = query, .nterms = query_terms(query)};
    counts->df = calloc(counts->nterms, sizeof *counts->df);
    SCENT_BUG_IF(!counts->df);
}

void query_counts_release(struct query_counts *counts)
{
    free(counts->df);
    *counts = (struct query_counts){0};
}

struct query_counts *query_counts_new(const struct query *query)
{
    struct query_counts *counts = malloc(sizeof *counts);

    SCENT_BUG_IF(!counts);
    query_counts_init(counts, query);
    return counts;
}

void query_counts_free(struct query_counts *counts)
{
    if (!counts)
        return;
    query_counts_release(counts);
    free(counts);
}

static void add_text(struct query_counts *counts, const struct query_scratch *scratch, double length)
{
    counts->documents++;
    counts->words += (uint64_t)length;
    for (size_t i = 0; i < counts->nterms; i++)
        counts->df[i] += scratch->tf[i] > 0;
}

void query_counts_add(struct query_counts *counts, const struct page *page)
{
    struct query_text text = query_text_page(page);
    struct query_scratch scratch;

    query_count(counts->query, &text, &scratch);
    add_text(counts, &scratch, text.length);
}

bool query_counts_add_counted(struct query_counts *counts, uint64_t key, struct str counted)
{
    struct query_scratch scratch;
    double length;

    if (!query_counted_read(counts->query, key, counted, &scratch, &length))
        return false;
    add_text(counts, &scratch, length);
    return true;
}

/* ---- the counts of one page ---- */

struct str query_counted_write(const struct query *query, uint64_t key, const struct page *page, struct arena *arena)
{
    struct query_text text = query_text_page(page);
    struct query_scratch scratch;
    struct str kept;
    struct buf out;

    query_count(query, &text, &scratch);
    buf_init(&out, 0);
    bytes_put(&out, key, 8);
    bytes_put_varint(&out, page->ncontent);
    for (size_t i = 0; i < query_terms(query); i++)
        bytes_put_varint(&out, (uint64_t)scratch.tf[i]);
    kept = out.failed ? STR_NONE : arena_str(arena, buf_str(&out));
    buf_release(&out);
    return kept;
}

bool query_counted_read(const struct query *query, uint64_t key, struct str counted, struct query_scratch *scratch,
                        double *length)
{
    struct bytes in = bytes_of(counted);

    (void)bytes_check(&in, bytes_get(&in, 8) == key, "counted by another key");
    *length = (double)bytes_get_varint(&in);
    for (size_t i = 0; i < query_terms(query); i++) {
        scratch->tf[i] = (double)bytes_get_varint(&in);
        (void)bytes_check(&in, scratch->tf[i] <= *length, "more words than the page has");
    }
    return bytes_check(&in, bytes_left(&in) == 0, "more than it should have");
}

bool query_counts_is_due(const struct query_counts *counts, uint64_t before)
{
    uint64_t step = before < FIRST_REFRESH ? FIRST_REFRESH - before : before < REFRESH ? before : REFRESH;

    return counts->documents - before >= step;
}

static void add_up(const struct query_counts *counts, uint64_t *documents, uint64_t *words, uint64_t *df)
{
    if (!counts)
        return;
    *documents += counts->documents;
    *words += counts->words;
    for (size_t i = 0; i < counts->nterms; i++)
        df[i] += counts->df[i];
}

void query_counts_sum(struct query_counts *counts, const struct query_counts *more)
{
    add_up(more, &counts->documents, &counts->words, counts->df);
}

void query_counts_less(struct query_counts *counts, const struct query_counts *less)
{
    SCENT_BUG_IF(less->documents > counts->documents || less->words > counts->words);
    counts->documents -= less->documents;
    counts->words -= less->words;
    for (size_t i = 0; i < counts->nterms; i++)
        counts->df[i] -= less->df[i];
}

struct query_stats *query_counts_stats(const struct query *query, const struct query_counts *counts,
                                       const struct query_counts *sample)
{
    size_t n = query_terms(query);
    struct query_stats *stats = calloc(1, sizeof *stats + n * (sizeof *stats->df + sizeof *stats->idf));
    uint64_t *df, documents = 0, words = 0;
    double *idf;

    SCENT_BUG_IF(!stats);
    df = (uint64_t *)(stats + 1);
    idf = (double *)(df + n);
    add_up(counts, &documents, &words, df);
    add_up(sample, &documents, &words, df);
    for (size_t i = 0; i < n; i++)
        idf[i] = query_idf(documents, df[i]);
    *stats = (struct query_stats){.documents = documents, .df = df, .idf = idf};
    if (documents)
        stats->avglen = (double)words / (double)documents;
    return stats;
}

/* A term is as rare as the rarest word of its window, and as common as the most common of its synonyms. */
struct query_stats *query_background_stats(const struct query *query)
{
    enum { MEAN_LENGTH = 500 };
    const struct background *background = background_for(STR("en"));
    uint64_t documents = background ? background_documents(background) : 0;
    struct query_counts counts;
    struct query_stats *stats;

    query_counts_init(&counts, query);
    counts.documents = documents;
    counts.words = MEAN_LENGTH * documents;
    for (size_t i = 0; i < query->nuses && background; i++) {
        const struct query_use *use = &query->uses[i];
        uint64_t *df = &counts.df[use->term];
        uint64_t own = background_frequency(background, stemmed_word_in(&use->word, stemmed_lang(STR("en"))));

        own = own ? own : 1;
        if (!*df || (use->window == QUERY_NO_WINDOW ? own > *df : own < *df))
            *df = own;
    }
    stats = query_counts_stats(query, &counts, NULL);
    query_counts_release(&counts);
    return stats;
}

/* ---- words that nobody uses ---- */

struct missing {
    const struct query *query;
    const struct query_counts *counts, *sample;
    size_t count, found;
    struct buf *out;
};

static bool is_common(const struct stemmed_word *word)
{
    static const char *const langs[] = {"en", "de", "fr", "es"};

    for (size_t i = 0; i < sizeof langs / sizeof *langs; i++) {
        const struct background *background = background_for(str_of(langs[i]));

        if (background && background_frequency(background, stemmed_word_in(word, stemmed_lang(str_of(langs[i])))))
            return true;
    }
    return word->maybe_stop;
}

static bool has_common_word(const struct query *query, uint16_t term)
{
    for (uint16_t i = 0; i < query->nuses; i++)
        if (query->uses[i].term == term && is_common(&query->uses[i].word))
            return true;
    return false;
}

/* Recursion is as deep as the parser allowed. */
static void find_missing(struct missing *missing, const struct query_node *node)
{
    if (node->kind == QUERY_TERM) {
        if (missing->counts->df[node->term] || (missing->sample && missing->sample->df[node->term])) {
            missing->found++;
        } else if (!has_common_word(missing->query, node->term)) {
            buf_printf(missing->out, "%s'%s'", missing->count ? ", " : "", conf_show(node->source).text);
            missing->count++;
        }
    }
    for (uint32_t i = 0; i < node->nkids && node->kind != QUERY_NOT; i++)
        find_missing(missing, node->kids[i]);
}

size_t query_missing(const struct query *query, const struct query_counts *counts, const struct query_counts *sample,
                     size_t *found, struct buf *out)
{
    struct missing missing = {.query = query, .counts = counts, .sample = sample, .out = out};

    find_missing(&missing, query->root);
    *found = missing.found;
    return missing.count;
}

/* ---- as text ----
 *
 *   scent-counts VERSION
 *   KEY DOCUMENTS WORDS TERMS      the key of the query in hexadecimal digits, then decimal numbers
 *   DF                             a line for each term
 *   CHECKSUM                       of all before it, 16 hexadecimal digits */

scent_status query_counts_write(const struct query_counts *counts, struct buf *out)
{
    size_t start = out->len;

    buf_printf(out, "scent-census %d\n%016" PRIx64 " %" PRIu64 " %" PRIu64 " %zu\n", VERSION,
               query_key(counts->query), counts->documents, counts->words, counts->nterms);
    for (size_t i = 0; i < counts->nterms; i++)
        buf_printf(out, "%" PRIu64 "\n", counts->df[i]);
    buf_printf(out, "%016" PRIx64 "\n", hash_str(str_sub(buf_str(out), start, out->len), 0));
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status fail_damaged(const char *name, struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_FORMAT, "%s: not the statistics of a query, or damaged; make them again with "
                                            "'scent train'", name);
}

static bool is_whole(struct str bytes)
{
    enum { CHECKSUM = 17 };
    char want[CHECKSUM + 1];

    if (bytes.len < CHECKSUM)
        return false;
    snprintf(want, sizeof want, "%016" PRIx64 "\n", hash_str(str_sub(bytes, 0, bytes.len - CHECKSUM), 0));
    return str_ends(bytes, (struct str){want, CHECKSUM});
}

struct head {
    uint64_t key, documents, words, terms;
};

static bool parse_key(struct str text, uint64_t *out)
{
    char digits[17];
    char *end;

    if (text.len != 16)
        return false;
    memcpy(digits, text.p, 16);
    digits[16] = 0;
    *out = strtoull(digits, &end, 16);
    return *end == 0;
}

static bool read_head(struct str *rest, struct head *out)
{
    struct str line, part;

    return str_split(rest, '\n', &line) && str_split(&line, ' ', &part) && parse_key(part, &out->key) &&
           str_split(&line, ' ', &part) && str_parse_u64(part, &out->documents) && str_split(&line, ' ', &part) &&
           str_parse_u64(part, &out->words) && str_split(&line, ' ', &part) && str_parse_u64(part, &out->terms);
}

/* Counts first, adds when all are good. */
static bool add_counts(struct query_counts *counts, const struct head *head, struct str rest)
{
    for (int adds = 0; adds < 2; adds++) {
        struct str lines = rest, line;

        for (size_t i = 0; i < counts->nterms; i++) {
            uint64_t df;

            if (!str_split(&lines, '\n', &line) || !str_parse_u64(line, &df) || df > head->documents)
                return false;
            counts->df[i] += adds ? df : 0;
        }
    }
    counts->documents += head->documents;
    counts->words += head->words;
    return true;
}

scent_status query_counts_read(struct query_counts *counts, struct str bytes, const char *name, struct errmsg *err)
{
    struct str rest = bytes, line, magic = STR("scent-census ");
    struct head head;
    uint64_t version;

    if (!str_split(&rest, '\n', &line) || !str_starts(line, magic) ||
        !str_parse_u64(str_sub(line, magic.len, line.len), &version))
        return fail_damaged(name, err);
    if (version != VERSION)
        return errmsg_fail(err, SCENT_E_VERSION, "%s: statistics of version %" PRIu64 ", this scent reads version %d; "
                                                 "make them again with 'scent train'", name, version, VERSION);
    if (!is_whole(bytes) || !read_head(&rest, &head))
        return fail_damaged(name, err);
    if (head.key != query_key(counts->query) || head.terms != counts->nterms)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: these statistics were counted for another query; make them again "
                                                 "with 'scent train'", name);
    if (head.documents > UINT64_MAX / 4 || head.words > UINT64_MAX / 4 || !add_counts(counts, &head, rest))
        return fail_damaged(name, err);
    return SCENT_OK;
}
