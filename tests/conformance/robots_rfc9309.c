/* The cases of Google's robots.txt parser. Those of groups named GoogleOnly_* go beyond RFC 9309: they are run too, and
 * the ones that we decide otherwise are named with the reason. */
#include "base/file.h"
#include "json/json.h"
#include "robots/robots.h"
#include "test.h"

#define CASES SCENT_SHARED "/conformance/robots/cases.jsonl"

struct tally {
    size_t run, google_run, google_other, cut;
};

/* What we decide otherwise, and why. */
static const struct {
    const char *group, *url, *reason;
} otherwise[] = {
    {"GoogleOnly_IndexHTMLisDirectory", "http://foo.com/allowed-slash/",
     "RFC 9309 knows no index pages: \"Allow: /a/index.html\" does not open \"/a/\", which \"Disallow: /\" closes"},
};

/* A character of the file stands for a byte: its strings are bytes read as ISO 8859-1. */
static void add_bytes(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if (c >= 0xC2 && c <= 0xC3 && i + 1 < s.len)
            c = (unsigned char)((c & 3) << 6 | ((unsigned char)s.p[++i] & 0x3F));
        buf_addc(out, (char)c);
    }
}

/* Path and query, as they stand in the URL. */
static struct str target_of(struct str url)
{
    size_t scheme = str_find(url, ':'), slash;

    if (scheme + 3 >= url.len)
        return STR("/");
    url = str_sub(url, scheme + 3, url.len);
    slash = str_find(url, '/');
    return slash < url.len ? str_sub(url, slash, url.len) : STR("/");
}

static bool decide(const struct json *test, struct str *agent, struct str *url)
{
    struct buf text, address;
    struct robots *robots = NULL;
    bool allowed;

    *agent = json_as_str(json_get(test, "agent"));
    *url = json_as_str(json_get(test, "url"));
    buf_init(&text, 0);
    buf_init(&address, 0);
    add_bytes(&text, json_as_str(json_get(test, "robots")));
    add_bytes(&address, *url);
    assert_int_equal(robots_parse(buf_str(&text), *agent, &robots), SCENT_OK);
    allowed = robots_allows(robots, target_of(buf_str(&address)), NULL);
    robots_free(robots);
    buf_release(&text);
    buf_release(&address);
    return allowed;
}

static const char *reason_for(struct str group, struct str url)
{
    for (size_t i = 0; i < sizeof otherwise / sizeof *otherwise; i++)
        if (str_eq(group, str_of(otherwise[i].group)) && str_eq(url, str_of(otherwise[i].url)))
            return otherwise[i].reason;
    return NULL;
}

static bool run_case(const struct json *test, size_t line, struct tally *tally)
{
    struct str group = json_as_str(json_get(test, "group")), agent, url;
    bool google = str_starts(group, STR("GoogleOnly_"));
    bool right = decide(test, &agent, &url) == json_as_bool(json_get(test, "allowed"));
    const char *reason = google ? reason_for(group, url) : NULL;

    tally->run++;
    tally->google_run += google;
    tally->google_other += google && !right;
    if (!right)
        print_message("%s line %zu, %.*s, %.*s, %.*s: %s\n", reason ? "otherwise:" : "FAILED", line, STR_ARG(group),
                      STR_ARG(agent), STR_ARG(url), reason ? reason : "decided wrongly");
    return right || reason;
}

/* The last line of the file may be cut off in its middle; it is counted, and no other may be. */
static bool run_line(struct str line, size_t number, bool is_last, struct tally *tally)
{
    struct json *test = NULL;
    struct errmsg err;
    bool good;

    if (json_parse(line, &test, &err) != SCENT_OK) {
        tally->cut++;
        print_message("line %zu cannot be read: %s\n", number, err.text);
        return is_last;
    }
    good = run_case(test, number, tally);
    json_free(test);
    return good;
}

static void test_cases(void **state)
{
    struct tally tally = {0};
    struct errmsg err;
    struct buf file;
    struct str rest, line;
    bool good = true;

    (void)state;
    if (!file_exists(CASES)) {
        print_message("%s is absent\n", CASES);
        skip();
    }
    buf_init(&file, 1 << 20);
    assert_ok(file_read(CASES, &file, &err), err);
    rest = buf_str(&file);
    for (size_t number = 1; str_split(&rest, '\n', &line) && (line.len || rest.p); number++)
        good &= run_line(line, number, !rest.p, &tally);
    print_message("%zu cases, %zu of them Google's own (%zu decided otherwise), %zu lines cut off\n", tally.run,
                  tally.google_run, tally.google_other, tally.cut);
    assert_true(good);
    assert_true(tally.run >= 134 && tally.run - tally.google_run >= 72);
    buf_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
