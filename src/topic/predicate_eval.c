#include "topic/predicate_tree.h"

const struct page_term *predicate_find_term(const struct page *page, uint64_t stem)
{
    size_t low = 0, high = page->nbag;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (page->bag[middle].stem < stem)
            low = middle + 1;
        else
            high = middle;
    }
    return low < page->nbag && page->bag[low].stem == stem ? &page->bag[low] : NULL;
}

static bool phrase_at(const struct page_word *words, const struct lemmas *phrase, uint16_t lang)
{
    for (uint32_t i = 0; i < phrase->count; i++)
        if (words[i].stem != lemma_stem(&phrase->items[i], lang))
            return false;
    return true;
}

uint32_t predicate_find_phrase(const struct page *page, const struct lemmas *phrase)
{
    uint16_t lang = lemma_lang(page->lang);
    uint64_t first = lemma_stem(&phrase->items[0], lang);

    for (uint32_t i = 0; i + (uint64_t)phrase->count <= page->nwords; i++)
        if (page->words[i].stem == first && phrase_at(page->words + i, phrase, lang))
            return i;
    return PAGE_NONE;
}

static bool eval_words(const struct lemmas *phrase, const struct page *page)
{
    uint16_t lang = lemma_lang(page->lang);
    bool scan = phrase->count > 1;

    /* The bag lacks stop words: a miss of what may be one proves nothing. */
    for (uint32_t i = 0; i < phrase->count; i++) {
        bool found = predicate_find_term(page, lemma_stem(&phrase->items[i], lang)) != NULL;

        if (!found && !phrase->items[i].maybe_stop)
            return false;
        scan |= !found;
    }
    return !scan || predicate_find_phrase(page, phrase) != PAGE_NONE;
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

static bool eval_title(const struct lemmas *phrase, const struct page *page)
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
    return predicate_find_phrase(&view, phrase) != PAGE_NONE;
}

int predicate_match_url(const struct predicate *predicate, pcre2_code *regex, struct str href, struct str *where)
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

    return page->url.href.p && predicate_match_url(predicate, regex, page->url.href, &where) >= 0;
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

double predicate_operand_value(const struct predicate_operand *operand, const struct predicate_input *input)
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

static bool eval_chain(const struct predicate *predicate, const struct predicate_node *node,
                       const struct predicate_input *input)
{
    bool decides = node->kind == PREDICATE_OR;

    for (size_t i = 0; i < node->nkids; i++)
        if (predicate_eval_node(predicate, node->cheap[i], input) == decides)
            return decides;
    return !decides;
}

bool predicate_eval_node(const struct predicate *predicate, const struct predicate_node *node,
                         const struct predicate_input *input)
{
    switch (node->kind) {
    case PREDICATE_CONST:
        return node->truth;
    case PREDICATE_AND:
    case PREDICATE_OR:
        return eval_chain(predicate, node, input);
    case PREDICATE_NOT:
        return !predicate_eval_node(predicate, node->kids[0], input);
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
        return predicate_compare(node->compare.op, predicate_operand_value(&node->compare.left, input),
                                 predicate_operand_value(&node->compare.right, input));
    }
    return false;
}

bool predicate_eval(const struct predicate *predicate, const struct predicate_input *input)
{
    return predicate_eval_node(predicate, predicate->root, input);
}
