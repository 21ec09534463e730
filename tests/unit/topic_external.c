/* A program of the user's as the judge: the lines that are exchanged, whole and in pieces, and programs that die, hang,
 * talk nonsense or cannot be started. The programs are scripts of sh, so that nothing else is needed here. */
#include "test.h"

#include "base/file.h"
#include "json/json.h"
#include "topic/external_lines.h"
#include "topic/judge.h"

#include <pthread.h>
#include <sys/stat.h>

static char text[] = "one two three four";
static struct page_block blocks[] = {{.start = 0, .end = 3}, {.start = 4, .end = 7, .is_boilerplate = true},
                                     {.start = 8, .end = 8}, {.start = 8, .end = 18}};

static struct page make_page(void)
{
    return (struct page){.url.href = STR("http://a.example/\"x"), .title = STR("T\n\x01"), .lang = STR("en"),
                         .text = STR(text), .blocks = blocks, .nblocks = 4};
}

/* ---- lines ---- */

static void a_question_has_the_content_and_fits_a_line(void **state)
{
    struct page page = make_page();
    struct judge_input input = {.page = &page, .depth = 3, .seed = true};
    struct external_answer answer = {0};
    struct external_question question = {&input, &answer, 7};
    struct json *root;
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    external_write_question(&question, 2, &out);
    assert_int_equal(str_find(buf_str(&out), '\n'), out.len - 1);
    assert_int_equal(json_parse(buf_str(&out), &root, NULL), SCENT_OK);
    assert_int_equal(json_as_int(json_get(root, "id")), 7);
    assert_int_equal(json_as_int(json_get(root, "depth")), 3);
    assert_int_equal(json_as_int(json_get(root, "left")), 2);
    assert_str(json_as_str(json_get(root, "url")), "http://a.example/\"x");
    assert_str(json_as_str(json_get(root, "title")), "T\n\x01");
    assert_str(json_as_str(json_get(root, "text")), "one\nthree four");
    json_free(root);
    buf_release(&out);
}

enum { PAGES = 3 };
struct asked {
    struct external_answer answers[PAGES];
    struct external_question questions[PAGES], *all[PAGES];
};

static void ask(struct asked *asked)
{
    *asked = (struct asked){0};
    for (int i = 0; i < PAGES; i++) {
        asked->questions[i] = (struct external_question){.answer = &asked->answers[i], .id = 10 + i};
        asked->all[i] = &asked->questions[i];
    }
}

/* Whatever the pieces in which bytes come, the answers are the same. */
static void answers_come_in_any_order_and_in_pieces(void **state)
{
    const char *said = "{\"id\": 12, \"score\": 1, \"why\": \"\\u001b[31mred\"}\r\n\n  \n{\"score\": 0.25, \"id\": 10}\n"
                       "{\"id\": 11, \"score\": 0, \"why\": 5, \"more\": [1]}\nrest";

    (void)state;
    for (size_t piece = 1; piece <= strlen(said); piece++) {
        struct asked asked;
        struct buf received;
        size_t answered = 0;

        ask(&asked);
        buf_init(&received, 0);
        for (size_t i = 0; i < strlen(said); i += piece) {
            buf_add(&received, str_first(str_of(said + i), piece));
            assert_null(external_take_lines(&received, asked.all, PAGES, &answered));
        }
        assert_int_equal(answered, 3);
        assert_true(asked.answers[0].is_given && asked.answers[0].score == .25 && !asked.answers[0].why[0]);
        assert_true(asked.answers[1].is_given && asked.answers[1].score == 0 && !asked.answers[1].why[0]);
        assert_true(asked.answers[2].is_given && asked.answers[2].score == 1);
        assert_string_equal(asked.answers[2].why, "\\x1b[31mred");
        assert_str(buf_str(&received), "rest");
        buf_release(&received);
    }
}

static void check_wrong(const char *said, const char *wrong)
{
    struct asked asked;
    struct buf received;
    size_t answered = 0;
    const char *got;

    ask(&asked);
    buf_init(&received, 0);
    buf_addz(&received, "{\"id\": 10, \"score\": 1}\n");
    buf_addz(&received, said);
    got = external_take_lines(&received, asked.all, PAGES, &answered);
    assert_non_null(got);
    assert_string_equal(got, wrong);
    assert_int_equal(answered, 1); /* what came before counts */
    assert_true(asked.answers[0].is_given && !asked.answers[1].is_given);
    buf_release(&received);
}

static void lines_that_are_not_answers_are_told(void **state)
{
    static const char json[] = "it is not a JSON object", id[] = "its 'id' is not that of a page that was asked",
                      score[] = "its 'score' is not a number from 0 to 1";
    char *longer = malloc(EXTERNAL_LINE_MAX + 3);

    (void)state;
    check_wrong("nonsense\n", json);
    check_wrong("{\"id\": 11, \"score\": 1\n", json);
    check_wrong("[]\n", id);
    check_wrong("{\"score\": 1}\n", id);
    check_wrong("{\"id\": \"11\", \"score\": 1}\n", id);
    check_wrong("{\"id\": 1e300, \"score\": 1}\n", id);
    check_wrong("{\"id\": 13, \"score\": 1}\n", id);
    check_wrong("{\"id\": 11}\n", score);
    check_wrong("{\"id\": 11, \"score\": \"1\"}\n", score);
    check_wrong("{\"id\": 11, \"score\": 1.0001}\n", score);
    check_wrong("{\"id\": 11, \"score\": -1e-9}\n", score);
    check_wrong("{\"id\": 10, \"score\": 1}\n", "this page has an answer already");
    memset(longer, 'x', EXTERNAL_LINE_MAX + 2);
    longer[EXTERNAL_LINE_MAX + 2] = 0;
    check_wrong(longer, "it is longer than 64 KiB");
    longer[EXTERNAL_LINE_MAX + 1] = '\n';
    check_wrong(longer, "it is longer than 64 KiB");
    free(longer);
}

/* ---- programs ---- */

/* Says `more` about each page, with its id in $id. */
#define READS "#!/bin/sh\necho $$ >> pids\nwhile read -r line; do id=${line#*:}; id=${id%%,*}\n"
#define ANSWERS "echo \"{\\\"id\\\": $id, \\\"score\\\": 0.5, \\\"why\\\": \\\"it is $id\\\"}\"\ndone\n"

struct fixture {
    char *dir;
    struct str words[1];
    struct topic_judge options;
    struct page page;
    struct judge_input input;
    unsigned told[LOG_DEBUG + 1]; /* by level */
    struct log log;
    struct external *external;
};

static void count_line(void *ctx, enum log_level level, const char *line)
{
    struct fixture *f = ctx;

    assert_non_null(strstr(line, "the judge './judge' failed: "));
    f->told[level]++;
}

static void set_up(struct fixture *f, const char *program, int64_t timeout_us)
{
    struct errmsg err;
    char path[600];
    FILE *file;

    *f = (struct fixture){.dir = test_make_dir(), .words = {STR("./judge")}, .page = make_page(),
                          .log = {.level = LOG_WARN, .sink = count_line, .ctx = f}};
    f->options = (struct topic_judge){.command = f->words, .ncommand = 1, .batch = 4, .timeout_us = timeout_us,
                                      .place = STR("topic.yaml:1: judge")};
    f->input = (struct judge_input){.page = &f->page};
    snprintf(path, sizeof path, "%s/judge", f->dir);
    file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(program, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    assert_ok(external_open(&f->options, f->dir, &f->log, &f->external, &err), err);
}

static size_t starts(const struct fixture *f)
{
    struct str rest, line;
    struct buf bytes;
    char path[600];
    size_t count = 0;

    snprintf(path, sizeof path, "%s/pids", f->dir);
    buf_init(&bytes, 0);
    if (file_read(path, &bytes, NULL) == SCENT_OK)
        for (rest = buf_str(&bytes); str_split(&rest, '\n', &line);)
            count += line.len > 0;
    buf_release(&bytes);
    return count;
}

static void tear_down(struct fixture *f)
{
    external_free(f->external);
    test_remove_dir(f->dir);
}

enum { HOUR = 3600 }; /* longer than any test: only what is tested ends it */
#define PATIENT (HOUR * INT64_C(1000000))

static void a_program_answers_and_runs_once(void **state)
{
    struct external_answer answer;
    struct errmsg why;
    struct fixture f;

    (void)state;
    set_up(&f, READS ANSWERS, PATIENT);
    assert_int_equal(starts(&f), 0); /* not before it is needed */
    for (int i = 1; i <= 3; i++) {
        char want[20];

        external_ask(f.external, &f.input, &answer);
        snprintf(want, sizeof want, "it is %d", i);
        assert_true(answer.is_given && answer.score == .5);
        assert_string_equal(answer.why, want);
    }
    assert_int_equal(starts(&f), 1);
    assert_false(external_has_failed(f.external, &why));
    assert_str(external_name(f.external), "./judge");
    tear_down(&f);
}

static void *ask_often(void *ctx)
{
    struct fixture *f = ctx;
    size_t given = 0;

    for (int i = 0; i < 20; i++) {
        struct external_answer answer;

        external_ask(f->external, &f->input, &answer);
        given += answer.is_given && answer.score == .5;
    }
    return (void *)given;
}

/* It answers the whole batch at once, backwards, as a program does that computes for all of them together. */
static void many_threads_share_it(void **state)
{
    pthread_t threads[8];
    struct fixture f;

    (void)state;
    set_up(&f, "#!/bin/sh\necho $$ >> pids\nall=\nwhile read -r line; do id=${line#*:}; id=${id%%,*}\n"
               "all=\"$id $all\"\ncase $line in *'\"left\":0}'*|*'\"left\": 0}'*)\n"
               "for id in $all; do echo \"{\\\"id\\\": $id, \\\"score\\\": 0.5}\"; done; all= ;; esac\ndone\n", PATIENT);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &f), 0);
    for (int i = 0; i < 8; i++) {
        void *given;

        assert_int_equal(pthread_join(threads[i], &given), 0);
        assert_int_equal((size_t)given, 20);
    }
    assert_int_equal(starts(&f), 1);
    tear_down(&f);
}

static void a_page_that_kills_it_has_no_answer_and_the_next_has(void **state)
{
    struct external_answer answer;
    struct errmsg why;
    struct fixture f;

    (void)state;
    set_up(&f, READS "[ $id != 2 ] || exit 3\n" ANSWERS, PATIENT);
    external_ask(f.external, &f.input, &answer);
    assert_true(answer.is_given);
    external_ask(f.external, &f.input, &answer);
    assert_false(answer.is_given);
    assert_string_equal(answer.why, "it ended (exit status 3)");
    external_ask(f.external, &f.input, &answer);
    assert_true(answer.is_given);
    assert_int_equal(starts(&f), 2);
    assert_int_equal(f.told[LOG_WARN], 1);
    assert_false(external_has_failed(f.external, &why));
    tear_down(&f);
}

/* Each way to fail, until it is not asked any more; then each page is told why. */
static void check_failure(const char *program, int64_t timeout_us, const char *why)
{
    struct external_answer answer;
    struct errmsg failure = {{0}};
    struct fixture f;

    set_up(&f, program, timeout_us);
    for (int i = 0; i < EXTERNAL_FAILURES; i++) {
        assert_false(external_has_failed(f.external, &failure));
        external_ask(f.external, &f.input, &answer);
        assert_false(answer.is_given);
        assert_string_equal(answer.why, why);
    }
    assert_true(external_has_failed(f.external, &failure));
    assert_non_null(strstr(failure.text, why));
    external_ask(f.external, &f.input, &answer);
    assert_false(answer.is_given);
    assert_string_equal(answer.why, failure.text);
    assert_true(starts(&f) <= EXTERNAL_FAILURES);
    assert_int_equal(f.told[LOG_WARN], EXTERNAL_FAILURES - 1);
    assert_int_equal(f.told[LOG_ERROR], 1);
    tear_down(&f);
}

static void programs_that_always_fail_are_given_up(void **state)
{
    (void)state;
    check_failure(READS ":; done\n", 1000, "it gave no answer for 1ms");
    check_failure("#!/bin/sh\nexit 1\n", PATIENT, "it ended (exit status 1)");
    check_failure("#!/nowhere/at/all\n", PATIENT, "it cannot be started: No such file or directory");
    check_failure(READS "echo '{'; done\n", PATIENT,
                  "it gave an answer that cannot be used: it is not a JSON object");
    check_failure("#!/bin/sh\nexec cat /dev/zero\n", PATIENT,
                  "it gave an answer that cannot be used: it is longer than 64 KiB");
}

/* A page of a megabyte fills the pipe; the program answers before it has read it. */
static void neither_side_waits_for_the_other(void **state)
{
    enum { SIZE = 1 << 20 };
    char *large = malloc(SIZE);
    struct page_block block = {.start = 0, .end = SIZE};
    struct external_answer answer;
    struct fixture f;

    (void)state;
    memset(large, 'a', SIZE);
    set_up(&f, "#!/bin/sh\nprintf '{\"id\": 1, '\nread -r line\necho '\"score\": 1}'\ncat >/dev/null\n", PATIENT);
    f.page.text = (struct str){large, SIZE};
    f.page.blocks = &block;
    f.page.nblocks = 1;
    external_ask(f.external, &f.input, &answer);
    assert_true(answer.is_given && answer.score == 1);
    tear_down(&f);
    free(large);
}

static void programs_that_cannot_be_run_are_refused_at_once(void **state)
{
    struct topic_judge options;
    struct external *external;
    struct errmsg err;
    struct fixture f;
    char path[600];

    (void)state;
    set_up(&f, READS ANSWERS, PATIENT);
    options = f.options;
    options.command = (const struct str[]){STR("./nothing")};
    assert_int_equal(external_open(&options, f.dir, &f.log, &external, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "nothing does not exist"));
    snprintf(path, sizeof path, "%s/judge", f.dir);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(external_open(&f.options, f.dir, &f.log, &external, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "topic.yaml:1: judge: the program "));
    assert_non_null(strstr(err.text, "cannot be run; chmod +x"));
    assert_null(external);
    tear_down(&f);
}

/* Other bytes of the program, another version: verdicts of before may not hold. */
static void the_digest_tells_what_judges(void **state)
{
    uint64_t digests[4];
    struct fixture f;

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct external *external;
        struct errmsg err;

        set_up(&f, i == 2 ? READS "\n" ANSWERS : READS ANSWERS, PATIENT);
        f.options.version = i == 3 ? STR("2") : STR_NONE;
        assert_ok(external_open(&f.options, f.dir, &f.log, &external, &err), err);
        digests[i] = external_digest(external);
        external_free(external);
        tear_down(&f);
    }
    assert_true(digests[0] == digests[1]);
    assert_true(digests[0] != digests[2] && digests[0] != digests[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_has_the_content_and_fits_a_line),
        cmocka_unit_test(answers_come_in_any_order_and_in_pieces),
        cmocka_unit_test(lines_that_are_not_answers_are_told),
        cmocka_unit_test(a_program_answers_and_runs_once),
        cmocka_unit_test(many_threads_share_it),
        cmocka_unit_test(a_page_that_kills_it_has_no_answer_and_the_next_has),
        cmocka_unit_test(programs_that_always_fail_are_given_up),
        cmocka_unit_test(neither_side_waits_for_the_other),
        cmocka_unit_test(programs_that_cannot_be_run_are_refused_at_once),
        cmocka_unit_test(the_digest_tells_what_judges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
