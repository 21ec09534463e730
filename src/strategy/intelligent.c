/* intelligent - learns during the crawl which words of linking pages, which tokens of URLs, which links and which
 * siblings lead to the predicate, whatever it is (Aggarwal).
 *
 * A fact about a page is what was known of it when it was chosen: pages that were examined before and link to it are
 * its parents. The statistics are brought up to date with each page, before its links are scored; a score is always
 * made from all known parents. Scores of other candidates drift with the statistics: `bounded` scores the siblings of
 * a page again, and everything when the crawl has grown by a sixteenth; `never` is Figure 1 of the paper.
 *
 * State, with its bounds: the 64 most frequent stems a page and 256 of its children (4 bytes each, and 24), 8 parents
 * and 16 URL tokens a URL (56 bytes, and 4 a token), 28 to 40 bytes a distinct stem and token: at most 4 KB a page and
 * 800 bytes a URL whose tokens are all its own, 80 as a rule. Scoring a link reads 8 * 64 stems and 8 * 256 siblings
 * at most; a page re-scores 8 * 256 candidates at most, and a full pass costs all of them, some 11 times while the
 * crawl doubles. */
#include "strategy/aggarwal.h"
#include "strategy/array.h"
#include "strategy/counts.h"
#include "strategy/evidence.h"
#include "strategy/experience.h"
#include "strategy/interest.h"
#include "strategy/kinship.h"
#include "strategy/option.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

enum { VERSION = 2, PASSES = 16 };
enum { CONTENT, TOKENS, LINKS, SIBLINGS, FACTORS };
enum { NEVER, BOUNDED, ALWAYS };
enum { EQUAL, BALANCED, MANUAL };

struct factor {
    double value;       /* the log of the ratio */
    uint32_t count, of; /* words and tokens that tell, of all; relevant pages, of linking ones and visited siblings */
};

struct intelligent {
    struct interest known;
    struct evidence words, tokens;
    struct kinship kin;
    double weight[FACTORS];
    unsigned rescore, weights;
    bool fine;
    struct family {
        uint64_t pages; /* that had been examined */
        uint32_t parents[KINSHIP_PARENTS];
        uint16_t nparents;
        struct factor content, siblings;
    } family; /* the last one: most links of a page have the same parents */
    uint64_t passed; /* pages at the last full pass */
    bool all;        /* everything is stale */
    uint32_t *stale; /* ids, of which `handed` were given out */
    size_t nstale, stale_room, handed;
};

static const struct strategy_option options[] = {
    {"preset", "ours", "ours, or paper: as printed (n: relevant, siblings: above, weights: equal, rescore: never)"},
    {"significance", "2", "t: standard deviations from which a word or token counts"},
    {"n", "event", "pages that make the deviation: event (those with the word) or relevant (the relevant ones, as printed)"},
    {"tokens", "plain", "URLs are split at . and / (plain) or at all but letters and digits (fine)"},
    {"siblings", "both", "they speak for and against (both) or only for a candidate (above)"},
    {"weights", "balanced", "of the four factors: equal, balanced (by their mean size at full passes) or manual"},
    {"content", "1", "with weights: manual, of the words of linking pages"},
    {"url", "1", "with weights: manual, of the tokens of the URL"},
    {"links", "1", "with weights: manual, of the relevance of linking pages"},
    {"sibling", "1", "with weights: manual, of the relevance of siblings"},
    {"rescore", "bounded", "candidates are scored again: never, bounded or always (after each page, all of them)"},
    {0},
};

/* ---- options ---- */

static bool is_given(const struct topic *topic, const char *name)
{
    for (size_t i = 0; i < topic->noptions; i++)
        if (str_eq(topic->options[i].key, str_of(name)))
            return true;
    return false;
}

static scent_status read_choices(const struct topic *topic, struct intelligent *in, struct errmsg *err)
{
    static const struct {
        const char *name, *const words[4];
        unsigned printed;
    } choices[] = {
        {"preset", {"ours", "paper"}, 1},
        {"n", {"event", "relevant"}, 1},
        {"tokens", {"plain", "fine"}, 0},
        {"siblings", {"both", "above"}, 1},
        {"weights", {"equal", "balanced", "manual"}, EQUAL},
        {"rescore", {"never", "bounded", "always"}, NEVER},
    };
    unsigned chosen[sizeof choices / sizeof *choices];

    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        scent_status status =
            option_choice(&strategy_intelligent, topic, choices[i].name, choices[i].words, &chosen[i], err);

        if (status != SCENT_OK)
            return status;
        if (chosen[0] && !is_given(topic, choices[i].name))
            chosen[i] = choices[i].printed;
    }
    in->known.printed_n = chosen[1];
    in->fine = chosen[2];
    in->known.above_only = chosen[3];
    in->weights = chosen[4];
    in->rescore = chosen[5];
    return SCENT_OK;
}

static scent_status read_options(const struct topic *topic, struct intelligent *in, struct errmsg *err)
{
    static const char *const names[FACTORS] = {"content", "url", "links", "sibling"};
    scent_status status = read_choices(topic, in, err);

    if (status == SCENT_OK)
        status = option_double(&strategy_intelligent, topic, "significance", 0, 100, &in->known.t, err);
    for (int i = 0; i < FACTORS && status == SCENT_OK; i++) {
        status = option_double(&strategy_intelligent, topic, names[i], 0, 1000, &in->weight[i], err);
        if (status == SCENT_OK && in->weights != MANUAL) {
            if (is_given(topic, names[i]))
                return errmsg_fail(err, SCENT_E_INVALID, "intelligent: %s is a weight; it needs weights: manual",
                                   names[i]);
            in->weight[i] = 1;
        }
    }
    return status;
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct intelligent *in = calloc(1, sizeof *in);
    scent_status status;

    SCENT_BUG_IF(!in);
    status = read_options(context->topic, in, err);
    if (status == SCENT_OK)
        *state = in;
    else
        free(in);
    return status;
}

static void close_state(void *state)
{
    struct intelligent *in = state;

    evidence_release(&in->words);
    evidence_release(&in->tokens);
    kinship_release(&in->kin);
    free(in->stale);
    free(in);
}

/* ---- the words of a page and the tokens of a URL ---- */

/* The most frequent stems; of equally frequent ones those that come first in the bag. */
static size_t frequent_stems(const struct page *page, const struct page_term **best)
{
    size_t count = 0;

    for (uint32_t i = 0; i < page->nbag; i++) {
        const struct page_term *term = &page->bag[i];
        size_t at = count;

        while (at && best[at - 1]->tf < term->tf)
            at--;
        if (at == KINSHIP_WORDS)
            continue;
        count += count < KINSHIP_WORDS;
        memmove(best + at + 1, best + at, (count - at - 1) * sizeof *best);
        best[at] = term;
    }
    return count;
}

static bool is_separator(char c, bool fine)
{
    return fine ? !ascii_is_alpha(c) && !ascii_is_digit(c) : c == '.' || c == '/';
}

/* Takes the next token off the front of *rest. */
static bool next_token(struct str *rest, bool fine, uint64_t *key)
{
    size_t from = 0, to;

    while (from < rest->len && is_separator(rest->p[from], fine))
        from++;
    to = from;
    while (to < rest->len && !is_separator(rest->p[to], fine))
        to++;
    *key = to > from ? hash_str(str_sub(*rest, from, to), 0) : 0;
    *rest = str_sub(*rest, to, rest->len);
    return to > from;
}

/* Without the scheme, which says nothing of a page, and the fragment. */
static struct str token_text(const struct url *url)
{
    return str_sub(url->href, url->host_start, url->query_end);
}

static void know_tokens(struct intelligent *in, uint32_t id, const struct url *url)
{
    struct str rest = token_text(url);
    uint64_t key;

    if (kinship_know(&in->kin, id)->ntokens)
        return;
    evidence_begin(&in->tokens);
    while (kinship_url(&in->kin, id)->ntokens < KINSHIP_TOKENS && next_token(&rest, in->fine, &key)) {
        uint32_t token = evidence_number(&in->tokens, key);

        if (evidence_first(&in->tokens, token))
            kinship_add_token(&in->kin, id, token);
    }
}

/* ---- the four factors ---- */

static double telling(const struct intelligent *in, const struct evidence *evidence, uint32_t fact)
{
    struct evidence_old sum = evidence_sum(evidence, fact);

    return interest_if_telling(&in->known, sum.pages, sum.relevant);
}

static void add_fact(struct factor *factor, double value)
{
    factor->value += value;
    factor->count += value != 0;
    factor->of++;
}

/* (Aggarwal, 7) */
static struct factor content_of(struct intelligent *in, const struct kinship_url *url)
{
    struct factor factor = {0};

    evidence_begin(&in->words);
    for (uint16_t p = 0; p < url->nparents; p++) {
        struct kinship_list words = kinship_words(&in->kin, url->parents[p]);

        for (size_t i = 0; i < words.count; i++)
            if (evidence_first(&in->words, words.items[i]))
                add_fact(&factor, telling(in, &in->words, words.items[i]));
    }
    return factor;
}

static struct factor tokens_of(const struct intelligent *in, const struct kinship_url *url)
{
    struct kinship_list tokens = kinship_tokens(&in->kin, url);
    struct factor factor = {0};

    for (size_t i = 0; i < tokens.count; i++)
        add_fact(&factor, telling(in, &in->tokens, tokens.items[i]));
    return factor;
}

static struct factor siblings_of(struct intelligent *in, const struct kinship_url *url)
{
    struct factor factor = {0};

    kinship_begin(&in->kin);
    for (uint16_t p = 0; p < url->nparents; p++) {
        struct kinship_list children = kinship_children(&in->kin, url->parents[p]);

        for (size_t i = 0; i < children.count; i++) {
            const struct kinship_url *child = kinship_url(&in->kin, children.items[i]);

            if (!child->page || !kinship_first(&in->kin, children.items[i]))
                continue;
            factor.of++;
            factor.count += kinship_is_relevant(&in->kin, child);
        }
    }
    factor.value = interest_of_siblings(&in->known, factor.of, factor.count);
    return factor;
}

static const struct family *family_of(struct intelligent *in, const struct kinship_url *url)
{
    struct family *family = &in->family;
    size_t size = url->nparents * sizeof *url->parents;

    if (family->pages == in->kin.npages && family->nparents == url->nparents &&
        memcmp(family->parents, url->parents, size) == 0)
        return family;
    family->pages = in->kin.npages;
    family->nparents = url->nparents;
    memcpy(family->parents, url->parents, size);
    family->content = content_of(in, url);
    family->siblings = siblings_of(in, url);
    return family;
}

static void factors_of(struct intelligent *in, const struct kinship_url *url, struct factor *factors)
{
    memset(factors, 0, FACTORS * sizeof *factors);
    if (!interest_can_learn(&in->known))
        return;
    factors[CONTENT] = family_of(in, url)->content;
    factors[TOKENS] = tokens_of(in, url);
    factors[LINKS].value = interest_of_links(&in->known, url->linking, url->relevant);
    factors[LINKS].count = url->relevant;
    factors[LINKS].of = url->linking;
    factors[SIBLINGS] = family_of(in, url)->siblings;
}

static float weighted(const struct intelligent *in, const struct factor *factors)
{
    double sum = 0;

    for (int i = 0; i < FACTORS; i++)
        sum += in->weight[i] * factors[i].value;
    return (float)sum;
}

/* Each factor by its mean size over the candidates: a product over hundreds of words must not drown the others. */
static void balance(struct intelligent *in)
{
    double sums[FACTORS] = {0}, candidates = 0;
    struct factor factors[FACTORS];

    for (size_t id = 0; id < in->kin.nurls; id++) {
        const struct kinship_url *url = &in->kin.urls[id];

        if (url->page || !url->linking)
            continue;
        factors_of(in, url, factors);
        candidates++;
        for (int i = 0; i < FACTORS; i++)
            sums[i] += fabs(factors[i].value);
    }
    for (int i = 0; i < FACTORS; i++)
        in->weight[i] = sums[i] > 0 ? candidates / sums[i] : 1;
}

/* ---- learning ---- */

static void count_fact(struct evidence *evidence, uint32_t fact, bool relevant)
{
    evidence->facts[fact].pages++;
    evidence->facts[fact].relevant += relevant;
}

/* What was known of the page when it was chosen, now that it is known whether it is relevant. */
static void learn_from_page(struct intelligent *in, const struct kinship_url *url, bool relevant)
{
    struct kinship_list tokens = kinship_tokens(&in->kin, url);

    in->known.pages++;
    in->known.relevant += relevant;
    in->known.links[interest_kind(true, relevant)] += url->relevant;
    in->known.links[interest_kind(false, relevant)] += url->linking - url->relevant;
    for (size_t i = 0; i < tokens.count; i++)
        count_fact(&in->tokens, tokens.items[i], relevant);
    evidence_begin(&in->words);
    for (uint16_t p = 0; p < url->nparents; p++) {
        struct kinship_list words = kinship_words(&in->kin, url->parents[p]);

        for (size_t i = 0; i < words.count; i++)
            if (evidence_first(&in->words, words.items[i]))
                count_fact(&in->words, words.items[i], relevant);
    }
}

static void keep_words(struct intelligent *in, const struct page *page)
{
    const struct page_term *best[KINSHIP_WORDS];
    size_t count = frequent_stems(page, best);

    for (size_t i = 0; i < count; i++)
        kinship_add_word(&in->kin, evidence_number(&in->words, best[i]->stem));
}

static void keep_links(struct intelligent *in, const struct strategy_visit *visit)
{
    bool relevant = visit->judgement->relevant;

    for (uint32_t i = 0; i < visit->page->nlinks; i++) /* tokens first: they use rounds of their own */
        if (visit->targets[i] != STRATEGY_UNKNOWN)
            know_tokens(in, visit->targets[i], &visit->page->links[i].url);
    kinship_begin(&in->kin);
    (void)kinship_first(&in->kin, visit->id); /* a link to itself is none */
    for (uint32_t i = 0; i < visit->page->nlinks; i++) {
        uint32_t id = visit->targets[i];
        const struct kinship_url *url;

        if (id == STRATEGY_UNKNOWN || !kinship_first(&in->kin, id))
            continue;
        kinship_add_child(&in->kin, id);
        url = kinship_url(&in->kin, id);
        if (url->page)
            in->known.links[interest_kind(relevant, kinship_is_relevant(&in->kin, url))]++;
    }
}

/* The unvisited children of the page's parents. Its own links are scored anyway. */
static void note_siblings(struct intelligent *in, uint32_t id)
{
    const struct kinship_url *url = kinship_url(&in->kin, id);

    kinship_begin(&in->kin);
    for (uint16_t p = 0; p < url->nparents; p++) {
        struct kinship_list children = kinship_children(&in->kin, url->parents[p]);

        in->stale = array_grow(in->stale, &in->stale_room, in->nstale + children.count, sizeof *in->stale);
        for (size_t i = 0; i < children.count; i++)
            if (!kinship_url(&in->kin, children.items[i])->page && kinship_first(&in->kin, children.items[i]))
                in->stale[in->nstale++] = children.items[i];
    }
}

static void note_stale(struct intelligent *in, uint32_t id)
{
    bool pass = in->rescore == ALWAYS || in->kin.npages * PASSES >= in->passed * (PASSES + 1);

    in->nstale = in->handed = 0;
    if (in->rescore == NEVER)
        return;
    if (!pass) {
        note_siblings(in, id);
        return;
    }
    in->passed = in->kin.npages;
    in->all = true;
    if (in->weights == BALANCED)
        balance(in);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct intelligent *in = state;
    bool relevant = visit->judgement->relevant;

    if (kinship_know(&in->kin, visit->id)->page)
        return;
    know_tokens(in, visit->id, &visit->page->url);
    learn_from_page(in, kinship_url(&in->kin, visit->id), relevant);
    kinship_add_page(&in->kin, visit->id, relevant);
    keep_words(in, visit->page);
    keep_links(in, visit);
    note_stale(in, visit->id);
}

/* ---- scoring ---- */

/* Of a URL that only copies of pages name: they are not observed, so there is nothing but its tokens. */
static struct factor tokens_of_stranger(struct intelligent *in, const struct url *url)
{
    struct str rest = token_text(url);
    struct factor factor = {0};
    uint64_t key;

    evidence_begin(&in->tokens);
    for (int i = 0; i < KINSHIP_TOKENS && next_token(&rest, in->fine, &key); i++) {
        uint32_t token = evidence_find(&in->tokens, key);

        if (token == EVIDENCE_NONE)
            factor.of++;
        else if (evidence_first(&in->tokens, token))
            add_fact(&factor, telling(in, &in->tokens, token));
    }
    return factor;
}

static void tell(const struct intelligent *in, const struct factor *factors, struct strategy_score *out)
{
    static const char *const names[FACTORS][2] = {
        {"words of linking pages", "words tell"},
        {"tokens of the URL", "tokens tell"},
        {"linking pages", "linking pages are relevant"},
        {"siblings", "visited siblings are relevant"},
    };

    out->priority = weighted(in, factors);
    out->nparts = FACTORS;
    for (int i = 0; i < FACTORS; i++)
        out->parts[i] = (struct strategy_part){.name = names[i][0], .counted = names[i][1], .value = factors[i].value,
                                               .count = factors[i].count, .of = factors[i].of,
                                               .weight = (float)in->weight[i], .is_log = true};
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct intelligent *in = state;
    const struct kinship_url *url = kinship_url(&in->kin, visit->targets[link]);
    struct factor factors[FACTORS] = {0};

    if (url)
        factors_of(in, url, factors);
    if (!url || !url->ntokens)
        factors[TOKENS] = tokens_of_stranger(in, &visit->page->links[link].url);
    *out = (struct strategy_score){0};
    tell(in, factors, out);
}

/* The new score is made from all known parents already. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score_)
{
    (void)state, (void)id, (void)kept, (void)score_;
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct intelligent *in = state;
    size_t count = in->nstale - in->handed;

    if (in->all) {
        in->all = false;
        return STRATEGY_ALL;
    }
    count = count < room ? count : room;
    if (count)
        memcpy(ids, in->stale + in->handed, count * sizeof *ids);
    in->handed += count;
    return count;
}

static bool explain(void *state, uint32_t id, struct strategy_score *kept)
{
    struct intelligent *in = state;
    const struct kinship_url *url = kinship_url(&in->kin, id);
    struct factor factors[FACTORS];

    if (!url || !url->linking)
        return false;
    factors_of(in, url, factors);
    tell(in, factors, kept);
    return true;
}

static bool rescore(void *state, uint32_t id, struct strategy_score *kept)
{
    float before = kept->priority;

    return explain(state, id, kept) && kept->priority != before;
}

/* ---- keeping ---- */

struct saved {
    double pages, relevant, links[INTEREST_LINKS];
    uint64_t passed;
    double weight[FACTORS];
};

static scent_status save(void *state, struct buf *out)
{
    const struct intelligent *in = state;
    struct saved saved = {.pages = in->known.pages, .relevant = in->known.relevant, .passed = in->passed};

    memcpy(saved.links, in->known.links, sizeof saved.links);
    memcpy(saved.weight, in->weight, sizeof saved.weight);
    buf_addc(out, VERSION);
    array_put(out, &saved, sizeof saved);
    evidence_save(&in->words, out);
    evidence_save(&in->tokens, out);
    kinship_save(&in->kin, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static bool is_sound(const struct saved *saved)
{
    for (int i = 0; i < FACTORS; i++)
        if (!(saved->weight[i] >= 0 && isfinite(saved->weight[i])))
            return false;
    for (int i = 0; i < INTEREST_LINKS; i++)
        if (!(saved->links[i] >= 0 && saved->links[i] <= COUNTS_MAX))
            return false;
    return saved->relevant >= 0 && saved->relevant <= saved->pages && saved->pages <= COUNTS_MAX;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct intelligent *in = state;
    struct saved saved;

    if (blob.len < 1 || blob.p[0] != VERSION)
        return errmsg_fail(err, SCENT_E_VERSION, "the state of intelligent is of another version");
    if (blob.len < 1 + sizeof saved)
        return errmsg_fail(err, SCENT_E_FORMAT, "the state of intelligent is damaged");
    memcpy(&saved, blob.p + 1, sizeof saved);
    blob = str_sub(blob, 1 + sizeof saved, blob.len);
    if (!is_sound(&saved) || !evidence_load(&in->words, &blob) || !evidence_load(&in->tokens, &blob) ||
        !kinship_load(&in->kin, &blob, in->words.count, in->tokens.count) || blob.len ||
        saved.passed > in->kin.npages)
        return errmsg_fail(err, SCENT_E_FORMAT, "the state of intelligent is damaged");
    in->known.pages = saved.pages;
    in->known.relevant = saved.relevant;
    in->passed = saved.passed;
    memcpy(in->known.links, saved.links, sizeof saved.links);
    if (in->weights == BALANCED)
        memcpy(in->weight, saved.weight, sizeof saved.weight);
    in->all = in->rescore != NEVER; /* scores that drifted are not kept with the candidates */
    return SCENT_OK;
}

/* ---- for other crawls ---- */

static struct experience experience_of(struct intelligent *in)
{
    return (struct experience){"intelligent", in->fine ? "tokens: fine" : "tokens: plain", &in->known, &in->words,
                               &in->tokens};
}

static scent_status learned(void *state, struct buf *out)
{
    struct experience experience = experience_of(state);

    return experience_learned(&experience, out);
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct experience experience = experience_of(state);

    return experience_recall(&experience, blob, weight, err);
}

const struct strategy_ops strategy_intelligent = {
    .name = "intelligent",
    .summary = "learns which words, URL tokens, links and siblings lead to relevant pages",
    .paper = "Aggarwal, On Learning Strategies for Topic Specific Web Crawling",
    .options = options,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .merge = merge,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .save = save,
    .load = load,
    .learned = learned,
    .recall = recall,
};
