/* Link contexts, worked out by hand on a small page. */
#include "page_fixture.h"

#include "page/context.h"

#include <math.h>

/* Words:  0-2 one two three | 3 four (in b) | 4-5 anchor: big link | 6-9 five six seven eight | 10-11 nine ten
 * leaves: 0 "one two three", 1 "four", 2 "big link", 3 "five six seven eight", 4 "nine ten" */
static const char HTML[] = "<html lang=en><body><p>One two three <b>four</b> <i><a href=/x>big link</a></i> five six seven eight</p>"
                           "<p>nine ten</p></body></html>";

static void assert_range(struct context got, uint32_t first, uint32_t end)
{
    if (got.first != first || got.end != end)
        fail_msg("got [%u, %u), want [%u, %u)", got.first, got.end, first, end);
}

static void windows(void **state)
{
    struct page_fixture fixture = {0};
    const struct page *page = fixture_html(&fixture, HTML);

    (void)state;
    assert_int_equal(page->nwords, 12);
    assert_range(context_anchor(page, 0), 4, 6);
    assert_range(context_window(page, 0, 4), 2, 8);
    assert_range(context_window(page, 0, 0), 4, 6);
    assert_range(context_window(page, 0, 1), 4, 6);
    /* 5 to the left are wanted, 4 are there: the fifth comes from the right, and so on until the page ends */
    assert_range(context_window(page, 0, 10), 0, 12);
    assert_range(context_window(page, 0, 1000), 0, 12);
    fixture_release(&fixture);
}

/* At one end of the page the whole window lies on the other side. */
static void edges(void **state)
{
    struct page_fixture fixture = {0};
    const struct page *page = fixture_html(&fixture, "<p><a href=/x>go</a> a1 a2 a3 a4 a5 a6 <a href=/y>end</a>");

    (void)state;
    assert_range(context_window(page, 0, 4), 0, 5);
    assert_range(context_window(page, 1, 4), 3, 8);
    fixture_release(&fixture);
}

static void tag_tree(void **state)
{
    struct page_fixture fixture = {0};
    const struct page *page = fixture_html(&fixture, HTML);

    (void)state;
    /* a and i hold 2 words, so the paragraph it is: 10 words */
    assert_range(context_tag_tree(page, 0, 2, 40, false), 0, 10);
    /* 1 is not enough to climb */
    assert_range(context_tag_tree(page, 0, 1, 40, false), 4, 6);
    assert_range(context_tag_tree(page, 0, 10, 40, false), 0, 12);
    assert_range(context_tag_tree(page, 0, 100, 40, false), 0, 12);
    /* cut to 6: 2 of the anchor, 2 before, 2 after */
    assert_range(context_tag_tree(page, 0, 2, 6, false), 2, 8);
    /* never more than MAX, be it less than the anchor */
    assert_range(context_tag_tree(page, 0, 2, 2, false), 4, 6);
    assert_range(context_tag_tree(page, 0, 2, 1, false), 4, 5);
    fixture_release(&fixture);
}

static void formatting(void **state)
{
    struct page_fixture fixture = {0};
    const struct page *page = fixture_html(&fixture, "<p>far <b>w1 w2 w3 <a href=/x>link</a></b> away</p>");

    (void)state;
    assert_range(context_tag_tree(page, 0, 2, 40, false), 1, 5);
    assert_range(context_tag_tree(page, 0, 2, 40, true), 0, 6);
    fixture_release(&fixture);
}

static void leaves(void **state)
{
    struct page_fixture fixture = {0};
    const struct page *page = fixture_html(&fixture, HTML);
    const float want[] = {.5f, 1, 1, .5f, .5f, .5f, .5f};
    float weights[12];
    struct context context = context_leaves(page, 0, 1);

    (void)state;
    assert_int_equal(page->words[3].leaf + 1, page->words[4].leaf); /* what the comment above says of leaves */
    assert_range(context, 3, 10);
    context_leaf_weights(page, 0, 1, context, weights);
    for (size_t i = 0; i < 7; i++)
        assert_true(fabsf(weights[i] - want[i]) < 1e-6f);
    assert_range(context_leaves(page, 0, 2), 0, 12);
    assert_range(context_leaves(page, 0, 0), 4, 6);
    assert_range(context_leaves(page, 0, 5), 0, 12);
    fixture_release(&fixture);
}

/* An image without words: the leaves beside it are 1 away. */
static void empty_anchor(void **state)
{
    struct page_fixture fixture = {0};
    const struct page *page = fixture_html(&fixture, "<p>left side<a href=/x><img src=y></a>right side<b>more</b>");
    float weights[8];

    (void)state;
    assert_range(context_anchor(page, 0), 2, 2);
    assert_range(context_leaves(page, 0, 1), 0, 4);
    context_leaf_weights(page, 0, 1, context_leaves(page, 0, 1), weights);
    assert_true(fabsf(weights[0] - .5f) < 1e-6f && fabsf(weights[3] - .5f) < 1e-6f);
    assert_range(context_window(page, 0, 2), 1, 3);
    fixture_release(&fixture);
}

static void paths(void **state)
{
    struct page_fixture fixture = {0};
    const struct page *page = fixture_html(&fixture, HTML);
    uint32_t leaf_nodes[16];
    float weights[12];
    struct context context;

    (void)state;
    assert_true(page->nleaves <= 16);
    context_leaf_nodes(page, leaf_nodes);
    /* from <a>: up to i, up to p, down to the text: 3 to "one two three" and "five …"; to b's text 4; to the other
     * paragraph's text a-i-p-body-p-text: 5 */
    context = context_path(page, 0, 5);
    assert_range(context, 0, 12);
    context_path_weights(page, 0, 5, leaf_nodes, context, weights);
    assert_true(fabsf(weights[0] - .5f) < 1e-6f);
    assert_true(fabsf(weights[3] - 1 / 3.f) < 1e-6f);
    assert_true(fabsf(weights[4] - 1) < 1e-6f);
    assert_true(fabsf(weights[6] - .5f) < 1e-6f);
    assert_true(fabsf(weights[10] - 1 / 6.f) < 1e-6f);
    context = context_path(page, 0, 3);
    context_path_weights(page, 0, 3, leaf_nodes, context, weights);
    assert_true(weights[3 - context.first] == 0);
    fixture_release(&fixture);
}

static void bags(void **state)
{
    struct page_fixture fixture = {0};
    const struct page *page = fixture_html(&fixture, "<html lang=en><p>the cats and a cat chase <a href=/x>dogs</a>");
    struct text_weight items[16];
    const float weights[] = {1, .5f, 1, 1, .25f, 1, 0};
    struct text_vector bag = context_bag(page, (struct context){0, page->nwords}, NULL, items);
    double cats = 0;

    (void)state;
    assert_int_equal(page->nwords, 7);
    assert_int_equal(bag.count, 3); /* cat, chase, dog */
    for (size_t i = 0; i < bag.count; i++) {
        assert_true(i == 0 || bag.items[i - 1].stem < bag.items[i].stem);
        cats += bag.items[i].stem == page->words[1].stem ? bag.items[i].weight : 0;
    }
    assert_true(cats == 2);
    bag = context_bag(page, (struct context){0, page->nwords}, weights, items);
    assert_int_equal(bag.count, 2); /* dogs weigh nothing */
    for (size_t i = 0; i < bag.count; i++)
        if (bag.items[i].stem == page->words[1].stem)
            assert_true(bag.items[i].weight == .75);
    bag = context_bag(page, (struct context){3, 3}, NULL, items);
    assert_int_equal(bag.count, 0);
    fixture_release(&fixture);
}

/* Short contexts and long ones are counted in different ways. */
static void bags_of_any_length(void **state)
{
    struct page_fixture fixture = {0};
    struct text_weight items[200];
    const struct page *page;
    struct buf html;

    (void)state;
    buf_init(&html, 0);
    buf_addz(&html, "<html lang=en>");
    for (int i = 0; i < 20; i++)
        buf_addz(&html, "quartz the zebra xylophone apple zebra kiwi yard lemon jumbo mango ");
    page = fixture_html(&fixture, buf_z(&html));
    assert_int_equal(page->nwords, 220);
    for (uint32_t lines = 1; lines <= 18; lines++) { /* 11 to 198 words */
        struct text_vector bag = context_bag(page, (struct context){11, 11 + 11 * lines}, NULL, items);
        double sum = 0;

        assert_int_equal(bag.count, 9);
        for (size_t i = 0; i < bag.count; i++) {
            assert_true(bag.items[i].weight == lines || bag.items[i].weight == 2 * lines);
            assert_true(i == 0 || bag.items[i].stem > bag.items[i - 1].stem);
            sum += bag.items[i].weight;
        }
        assert_true(sum == 10 * lines);
    }
    buf_release(&html);
    fixture_release(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows), cmocka_unit_test(edges),        cmocka_unit_test(tag_tree), cmocka_unit_test(formatting),
        cmocka_unit_test(leaves),  cmocka_unit_test(empty_anchor), cmocka_unit_test(paths),    cmocka_unit_test(bags),
        cmocka_unit_test(bags_of_any_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
