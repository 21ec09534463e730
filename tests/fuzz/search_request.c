/* The first line is a query, the rest a text. The query always becomes an expression that the index takes; a page of this
 * text is found by any of its terms; an excerpt is a part of the text, with marks in order. */
#include "search/excerpt.h"
#include "search/request.h"
#include "store/fulltext.h"
#include "text/search_terms.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { TEXT_MAX = 4096 };
static const struct request_lang langs[] = {{"en"}, {"fr"}};
static struct request request;

static void demand(bool condition)
{
    if (!condition)
        abort();
}

static bool note(void *ctx, const struct fulltext_row *row)
{
    uint32_t counts[FULLTEXT_COLUMNS], sizes[FULLTEXT_COLUMNS];

    fulltext_row_counts(row, 0, counts);
    fulltext_row_sizes(row, sizes);
    for (int i = 0; i < FULLTEXT_COLUMNS; i++)
        demand(counts[i] <= 2 * sizes[i]); /* a word and its stem may be the same term */
    *(bool *)ctx = true;
    return true;
}

static bool find(struct fulltext *index, enum request_where where)
{
    uint8_t order[REQUEST_VARIANTS];
    struct errmsg err;
    struct buf expression;
    bool found = false, cut;

    buf_init(&expression, 0);
    if (!request_is_empty(&request)) {
        size_t phrases = request_expression(&request, 0, where, &expression, order);

        demand(phrases == request.nvariants && !expression.failed);
        demand(fulltext_find(index, expression.p, 0, note, &found, &cut, &err) == SCENT_OK && !cut);
    }
    buf_release(&expression);
    return found;
}

/* Each term of the text, as a query of its own. */
static void find_terms(struct fulltext *index, struct str text)
{
    struct search_terms terms;
    struct search_term term;

    search_terms_init(&terms, text);
    for (int i = 0; i < 16 && search_terms_next(&terms, &term); i++) {
        demand(term.start < term.end && term.end <= text.len);
        request_parse(&request, str_sub(text, term.start, term.end), langs, 2);
        if (request.ngroups == 1 && !request.groups[0].negative && request.host_group == REQUEST_GROUPS)
            demand(find(index, REQUEST_ALL) && find(index, REQUEST_HEADS));
    }
}

static void cut_out(struct str text)
{
    double weights[REQUEST_GROUPS] = {1};
    struct text_stemmer *stemmer = text_stemmer_new();
    struct excerpt excerpt;
    struct arena arena;
    size_t last = 0;

    arena_init(&arena, SIZE_MAX);
    demand(excerpt_make(&request, weights, text, STR("en"), stemmer, &arena, &excerpt) == SCENT_OK);
    demand(excerpt.text.len <= text.len && excerpt.text.len <= 2 * EXCERPT_BYTES);
    for (size_t i = 0; i < excerpt.count; i++) {
        demand(excerpt.marks[i].start >= last && excerpt.marks[i].start < excerpt.marks[i].end);
        last = excerpt.marks[i].end;
    }
    demand(last <= excerpt.text.len);
    arena_release(&arena);
    text_stemmer_free(stemmer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str all = {(const char *)data, len};
    size_t end = str_find(all, '\n');
    struct str text = str_sub(all, end < len ? end + 1 : len, len);
    struct fulltext_page page = {.number = 1, .lang = STR("en"), .content = text};
    struct fulltext *index;
    struct errmsg err;

    text.len = text.len < TEXT_MAX ? text.len : TEXT_MAX;
    page.content = page.title = text;
    demand(fulltext_open(NULL, FULLTEXT_TEMPORARY, 1, &index, &err) == SCENT_OK);
    demand(fulltext_begin(index, &err) == SCENT_OK && fulltext_add(index, &page, &err) == SCENT_OK &&
           fulltext_commit(index, &err) == SCENT_OK);
    request_parse(&request, str_sub(all, 0, end), langs, 2);
    for (int where = REQUEST_HEADS; where <= REQUEST_ANY; where++)
        (void)!find(index, (enum request_where)where);
    cut_out(text);
    find_terms(index, text);
    fulltext_close(index);
    return 0;
}
