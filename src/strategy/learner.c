#include "strategy/learner.h"

#include "strategy/array.h"
#include "strategy/clues.h"
#include "strategy/counts.h"

#include <math.h>

void learner_release(struct learner *learner)
{
    evidence_release(&learner->words);
    evidence_release(&learner->tokens);
    kinship_release(&learner->kin);
}

/* From here on all that was said is said anew. */
void learner_renew(struct learner *learner)
{
    learner->now = interest_now(&learner->known);
    for (int i = LEARNER_COUNTS - 1; learner->all[1] == 0; i--) /* once */
        learner->all[i] = log(i + 1);
    evidence_renew(&learner->words);
    evidence_renew(&learner->tokens);
}

/* ---- the words of parents and the tokens of a URL ---- */

static double words_of_page(struct learner *learner, uint32_t number)
{
    struct kinship_page *page = &learner->kin.pages[number];
    struct kinship_list words;

    if (page->worth_at == learner->words.moment)
        return page->worth;
    learner->read++;
    words = kinship_words(&learner->kin, number);
    page->worth = evidence_say(&learner->words, &learner->now, words.items, words.count);
    page->worth_at = learner->words.moment;
    return page->worth;
}

void learner_refresh(struct learner *learner, size_t pages)
{
    for (size_t i = 0; i < pages && i < learner->kin.npages; i++) {
        learner->next = learner->next < learner->kin.npages ? learner->next : 0;
        (void)words_of_page(learner, (uint32_t)learner->next++);
    }
}

/* A word of several parents counts once. */
static const struct learner_family *words_of_family(struct learner *learner, const struct kinship_url *url)
{
    struct learner_family *family = &learner->family;
    struct evidence_list lists[KINSHIP_PARENTS];
    size_t size = url->nparents * sizeof *url->parents;

    if (family->moment == learner->words.moment && family->nparents == url->nparents &&
        memcmp(family->parents, url->parents, size) == 0)
        return family;
    family->moment = learner->words.moment;
    family->nparents = url->nparents;
    memcpy(family->parents, url->parents, size);
    learner->read += url->nparents;
    for (uint16_t p = 0; p < url->nparents; p++) {
        struct kinship_list words = kinship_words(&learner->kin, url->parents[p]);

        lists[p] = (struct evidence_list){words.items, words.count};
    }
    family->totals = evidence_total(&learner->words, &learner->now, lists, url->nparents);
    return family;
}

static double parents_worth(const struct learner *learner, const struct kinship_url *url)
{
    double sum = 0;

    for (uint16_t p = 0; p < url->nparents; p++)
        sum += learner->kin.pages[url->parents[p]].worth;
    return sum;
}

/* What parents say in common it gets once: of what they say later, it is given the same share. */
static void consider_family(struct learner *learner, struct kinship_url *url)
{
    const struct learner_family *family = words_of_family(learner, url);
    double share = fabs(family->totals.all) > .01 ? family->totals.distinct / family->totals.all : 1;

    share = share > 1 ? 1 : share < 1. / url->nparents ? 1. / url->nparents : share;
    url->words_worth = (float)family->totals.distinct;
    url->words_share = (float)share;
    url->parents_worth = (float)parents_worth(learner, url);
}

static void consider_tokens(struct learner *learner, struct kinship_url *url)
{
    struct kinship_list tokens = kinship_tokens(&learner->kin, url);

    url->tokens_worth = (float)evidence_say(&learner->tokens, &learner->now, tokens.items, tokens.count);
}

/* (Aggarwal, 7) */
void learner_consider(struct learner *learner, struct kinship_url *url)
{
    if (!learner->now.learns)
        return;
    if (url->nparents > 1)
        consider_family(learner, url);
    else if (url->nparents)
        url->words_worth = (float)words_of_page(learner, url->parents[0]);
    consider_tokens(learner, url);
}

void learner_glance(struct learner *learner, struct kinship_url *url)
{
    float now = (float)parents_worth(learner, url);

    if (url->nparents == 1)
        url->words_worth = now;
    else
        url->words_worth += url->words_share * (now - url->parents_worth);
    url->parents_worth = now;
    consider_tokens(learner, url);
}

double learner_stranger(struct learner *learner, const struct url *url)
{
    struct str rest = clues_text(url);
    double sum = 0;
    uint64_t key;

    evidence_begin(&learner->tokens);
    for (int i = 0; i < KINSHIP_TOKENS && clues_token(&rest, learner->fine, &key); i++) {
        uint32_t token = evidence_find(&learner->tokens, key);

        if (token != EVIDENCE_NONE && evidence_first(&learner->tokens, token))
            sum += evidence_value(&learner->tokens, &learner->now, token);
    }
    return sum;
}

/* ---- the four factors ---- */

static double log_of_good(struct learner *learner, uint32_t good)
{
    struct learner_log *log_ = &learner->good[good];

    if (log_->at != learner->words.moment) {
        log_->value = log(good + learner->now.base);
        log_->at = learner->words.moment;
    }
    return log_->value;
}

/* As interest_now_siblings(), which takes a logarithm each time. */
static double siblings_of(struct learner *learner, const struct kinship_url *url)
{
    double value;

    if (url->siblings >= LEARNER_COUNTS)
        return interest_now_siblings(&learner->now, url->siblings, url->good_siblings);
    if (!learner->now.learns || !url->siblings)
        return 0;
    value = log_of_good(learner, url->good_siblings) - learner->all[url->siblings] - learner->now.log_base;
    if (value < 0)
        return learner->now.above_only ? 0 : value < -INTEREST_CLIP ? -INTEREST_CLIP : value;
    return value > INTEREST_CLIP ? INTEREST_CLIP : value;
}

void learner_logs(struct learner *learner, const struct kinship_url *url, double logs[LEARNER_FACTORS])
{
    const struct interest_now *now = &learner->now;

    logs[LEARNER_CONTENT] = (double)url->words_worth;
    logs[LEARNER_TOKENS] = (double)url->tokens_worth;
    logs[LEARNER_LINKS] = interest_now_links(now, url->linking, url->relevant);
    logs[LEARNER_SIBLINGS] = siblings_of(learner, url);
}

static void count_telling(struct learner *learner, struct evidence *evidence, struct kinship_list facts,
                          struct strategy_part *part)
{
    for (size_t i = 0; i < facts.count; i++)
        if (evidence_first(evidence, facts.items[i])) {
            part->count += evidence_value(evidence, &learner->now, facts.items[i]) != 0;
            part->of++;
        }
}

void learner_parts(const struct kinship_url *url, const double logs[LEARNER_FACTORS],
                   struct strategy_part parts[LEARNER_FACTORS])
{
    static const struct strategy_part blank[LEARNER_FACTORS] = {
        {.name = "words of linking pages", .counted = "words tell", .is_log = true},
        {.name = "tokens of the URL", .counted = "tokens tell", .is_log = true},
        {.name = "linking pages", .counted = "linking pages are relevant", .is_log = true},
        {.name = "siblings", .counted = "visited siblings are relevant", .is_log = true},
    };

    for (int i = 0; i < LEARNER_FACTORS; i++) {
        parts[i] = blank[i];
        parts[i].value = logs[i];
    }
    if (!url)
        return;
    parts[LEARNER_LINKS].count = url->relevant;
    parts[LEARNER_LINKS].of = url->linking;
    parts[LEARNER_SIBLINGS].count = url->good_siblings;
    parts[LEARNER_SIBLINGS].of = url->siblings;
}

void learner_explain(struct learner *learner, struct kinship_url *url, struct strategy_part parts[LEARNER_FACTORS])
{
    double logs[LEARNER_FACTORS];

    learner_consider(learner, url);
    learner_logs(learner, url, logs);
    learner_parts(url, logs, parts);
    evidence_begin(&learner->words);
    for (uint16_t p = 0; p < url->nparents; p++)
        count_telling(learner, &learner->words, kinship_words(&learner->kin, url->parents[p]), &parts[LEARNER_CONTENT]);
    evidence_begin(&learner->tokens);
    count_telling(learner, &learner->tokens, kinship_tokens(&learner->kin, url), &parts[LEARNER_TOKENS]);
}

/* ---- learning ---- */

static bool has_tokens(const struct learner *learner, uint32_t id)
{
    const struct kinship_url *url = learner_url(learner, id);

    return url && url->ntokens;
}

static void know_tokens(struct learner *learner, uint32_t id, const struct url *url)
{
    uint32_t tokens[KINSHIP_TOKENS];
    struct str rest = clues_text(url);
    size_t count = 0;
    uint64_t key;

    evidence_begin(&learner->tokens);
    while (count < KINSHIP_TOKENS && clues_token(&rest, learner->fine, &key)) {
        tokens[count] = evidence_number(&learner->tokens, key);
        count += evidence_first(&learner->tokens, tokens[count]);
    }
    kinship_add_tokens(&learner->kin, id, tokens, count);
}

static void count_facts(struct evidence *evidence, struct kinship_list facts, bool relevant)
{
    for (size_t i = 0; i < facts.count; i++)
        if (evidence_first(evidence, facts.items[i])) {
            evidence->facts[facts.items[i]].pages++;
            evidence->facts[facts.items[i]].relevant += relevant;
        }
}

/* What was known of the page when it was chosen, now that it is known whether it is relevant. */
static void learn_from_page(struct learner *learner, const struct kinship_url *url, bool relevant)
{
    learner->known.pages++;
    learner->known.relevant += relevant;
    learner->known.links[interest_kind(true, relevant)] += url->relevant;
    learner->known.links[interest_kind(false, relevant)] += url->linking - url->relevant;
    evidence_begin(&learner->tokens);
    count_facts(&learner->tokens, kinship_tokens(&learner->kin, url), relevant);
    evidence_begin(&learner->words);
    for (uint16_t p = 0; p < url->nparents; p++)
        count_facts(&learner->words, kinship_words(&learner->kin, url->parents[p]), relevant);
}

static void keep_words(struct learner *learner, const struct page *page)
{
    uint64_t stems[KINSHIP_WORDS];
    size_t count = clues_stems(page, stems, KINSHIP_WORDS);

    for (size_t i = 0; i < count; i++)
        kinship_add_word(&learner->kin, evidence_number(&learner->words, stems[i]));
}

static void keep_links(struct learner *learner, const struct strategy_visit *visit)
{
    bool relevant = visit->judgement->relevant;

    for (uint32_t i = 0; i < visit->page->nlinks; i++) /* tokens first: they use rounds of their own */
        if (visit->targets[i] != STRATEGY_UNKNOWN && !has_tokens(learner, visit->targets[i]))
            know_tokens(learner, visit->targets[i], &visit->page->links[i].url);
    kinship_begin(&learner->kin);
    (void)kinship_first(&learner->kin, visit->id); /* a link to itself is none */
    for (uint32_t i = 0; i < visit->page->nlinks; i++) {
        uint32_t id = visit->targets[i];
        const struct kinship_url *url;

        if (id == STRATEGY_UNKNOWN || !kinship_first(&learner->kin, id))
            continue;
        kinship_add_child(&learner->kin, id);
        url = kinship_url(&learner->kin, id);
        if (url->page)
            learner->known.links[interest_kind(relevant, kinship_is_relevant(&learner->kin, url))]++;
    }
    kinship_count_siblings(&learner->kin);
}

static void consider_links(struct learner *learner, const struct strategy_visit *visit)
{
    kinship_begin(&learner->kin);
    for (uint32_t i = 0; i < visit->page->nlinks; i++) {
        uint32_t id = visit->targets[i];

        if (id != STRATEGY_UNKNOWN && kinship_first(&learner->kin, id) &&
            learner_is_candidate(kinship_url(&learner->kin, id)))
            learner_consider(learner, kinship_url(&learner->kin, id));
    }
}

bool learner_observe(struct learner *learner, const struct strategy_visit *visit, uint32_t *siblings, size_t room,
                     size_t *count)
{
    bool relevant = visit->judgement->relevant;

    *count = 0;
    if (kinship_know(&learner->kin, visit->id)->page)
        return false;
    if (!has_tokens(learner, visit->id))
        know_tokens(learner, visit->id, &visit->page->url);
    learn_from_page(learner, kinship_url(&learner->kin, visit->id), relevant);
    *count = kinship_add_page(&learner->kin, visit->id, relevant, siblings, room);
    keep_words(learner, visit->page);
    keep_links(learner, visit);
    learner_renew(learner);
    (void)words_of_page(learner, (uint32_t)learner->kin.npages - 1);
    consider_links(learner, visit);
    return true;
}

/* ---- keeping ---- */

struct saved {
    double pages, relevant, links[INTEREST_LINKS];
    uint64_t next;
};

void learner_save(const struct learner *learner, struct buf *out)
{
    struct saved saved = {.pages = learner->known.pages, .relevant = learner->known.relevant, .next = learner->next};

    memcpy(saved.links, learner->known.links, sizeof saved.links);
    array_put(out, &saved, sizeof saved);
    evidence_save(&learner->words, out);
    evidence_save(&learner->tokens, out);
    kinship_save(&learner->kin, out);
}

static bool is_sound(const struct saved *saved)
{
    for (int i = 0; i < INTEREST_LINKS; i++)
        if (!(saved->links[i] >= 0 && saved->links[i] <= COUNTS_MAX))
            return false;
    return saved->relevant >= 0 && saved->relevant <= saved->pages && saved->pages <= COUNTS_MAX;
}

bool learner_load(struct learner *learner, struct str *rest)
{
    struct saved saved;

    if (!array_get(rest, &saved, sizeof saved) || !is_sound(&saved) || !evidence_load(&learner->words, rest) ||
        !evidence_load(&learner->tokens, rest) ||
        !kinship_load(&learner->kin, rest, learner->words.count, learner->tokens.count))
        return false;
    learner->known.pages = saved.pages;
    learner->known.relevant = saved.relevant;
    learner->next = saved.next;
    memcpy(learner->known.links, saved.links, sizeof saved.links);
    learner_renew(learner);
    return true;
}
