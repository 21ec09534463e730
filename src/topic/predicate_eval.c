/* A predicate and a page, in three parts: constants are folded and parts ordered by cost once the predicate was read,
 * it is evaluated, and the evaluation is explained. */
#include "conf/conf.h"
#include "topic/predicate_parts.h"
#include "topic/user_text.h"

#include <stdlib.h>

static bool compare_values(enum predicate_token_kind op, double left, double right)
{
    switch (op) {
    case TOKEN_LT:
        return left < right;
    case TOKEN_LE:
        return left <= right;
    case TOKEN_GT:
        return left > right;
    case TOKEN_GE:
        return left >= right;
    case TOKEN_EQ:
        return left == right;
    default:
        return left != right;
    }
}

/* ---- folding ----
 *
 * The parts of and/or are ordered so that a cheap one can save the dear ones. Tests have no effects and always have a
 * value, so the order changes nothing but the time. */

static void make_constant(struct predicate_node *node, bool truth)
{
    node->kind = PREDICATE_CONST;
    node->truth = truth;
    node->nkids = 0;
    node->cost = 0;
}

static struct predicate_node *fold_not(struct predicate_node *node)
{
    struct predicate_node *kid = node->kids[0];

    if (kid->kind == PREDICATE_NOT)
        return kid->kids[0];
    if (kid->kind == PREDICATE_CONST)
        make_constant(node, !kid->truth);
    else
        node->cost = kid->cost;
    return node;
}

/* true is neutral in `and` and decides `or`; false the other way round. Kids of the same kind are taken in. */
static struct predicate_node *fold_chain(struct arena *arena, struct predicate_node *node)
{
    bool neutral = node->kind == PREDICATE_AND;
    struct predicate_node **kids;
    size_t most = 0, n = 0;

    for (size_t i = 0; i < node->nkids; i++)
        most += node->kids[i]->kind == node->kind ? node->kids[i]->nkids : 1;
    if (!(kids = arena_array(arena, most, sizeof *kids)))
        return NULL;
    for (size_t i = 0; i < node->nkids; i++) {
        struct predicate_node *kid = node->kids[i];

        if (kid->kind == PREDICATE_CONST && kid->truth != neutral) {
            make_constant(node, kid->truth);
            return node;
        }
        if (kid->kind == node->kind) {
            memcpy(kids + n, kid->kids, kid->nkids * sizeof *kids);
            n += kid->nkids;
        } else if (kid->kind != PREDICATE_CONST) {
            kids[n++] = kid;
        }
    }
    if (n == 0)
        make_constant(node, neutral);
    node->kids = kids;
    node->nkids = (uint32_t)n;
    return n == 1 ? kids[0] : node;
}

/* By cost, then as written. */
static int by_cost(const void *a, const void *b)
{
    const struct predicate_node *x = *(struct predicate_node *const *)a, *y = *(struct predicate_node *const *)b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->source.p > y->source.p) - (x->source.p < y->source.p);
}

static bool order_kids(struct arena *arena, struct predicate_node *node)
{
    node->cheap = arena_array(arena, node->nkids, sizeof *node->cheap);
    if (!node->cheap)
        return false;
    memcpy(node->cheap, node->kids, node->nkids * sizeof *node->kids);
    qsort(node->cheap, node->nkids, sizeof *node->cheap, by_cost);
    node->cost = 0;
    for (size_t i = 0; i < node->nkids; i++)
        node->cost += node->kids[i]->cost;
    return true;
}

/* Recursion is as deep as the parser allowed. */
static struct predicate_node *fold(struct arena *arena, struct predicate_node *node)
{
    bool chain = node->kind == PREDICATE_AND || node->kind == PREDICATE_OR;

    for (size_t i = 0; i < node->nkids; i++) {
        node->kids[i] = fold(arena, node->kids[i]);
        if (!node->kids[i])
            return NULL;
    }
    if (node->kind == PREDICATE_NOT)
        return fold_not(node);
    if (node->kind == PREDICATE_COMPARE && node->compare.left.value == VALUE_NUMBER &&
        node->compare.right.value == VALUE_NUMBER)
        make_constant(node, compare_values(node->compare.op, node->compare.left.number, node->compare.right.number));
    if (!chain)
        return node;
    node = fold_chain(arena, node);
    if (node && (node->kind == PREDICATE_AND || node->kind == PREDICATE_OR) && !order_kids(arena, node))
        return NULL;
    return node;
}

scent_status predicate_optimise(struct predicate *predicate)
{
    predicate->root = fold(&predicate->arena, predicate->root);
    return predicate->root ? SCENT_OK : SCENT_E_NOMEM;
}

/* ---- what it asks for ---- */

static bool is_about(const struct predicate_operand *operand, enum predicate_value measure, uint32_t category)
{
    return operand->value == measure && (measure != VALUE_CATEGORY || operand->category == category);
}

/* The first test that asks; recursion is as deep as the parser allowed. */
static const struct predicate_node *find_test(const struct predicate_node *node, enum predicate_value measure,
                                              uint32_t category)
{
    const struct predicate_node *found = NULL;

    if (node->kind == PREDICATE_COMPARE &&
        (is_about(&node->compare.left, measure, category) || is_about(&node->compare.right, measure, category)))
        return node;
    for (uint32_t i = 0; i < node->nkids && !found; i++)
        found = find_test(node->kids[i], measure, category);
    return found;
}

static const struct predicate_node *find_any(const struct predicate *predicate, enum predicate_value measure)
{
    const struct predicate_node *found = NULL;

    if (measure != VALUE_CATEGORY)
        return find_test(predicate->root, measure, 0);
    for (uint32_t i = 0; i < predicate->ncategories && !found; i++)
        found = find_test(predicate->root, measure, i);
    return found;
}

bool predicate_asks(const struct predicate *predicate, enum predicate_value measure)
{
    return find_any(predicate, measure) != NULL;
}

static bool is_only(const struct predicate_node *node, enum predicate_value measure)
{
    const enum predicate_value left = node->compare.left.value, right = node->compare.right.value;

    switch (node->kind) {
    case PREDICATE_CONST:
        return true;
    case PREDICATE_COMPARE:
        return (left < VALUE_SIMILAR || left == measure) && (right < VALUE_SIMILAR || right == measure);
    case PREDICATE_AND:
    case PREDICATE_OR:
    case PREDICATE_NOT:
        for (uint32_t i = 0; i < node->nkids; i++)
            if (!is_only(node->kids[i], measure))
                return false;
        return true;
    default:
        return false;
    }
}

bool predicate_asks_only(const struct predicate *predicate, enum predicate_value measure)
{
    return is_only(predicate->root, measure);
}

size_t predicate_ncategories(const struct predicate *predicate)
{
    return predicate->ncategories;
}

struct str predicate_category(const struct predicate *predicate, size_t i)
{
    return predicate->categories[i];
}

scent_status predicate_refuse(const struct predicate *predicate, enum predicate_value measure, uint32_t category,
                              const char *what, struct errmsg *err)
{
    const struct predicate_node *node =
        measure == VALUE_CATEGORY && category != UINT32_MAX ? find_test(predicate->root, measure, category)
                                                            : find_any(predicate, measure);

    if (!node) /* folded away: it cannot matter */
        return SCENT_OK;
    syntax_error_at(predicate->source, (size_t)(node->source.p - predicate->source.p), what, err);
    return SCENT_E_INVALID;
}

static bool is_letter(char c)
{
    return (unsigned char)c >= 0x80 || ascii_is_alpha(c) || ascii_is_digit(c);
}

/* As it was written, without quotes and signs; title("…") begins at its quote, a bare word has none. */
static void write_phrase(struct str source, struct buf *out)
{
    const char *sign = "";
    size_t i = 0;

    while (i < source.len && source.p[i] != '"' && source.p[i] != '\'')
        i++;
    buf_addz(out, " \"");
    for (i = i == source.len ? 0 : i; i < source.len; i++) {
        if (is_letter(source.p[i])) {
            buf_addz(out, sign);
            buf_addc(out, source.p[i]);
            sign = "";
        } else if (i && is_letter(source.p[i - 1])) {
            sign = " ";
        }
    }
    buf_addc(out, '"');
}

static void write_query(const struct predicate_node *node, struct buf *out)
{
    bool is_phrase = node->kind == PREDICATE_WORDS || node->kind == PREDICATE_TITLE;
    size_t before = out->len, head;

    if (is_phrase && node->phrase.count)
        write_phrase(node->source, out);
    if (node->kind != PREDICATE_AND && node->kind != PREDICATE_OR)
        return;
    buf_addz(out, node->kind == PREDICATE_AND ? " #sum(" : " #max(");
    head = out->len;
    for (uint32_t i = 0; i < node->nkids; i++)
        write_query(node->kids[i], out);
    if (out->len == head)
        out->len = before;
    else
        buf_addc(out, ')');
}

void predicate_write_query(const struct predicate *predicate, struct buf *out)
{
    write_query(predicate->root, out);
}

/* ---- evaluation ---- */

static bool phrase_at(const struct page_word *words, const struct stemmed_words *phrase, uint16_t lang)
{
    for (uint32_t i = 0; i < phrase->count; i++)
        if (words[i].stem != stemmed_word_in(&phrase->items[i], lang))
            return false;
    return true;
}

static uint32_t find_phrase(const struct page *page, const struct stemmed_words *phrase)
{
    uint16_t lang = stemmed_lang(page->lang);
    uint64_t first = stemmed_word_in(&phrase->items[0], lang);

    for (uint32_t i = 0; i + (uint64_t)phrase->count <= page->nwords; i++)
        if (page->words[i].stem == first && !(page->words[i].flags & PAGE_WORD_BOILERPLATE) &&
            phrase_at(page->words + i, phrase, lang))
            return i;
    return PAGE_NONE;
}

static bool eval_words(const struct stemmed_words *phrase, const struct page *page)
{
    uint16_t lang = stemmed_lang(page->lang);
    bool scan = phrase->count > 1;

    /* The bag lacks stop words: a miss of what may be one proves nothing. */
    for (uint32_t i = 0; i < phrase->count; i++) {
        bool found = page_find_term(page, stemmed_word_in(&phrase->items[i], lang)) != NULL;

        if (!found && !phrase->items[i].maybe_stop)
            return false;
        scan |= !found;
    }
    return !scan || find_phrase(page, phrase) != PAGE_NONE;
}

/* The words of a title, and later their stems. */
struct title {
    struct page_word words[PREDICATE_TITLE_WORDS];
    uint32_t count;
};

enum { TITLE_SLOTS = 2 * PREDICATE_TITLE_WORDS };

/* Looks the stems up among the page's words, where analysis has put them: so evaluation needs no stemmer, which
 * would belong to one thread. A title's word that stands nowhere else is compared as it is. */
static void stem_title(struct title *title, const struct page *page)
{
    uint16_t slots[TITLE_SLOTS] = {0}; /* index + 1 of the first word with this hash */
    uint32_t open = 0;

    for (uint32_t i = 0; i < title->count; i++) {
        size_t at = title->words[i].word % TITLE_SLOTS;

        while (slots[at] && title->words[slots[at] - 1].word != title->words[i].word)
            at = (at + 1) % TITLE_SLOTS;
        open += slots[at] == 0;
        slots[at] = slots[at] ? slots[at] : (uint16_t)(i + 1);
        title->words[i].leaf = slots[at] - 1u;
    }
    for (uint32_t i = 0; i < page->nwords && open; i++) {
        size_t at = page->words[i].word % TITLE_SLOTS;

        while (slots[at] && title->words[slots[at] - 1].word != page->words[i].word)
            at = (at + 1) % TITLE_SLOTS;
        if (!slots[at] || title->words[slots[at] - 1].flags)
            continue;
        title->words[slots[at] - 1].stem = page->words[i].stem;
        title->words[slots[at] - 1].flags = 1; /* known */
        open--;
    }
    for (uint32_t i = 0; i < title->count; i++)
        title->words[i].stem = title->words[title->words[i].leaf].stem;
}

static bool eval_title(const struct stemmed_words *phrase, const struct page *page)
{
    struct title title = {.count = 0};
    struct page view = {.lang = page->lang, .words = title.words};
    struct text_cursor cursor;
    char folded[TEXT_WORD_MAX];
    size_t len;

    text_cursor_init(&cursor, page->title);
    while (title.count < PREDICATE_TITLE_WORDS && text_next_word(&cursor, folded, &len)) {
        uint64_t hash = text_word_hash((struct str){folded, len});

        title.words[title.count++] = (struct page_word){.word = hash, .stem = hash};
    }
    if (title.count < phrase->count)
        return false;
    stem_title(&title, page);
    view.nwords = title.count;
    return find_phrase(&view, phrase) != PAGE_NONE;
}

static int match_url(const struct predicate *predicate, pcre2_code *regex, struct str href, struct str *where)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    int result;

    SCENT_BUG_IF(!data);
    result = pcre2_match(regex, (PCRE2_SPTR)href.p, href.len, 0, 0, data, predicate->limits);
    if (result >= 0) {
        const size_t *span = pcre2_get_ovector_pointer(data);

        /* \K in a lookahead can put the start behind the end. */
        *where = span[0] <= span[1] ? str_sub(href, span[0], span[1]) : STR_NONE;
    }
    pcre2_match_data_free(data);
    return result;
}

static bool eval_url(const struct predicate *predicate, pcre2_code *regex, const struct page *page)
{
    struct str where;

    return page->url.href.p && match_url(predicate, regex, page->url.href, &where) >= 0;
}

static bool eval_list(const struct predicate_node *node, struct str value, bool (*same)(struct str, struct str))
{
    for (size_t i = 0; i < node->list.count; i++)
        if (same(node->list.items[i], value))
            return !node->list.negated;
    return node->list.negated;
}

static struct str page_host(const struct page *page)
{
    return page->url.href.p ? url_host(&page->url) : STR_NONE;
}

static double operand_value(const struct predicate_operand *operand, const struct predicate_input *input)
{
    const struct predicate_oracle *oracle = &input->oracle;

    switch (operand->value) {
    case VALUE_NUMBER:
        return operand->number;
    case VALUE_SIZE:
        return (double)input->bytes;
    case VALUE_DEPTH:
        return input->depth;
    default:
        return oracle->ask ? oracle->ask(oracle->ctx, operand->value, operand->category) : 0;
    }
}

static bool eval_node(const struct predicate *predicate, const struct predicate_node *node,
                      const struct predicate_input *input);

static bool eval_chain(const struct predicate *predicate, const struct predicate_node *node,
                       const struct predicate_input *input)
{
    bool decides = node->kind == PREDICATE_OR;

    for (size_t i = 0; i < node->nkids; i++)
        if (eval_node(predicate, node->cheap[i], input) == decides)
            return decides;
    return !decides;
}

static bool eval_node(const struct predicate *predicate, const struct predicate_node *node,
                         const struct predicate_input *input)
{
    switch (node->kind) {
    case PREDICATE_CONST:
        return node->truth;
    case PREDICATE_AND:
    case PREDICATE_OR:
        return eval_chain(predicate, node, input);
    case PREDICATE_NOT:
        return !eval_node(predicate, node->kids[0], input);
    case PREDICATE_WORDS:
        return eval_words(&node->phrase, input->page);
    case PREDICATE_TITLE:
        return eval_title(&node->phrase, input->page);
    case PREDICATE_URL:
        return eval_url(predicate, node->regex, input->page);
    case PREDICATE_HOST:
        return eval_list(node, page_host(input->page), str_glob);
    case PREDICATE_LANG:
        return eval_list(node, input->page->lang, str_eq_nocase);
    case PREDICATE_COMPARE:
        return compare_values(node->compare.op, operand_value(&node->compare.left, input),
                                 operand_value(&node->compare.right, input));
    }
    return false;
}

bool predicate_eval(const struct predicate *predicate, const struct predicate_input *input)
{
    return eval_node(predicate, predicate->root, input);
}

/* ---- explanation ---- */

static void explain_word(const struct page *page, const struct stemmed_words *phrase, struct buf *out)
{
    uint64_t stem = stemmed_word_in(&phrase->items[0], stemmed_lang(page->lang));
    const struct page_term *term = page_find_term(page, stem);

    if (term)
        buf_printf(out, "%u on the page, the first as '%s'", term->tf, conf_show(term->text).text);
    else
        buf_printf(out, "%s",
                   find_phrase(page, phrase) != PAGE_NONE ? "a stop word of the page" : "not on the page");
}

static void explain_phrase(const struct page *page, const struct stemmed_words *phrase, struct buf *out)
{
    uint32_t at = find_phrase(page, phrase);

    if (at == PAGE_NONE)
        buf_addz(out, "not on the page");
    else
        buf_printf(out, "from word %u of the page", at + 1);
}

static void explain_url(const struct predicate *predicate, pcre2_code *regex, const struct page *page, struct buf *out)
{
    struct str where;
    int result = page->url.href.p ? match_url(predicate, regex, page->url.href, &where) : PCRE2_ERROR_NOMATCH;

    if (result >= 0)
        buf_printf(out, "matches '%s'", conf_show(where).text);
    else if (result == PCRE2_ERROR_NOMATCH)
        buf_addz(out, "no match");
    else
        buf_addz(out, "gave up: the expression needs too many steps, which counts as no match");
}

static void explain_operand(const struct predicate_operand *operand, const struct predicate_input *input,
                            struct buf *out)
{
    static const char *const names[] = {
        [VALUE_NUMBER] = NULL,       [VALUE_SIZE] = "size",       [VALUE_DEPTH] = "depth",
        [VALUE_SIMILAR] = "similar()", [VALUE_QUERY] = "query()", [VALUE_CLASSIFIER] = "classifier()",
        [VALUE_BROWSING] = "browsing()", [VALUE_JUDGE] = "judge()", [VALUE_CATEGORY] = "it",
    };

    if (names[operand->value])
        buf_printf(out, "%s is %.10g", names[operand->value], operand_value(operand, input));
}

/* Below the line of the test: where a measure comes from. */
static void explain_measure(const struct predicate_operand *operand, const struct predicate_input *input, int indent,
                            struct buf *out)
{
    const struct predicate_oracle *oracle = &input->oracle;

    if (operand->value >= VALUE_SIMILAR && oracle->explain)
        oracle->explain(oracle->ctx, operand->value, operand->category, indent, out);
}

static void explain_compare(const struct predicate_node *node, const struct predicate_input *input, struct buf *out)
{
    bool both = node->compare.left.value != VALUE_NUMBER && node->compare.right.value != VALUE_NUMBER;

    explain_operand(&node->compare.left, input, out);
    if (both)
        buf_addz(out, ", ");
    explain_operand(&node->compare.right, input, out);
}

static void explain_reason(const struct predicate *predicate, const struct predicate_node *node,
                           const struct predicate_input *input, struct buf *out)
{
    const struct page *page = input->page;

    switch (node->kind) {
    case PREDICATE_WORDS:
        (node->phrase.count == 1 ? explain_word : explain_phrase)(page, &node->phrase, out);
        break;
    case PREDICATE_TITLE:
        buf_printf(out, "the title is '%s'", conf_show(page->title).text);
        break;
    case PREDICATE_URL:
        explain_url(predicate, node->regex, page, out);
        break;
    case PREDICATE_HOST:
        buf_printf(out, "the host is %s", page->url.href.p ? conf_show(url_host(&page->url)).text : "unknown");
        break;
    case PREDICATE_LANG:
        buf_printf(out, "the language is %s", page->lang.len ? conf_show(page->lang).text : "unknown");
        break;
    case PREDICATE_COMPARE:
        explain_compare(node, input, out);
        break;
    case PREDICATE_CONST:
        buf_addz(out, "always");
        break;
    default:
        break;
    }
}

static const char *combines(const struct predicate_node *node)
{
    switch (node->kind) {
    case PREDICATE_AND:
        return "all of:";
    case PREDICATE_OR:
        return "any of:";
    case PREDICATE_NOT:
        return "not:";
    default:
        return NULL;
    }
}

/* Every part is evaluated, also those that a verdict did not need. */
static void explain_node(const struct predicate *predicate, const struct predicate_node *node,
                         const struct predicate_input *input, int indent, struct buf *out)
{
    const char *head = combines(node);

    buf_printf(out, "%*s%-3s  ", indent, "", eval_node(predicate, node, input) ? "yes" : "no");
    if (head) {
        buf_printf(out, "%s\n", head);
    } else {
        buf_printf(out, "%s  (", conf_show(node->source).text);
        explain_reason(predicate, node, input, out);
        buf_addz(out, ")\n");
    }
    if (node->kind == PREDICATE_COMPARE) {
        explain_measure(&node->compare.left, input, indent + 5, out);
        explain_measure(&node->compare.right, input, indent + 5, out);
    }
    for (size_t i = 0; i < node->nkids; i++)
        explain_node(predicate, node->kids[i], input, indent + 5, out);
}

scent_status predicate_explain(const struct predicate *predicate, const struct predicate_input *input, struct buf *out)
{
    explain_node(predicate, predicate->root, input, 0, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}
