/* hot-queue - two queues, and the hot one first (Cho, Garcia-Molina and Page, section 6).
 *
 * A URL is hot when a topic word stands in its anchor text or in the URL itself, or when it is within 3 links of a hot
 * page. A page is hot when a topic word stands in its title, or at least 10 times in its body. Inside each queue the
 * URLs come by in-degree or by PageRank. The paper has one topic word; with several each is asked by itself [R].
 *
 * Topic words [R]: the option `words`; else the words of the topic's query; else the 10 words that speak most for the
 * topic to its classifier. They are compared by their stems in the language of the page that holds the link.
 * Priority: 1024 for the hot queue, and the in-degree or rank, up to 1023.
 * Own bytes: the page that was counted last (4), the distance to a hot page (1), whether words made it hot (1).
 * State: none by in-degree; by PageRank that of pagerank.h. */
#include "strategy/features.h"
#include "strategy/option.h"
#include "strategy/pagerank.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/vec.h"
#include "page/tag.h"
#include "topic/query.h"
#include "topic/user_text.h"

#include <math.h>
#include <stdlib.h>

enum { VERSION = 1, WORDS_MAX = 256, TELLING = 10 };
#define HOT 1024.f

struct hot_queue {
    uint32_t times, near;
    bool by_pagerank;
    struct query *given;       /* the option `words`; NULL: not given */
    const struct query *query; /* that, or the topic's; NULL: the words are the classifier's */
    uint64_t stems[WORDS_MAX]; /* sorted; of the query, in the language `lang` */
    size_t nstems;
    uint16_t lang;
    struct text_stemmer *stemmer;
    struct pagerank ranks;
    /* of the page whose links are being scored */
    uint64_t decided; /* its number */
    bool is_hot;
    uint8_t distance; /* of its links from a hot page; 0: none is near */
};

static const struct strategy_option options[] = {
    {"words", "", "the topic words, such as 'hockey rink'; without it those of the query, or of the classifier",
     OPTION_TEXT},
    {"times", "10", "a page is hot when a topic word stands in it so often, or in its title",
     OPTION_WHOLE(struct hot_queue, times, 1, 1000000)},
    {"near", "3", "URLs within so many links of a hot page are hot", OPTION_WHOLE(struct hot_queue, near, 0, 255)},
    {"by", "in-degree", "the order inside each queue: in-degree or pagerank",
     OPTION_EITHER(struct hot_queue, by_pagerank, "in-degree", "pagerank")},
    {0},
};

/* ---- topic words ---- */

/* Those that speak most for a wanted class, of all such classes. */
static void take_telling_words(struct hot_queue *hot, const struct strategy_context *context)
{
    const struct model *model = knowledge_guide(context->knowledge);
    uint32_t nclasses = model_nclasses(model);
    bool *wanted = calloc(nclasses, sizeof *wanted);
    struct model_term terms[TELLING];

    SCENT_BUG_IF(!wanted);
    knowledge_wanted_classes(context->topic, model, wanted);
    for (uint32_t c = 0; c < nclasses; c++) {
        size_t n = wanted[c] ? model_telling(model, c, terms, TELLING) : 0;

        for (size_t i = 0; i < n && hot->nstems < WORDS_MAX; i++)
            if (terms[i].weight > 0)
                hot->stems[hot->nstems++] = terms[i].stem;
    }
    qsort(hot->stems, hot->nstems, sizeof *hot->stems, order_u64);
    free(wanted);
}

static void speak(struct hot_queue *hot, struct str lang)
{
    uint16_t number = stemmed_lang(lang);

    if (!hot->query || (hot->nstems && hot->lang == number))
        return;
    hot->lang = number;
    hot->nstems = query_stems(hot->query, number, hot->stems, WORDS_MAX);
    qsort(hot->stems, hot->nstems, sizeof *hot->stems, order_u64);
}

static bool is_topic_word(const struct hot_queue *hot, uint64_t stem)
{
    return bsearch(&stem, hot->stems, hot->nstems, sizeof stem, order_u64) != NULL;
}

static bool has_topic_word(const struct hot_queue *hot, struct str text, struct str lang)
{
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX];
    size_t len;

    text_cursor_init(&cursor, text);
    while (text_next_word(&cursor, word, &len)) {
        struct str folded = {word, len};

        if (is_topic_word(hot, text_stem_hash(hot->stemmer, lang, folded, text_word_hash(folded))))
            return true;
    }
    return false;
}

static scent_status find_words(struct hot_queue *hot, const struct strategy_context *context, struct errmsg *err)
{
    struct str words = option_text(options, context->topic, "words");

    if (words.len)
        SCENT_TRY(query_parse(words, &hot->given, err));
    hot->query = hot->given ? hot->given : context->topic->query;
    if (hot->query)
        return SCENT_OK;
    if (!context->knowledge->model)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "hot-queue goes by topic words: name some (strategy: {name: hot-queue, words: …}), or give "
                           "the topic a query or examples");
    take_telling_words(hot, context);
    return SCENT_OK;
}

static void close_state(void *state)
{
    struct hot_queue *hot = state;

    query_free(hot->given);
    text_stemmer_free(hot->stemmer);
    pagerank_release(&hot->ranks);
    free(hot);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct hot_queue *hot;
    scent_status status;

    SCENT_TRY(option_new_state(context, sizeof *hot, state, err));
    hot = *state;
    hot->stemmer = text_stemmer_new();
    status = find_words(hot, context, err);
    if (status != SCENT_OK)
        close_state(hot);
    return status;
}

/* ---- hot pages ---- */

static uint32_t times_in_title(const struct page *page, uint64_t stem)
{
    uint32_t times = 0;

    for (const struct page_node *node = page->nodes; node < page->nodes + page->nnodes; node++)
        for (uint32_t i = node->first_word; node->tag == PAGE_TAG_TITLE && i < node->end_word; i++)
            times += page->words[i].stem == stem;
    return times;
}

static int order_terms(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = ((const struct page_term *)b)->stem;

    return (x > y) - (x < y);
}

static bool is_hot_page(const struct hot_queue *hot, const struct page *page)
{
    if (has_topic_word(hot, page->title, page->lang))
        return true;
    for (size_t i = 0; i < hot->nstems && page->nbag; i++) {
        const struct page_term *term = bsearch(&hot->stems[i], page->bag, page->nbag, sizeof *page->bag, order_terms);

        if (term && term->tf >= hot->times && term->tf - times_in_title(page, term->stem) >= hot->times)
            return true;
    }
    return false;
}

enum { OWN_NEAR = sizeof(uint32_t), OWN_WORDS, OWN_END };

/* At the first link and not in observe(): a copy of a page is scored without being observed. */
static void decide(struct hot_queue *hot, const struct strategy_visit *visit, uint32_t link)
{
    uint8_t own = visit->own[OWN_NEAR];

    if (link > 0 && hot->decided == visit->number)
        return;
    hot->decided = visit->number;
    speak(hot, visit->page->lang);
    hot->is_hot = is_hot_page(hot, visit->page);
    hot->distance = hot->is_hot ? (hot->near > 0) : own && own < hot->near ? (uint8_t)(own + 1) : 0;
}

/* ---- scores ---- */

static bool is_hot_url(const struct strategy_score *score)
{
    return score->own[OWN_NEAR] || score->own[OWN_WORDS];
}

static float importance_of(const struct strategy_score *score)
{
    return score->priority - (is_hot_url(score) ? HOT : 0);
}

#define WORDS_PART "a topic word in the link's text or URL (1: yes, 0: no)"
#define NEAR_PART "links from the last hot page (0: none is near)"

static void set_priority(struct strategy_score *score, float importance)
{
    score->priority = (is_hot_url(score) ? HOT : 0) + fminf(importance, HOT - 1);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct hot_queue *hot = state;
    const struct page_link *where = &visit->page->links[link];
    uint32_t page = strategy_page_name(visit);
    float importance = hot->by_pagerank ? (float)pagerank_of_target(&hot->ranks, visit->targets[link]) : 1;
    bool words;

    decide(hot, visit, link);
    words = has_topic_word(hot, features_url_text(&where->url), visit->page->lang);
    for (uint32_t i = where->first_word; i < where->end_word && !words; i++)
        words = is_topic_word(hot, visit->page->words[i].stem);
    *out = (struct strategy_score){
        .nparts = 4,
        .parts = {{.name = WORDS_PART, .value = words},
                  {.name = "its page is hot, by the title or the number of topic words (1: yes, 0: no)",
                   .value = hot->is_hot},
                  {.name = NEAR_PART, .value = hot->distance},
                  {.name = hot->by_pagerank ? PAGERANK_PART : "pages that link to it",
                   .value = (double)importance}},
    };
    memcpy(out->own, &page, sizeof page);
    out->own[OWN_NEAR] = hot->distance;
    out->own[OWN_WORDS] = words;
    set_priority(out, importance);
}

/* Hot once is hot; the shorter way from a hot page counts. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    const struct hot_queue *hot = state;
    bool same_page = memcmp(kept->own, score->own, sizeof(uint32_t)) == 0;
    float before = importance_of(kept), found = importance_of(score);
    uint8_t near = kept->own[OWN_NEAR];

    if (near && (!score->own[OWN_NEAR] || near < score->own[OWN_NEAR]))
        score->own[OWN_NEAR] = near;
    score->own[OWN_WORDS] |= kept->own[OWN_WORDS];
    set_priority(score, hot->by_pagerank ? pagerank_merge(&hot->ranks, id, before, found) : before + !same_page);
    score->parts[0].value = score->own[OWN_WORDS];
    score->parts[2].value = score->own[OWN_NEAR];
    score->parts[3].value = (double)importance_of(score);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct hot_queue *hot = state;

    if (hot->by_pagerank)
        pagerank_observe(&hot->ranks, visit);
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct hot_queue *hot = state;
    bool all = hot->ranks.stale;

    (void)ids, (void)room;
    hot->ranks.stale = false;
    return all ? STRATEGY_ALL : 0;
}

static bool rescore(void *state, uint32_t id, struct strategy_score *score)
{
    const struct hot_queue *hot = state;
    float before = score->priority;

    if (!hot->by_pagerank)
        return false;
    set_priority(score, pagerank_of(&hot->ranks, id));
    return score->priority != before;
}

/* Whether a page was hot by its title or by its words is not kept with a candidate. */
static bool explain(void *state, uint32_t id, struct strategy_score *score)
{
    const struct hot_queue *hot = state;

    if (!hot->by_pagerank)
        return false;
    if (hot->ranks.stale)
        (void)rescore(state, id, score);
    score->nparts = 3;
    score->parts[0] = (struct strategy_part){.name = WORDS_PART, .value = score->own[OWN_WORDS]};
    score->parts[1] = (struct strategy_part){.name = NEAR_PART, .value = score->own[OWN_NEAR]};
    score->parts[2] = (struct strategy_part){.name = PAGERANK_PART, .value = (double)importance_of(score)};
    return true;
}

static scent_status save(void *state, struct buf *out)
{
    const struct hot_queue *hot = state;

    buf_addc(out, VERSION);
    bytes_put(out, hot->by_pagerank, 1);
    if (hot->by_pagerank)
        pagerank_save(&hot->ranks, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct hot_queue *hot = state;
    struct bytes in;

    SCENT_TRY(saved_open("hot-queue", VERSION, blob, &in, err));
    if (bytes_check(&in, bytes_get(&in, 1) == hot->by_pagerank, "its option 'by' was another") && hot->by_pagerank)
        pagerank_load(&hot->ranks, &in);
    return saved_end("hot-queue", &in, err);
}

static const char *undivided(void *state)
{
    return ((const struct hot_queue *)state)->by_pagerank
               ? "with by: pagerank, ranks are computed over the links of all pages"
               : NULL;
}

const struct strategy_ops strategy_hot_queue = {
    .name = "hot-queue",
    .summary = "URLs with a topic word, or near a page with many, first; then the others; each by in-degree",
    .paper = "Cho, Garcia-Molina and Page 1998, Efficient Crawling Through URL Ordering",
    .idle_threshold = "the links of the seeds have the least of a queue, and others rise while these are fetched",
    .options = options,
    .own_bytes = OWN_END,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .merge = merge,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .undivided = undivided,
    .save = save,
    .load = load,
};
