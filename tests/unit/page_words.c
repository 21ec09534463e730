/* Words, leaves, nodes, bag, text. */
#include "page_fixture.h"

static void test_text_as_a_reader_sees_it(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(
        &f, "<html><head><title> A\n title </title><style>p{color:red}</style></head><body><h1>Head</h1>\n<p>One  two<br>"
            "th<b>re</b>e</p><script>var x = '<p>no</p>';</script><noscript>no</noscript><template>no</template>"
            "<table><tr><td>a</td><td>b</td></tr></table>&lt;&eacute;&nbsp;&#8364;&unknown; end </body></html>");

    (void)state;
    assert_str(page->title, "A title");
    assert_str(page->text, "Head\nOne two\nthree\na b\n<é\u00A0€&unknown; end");
    assert_words(page, 0, page->nwords, "a title head one two th re e a b é unknown end");
    fixture_release(&f);
}

static void test_leaves_and_nodes(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(&f, "<html><body><div>one <b>two three</b> four</div> <p>five</p></body></html>");
    uint32_t div = find_node(page, PAGE_TAG_DIV, 0), b = find_node(page, PAGE_TAG_B, 0), p = find_node(page, PAGE_TAG_P, 0);
    static const uint32_t leaves[] = {0, 1, 1, 2, 3};

    (void)state;
    assert_int_equal(page->nwords, 5);
    assert_int_equal(page->nleaves, 4);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(page->words[i].leaf, leaves[i]);
    assert_int_equal(page->nodes[b].parent, div);
    assert_int_equal(page->nodes[b].depth, 3);
    assert_words(page, page->nodes[b].first_word, page->nodes[b].end_word, "two three");
    assert_words(page, page->nodes[div].first_word, page->nodes[div].end_word, "one two three four");
    assert_int_equal(page->nodes[div].end_leaf, 3);
    assert_int_equal(page->nodes[p].first_leaf, 3);
    assert_int_equal(page->nodes[0].tag, PAGE_TAG_HTML);
    fixture_release(&f);
}

static const struct page_term *find_term(const struct page *page, const char *stem)
{
    for (uint32_t i = 0; i < page->nbag; i++)
        if (page->bag[i].stem == text_word_hash(str_of(stem)))
            return &page->bag[i];
    return NULL;
}

static void test_bag(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(&f, "<html lang=en-GB><p>The Running of the run: runs and jumps");
    const struct page_term *run = find_term(page, "run");

    (void)state;
    assert_str(page->lang, "en");
    assert_int_equal(page->nbag, 2);
    assert_non_null(run);
    assert_int_equal(run->tf, 3);
    assert_str(run->text, "running");
    assert_true(page->words[0].flags & PAGE_WORD_STOP);
    assert_false(page->words[1].flags & PAGE_WORD_STOP);
    assert_true(page->words[1].stem == text_word_hash(STR("run")));
    assert_null(find_term(page, "the"));
    fixture_release(&f);
}

static void test_language(void **state)
{
    struct page_fixture f = {0};

    (void)state;
    assert_str(fixture_html(&f, "<p>Der Hund lief über die Straße und die Katze war nicht mehr da.")->lang, "de");
    fixture_release(&f);
    assert_str(fixture_html(&f, "<html lang=''><p>Le chien a vu un chat dans la rue et il ne voulait pas attendre.")->lang, "fr");
    fixture_release(&f);
    assert_str(fixture_html(&f, "<meta http-equiv=content-language content='sv, en'><p>x")->lang, "sv");
    fixture_release(&f);
    assert_str(fixture_html(&f, "<p>12 34")->lang, "");
    fixture_release(&f);
}

static void test_plain_text(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_analyse(&f, "Content-Type: Text/Plain\r\n", STR("a <b>  c\n\n <a href=x>d"));

    (void)state;
    assert_str(page->mime, "text/plain");
    assert_str(page->text, "a <b> c\n<a href=x>d");
    assert_int_equal(page->nleaves, 1);
    assert_int_equal(page->nlinks, 0);
    assert_words(page, 0, page->nwords, "a b c a href x d");
    fixture_release(&f);
}

static void test_title_of_a_drawing_is_not_the_page_s(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(&f, "<svg><title>icon</title></svg><title>Page &amp; more</title><title>2</title>");

    (void)state;
    assert_str(page->title, "Page & more");
    fixture_release(&f);
}

static void test_a_long_title_is_cut_at_a_character(void **state)
{
    struct page_fixture f = {0};
    struct buf html;
    const struct page *page;

    (void)state;
    buf_init(&html, 0);
    buf_addz(&html, "<title>");
    for (int i = 0; i < 10000; i++)
        buf_addz(&html, "é&amp;");
    buf_addz(&html, "</title><p>text");
    page = fixture_html(&f, buf_z(&html)); /* page_check() sees to the characters */
    assert_in_range(page->title.len, 4080, 4096);
    assert_str(page->text, "text");
    buf_release(&html);
    fixture_release(&f);
}

/* Pieces of a leaf come one by one from the parser; a word must not break where they meet. */
static void test_long_leaves_keep_their_words(void **state)
{
    struct page_fixture f = {0};
    struct buf html;
    const struct page *page;

    (void)state;
    buf_init(&html, 0);
    for (int i = 0; i < 5000; i++)
        buf_addz(&html, i % 7 ? "abcdefg " : "abc&#100;efg ");
    page = fixture_html(&f, buf_z(&html));
    assert_int_equal(page->nwords, 5000);
    assert_int_equal(page->nleaves, 1);
    for (uint32_t i = 0; i < page->nwords; i++)
        assert_true(page->words[i].word == text_word_hash(STR("abcdefg")));
    buf_release(&html);
    fixture_release(&f);
}

static void test_bag_of_many_terms_is_sorted(void **state)
{
    struct page_fixture f = {0};
    struct buf html;
    const struct page *page;

    (void)state;
    buf_init(&html, 0);
    for (int i = 0; i < 60000; i++)
        buf_printf(&html, "w%d ", i % 30000);
    page = fixture_html(&f, buf_z(&html)); /* page_check() sees to the order */
    assert_int_equal(page->nbag, 30000);
    for (uint32_t i = 0; i < page->nbag; i++)
        assert_int_equal(page->bag[i].tf, 2);
    buf_release(&html);
    fixture_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_as_a_reader_sees_it),
        cmocka_unit_test(test_leaves_and_nodes),
        cmocka_unit_test(test_bag),
        cmocka_unit_test(test_language),
        cmocka_unit_test(test_plain_text),
        cmocka_unit_test(test_title_of_a_drawing_is_not_the_page_s),
        cmocka_unit_test(test_a_long_title_is_cut_at_a_character),
        cmocka_unit_test(test_long_leaves_keep_their_words),
        cmocka_unit_test(test_bag_of_many_terms_is_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
