#include "app/training.h"

#include "app/command.h"
#include "app/signals.h"
#include "base/file.h"
#include "crawldir/learned.h"
#include "training/model_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool training_beside(const char *topic_path, const char *suffix, char out[TRAINING_PATH])
{
    struct str path = str_of(topic_path);
    int len;

    if (str_ends(path, STR(".yaml")))
        path.len -= 5;
    else if (str_ends(path, STR(".yml")))
        path.len -= 4;
    len = snprintf(out, TRAINING_PATH, "%.*s%s", STR_ARG(path), suffix);
    return len > 0 && len < TRAINING_PATH;
}

static int fail_long_path(const char *path)
{
    struct errmsg err;

    return command_fail(errmsg_fail(&err, SCENT_E_INVALID, "the path %s is too long", path), &err);
}

/* ---- fetching ---- */

/* Exactly these pages: no links, no scope, nothing stripped from the URLs, so that they are found again. Politeness and
 * ways are the topic's. */
static scent_status make_topic(const struct training *training, struct str urls, struct topic **out, struct errmsg *err)
{
    static const char text[] = "topic: pages to learn from\nrelevant: 'true'\nstrategy: breadth-first\n"
                               "limits: {depth: 0, per_pattern: 0}\nstrip_tracking: false\n"
                               "scope: {types: [text/html, application/xhtml+xml, text/plain]}\n";
    scent_status status = topic_parse(str_of(text), "examples", out, err);

    if (status != SCENT_OK)
        return status;
    (*out)->politeness = training->topic->politeness;
    (*out)->ways = training->topic->ways;
    (*out)->limits.page_bytes = training->topic->limits.page_bytes;
    (*out)->limits.min_free_disk = training->topic->limits.min_free_disk;
    return topic_add_seeds(*out, urls, "the examples", err);
}

/* The list of what was fetched lies with it: the same list again means that nothing is left to do. */
static bool is_fetched(const char *list, struct str urls)
{
    struct errmsg err;
    struct buf before;
    bool same;

    buf_init(&before, (size_t)1 << 30);
    same = file_read(list, &before, &err) == SCENT_OK && str_eq(buf_str(&before), urls);
    buf_release(&before);
    return same;
}

static int run_fetch(const struct training *training, struct topic *topic, const char *dir)
{
    struct crawl_run run = {.quiet = training->quiet, .engine = {.topic = topic, .dir = dir, .log = training->log}};
    struct engine_report report;
    struct errmsg err = {{0}};
    scent_status status = network_prepare(training->network, training->path, topic, &run.engine, &err);
    int code;

    if (status == SCENT_OK)
        status = file_make_dir(dir, &err);
    code = status == SCENT_OK ? crawl_run_engine(&run, &report) : command_fail(status, &err);
    signals_release(); /* reading and training have nothing to resume */
    return code;
}

int training_open(struct training *training, struct network *network)
{
    struct errmsg err = {{0}};
    scent_status status = topic_load(training->path, &training->topic, &err);

    training->network = network;
    if (status == SCENT_OK)
        status = network_open(network, training->log, &err);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

void training_close(struct training *training, struct network *network)
{
    network_close(network);
    knowledge_release(&training->knowledge);
    topic_free(training->topic);
}

int training_fetch(const struct training *training, struct str urls, const char *dir)
{
    char list[TRAINING_PATH + 16];
    struct topic *topic = NULL;
    struct errmsg err = {{0}};
    scent_status status;
    int code;

    snprintf(list, sizeof list, "%s/fetched.txt", dir);
    if (is_fetched(list, urls))
        return EXIT_DONE;
    status = make_topic(training, urls, &topic, &err);
    code = status == SCENT_OK ? run_fetch(training, topic, dir) : command_fail(status, &err);
    topic_free(topic);
    if (code == EXIT_NO_SEED)
        return EXIT_DONE; /* who reads them will say what is missing */
    if (code == EXIT_DONE && (status = file_replace(list, urls, &err)) != SCENT_OK)
        return command_fail(status, &err);
    return code;
}

/* ---- reading ---- */

static void show_reading(void *ctx, size_t done, size_t all)
{
    (void)ctx;
    fprintf(stderr, "\r\033[K%zu of %zu examples read", done, all);
    if (done == all)
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

static int fetch_planned(const struct training *training, const struct training_plan *plan, char dir[TRAINING_PATH])
{
    struct buf urls;
    size_t count;
    int code = EXIT_DONE;

    buf_init(&urls, 0);
    count = training_plan_urls(plan, &urls);
    if (count == 0)
        dir[0] = 0;
    else if (!training_beside(training->path, ".fetched", dir))
        code = fail_long_path(training->path);
    else
        code = training_fetch(training, buf_str(&urls), dir);
    buf_release(&urls);
    return code;
}

int training_gather(const struct training *training, struct training_set **out)
{
    return training_gather_linked(training, NULL, out);
}

int training_gather_linked(const struct training *training, struct linked_pages *linked, struct training_set **out)
{
    bool show = !training->quiet && isatty(STDERR_FILENO);
    struct training_plan *plan = NULL;
    struct errmsg err = {{0}};
    char dir[TRAINING_PATH];
    scent_status status = training_plan_new(training->topic, training->log, &plan, &err);
    int code = status == SCENT_OK ? fetch_planned(training, plan, dir) : command_fail(status, &err);

    if (code == EXIT_DONE && linked)
        training_plan_links(plan, linked);
    if (code == EXIT_DONE) {
        status = training_set_read(plan, dir[0] ? dir : NULL, show ? show_reading : NULL, NULL, out, &err);
        if (status != SCENT_OK)
            code = command_fail(status, &err);
        if (status != SCENT_OK && dir[0])
            fprintf(stderr, "'scent status %s' lists what could not be fetched; remove that folder to try again\n", dir);
    }
    training_plan_free(plan);
    return code;
}

/* ---- the model ---- */

static int train_now(struct training *training, struct model **out)
{
    struct model_options options = training->topic->model;
    struct training_set *examples = NULL;
    struct errmsg err = {{0}};
    scent_status status;
    int code = training_gather(training, &examples);

    if (code != EXIT_DONE)
        return code;
    options.log = training->log;
    status = model_train(&examples->set, &options, out, &err);
    if (status == SCENT_OK)
        log_line(training->log, LOG_INFO, "%s: trained with %zu examples; 'scent train %s' keeps the model and tells how "
                 "good it is", training->path, examples->set.nexamples, training->path);
    else
        code = command_fail(status, &err);
    training->knowledge.sample = examples->sample;
    examples->sample = NULL;
    training_set_free(examples);
    return code;
}

int training_save_sample(const struct training *training, const struct training_set *examples)
{
    char path[TRAINING_PATH];
    struct errmsg err = {{0}};
    struct buf text;
    scent_status status;

    if (!examples->sample)
        return EXIT_DONE;
    if (!training_beside(training->path, ".census", path))
        return fail_long_path(training->path);
    buf_init(&text, 0);
    status = census_write(examples->sample, &text);
    if (status == SCENT_OK)
        status = file_replace(path, buf_str(&text), &err);
    else
        errmsg_fail(&err, status, "out of memory");
    buf_release(&text);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

/* A query does well without it: what does not fit is said and left out. */
static void find_sample(struct training *training)
{
    char path[TRAINING_PATH];
    struct census *sample;
    struct errmsg err = {{0}};
    struct buf text;
    scent_status status;

    if (!training->topic->query || training->knowledge.sample || !training_beside(training->path, ".census", path))
        return;
    buf_init(&text, 1 << 20);
    sample = census_new(training->topic->query);
    status = file_read(path, &text, &err);
    if (status == SCENT_OK)
        status = census_read(sample, buf_str(&text), path, &err);
    if (status != SCENT_OK && status != SCENT_E_NOTFOUND)
        log_line(training->log, LOG_WARN, "%s; the query does without them", err.text);
    if (status == SCENT_OK)
        training->knowledge.sample = sample;
    else
        census_free(sample);
    buf_release(&text);
}

/* The file of `scent train`, where it is there and fits. */
static struct model *find_trained(const struct training *training, uint64_t fingerprint)
{
    char path[TRAINING_PATH];
    struct model *model = NULL;
    struct errmsg err = {{0}};
    uint64_t of_file = 0;
    scent_status status;

    if (!training_beside(training->path, ".model", path))
        return NULL;
    status = model_file_load(path, &model, &of_file, &err);
    if (status == SCENT_OK && of_file == fingerprint)
        return model;
    if (status == SCENT_OK)
        log_line(training->log, LOG_WARN, "%s was trained with other examples or options than the topic has now; it is "
                 "trained anew", path);
    else if (status != SCENT_E_NOTFOUND)
        log_line(training->log, LOG_WARN, "%s; it is trained anew", err.text);
    model_free(model);
    return NULL;
}

/* ---- for learned_begin ---- */

struct lesson {
    struct training *training;
    struct model *model;
    uint64_t fingerprint, of_file;
    int code; /* of what has told its failure itself */
};

static scent_status load_own(void *ctx, const char *path, struct errmsg *err)
{
    struct lesson *lesson = ctx;

    return model_file_load(path, &lesson->model, &lesson->of_file, err);
}

static void compare(void *ctx, const char *path)
{
    const struct lesson *lesson = ctx;

    if (lesson->of_file != lesson->fingerprint)
        log_line(lesson->training->log, LOG_WARN,
                 "the examples or the model's options have changed since this crawl began: it goes on with the model that it "
                 "has, %s; remove that file to judge with the new one from now on", path);
}

static scent_status find_model(void *ctx, struct errmsg *err)
{
    struct lesson *lesson = ctx;

    (void)err;
    lesson->model = find_trained(lesson->training, lesson->fingerprint);
    if (!lesson->model)
        lesson->code = train_now(lesson->training, &lesson->model);
    return lesson->code == EXIT_DONE ? SCENT_OK : SCENT_E_END;
}

static scent_status save_own(void *ctx, const char *path, struct errmsg *err)
{
    const struct lesson *lesson = ctx;

    return model_file_save(lesson->model, lesson->fingerprint, path, err);
}

int training_attach(struct training *training, const char *dir)
{
    static const struct learned_ops ops = {
        .name = LEARNED_MODEL, .load = load_own, .find = find_model, .save = save_own, .compare = compare};
    struct lesson lesson = {.training = training, .code = EXIT_DONE};
    struct errmsg err = {{0}};
    scent_status status;

    if (topic_lesson(training->topic) == TOPIC_NO_MODEL)
        return EXIT_DONE;
    lesson.fingerprint = training_plan_fingerprint(training->topic);
    status = learned_begin(&ops, &lesson, dir, &err);
    if (status != SCENT_OK) {
        model_free(lesson.model);
        return lesson.code == EXIT_DONE ? command_fail(status, &err) : lesson.code;
    }
    find_sample(training);
    training->knowledge.model = lesson.model;
    status = knowledge_check_model(training->topic, lesson.model, &err);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}
