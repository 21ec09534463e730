#include "topic/predicate.h"
#include "topic_sample.h"

/* https://www.hockey.example.org/news/2024?page=2, English, 10,000 bytes, depth 3, similar 0.5 */
static const char sample_text[] =
    "Ice hockey players skate on the rink. Hockey is a winter sport; the National League plays in October. "
    "State of the art sticks are made of carbon. To be or not to be. Café au lait. 3d printing. "
    "\xe5\x86\xb0\xe7\x90\x83";
static const char sample_title[] = "The NHL: Hockey leagues & Players of 2024";

static const struct {
    const char *predicate;
    bool truth;
} truths[] = {
    /* words, by stem */
    {"hockey", true},
    {"HOCKEY", true},
    {"\"hockey\"", true},
    {"'hockey'", true},
    {"player", true},
    {"playing", true},
    {"skating", true},
    {"football", false},
    {"league", true},
    {"leagues", true},
    {"\"café\"", true},
    {"café", true},
    {"CAFÉ", true},
    {"cafe", false},
    {"\"3d\"", true},
    {"stick", true},
    {"carbons", true},
    {"nhl", true},
    {"afl", false},
    /* stop words are not in the bag */
    {"\"the\"", true},
    {"\"of\"", true},
    {"\"or\"", true},
    {"\"whom\"", false},
    /* phrases */
    {"\"ice hockey\"", true},
    {"\"Ice-Hockey\"", true},
    {"ice-hockey", true},
    {"\"hockey ice\"", false},
    {"\"skating on the rinks\"", true},
    {"\"national leagues\"", true},
    {"\"state of the art\"", true},
    {"\"to be or not to be\"", true},
    {"\"of the state\"", false},
    {"\"rink hockey\"", true},
    {"\"rink sport\"", false},
    {"\"\xe5\x86\xb0\xe7\x90\x83\"", true},
    {"\"\xe7\x90\x83\xe5\x86\xb0\"", false},
    {"\"printing \xe5\x86\xb0\xe7\x90\x83 x\"", false},
    /* title */
    {"title(\"nhl\")", true},
    {"title(\"NHL hockey\")", true},
    {"title(\"league\")", true},
    {"title(\"hockey league\")", true},
    {"title(\"league hockey\")", false},
    {"title('player')", true},
    {"title(\"rink\")", false},
    {"title(\"2024\")", true},
    {"title(\"players of 2024\")", true},
    {"title(\"2024 extra\")", false},
    {"TITLE(\"the nhl\")", true},
    /* url */
    {"url ~ \"hockey\"", true},
    {"url ~ \"^https:\"", true},
    {"url ~ \"\\.org(/|$)\"", true},
    {"url ~ \"\\.uk(/|$)\"", false},
    {"url ~ \"HOCKEY\"", false},
    {"url ~ \"(?i)HOCKEY\"", true},
    {"url ~ \"page=\\d$\"", true},
    {"url ~ \"\"", true},
    {"url ~ '\"'", false},
    {"url ~ \"\\\"\"", false},
    {"not url ~ \"/shop/\"", true},
    /* host */
    {"host = \"www.hockey.example.org\"", true},
    {"host = \"WWW.hockey.example.org\"", true},
    {"host = \"example.org\"", false},
    {"host = \"*.example.org\"", true},
    {"host != \"*.example.org\"", false},
    {"host in (\"a.test\", \"*.org\")", true},
    {"host in (\"a.test\")", false},
    {"host = \"*.org.\"", false},
    {"host != \"a.test\"", true},
    {"not host in ('a.test','b.test')", true},
    /* language */
    {"lang = \"en\"", true},
    {"lang = \"EN\"", true},
    {"lang == \"de\"", false},
    {"lang != \"de\"", true},
    {"lang in (\"de\", \"en\")", true},
    {"lang in (\"de\", \"fr\")", false},
    {"lang = \"\"", false},
    /* numbers */
    {"similar() > 0.4", true},
    {"similar() > 0.5", false},
    {"similar() >= 0.5", true},
    {"similar() = 0.5", true},
    {"similar() != 0.5", false},
    {"similar() < 0.51", true},
    {"similar() <= 0.5", true},
    {"0.4 < similar()", true},
    {"similar ( ) > 0.5", false},
    {"size > 9kB", true},
    {"size = 10kB", true},
    {"size < 10KiB", true},
    {"size >= 10000", true},
    {"size > 1.5MiB", false},
    {"depth <= 3", true},
    {"depth < 3", false},
    {"depth = 3", true},
    {"3 = depth", true},
    {"depth < size", true},
    {"1 < 2", true},
    {"2 <= 1", false},
    {"depth>2 and depth<4", true},
    /* logic */
    {"true", true},
    {"false", false},
    {"not true", false},
    {"not not true", true},
    {"NOT false", true},
    {"not not hockey", true},
    {"not not not hockey", false},
    {"true or false and false", true},
    {"(true or false) and false", false},
    {"not false and false", false},
    {"not (false and false)", true},
    {"hockey and football or rink", true},
    {"football or hockey and rink", true},
    {"football and (hockey or rink)", false},
    {"((((hockey))))", true},
    {"hockey AND rink Or football", true},
    {"true and hockey", true},
    {"false or football", false},
    {"hockey and true and true", true},
    {"football or (rink and (false or hockey))", true},
    {"not (hockey and not rink)", true},
    {"hockey\nand\n\trink", true},
    {"hockey and 1 > 2", false},
    {"not (football or url ~ \"^ftp\") and lang = \"en\"", true},
};

static void judges_the_sample(void **state)
{
    struct predicate_input input = {.bytes = 10000, .depth = 3, .similar = 0.5};
    struct arena arena;
    struct page page;

    (void)state;
    arena_init(&arena, 1 << 20);
    sample_page(&arena, "https://www.hockey.example.org/news/2024?page=2", "en", sample_title, sample_text, &page);
    input.page = &page;
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        struct errmsg err = {{0}};
        struct predicate *predicate;
        scent_status status = predicate_parse(str_of(truths[i].predicate), &predicate, &err);
        if (status != SCENT_OK)
            fail_msg("%s\n%s", truths[i].predicate, err.text);
        if (predicate_eval(predicate, &input) != truths[i].truth)
            fail_msg("%s: got %d", truths[i].predicate, !truths[i].truth);
        predicate_free(predicate);
    }
    arena_release(&arena);
}

static const struct {
    const char *predicate, *message;
} errors[] = {
    {"", "1:1: the predicate is empty; write for example: similar() > 0.25\n    \n    ^"},
    {" \n ", "1:1: the predicate is empty; write for example: similar() > 0.25\n     \n    ^"},
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
    {"similar > 0.5", "1:9: expected '()' after 'similar', got >\n    similar > 0.5\n            ^"},
    {"similar() > .5", "1:13: unexpected character; put what is to be found on the page in quotes\n    similar() > "
                       ".5\n                ^"},
    {"similar() and hockey", "1:11: expected <, <=, >, >=, = or != (to find a word or number, put it in quotes), got "
                             "and\n    similar() and hockey\n              ^"},
    {"size > big", "1:8: expected a number, similar(), size or depth, got big\n    size > big\n           ^"},
    {"size > 10kg", "1:8: expected a number such as 0.5 or a size such as 10kB; put a word that begins with a digit in "
                    "quotes\n    size > 10kg\n           ^"},
    {"size > 1.2.3", "1:8: expected a number such as 0.5 or 12\n    size > 1.2.3\n           ^"},
    {"size > 1.", "1:8: expected a number such as 0.5 or 12\n    size > 1.\n           ^"},
    {"2024", "1:5: expected <, <=, >, >=, = or != (to find a word or number, put it in quotes), got the end\n    "
             "2024\n        ^"},
    {"category(\"Sports\") > 0.5 and hockey", "1:1: category() needs a classifier, and this version of scent has none "
                                              "yet; remove this test\n    category(\"Sports\") > 0.5 a\n    ^"},
    {"hockey and classifier() > 0.5", "1:12: classifier() needs a classifier, and this version of scent has none yet; "
                                      "remove this test\n    hockey and classifier() > 0.5\n               ^"},
    {"query() >= 0.1", "1:1: query() needs a classifier, and this version of scent has none yet; remove this test\n    "
                       "query() >= 0.1\n    ^"},
    {"category() > 1", "1:10: expected a text in quotes, got )\n    category() > 1\n             ^"},
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
    struct predicate_input input = {.bytes = 10000, .depth = 3, .similar = 0.5};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_the_sample),
        cmocka_unit_test(errors_have_position_and_fix),
        cmocka_unit_test(parses_a_long_line_with_an_excerpt),
        cmocka_unit_test(caps_hold),
        cmocka_unit_test(hostile_expressions_give_up),
        cmocka_unit_test(words_follow_the_language_of_the_page),
        cmocka_unit_test(an_empty_page_has_a_verdict),
        cmocka_unit_test(explains_every_part),
    };

    return cmocka_run_group_tests_name("topic/predicate", tests, NULL, NULL);
}
