/* Each warning comes once, when it is due, and is kept. */
#include "crawldir/crawldir.h"
#include "engine/warnings.h"
#include "test.h"
#include "topic/query.h"

#include <stdio.h>

struct fixture {
    struct log log;
    struct warnings warnings;
    struct arena arena;
    struct rows rows;
    struct judgement judgement;
    unsigned lines;
    char last[2048];
};

static void hear(void *ctx, enum log_level level, const char *line)
{
    struct fixture *f = ctx;

    assert_int_equal(level, LOG_WARN);
    f->lines++;
    snprintf(f->last, sizeof f->last, "%s", line);
}

static void set_up(struct fixture *f)
{
    *f = (struct fixture){.log = {.level = LOG_WARN, .sink = hear, .ctx = f}, .judgement = {.relevant = true}};
    arena_init(&f->arena, 1 << 20);
    rows_init(&f->rows, &f->arena);
    warnings_init(&f->warnings, &f->log);
}

static void tear_down(struct fixture *f)
{
    warnings_release(&f->warnings);
    arena_release(&f->arena);
}

static void look(struct fixture *f, uint64_t pages, uint64_t relevant)
{
    warnings_look(&f->warnings,
                  &(struct warnings_view){.pages = pages, .relevant = relevant, .judgement = &f->judgement}, &f->rows);
}

/* The last value that was written. */
static struct str kept(const struct fixture *f)
{
    assert_true(f->rows.nvalues > 0);
    assert_string_equal(f->rows.values[f->rows.nvalues - 1].name, CRAWLDIR_WARNINGS);
    return f->rows.values[f->rows.nvalues - 1].value;
}

static void the_share_of_relevant_pages_is_looked_at_after_200(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    look(&f, 199, 199);
    look(&f, 200, 160);
    look(&f, 200, 1);
    assert_int_equal(f.lines, 0);
    look(&f, 200, 161);
    assert_int_equal(f.lines, 1);
    assert_non_null(strstr(f.last, "161 of 200 pages are relevant: 'relevant' asks for too little"));
    look(&f, 400, 400);
    assert_int_equal(f.lines, 1); /* once */
    look(&f, 600, 0);
    look(&f, 999, 0);
    assert_int_equal(f.lines, 1); /* not at every page */
    look(&f, 800, 3);
    assert_int_equal(f.lines, 2);
    assert_non_null(strstr(f.last, "3 of 800 pages are relevant: 'relevant' may ask for too much"));
    assert_int_equal(f.rows.nvalues, 2);
    assert_true(str_starts(kept(&f), STR("many 161 of 200")));
    tear_down(&f);
}

static void the_last_verdicts_may_leave_few_relevant_pages(void **state)
{
    struct str by_default = STR("query() > 0.45");
    struct fixture f;

    (void)state;
    set_up(&f);
    look(&f, 200, 12);
    assert_false(warnings_end(&f.warnings, 199, 0, by_default)); /* too few pages to tell */
    assert_false(warnings_end(&f.warnings, 300, 2, by_default));
    assert_int_equal(f.lines, 0);
    assert_true(warnings_end(&f.warnings, 300, 1, by_default));
    assert_non_null(strstr(f.last, "1 of 300 pages are relevant (a topic without the key 'relevant' asks for "
                                   "'query() > 0.45'): 'relevant' may ask"));
    assert_true(str_starts(buf_str(&f.warnings.text), STR("few 1 of 300 pages")));
    assert_false(warnings_end(&f.warnings, 300, 1, by_default)); /* once */
    assert_int_equal(f.lines, 1);
    tear_down(&f);
}

static unsigned warn_of(const char *relevant)
{
    struct errmsg err = {{0}};
    struct topic *topic;
    struct judge *judge;
    struct fixture f;
    struct str text;

    set_up(&f);
    text = arena_printf(&f.arena, "topic: t\nseeds: [http://a.test/]\nquery: hockey rink\nrelevant: '%s'\n", relevant);
    assert_ok(topic_parse(text, "t.yaml", &topic, &err), err);
    judge = judge_new(&(struct judge_basis){.topic = topic});
    warnings_look(&f.warnings,
                  &(struct warnings_view){.pages = 200, .relevant = 190, .judgement = &f.judgement, .judge = judge,
                                          .lang = STR("en")}, &f.rows);
    if (f.lines)
        assert_non_null(strstr(f.last, "190 of 200 pages are relevant, and pages about anything else would be"));
    judge_unref(judge);
    topic_free(topic);
    tear_down(&f);
    return f.lines;
}

/* A crawl that finds relevant pages alone is a good one, unless its judge takes anything. */
static void many_relevant_pages_are_well_where_the_judge_tells_them_apart(void **state)
{
    (void)state;
    assert_int_equal(warn_of("\"hockey\""), 0);
    assert_int_equal(warn_of("similar() > 0.2"), 0);
    assert_int_equal(warn_of("query() > 0.45"), 0);
    assert_int_equal(warn_of("host = \"a.test\""), 0);
    assert_int_equal(warn_of("\"time\" or \"use\""), 1);
    assert_int_equal(warn_of("similar() >= 0"), 1);
    assert_int_equal(warn_of("query() > 0.3"), 1);
    assert_int_equal(warn_of("not \"hockey\""), 1);
}

static void a_seed_that_is_not_relevant_is_named_in_the_log_alone(void **state)
{
    struct warnings_view view = {.pages = 1, .seed = STR("http://a.test/secret")};
    struct fixture f;

    (void)state;
    set_up(&f);
    view.judgement = &f.judgement;
    warnings_look(&f.warnings, &view, &f.rows);
    assert_int_equal(f.lines, 0);
    f.judgement = (struct judgement){.relevant = false, .score = .125};
    look(&f, 2, 1); /* not a seed */
    assert_int_equal(f.lines, 0);
    warnings_look(&f.warnings, &view, &f.rows);
    warnings_look(&f.warnings, &view, &f.rows);
    assert_int_equal(f.lines, 1);
    assert_true(str_starts(str_of(f.last), STR("http://a.test/secret: a seed is not relevant itself: ask")));
    assert_true(str_starts(kept(&f), STR("seed a seed is not relevant itself")));
    assert_null(memmem(kept(&f).p, kept(&f).len, "secret", 6));
    tear_down(&f);
}

static void a_model_that_tells_nothing_apart(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    for (int i = 0; i < 4; i++)
        warnings_look(&f.warnings,
                      &(struct warnings_view){.pages = 1, .judgement = &f.judgement,
                                              .auc = (double[]){0, WARNINGS_AUC, .625, .5}[i]}, &f.rows);
    assert_int_equal(f.lines, 1);
    assert_true(str_starts(kept(&f), STR("model the model hardly tells the classes apart: AUC 0.625")));
    tear_down(&f);
}

static void query_warning(const char *text, const uint64_t *df, const char *want)
{
    struct errmsg err = {{0}};
    struct query_counts counts;
    struct query *query;
    struct fixture f;
    struct warnings_view view = {.pages = 50};

    set_up(&f);
    assert_ok(query_parse(str_of(text), &query, &err), err);
    query_counts_init(&counts, query);
    for (size_t i = 0; i < query_terms(query); i++)
        counts.df[i] = df[i];
    view.judgement = &f.judgement;
    view.query = query;
    view.counts = &counts;
    counts.documents = WARNINGS_QUERY_PAGES - 1;
    warnings_look(&f.warnings, &view, &f.rows);
    assert_int_equal(f.lines, 0);
    counts.documents = WARNINGS_QUERY_PAGES;
    warnings_look(&f.warnings, &view, &f.rows);
    warnings_look(&f.warnings, &view, &f.rows);
    assert_int_equal(f.lines, want ? 1 : 0);
    if (want)
        assert_non_null(strstr(f.last, want));
    query_counts_release(&counts);
    query_free(query);
    tear_down(&f);
}

static void words_of_a_query_that_are_nowhere(void **state)
{
    (void)state;
    query_warning("hockey goalie", (uint64_t[]){3, 1}, NULL);
    query_warning("hockey parliament", (uint64_t[]){3, 0}, NULL); /* a word, if not one of these pages */
    query_warning("hockey gaolie", (uint64_t[]){3, 0}, "'gaolie' of the query stands on none of the first 50 pages");
    query_warning("hokcey rink gaolie", (uint64_t[]){0, 7, 0}, "'hokcey', 'gaolie' of the query stand on none");
    query_warning("rink parliament", (uint64_t[]){0, 0}, "no word of the query stands on any of the first 50 pages");
    query_warning("rink #not(gaolie)", (uint64_t[]){1, 0}, NULL);
}

static void a_resumed_crawl_does_not_repeat_itself(void **state)
{
    struct fixture f, g;

    (void)state;
    set_up(&f);
    set_up(&g);
    look(&f, 200, 200);
    warnings_restore(&g.warnings, kept(&f));
    look(&g, 400, 400);
    assert_int_equal(g.lines, 0);
    look(&g, 800, 0);
    assert_int_equal(g.lines, 1);
    assert_non_null(memmem(kept(&g).p, kept(&g).len, "many 200 of 200", 15)); /* the old one is kept, too */
    tear_down(&g);
    set_up(&g);
    warnings_restore(&g.warnings, STR("\nmany\nstrange things\nmany twice\nfew")); /* damaged, or of a later version */
    look(&g, 200, 200);
    look(&g, 400, 0);
    assert_int_equal(g.lines, 0);
    tear_down(&f);
    tear_down(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_share_of_relevant_pages_is_looked_at_after_200),
        cmocka_unit_test(the_last_verdicts_may_leave_few_relevant_pages),
        cmocka_unit_test(many_relevant_pages_are_well_where_the_judge_tells_them_apart),
        cmocka_unit_test(a_seed_that_is_not_relevant_is_named_in_the_log_alone),
        cmocka_unit_test(a_model_that_tells_nothing_apart),
        cmocka_unit_test(words_of_a_query_that_are_nowhere),
        cmocka_unit_test(a_resumed_crawl_does_not_repeat_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
