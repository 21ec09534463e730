/* Categories from lists, folders and dumps; samples; leaves. */
#include "training/taxonomy.h"

#include "base/file.h"
#include "test.h"

#include <sys/stat.h>

static struct log quiet = {.level = LOG_ERROR};

static void silent(void *ctx, enum log_level level, const char *line)
{
    (void)ctx, (void)level, (void)line;
}

static uint32_t items_of(const struct taxonomy *taxonomy, const char *category)
{
    int32_t i = taxonomy_find(taxonomy, str_of(category));

    return i == TAXONOMY_NONE ? UINT32_MAX : taxonomy->categories[i].count;
}

static struct taxonomy *with(uint32_t levels, uint32_t per_class)
{
    return taxonomy_new(&(struct taxonomy_options){.levels = levels, .per_class = per_class, .seed = 7});
}

static void put(const char *dir, const char *name, const char *text)
{
    char path[1024];
    struct errmsg err = {{0}};
    char *slash;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    slash = strrchr(path, '/');
    *slash = 0;
    assert_ok(file_make_dir(path, &err), err);
    *slash = '/';
    assert_ok(file_replace(path, str_of(text), &err), err);
}

static void names_have_one_spelling(void **state)
{
    struct taxonomy *taxonomy = with(0, 0);

    (void)state;
    assert_int_equal(taxonomy_add(taxonomy, STR("Sports.Hockey"), STR("http://a/")), SCENT_OK);
    assert_int_equal(taxonomy_add(taxonomy, STR("Top/Sports/Hockey"), STR("http://b/")), SCENT_OK);
    assert_int_equal(taxonomy_add(taxonomy, STR(" Sports/Hockey/ "), STR("http://c/")), SCENT_OK);
    assert_int_equal(taxonomy_add(taxonomy, STR("Top/Software/Node.js"), STR("http://d/")), SCENT_OK);
    assert_int_equal(items_of(taxonomy, "Sports.Hockey"), 3);
    assert_int_equal(items_of(taxonomy, "Software.Node_js"), 1);
    assert_int_equal(items_of(taxonomy, "Sports"), 0);
    assert_int_equal(taxonomy_find(taxonomy, STR("Hockey")), TAXONOMY_NONE);
    assert_true(taxonomy_is_below(taxonomy, (uint32_t)taxonomy_find(taxonomy, STR("Sports.Hockey")),
                                  taxonomy_find(taxonomy, STR("Sports"))));
    assert_false(taxonomy_is_below(taxonomy, (uint32_t)taxonomy_find(taxonomy, STR("Sports")),
                                   taxonomy_find(taxonomy, STR("Sports.Hockey"))));
    assert_int_equal(taxonomy_add(taxonomy, STR("..."), STR("http://a/")), SCENT_E_INVALID);
    assert_int_equal(taxonomy_add(taxonomy, STR("Top"), STR("http://a/")), SCENT_E_INVALID);
    taxonomy_free(taxonomy);
}

static void levels_are_cut(void **state)
{
    struct taxonomy *taxonomy = with(2, 0);

    (void)state;
    assert_int_equal(taxonomy_add(taxonomy, STR("Top/A/B/C/D"), STR("http://a/")), SCENT_OK);
    assert_int_equal(items_of(taxonomy, "A.B"), 1);
    assert_int_equal(taxonomy->count, 2);
    taxonomy_free(taxonomy);
}

/* Of 1,000 items 10 are kept, the same for the same seed, and not just the first. */
static void a_sample_is_kept(void **state)
{
    char firsts[2][64] = {{0}};

    (void)state;
    for (int round = 0; round < 2; round++) {
        struct taxonomy *taxonomy = with(0, 10);
        bool late = false;

        for (int i = 0; i < 1000; i++) {
            char url[32];

            snprintf(url, sizeof url, "http://h/%d", i);
            assert_int_equal(taxonomy_add(taxonomy, STR("A"), str_of(url)), SCENT_OK);
        }
        assert_int_equal(items_of(taxonomy, "A"), 10);
        assert_int_equal(taxonomy->categories[0].offered, 1000);
        for (int i = 0; i < 10; i++)
            late |= atoi(taxonomy->categories[0].items[i].text + 9) > 500;
        assert_true(late);
        snprintf(firsts[round], sizeof firsts[round], "%s", taxonomy->categories[0].items[3].text);
        taxonomy_free(taxonomy);
    }
    assert_string_equal(firsts[0], firsts[1]);
}

static void fill(struct taxonomy *taxonomy, const char *category, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(taxonomy_add(taxonomy, str_of(category), STR("http://x/")), SCENT_OK);
}

static void small_leaves_move_up(void **state)
{
    struct taxonomy *taxonomy = with(0, 0);

    (void)state;
    fill(taxonomy, "A.Big", 20);
    fill(taxonomy, "A.Small", 3);  /* to A, an inner category: dropped */
    fill(taxonomy, "B.X.P", 6);    /* to B.X, with its sister: */
    fill(taxonomy, "B.X.Q", 5);    /* a leaf of 11 */
    fill(taxonomy, "C.R", 4);      /* to C, too small at the top: dropped */
    fill(taxonomy, "D", 7);        /* what an inner category has itself counts */
    fill(taxonomy, "D.S.T", 4);    /* when all below it has moved up, step by step */
    assert_int_equal(taxonomy_merge_leaves(taxonomy, 10), 7);
    assert_int_equal(items_of(taxonomy, "A.Big"), 20);
    assert_int_equal(items_of(taxonomy, "A"), 0);
    assert_int_equal(items_of(taxonomy, "B.X"), 11);
    assert_true(taxonomy->categories[taxonomy_find(taxonomy, STR("B.X.P"))].dead);
    assert_true(taxonomy->categories[taxonomy_find(taxonomy, STR("C"))].dead);
    assert_int_equal(items_of(taxonomy, "D"), 11);
    assert_int_equal(taxonomy->nitems, 42);
    taxonomy_free(taxonomy);
}

static void read_into(struct taxonomy *taxonomy, const char *dir, const char *name, scent_status want, const char *says)
{
    struct errmsg err = {{0}};
    char path[1024];

    quiet.sink = silent;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(taxonomy_read(taxonomy, path, &quiet, &err), want);
    if (says && !strstr(err.text, says))
        fail_msg("'%s' does not say '%s'", err.text, says);
}

/* A tree of names has no cycles: where a format could have some, or leave a parent out, the tree is whole all the same. */
static void odd_trees_are_made_whole(void **state)
{
    char *dir = test_make_dir(), command[1200];
    struct taxonomy *taxonomy = with(0, 0);

    (void)state;
    put(dir, "tree/Sports/Hockey/a.html", "<p>one");
    snprintf(command, sizeof command, "ln -s ../../Sports '%s/tree/Sports/Hockey/Sports'", dir);
    assert_int_equal(system(command), 0);
    read_into(taxonomy, dir, "tree", SCENT_OK, NULL);
    assert_int_equal(taxonomy->count, 2);
    assert_int_equal(items_of(taxonomy, "Sports.Hockey"), 1);
    put(dir, "a.rdf", "<RDF><Topic r:id=\"Top/Arts/Film/Noir\"><link r:resource=\"http://f.example/\"/></Topic>"
                      "<Topic r:id=\"Top/Arts/Arts\"><link r:resource=\"http://g.example/\"/></Topic></RDF>");
    read_into(taxonomy, dir, "a.rdf", SCENT_OK, NULL);
    assert_int_equal(taxonomy->categories[taxonomy_find(taxonomy, STR("Arts.Film"))].kids, 1);
    assert_int_equal(taxonomy->categories[taxonomy_find(taxonomy, STR("Arts"))].parent, TAXONOMY_NONE);
    assert_true(taxonomy_find(taxonomy, STR("Arts.Arts")) != taxonomy_find(taxonomy, STR("Arts")));
    for (uint32_t i = 0; i < taxonomy->count; i++)
        assert_true(taxonomy->categories[i].parent < (int32_t)i); /* a parent comes first: no way back */
    taxonomy_free(taxonomy);
    test_remove_dir(dir);
}

static void lists_of_both_orders(void **state)
{
    char *dir = test_make_dir();
    struct taxonomy *taxonomy = with(0, 0);

    (void)state;
    put(dir, "a.tsv", "\xEF\xBB\xBF# comment\nSports.Hockey\thttp://a.example/1\r\n\nhttp://a.example/2\tSports.Hockey\textra\n"
                      "Science\thttps://a.example/3\nno tab at all\nSports\tnot-a-url\nScience\thttp://a.example/last");
    read_into(taxonomy, dir, "a.tsv", SCENT_OK, NULL);
    assert_int_equal(items_of(taxonomy, "Sports.Hockey"), 2);
    assert_int_equal(items_of(taxonomy, "Science"), 2);
    assert_string_equal(taxonomy->categories[1].items[1].text, "http://a.example/2");
    taxonomy_free(taxonomy);
    test_remove_dir(dir);
}

static void folders_and_dumps(void **state)
{
    char *dir = test_make_dir(), command[1200];
    struct taxonomy *taxonomy = with(0, 0);

    (void)state;
    put(dir, "tree/Sports/Hockey/a.html", "<p>one");
    put(dir, "tree/Sports/Hockey/a_files/x.png", "no page");
    put(dir, "tree/Sports/urls.txt", "http://a.example/1\nhttp://a.example/2\n");
    put(dir, "tree/loose.html", "<p>nowhere");
    put(dir, "tree/.hidden/b.html", "<p>unseen");
    read_into(taxonomy, dir, "tree", SCENT_OK, NULL);
    assert_int_equal(items_of(taxonomy, "Sports.Hockey"), 1);
    assert_int_equal(items_of(taxonomy, "Sports"), 2);
    put(dir, "content.rdf.u8", "<?xml?><RDF><Topic r:id=\"Top/Arts/Film\"><link r:resource=\"http://f.example/\"/></Topic></RDF>");
    snprintf(command, sizeof command, "gzip -k '%s/content.rdf.u8'", dir);
    assert_int_equal(system(command), 0);
    read_into(taxonomy, dir, "content.rdf.u8", SCENT_OK, NULL);
    read_into(taxonomy, dir, "content.rdf.u8.gz", SCENT_OK, NULL);
    assert_int_equal(items_of(taxonomy, "Arts.Film"), 2);
    taxonomy_free(taxonomy);
    test_remove_dir(dir);
}

static void what_is_none_is_refused(void **state)
{
    char *dir = test_make_dir();
    struct taxonomy *taxonomy = with(0, 0);

    (void)state;
    put(dir, "prose.txt", "Dear reader,\nthis is a letter\nand no taxonomy.\n");
    put(dir, "empty.tsv", "");
    put(dir, "bare/readme.html", "<p>loose");
    read_into(taxonomy, dir, "prose.txt", SCENT_E_INVALID, "no tab");
    read_into(taxonomy, dir, "empty.tsv", SCENT_E_INVALID, "no page");
    read_into(taxonomy, dir, "bare", SCENT_E_INVALID, "none of its folders");
    read_into(taxonomy, dir, "missing", SCENT_E_NOTFOUND, "missing");
    taxonomy_free(taxonomy);
    test_remove_dir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_one_spelling), cmocka_unit_test(levels_are_cut),
        cmocka_unit_test(a_sample_is_kept),        cmocka_unit_test(small_leaves_move_up),
        cmocka_unit_test(odd_trees_are_made_whole),
        cmocka_unit_test(lists_of_both_orders),    cmocka_unit_test(folders_and_dumps),
        cmocka_unit_test(what_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
