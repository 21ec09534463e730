/* Small generated webs for tests, and a look at the links of their pages. */
#ifndef SCENT_TESTS_WEB_SAMPLE_H
#define SCENT_TESTS_WEB_SAMPLE_H

#include "test.h"

#include "http/http.h"
#include "url/url.h"
#include "web/linkage.h"
#include "web/web.h"
#include "web/world.h"

/* Nothing goes wrong here, and every answer is plain text; add keys as needed. */
#define SAMPLE_CALM                                                                                    \
    "duplicates: 0\nnear_duplicates: 0\nredirects: 0\nredirect_loops: 0\nerrors: 0\nother_types: 0\n" \
    "dead_hosts: 0\ntraps: 0\ngzip: 0\ncharsets: 0\ntracking: 0\nnofollow: 0\nlarge: {share: 0}\n"      \
    "slow_hosts: {share: 0}\n"

static inline struct web *sample_open(const char *yaml)
{
    struct errmsg err = {""};
    struct web *web;

    assert_ok(web_open_spec(str_of(yaml), "sample.yaml", &web, &err), err);
    return web;
}

static inline struct web_response sample_get(const struct web *web, struct str href, struct buf *buf)
{
    struct web_response response;
    struct errmsg err = {""};

    assert_ok(web_get(web, href, buf, &response, &err), err);
    return response;
}

/* The plan's page for an absolute URL (without query); false where it has none. */
static inline bool sample_find(const struct web *web, struct str href, struct world_page *out)
{
    struct str rest, name;
    struct world_host host;

    if (!str_starts(href, STR("http://")))
        return false;
    rest = str_sub(href, 7, href.len);
    name = str_sub(rest, 0, str_find(rest, '/'));
    rest = str_sub(rest, name.len, str_find(rest, '?'));
    return world_find_host(web_world(web), name, &host) && world_find_page(web_world(web), &host, rest, out);
}

/* The URL of a page of the plan. */
static inline struct str sample_href(const struct web *web, const struct world_page *page, struct arena *arena)
{
    char host[WORLD_NAME_MAX], path[WORLD_PATH_MAX];

    return arena_printf(arena, "http://%.*s%.*s", (int)world_write_host(web_world(web), &page->host, host), host,
                        (int)world_write_path(web_world(web), page, path), path);
}

/* Takes the next link off the front of *html, resolved; false after the last. */
static inline bool sample_link(struct str *html, const struct url *base, struct arena *arena, struct url *out)
{
    const char *at = html->len ? memmem(html->p, html->len, "<a href=\"", 9) : NULL;
    struct str value;

    if (!at)
        return false;
    *html = str_sub(*html, (size_t)(at - html->p) + 9, html->len);
    value = str_sub(*html, 0, str_find(*html, '"'));
    assert_int_equal(url_parse(arena, value, base, out), SCENT_OK);
    return true;
}

/* What stands between two marks, both of which must be there. */
static inline struct str sample_between(struct str html, const char *from, const char *to)
{
    const char *start = memmem(html.p, html.len, from, strlen(from)), *end;

    assert_non_null(start);
    end = memmem(start, html.len - (size_t)(start - html.p), to, strlen(to));
    assert_non_null(end);
    return (struct str){start, (size_t)(end - start)};
}

static inline bool sample_contains(struct str s, const char *what)
{
    return s.len && memmem(s.p, s.len, what, strlen(what)) != NULL;
}

/* Calls `check` for up to `most` pages of each host; `arena` is empty each time. */
typedef void sample_check(const struct web *web, const struct world_page *page, struct buf *buf, struct arena *arena,
                          void *ctx);
static inline void sample_each_page(const struct web *web, uint64_t most, sample_check *check, void *ctx)
{
    struct arena arena;
    struct buf buf;

    arena_init(&arena, 4 << 20);
    buf_init(&buf, 0);
    for (uint64_t index = 0; index < web_hosts(web); index++) {
        struct world_host host;
        struct world_page page;

        world_host(web_world(web), index, &host);
        for (uint64_t number = 0; number < host.pages && number < most; number++) {
            world_page(web_world(web), &host, number, &page);
            arena_reset(&arena);
            check(web, &page, &buf, &arena, ctx);
        }
    }
    buf_release(&buf);
    arena_release(&arena);
}

/* `value` is within `tolerance` of `want`; prints both when not. */
static inline void assert_near(const char *what, double value, double want, double tolerance)
{
    if (value < want - tolerance || value > want + tolerance) {
        print_error("%s: got %.4f, want %.4f +- %.4f\n", what, value, want, tolerance);
        fail();
    }
}

#endif
