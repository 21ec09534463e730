#include "engine/warnings.h"

#include "crawldir/crawldir.h"
#include "topic/query.h"
#include "training/general_pages.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const names[NWARNINGS] = {
    [WARNING_MANY] = "many", [WARNING_FEW] = "few", [WARNING_SEED] = "seed", [WARNING_QUERY] = "query",
    [WARNING_MODEL] = "model"};

void warnings_init(struct warnings *warnings, const struct log *log)
{
    *warnings = (struct warnings){.log = log};
    buf_init(&warnings->text, 0);
}

void warnings_release(struct warnings *warnings)
{
    buf_release(&warnings->text);
}

void warnings_restore(struct warnings *warnings, struct str kept)
{
    struct str line, name;

    while (str_split(&kept, '\n', &line)) {
        struct str rest = line;

        (void)str_split(&rest, ' ', &name);
        for (size_t i = 0; i < NWARNINGS; i++) {
            if (warnings->told[i] || !str_eq(name, str_of(names[i])))
                continue;
            warnings->told[i] = true;
            buf_add(&warnings->text, line);
            buf_addc(&warnings->text, '\n');
        }
    }
}

/* `where` (may be empty) goes to the log alone. */
SCENT_PRINTF(4, 5)
static void tell(struct warnings *warnings, enum warning warning, struct str where, const char *format, ...)
{
    char line[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    log_line(warnings->log, LOG_WARN, "%.*s%s%s", STR_ARG(where), where.len ? ": " : "", line);
    buf_printf(&warnings->text, "%s %s\n", names[warning], line);
    warnings->told[warning] = true;
}

static bool is_checkpoint(uint64_t pages)
{
    uint64_t times = pages / WARNINGS_PAGES;

    return times && pages % WARNINGS_PAGES == 0 && (times & (times - 1)) == 0;
}

/* ---- a judge that calls anything relevant ---- */

/* A page with these words, in any order. */
static bool fill_page(const struct text_vector *tf, struct arena *arena, struct page *page)
{
    double words = 0;

    for (size_t i = 0; i < tf->count; i++)
        words += (double)tf->items[i].weight + 1;
    page->bag = arena_array(arena, tf->count + 1, sizeof *page->bag);
    page->words = arena_array(arena, (size_t)words + 1, sizeof *page->words);
    for (size_t i = 0; page->bag && page->words && i < tf->count; i++) {
        uint64_t stem = tf->items[i].stem;
        uint32_t times = (uint32_t)((double)tf->items[i].weight + .5);

        page->bag[page->nbag++] = (struct page_term){.stem = stem, .tf = times};
        for (uint32_t k = 0; k < times; k++)
            page->words[page->nwords++] = (struct page_word){.word = stem, .stem = stem};
    }
    page->ncontent = page->nwords;
    return page->bag && page->words;
}

/* The share of pages about nothing in particular that the judge calls relevant. A crawl may well find relevant pages
 * alone; a judge that accepts these too tells nothing apart. */
static double judge_anything(const struct judge *judge, struct str lang)
{
    const struct background *background = background_for(lang);
    struct general_pages general;
    struct rng rng;
    unsigned relevant = 0;
    struct arena arena;

    if (!background)
        background = background_for(lang = STR("en"));
    SCENT_BUG_IF(!background);
    general = general_pages_of(background, 0);
    rng_seed(&rng, 1);
    arena_init(&arena, 64 << 20);
    for (int i = 0; i < WARNINGS_GENERAL; i++) {
        struct page page = {.lang = lang};
        struct judgement judgement = {0};
        struct text_vector tf;

        arena_reset(&arena);
        if (url_parse(&arena, STR("http://general.invalid/"), NULL, &page.url) == SCENT_OK &&
            general_pages_draw(&general, &rng, &arena, &tf) == SCENT_OK && fill_page(&tf, &arena, &page))
            judge_page(judge, &(struct judge_input){.page = &page, .arena = &arena}, &judgement);
        relevant += judgement.relevant;
    }
    arena_release(&arena);
    return (double)relevant / WARNINGS_GENERAL;
}

struct explanation {
    char text[300];
};

/* A topic without the key means something by it all the same. */
static struct explanation explain_default(struct str by_default)
{
    struct explanation explanation = {{0}};

    if (by_default.len)
        snprintf(explanation.text, sizeof explanation.text, " (a topic without the key 'relevant' asks for '%.*s')",
                 STR_ARG(by_default));
    return explanation;
}

static void tell_few(struct warnings *warnings, uint64_t pages, uint64_t relevant, struct str by_default)
{
    tell(warnings, WARNING_FEW, STR_NONE,
         "%" PRIu64 " of %" PRIu64 " pages are relevant%s: 'relevant' may ask for too much, or the seeds are far from "
         "the topic; ask 'scent why' about a page that should be relevant, lower the threshold, or add seeds",
         relevant, pages, explain_default(by_default).text);
}

static void look_at_share(struct warnings *warnings, const struct warnings_view *view)
{
    double share = (double)view->relevant / (double)view->pages;

    if (share > WARNINGS_MANY && !warnings->told[WARNING_MANY] &&
        (!view->judge || judge_anything(view->judge, view->lang) > WARNINGS_ANYTHING))
        tell(warnings, WARNING_MANY, STR_NONE,
             "%" PRIu64 " of %" PRIu64 " pages are relevant%s%s: 'relevant' asks for too little; look at some with "
             "'scent why', and raise its threshold or add a test", view->relevant, view->pages,
             view->judge ? ", and pages about anything else would be" : "",
             explain_default(view->by_default).text);
    if (share < WARNINGS_FEW && !warnings->told[WARNING_FEW])
        tell_few(warnings, view->pages, view->relevant, view->by_default);
}

static void look_at_query(struct warnings *warnings, const struct warnings_view *view)
{
    struct buf missing;
    size_t found, count;

    buf_init(&missing, 1024);
    count = query_missing(view->query, view->counts, view->sample, &found, &missing);
    if (found == 0)
        tell(warnings, WARNING_QUERY, STR_NONE,
             "no word of the query stands on any of the first %" PRIu64 " pages: check its spelling and its language, "
             "or begin at pages that have its words", view->counts->documents);
    else if (count)
        tell(warnings, WARNING_QUERY, STR_NONE,
             "%.*s of the query %s on none of the first %" PRIu64 " pages, and %s: check the spelling, or add a word "
             "that pages use", STR_ARG(buf_str(&missing)), count == 1 ? "stands" : "stand", view->counts->documents,
             count == 1 ? "is not a common word" : "are not common words");
    buf_release(&missing);
}

void warnings_look(struct warnings *warnings, const struct warnings_view *view, struct rows *rows)
{
    size_t before = warnings->text.len;
    struct str value;

    if (view->auc > 0 && view->auc < WARNINGS_AUC && !warnings->told[WARNING_MODEL])
        tell(warnings, WARNING_MODEL, STR_NONE, WARNINGS_AUC_TEXT, view->auc);
    if (is_checkpoint(view->pages))
        look_at_share(warnings, view);
    if (view->seed.len && !view->judgement->relevant && !warnings->told[WARNING_SEED])
        tell(warnings, WARNING_SEED, view->seed,
             "a seed is not relevant itself: ask 'scent why' about it, and take a better one or ask for less in "
             "'relevant', unless it is only a place to begin");
    if (view->query && view->counts->documents == WARNINGS_QUERY_PAGES && !warnings->told[WARNING_QUERY])
        look_at_query(warnings, view);
    if (warnings->text.len == before)
        return;
    value = arena_str(rows->arena, buf_str(&warnings->text));
    if (!value.p)
        rows->failed = true;
    else
        ROWS_ADD(rows, values, ((struct rows_value){CRAWLDIR_WARNINGS, value}));
}

bool warnings_end(struct warnings *warnings, uint64_t pages, uint64_t relevant, struct str by_default)
{
    if (pages < WARNINGS_PAGES || warnings->told[WARNING_FEW] || (double)relevant >= WARNINGS_FEW * (double)pages)
        return false;
    tell_few(warnings, pages, relevant, by_default);
    return true;
}
