/* The URL cases of the web platform tests, as far as they concern http and https. A case counts as passed when
 * the href and every part is exactly the expected one, or when what must fail does. Cases of other schemes have
 * to be refused as unsupported or invalid, never to come out as http. */
#include "base/file.h"
#include "json/json.h"
#include "test.h"
#include "url/url.h"

#define DATA SCENT_SHARED "/conformance/url/"

struct tally {
    size_t run, passed, no_strings, other_base;
};

static struct arena arena;

static struct json *load(const char *path)
{
    struct json *root = NULL;
    struct errmsg err = {""};
    struct buf text;

    if (!file_exists(path)) {
        print_message("%s is absent\n", path);
        return NULL;
    }
    buf_init(&text, 16 << 20);
    assert_ok(file_read(path, &text, &err), err);
    assert_ok(json_parse(buf_str(&text), &root, &err), err);
    buf_release(&text);
    return root;
}

static bool is_http(struct str href)
{
    return str_starts(href, STR("http:")) || str_starts(href, STR("https:"));
}

/* Whether an input begins with one of our schemes, be it in any case or after blanks. */
static bool names_http(struct str input)
{
    input = str_trim(input);
    return str_starts_nocase(input, STR("http:")) || str_starts_nocase(input, STR("https:"));
}

/* Each getter of the standard's URL class, rebuilt from our ranges. */
static struct str part_of(const struct url *url, const char *name)
{
    struct str href = url->href;

    if (!strcmp(name, "href"))
        return href;
    if (!strcmp(name, "protocol"))
        return str_sub(href, 0, url->scheme_end + 1u);
    if (!strcmp(name, "username"))
        return str_sub(href, url->scheme_end + 3u, url->user_end);
    if (!strcmp(name, "password"))
        return str_sub(href, url->user_end + (url->pass_end > url->user_end), url->pass_end);
    if (!strcmp(name, "host"))
        return str_sub(href, url->host_start, url->path_start);
    if (!strcmp(name, "hostname"))
        return url_host(url);
    if (!strcmp(name, "port"))
        return str_sub(href, url->host_end + (url->path_start > url->host_end), url->path_start);
    if (!strcmp(name, "pathname"))
        return url_path(url);
    if (!strcmp(name, "search")) /* a lone "?" is an empty search */
        return url_query(url).len ? str_sub(href, url->path_end, url->query_end) : STR("");
    return url_fragment(url).len ? str_sub(href, url->query_end, href.len) : STR("");
}

static bool parts_match(const struct url *url, const struct json *test)
{
    static const char *const names[] = {"href", "protocol", "username", "password", "host",
                                        "hostname", "port", "pathname", "search", "hash"};
    bool good = true;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct json *want = json_get(test, names[i]);

        if (!json_is_str(want) || str_eq(part_of(url, names[i]), json_as_str(want)))
            continue;
        print_message("FAILED %s of \"%.*s\": got \"%.*s\", want \"%.*s\"\n", names[i],
                      STR_ARG(json_as_str(json_get(test, "input"))), STR_ARG(part_of(url, names[i])),
                      STR_ARG(json_as_str(want)));
        good = false;
    }
    return good;
}

static bool number_matches(const struct url *url)
{
    struct str digits = part_of(url, "port");
    uint64_t port;

    return url_port(url) == (str_parse_u64(digits, &port) ? port : url->scheme_end == 5 ? 443 : 80);
}

/* Whether the outcome of parsing is what the case wants. */
static bool check(const struct json *test, scent_status status, const struct url *url)
{
    struct str input = json_as_str(json_get(test, "input")), href = json_as_str(json_get(test, "href"));

    if (json_as_bool(json_get(test, "failure")) || !is_http(href)) {
        if (status == SCENT_E_INVALID || status == SCENT_E_UNSUPPORTED)
            return true;
        print_message("FAILED \"%.*s\": parsed as \"%.*s\", must not\n", STR_ARG(input), STR_ARG(url->href));
        return false;
    }
    if (status == SCENT_OK)
        return parts_match(url, test) && number_matches(url);
    print_message("FAILED \"%.*s\": %s, want \"%.*s\"\n", STR_ARG(input), scent_status_text(status), STR_ARG(href));
    return false;
}

static void run_case(const struct json *test, struct tally *tally)
{
    struct str base_text = json_as_str(json_get(test, "base"));
    struct url base, url = {.href = STR_NONE};
    scent_status status;

    if (!json_is_str(json_get(test, "input"))) {
        tally->no_strings++; /* a comment */
        return;
    }
    if (base_text.p && url_parse(&arena, base_text, NULL, &base) != SCENT_OK) {
        if (!names_http(json_as_str(json_get(test, "input")))) {
            tally->other_base++;
            return;
        }
        base_text = STR_NONE; /* an absolute input: a base of another scheme does not matter */
    }
    status = url_parse(&arena, json_as_str(json_get(test, "input")), base_text.p ? &base : NULL, &url);
    tally->run++;
    tally->passed += check(test, status, &url);
    arena_reset(&arena);
}

static void parses_as_the_standard_says(void **state)
{
    struct json *root = load(DATA "urltestdata.json");
    struct tally tally = {0};

    (void)state;
    if (!root)
        skip();
    for (size_t i = 0; i < json_count(root); i++)
        run_case(json_at(root, i), &tally);
    json_free(root);
    print_message("urltestdata: %zu run, %zu passed; left out: %zu relative to a base of another scheme, "
                  "%zu comments\n", tally.run, tally.passed, tally.other_base, tally.no_strings);
    assert_true(tally.run > 500);
    assert_int_equal(tally.passed, tally.run);
}

static bool host_case_passes(const struct json *test)
{
    struct str name = json_as_str(json_get(test, "input"));
    const struct json *output = json_get(test, "output");
    struct str text = arena_printf(&arena, "https://%.*s/x", STR_ARG(name));
    struct url url = {.href = STR_NONE};
    scent_status status = url_parse(&arena, text, NULL, &url);
    struct str host = status == SCENT_OK ? url_host(&url) : STR_NONE;
    bool good = json_is_str(output) ? str_eq(host, json_as_str(output)) : status == SCENT_E_INVALID;

    if (!good)
        print_message("FAILED host \"%.*s\": got \"%.*s\" (%s), want \"%.*s\"\n", STR_ARG(name), STR_ARG(host),
                      scent_status_text(status), STR_ARG(json_as_str(output)));
    return good;
}

static void names_become_ascii(void **state)
{
    struct json *root = load(DATA "toascii.json");
    size_t run = 0, passed = 0, left_out = 0;

    (void)state;
    if (!root)
        skip();
    for (size_t i = 0; i < json_count(root); i++) {
        const struct json *test = json_at(root, i);

        if (!json_is_str(json_get(test, "input"))) {
            left_out++;
            continue;
        }
        run++;
        passed += host_case_passes(test);
        arena_reset(&arena);
    }
    json_free(root);
    print_message("toascii: %zu run, %zu passed; left out: %zu comments\n", run, passed, left_out);
    assert_true(run > 70);
    assert_int_equal(passed, run);
}

static bool query_and_fragment_pass(const struct json *test)
{
    struct str input = json_as_str(json_get(test, "input"));
    struct str want = json_as_str(json_get(json_get(test, "output"), "utf-8"));
    struct str text = arena_printf(&arena, "https://x/?%.*s#%.*s", STR_ARG(input), STR_ARG(input));
    struct url url;
    bool good = url_parse(&arena, text, NULL, &url) == SCENT_OK && str_eq(url_query(&url), want) &&
                str_eq(url_fragment(&url), want);

    if (!good)
        print_message("FAILED to encode \"%.*s\": want \"%.*s\"\n", STR_ARG(input), STR_ARG(want));
    return good;
}

static void queries_are_encoded(void **state)
{
    struct json *root = load(DATA "percent-encoding.json");
    size_t run = 0, passed = 0, left_out = 0;

    (void)state;
    if (!root)
        skip();
    for (size_t i = 0; i < json_count(root); i++) {
        const struct json *test = json_at(root, i);

        if (!json_is_str(json_get(json_get(test, "output"), "utf-8"))) {
            left_out++;
            continue;
        }
        run++;
        passed += query_and_fragment_pass(test);
        arena_reset(&arena);
    }
    json_free(root);
    print_message("percent-encoding: %zu run (as UTF-8), %zu passed; left out: %zu comments\n", run, passed, left_out);
    assert_true(run > 5);
    assert_int_equal(passed, run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_as_the_standard_says),
        cmocka_unit_test(names_become_ascii),
        cmocka_unit_test(queries_are_encoded),
    };
    int failed;

    if (!file_exists(DATA "urltestdata.json")) {
        printf("skipped: " DATA " is absent\n");
        return TEST_SKIPPED;
    }
    arena_init(&arena, 64 << 20);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_release(&arena);
    return failed;
}
