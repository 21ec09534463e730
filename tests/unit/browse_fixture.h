/* browse_fixture - a small web whose distances to its useful pages are known by hand.
 *
 *   hub -> list1, list2, cheese      list1 -> goal1, goal2     list2 -> goal3
 *   cheese -> hub, curd              curd -> cheese            goal1 -> goal2, goal3 -> hub, old */
#ifndef SCENT_TESTS_BROWSE_FIXTURE_H
#define SCENT_TESTS_BROWSE_FIXTURE_H

#include "trace/browse.h"
#include "test.h"

enum { WEB_PAGES = 8 };

struct web_page {
    const char *path, *html;
    bool useful;
    uint8_t label;
};

static const struct web_page web_pages[WEB_PAGES] = {
    {"hub", "sports index index portal <a href=/list1>x</a> <a href=/list2>y</a> <a href=cheese>z</a>", false, 2},
    {"list1", "league table clubs standings <a href=goal1>a</a> <a href=goal2>b</a>", false, 1},
    {"list2", "league table clubs fixtures <a href=goal3>a</a><a href=goal3#top>again</a>", false, 1},
    {"cheese", "cheese milk rennet <a href=hub>back</a> <a href=curd>curd</a>", false, 3},
    {"curd", "cheese milk curd whey <a href=cheese>up</a> <a href=curd>itself</a>", false, 3},
    {"goal1", "hockey goal puck rink <a href=goal2>next</a>", true, 0},
    {"goal2", "hockey puck rink goalie", true, 0},
    {"goal3", "hockey goal rink skates <a href=/hub>home</a> <a href=old>itself</a>", true, 0},
};

struct web {
    struct arena arena;
    struct page pages[WEB_PAGES];
    struct browse_page input[WEB_PAGES];
};

static inline void web_analyse(struct arena *arena, const char *path, const char *html, struct page *out)
{
    struct page_analyser *analyser = page_analyser_new(&(struct page_options){0});
    struct page_input input = {.headers = STR("Content-Type: text/html; charset=utf-8\r\n")};
    struct str href = arena_printf(arena, "http://web.test/%s", path);
    struct str body = arena_printf(arena, "<html lang=en><body>%s", html);
    struct url url;

    assert_int_equal(url_parse(arena, href, NULL, &url), SCENT_OK);
    input.url = &url;
    input.body = body;
    assert_int_equal(page_analyse(analyser, &input, arena, out), SCENT_OK);
    page_analyser_free(analyser);
}

static inline void web_init(struct web *web)
{
    memset(web, 0, sizeof *web);
    arena_init(&web->arena, (size_t)1 << 30);
    for (int i = 0; i < WEB_PAGES; i++) {
        web_analyse(&web->arena, web_pages[i].path, web_pages[i].html, &web->pages[i]);
        web->input[i] = (struct browse_page){&web->pages[i], web_pages[i].useful};
    }
}

static inline struct browse *web_train(const struct web *web)
{
    struct browse_input input = {.pages = web->input, .npages = WEB_PAGES};
    struct browse_options options = browse_options_default();
    struct browse *browse;
    struct errmsg err;

    options.cluster.clusters = 4;
    assert_ok(browse_train(&input, &options, &browse, &err), err);
    return browse;
}

static inline struct browse_sense web_ask(const struct browse *browse, const struct page *page)
{
    struct text_vector tf = {malloc((page->nbag + (size_t)1) * sizeof *tf.items), page->nbag};
    struct browse_sense sense;
    struct arena arena;

    arena_init(&arena, 1 << 20);
    for (uint32_t i = 0; i < page->nbag; i++)
        tf.items[i] = (struct text_weight){page->bag[i].stem, page->bag[i].tf};
    browse_ask(browse, page, &tf, &arena, &sense);
    arena_release(&arena);
    free(tf.items);
    return sense;
}

static inline void web_release(struct web *web)
{
    arena_release(&web->arena);
}

#endif
