#include "conf/conf.h"
#include "topic/predicate_tree.h"

static void explain_word(const struct page *page, const struct lemmas *phrase, struct buf *out)
{
    uint64_t stem = lemma_stem(&phrase->items[0], lemma_lang(page->lang));
    const struct page_term *term = predicate_find_term(page, stem);

    if (term)
        buf_printf(out, "%u on the page, the first as '%s'", term->tf, conf_show(term->text).text);
    else
        buf_printf(out, "%s",
                   predicate_find_phrase(page, phrase) != PAGE_NONE ? "a stop word of the page" : "not on the page");
}

static void explain_phrase(const struct page *page, const struct lemmas *phrase, struct buf *out)
{
    uint32_t at = predicate_find_phrase(page, phrase);

    if (at == PAGE_NONE)
        buf_addz(out, "not on the page");
    else
        buf_printf(out, "from word %u of the page", at + 1);
}

static void explain_url(const struct predicate *predicate, pcre2_code *regex, const struct page *page, struct buf *out)
{
    struct str where;
    int result = page->url.href.p ? predicate_match_url(predicate, regex, page->url.href, &where) : PCRE2_ERROR_NOMATCH;

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
        [VALUE_BROWSING] = "browsing()", [VALUE_CATEGORY] = "it",
    };

    if (names[operand->value])
        buf_printf(out, "%s is %.10g", names[operand->value], predicate_operand_value(operand, input));
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
static void explain(const struct predicate *predicate, const struct predicate_node *node,
                    const struct predicate_input *input, int indent, struct buf *out)
{
    const char *head = combines(node);

    buf_printf(out, "%*s%-3s  ", indent, "", predicate_eval_node(predicate, node, input) ? "yes" : "no");
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
        explain(predicate, node->kids[i], input, indent + 5, out);
}

scent_status predicate_explain(const struct predicate *predicate, const struct predicate_input *input, struct buf *out)
{
    explain(predicate, predicate->root, input, 0, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}
