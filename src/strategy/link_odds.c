#include "strategy/link_odds.h"

#include "base/vec.h"
#include "learn/model.h"

#include <math.h>
#include <stdlib.h>

enum { AROUND = 40, /* no context reaches further from its anchor */
       WORDS = 8192 };

/* What another model made of words, or of the page at hand, is forgotten. */
static void begin_cache(struct link_odds *odds)
{
    free(odds->words);
    odds->words = NULL;
    odds->page = NULL;
    if (!model_has_sums(odds->guided.guide))
        return;
    odds->words = calloc(WORDS, sizeof *odds->words);
    SCENT_BUG_IF(!odds->words);
}

void link_odds_init(struct link_odds *odds, const struct strategy_context *context)
{
    struct errmsg err;

    *odds = (struct link_odds){0};
    aim_init(&odds->aim, context->topic, true);
    if (context->knowledge->model)
        SCENT_BUG_IF(guided_init(&odds->guided, context, &err) != SCENT_OK);
    if (odds->guided.model)
        begin_cache(odds);
}

void link_odds_adopt(struct link_odds *odds, const struct knowledge *knowledge)
{
    if (!odds->guided.model)
        return;
    guided_adopt(&odds->guided, knowledge);
    begin_cache(odds);
}

void link_odds_release(struct link_odds *odds)
{
    guided_release(&odds->guided);
    aim_release(&odds->aim);
    free(odds->words);
    free(odds->sums);
}

void link_odds_observe(struct link_odds *odds, const struct strategy_visit *visit)
{
    aim_observe(&odds->aim, visit);
}

static bool has_sums(const struct link_odds *odds)
{
    return odds->words;
}

static const struct model_sums *ask_word(const struct link_odds *odds, uint64_t stem)
{
    struct link_odds_word *word = &odds->words[stem % WORDS];

    if (word->stem != stem) {
        *word = (struct link_odds_word){.stem = stem};
        model_add_word(odds->guided.guide, stem, &word->adds);
    }
    return &word->adds;
}

/* 0, which no model knows, of a stop word. Without a branch: whether the next word is one cannot be foretold, and to
 * look all words up took 10 % less CPU time of a page, with 2 % more instructions. */
static inline uint64_t stem_of(const struct page_word *word)
{
    uint64_t is_stop = (word->flags & PAGE_WORD_STOP) / PAGE_WORD_STOP;

    return word->stem & (is_stop - 1);
}

/* Adds the words from `at` to `end` to *sums, and returns the word behind them. Locals, since the compiler reads what
 * pointers of structs lead to again for each word: of 2,000 a page. */
static uint32_t add_words(struct link_odds *odds, const struct page_word *words, uint32_t at, uint32_t end,
                          struct model_sums *sums)
{
    struct model_sums sum = *sums, *out = odds->sums;

    for (; at < end; at++) {
        const struct model_sums *adds = ask_word(odds, stem_of(&words[at]));

        out[at] = sum;
        sum.gain += adds->gain;
        sum.square += adds->square;
        sum.words += adds->words;
    }
    *sums = sum;
    return at;
}

/* Only words near a link are looked up. */
void link_odds_begin(struct link_odds *odds, const struct strategy_visit *visit)
{
    const struct page *page = visit->page;
    struct model_sums sums = {0};
    uint32_t at = 0;

    if (!has_sums(odds) || (odds->page == page && odds->number == visit->number))
        return;
    odds->page = page;
    odds->number = visit->number;
    SCENT_BUG_IF(!vec_reserve(&odds->sums, &odds->room, page->nwords + (size_t)1, sizeof *odds->sums));
    for (uint32_t i = 0; i < page->nlinks; i++) {
        uint32_t first = page->links[i].first_word, end = page->links[i].end_word;

        first = first > AROUND ? first - AROUND : 0;
        end = page->nwords - end > AROUND ? end + AROUND : page->nwords;
        for (; at < first; at++)
            odds->sums[at] = sums;
        at = add_words(odds, page->words, at, end, &sums);
    }
    odds->sums[at] = sums;
    odds->known = at;
}

static float as_third(double odds)
{
    return (float)(odds < -6 ? -2 : odds > 6 ? 2 : odds / 3);
}

static float third_of(double p)
{
    p = p < 1e-4 ? 1e-4 : p > 1 - 1e-4 ? 1 - 1e-4 : p;
    return as_third(log(p / (1 - p)));
}

static float ask(struct link_odds *odds, const struct strategy_visit *visit, struct context context)
{
    const struct model_sums *first, *end;
    struct model_sums sums;

    if (!odds->guided.model)
        return third_of(aim_context(&odds->aim, visit, context));
    if (!has_sums(odds))
        return third_of(guided_context(&odds->guided, visit->page, context));
    /* Elements of broken pages may lie elsewhere than their links. */
    end = odds->sums + (context.end < odds->known ? context.end : odds->known);
    first = odds->sums + (context.first < odds->known ? context.first : odds->known);
    sums = (struct model_sums){end->gain - first->gain, end->square - first->square, end->words - first->words};
    return as_third(model_sums_odds(odds->guided.guide, &sums));
}

void link_odds_of(struct link_odds *odds, const struct strategy_visit *visit, uint32_t link, float out[LINK_CONTEXTS])
{
    const struct page *page = visit->page;

    out[LINK_WINDOW_40] = ask(odds, visit, context_window(page, link, 40));
    out[LINK_WINDOW_10] = ask(odds, visit, context_window(page, link, 10));
    out[LINK_ANCHOR] = ask(odds, visit, context_anchor(page, link));
    out[LINK_TAG_TREE] = ask(odds, visit, context_tag_tree(page, link, 2, AROUND, false));
}

float link_odds_page(const struct link_odds *odds, const struct strategy_visit *visit)
{
    return third_of(odds->guided.model ? guided_page(visit) : visit->judgement->score);
}
