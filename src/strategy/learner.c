#include "strategy/learner.h"

#include "base/vec.h"
#include "strategy/saved.h"

#include <math.h>
#include <stdlib.h>

void learner_release(struct learner *learner)
{
    features_release(&learner->words);
    features_release(&learner->tokens);
    linkmap_release(&learner->map);
    free(learner->lists);
}

/* From here on all that was said is said anew. All seeds are one page, of which their relevant share is relevant; the
 * share is never added to a count, so that these stay whole. */
static void learner_renew(struct learner *learner)
{
    bool seeded = learner->seeds > 0;

    learner->known.pages = learner->pages + seeded;
    learner->known.relevant = learner->relevant + (seeded ? learner->relevant_seeds / learner->seeds : 0);
    learner->now = ratios_now(&learner->known);
    for (int i = LEARNER_COUNTS - 1; learner->sibling_logs[1] == 0; i--) /* once */
        learner->sibling_logs[i] = log(i + 1);
    features_renew(&learner->words);
    features_renew(&learner->tokens);
}

/* ---- the words of parents and the tokens of a URL ---- */

static double words_of_page(struct learner *learner, uint32_t number)
{
    struct linkmap_page *page = &learner->map.pages[number];
    struct linkmap_list words;

    if (page->words_at == learner->words.moment)
        return page->words_log;
    learner->read++;
    words = linkmap_words(&learner->map, number);
    page->words_log = features_add_up(&learner->words, &learner->now, words.items, words.count);
    page->words_at = learner->words.moment;
    return page->words_log;
}

void learner_refresh(struct learner *learner, size_t pages)
{
    for (size_t i = 0; i < pages && i < learner->map.npages; i++) {
        learner->next = learner->next < learner->map.npages ? learner->next : 0;
        (void)words_of_page(learner, (uint32_t)learner->next++);
    }
}

/* A word of several parents counts once. */
static const struct learner_family *words_of_family(struct learner *learner, const struct linkmap_url *url)
{
    struct learner_family *family = &learner->family;
    struct linkmap_walk walk = {.url = url};
    size_t size = url->nparents * sizeof *url->parents, nlists = 0;
    uint32_t parent;

    if (family->moment == learner->words.moment && family->nparents == url->nparents && family->more == url->more &&
        memcmp(family->parents, url->parents, size) == 0)
        return family;
    family->moment = learner->words.moment;
    family->nparents = url->nparents;
    family->more = url->more;
    memcpy(family->parents, url->parents, size);
    while (linkmap_next_parent(&learner->map, &walk, &parent)) {
        struct linkmap_list words = linkmap_words(&learner->map, parent);

        SCENT_BUG_IF(!vec_reserve(&learner->lists, &learner->lists_room, nlists + 1, sizeof *learner->lists));
        learner->lists[nlists++] = (struct features_list){words.items, words.count};
    }
    learner->read += nlists;
    family->totals = features_total(&learner->words, &learner->now, learner->lists, nlists);
    return family;
}

static double parents_log(const struct learner *learner, const struct linkmap_url *url)
{
    double sum = 0;

    for (unsigned p = 0, nparents = url->nparents; p < nparents; p++)
        sum += learner->map.pages[url->parents[p]].words_log;
    for (uint32_t more = url->more; more; more = learner->map.more[more - 1].next)
        sum += learner->map.pages[learner->map.more[more - 1].page].words_log;
    return sum;
}

/* What parents say in common it gets once: of what they say later, it is given the same share. */
static void consider_family(struct learner *learner, struct linkmap_url *url)
{
    const struct learner_family *family = words_of_family(learner, url);
    double share = fabs(family->totals.all) > .01 ? family->totals.distinct / family->totals.all : 1;

    share = share > 1 ? 1 : share < 1. / url->linking ? 1. / url->linking : share;
    url->words_log = (float)family->totals.distinct;
    url->words_share = (float)share;
    url->parents_log = (float)parents_log(learner, url);
}

static void consider_tokens(struct learner *learner, struct linkmap_url *url)
{
    struct linkmap_list tokens = linkmap_tokens(&learner->map, url);

    url->tokens_log = (float)features_add_up(&learner->tokens, &learner->now, tokens.items, tokens.count);
}

/* (Aggarwal, 7) */
void learner_consider(struct learner *learner, struct linkmap_url *url)
{
    if (!learner->now.learns)
        return;
    linkmap_recount(&learner->map, url);
    if (url->nparents > 1)
        consider_family(learner, url);
    else if (url->nparents)
        url->words_log = (float)words_of_page(learner, url->parents[0]);
    consider_tokens(learner, url);
}

void learner_glance(struct learner *learner, struct linkmap_url *url)
{
    float now = (float)parents_log(learner, url);

    if (url->nparents == 1)
        url->words_log = now;
    else
        url->words_log += url->words_share * (now - url->parents_log);
    url->parents_log = now;
    consider_tokens(learner, url);
}

double learner_tokens_alone(struct learner *learner, const struct url *url)
{
    struct str rest = features_url_text(url);
    double sum = 0;
    uint64_t key;

    features_begin(&learner->tokens);
    for (int i = 0; i < LINKMAP_TOKENS && features_token(&rest, learner->fine, &key); i++) {
        uint32_t token = features_find(&learner->tokens, key);

        if (token != FEATURES_NONE && features_first(&learner->tokens, token))
            sum += features_value(&learner->tokens, &learner->now, token);
    }
    return sum;
}

/* ---- the four factors ---- */

static double log_of_relevant(struct learner *learner, uint32_t relevant)
{
    struct learner_log *log_ = &learner->relevant_logs[relevant];

    if (log_->at != learner->words.moment) {
        log_->value = log(relevant + learner->now.base);
        log_->at = learner->words.moment;
    }
    return log_->value;
}

/* As ratios_now_siblings(), which takes a logarithm each time. The tables are made for one page of smoothing. */
static double siblings_of(struct learner *learner, const struct linkmap_url *url)
{
    const struct ratios_now *now = &learner->now;
    double value;

    if (url->siblings >= LEARNER_COUNTS || now->smoothing != 1) {
        struct linkmap_siblings siblings = linkmap_siblings(&learner->map, url);

        return ratios_now_siblings(now, siblings.visited, siblings.relevant);
    }
    if (!now->learns || !ratios_now_siblings_tell(now, url->siblings, url->relevant_siblings))
        return 0;
    value = log_of_relevant(learner, url->relevant_siblings) - learner->sibling_logs[url->siblings] - now->log_base;
    if (value < 0 && now->siblings == RATIOS_SIBLINGS_ABOVE)
        return 0;
    if (now->clip == 0)
        return value;
    return value > now->clip ? now->clip : value < -now->clip ? -now->clip : value;
}

void learner_logs(struct learner *learner, const struct linkmap_url *url, double logs[LEARNER_FACTORS])
{
    const struct ratios_now *now = &learner->now;

    logs[LEARNER_CONTENT] = (double)url->words_log;
    logs[LEARNER_TOKENS] = (double)url->tokens_log;
    logs[LEARNER_LINKS] = ratios_now_links(now, url->linking, url->relevant);
    logs[LEARNER_SIBLINGS] = siblings_of(learner, url);
}

double learner_rank(struct learner *learner, const struct linkmap_url *url, const double weight[LEARNER_FACTORS])
{
    double sum = 0;

    sum += weight[LEARNER_CONTENT] * (double)url->words_log;
    sum += weight[LEARNER_TOKENS] * (double)url->tokens_log;
    sum += weight[LEARNER_LINKS] * ratios_now_links(&learner->now, url->linking, url->relevant);
    return sum + weight[LEARNER_SIBLINGS] * siblings_of(learner, url);
}

static void count_significant(struct learner *learner, struct features *features, struct linkmap_list list,
                          struct strategy_part *part)
{
    for (size_t i = 0; i < list.count; i++)
        if (features_first(features, list.items[i])) {
            part->count += features_value(features, &learner->now, list.items[i]) != 0;
            part->of++;
        }
}

void learner_parts(const struct learner *learner, const struct linkmap_url *url, const double logs[LEARNER_FACTORS],
                   struct strategy_part parts[LEARNER_FACTORS])
{
    static const struct strategy_part blank[LEARNER_FACTORS] = {
        {.name = "words of linking pages", .counted = "words tell", .is_log = true},
        {.name = "tokens of the URL", .counted = "tokens tell", .is_log = true},
        {.name = "linking pages", .counted = "linking pages are relevant", .is_log = true},
        {.name = "siblings", .counted = "visited siblings are relevant", .is_log = true},
    };
    struct linkmap_siblings siblings;

    for (int i = 0; i < LEARNER_FACTORS; i++) {
        parts[i] = blank[i];
        parts[i].value = logs[i];
    }
    if (!url)
        return;
    parts[LEARNER_LINKS].count = url->relevant;
    parts[LEARNER_LINKS].of = url->linking;
    siblings = linkmap_siblings(&learner->map, url);
    parts[LEARNER_SIBLINGS].count = siblings.relevant;
    parts[LEARNER_SIBLINGS].of = siblings.visited;
}

void learner_explain(struct learner *learner, struct linkmap_url *url, struct strategy_part parts[LEARNER_FACTORS])
{
    struct linkmap_walk walk = {.url = url};
    double logs[LEARNER_FACTORS];
    uint32_t parent;

    learner_consider(learner, url);
    learner_logs(learner, url, logs);
    learner_parts(learner, url, logs, parts);
    features_begin(&learner->words);
    while (linkmap_next_parent(&learner->map, &walk, &parent))
        count_significant(learner, &learner->words, linkmap_words(&learner->map, parent), &parts[LEARNER_CONTENT]);
    features_begin(&learner->tokens);
    count_significant(learner, &learner->tokens, linkmap_tokens(&learner->map, url), &parts[LEARNER_TOKENS]);
}

/* ---- learning ---- */

static bool has_tokens(const struct learner *learner, uint32_t id)
{
    const struct linkmap_url *url = learner_url(learner, id);

    return url && url->ntokens;
}

static void know_tokens(struct learner *learner, uint32_t id, const struct url *url)
{
    uint32_t tokens[LINKMAP_TOKENS];
    struct str rest = features_url_text(url);
    size_t count = 0;
    uint64_t key;

    features_begin(&learner->tokens);
    while (count < LINKMAP_TOKENS && features_token(&rest, learner->fine, &key)) {
        tokens[count] = features_number(&learner->tokens, key);
        count += features_first(&learner->tokens, tokens[count]);
    }
    linkmap_add_tokens(&learner->map, id, tokens, count);
}

static void count_features(struct features *features, struct linkmap_list list, bool relevant)
{
    for (size_t i = 0; i < list.count; i++)
        if (features_first(features, list.items[i])) {
            features->counts[list.items[i]].pages++;
            features->counts[list.items[i]].relevant += relevant;
        }
}

/* What was known of the page when it was chosen, now that it is known whether it is relevant. */
static void learn_from_page(struct learner *learner, const struct linkmap_url *url, bool relevant)
{
    struct linkmap_walk walk = {.url = url};
    uint32_t parent;

    learner->pages++;
    learner->relevant += relevant;
    features_begin(&learner->tokens);
    count_features(&learner->tokens, linkmap_tokens(&learner->map, url), relevant);
    features_begin(&learner->words);
    while (linkmap_next_parent(&learner->map, &walk, &parent))
        count_features(&learner->words, linkmap_words(&learner->map, parent), relevant);
}

static void keep_words(struct learner *learner, const struct page *page)
{
    uint64_t stems[LINKMAP_WORDS];
    size_t count = learner->map.all ? 0 : features_stems(page, stems, LINKMAP_WORDS);

    for (size_t i = 0; i < count; i++)
        linkmap_add_word(&learner->map, features_number(&learner->words, stems[i]));
    for (uint32_t i = 0; i < page->nbag && learner->map.all; i++)
        linkmap_add_word(&learner->map, features_number(&learner->words, page->bag[i].stem));
}

static void keep_links(struct learner *learner, const struct strategy_visit *visit)
{
    bool relevant = visit->judgement->relevant;

    for (uint32_t i = 0; i < visit->page->nlinks; i++) /* tokens first: they use rounds of their own */
        if (visit->targets[i] != STRATEGY_UNKNOWN && !has_tokens(learner, visit->targets[i]))
            know_tokens(learner, visit->targets[i], &visit->page->links[i].url);
    linkmap_begin(&learner->map);
    (void)linkmap_first(&learner->map, visit->id); /* a link to itself is none */
    for (uint32_t i = 0; i < visit->page->nlinks; i++) {
        uint32_t id = visit->targets[i];
        const struct linkmap_url *url;

        if (id == STRATEGY_UNKNOWN || !linkmap_first(&learner->map, id))
            continue;
        linkmap_add_child(&learner->map, id);
        url = linkmap_url(&learner->map, id);
        if (url->page)
            learner->known.links[ratios_link_kind(relevant, linkmap_is_relevant(&learner->map, url))]++;
    }
    linkmap_count_siblings(&learner->map);
}

static void consider_links(struct learner *learner, const struct strategy_visit *visit)
{
    linkmap_begin(&learner->map);
    for (uint32_t i = 0; i < visit->page->nlinks; i++) {
        uint32_t id = visit->targets[i];

        if (id != STRATEGY_UNKNOWN && linkmap_first(&learner->map, id) &&
            learner_is_candidate(linkmap_url(&learner->map, id)))
            learner_consider(learner, linkmap_url(&learner->map, id));
    }
}

bool learner_observe(struct learner *learner, const struct strategy_visit *visit, uint32_t *siblings, size_t room,
                     size_t *count)
{
    const struct linkmap_url *url;
    bool relevant = visit->judgement->relevant;

    *count = 0;
    if (linkmap_know(&learner->map, visit->id)->page)
        return false;
    if (!has_tokens(learner, visit->id))
        know_tokens(learner, visit->id, &visit->page->url);
    url = linkmap_url(&learner->map, visit->id);
    learner->known.links[ratios_link_kind(true, relevant)] += url->relevant;
    learner->known.links[ratios_link_kind(false, relevant)] += url->linking - url->relevant;
    if (visit->seed && !learner->each_seed) {
        learner->seeds++;
        learner->relevant_seeds += relevant;
    } else {
        learn_from_page(learner, url, relevant);
    }
    *count = linkmap_add_page(&learner->map, visit->id, relevant, siblings, room);
    keep_words(learner, visit->page);
    keep_links(learner, visit);
    learner_renew(learner);
    (void)words_of_page(learner, (uint32_t)learner->map.npages - 1);
    consider_links(learner, visit);
    return true;
}

/* ---- keeping ---- */

void learner_save(const struct learner *learner, struct buf *out)
{
    bytes_put_double(out, learner->known.pages);
    bytes_put_double(out, learner->known.relevant);
    for (int i = 0; i < RATIOS_LINKS; i++)
        bytes_put_double(out, learner->known.links[i]);
    bytes_put_double(out, learner->seeds);
    bytes_put_double(out, learner->relevant_seeds);
    bytes_put(out, learner->next, 8);
    features_save(&learner->words, out);
    features_save(&learner->tokens, out);
    linkmap_save(&learner->map, out);
}

void learner_load(struct learner *learner, struct bytes *in, bool older)
{
    struct ratios *known = &learner->known;

    known->pages = bytes_get_double(in);
    known->relevant = bytes_get_double(in);
    bytes_check(in, saved_is_count(known->pages) && known->relevant >= 0 && known->relevant <= known->pages,
                "it has more relevant pages than pages");
    for (int i = 0; i < RATIOS_LINKS; i++) {
        known->links[i] = bytes_get_double(in);
        bytes_check(in, saved_is_count(known->links[i]), "a count is out of range");
    }
    learner->seeds = older ? 0 : bytes_get_double(in);
    learner->relevant_seeds = older ? 0 : bytes_get_double(in);
    bytes_check(in, saved_is_count(learner->seeds) && learner->relevant_seeds >= 0 &&
                    learner->relevant_seeds <= learner->seeds, "it has more relevant seeds than seeds");
    learner->pages = known->pages - (learner->seeds > 0);
    learner->relevant = known->relevant;
    if (learner->seeds > 0) /* the share left fractions of its own */
        learner->relevant = rint((known->relevant - learner->relevant_seeds / learner->seeds) * 0x1p30) * 0x1p-30;
    bytes_check(in, learner->pages >= 0 && learner->relevant >= 0, "it has more seeds than pages");
    learner->next = bytes_get(in, 8);
    features_load(&learner->words, in);
    features_load(&learner->tokens, in);
    linkmap_load(&learner->map, in, learner->words.count, learner->tokens.count, older);
    learner_renew(learner);
}

/* ---- for other crawls ---- */

enum { LEARNED_VERSION = 2 };

/* The options that change what the counts mean. */
static const char *meaning(const struct learner *learner)
{
    return learner->fine ? "tokens: fine" : "tokens: plain";
}

scent_status learner_learned(const struct learner *learner, struct buf *out)
{
    saved_begin_learned(out, LEARNED_VERSION, meaning(learner));
    saved_put_count(out, learner->pages);
    saved_put_count(out, learner->relevant);
    saved_put_count(out, learner->seeds);
    saved_put_count(out, learner->relevant_seeds);
    for (int i = 0; i < RATIOS_LINKS; i++)
        saved_put_count(out, learner->known.links[i]);
    features_learned(&learner->words, out);
    features_learned(&learner->tokens, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* With a weight of 0 it only looks. */
static void add_learned(struct learner *learner, struct bytes *in, double weight)
{
    double pages = saved_get_count(in), relevant = saved_get_count(in);
    double seeds = saved_get_count(in), relevant_seeds = saved_get_count(in);

    bytes_check(in, relevant <= pages && relevant_seeds <= seeds, "it has more relevant pages than pages");
    learner->pages += saved_weigh(pages, weight);
    learner->relevant += saved_weigh(relevant, weight);
    learner->seeds += saved_weigh(seeds, weight);
    learner->relevant_seeds += saved_weigh(relevant_seeds, weight);
    for (int i = 0; i < RATIOS_LINKS; i++)
        learner->known.links[i] += saved_weigh(saved_get_count(in), weight);
    features_recall(&learner->words, in, weight);
    features_recall(&learner->tokens, in, weight);
}

scent_status learner_recall(struct learner *learner, struct str blob, double weight, struct errmsg *err)
{
    struct bytes in = bytes_of(blob), again;

    SCENT_TRY(saved_open_learned("intelligent", LEARNED_VERSION, meaning(learner), &in, err));
    again = in;
    add_learned(learner, &in, 0);
    SCENT_TRY(saved_end_learned("intelligent", &in, err));
    add_learned(learner, &again, weight);
    learner_renew(learner);
    return SCENT_OK;
}
