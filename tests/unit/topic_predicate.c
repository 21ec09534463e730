#include "base/file.h"
#include "topic/predicate.h"
#include "topic/query.h"
#include "topic_sample.h"

/* https://www.hockey.example.org/news/2024?page=2, English, 10,000 bytes, depth 3, similar 0.5 */
static const char sample_text[] =
    "Ice hockey players skate on the rink. Hockey is a winter sport; the National League plays in October. "
    "State of the art sticks are made of carbon. To be or not to be. Café au lait. 3d printing. "
    "\xe5\x86\xb0\xe7\x90\x83";
static const char sample_title[] = "The NHL: Hockey leagues & Players of 2024";

/* The measures of the sample, and how often they were taken. */
struct measures {
    const struct predicate *predicate;
    unsigned asked[VALUE_CATEGORY + 1];
};

static double ask(void *ctx, enum predicate_value measure, uint32_t category)
{
    static const struct {
        const char *name;
        double p;
    } categories[] = {{"Sports", .9}, {"Sports.Hockey", .6}, {"Cooking", .05}};
    struct measures *measures = ctx;

    measures->asked[measure]++;
    if (measure == VALUE_CATEGORY) {
        for (size_t i = 0; i < 3; i++)
            if (str_eq(predicate_category(measures->predicate, category), str_of(categories[i].name)))
                return categories[i].p;
        return 0;
    }
    return measure == VALUE_SIMILAR ? .5 : measure == VALUE_QUERY ? .47 : .8;
}

static struct predicate *parse(struct str text)
{
    struct errmsg err = {{0}};
    struct predicate *predicate;

    if (predicate_parse(text, &predicate, &err) != SCENT_OK)
        fail_msg("%.*s\n%s", STR_ARG(text), err.text);
    return predicate;
}

static bool eval(struct str text, const struct page *page, struct measures *measures)
{
    struct predicate *predicate = parse(text);
    struct predicate_input input = {.page = page, .bytes = 10000, .depth = 3, .oracle = {.ask = ask, .ctx = measures}};
    bool truth;

    *measures = (struct measures){.predicate = predicate};
    truth = predicate_eval(predicate, &input);
    predicate_free(predicate);
    return truth;
}

/* "\n" in a case is a line break; everything else stands for itself. */
static struct str unescape(struct str text, char *out)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        bool escape = text.p[i] == '\\' && i + 1 < text.len && text.p[i + 1] == 'n';

        out[n++] = escape ? '\n' : text.p[i];
        i += escape;
    }
    return (struct str){out, n};
}

static bool judge_case(struct str line, const struct page *page)
{
    struct str verdict, text = line;
    struct measures measures;
    char room[1000];

    if (line.len == 0 || line.p[0] == '#')
        return false;
    assert_true(line.len < sizeof room);
    assert_true(str_split(&text, '\t', &verdict));
    assert_true(str_eq(verdict, STR("yes")) || str_eq(verdict, STR("no")));
    if (eval(unescape(text, room), page, &measures) != str_eq(verdict, STR("yes")))
        fail_msg("%.*s: not %.*s", STR_ARG(text), STR_ARG(verdict));
    return true;
}

static void judges_the_sample(void **state)
{
    struct errmsg err = {{0}};
    struct arena arena;
    struct page page;
    struct buf cases;
    struct str rest, line;
    size_t n = 0;

    (void)state;
    arena_init(&arena, 1 << 20);
    buf_init(&cases, 1 << 20);
    sample_page(&arena, "https://www.hockey.example.org/news/2024?page=2", "en", sample_title, sample_text, &page);
    assert_ok(file_read(SCENT_TESTS "/unit/topic_predicate.cases", &cases, &err), err);
    for (rest = buf_str(&cases); str_split(&rest, '\n', &line);)
        n += judge_case(line, &page);
    assert_true(n >= 150);
    buf_release(&cases);
    arena_release(&arena);
}

/* The cheap test decides, and nothing dear is asked for. */
static void measures_are_taken_when_needed(void **state)
{
    static const struct {
        const char *predicate;
        unsigned similar, query, classifier, category;
    } cases[] = {
        {"classifier() and url ~ \"/shop/\"", 0, 0, 0, 0},
        {"classifier() and url ~ \"/news/\"", 0, 0, 1, 0},
        {"classifier() and query() > 0.9", 0, 1, 0, 0},
        {"classifier() and football", 0, 0, 0, 0},
        {"classifier() and \"football player\"", 0, 0, 0, 0},
        {"category(\"Sports\") or hockey", 0, 0, 0, 0},
        {"category(\"Sports\") or query()", 0, 1, 0, 0},
        {"query() or similar()", 1, 0, 0, 0},
        {"classifier() or (query() > 0.9 and hockey)", 0, 1, 1, 0},
        {"false and classifier()", 0, 0, 0, 0},
        {"category(\"Cooking\") or category(\"Sports\")", 0, 0, 0, 2},
    };
    struct arena arena;
    struct page page;

    (void)state;
    arena_init(&arena, 1 << 20);
    sample_page(&arena, "https://www.hockey.example.org/news/2024", "en", sample_title, sample_text, &page);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct measures measures;

        (void)eval(str_of(cases[i].predicate), &page, &measures);
        if (measures.asked[VALUE_SIMILAR] != cases[i].similar || measures.asked[VALUE_QUERY] != cases[i].query ||
            measures.asked[VALUE_CLASSIFIER] != cases[i].classifier ||
            measures.asked[VALUE_CATEGORY] != cases[i].category)
            fail_msg("%s: asked for similar %u, query %u, classifier %u, category %u", cases[i].predicate,
                     measures.asked[VALUE_SIMILAR], measures.asked[VALUE_QUERY], measures.asked[VALUE_CLASSIFIER],
                     measures.asked[VALUE_CATEGORY]);
    }
    arena_release(&arena);
}

static void says_what_it_asks_for(void **state)
{
    struct predicate *predicate =
        parse(STR("hockey and (query() > 0.4\n or category(\"B\") or category(\"A\") or category(\"B\")) or (false and "
                  "classifier())"));
    struct errmsg err = {{0}};

    (void)state;
    assert_true(predicate_asks(predicate, VALUE_QUERY));
    assert_true(predicate_asks(predicate, VALUE_CATEGORY));
    assert_false(predicate_asks(predicate, VALUE_CLASSIFIER)); /* it cannot matter */
    assert_false(predicate_asks(predicate, VALUE_SIMILAR));
    assert_int_equal(predicate_ncategories(predicate), 2);
    assert_str(predicate_category(predicate, 0), "B");
    assert_str(predicate_category(predicate, 1), "A");
    assert_int_equal(predicate_refuse(predicate, VALUE_CLASSIFIER, 0, "no", &err), SCENT_OK);
    assert_int_equal(predicate_refuse(predicate, VALUE_QUERY, 0, "add a query", &err), SCENT_E_INVALID);
    assert_string_equal(err.text, "1:13: add a query\n    hockey and (query() > 0.4\n                ^");
    assert_int_equal(predicate_refuse(predicate, VALUE_CATEGORY, 1, "no A", &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "2:22: no A\n"));
    assert_int_equal(predicate_refuse(predicate, VALUE_CATEGORY, UINT32_MAX, "no taxonomy", &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "2:5: no taxonomy\n"));
    predicate_free(predicate);
}

static const struct {
    const char *predicate, *message;
} errors[] = {
    {"", "1:1: the predicate is empty; write for example: similar() > 0.3\n    \n    ^"},
    {" \n ", "1:1: the predicate is empty; write for example: similar() > 0.3\n     \n    ^"},
    {"ice hockey",
     "1:5: expected 'and', 'or' or the end (a phrase stands in quotes), got hockey\n    ice hockey\n        ^"},
    {"(ice hockey)",
     "1:6: expected 'and', 'or' or ')' (a phrase stands in quotes), got hockey\n    (ice hockey)\n         ^"},
    {"hockey and", "1:11: expected a word, a text in quotes or a test, got the end\n    hockey and\n              ^"},
    {"and hockey", "1:1: expected a word, a text in quotes or a test, got and\n    and hockey\n    ^"},
    {"hockey or or rink",
     "1:11: expected a word, a text in quotes or a test, got or\n    hockey or or rink\n              ^"},
    {"(hockey", "1:8: expected ')', got the end\n    (hockey\n           ^"},
    {"hockey)", "1:7: expected 'and', 'or' or the end (a phrase stands in quotes), got )\n    hockey)\n          ^"},
    {"()", "1:2: expected a word, a text in quotes or a test, got )\n    ()\n     ^"},
    {"hockey and\n  (rink or )",
     "2:12: expected a word, a text in quotes or a test, got )\n      (rink or )\n               ^"},
    {"\"open", "1:1: this text has no closing quote\n    \"open\n    ^"},
    {"\"open\\\"", "1:1: this text has no closing quote\n    \"open\\\"\n    ^"},
    {"a and \"\"", "1:7: there is no word in this text\n    a and \"\"\n          ^"},
    {"\"!!!\"", "1:1: there is no word in this text\n    \"!!!\"\n    ^"},
    {"hockey && rink", "1:8: write 'and', 'or' and 'not' in letters\n    hockey && rink\n           ^"},
    {"!hockey", "1:1: write 'and', 'or' and 'not' in letters\n    !hockey\n    ^"},
    {"hockey; rink",
     "1:7: unexpected character; put what is to be found on the page in quotes\n    hockey; rink\n          ^"},
    {"title",
     "1:6: expected '(' after 'title' (to find the word itself, put it in quotes), got the end\n    title\n         ^"},
    {"title(nhl)", "1:7: expected a text in quotes, got nhl\n    title(nhl)\n          ^"},
    {"title(\"nhl\"", "1:12: expected ')', got the end\n    title(\"nhl\"\n               ^"},
    {"url = \"x\"",
     "1:5: expected '~' after 'url' (to find the word itself, put it in quotes), got =\n    url = \"x\"\n        ^"},
    {"url ~ x", "1:7: expected a regular expression in quotes, got x\n    url ~ x\n          ^"},
    {"url ~ \"a(b\"",
     "1:11: not a regular expression: missing closing parenthesis\n    url ~ \"a(b\"\n              ^"},
    {"url ~ \"[\"",
     "1:9: not a regular expression: missing terminating ] for character class\n    url ~ \"[\"\n            ^"},
    {"host ~ \"x\"", "1:6: expected '=', '!=' or 'in' after 'host' (to find the word itself, put it in quotes), got "
                     "~\n    host ~ \"x\"\n         ^"},
    {"host in \"x\"", "1:9: expected '(' after 'in', got \"x\"\n    host in \"x\"\n            ^"},
    {"host in ()", "1:10: expected a text in quotes, got )\n    host in ()\n             ^"},
    {"host in (\"a\" \"b\")", "1:14: expected ',' or ')', got \"b\"\n    host in (\"a\" \"b\")\n                 ^"},
    {"host = \"http://a.org/\"", "1:8: expected only a host such as \"www.example.org\" or \"*.example.org\"\n    host "
                                 "= \"http://a.org/\"\n           ^"},
    {"host = \"münchen.de\"", "1:8: write the host in its ASCII form (xn--…)\n    host = \"münchen.de\"\n           ^"},
    {"host = \"\"", "1:8: a host is missing between the quotes\n    host = \"\"\n           ^"},
    {"lang = \"english\"", "1:8: expected a language code of two letters such as \"en\", or \"\" for an unknown "
                           "language\n    lang = \"english\"\n           ^"},
    {"lang > \"en\"", "1:6: expected '=', '!=' or 'in' after 'lang' (to find the word itself, put it in quotes), got "
                      ">\n    lang > \"en\"\n         ^"},
    {"similar > 0.5", "1:9: expected '(' (to find the word itself, put it in quotes), got >\n    similar > 0.5\n            ^"},
    {"similar() > .5", "1:13: unexpected character; put what is to be found on the page in quotes\n    similar() > "
                       ".5\n                ^"},
    {"size and hockey", "1:6: expected <, <=, >, >=, = or != (to find a word or number, put it in quotes), got and\n    "
                        "size and hockey\n         ^"},
    {"size > big", "1:8: expected a number, size, depth, similar(), query(), classifier(), browsing(), judge() or category(\"…\"), got "
                   "big\n    size > big\n           ^"},
    {"size > 10kg", "1:8: expected a number such as 0.5 or a size such as 10kB; put a word that begins with a digit in "
                    "quotes\n    size > 10kg\n           ^"},
    {"size > 1.2.3", "1:8: expected a number such as 0.5 or 12\n    size > 1.2.3\n           ^"},
    {"size > 1.", "1:8: expected a number such as 0.5 or 12\n    size > 1.\n           ^"},
    {"2024", "1:5: expected <, <=, >, >=, = or != (to find a word or number, put it in quotes), got the end\n    "
             "2024\n        ^"},
    {"category() > 1", "1:10: expected the name of a category in quotes, got )\n    category() > 1\n             ^"},
    {"category(Sports)",
     "1:10: expected the name of a category in quotes, got Sports\n    category(Sports)\n             ^"},
    {"category(\" \")", "1:10: the name of the category is empty\n    category(\" \")\n             ^"},
    {"category(\"A\", \"B\")", "1:13: expected ')', got ,\n    category(\"A\", \"B\")\n                ^"},
    {"query(hockey)", "1:7: expected ')', got hockey\n    query(hockey)\n          ^"},
    {"classifier", "1:11: expected '(' (to find the word itself, put it in quotes), got the end\n    classifier\n          "
                   "    ^"},
    {"classifier() > high", "1:16: expected a number, size, depth, similar(), query(), classifier(), browsing(), judge() or category(\"…\"), "
                            "got high\n    classifier() > high\n                   ^"},
    {"classifier() hockey", "1:14: expected 'and', 'or' or the end (a phrase stands in quotes), got hockey\n    "
                            "classifier() hockey\n                 ^"},
    {"café und", "1:6: expected 'and', 'or' or the end (a phrase stands in quotes), got und\n    café und\n         ^"},
};

static void errors_have_position_and_fix(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct errmsg err = {{0}};
        struct predicate *predicate;

        assert_int_not_equal(predicate_parse(str_of(errors[i].predicate), &predicate, &err), SCENT_OK);
        assert_null(predicate);
        assert_string_equal(err.text, errors[i].message);
    }
}

static void parses_a_long_line_with_an_excerpt(void **state)
{
    char line[400];
    struct errmsg err;
    struct predicate *predicate;

    (void)state;
    memset(line, ' ', sizeof line);
    memcpy(line, "aa", 2);
    memcpy(line + 200, "bb cc", 5);
    assert_int_equal(predicate_parse((struct str){line, 300}, &predicate, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "1:201: "));
    assert_true(strlen(err.text) < 300);
}

static scent_status parse_repeated(const char *part, size_t times, const char *tail, struct errmsg *err)
{
    struct predicate *predicate;
    struct buf text;
    scent_status status;

    buf_init(&text, 0);
    for (size_t i = 0; i < times; i++)
        buf_addz(&text, part);
    buf_addz(&text, tail);
    status = predicate_parse(buf_str(&text), &predicate, err);
    predicate_free(predicate);
    buf_release(&text);
    return status;
}

static void caps_hold(void **state)
{
    struct errmsg err;

    (void)state;
    assert_ok(parse_repeated("not ", 63, "x", &err), err);
    assert_int_equal(parse_repeated("not ", 64, "x", &err), SCENT_E_LIMIT);
    assert_non_null(strstr(err.text, "1:257: nested more than 64 deep"));
    assert_int_equal(parse_repeated("(", 5000, "", &err), SCENT_E_LIMIT);
    assert_ok(parse_repeated("x or ", 999, "x", &err), err);
    assert_int_equal(parse_repeated("x or ", 1000, "x", &err), SCENT_E_LIMIT);
    assert_non_null(strstr(err.text, "more than 1000 words"));
    assert_ok(parse_repeated("true or ", 2000, "x", &err), err);
    assert_int_equal(parse_repeated(" ", 16385, "", &err), SCENT_E_LIMIT);
    assert_string_equal(err.text, "1:1: the predicate is longer than 16384 bytes");
    assert_int_equal(parse_repeated("url ~ \"", 1, "((((a{1,900}){1,900}){1,900}){1,900})\"", &err), SCENT_E_INVALID);
}

static void hostile_expressions_give_up(void **state)
{
    struct predicate_input input = {0};
    struct predicate *predicate;
    struct errmsg err;
    struct arena arena;
    struct page page;
    struct buf url, out;

    (void)state;
    arena_init(&arena, 1 << 20);
    buf_init(&url, 0);
    buf_init(&out, 0);
    buf_addz(&url, "https://a.test/");
    for (int i = 0; i < 4000; i++)
        buf_addc(&url, 'a');
    buf_addc(&url, '!');
    sample_page(&arena, buf_z(&url), "en", "", "x", &page);
    input.page = &page;
    assert_ok(
        predicate_parse(STR("url ~ \"(a+)+(b|c)\" or url ~ \"(a|aa)+$\" or url ~ \"(?=.*b)(.*)*x\""), &predicate, &err),
        err);
    assert_false(predicate_eval(predicate, &input));
    assert_ok(predicate_explain(predicate, &input, &out), err);
    assert_non_null(strstr(buf_z(&out), "gave up"));
    predicate_free(predicate);
    buf_release(&out);
    buf_release(&url);
    arena_release(&arena);
}

static void words_follow_the_language_of_the_page(void **state)
{
    static const struct {
        const char *lang, *text, *predicate;
        bool truth;
    } cases[] = {
        {"de", "Die Häuser am Meer", "Haus", true},
        {"de", "Die Häuser am Meer", "hauses", true},
        {"fr", "les maisons bleues", "maison", true},
        {"", "the houses", "house", false},
        {"", "the houses", "houses", true},
        {"xx", "the houses", "houses", true},
        {"en", "running", "runs", true},
        {"", "running", "runs", false},
        {"en", "players and more players", "title(\"more player\")", true},
        {"ru", "книги", "книга", true},
        {"eng", "houses", "houses", true},
    };
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct predicate_input input = {0};
        struct predicate *predicate;
        struct errmsg err;
        struct page page;

        sample_page(&arena, "https://a.test/", cases[i].lang, cases[i].text, cases[i].text, &page);
        input.page = &page;
        assert_ok(predicate_parse(str_of(cases[i].predicate), &predicate, &err), err);
        if (predicate_eval(predicate, &input) != cases[i].truth)
            fail_msg("%s in %s '%s'", cases[i].predicate, cases[i].lang, cases[i].text);
        predicate_free(predicate);
    }
    arena_release(&arena);
}

static void an_empty_page_has_a_verdict(void **state)
{
    struct page page = {0};
    struct predicate_input input = {.page = &page};
    struct predicate *predicate;
    struct errmsg err;
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    assert_ok(predicate_parse(
                  STR("a or \"b c\" or \"the\" or title(\"x\") or url ~ \"\" or host = \"*\" and lang = \"en\" or "
                      "similar() > 0"),
                  &predicate, &err),
              err);
    assert_false(predicate_eval(predicate, &input));
    assert_ok(predicate_explain(predicate, &input, &out), err);
    predicate_free(predicate);
    buf_release(&out);
}

static void explains_every_part(void **state)
{
    struct measures measures = {0};
    struct predicate_input input = {.bytes = 10000, .depth = 3, .oracle = {.ask = ask, .ctx = &measures}};
    struct predicate *predicate;
    struct errmsg err;
    struct arena arena;
    struct page page;
    struct buf out;

    (void)state;
    arena_init(&arena, 1 << 20);
    buf_init(&out, 0);
    sample_page(&arena, "https://www.hockey.example.org/news", "en", sample_title, sample_text, &page);
    input.page = &page;
    assert_ok(predicate_parse(
                  STR("similar() > 0.25 and (players or \"ice rink\" or \"ice hockey\") and not url ~ \"/n.w\" and "
                      "\"the\" and football and title('nhl') and host = '*.org' and lang != 'de' and size < depth"),
                  &predicate, &err),
              err);
    assert_ok(predicate_explain(predicate, &input, &out), err);
    assert_string_equal(buf_z(&out),
                        "no   all of:\n"
                        "     yes  similar() > 0.25  (similar() is 0.5)\n"
                        "     yes  any of:\n"
                        "          yes  players  (2 on the page, the first as 'players')\n"
                        "          no   \"ice rink\"  (not on the page)\n"
                        "          yes  \"ice hockey\"  (from word 8 of the page)\n"
                        "     no   not:\n"
                        "          yes  url ~ \"/n.w\"  (matches '/new')\n"
                        "     yes  \"the\"  (a stop word of the page)\n"
                        "     no   football  (not on the page)\n"
                        "     yes  title('nhl')  (the title is 'The NHL: Hockey leagues & Players of 2024')\n"
                        "     yes  host = '*.org'  (the host is www.hockey.example.org)\n"
                        "     yes  lang != 'de'  (the language is en)\n"
                        "     no   size < depth  (size is 10000, depth is 3)\n");
    predicate_free(predicate);
    buf_clear(&out);
    assert_ok(predicate_parse(STR("football or true"), &predicate, &err), err);
    assert_ok(predicate_explain(predicate, &input, &out), err);
    assert_string_equal(buf_z(&out), "yes  football or true  (always)\n");
    predicate_free(predicate);
    buf_release(&out);
    arena_release(&arena);
}

static void its_words_are_a_query(void **state)
{
    static const char *const cases[][2] = {
        {"hockey", " \"hockey\""},
        {"'ice hockey' and title(\"nhl-cup\")", " #sum( \"ice hockey\" \"nhl cup\")"},
        {"(a or \"b c\") and lang = \"en\" and not shop", " #sum( #max( \"a\" \"b c\"))"},
        {"similar() > 0.3 or url ~ \"hockey\"", ""},
        {"not hockey", ""},
        {"true", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct predicate *predicate;
        struct query *query;
        struct errmsg err = {{0}};
        struct buf text;

        buf_init(&text, 0);
        assert_ok(predicate_parse(str_of(cases[i][0]), &predicate, &err), err);
        predicate_write_query(predicate, &text);
        assert_string_equal(buf_z(&text), cases[i][1]);
        if (text.len) {
            assert_ok(query_parse(buf_str(&text), &query, &err), err);
            query_free(query);
        }
        buf_release(&text);
        predicate_free(predicate);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_the_sample),
        cmocka_unit_test(measures_are_taken_when_needed),
        cmocka_unit_test(says_what_it_asks_for),
        cmocka_unit_test(errors_have_position_and_fix),
        cmocka_unit_test(parses_a_long_line_with_an_excerpt),
        cmocka_unit_test(caps_hold),
        cmocka_unit_test(hostile_expressions_give_up),
        cmocka_unit_test(words_follow_the_language_of_the_page),
        cmocka_unit_test(an_empty_page_has_a_verdict),
        cmocka_unit_test(explains_every_part),
        cmocka_unit_test(its_words_are_a_query),
    };

    return cmocka_run_group_tests_name("topic/predicate", tests, NULL, NULL);
}
