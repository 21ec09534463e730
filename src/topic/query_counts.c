/* What pages at large have of a query: counts of its terms, of many pages and of one, as text and as bytes. */
#include "base/bytes.h"
#include "base/hash.h"
#include "conf/conf.h"
#include "text/background.h"
#include "topic/query_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
