#include "app/seed_pool.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "fetch/fetch.h"
#include "json/json.h"
#include "topic/judge.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>

enum { URL_ARENA = 256 << 10, PAGE_ARENA = 64 << 20, TITLE_MAX = 200, TEXT_MAX = 4096, SHOWN = 100 };

struct seed {
    struct str url, title, host;
    unsigned sources; /* a bit for each enum seed_source */
    double evidence;
    double relevance; /* NAN: not asked */
};

enum left_out { LEFT_INVALID, LEFT_SCOPE, LEFT_PRIVATE, LEFT_SECRET, LEFT_OFF_TOPIC, LEFT_HOST, LEFT_REASONS };

struct seed_pool {
    const struct seed_pool_options *options;
    struct arena arena; /* of what is kept */
    struct map map;
    struct seed *seeds;
    size_t count, room;
    uint64_t left[LEFT_REASONS];
    struct page_analyser *analyser;
    struct arena page_arena;
    struct buf words;
    double nothing; /* what the judge says about a page without words */
};

/* ---- relevance ---- */

static double judge_seed(struct seed_pool *pool, const struct page *page)
{
    struct judge_input input = {.page = page, .bytes = page->bytes, .arena = &pool->page_arena};
    struct judgement verdict;

    judge_page(pool->options->judge, &input, &verdict);
    return verdict.score;
}

/* A page of its title, of what is said about it, and of the words of its address. */
static double judge_words(struct seed_pool *pool, const struct seed_offer *offer, const struct url *url)
{
    struct str rest = url ? url_path(url) : STR_NONE, host = url ? url_host(url) : STR_NONE;
    struct page_input input = {.headers = STR("content-type: text/html; charset=utf-8\r\n")};
    struct url own;
    struct page page;

    arena_reset(&pool->page_arena);
    buf_clear(&pool->words);
    buf_addz(&pool->words, "<title>");
    escape_markup(&pool->words, str_first(offer->title, TITLE_MAX));
    buf_addz(&pool->words, "</title><p>");
    escape_markup(&pool->words, str_first(offer->title, TITLE_MAX));
    buf_addz(&pool->words, ".</p><p>");
    escape_markup(&pool->words, str_first(offer->text, TEXT_MAX));
    buf_addz(&pool->words, "</p><p>");
    for (size_t i = 0; i < host.len + rest.len; i++) {
        char c = i < host.len ? host.p[i] : rest.p[i - host.len];

        buf_addc(&pool->words, ascii_is_alpha(c) || ascii_is_digit(c) ? c : ' ');
    }
    buf_addz(&pool->words, "</p>");
    input.body = buf_str(&pool->words);
    input.url = url ? url : &own;
    if ((!url && url_parse(&pool->page_arena, STR("http://nothing.invalid/"), NULL, &own) != SCENT_OK) ||
        page_analyse(pool->analyser, &input, &pool->page_arena, &page) != SCENT_OK)
        return 0;
    return judge_seed(pool, &page);
}

static double relevance_of(struct seed_pool *pool, const struct seed_offer *offer, const struct url *url)
{
    if (!pool->options->judge)
        return NAN;
    if (!offer->page)
        return judge_words(pool, offer, url);
    arena_reset(&pool->page_arena);
    return judge_seed(pool, offer->page);
}

/* ---- which addresses can be seeds ---- */

static bool is_private_host(struct str host)
{
    static const char *const ends[] = {".local", ".localhost", ".internal", ".lan", ".home", ".intranet", ".home.arpa",
                                       ".onion", ".test", ".invalid"};
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct fetch_ip ip;

    if (fetch_ip_parse(host, &ip)) {
        memcpy(ip.len == 4 ? (void *)&v4.sin_addr : (void *)&v6.sin6_addr, ip.bytes, ip.len);
        return guard_check(FETCH_REACH_PUBLIC, ip.len == 4 ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6).range;
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (str_ends(host, str_of(ends[i])))
            return true;
    return str_find(host, '.') == host.len;
}

/* An address that only its visitor should have: a log-in, or a long query such as the token of a link in a mail. */
static bool is_secret(const struct seed_offer *offer, const struct url *url)
{
    static const char *const paths[] = {"*/login*", "*/logout*", "*/signin*", "*/signup*", "*/oauth*", "*/account*",
                                        "*/password*", "*/checkout*"};

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (str_glob(str_of(paths[i]), url_path(url)))
            return true;
    return offer->source == SEED_VISITED && url_query(url).len > 0;
}

static bool read_url(struct seed_pool *pool, const struct seed_offer *offer, struct arena *arena, struct url *out)
{
    const struct topic *topic = pool->options->topic;
    struct url parsed;

    if (url_parse(arena, offer->url, NULL, &parsed) != SCENT_OK || !url_is_absolute(parsed.href) ||
        url_has_credentials(&parsed) ||
        url_normalise(arena, &parsed, topic ? topic_url_flags(topic) : URL_STRIP_TRACKING | URL_STRIP_SESSION, out) !=
            SCENT_OK) {
        pool->left[LEFT_INVALID]++;
        return false;
    }
    if (!pool->options->allow_private && is_private_host(url_host(out))) {
        pool->left[LEFT_PRIVATE]++;
        return false;
    }
    if (is_secret(offer, out)) {
        pool->left[LEFT_SECRET]++;
        return false;
    }
    if (topic && scope_check(&topic->scope, out) != SCOPE_IN) {
        pool->left[LEFT_SCOPE]++;
        return false;
    }
    return true;
}

/* ---- the pool ---- */

struct seed_pool *seed_pool_new(const struct seed_pool_options *options)
{
    struct seed_pool *pool = calloc(1, sizeof *pool);

    SCENT_BUG_IF(!pool);
    pool->options = options;
    pool->analyser = page_analyser_new(&(struct page_options){.whole_page = true});
    arena_init(&pool->arena, (size_t)1 << 30);
    arena_init(&pool->page_arena, PAGE_ARENA);
    buf_init(&pool->words, 1 << 20);
    if (options->judge)
        pool->nothing = judge_words(pool, &(struct seed_offer){.title = STR_NONE}, NULL);
    return pool;
}

void seed_pool_free(struct seed_pool *pool)
{
    page_analyser_free(pool->analyser);
    arena_release(&pool->arena);
    arena_release(&pool->page_arena);
    buf_release(&pool->words);
    map_release(&pool->map);
    free(pool->seeds);
    free(pool);
}

static struct seed *find_seed(struct seed_pool *pool, struct str url, uint64_t hash)
{
    struct map_walk walk = map_find(&pool->map, hash);

    while (map_next(&walk))
        if (str_eq(pool->seeds[walk.value].url, url))
            return &pool->seeds[walk.value];
    return NULL;
}

static struct seed *add_seed(struct seed_pool *pool, const struct url *url, uint64_t hash)
{
    struct seed *seed;

    if (pool->count == SEED_POOL_MAX ||
        !vec_reserve(&pool->seeds, &pool->room, pool->count + 1, sizeof *pool->seeds) ||
        map_add(&pool->map, hash, (uint32_t)pool->count) != SCENT_OK)
        return NULL;
    seed = &pool->seeds[pool->count++];
    *seed = (struct seed){.url = arena_str(&pool->arena, url->href), .host = arena_str(&pool->arena, url_host(url)),
                          .relevance = NAN};
    return seed->url.p && seed->host.p ? seed : NULL;
}

scent_status seed_pool_add(struct seed_pool *pool, const struct seed_offer *offer, struct errmsg *err)
{
    struct seed *seed = NULL;
    struct arena arena;
    struct url url;
    uint64_t hash;
    bool taken;

    arena_init(&arena, URL_ARENA);
    taken = read_url(pool, offer, &arena, &url);
    if (taken) {
        struct str title = str_first(str_trim(offer->title), TITLE_MAX);
        double relevance;

        hash = hash_str(url.href, 0);
        seed = find_seed(pool, url.href, hash);
        if (!seed)
            seed = add_seed(pool, &url, hash);
        if (seed) {
            relevance = !seed->sources || title.len > seed->title.len || offer->page ? relevance_of(pool, offer, &url)
                                                                                    : seed->relevance;
            seed->relevance = fmax(seed->relevance, relevance);
            if (title.len > seed->title.len)
                seed->title = arena_str(&pool->arena, title);
            seed->sources |= 1u << offer->source;
            seed->evidence += offer->weight;
        }
    }
    arena_release(&arena);
    return taken && !seed ? errmsg_fail(err, SCENT_E_LIMIT, "more than %d addresses", SEED_POOL_MAX) : SCENT_OK;
}

/* ---- the order ---- */

static int by_merit(const void *a, const void *b)
{
    const struct seed *x = a, *y = b;

    if (!isnan(x->relevance) && x->relevance != y->relevance)
        return x->relevance < y->relevance ? 1 : -1;
    if (x->evidence != y->evidence)
        return x->evidence < y->evidence ? 1 : -1;
    if (x->url.len != y->url.len) /* the front page of a site comes before what lies in it */
        return x->url.len > y->url.len ? 1 : -1;
    return str_cmp(x->url, y->url);
}

static bool is_off_topic(const struct seed_pool *pool, const struct seed *seed)
{
    return !pool->options->all && !isnan(seed->relevance) && seed->relevance <= pool->nothing + 1e-9;
}

/* Where the candidates of its host are counted: at the first of them. */
static uint32_t *count_of_host(struct map *hosts, const struct seed *seeds, uint32_t *counts, uint32_t i)
{
    uint64_t hash = hash_str(seeds[i].host, 1);
    struct map_walk walk = map_find(hosts, hash);

    while (map_next(&walk))
        if (str_eq(seeds[walk.value].host, seeds[i].host))
            return &counts[walk.value];
    return map_add(hosts, hash, i) == SCENT_OK ? &counts[i] : NULL;
}

static void write_text(struct str text, struct buf *out)
{
    char *raw = str_dup(str_first(text, SHOWN)), shown[4 * SHOWN + 8];

    SCENT_BUG_IF(!raw);
    log_printable(raw, shown, sizeof shown);
    buf_addz(out, shown);
    free(raw);
}

static void write_reasons(const struct seed *seed, struct buf *out)
{
    static const char *const names[] = {
        [SEED_LISTED] = "listed", [SEED_BOOKMARK] = "bookmark", [SEED_VISITED] = "visited",
        [SEED_CRAWLED] = "relevant in a crawl", [SEED_ARCHIVED] = "archived", [SEED_LINKED] = "linked",
        [SEED_FOUND] = "search",
    };
    bool first = true;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (seed->sources & 1u << i) {
            buf_printf(out, "%s%s", first ? "" : ", ", names[i]);
            first = false;
        }
    }
}

static void write_json(const struct seed *seed, struct buf *out)
{
    struct json_writer w;
    struct buf reasons;

    buf_init(&reasons, 0);
    write_reasons(seed, &reasons);
    json_writer_init(&w, out);
    json_object_begin(&w);
    json_put_str(&w, "url", seed->url);
    json_put_str(&w, "title", seed->title);
    json_key(&w, "relevance");
    json_double(&w, seed->relevance);
    json_put_double(&w, "evidence", seed->evidence);
    json_put_str(&w, "from", buf_str(&reasons));
    json_object_end(&w);
    buf_addc(out, '\n');
    buf_release(&reasons);
}

/* The comment above an address has no line break: write_text() shows it as an escape. */
static void write_seed(const struct seed *seed, enum seed_form form, struct buf *out)
{
    if (form == SEED_JSON) {
        write_json(seed, out);
        return;
    }
    buf_addz(out, form == SEED_YAML ? "  # " : "# ");
    if (!isnan(seed->relevance))
        buf_printf(out, "%.3f  ", seed->relevance);
    write_reasons(seed, out);
    if (seed->title.len) {
        buf_addz(out, ": ");
        write_text(seed->title, out);
    }
    buf_addc(out, '\n');
    if (form == SEED_LIST) {
        buf_printf(out, "%.*s\n", STR_ARG(seed->url));
        return;
    }
    buf_addz(out, "  - '");
    for (size_t i = 0; i < seed->url.len; i++) {
        if (seed->url.p[i] == '\'')
            buf_addc(out, '\'');
        buf_addc(out, seed->url.p[i]);
    }
    buf_addz(out, "'\n");
}

size_t seed_pool_write(struct seed_pool *pool, size_t count, enum seed_form form, struct buf *out)
{
    uint32_t *counts = calloc(pool->count + 1, sizeof *counts);
    struct map hosts = {0};
    size_t written = 0;

    SCENT_BUG_IF(!counts);
    if (pool->count)
        qsort(pool->seeds, pool->count, sizeof *pool->seeds, by_merit);
    map_clear(&pool->map); /* their places have changed: nothing is added from now on */
    if (form == SEED_YAML)
        buf_addz(out, "seeds:\n");
    for (uint32_t i = 0; i < pool->count; i++) {
        uint32_t *of_host;

        if (is_off_topic(pool, &pool->seeds[i])) {
            pool->left[LEFT_OFF_TOPIC]++;
            continue;
        }
        of_host = count_of_host(&hosts, pool->seeds, counts, i);
        if (pool->options->per_host && of_host && (*of_host)++ >= pool->options->per_host) {
            pool->left[LEFT_HOST]++;
            continue;
        }
        if (written == count)
            break;
        write_seed(&pool->seeds[i], form, out);
        written++;
    }
    if (form == SEED_YAML && !written)
        out->len -= sizeof "seeds:\n" - 1;
    map_release(&hosts);
    free(counts);
    return written;
}

void seed_pool_report(const struct seed_pool *pool, const struct log *log)
{
    static const char *const reasons[] = {
        [LEFT_INVALID] = "are not addresses of http or https, or have a password in them",
        [LEFT_SCOPE] = "lie outside of the scope",
        [LEFT_PRIVATE] = "are hosts of a local network (--allow-private takes them)",
        [LEFT_SECRET] = "are log-ins, or visited pages with a query, which may be meant for you alone",
        [LEFT_OFF_TOPIC] = "have no word of the topic (--all keeps them)",
        [LEFT_HOST] = "are more of a host than --per-host allows",
    };

    for (size_t i = 0; i < LEFT_REASONS; i++)
        if (pool->left[i])
            log_line(log, LOG_INFO, "left out: %" PRIu64 " %s", pool->left[i], reasons[i]);
}
