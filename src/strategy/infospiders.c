/* infospiders - a population of agents that search the web side by side, live on what they find, and learn (Menczer and
 * Belew 2000, Adaptive Retrieval Agents: Internalizing Local Context and Scaling up to the Web).
 *
 * An agent has words that it looks for, a neural net, energy, and a list of links of the pages that it visited. The net
 * reads the words near a link: in_k = the sum over the occurrences of word k of 1/distance, at most 50 words before and
 * behind the anchor. A link is estimated as v net + (1 - v) sim, where sim is the cosine of the agent's words and the
 * page that holds the link. The agent takes a link of its list with probability e^(b estimate), in proportion. The page
 * that it finds trains the net towards sim + m max(net of the page's links) (Q-learning), and gives energy: sim - cost.
 * Above q the agent divides: the child has half of the energy, a net that is a little different, and one more word, the
 * most frequent of the page. Below 0 the agent dies. A generation is a batch: every agent takes one link.
 *
 * Where the papers are silent [R]: the words come from the query, else the 8 that speak most for the topic's model,
 * else the most frequent of the first seed. The net is one unit, tanh, with weights that begin between 0 and 1. The
 * cost is .03. The last agent does not die. The links that agents have chosen come first; where none can be fetched
 * (politeness, failures) the best estimates are fetched, and their pages belong to the agent that found them, or to one
 * without links. An agent whose page does not come for a while chooses again.
 *
 * All chance comes from the seed and the number of draws so far. Memory: 4 KB an agent, at most AGENTS of them; nothing
 * grows with the crawl. Work: 10 operations a word of the page, some a link and occurrence, 4,000 a page. */
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/hash.h"
#include "base/rng.h"
#include "base/vec.h"
#include "learn/model.h"
#include "page/context.h"
#include "topic/query.h"
#include "topic/user_text.h"

#include <math.h>
#include <stdlib.h>

enum {
    VERSION = 1,
    AGENTS = 50,
    WORDS = 12,      /* of an agent */
    FIRST_WORDS = 8, /* of the first agents */
    LIST = 64,       /* links of an agent */
    WINDOW = 100,    /* words around a link */
    PATIENCE = 64,   /* pages for which an agent waits, and 4 an agent */
    TRIES = 8        /* links that an agent chooses in vain, a page */
};
#define RATE .1     /* of learning */
#define MUTATION .25
#define CHOSEN 2.f  /* the priority of the links that agents have chosen: above every estimate */

struct entry {
    uint32_t target;
    float estimate, in[WORDS];
};

struct agent {
    uint32_t born; /* 1, 2, …: its name */
    double energy;
    uint32_t nwords;
    uint64_t words[WORDS];
    float wish[WORDS];        /* how much each word matters in sim */
    float weights[WORDS + 1]; /* of the net; the last is its bias */
    uint32_t nlist;
    struct entry list[LIST];
    struct entry next; /* the link that it has chosen; STRATEGY_UNKNOWN: none */
    bool queued;       /* it is known to be a candidate */
    uint64_t since;    /* the page at which it was chosen */
};

/* What a candidate keeps. */
struct kept {
    uint32_t born; /* the agent that found it */
    float estimate, sim, net;
};
_Static_assert(sizeof(struct kept) == STRATEGY_OWN_BYTES, "a candidate keeps all of it");

struct spiders {
    uint32_t start, most;
    double beta, mix, ahead, divide, cost;
    const struct query *query;
    const struct model *model;
    bool *wanted;
    uint64_t seed, draws;
    uint32_t births, nagents;
    struct agent agents[AGENTS];
    uint64_t pages; /* observed */
    bool all_stale;
    uint32_t released[2 * AGENTS]; /* no longer chosen: their priority falls back */
    uint32_t nreleased, tries;
    /* the links of the page that was observed last */
    uint64_t shown;
    struct kept *links;
    size_t link_room;
    float *in;
    size_t in_room;
    struct hit {
        uint32_t at, word;
    } *hits; /* where the agent's words stand */
    size_t nhits, hit_room;
};

static const struct strategy_option options[] = {
    {"agents", "8", "agents at the beginning", OPTION_WHOLE(struct spiders, start, 1, AGENTS)},
    {"most", "50", "agents at most", OPTION_WHOLE(struct spiders, most, 1, AGENTS)},
    {"beta", "5", "b: how strongly an agent prefers the best links; 0: it chooses at random",
     OPTION_NUMBER(struct spiders, beta, 0, 100)},
    {"mix", "0.5", "v: the weight of the net against the likeness of the page",
     OPTION_NUMBER(struct spiders, mix, 0, 1)},
    {"ahead", "0.5", "m: the weight of what lies behind a page when the net learns",
     OPTION_NUMBER(struct spiders, ahead, 0, .99)},
    {"divide", "2", "q: the energy above which an agent divides; it begins with half of it",
     OPTION_NUMBER(struct spiders, divide, .01, 1000)},
    {"cost", "0.03", "the energy that a page costs", OPTION_NUMBER(struct spiders, cost, 0, 1)},
    {0},
};

static void draw(struct spiders *spiders, struct rng *rng)
{
    rng_seed(rng, hash_mix(spiders->seed, ++spiders->draws));
}

/* ---- the first agents ---- */

/* The most frequent stems of a page, without those that are there already. */
static uint32_t add_frequent(const struct page *page, uint64_t *words, float *wish, uint32_t count, uint32_t room)
{
    while (count < room) {
        const struct page_term *best = NULL;

        for (uint32_t i = 0; i < page->nbag; i++) {
            bool known = false;

            for (uint32_t k = 0; k < count; k++)
                known |= words[k] == page->bag[i].stem;
            if (!known && (!best || page->bag[i].tf > best->tf))
                best = &page->bag[i];
        }
        if (!best)
            return count;
        wish[count] = 1;
        words[count++] = best->stem;
    }
    return count;
}

static uint32_t find_words(const struct spiders *spiders, const struct page *page, uint64_t *words, float *wish)
{
    struct model_term terms[FIRST_WORDS];
    uint32_t count = 0, class = 0;

    if (spiders->query)
        count = (uint32_t)query_stems(spiders->query, stemmed_lang(page->lang), words, FIRST_WORDS);
    for (uint32_t i = 0; i < count; i++)
        wish[i] = 1;
    if (count == 0 && spiders->model) {
        while (class + 1 < model_nclasses(spiders->model) && !spiders->wanted[class])
            class++;
        count = (uint32_t)model_telling(spiders->model, class, terms, FIRST_WORDS);
        for (uint32_t i = 0; i < count; i++) {
            words[i] = terms[i].stem;
            wish[i] = (float)(terms[i].weight / terms[0].weight);
        }
    }
    return count ? count : add_frequent(page, words, wish, 0, FIRST_WORDS);
}

static void wake(struct spiders *spiders, const struct page *page)
{
    struct agent first = {.energy = spiders->divide / 2, .next = {.target = STRATEGY_UNKNOWN}};
    struct rng rng;

    first.nwords = find_words(spiders, page, first.words, first.wish);
    draw(spiders, &rng);
    for (; spiders->nagents < spiders->start; spiders->nagents++) {
        struct agent *agent = &spiders->agents[spiders->nagents];

        *agent = first;
        agent->born = ++spiders->births;
        for (uint32_t k = 0; k < WORDS; k++)
            agent->weights[k] = (float)rng_unit(&rng);
    }
}

/* ---- an agent and a page ---- */

/* The cosine of its words and the page's. */
static double likeness(const struct agent *agent, const struct page *page)
{
    double dot = 0, norm = 0, wish = 0;

    for (uint32_t k = 0; k < agent->nwords; k++)
        wish += (double)agent->wish[k] * (double)agent->wish[k];
    for (uint32_t i = 0; i < page->nbag; i++) {
        norm += (double)page->bag[i].tf * page->bag[i].tf;
        for (uint32_t k = 0; k < agent->nwords; k++)
            if (page->bag[i].stem == agent->words[k])
                dot += (double)agent->wish[k] * page->bag[i].tf;
    }
    return dot > 0 ? dot / sqrt(norm * wish) : 0;
}

static double net_of(const struct agent *agent, const float *in)
{
    double sum = (double)agent->weights[WORDS];

    for (uint32_t k = 0; k < agent->nwords; k++)
        sum += (double)agent->weights[k] * (double)in[k];
    return tanh(sum);
}

static void find_hits(struct spiders *spiders, const struct agent *agent, const struct page *page)
{
    spiders->nhits = 0;
    for (uint32_t i = 0; i < page->nwords; i++)
        for (uint32_t k = 0; k < agent->nwords; k++)
            if (page->words[i].stem == agent->words[k]) {
                SCENT_BUG_IF(!vec_reserve(&spiders->hits, &spiders->hit_room, spiders->nhits + 1,
                                          sizeof *spiders->hits));
                spiders->hits[spiders->nhits++] = (struct hit){i, k};
            }
}

/* in_k of a link. */
static void read_link(const struct spiders *spiders, const struct page *page, uint32_t link, float *in)
{
    struct context anchor = context_anchor(page, link), around = context_window(page, link, WINDOW);
    size_t low = 0, high = spiders->nhits;

    memset(in, 0, WORDS * sizeof *in);
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (spiders->hits[middle].at < around.first)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < spiders->nhits && spiders->hits[low].at < around.end; low++) {
        uint32_t at = spiders->hits[low].at;
        uint32_t distance = at < anchor.first ? anchor.first - at : at >= anchor.end ? at - anchor.end + 1 : 1;

        in[spiders->hits[low].word] += 1 / (float)distance;
    }
}

/* The net answers `target` a little more. */
static void teach(struct agent *agent, const float *in, double target)
{
    double out = net_of(agent, in), step = RATE * (target - out) * (1 - out * out);

    for (uint32_t k = 0; k < agent->nwords; k++)
        agent->weights[k] += (float)(step * (double)in[k]);
    agent->weights[WORDS] += (float)step;
}

/* ---- lists ---- */

static void list_link(struct agent *agent, uint32_t target, float estimate, const float *in)
{
    struct entry *worst = NULL;

    for (uint32_t i = 0; i < agent->nlist; i++) {
        struct entry *entry = &agent->list[i];

        if (entry->target == target) {
            worst = entry;
            break;
        }
        if (agent->nlist == LIST && (!worst || entry->estimate < worst->estimate))
            worst = entry;
    }
    if (agent->nlist < LIST && !worst)
        worst = &agent->list[agent->nlist++];
    else if (!(estimate > worst->estimate))
        return;
    *worst = (struct entry){.target = target, .estimate = estimate};
    memcpy(worst->in, in, sizeof worst->in);
}

static bool unlist(struct agent *agent, uint32_t target, struct entry *out)
{
    for (uint32_t i = 0; i < agent->nlist; i++)
        if (agent->list[i].target == target) {
            *out = agent->list[i];
            agent->list[i] = agent->list[--agent->nlist];
            return true;
        }
    return false;
}

static void release(struct spiders *spiders, struct agent *agent)
{
    if (agent->next.target != STRATEGY_UNKNOWN && spiders->nreleased < 2 * AGENTS)
        spiders->released[spiders->nreleased++] = agent->next.target;
    agent->next.target = STRATEGY_UNKNOWN;
}

/* ---- a page ---- */

/* Whose page it is: of the agent that chose it, that found it, that has nothing to do, or of any. Seeds go round. */
static struct agent *owner_of(struct spiders *spiders, const struct strategy_visit *visit)
{
    uint32_t born;

    memcpy(&born, visit->own, sizeof born);
    for (uint32_t i = 0; i < spiders->nagents && !visit->seed; i++)
        if (spiders->agents[i].next.target == visit->id)
            return &spiders->agents[i];
    for (uint32_t i = 0; i < spiders->nagents && !visit->seed; i++)
        if (spiders->agents[i].born == born)
            return &spiders->agents[i];
    for (uint32_t i = 0; i < spiders->nagents; i++)
        if (spiders->agents[i].nlist == 0 && spiders->agents[i].next.target == STRATEGY_UNKNOWN)
            return &spiders->agents[i];
    return &spiders->agents[spiders->pages % spiders->nagents];
}

/* The inputs that led to the page; nobody chooses it any more. */
static bool take_inputs(struct spiders *spiders, const struct agent *owner, uint32_t id, float *in)
{
    bool found = false;

    for (uint32_t i = 0; i < spiders->nagents; i++) {
        struct agent *agent = &spiders->agents[i];
        struct entry entry;
        bool listed = unlist(agent, id, &entry);

        if (agent->next.target == id) {
            entry = agent->next;
            agent->next.target = STRATEGY_UNKNOWN;
            listed = true;
        }
        if (listed && agent == owner) {
            memcpy(in, entry.in, sizeof entry.in);
            found = true;
        }
    }
    return found;
}

static void divide(struct spiders *spiders, struct agent *parent, const struct page *page)
{
    struct agent *child = &spiders->agents[spiders->nagents];
    uint32_t before = parent->nwords, weakest = 0;
    struct rng rng;

    parent->energy /= 2;
    *child = *parent;
    child->born = ++spiders->births;
    child->next.target = STRATEGY_UNKNOWN;
    spiders->nagents++;
    draw(spiders, &rng);
    for (uint32_t k = 0; k <= WORDS; k++)
        child->weights[k] += (float)(MUTATION * (2 * rng_unit(&rng) - 1));
    if (before == WORDS) { /* the new word takes the place of the one that says least */
        for (uint32_t k = 1; k < WORDS; k++)
            if (fabsf(child->weights[k]) < fabsf(child->weights[weakest]))
                weakest = k;
        child->words[weakest] = child->words[WORDS - 1];
        child->wish[weakest] = child->wish[WORDS - 1];
        child->weights[weakest] = child->weights[WORDS - 1];
        for (uint32_t i = 0; i < child->nlist; i++)
            child->list[i].in[weakest] = child->list[i].in[WORDS - 1];
        before--;
    }
    child->nwords = add_frequent(page, child->words, child->wish, before, before + 1);
    for (uint32_t i = 0; i < child->nlist && child->nwords > before; i++)
        child->list[i].in[before] = 0; /* nobody has looked for it there */
    if (child->nwords > before)
        child->weights[before] = (float)rng_unit(&rng);
}

static void live(struct spiders *spiders, struct agent *agent, const struct page *page, double sim)
{
    size_t at = (size_t)(agent - spiders->agents);

    agent->energy += sim - spiders->cost;
    if (agent->energy > spiders->divide && spiders->nagents < spiders->most)
        divide(spiders, agent, page);
    if (agent->energy >= 0)
        return;
    if (spiders->nagents == 1) {
        agent->energy = 0;
        return;
    }
    release(spiders, agent);
    memmove(agent, agent + 1, (spiders->nagents - at - 1) * sizeof *agent);
    spiders->nagents--;
}

static void give_up_waiting(struct spiders *spiders)
{
    for (uint32_t i = 0; i < spiders->nagents; i++) {
        struct agent *agent = &spiders->agents[i];

        if (agent->next.target != STRATEGY_UNKNOWN &&
            spiders->pages - agent->since > PATIENCE + 4 * (uint64_t)spiders->nagents)
            release(spiders, agent);
    }
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct spiders *spiders = state;
    const struct page *page = visit->page;
    struct agent *agent;
    double sim, best = 0;
    float in[WORDS];

    spiders->pages++;
    spiders->tries = 0;
    if (spiders->nagents == 0)
        wake(spiders, page);
    agent = owner_of(spiders, visit);
    sim = likeness(agent, page);
    find_hits(spiders, agent, page);
    SCENT_BUG_IF(!vec_reserve(&spiders->links, &spiders->link_room, page->nlinks + (size_t)1, sizeof *spiders->links));
    SCENT_BUG_IF(!vec_reserve(&spiders->in, &spiders->in_room, (page->nlinks + (size_t)1) * WORDS,
                              sizeof *spiders->in));
    for (uint32_t i = 0; i < page->nlinks; i++) {
        float *of_link = spiders->in + (size_t)i * WORDS;

        read_link(spiders, page, i, of_link);
        best = fmax(best, net_of(agent, of_link));
    }
    if (take_inputs(spiders, agent, visit->id, in))
        teach(agent, in, sim + spiders->ahead * best);
    for (uint32_t i = 0; i < page->nlinks; i++) {
        const float *of_link = spiders->in + (size_t)i * WORDS;
        double net = net_of(agent, of_link);
        struct kept *link = &spiders->links[i];

        *link = (struct kept){agent->born, (float)(spiders->mix * net + (1 - spiders->mix) * sim), (float)sim,
                              (float)net};
        if (visit->targets[i] != STRATEGY_UNKNOWN && visit->targets[i] != visit->id)
            list_link(agent, visit->targets[i], link->estimate, of_link);
    }
    spiders->shown = visit->number;
    live(spiders, agent, page, sim);
    give_up_waiting(spiders);
}

/* ---- choices ---- */

/* A link of the list, drawn by e^(b estimate). */
static void choose(struct spiders *spiders, struct agent *agent)
{
    double sum = 0, at;
    struct rng rng;
    uint32_t i = 0;

    if (agent->nlist == 0)
        return;
    draw(spiders, &rng);
    for (uint32_t k = 0; k < agent->nlist; k++)
        sum += exp(spiders->beta * (double)agent->list[k].estimate);
    at = rng_unit(&rng) * sum;
    for (; i + 1 < agent->nlist; i++) {
        at -= exp(spiders->beta * (double)agent->list[i].estimate);
        if (at < 0)
            break;
    }
    agent->next = agent->list[i];
    agent->list[i] = agent->list[--agent->nlist];
    agent->queued = false;
    agent->since = spiders->pages;
}

static bool is_chosen(const struct spiders *spiders, uint32_t id)
{
    for (uint32_t i = 0; i < spiders->nagents; i++)
        if (spiders->agents[i].next.target == id)
            return true;
    return false;
}

/* Agents that have no link choose one. Whether it is a candidate at all they see by rescore(): where that is not called
 * for it, they choose again, for which the answer fills `room` with repetitions. */
static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct spiders *spiders = state;
    size_t count = 0;

    if (spiders->all_stale) {
        spiders->all_stale = false;
        spiders->nreleased = 0;
        return STRATEGY_ALL;
    }
    while (spiders->nreleased && count < room)
        ids[count++] = spiders->released[--spiders->nreleased];
    for (uint32_t i = 0; i < spiders->nagents && count < room && spiders->tries < TRIES; i++) {
        struct agent *agent = &spiders->agents[i];

        if (agent->next.target != STRATEGY_UNKNOWN && agent->queued)
            continue;
        agent->next.target = STRATEGY_UNKNOWN;
        choose(spiders, agent);
        if (agent->next.target != STRATEGY_UNKNOWN)
            ids[count++] = agent->next.target;
    }
    spiders->tries++;
    for (size_t n = count; n && count < room; count++)
        ids[count] = ids[count - n];
    return count;
}

/* ---- scores ---- */

static void tell(const struct spiders *spiders, uint32_t id, struct kept kept, struct strategy_score *out)
{
    bool chosen = is_chosen(spiders, id);

    out->priority = chosen ? CHOSEN : kept.estimate;
    out->nparts = chosen ? 3 : 2;
    out->parts[0] = (struct strategy_part){.name = "likeness of its page to the words of the agent",
                                           .value = (double)kept.sim,
                                           .weight = (float)(1 - spiders->mix)};
    out->parts[1] = (struct strategy_part){.name = "what the agent has learned of words near links",
                                           .value = (double)kept.net,
                                           .weight = (float)spiders->mix};
    out->parts[2] = (struct strategy_part){.name = "an agent has chosen it as its next page",
                                           .value = (double)(CHOSEN - kept.estimate),
                                           .weight = 1};
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct spiders *spiders = state;
    struct kept kept = {0};

    if (spiders->shown == visit->number) /* else it is a copy of another page, and nobody reads it */
        kept = spiders->links[link];
    *out = (struct strategy_score){0};
    memcpy(out->own, &kept, sizeof kept);
    tell(spiders, visit->targets[link], kept, out);
}

static bool explain(void *state, uint32_t id, struct strategy_score *out)
{
    struct kept kept;

    memcpy(&kept, out->own, sizeof kept);
    tell(state, id, kept, out);
    return true;
}

static bool rescore(void *state, uint32_t id, struct strategy_score *out)
{
    struct spiders *spiders = state;
    float before = out->priority;

    for (uint32_t i = 0; i < spiders->nagents; i++)
        if (spiders->agents[i].next.target == id)
            spiders->agents[i].queued = true;
    return explain(state, id, out) && out->priority != before;
}

static uint32_t batch(void *state)
{
    return ((struct spiders *)state)->nagents;
}

/* ---- keeping ---- */

static void put_entry(const struct agent *agent, const struct entry *entry, struct buf *out)
{
    bytes_put(out, entry->target, 4);
    bytes_put_float(out, entry->estimate);
    saved_put_array(out, entry->in, agent->nwords, sizeof *entry->in);
}

static void get_entry(const struct agent *agent, struct entry *entry, struct bytes *in)
{
    *entry = (struct entry){.target = (uint32_t)bytes_get(in, 4)};
    entry->estimate = bytes_get_float(in);
    saved_get_array(in, entry->in, agent->nwords, sizeof *entry->in);
    for (uint32_t k = 0; k < agent->nwords; k++)
        bytes_check(in, isfinite(entry->in[k]), "a link is out of range");
}

static scent_status save(void *state, struct buf *out)
{
    const struct spiders *spiders = state;

    bytes_put(out, VERSION, 1);
    bytes_put(out, spiders->draws, 8);
    bytes_put(out, spiders->pages, 8);
    bytes_put(out, spiders->births, 4);
    bytes_put(out, spiders->nagents, 4);
    for (uint32_t i = 0; i < spiders->nagents; i++) {
        const struct agent *agent = &spiders->agents[i];

        bytes_put(out, agent->born, 4);
        bytes_put_double(out, agent->energy);
        bytes_put(out, agent->nwords, 1);
        saved_put_array(out, agent->words, agent->nwords, sizeof *agent->words);
        for (uint32_t k = 0; k < agent->nwords; k++)
            bytes_put_float(out, agent->wish[k]);
        for (uint32_t k = 0; k <= WORDS; k++)
            bytes_put_float(out, agent->weights[k]);
        bytes_put(out, agent->nlist, 1);
        for (uint32_t k = 0; k < agent->nlist; k++)
            put_entry(agent, &agent->list[k], out);
        put_entry(agent, &agent->next, out);
        bytes_put(out, agent->queued, 1);
        bytes_put(out, agent->since, 8);
    }
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static void load_agent(struct agent *agent, struct bytes *in)
{
    agent->born = (uint32_t)bytes_get(in, 4);
    agent->energy = bytes_get_double(in);
    agent->nwords = (uint32_t)bytes_get(in, 1);
    if (!bytes_check(in, agent->nwords <= WORDS, "an agent has too many words"))
        agent->nwords = 0;
    saved_get_array(in, agent->words, agent->nwords, sizeof *agent->words);
    for (uint32_t k = 0; k < agent->nwords; k++)
        agent->wish[k] = bytes_get_float(in);
    for (uint32_t k = 0; k <= WORDS; k++)
        agent->weights[k] = bytes_get_float(in);
    agent->nlist = (uint32_t)bytes_get(in, 1);
    if (!bytes_check(in, agent->nlist <= LIST, "an agent has too many links"))
        agent->nlist = 0;
    for (uint32_t k = 0; k < agent->nlist; k++)
        get_entry(agent, &agent->list[k], in);
    get_entry(agent, &agent->next, in);
    agent->queued = bytes_get(in, 1);
    agent->since = bytes_get(in, 8);
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct spiders *spiders = state;
    struct bytes in;

    SCENT_TRY(saved_open("infospiders", VERSION, blob, &in, err));
    spiders->draws = bytes_get(&in, 8);
    spiders->pages = bytes_get(&in, 8);
    spiders->births = (uint32_t)bytes_get(&in, 4);
    spiders->nagents = (uint32_t)bytes_get(&in, 4);
    if (!bytes_check(&in, spiders->nagents <= AGENTS, "it has too many agents"))
        spiders->nagents = 0;
    for (uint32_t i = 0; i < spiders->nagents; i++)
        load_agent(&spiders->agents[i], &in);
    spiders->all_stale = true;
    return saved_end("infospiders", &in, err);
}

/* ---- opening ---- */

static void close_state(void *state)
{
    struct spiders *spiders = state;

    free(spiders->wanted);
    free(spiders->links);
    free(spiders->in);
    free(spiders->hits);
    free(spiders);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct spiders *spiders;

    SCENT_TRY(option_new_state(context, sizeof *spiders, state, err));
    spiders = *state;
    if (spiders->most < spiders->start)
        spiders->most = spiders->start;
    spiders->seed = context->seed;
    spiders->query = context->topic->query;
    spiders->model = knowledge_guide(context->knowledge);
    if (spiders->model) {
        spiders->wanted = calloc(model_nclasses(spiders->model), sizeof *spiders->wanted);
        SCENT_BUG_IF(!spiders->wanted);
        knowledge_wanted_classes(context->topic, spiders->model, spiders->wanted);
    }
    return SCENT_OK;
}

const struct strategy_ops strategy_infospiders = {
    .name = "infospiders",
    .summary = "a population of agents that follow links by chance and learning, divide where they find much, and die",
    .paper = "Menczer and Belew 2000, Adaptive Retrieval Agents: Internalizing Local Context and Scaling up to the Web",
    .idle_threshold = "what agents have chosen is above all others",
    .options = options,
    .own_bytes = STRATEGY_OWN_BYTES,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .whole_graph = "an agent follows its links wherever they lead",
    .batch = batch,
    .save = save,
    .load = load,
};
