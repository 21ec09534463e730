/* Folders, lists, archives and taxonomies become a training set; what is wrong with them is said. */
#include "training/training_set.h"

#include "base/file.h"
#include "http/http.h"
#include "training_languages.h"
#include "learn/model.h"
#include "test.h"
#include "warc/warc.h"

static char *dir;
static struct buf said;

static void note_line(void *ctx, enum log_level level, const char *line)
{
    (void)ctx, (void)level;
    buf_printf(&said, "%s\n", line);
}

static const struct log log_said = {.level = LOG_INFO, .sink = note_line};

static int set_up(void **state)
{
    (void)state;
    dir = test_make_dir();
    buf_init(&said, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_remove_dir(dir);
    buf_release(&said);
    return 0;
}

static void put_bytes(const char *name, struct str bytes)
{
    struct errmsg err = {{0}};
    char path[1024], *slash;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    slash = strrchr(path, '/');
    *slash = 0;
    assert_ok(file_make_dir(path, &err), err);
    *slash = '/';
    assert_ok(file_replace(path, bytes, &err), err);
}

static void put(const char *name, const char *text)
{
    put_bytes(name, str_of(text));
}

/* "pos/0.html" …, each with words of its own. */
static void put_pages(const char *folder, const char *word, int count)
{
    for (int i = 0; i < count; i++) {
        char name[64], text[200];

        snprintf(name, sizeof name, "%s/%d.html", folder, i);
        snprintf(text, sizeof text, "<title>%s</title><p>%s %sesque number%d", word, word, word, i);
        put(name, text);
    }
}

static struct topic *topic_of(const char *keys)
{
    struct errmsg err = {{0}};
    struct topic *topic;
    char path[1024], text[2000];

    snprintf(path, sizeof path, "%s/topic.yaml", dir);
    snprintf(text, sizeof text, "topic: x\n%s\n", keys);
    assert_ok(topic_parse(str_of(text), path, &topic, &err), err);
    return topic;
}

static uint32_t leaf_if_allowed; /* of the topics that are gathered for: what a preset asks for */

static scent_status gather(const char *keys, const char *fetched, struct training_set **out, struct errmsg *err)
{
    struct topic *topic = topic_of(keys);
    struct training_plan *plan = NULL;
    scent_status status;

    topic->taxonomy.leaf_if_allowed = leaf_if_allowed;
    status = training_plan_new(topic, &log_said, &plan, err);

    *out = NULL;
    if (status == SCENT_OK)
        status = training_set_read(plan, fetched, NULL, NULL, out, err);
    training_plan_free(plan);
    topic_free(topic);
    return status;
}

static struct training_set *good(const char *keys)
{
    struct errmsg err = {{0}};
    struct training_set *examples;

    buf_clear(&said);
    assert_ok(gather(keys, NULL, &examples, &err), err);
    return examples;
}

static void bad(const char *keys, const char *says)
{
    struct errmsg err = {{0}};
    struct training_set *examples;

    buf_clear(&said);
    assert_int_not_equal(gather(keys, NULL, &examples, &err), SCENT_OK);
    assert_null(examples);
    if (!strstr(err.text, says))
        fail_msg("'%s' does not say '%s'", err.text, says);
}

static void assert_said(const char *text)
{
    if (!strstr(buf_z(&said), text))
        fail_msg("'%s' does not say '%s'", buf_z(&said), text);
}

static void add_record(const char *url, const char *page, int status, struct buf *out)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 1);
    char head[200], digest[33];
    struct warc_span span;
    struct rng rng;

    rng_seed(&rng, hash_str(str_of(url), 0));
    snprintf(head, sizeof head, "HTTP/1.1 %d X\r\nContent-Type: text/html\r\n%s%s\r\n", status,
             status == 301 ? "Location: /moved" : "X: y", "\r\n");
    struct warc_exchange exchange = {.url = str_of(url), .protocol = STR("http/1.1"), .response_head = str_of(head), .body = str_of(page)};

    assert_int_equal(warc_build_exchange(&exchange, &rng, packer, out, &span, digest), SCENT_OK);
    http_packer_free(packer);
}

static void folders_of_files(void **state)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 1);
    struct training_set *examples;
    struct buf packed;

    (void)state;
    put_pages("pos", "hockey", 12);
    put("pos/deeper/note.txt", "A plain text on hockey <b>rinks</b>");
    put("pos/latin1.html", "<meta charset=iso-8859-1><p>caf\xE9 hockey");
    put_bytes("pos/wide.txt", STR("\xFF\xFEh\0o\0c\0k\0e\0y\0 \0w\0i\0d\0e\0"));
    put("pos/0_files/style.css", "p {}");
    buf_init(&packed, 0);
    assert_int_equal(http_pack(packer, STR("<p>packed hockey"), &packed), SCENT_OK);
    put_bytes("pos/packed.html.gz", buf_str(&packed));
    put_pages("neg", "baking", 12);
    put("neg/copy.html", "<title>baking</title><p>baking bakingesque number3"); /* says the same as 3.html */
    put("neg/both.html", "<title>hockey</title><p>hockey hockeyesque number3");
    put("neg/empty.html", "<p>");
    examples = good("examples: {positive: pos, negative: neg}");
    assert_int_equal(examples->set.nexamples, 16 + 12);
    assert_int_equal(examples->counts[0], 12);
    assert_int_equal(examples->counts[1], 16);
    assert_int_equal(examples->copies, 2);
    assert_int_equal(examples->empty, 1);
    assert_str(examples->set.classes[1], TOPIC_POSITIVE);
    assert_true(examples->set.nwords > 20);
    assert_said("both.html, a negative example, says the same as a positive one");
    for (size_t i = 1; i < examples->set.nwords; i++)
        assert_true(examples->set.words[i - 1].stem < examples->set.words[i].stem);
    training_set_free(examples);
    buf_release(&packed);
    http_packer_free(packer);
}

static void names_do_not_decide_alone(void **state)
{
    struct training_set *examples;

    (void)state;
    put("pos/Ice_hockey", "<p>hockey without an ending");
    put("pos/Rules.of.hockey", "<html><p>hockey with a dot in its name");
    put("pos/index.php?page=3", "<p>hockey of a program");
    put("pos/notes.rst", "Hockey\n======\n\nplain hockey");
    put_bytes("pos/zeros.html", STR("<p>hockey\0rinks and\0more hockey, with enough words around the few zeros of it"));
    put_bytes("pos/late.txt", STR("hockey\x01 notes of a program that writes odd characters here and there, but text"));
    put_bytes("pos/picture", STR("\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02"));
    put("pos/0_files/style.css", "p {}");
    put_pages("neg", "baking", 6);
    examples = good("examples: {positive: pos, negative: neg}");
    assert_int_equal(examples->counts[1], 6);
    assert_int_equal(examples->others, 2);
    assert_int_equal(examples->unreadable + examples->empty, 0);
    assert_said("2 files are left out, 6 are read");
    assert_said("style.css");
    training_set_free(examples);
}

/* Eleven pages in the archive ask for 22 negatives, whose URLs have to be fetched. */
static void check_drawn_urls(void)
{
    struct topic *topic = topic_of("examples: {positive: hockey.warc.gz}\ntaxonomy: many.tsv");
    struct training_plan *plan;
    struct errmsg err = {{0}};
    struct buf list;

    buf_init(&list, 0);
    for (int i = 0; i < 100; i++)
        buf_printf(&list, "Other\thttp://b.test/%d\n", i);
    put_bytes("many.tsv", buf_str(&list));
    buf_clear(&list);
    assert_ok(training_plan_new(topic, &log_said, &plan, &err), err);
    assert_int_equal(training_plan_urls(plan, &list), 22);
    training_plan_free(plan);
    topic_free(topic);
    buf_release(&list);
}

static void archives_good_and_broken(void **state)
{
    struct training_set *examples;
    struct buf warc;

    (void)state;
    put_pages("neg", "baking", 10);
    buf_init(&warc, 0);
    for (int i = 0; i < 12; i++) {
        char url[64], page[64];

        snprintf(url, sizeof url, "http://a.test/%d", i);
        snprintf(page, sizeof page, "<p>hockey number%d", i);
        add_record(url, page, i == 11 ? 404 : 200, &warc);
    }
    put_bytes("hockey.warc.gz", buf_str(&warc));
    examples = good("examples: {positive: hockey.warc.gz, negative: neg}");
    assert_int_equal(examples->counts[1], 11);
    training_set_free(examples);
    put_bytes("cut.warc.gz", (struct str){warc.p, warc.len * 2 / 3});
    examples = good("examples: {positive: cut.warc.gz, negative: neg}");
    assert_in_range(examples->counts[1], 5, 10);
    assert_said("damaged records");
    training_set_free(examples);
    check_drawn_urls();
    buf_clear(&warc);
    add_record("http://a.test/none", "gone", 404, &warc);
    put_bytes("none.warc.gz", buf_str(&warc));
    bad("examples: {positive: none.warc.gz, negative: neg}", "no positive example");
    assert_said("there is no page in it");
    buf_release(&warc);
}

static void lists_and_labels_over_a_collection(void **state)
{
    struct training_set *examples;
    struct errmsg err = {{0}};
    char path[1024];
    struct buf warc, labels;

    (void)state;
    buf_init(&warc, 0);
    buf_init(&labels, 0);
    for (int i = 0; i < 40; i++) {
        char url[64], page[64];

        snprintf(url, sizeof url, "http://a.test/%d", i);
        snprintf(page, sizeof page, "<p>%s number%d", i % 2 ? "hockey" : "baking", i);
        add_record(url, page, 200, &warc);
        buf_printf(&labels, "%s\t%s\n", url, i % 2 ? "Sports.Hockey" : i % 4 ? "Food.Bread" : "Food.Cake");
    }
    add_record("http://a.test/old", "", 301, &warc);
    add_record("http://a.test/moved", "<p>hockey that moved", 200, &warc);
    buf_addz(&labels, "http://a.test/old\tSports.Hockey\nhttp://a.test/missing\tFood.Cake\n");
    put_bytes("pages/a.warc.gz", buf_str(&warc));
    put_bytes("labels.tsv", buf_str(&labels));
    examples = good("taxonomy: {file: labels.tsv, collection: pages}");
    assert_int_equal(examples->set.nclasses, 3);
    assert_int_equal(examples->set.nexamples, 41);
    assert_int_equal(examples->unreadable, 1);
    training_set_free(examples);
    examples = good("taxonomy: {file: labels.tsv, collection: pages, target: Food.Cake}\nmodel: svm");
    assert_int_equal(examples->counts[1], 10);
    assert_int_equal(examples->counts[0], 20);
    training_set_free(examples);
    leaf_if_allowed = 150; /* no leaf has so many: as many as the target has */
    examples = good("taxonomy: {file: labels.tsv, collection: pages, target: Sports.Hockey}");
    assert_int_equal(examples->set.nclasses, 2);
    assert_str(examples->set.classes[0], "Food"); /* bread and cake together */
    training_set_free(examples);
    examples = good("taxonomy: {file: labels.tsv, collection: pages, target: Food.Cake}");
    assert_int_equal(examples->set.nclasses, 2);
    assert_str(examples->set.classes[0], "Food.Cake"); /* there is less bread */
    training_set_free(examples);
    leaf_if_allowed = 0;
    bad("taxonomy: {file: labels.tsv, collection: pages, target: Food.Pie}\nmodel: svm", "has no category 'Food.Pie'");
    bad("taxonomy: {file: labels.tsv, collection: pages, target: [Food, Sports]}\nmodel: svm", "none is left to draw");
    bad("taxonomy: {file: labels.tsv, collection: pages, min_leaf: 100}", "lower taxonomy.min_leaf");
    put("far.tsv", "A\thttp://b.test/1\nA\thttp://b.test/2\nB\thttp://b.test/3\n");
    bad("taxonomy: {file: far.tsv, collection: pages}", "3 of 3 examples could not be read");
    put("urls.txt", "# mine\nhttp://a.test/1\nhttp://a.test/3\nhttp://a.test/old\n");
    put_pages("neg", "baking", 10);
    snprintf(path, sizeof path, "%s/pages", dir);
    assert_ok(gather("examples: {positive: urls.txt, negative: neg}", path, &examples, &err), err);
    assert_int_equal(examples->counts[1], 3);
    training_set_free(examples);
    buf_release(&warc);
    buf_release(&labels);
}

static void negatives_are_drawn(void **state)
{
    struct training_set *examples, *again;

    (void)state;
    put_pages("pos", "hockey", 10);
    put_pages("sample", "various", 100);
    examples = good("examples: {positive: pos, background: sample}");
    again = good("examples: {positive: pos, background: sample}");
    assert_int_equal(examples->counts[0], 100); /* all, as weak ones: at most 300 */
    assert_int_equal(examples->set.nweak, 100);
    for (size_t i = 0; i < examples->set.nexamples; i++)
        assert_true(str_eq(examples->names[i], again->names[i]));
    training_set_free(again);
    again = good("seed: 5\nexamples: {positive: pos, background: sample}");
    assert_false(str_eq(examples->names[10], again->names[10]) && str_eq(examples->names[11], again->names[11]) &&
                 str_eq(examples->names[12], again->names[12]));
    training_set_free(again);
    training_set_free(examples);
    put_pages("neg", "baking", 4);
    examples = good("examples: {positive: pos, negative: neg, background: sample}");
    assert_int_equal(examples->counts[0], 104);
    assert_int_equal(examples->set.nweak, 100);
    training_set_free(examples);
    put("tree/Sports/a.html", "<p>sports page");
    put_pages("tree/Food", "baking", 30);
    examples = good("examples: {positive: pos}\ntaxonomy: {file: tree, target: Sports}");
    assert_int_equal(examples->counts[0], 20);
    assert_int_equal(examples->counts[1], 10);
    training_set_free(examples);
}

static double chance(const struct model *model, const struct learn_example *example)
{
    double p[2];

    model_predict(model, &example->tf, p);
    return p[1];
}

/* Five pages, and nothing else: the words that are common in general are not those of the topic. */
static void positives_are_enough(void **state)
{
    struct training_set *examples, *again;
    struct model_options options = model_options_default(MODEL_SVM);
    struct errmsg err = {{0}};
    struct model *model;
    double of_hockey;

    (void)state;
    for (int i = 0; i < 5; i++) {
        char name[32], text[400];

        snprintf(name, sizeof name, "few/%d.html", i);
        snprintf(text, sizeof text, "<html lang=en><title>hockey %d</title><p>The goalie of the hockey team stopped the "
                 "puck %d times, and people of the city came to see a good game on the ice of the rink this year", i, i);
        put(name, text);
    }
    put("other/bread.html", "<html lang=en><p>People of the city came to see how bread is baked in this good oven");
    put("other/hockey.html", "<html lang=en><p>The hockey team has a new goalie on the ice, and the puck hit the rink in this game");
    examples = good("examples: {positive: few}");
    again = good("examples: {positive: few}");
    assert_int_equal(examples->counts[1], 5);
    assert_int_equal(examples->set.nweak, 300);
    assert_int_equal(examples->set.nexamples, 305);
    for (size_t i = 0; i < examples->set.nexamples; i++) {
        const struct text_vector *x = &examples->set.examples[i].tf, *y = &again->set.examples[i].tf;

        assert_int_equal(x->count, y->count);
        assert_memory_equal(x->items, y->items, x->count * sizeof *x->items);
    }
    options.weighting = TEXT_LSC;
    assert_ok(model_train(&examples->set, &options, &model, &err), err);
    training_set_free(again);
    again = good("examples: {positive: other, negative: few}");
    of_hockey = chance(model, &again->set.examples[1]);
    if (!(of_hockey > .5 && chance(model, &again->set.examples[0]) < .5))
        fail_msg("hockey has %g, bread %g", of_hockey, chance(model, &again->set.examples[0]));
    model_free(model);
    training_set_free(again);
    training_set_free(examples);
}

static void what_teaches_nothing_is_refused(void **state)
{
    (void)state;
    put_pages("pos", "hockey", 10);
    put_pages("one", "baking", 1);
    put("pictures/a.png", "x");
    put("words/a.html", "<p>");
    put("bad/a.html.gz", "\x1F\x8Bgarbage");
    put("bad/b.html.gz", "\x1F\x8Bgarbage too");
    put("russian/1.html", "<html lang=ru><p>Хоккей с шайбой на льду, вратарь ловит шайбу, игроки катаются быстро");
    put("russian/2.html", "<html lang=ru><p>Команда хоккеистов вышла на лёд, и судья начал игру вовремя");
    bad("examples: {positive: russian}", "how common the words of this language ('ru') are");
    bad("examples: {positive: nowhere, negative: pos}", "examples.positive: ");
    bad("examples: {positive: pictures, negative: pos}", "found only other files");
    bad("examples: {positive: pos, negative: one}", "is only one negative example");
    bad("examples: {positive: pos, negative: words}", "there is no negative example");
    bad("examples: {positive: pos, negative: pos}", "not also a positive one");
    put_bytes("bad/c.html", STR("\x89PNG\r\n\0\0\0"));
    bad("examples: {positive: bad, negative: bad}", "could not be read");
    assert_said("neither HTML nor text");
    assert_said("it cannot be unpacked");
}

/* ---- languages ---- */

static void write_language(const struct language_sample *sample, bool says_so)
{
    char lang[32] = "";

    if (says_so)
        snprintf(lang, sizeof lang, " lang=%s", sample->lang);
    for (int i = 0; i < LANGUAGE_TEXTS; i++) {
        char name[64], page[1024];

        snprintf(name, sizeof name, "%s/%d.html", i == LANGUAGE_TEXTS - 1 ? "test/football" : "football", i);
        snprintf(page, sizeof page, "<html%s><meta charset=utf-8><p>%s", lang, sample->football[i]);
        put(name, page);
        snprintf(name, sizeof name, "%s/%d.html", i == LANGUAGE_TEXTS - 1 ? "test/baking" : "baking", i);
        snprintf(page, sizeof page, "<html%s><meta charset=utf-8><p>%s", lang, sample->baking[i]);
        put(name, page);
    }
    put("test/football/x.html", "<p>zzz");
    put("test/baking/x.html", "<p>zzzz");
}

static void other_languages_are_learned(void **state)
{
    (void)state;
    for (size_t n = 0; n < 2 * sizeof language_samples / sizeof *language_samples; n++) {
        size_t i = n / 2;
        struct model_options options = model_options_default(MODEL_BAYES);
        struct errmsg err = {{0}};
        struct training_set *lesson, *exam;
        struct model *model;

        write_language(&language_samples[i], n % 2);
        lesson = good("examples: {positive: football, negative: baking}");
        exam = good("examples: {positive: test/football, negative: test/baking}");
        assert_int_equal(lesson->set.nexamples, 6);
        assert_ok(model_train(&lesson->set, &options, &model, &err), err);
        for (size_t k = 0; k < exam->set.nexamples; k++) {
            if (!str_ends(exam->names[k], STR("/3.html")))
                continue;
            double p = chance(model, &exam->set.examples[k]);

            if ((p > 0.5) != (exam->set.examples[k].class == 1))
                fail_msg("%s: %.*s is football with %.3f", language_samples[i].lang, STR_ARG(exam->names[k]), p);
        }
        model_free(model);
        training_set_free(lesson);
        training_set_free(exam);
    }
}

static void the_fingerprint_sees_every_change(void **state)
{
    struct topic *topic, *other;
    uint64_t first;

    (void)state;
    put_pages("pos", "hockey", 3);
    put_pages("neg", "baking", 3);
    topic = topic_of("examples: {positive: pos, negative: neg}");
    first = training_plan_fingerprint(topic);
    assert_true(first == training_plan_fingerprint(topic));
    other = topic_of("examples: {positive: pos, negative: neg}\nmodel: {C: 2}");
    assert_true(first != training_plan_fingerprint(other));
    topic_free(other);
    other = topic_of("examples: {positive: neg, negative: pos}");
    assert_true(first != training_plan_fingerprint(other));
    topic_free(other);
    other = topic_of("relevant: hockey\nlimits: {pages: 5}\nexamples: {positive: pos, negative: neg}");
    assert_true(first == training_plan_fingerprint(other)); /* nothing that the model depends on */
    topic_free(other);
    put("neg/1.html", "<title>baking</title><p>baking bakingesque number7");
    assert_true(first != training_plan_fingerprint(topic));
    put("neg/1.html", "<title>baking</title><p>baking bakingesque number1");
    assert_true(first == training_plan_fingerprint(topic));
    put("neg/4.html", "more");
    assert_true(first != training_plan_fingerprint(topic));
    topic_free(topic);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(folders_of_files),
        CASE(names_do_not_decide_alone),
        CASE(archives_good_and_broken),
        CASE(lists_and_labels_over_a_collection),
        CASE(negatives_are_drawn),
        CASE(positives_are_enough),
        CASE(what_teaches_nothing_is_refused),
        CASE(other_languages_are_learned),
        CASE(the_fingerprint_sees_every_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
