#include "topic/census.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { VERSION = 1, FIRST_REFRESH = 16, REFRESH = 1000 };

void census_init(struct census *census, const struct query *query)
{
    *census = (struct census){.query = query, .nterms = query_terms(query)};
    census->df = calloc(census->nterms, sizeof *census->df);
    SCENT_BUG_IF(!census->df);
}

void census_release(struct census *census)
{
    free(census->df);
    *census = (struct census){0};
}

struct census *census_new(const struct query *query)
{
    struct census *census = malloc(sizeof *census);

    SCENT_BUG_IF(!census);
    census_init(census, query);
    return census;
}

void census_free(struct census *census)
{
    if (!census)
        return;
    census_release(census);
    free(census);
}

void census_add(struct census *census, const struct page *page)
{
    struct query_text text = query_text_page(page);
    struct query_scratch scratch;

    query_count(census->query, &text, &scratch);
    census->documents++;
    census->words += page->nwords;
    for (size_t i = 0; i < census->nterms; i++)
        census->df[i] += scratch.tf[i] > 0;
}

bool census_is_due(const struct census *census, uint64_t before)
{
    uint64_t step = before < FIRST_REFRESH ? FIRST_REFRESH - before : before < REFRESH ? before : REFRESH;

    return census->documents - before >= step;
}

static void add_up(const struct census *census, uint64_t *documents, uint64_t *words, uint64_t *df)
{
    if (!census)
        return;
    *documents += census->documents;
    *words += census->words;
    for (size_t i = 0; i < census->nterms; i++)
        df[i] += census->df[i];
}

struct query_stats *census_stats(const struct query *query, const struct census *census, const struct census *sample)
{
    size_t n = query_terms(query);
    struct query_stats *stats = calloc(1, sizeof *stats + n * (sizeof *stats->df + sizeof *stats->idf));
    uint64_t *df, documents = 0, words = 0;
    double *idf;

    SCENT_BUG_IF(!stats);
    df = (uint64_t *)(stats + 1);
    idf = (double *)(df + n);
    add_up(census, &documents, &words, df);
    add_up(sample, &documents, &words, df);
    for (size_t i = 0; i < n; i++)
        idf[i] = query_idf(documents, df[i]);
    *stats = (struct query_stats){.documents = documents, .df = df, .idf = idf};
    if (documents)
        stats->avglen = (double)words / (double)documents;
    return stats;
}

/* ---- as text ----
 *
 *   scent-census VERSION
 *   KEY DOCUMENTS WORDS TERMS      the key of the query in hexadecimal digits, then decimal numbers
 *   DF                             a line for each term
 *   CHECKSUM                       of all before it, 16 hexadecimal digits */

scent_status census_write(const struct census *census, struct buf *out)
{
    size_t start = out->len;

    buf_printf(out, "scent-census %d\n%016" PRIx64 " %" PRIu64 " %" PRIu64 " %zu\n", VERSION,
               query_key(census->query), census->documents, census->words, census->nterms);
    for (size_t i = 0; i < census->nterms; i++)
        buf_printf(out, "%" PRIu64 "\n", census->df[i]);
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
static bool add_counts(struct census *census, const struct head *head, struct str rest)
{
    for (int adds = 0; adds < 2; adds++) {
        struct str lines = rest, line;

        for (size_t i = 0; i < census->nterms; i++) {
            uint64_t df;

            if (!str_split(&lines, '\n', &line) || !str_parse_u64(line, &df) || df > head->documents)
                return false;
            census->df[i] += adds ? df : 0;
        }
    }
    census->documents += head->documents;
    census->words += head->words;
    return true;
}

scent_status census_read(struct census *census, struct str bytes, const char *name, struct errmsg *err)
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
    if (head.key != query_key(census->query) || head.terms != census->nterms)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: these statistics were counted for another query; make them again "
                                                 "with 'scent train'", name);
    if (head.documents > UINT64_MAX / 4 || head.words > UINT64_MAX / 4 || !add_counts(census, &head, rest))
        return fail_damaged(name, err);
    return SCENT_OK;
}
