/* Proposed seeds: which addresses of lists, pages and indexes are candidates, how they are joined and put in order, and
 * what a program that searches may answer. Whole runs: tests/crawl/seeds.py. */
#include "test.h"

#include "app/seed_search.h"
#include "app/seed_sources.h"
#include "json/json.h"

#include <sys/stat.h>

struct fixture {
    char *dir;
    struct seed_pool_options options;
    struct seed_pool *pool;
    struct seed_sources *sources;
};

static void set_up(struct fixture *f)
{
    *f = (struct fixture){.dir = test_make_dir()};
    f->pool = seed_pool_new(&f->options);
    f->sources = seed_sources_new(f->pool);
}

static void tear_down(struct fixture *f)
{
    seed_sources_free(f->sources);
    seed_pool_free(f->pool);
    test_remove_dir(f->dir);
}

static const char *write_file(const struct fixture *f, const char *name, const char *text)
{
    static char path[600];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* The addresses of the pool in their order, a space behind each; nothing is added to it afterwards. */
static void check_pool(struct fixture *f, size_t count, const char *want)
{
    struct str rest, line;
    struct buf json, got;

    buf_init(&json, 0);
    buf_init(&got, 0);
    (void)seed_pool_write(f->pool, count, SEED_JSON, &json);
    for (rest = buf_str(&json); str_split(&rest, '\n', &line) && line.len;) {
        struct json *root;

        assert_int_equal(json_parse(line, &root, NULL), SCENT_OK);
        buf_add(&got, json_as_str(json_get(root, "url")));
        buf_addc(&got, ' ');
        json_free(root);
    }
    assert_str(buf_str(&got), want);
    buf_release(&json);
    buf_release(&got);
}

static void check_text(const char *name, const char *text, const char *want)
{
    struct fixture f;
    struct errmsg err;

    set_up(&f);
    assert_ok(seed_sources_read(f.sources, write_file(&f, name, text), &err), err);
    check_pool(&f, 100, want);
    tear_down(&f);
}

static void lists_have_addresses_and_hosts(void **state)
{
    (void)state;
    check_text("list", "# no\n\nhttps://a.example.org/x  a title\n  b.example.org  \nexample.com/path\n",
               "https://b.example.org/ https://a.example.org/x https://example.com/path ");
    check_text("list", "ftp://a.example.org/\nhttps://u:p@a.example.org/\nhttp://10.0.0.1/\nhttp://router/\n"
               "http://x.local/\nhttps://a.example.org/login?x\nnot a host\njavascript:alert(1)\n", "");
    check_text("list", "", "");
}

static void an_address_that_comes_twice_is_one_with_more_evidence(void **state)
{
    (void)state;
    check_text("list", "https://a.example.org/\nhttps://b.example.org/longer\nhttps://b.example.org/longer#x\n",
               "https://b.example.org/longer https://a.example.org/ ");
}

static void indexes_give_pages_that_were_there(void **state)
{
    static const char pages[] = "https://a.example.org/ ";

    (void)state;
    check_text("index", "org,example,a)/ 20260101000000 {\"url\": \"https://a.example.org/\", \"mime\": \"text/html\", "
               "\"status\": \"200\"}\norg,example,b)/ 20260101000000 {\"url\": \"https://b.example.org/\", \"status\": "
               "\"404\"}\norg,example,c)/ 2026 {\"url\"\n", pages);
    check_text("index", " CDX s a m\n200 https://a.example.org/ text/html\n200 https://b.example.org/ image/png\n404\n",
               pages);
    check_text("index", " CDX N b\nk 2026 https://a.example.org/ text/html 200\nk\n\n", pages); /* the usual order */
}

static void pages_give_their_links(void **state)
{
    (void)state;
    check_text("saved", "<p><a href='https://a.example.org/1'>one</a> <a href='mailto:x@example.org'>two</a>",
               "https://a.example.org/1 ");
}

static void hosts_have_their_share(void **state)
{
    struct fixture f;
    struct errmsg err;
    const char *path;

    (void)state;
    set_up(&f);
    f.options.per_host = 1;
    path = write_file(&f, "list", "https://a.example.org/1\nhttps://a.example.org/2\nhttps://b.example.org/3\n"
                                  "https://c.example.org/44\n");
    assert_ok(seed_sources_read(f.sources, path, &err), err);
    check_pool(&f, 2, "https://a.example.org/1 https://b.example.org/3 ");
    tear_down(&f);
}

static void names_are_kept_apart(void **state)
{
    const struct seed_names *names;
    struct fixture f;
    struct errmsg err;
    struct buf list;

    (void)state;
    set_up(&f);
    buf_init(&list, 0);
    for (int i = 0; i < SEED_NAMES_MAX + 5; i++)
        buf_printf(&list, "Name Number %d\n", i);
    assert_ok(seed_sources_read(f.sources, write_file(&f, "list", buf_z(&list)), &err), err);
    names = seed_sources_names(f.sources);
    assert_int_equal(names->count, SEED_NAMES_MAX);
    assert_int_equal(names->seen, SEED_NAMES_MAX + 5);
    assert_string_equal(names->items[7].p, "Name Number 7");
    check_pool(&f, 9, "");
    buf_release(&list);
    tear_down(&f);
}

static void titles_are_text_in_every_form(void **state)
{
    struct fixture f;
    struct errmsg err;
    const char *path;
    struct buf out;

    (void)state;
    set_up(&f);
    path = write_file(&f, "list", "https://a.example.org/it's Red \033[31m\n");
    assert_ok(seed_sources_read(f.sources, path, &err), err);
    buf_init(&out, 0);
    assert_int_equal(seed_pool_write(f.pool, 5, SEED_YAML, &out), 1);
    assert_null(memchr(out.p, '\033', out.len));
    assert_non_null(strstr(buf_z(&out), "seeds:\n  # "));
    assert_non_null(strstr(buf_z(&out), "\n  - 'https://a.example.org/it''s'\n"));
    buf_release(&out);
    tear_down(&f);
}

static void sources_that_cannot_be_read_are_told(void **state)
{
    struct fixture f;
    struct errmsg err = {{0}};

    (void)state;
    set_up(&f);
    assert_int_equal(seed_sources_read(f.sources, "./nothing", &err), SCENT_E_NOTFOUND);
    assert_string_equal(err.text, "./nothing does not exist");
    assert_int_equal(seed_sources_read(f.sources, f.dir, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "is neither a crawl directory, nor"));
    tear_down(&f);
}

/* ---- programs that search ---- */

static scent_status search(struct fixture *f, const char *script, const char *query, struct errmsg *err)
{
    struct seed_search how = {.command = write_file(f, "search", script), .pages = 1};

    assert_int_equal(chmod(how.command, 0700), 0);
    return seed_search(&how, (const struct str[]){str_of(query)}, 1, f->pool, err);
}

static void check_search(const char *script, const char *want)
{
    struct fixture f;
    struct errmsg err;

    set_up(&f);
    assert_ok(search(&f, script, "ice hockey", &err), err);
    check_pool(&f, 9, want);
    tear_down(&f);
}

static void a_program_prints_results_in_one_of_three_ways(void **state)
{
    static const char found[] = "https://a.example.org/ https://b.example.org/ ";

    (void)state;
    check_search("#!/bin/sh\n[ \"$1\" = 'ice hockey' ] && "
                 "printf 'https://a.example.org/\\tA\\ttext\\nnoise\\nhttps://b.example.org/\\n'\n", found);
    check_search("#!/bin/sh\nprintf '{\"url\": \"https://a.example.org/\"}\\n{\"url\": 5}\\n"
                 "{\"url\": \"https://b.example.org/\"}\\n'\n", found);
    check_search("#!/bin/sh\necho '{\"results\": [{\"url\": \"https://a.example.org/\", \"title\": 1}, 7, {\"url\": "
                 "\"https://b.example.org/\"}]}'\n", found);
    check_search("#!/bin/sh\n", "");
}

static void a_program_that_fails_is_told(void **state)
{
    struct errmsg err = {{0}};
    struct fixture f;

    (void)state;
    set_up(&f);
    assert_int_equal(search(&f, "#!/bin/sh\nexit 4\n", "x", &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "failed: exit status 4"));
    assert_int_equal(search(&f, "#!/bin/sh\ncat /dev/zero\n", "x", &err), SCENT_E_LIMIT);
    assert_int_equal(search(&f, "#!/bin/sh\n", "-rf", &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "begins with '-'"));
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_addresses_and_hosts),
        cmocka_unit_test(an_address_that_comes_twice_is_one_with_more_evidence),
        cmocka_unit_test(indexes_give_pages_that_were_there),
        cmocka_unit_test(pages_give_their_links),
        cmocka_unit_test(hosts_have_their_share),
        cmocka_unit_test(names_are_kept_apart),
        cmocka_unit_test(titles_are_text_in_every_form),
        cmocka_unit_test(sources_that_cannot_be_read_are_told),
        cmocka_unit_test(a_program_prints_results_in_one_of_three_ways),
        cmocka_unit_test(a_program_that_fails_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
