/* Files of what a crawl learned: they come back or are refused, with a message that names them. */
#include "crawldir/learned.h"

#include "base/file.h"
#include "test.h"

static const struct learned_origin origin = {
    .strategy = {"intelligent", 11}, .topic = {"ice hockey", 10}, .pages = 500, .relevant = 120};

static void make_file(struct buf *out)
{
    buf_init(out, 0);
    assert_int_equal(learned_write(&origin, STR("some counts"), out), SCENT_OK);
}

static void it_comes_back(void **state)
{
    struct learned_origin got;
    struct errmsg err = {0};
    struct buf file;
    struct str blob;

    (void)state;
    make_file(&file);
    assert_ok(learned_read(buf_str(&file), "x.learned", &got, &blob, &err), err);
    assert_str(got.strategy, "intelligent");
    assert_str(got.topic, "ice hockey");
    assert_true(got.pages == 500 && got.relevant == 120);
    assert_str(blob, "some counts");
    buf_release(&file);
}

static void every_damaged_byte_is_noticed(void **state)
{
    struct learned_origin got;
    struct errmsg err = {0};
    struct buf file;
    struct str blob;

    (void)state;
    make_file(&file);
    for (size_t i = 0; i < file.len; i++) {
        file.p[i] ^= (char)(1 << i % 8);
        assert_int_not_equal(learned_read(buf_str(&file), "x.learned", &got, &blob, &err), SCENT_OK);
        assert_non_null(strstr(err.text, "x.learned: "));
        file.p[i] ^= (char)(1 << i % 8);
        assert_int_equal(learned_read(str_sub(buf_str(&file), 0, i), "x.learned", &got, &blob, &err), SCENT_E_FORMAT);
    }
    buf_release(&file);
}

/* ---- crawls that begin with it ---- */

static struct topic *make_topic(const char *yaml)
{
    struct errmsg err = {0};
    struct topic *topic;
    char text[2048];

    snprintf(text, sizeof text, "topic: t\nseeds: [http://a.test/]\n%s\n", yaml);
    assert_ok(topic_parse(str_of(text), "t.yaml", &topic, &err), err);
    return topic;
}

static void open_strategy(const struct topic *topic, struct strategy *out)
{
    struct strategy_context context = {.topic = topic, .seed = 1};
    struct errmsg err = {0};

    assert_ok(strategy_open(&context, out, &err), err);
}

static scent_status recall(const char *strategy, const char *from, struct errmsg *err)
{
    char yaml[1024];
    struct strategy opened;
    struct topic *topic;
    scent_status status;
    struct log log;

    log_init_stderr(&log, LOG_ERROR);
    snprintf(yaml, sizeof yaml, "strategy: %s\nreuse: {from: '%s', weight: 0.5}", strategy, from);
    topic = make_topic(yaml);
    open_strategy(topic, &opened);
    status = learned_recall(&opened, topic, &log, err);
    strategy_close(&opened);
    topic_free(topic);
    return status;
}

static void assert_refused(const char *strategy, const char *from, scent_status want, const char *says)
{
    struct errmsg err = {0};

    assert_int_equal(recall(strategy, from, &err), want);
    if (!strstr(err.text, says))
        fail_msg("%s", err.text);
}

static void keep(const char *dir, const char *strategy)
{
    struct topic *topic = make_topic(strategy);
    struct strategy opened;
    struct errmsg err = {0};
    struct learned_origin of = origin;

    open_strategy(topic, &opened);
    of.strategy = str_of(opened.ops->name);
    assert_ok(learned_keep(&opened, NULL, dir, &of, &err), err);
    strategy_close(&opened);
    topic_free(topic);
}

static void what_does_not_fit_is_told(void **state)
{
    char *dir = test_make_dir(), path[700];
    struct errmsg err = {0};

    (void)state;
    assert_refused("intelligent", dir, SCENT_E_INVALID, "has nothing that intelligent learned; it is not a crawl");
    keep(dir, "strategy: breadth-first"); /* learns nothing: no file */
    assert_refused("intelligent", dir, SCENT_E_INVALID, "has nothing that intelligent learned");
    keep(dir, "strategy: intelligent");
    assert_ok(recall("intelligent", dir, &err), err);
    snprintf(path, sizeof path, "%s/learned/intelligent.learned", dir);
    assert_ok(recall("intelligent", path, &err), err);
    assert_refused("breadth-first", dir, SCENT_E_INVALID, "learns nothing that another crawl could begin with");
    assert_refused("breadth-first", dir, SCENT_E_INVALID, "query-context, ");
    assert_refused("{name: fusion, of: best-first + intelligent}", dir, SCENT_E_INVALID,
                   "it has what these learned: intelligent");
    assert_refused("{name: fusion, of: best-first + intelligent}", path, SCENT_E_INVALID,
                   "intelligent learned this, and fusion is to crawl");
    assert_refused("{name: intelligent, tokens: fine}", dir, SCENT_E_INVALID, "learned/intelligent.learned: intelligent learned");
    assert_refused("intelligent", "/nowhere/x.learned", SCENT_E_NOTFOUND, "/nowhere/x.learned");
    assert_refused("intelligent", "/etc/passwd", SCENT_E_FORMAT, "not a learned file of scent; name a crawl");
    assert_ok(file_replace(path, STR("scentlrn\1\0\0\0"), &err), err);
    assert_refused("intelligent", dir, SCENT_E_FORMAT, "cut off");
    test_remove_dir(dir);
}

static void what_is_kept_can_be_forgotten(void **state)
{
    char *dir = test_make_dir(), path[700];
    struct errmsg err = {0};

    (void)state;
    assert_ok(learned_forget(dir, &err), err); /* there is nothing */
    keep(dir, "strategy: intelligent");
    snprintf(path, sizeof path, "%s/learned/model", dir);
    assert_ok(file_replace(path, STR("x"), &err), err);
    assert_ok(learned_forget(dir, &err), err);
    assert_true(file_exists(path)); /* it was trained, not learned from the crawl's pages */
    snprintf(path, sizeof path, "%s/learned/intelligent.learned", dir);
    assert_false(file_exists(path));
    test_remove_dir(dir);
}

/* ---- the query ---- */

static void the_querys_counts_are_weighed(void **state)
{
    struct topic *topic = make_topic("query: '#sum(ice hockey)'"), *new, *other;
    char *dir = test_make_dir(), yaml[1024];
    struct query_counts term_counts, again;
    struct strategy strategy;
    struct errmsg err = {0};
    struct log log;

    (void)state;
    log_init_stderr(&log, LOG_ERROR);
    query_counts_init(&term_counts, topic->query);
    term_counts.documents = 100, term_counts.words = 5001, term_counts.df[0] = 31, term_counts.df[1] = 0;
    open_strategy(topic, &strategy);
    assert_ok(learned_keep(&strategy, &term_counts, dir, &origin, &err), err);
    strategy_close(&strategy);
    snprintf(yaml, sizeof yaml, "query: '#sum(ice hockey)'\nreuse: {from: '%s', weight: 0.25}", dir);
    new = make_topic(yaml);
    query_counts_init(&again, new->query);
    again.documents = 1, again.words = 7;
    assert_ok(learned_recall_counts(&again, new, &log, &err), err);
    assert_true(again.documents == 26 && again.words == 1257 && again.df[0] == 8 && again.df[1] == 0);
    query_counts_release(&again);
    snprintf(yaml, sizeof yaml, "query: '#sum(milk cheese)'\nreuse: '%s'", dir);
    other = make_topic(yaml);
    query_counts_init(&again, other->query);
    assert_ok(learned_recall_counts(&again, other, &log, &err), err); /* another query's counts say nothing */
    assert_true(again.documents == 0);
    query_counts_release(&again);
    query_counts_release(&term_counts);
    topic_free(topic);
    topic_free(new);
    topic_free(other);
    test_remove_dir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_comes_back),
        cmocka_unit_test(every_damaged_byte_is_noticed),
        cmocka_unit_test(what_does_not_fit_is_told),
        cmocka_unit_test(what_is_kept_can_be_forgotten),
        cmocka_unit_test(the_querys_counts_are_weighed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
