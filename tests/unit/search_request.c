/* Queries as people and attackers type them, and the expressions that are made of them. */
#include "search/request.h"

#include "test.h"

static const struct request_lang english[] = {{"en"}};
static struct request request;

static void assert_expression(const char *query, const char *expected)
{
    uint8_t order[REQUEST_VARIANTS];
    struct buf out;

    buf_init(&out, 0);
    request_parse(&request, str_of(query), english, 1);
    request_expression(&request, 0, REQUEST_ALL, &out, order);
    assert_string_equal(out.p, expected);
    buf_release(&out);
}

static void words_phrases_prefixes(void **state)
{
    (void)state;
    assert_expression("", "");
    assert_expression("tide", "((\"tide\"))");
    assert_expression("Spring TIDES", "((\"spring\") AND (\"tides\" OR \"tide\"))");
    assert_expression("\"Spring tides\"", "((\"spring tides\"))");
    assert_expression("tid* \"high ti\"*", "((\"tid\" *) AND (\"high ti\" *))");
    assert_expression("e-mail", "((\"e mail\"))");
    assert_expression("sea -river -\"salt lake\"", "((\"sea\")) NOT ((\"river\") OR (\"salt lake\"))");
    assert_expression("-river", " NOT ((\"river\"))");
    assert_true(request_is_empty(&request));
}

static void scripts_without_spaces(void **state)
{
    (void)state;
    assert_expression("東京都", "((\"東京 京都\"))");
    assert_expression("海", "((\"海\" *))");
    assert_expression("\"東京 大学\"", "((\"東京 京 大学\"))");
    assert_expression("東京\xE3\x80\x80海", "((\"東京\") AND (\"海\" *))");
}

static void filters(void **state)
{
    (void)state;
    assert_expression("sea HOST:Example.org lang:DE relevant:yes", "((\"sea\")) AND (url : (\"example org\"))");
    assert_string_equal(request.host, "example.org");
    assert_string_equal(request.lang, "de");
    assert_true(request.relevant_only && !request.irrelevant_only && request_has_filter(&request));
    assert_expression("host:a.test", "(url : (\"a test\"))");
    assert_false(request_is_empty(&request));
    assert_expression("sea relevant:no", "((\"sea\"))");
    assert_true(request.irrelevant_only);
    assert_expression("host: lang:", "((\"host\") AND (\"lang\"))");
    assert_expression("-host:a", " NOT ((\"host a\"))");
}

static void nothing_is_a_syntax_error(void **state)
{
    (void)state;
    assert_expression("\"", "");
    assert_expression("* - -- \"\" ^ ( ) { } + : ' \\", "");
    assert_expression("a AND b", "((\"a\") AND (\"and\") AND (\"b\"))");
    assert_expression("NEAR(a, 5)", "((\"near a\") AND (\"5\"))");
    assert_expression("title:x; DROP TABLE words", "((\"title x\") AND (\"drop\") AND (\"table\" OR \"tabl\") AND "
                                                   "(\"words\" OR \"word\"))");
    assert_expression("say \"the end", "((\"say\") AND (\"the end\"))");
}

static void long_queries_are_cut(void **state)
{
    enum { LONG = 1 << 20 };
    char *query = malloc(LONG);
    uint8_t order[REQUEST_VARIANTS];
    struct buf out;

    (void)state;
    assert_non_null(query);
    for (int kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < LONG; i++)
            query[i] = kind == 0 ? 'x' : kind == 1 ? (i % 2 ? ' ' : (char)('a' + i / 2 % 26)) : kind == 2 ? '"' : "-a "[i % 3];
        buf_init(&out, 0);
        request_parse(&request, (struct str){query, LONG}, english, 1);
        assert_true(request.ngroups <= REQUEST_GROUPS && request.nvariants <= REQUEST_VARIANTS);
        request_expression(&request, 0, REQUEST_ANY, &out, order);
        assert_true(out.len < 4 * REQUEST_BYTES);
        buf_release(&out);
    }
    free(query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_phrases_prefixes),   cmocka_unit_test(scripts_without_spaces), cmocka_unit_test(filters),
        cmocka_unit_test(nothing_is_a_syntax_error), cmocka_unit_test(long_queries_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
