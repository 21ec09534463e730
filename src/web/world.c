#include "web/world.h"

#include <math.h>
#include <stdlib.h>

/* One salt a property: properties are independent of each other. */
enum salt {
    SALT_HOST = 0x11, SALT_PAGES, SALT_FATE, SALT_SLOW, SALT_ROBOTS, SALT_SITEMAP, SALT_LANGUAGE, SALT_MINOR,
    SALT_TOPIC, SALT_KIND, SALT_HUB, SALT_ABSOLUTE, SALT_TUNNEL, SALT_TUNNEL_HOST
};

/* The hosts of a way, as a share of another topic's: most pages of its topic shall be tunnels. */
static const double way_size = 0.05;

uint64_t world_goals(const struct world *world)
{
    return world->spec.topics - world->spec.tunnel_ways;
}

static void set_odds(const struct webspec *spec, struct world_odds *odds)
{
    double kinds[6] = {spec->errors, spec->redirect_loops, spec->redirects, spec->duplicates, spec->near_duplicates,
                       spec->other_types};
    double sum = 0, holders = (1 - spec->tunnel_share) * (double)spec->pages_per_host * fmax(spec->site_focus, 0.01);

    *odds = (struct world_odds){
        .site_focus = dice_odds(spec->site_focus), .locality = dice_odds(spec->locality),
        .hub_locality = dice_odds(spec->hub_locality), .cohesion = dice_odds(spec->cohesion),
        .affinity = dice_odds(spec->affinity), .external = dice_odds(spec->external), .hubs = dice_odds(spec->hubs),
        .entrance = dice_odds(fmin(1, spec->tunnel_entrances * spec->tunnel_share / holders)),
        .lead = dice_odds(spec->tunnel_lead), .along = dice_odds(spec->tunnel_along),
        .nofollow = dice_odds(spec->nofollow), .tracking = dice_odds(spec->tracking),
        .topic_words = dice_odds(spec->topic_words), .overlap = dice_odds(spec->overlap),
        .context = dice_odds(spec->context), .anchor_noise = dice_odds(spec->anchor_noise),
        .url_evidence = dice_odds(spec->url_evidence), .large = dice_odds(spec->large_share),
        .slow = dice_odds(spec->slow_share), .dead = dice_odds(spec->dead_hosts), .trap = dice_odds(spec->traps),
        .robots = dice_odds(spec->robots_share), .sitemap = dice_odds(spec->sitemaps), .gzip = dice_odds(spec->gzip),
        .charset = dice_odds(spec->charsets),
    };
    for (int i = 0; i < 6; i++)
        odds->kinds[i] = dice_odds(sum += kinds[i]);
}

static double size_of_topic(const struct world *world, uint64_t topic)
{
    return pow((double)topic + 1, -world->spec.topic_skew) * (topic < world_goals(world) ? 1 : way_size);
}

/* Every topic gets at least one host, and at least one that is not hidden. */
static void divide_hosts(struct world *world)
{
    const struct webspec *spec = &world->spec;
    double total = 0, seen = 0;
    uint64_t spare = spec->hosts - spec->topics;

    for (uint64_t t = 0; t < spec->topics; t++)
        total += size_of_topic(world, t);
    for (uint64_t t = 0; t < spec->topics; t++) {
        world->topic_start[t] = t + (uint64_t)((double)spare * (seen / total));
        seen += size_of_topic(world, t);
    }
    world->topic_start[spec->topics] = spec->hosts;
    for (uint64_t t = 0; t < spec->topics; t++) {
        uint64_t count = world->topic_start[t + 1] - world->topic_start[t];
        uint64_t hidden = (uint64_t)((double)count * spec->tunnel_share);

        /* A tunnel runs through another topic; where there is only one, nothing can be hidden. */
        bool tunnels = spec->topics > 1 && spec->tunnel_length > 0 && t < world_goals(world);

        world->topic_hidden[t] = world->topic_start[t + 1] - (tunnels && hidden < count ? hidden : 0);
    }
}

scent_status world_new(const struct webspec *spec, struct world **out)
{
    struct world *world = calloc(1, sizeof *world);
    double share = 0;

    SCENT_BUG_IF(!world);
    world->spec = *spec;
    world->topic_start = calloc(spec->topics + 1, sizeof *world->topic_start);
    world->topic_hidden = calloc(spec->topics, sizeof *world->topic_hidden);
    if (!world->topic_start || !world->topic_hidden || lexicon_new(spec, &world->lexicon) != SCENT_OK) {
        world_free(world);
        return SCENT_E_NOMEM;
    }
    set_odds(spec, &world->odds);
    divide_hosts(world);
    for (size_t i = 0; i < spec->language_count; i++)
        world->language_end[i] = dice_odds(share += spec->languages[i].share);
    *out = world;
    return SCENT_OK;
}

void world_free(struct world *world)
{
    if (!world)
        return;
    lexicon_free(world->lexicon);
    free(world->topic_start);
    free(world->topic_hidden);
    free(world);
}

/* ---- hosts ---- */

uint32_t world_topic_of(const struct world *world, uint64_t host)
{
    uint32_t low = 0, high = (uint32_t)world->spec.topics;

    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;

        if (world->topic_start[middle] <= host)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Pareto with exponent 4/3, cut at a hundred times the mean: the inverse needs square roots only, which are the same on
 * every machine. The least is a quarter of the mean, a little more to make up for the cut. */
static uint64_t draw_pages(uint64_t key, uint64_t mean)
{
    double u = ((double)(hash_mix(key, SALT_PAGES) >> 11) + 1) * 0x1.0p-53, root = sqrt(u);
    double pages = 0.278 * (double)mean / (root * sqrt(root)) + 0.5;

    pages = pages > 100.0 * (double)mean ? 100.0 * (double)mean : pages;
    return pages < 1 ? 1 : (uint64_t)pages;
}

void world_host(const struct world *world, uint64_t index, struct world_host *out)
{
    out->index = index;
    out->key = hash_mix(hash_mix(world->spec.seed, SALT_HOST), index);
    out->topic = world_topic_of(world, index);
    out->pages = draw_pages(out->key, world->spec.pages_per_host);
}

enum world_host_kind world_host_kind(const struct world *world, const struct world_host *host)
{
    uint64_t fate = hash_mix(host->key, SALT_FATE);

    if (dice_hit(fate, world->odds.dead))
        return HOST_REFUSES + fate % 4;
    if (dice_hit(fate, world->odds.dead + world->odds.trap))
        return HOST_CALENDAR + fate % 3;
    return HOST_FINE;
}

bool world_host_is_slow(const struct world *world, const struct world_host *host)
{
    return dice_hit(hash_mix(host->key, SALT_SLOW), world->odds.slow);
}

bool world_host_is_hidden(const struct world *world, const struct world_host *host)
{
    return host->index >= world->topic_hidden[host->topic];
}

bool world_host_has_robots(const struct world *world, const struct world_host *host)
{
    return dice_hit(hash_mix(host->key, SALT_ROBOTS), world->odds.robots);
}

bool world_host_has_sitemap(const struct world *world, const struct world_host *host)
{
    return dice_hit(hash_mix(host->key, SALT_SITEMAP), world->odds.sitemap);
}

const struct lexicon_tongue *world_host_tongue(const struct world *world, const struct world_host *host)
{
    uint64_t roll = hash_mix(host->key, SALT_LANGUAGE) >> 32;
    size_t i = 0;

    while (i + 1 < world->spec.language_count && roll >= world->language_end[i])
        i++;
    return &world->lexicon->tongues[i];
}

/* ---- pages ---- */

/* The first side topic is related to the main one, the others are any; a way is nobody's. */
uint32_t world_minor_topic(const struct world *world, const struct world_host *host, uint64_t k)
{
    uint64_t topics = world_goals(world);
    uint64_t step = k == 0 ? 1 : 1 + dice_scale(hash_mix(host->key, SALT_MINOR + (k << 8)), topics - 1);

    return (uint32_t)((host->topic + step) % topics);
}

static uint32_t topic_of_page(const struct world *world, const struct world_host *host, uint64_t number, uint64_t key)
{
    uint64_t roll;

    if (number == 0 || world->spec.topics == 1)
        return host->topic;
    roll = hash_mix(key, SALT_TOPIC);
    if (dice_hit(roll, world->odds.site_focus))
        return host->topic;
    return world_minor_topic(world, host, dice_scale(roll << 32, WORLD_MINORS));
}

uint32_t world_page_topic(const struct world *world, const struct world_host *host, uint64_t number)
{
    return topic_of_page(world, host, number, hash_mix(host->key, number));
}

static enum world_page_kind kind_of_page(const struct world *world, const struct world_page *page)
{
    static const enum world_page_kind kinds[] = {PAGE_ERROR, PAGE_LOOP, PAGE_REDIRECT, PAGE_COPY, PAGE_NEAR_COPY};
    uint64_t roll = hash_mix(page->key, SALT_KIND);

    if (page->number != 0 && dice_hit(roll, world->odds.kinds[5])) {
        for (int i = 0; i < 5; i++) {
            if (dice_hit(roll, world->odds.kinds[i]))
                return kinds[i];
        }
        return roll & 1 ? PAGE_PDF : PAGE_PNG;
    }
    return dice_hit(hash_mix(page->key, SALT_HUB), world->odds.hubs) ? PAGE_HUB : PAGE_PLAIN;
}

void world_page(const struct world *world, const struct world_host *host, uint64_t number, struct world_page *out)
{
    out->host = *host;
    out->number = number;
    out->key = hash_mix(host->key, number);
    out->topic = topic_of_page(world, host, number, out->key);
    out->kind = kind_of_page(world, out);
    out->step = 0;
}

/* What the tunnels of a topic run through at a step: a related topic, or the topic's own ways one after another. */
static uint32_t way_of(const struct world *world, uint32_t topic, uint32_t step)
{
    uint64_t goals = world_goals(world);

    if (world->spec.tunnel_ways)
        return (uint32_t)(goals + topic * (world->spec.tunnel_ways / goals) + step - 1);
    return (uint32_t)((topic + 1) % world->spec.topics);
}

/* The host that holds a step of the tunnel to `hidden`: of the topic that it runs through, visible and not dead. */
static void tunnel_host(const struct world *world, uint64_t hidden, uint32_t step, struct world_host *out)
{
    struct dice dice = dice_of(hash_mix(world->spec.seed, hidden), SALT_TUNNEL_HOST);
    uint32_t topic = way_of(world, world_topic_of(world, hidden), step);
    uint64_t start = world->topic_start[topic], count = world->topic_hidden[topic] - start;

    for (int tries = 0; tries < 64; tries++) {
        world_host(world, start + dice_below(&dice, count), out);
        if (world_host_kind(world, out) == HOST_FINE)
            return;
    }
}

void world_tunnel(const struct world *world, uint64_t hidden, uint32_t step, struct world_page *out)
{
    tunnel_host(world, hidden, step, &out->host);
    out->number = hidden;
    out->key = hash_mix(hash_mix(world->spec.seed, SALT_TUNNEL), hidden * 16 + step);
    out->topic = out->host.topic;
    out->kind = PAGE_PLAIN;
    out->step = step;
}

bool world_page_is_absolute(const struct world_page *page)
{
    return hash_mix(page->key, SALT_ABSOLUTE) % 4 == 0;
}

bool world_page_is_html(const struct world_page *page)
{
    return page->kind == PAGE_PLAIN || page->kind == PAGE_HUB || page->kind == PAGE_COPY ||
           page->kind == PAGE_NEAR_COPY;
}

/* ---- names of hosts and pages, written and read ---- */

enum { SALT_NAME = 0x51, SALT_SECTION, SALT_SECTION_WORD, SALT_SLUG };

static char *put_word(char *p, const struct lexicon_word *word)
{
    memcpy(p, word->text, sizeof word->text);
    return p + word->len;
}

static char *put_number(char *p, uint64_t n)
{
    char digits[20];
    int len = 0;

    do
        digits[len++] = (char)('0' + n % 10);
    while (n /= 10);
    while (len)
        *p++ = digits[--len];
    return p;
}

static char *put_str(char *p, struct str s)
{
    memcpy(p, s.p, s.len);
    return p + s.len;
}

/* A word of the topic with the odds of url_evidence, else one that says nothing. */
static const struct lexicon_word *name_word(const struct world *world, const struct lexicon_tongue *tongue,
                                            uint32_t topic, uint64_t key)
{
    if (dice_hit(key, world->odds.url_evidence))
        return lexicon_topic_slug(world->lexicon, tongue, topic, (uint32_t)key);
    return lexicon_plain_slug(world->lexicon, tongue, (uint32_t)key);
}

size_t world_write_host(const struct world *world, const struct world_host *host, char out[WORLD_NAME_MAX])
{
    const struct lexicon_tongue *tongue = world_host_tongue(world, host);
    uint64_t siblings = world->spec.hosts_per_domain, domain = host->index / siblings;
    char *p = out;

    if (siblings > 1) {
        p = put_word(p, name_word(world, tongue, host->topic, hash_mix(host->key, SALT_NAME)));
        p = put_number(p, host->index % siblings);
        *p++ = '.';
        p = put_word(p, lexicon_plain_slug(world->lexicon, &world->lexicon->tongues[0],
                                      (uint32_t)hash_mix(hash_mix(world->spec.seed, SALT_NAME), domain)));
    } else {
        p = put_word(p, name_word(world, tongue, host->topic, hash_mix(host->key, SALT_NAME)));
    }
    p = put_number(p, domain);
    *p++ = '.';
    return (size_t)(put_str(p, str_of(world->spec.suffix)) - out);
}

static const struct lexicon_word *section_word(const struct world *world, const struct world_host *host, uint32_t topic,
                                               uint64_t section)
{
    uint64_t key = hash_mix(hash_mix(host->key, SALT_SECTION_WORD), (uint64_t)topic * WORLD_SECTIONS + section);

    return name_word(world, world_host_tongue(world, host), topic, key);
}

/* The last section is the one that robots.txt closes; tunnels stay open. */
static const struct lexicon_word *section_of(const struct world *world, const struct world_page *page)
{
    uint64_t sections = WORLD_SECTIONS - (page->step ? 1 : 0);

    return section_word(world, &page->host, page->topic, dice_scale(hash_mix(page->key, SALT_SECTION), sections));
}

static struct str ending(const struct world_page *page)
{
    if (page->kind == PAGE_PDF)
        return STR(".pdf");
    return page->kind == PAGE_PNG ? STR(".png") : STR(".html");
}

size_t world_write_path(const struct world *world, const struct world_page *page, char out[WORLD_PATH_MAX])
{
    const struct lexicon_tongue *tongue = world_host_tongue(world, &page->host);
    uint64_t key = hash_mix(page->key, SALT_SLUG);
    char *p = out;

    *p++ = '/';
    if (page->number == 0 && !page->step)
        return 1;
    p = put_word(p, section_of(world, page));
    *p++ = '/';
    p = put_word(p, name_word(world, tongue, page->topic, key));
    *p++ = '-';
    p = put_word(p, name_word(world, tongue, page->topic, hash_mix(key, 1)));
    *p++ = '-';
    p = put_number(p, page->number);
    if (page->step) {
        *p++ = 'x';
        p = put_number(p, page->step);
    }
    return (size_t)(put_str(p, ending(page)) - out);
}

size_t world_write_closed(const struct world *world, const struct world_host *host, char out[WORLD_PATH_MAX])
{
    char *p = out;

    *p++ = '/';
    p = put_word(p, section_word(world, host, host->topic, WORLD_SECTIONS - 1));
    *p++ = '/';
    return (size_t)(p - out);
}

/* By the text of the section, because two sections may have been given the same word. */
bool world_page_is_closed(const struct world *world, const struct world_page *page)
{
    char path[WORLD_PATH_MAX], closed[WORLD_PATH_MAX];

    if (!world_host_has_robots(world, &page->host))
        return false;
    return str_starts((struct str){path, world_write_path(world, page, path)},
                      (struct str){closed, world_write_closed(world, &page->host, closed)});
}

/* ---- reading ---- */

/* The digits at the end of *s, which are taken off. */
static bool take_number(struct str *s, uint64_t *out)
{
    size_t start = s->len;

    while (start > 0 && ascii_is_digit(s->p[start - 1]))
        start--;
    if (!str_parse_u64(str_sub(*s, start, s->len), out))
        return false;
    s->len = start;
    return true;
}

static bool take_end(struct str *s, struct str end)
{
    if (!str_ends(*s, end))
        return false;
    s->len -= end.len;
    return true;
}

bool world_find_host(const struct world *world, struct str name, struct world_host *out)
{
    uint64_t siblings = world->spec.hosts_per_domain, domain, sibling = 0;
    struct str rest = name, first;
    char written[WORLD_NAME_MAX];

    if (!take_end(&rest, str_of(world->spec.suffix)) || !take_end(&rest, STR(".")) || !take_number(&rest, &domain))
        return false;
    if (siblings > 1 && (!str_split(&rest, '.', &first) || !take_number(&first, &sibling) || sibling >= siblings))
        return false;
    if (domain > world->spec.hosts / siblings || domain * siblings + sibling >= world->spec.hosts)
        return false;
    world_host(world, domain * siblings + sibling, out);
    return str_eq(name, (struct str){written, world_write_host(world, out, written)});
}

/* "…-12" is page 12, "…-12x1" the first step of the tunnel to host 12. */
static bool find_by_number(const struct world *world, const struct world_host *host, struct str stem,
                           struct world_page *out)
{
    uint64_t number, step;

    if (!take_number(&stem, &number))
        return false;
    if (take_end(&stem, STR("x"))) {
        struct world_host hidden;

        step = number;
        if (!take_number(&stem, &number) || step < 1 || step > world->spec.tunnel_length || number >= world->spec.hosts)
            return false;
        world_host(world, number, &hidden);
        if (!world_host_is_hidden(world, &hidden))
            return false;
        world_tunnel(world, number, (uint32_t)step, out);
        return out->host.index == host->index;
    }
    if (number >= host->pages)
        return false;
    world_page(world, host, number, out);
    return true;
}

bool world_find_page(const struct world *world, const struct world_host *host, struct str path, struct world_page *out)
{
    struct str stem = path;
    char written[WORLD_PATH_MAX];

    if (str_eq(path, STR("/"))) {
        world_page(world, host, 0, out);
        return true;
    }
    if (!take_end(&stem, STR(".html")) && !take_end(&stem, STR(".pdf")) && !take_end(&stem, STR(".png")))
        return false;
    return find_by_number(world, host, stem, out) &&
           str_eq(path, (struct str){written, world_write_path(world, out, written)});
}
