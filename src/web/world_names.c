/* The names of hosts and pages, written and read. */
#include "web/world.h"

enum { SALT_NAME = 0x51, SALT_SECTION, SALT_SECTION_WORD, SALT_SLUG };

static char *put(char *p, const struct lexicon_word *word)
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
        p = put(p, name_word(world, tongue, host->topic, hash_mix(host->key, SALT_NAME)));
        p = put_number(p, host->index % siblings);
        *p++ = '.';
        p = put(p, lexicon_plain_slug(world->lexicon, &world->lexicon->tongues[0],
                                      (uint32_t)hash_mix(hash_mix(world->spec.seed, SALT_NAME), domain)));
    } else {
        p = put(p, name_word(world, tongue, host->topic, hash_mix(host->key, SALT_NAME)));
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
    p = put(p, section_of(world, page));
    *p++ = '/';
    p = put(p, name_word(world, tongue, page->topic, key));
    *p++ = '-';
    p = put(p, name_word(world, tongue, page->topic, hash_mix(key, 1)));
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
    p = put(p, section_word(world, host, host->topic, WORLD_SECTIONS - 1));
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
