/* Pages as plug-ins see them, and files that are not plug-ins. Plug-ins that are compiled: tests/crawl/libscent.py. */
#include "test.h"

#include "plugin/plugin.h"

static char text[] = "first block, second block";

static void links_have_the_block_that_they_stand_in(void **state)
{
    struct page_block blocks[] = {{.start = 0, .end = 12, .first_word = 0, .end_word = 2},
                                  {.start = 13, .end = 13, .first_word = 2, .end_word = 2},
                                  {.start = 13, .end = 25, .first_word = 2, .end_word = 4}};
    struct page_link links[] = {{.url.href = STR("http://a/1"), .anchor = STR("first"), .first_word = 0},
                                {.url.href = STR("http://a/2"), .first_word = 2},
                                {.url.href = STR("http://a/3"), .first_word = 9}};
    struct page page = {.url.href = STR("http://a/"), .text = STR(text), .blocks = blocks, .nblocks = 3, .links = links,
                        .nlinks = 3};
    const uint32_t targets[] = {5, 6, 7};
    struct scent_page shown;
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    assert_int_equal(plugin_show_page(&page, STR("what a judge sees"), targets, &arena, &shown), SCENT_OK);
    assert_int_equal(shown.size, sizeof shown);
    assert_int_equal(shown.link_size, sizeof *shown.links);
    assert_int_equal(shown.link_count, 3);
    assert_int_equal(shown.text.length, strlen("what a judge sees"));
    assert_non_null(shown.title.bytes); /* an empty text is one, too */
    assert_int_equal(shown.title.length, 0);
    assert_memory_equal(shown.links[0].around.bytes, "first block,", 12);
    assert_int_equal(shown.links[0].around.length, 12);
    assert_memory_equal(shown.links[1].around.bytes, "second block", 12);
    assert_int_equal(shown.links[2].around.length, 0); /* behind the last one */
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(shown.links[i].id, targets[i]);
    assert_int_equal(plugin_show_page(&page, STR_NONE, NULL, &arena, &shown), SCENT_OK);
    assert_int_equal(shown.links[1].id, UINT32_MAX);
    arena_release(&arena);
}

static void no_memory_is_told(void **state)
{
    struct page page = {.nlinks = 1000};
    struct scent_page shown;
    struct arena arena;

    (void)state;
    arena_init(&arena, 64);
    assert_int_equal(plugin_show_page(&page, STR_NONE, NULL, &arena, &shown), SCENT_E_NOMEM);
    arena_release(&arena);
}

static void check_refused(const char *path, const char *message)
{
    struct plugin plugin;
    struct errmsg err = {{0}};

    assert_int_equal(plugin_open_judge(path, &plugin, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, message));
    assert_null(plugin.library);
    assert_int_equal(plugin_open_strategy(path, &plugin, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, message));
    assert_null(plugin.library);
    plugin_close(&plugin);
}

static void what_is_not_a_plug_in_is_refused(void **state)
{
    (void)state;
    check_refused("./nothing.so", "cannot be loaded");
    check_refused("/dev/null", "cannot be loaded");
    check_refused("libm.so.6", "libm.so.6 is not a plug-in of this kind: it has no scent_");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_have_the_block_that_they_stand_in),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(what_is_not_a_plug_in_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
