/* The strategy of interclass rules on the paper's classes (department, course, personal, sports pages), each with words
 * of its own. Expected scores are Figure 5's, and the formulas done by hand. */
#include "rulebook_sample.h"
#include "strategy/advice.h"
#include "strategy_fixture.h"

static const struct str names[CLASSES] = {{"Uni.DH", 6}, {"Uni.CH", 6}, {"Uni.PH", 6}, {"Sports", 6}};
static const char *const pages[CLASSES] = {
    "<p>department faculty staff dean <a href=/1>one</a> <a href=/2>two</a>",
    "<p>course syllabus homework exam <a href=/1>one</a> <a href=/2>two</a>",
    "<p>hobby resume family photo <a href=/1>one</a> <a href=/2>two</a>",
    "<p>goal match score league <a href=/1>one</a> <a href=/2>two</a>",
};

static struct model *train(void)
{
    struct model_options options = model_options_default(MODEL_BAYES);
    struct learn_example examples[CLASSES];
    struct learn_set set = {.examples = examples, .nexamples = CLASSES, .classes = names, .nclasses = CLASSES};
    struct page_fixture read[CLASSES] = {0};
    struct errmsg err = {{0}};
    struct model *model;

    for (uint32_t i = 0; i < CLASSES; i++) {
        const struct page *page = fixture_html(&read[i], pages[i]);

        examples[i].class = i;
        examples[i].tf = (struct text_vector){calloc(page->nbag, sizeof(struct text_weight)), page->nbag};
        for (uint32_t k = 0; k < page->nbag; k++)
            examples[i].tf.items[k] = (struct text_weight){page->bag[k].stem, page->bag[k].tf};
    }
    assert_ok(model_train(&set, &options, &model, &err), err);
    for (uint32_t i = 0; i < CLASSES; i++) {
        free(examples[i].tf.items);
        fixture_release(&read[i]);
    }
    return model;
}

static scent_status open_topic(struct strategy_fixture *f, const char *target, const char *options,
                               const uint32_t counts[CLASSES][CLASSES], struct errmsg *err)
{
    struct strategy_context context = {.seed = 1};
    struct rulebook *rules = count_rules(names, counts), *arranged;
    char text[512];

    *f = (struct strategy_fixture){.judgement = {.query = JUDGE_UNASKED, .classifier = .07}};
    snprintf(text, sizeof text,
             "topic: t\nseeds: [http://site.test/]\ntaxonomy: {file: x.tsv, target: %s}\nstrategy: {name: rules%s}\n"
             "relevant: 'true'\n", target, options);
    assert_ok(topic_parse(str_of(text), "t.yaml", &f->topic, err), *err);
    f->knowledge.model = train();
    assert_ok(knowledge_arrange_rules(f->knowledge.model, rules, &arranged, err), *err);
    f->knowledge.rules = arranged;
    rulebook_free(rules);
    context.topic = f->topic;
    context.knowledge = &f->knowledge;
    return strategy_open(&context, &f->strategy, err);
}

static void open_ok(struct strategy_fixture *f, const char *target, const char *options,
                    const uint32_t counts[CLASSES][CLASSES])
{
    struct errmsg err = {{0}};

    assert_ok(open_topic(f, target, options, counts, &err), err);
}

/* The priority of the links of a page of this class, which a page of class `parent` (-1: nobody) linked to. */
static double visit(struct strategy_fixture *f, unsigned class, int parent)
{
    memset(f->own, 0, sizeof f->own);
    f->own[0] = (uint8_t)(parent + 1);
    fixture_visit(f, pages[class], 1, false, NULL);
    assert_close(fixture_score(f, 0).priority, fixture_score(f, 1).priority);
    assert_int_equal(fixture_score(f, 1).own[0], class + 1);
    return fixture_score(f, 0).priority;
}

static void links_score_as_in_the_paper(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_ok(&f, "Uni.PH", "", table_1);
    assert_close(visit(&f, PH, -1), .3);
    assert_close(visit(&f, DH, -1), .42);
    assert_close(visit(&f, CH, -1), .42);
    assert_close(visit(&f, SP, -1), .07); /* no path: soft focus */
    fixture_close(&f);
    open_ok(&f, "Uni.PH", ", paths: max, depth: 1", table_1);
    assert_close(visit(&f, DH, -1), .1);
    fixture_close(&f);
    open_ok(&f, "[Uni.PH, Uni.CH]", "", table_1);
    assert_close(visit(&f, DH, -1), .42 + .8 + .1 * .4);
    fixture_close(&f);
    open_ok(&f, "Uni", "", table_1); /* an inner category: all that lies below it */
    assert_close(visit(&f, PH, -1), .3 + (.4 + .3 * .8) + (.3 + .4 * .2));
    fixture_close(&f);
}

/* As evidence for another strategy: the log odds of the same scores, whatever the options of that strategy are. */
static void rules_advise(void **state)
{
    static const uint32_t chain[CLASSES][CLASSES] = {[SP] = {[DH] = 10}, [DH] = {[CH] = 10}, [CH] = {[PH] = 10}};
    struct strategy_context context = {.seed = 1};
    struct strategy_fixture f;
    struct errmsg err = {{0}};
    struct advice advice;

    (void)state;
    open_ok(&f, "Uni.PH", ", paths: max, depth: 1", table_1);
    context.topic = f.topic;
    context.knowledge = &f.knowledge;
    assert_ok(advice_init(&advice, &context, &err), err);
    assert_true(advice_has(&advice, ADVICE_RULES) && !advice_has(&advice, ADVICE_BROWSING));
    fixture_copy(&f, pages[DH], 1, false, NULL);
    assert_close((double)advice_of_page(&advice, ADVICE_RULES, &f.visit), log(.42 / .58) / 3);
    fixture_copy(&f, pages[SP], 2, false, NULL);
    assert_close((double)advice_of_page(&advice, ADVICE_RULES, &f.visit), log(.07 / .93) / 3);
    advice_release(&advice);
    fixture_close(&f);
    open_ok(&f, "Uni.PH", "", chain); /* the longest way there is */
    context.topic = f.topic;
    assert_ok(advice_init(&advice, &context, &err), err);
    fixture_copy(&f, pages[SP], 1, false, NULL);
    assert_close((double)advice_of_page(&advice, ADVICE_RULES, &f.visit), log(.999 / .001) / 3);
    advice_release(&advice);
    fixture_close(&f);
}

static void a_copy_scores_without_being_observed(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_ok(&f, "Uni.PH", "", table_1);
    fixture_copy(&f, pages[DH], 1, false, NULL);
    assert_close(fixture_score(&f, 0).priority, .42);
    fixture_copy(&f, pages[PH], 2, false, NULL);
    assert_close(fixture_score(&f, 1).priority, .3);
    fixture_close(&f);
}

static void all_classes_count_with_their_probabilities(void **state)
{
    const double p[CLASSES] = {.5, .25, 0, .25}, sure[CLASSES] = {[SP] = 1};
    struct strategy_fixture f;

    (void)state;
    open_ok(&f, "Uni.PH", ", by: distribution", table_1);
    f.judgement.classes = p;
    assert_close(visit(&f, DH, -1), .5 * .42 + .25 * .42);
    f.judgement.classes = sure;
    assert_close(visit(&f, DH, -1), .07);
    fixture_close(&f);
}

static void pages_of_the_target_can_come_first(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_ok(&f, "Uni.PH", ", target: best", table_1);
    assert_close(visit(&f, PH, -1), .42); /* not the loop's .3 */
    assert_close(visit(&f, CH, -1), .42);
    assert_close(visit(&f, SP, -1), .07);
    fixture_close(&f);
    open_ok(&f, "Sports", ", target: best", table_1);
    assert_close(visit(&f, SP, -1), 1); /* the loop is best */
    fixture_close(&f);
}

static void a_score_tells_its_parts(void **state)
{
    struct strategy_fixture f;
    struct strategy_score score;

    (void)state;
    open_ok(&f, "Uni.PH", "", table_1);
    (void)visit(&f, DH, -1);
    score = fixture_score(&f, 0);
    assert_int_equal(score.nparts, 4);
    assert_close(score.parts[0].value, .42);
    assert_close(score.parts[1].value, .1);
    assert_int_equal(score.parts[1].count, 1);
    assert_int_equal(score.parts[1].of, 10);
    assert_close(score.parts[2].value, DH + 1);
    assert_close(score.parts[3].value, .07);
    score.priority = 0;
    assert_true(f.strategy.ops->explain(f.strategy.state, 100, &score));
    assert_close(score.priority, .42);
    fixture_close(&f);
}

static void inner_categories_help_out(void **state)
{
    /* Nobody has seen where departments link to; courses and personal pages of the same Uni were seen. */
    static const uint32_t gap[CLASSES][CLASSES] = {
        [CH] = {[CH] = 6, [PH] = 4}, [PH] = {[SP] = 5, [CH] = 5}, [SP] = {[SP] = 10}};
    struct strategy_fixture f;

    (void)state;
    open_ok(&f, "Uni.PH", "", gap);
    assert_close(visit(&f, DH, -1), .07);
    fixture_close(&f);
    open_ok(&f, "Uni.PH", ", inner: yes", gap);
    /* All of Uni: 11 of 20 to CH, 4 to PH, 5 to SP. Directly, or by CH. */
    assert_close(visit(&f, DH, -1), .2 + .55 * .4);
    assert_close(visit(&f, CH, -1), .4);
    assert_close(visit(&f, SP, -1), .07); /* at the top there is no ancestor */
    fixture_close(&f);
}

/* ---- refining ---- */

static void visit_times(struct strategy_fixture *f, unsigned times, unsigned class, int parent)
{
    while (times--)
        (void)visit(f, class, parent);
}

/* The rules are replaced after 50 pairs, and then when the pairs have grown by 50 and a tenth. */
static void fetched_pairs_refine_the_rules(void **state)
{
    struct strategy_fixture f;

    (void)state;
    open_ok(&f, "Uni.PH", ", refine: yes, depth: 1, weight: 10", table_1);
    assert_close(visit(&f, DH, -1), .1);
    visit_times(&f, 49, PH, DH);
    assert_close(visit(&f, DH, -1), .1);
    visit_times(&f, 1, PH, DH); /* 50 pairs DH -> PH beside ten of the file */
    assert_close(visit(&f, DH, -1), (10 * .1 + 50) / 60);
    assert_close(visit(&f, SP, -1), .07);
    visit_times(&f, 25, CH, DH);
    visit_times(&f, 25, PH, SP); /* a rule that the file did not have */
    assert_close(visit(&f, DH, -1), (10 * .1 + 50) / 85);
    assert_close(visit(&f, SP, -1), 25. / 35);
    fixture_close(&f);
    open_ok(&f, "Uni.PH", ", depth: 1", table_1); /* not asked for */
    visit_times(&f, 60, PH, DH);
    assert_close(visit(&f, DH, -1), .1);
    fixture_close(&f);
}

static void candidates_are_scored_again(void **state)
{
    struct strategy_fixture f;
    struct strategy_score kept;
    uint32_t ids[4];

    (void)state;
    open_ok(&f, "Uni.PH", ", refine: yes, depth: 1", table_1);
    (void)visit(&f, DH, -1);
    kept = fixture_score(&f, 0);
    for (unsigned i = 0; i < 50; i++) {
        assert_int_equal(f.strategy.ops->stale(f.strategy.state, ids, 4), 0);
        assert_false(f.strategy.ops->rescore(f.strategy.state, 100, &kept));
        (void)visit(&f, PH, DH);
    }
    assert_true(f.strategy.ops->stale(f.strategy.state, ids, 4) == STRATEGY_ALL);
    assert_int_equal(f.strategy.ops->stale(f.strategy.state, ids, 4), 0);
    assert_true(f.strategy.ops->rescore(f.strategy.state, 100, &kept));
    assert_close(kept.priority, (50 * .1 + 50) / 100);
    assert_false(f.strategy.ops->rescore(f.strategy.state, 100, &kept));
    fixture_close(&f);
}

/* Saves f, opens it again as g. */
static void save_and_load(struct strategy_fixture *f, struct strategy_fixture *g, const char *options)
{
    struct errmsg err = {{0}};
    struct buf blob;

    buf_init(&blob, 0);
    assert_int_equal(f->strategy.ops->save(f->strategy.state, &blob), SCENT_OK);
    open_ok(g, "Uni.PH", options, table_1);
    assert_ok(g->strategy.ops->load(g->strategy.state, buf_str(&blob), &err), err);
    buf_release(&blob);
}

/* Scores are not kept with what is queued: who goes on scores all of it again, by the rules that were in force. */
static void refined_rules_are_kept(void **state)
{
    static const char *const options[] = {", refine: yes, depth: 1", ", refine: yes, target: best",
                                          ", refine: yes, inner: yes, paths: max"};
    struct strategy_fixture f, g;
    uint32_t ids[4];

    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        open_ok(&f, "Uni.PH", options[i], table_1);
        visit_times(&f, 60, PH, DH); /* 50 are used */
        visit_times(&f, 30, SP, CH);
        save_and_load(&f, &g, options[i]);
        assert_true(g.strategy.ops->stale(g.strategy.state, ids, 4) == STRATEGY_ALL);
        for (unsigned k = 0; k < 30; k++) /* over the next change */
            for (unsigned class = 0; class < CLASSES; class++) {
                assert_true(visit(&g, class, -1) == visit(&f, class, -1));
                assert_true(visit(&g, class, PH) == visit(&f, class, PH));
            }
        fixture_close(&g);
        fixture_close(&f);
    }
}

/* Whoever goes on may have changed his mind. */
static void refining_can_begin_and_end_at_a_stop(void **state)
{
    static const char *const options[] = {"", ", refine: yes", ""};
    struct strategy_fixture f, g;

    (void)state;
    open_ok(&f, "Uni.PH", options[0], table_1);
    visit_times(&f, 60, PH, DH);
    for (int i = 1; i < 3; i++) {
        save_and_load(&f, &g, options[i]);
        fixture_close(&f);
        assert_close(visit(&g, DH, -1), .42);
        f = g;
        if (i == 1) {
            visit_times(&f, 1, PH, DH); /* what was counted before counts */
            assert_true(visit(&f, DH, -1) > .5);
        }
    }
    fixture_close(&f);
}

static void damaged_states_are_refused(void **state)
{
    struct strategy_fixture f, g;
    struct errmsg err = {{0}};
    struct buf blob;

    (void)state;
    open_ok(&f, "Uni.PH", "", table_1);
    (void)visit(&f, PH, DH);
    buf_init(&blob, 0);
    assert_int_equal(f.strategy.ops->save(f.strategy.state, &blob), SCENT_OK);
    blob.p[blob.len - 3] = 99; /* a pair of classes that there are not */
    open_ok(&g, "Uni.PH", "", table_1);
    assert_int_equal(g.strategy.ops->load(g.strategy.state, buf_str(&blob), &err), SCENT_E_FORMAT);
    fixture_close(&g);
    fixture_close(&f);
    buf_release(&blob);
}

static void targets_stay_best(void **state)
{
    static const double all[CLASSES][CLASSES] = {[DH] = {[DH] = 1}, [PH] = {[PH] = 1}};
    static const char *const options[] = {", refine: yes, depth: 1, target: best",
                                          ", refine: yes, depth: 1, target: best, by: distribution"};
    struct strategy_fixture f;

    (void)state;
    for (int i = 0; i < 2; i++) {
        open_ok(&f, "Uni.PH", options[i], table_1);
        f.judgement.classes = all[PH];
        assert_close(visit(&f, PH, -1), .4);
        visit_times(&f, 50, PH, DH);
        f.judgement.classes = all[DH];
        assert_close(visit(&f, DH, -1), (50 * .1 + 50) / 100);
        f.judgement.classes = all[PH];
        assert_close(visit(&f, PH, -1), (50 * .1 + 50) / 100);
        fixture_close(&f);
    }
}

/* Shares of pairs do not sum to the same number in every order. */
static void a_taught_crawl_goes_on(void **state)
{
    struct strategy_fixture f, g;
    struct errmsg err = {{0}};
    struct buf blob;

    (void)state;
    for (unsigned n = 1; n < 40; n++) {
        open_ok(&f, "Uni.PH", "", table_1);
        for (unsigned class = 0; class < CLASSES; class++)
            visit_times(&f, n % 7 + 3 * class, class, (int)(n + class) % CLASSES);
        buf_init(&blob, 0);
        assert_int_equal(f.strategy.ops->learned(f.strategy.state, &blob), SCENT_OK);
        fixture_close(&f);
        open_ok(&f, "Uni.PH", ", refine: yes", table_1);
        assert_ok(f.strategy.ops->recall(f.strategy.state, buf_str(&blob), n / 41., &err), err);
        assert_ok(f.strategy.ops->recall(f.strategy.state, buf_str(&blob), .1, &err), err);
        visit_times(&f, 50, PH, DH);
        save_and_load(&f, &g, ", refine: yes");
        assert_close(visit(&g, DH, -1), visit(&f, DH, -1));
        fixture_close(&g);
        fixture_close(&f);
        buf_release(&blob);
    }
}

static void one_crawl_teaches_another(void **state)
{
    struct strategy_fixture f, g;
    struct errmsg err = {{0}};
    struct buf blob;

    (void)state;
    open_ok(&f, "Uni.PH", "", table_1); /* it counts, whether it refines or not */
    for (unsigned i = 0; i < 4; i++)
        (void)visit(&f, PH, DH);
    buf_init(&blob, 0);
    assert_int_equal(f.strategy.ops->learned(f.strategy.state, &blob), SCENT_OK);
    fixture_close(&f);
    open_ok(&g, "Uni.CH", ", refine: yes, depth: 1, weight: 10", table_1);
    assert_ok(g.strategy.ops->recall(g.strategy.state, buf_str(&blob), .5, &err), err);
    assert_close(visit(&g, DH, -1), 10 * .8 / 12);
    fixture_close(&g);
    blob.p[4]++; /* other classes */
    open_ok(&g, "Uni.CH", ", refine: yes", table_1);
    assert_int_equal(g.strategy.ops->recall(g.strategy.state, buf_str(&blob), 1, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "classes"));
    fixture_close(&g);
    buf_release(&blob);
}

/* ---- what is wrong ---- */

static void wrong_topics_are_refused(void **state)
{
    static const char *const wrong[][2] = {
        {", depth: 4", "depth"}, {", paths: mean", "sum or max"}, {", by: luck", "distribution"}, {", refine: maybe", "yes"}};
    struct strategy_context context = {.seed = 1};
    struct errmsg err = {{0}};
    struct strategy_fixture f;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(open_topic(&f, "Uni.PH", wrong[i][0], table_1, &err), SCENT_E_INVALID);
        assert_non_null(strstr(err.text, wrong[i][1]));
        knowledge_release(&f.knowledge);
        topic_free(f.topic);
    }
    assert_int_equal(open_topic(&f, "Uni.XX", "", table_1, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "taxonomy.target names none of them"));
    rulebook_free((struct rulebook *)f.knowledge.rules);
    f.knowledge.rules = NULL;
    context.topic = f.topic;
    context.knowledge = &f.knowledge;
    assert_int_equal(strategy_open(&context, &f.strategy, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "scent rules build"));
    knowledge_release(&f.knowledge);
    topic_free(f.topic);
}

static void rules_of_other_classes_are_refused(void **state)
{
    const struct str others[] = {STR("Uni.DH"), STR("Uni.CH"), STR("Uni.PH"), STR("Arts")};
    struct errmsg err = {{0}};
    struct rulebook *rules, *arranged;
    struct model *model = train();

    (void)state;
    assert_ok(rulebook_new(others, 4, &rules, &err), err);
    assert_int_equal(knowledge_arrange_rules(NULL, rules, &arranged, &err), SCENT_E_INVALID); /* no model */
    assert_int_equal(knowledge_arrange_rules(model, rules, &arranged, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "'Arts'"));
    assert_null(arranged);
    rulebook_free(rules);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_score_as_in_the_paper),
        cmocka_unit_test(rules_advise),
        cmocka_unit_test(a_copy_scores_without_being_observed),
        cmocka_unit_test(all_classes_count_with_their_probabilities),
        cmocka_unit_test(pages_of_the_target_can_come_first),
        cmocka_unit_test(a_score_tells_its_parts),
        cmocka_unit_test(inner_categories_help_out),
        cmocka_unit_test(fetched_pairs_refine_the_rules),
        cmocka_unit_test(candidates_are_scored_again),
        cmocka_unit_test(refined_rules_are_kept),
        cmocka_unit_test(refining_can_begin_and_end_at_a_stop),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(targets_stay_best),
        cmocka_unit_test(a_taught_crawl_goes_on),
        cmocka_unit_test(one_crawl_teaches_another),
        cmocka_unit_test(wrong_topics_are_refused),
        cmocka_unit_test(rules_of_other_classes_are_refused),
    };

    return cmocka_run_group_tests_name("strategy/rules", tests, NULL, NULL);
}
