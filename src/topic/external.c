#include "topic/external.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "conf/conf.h"
#include "plugin/plugin.h"
#include "topic/external_lines.h"
#include "topic/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND INT64_C(1000000)
enum {
    GRACE_US = 5 * 1000 * 1000,
    FIRST_PAUSE_US = 20 * 1000, /* before it is started again; twice as long each time */
    DIGEST_MAX = 256 << 20,
    PAGE_ARENA = 64 << 20
};

/* A page that somebody waits for. */
struct request {
    struct external_question question;
    bool is_done;
    struct request *next;
};

struct external {
    struct plugin plugin; /* .library NULL: it is a program */
    void *state;          /* of the plug-in */
    char **words;
    char *folder;
    struct buf name;
    uint64_t digest;
    uint32_t batch;
    int64_t timeout_us;
    const struct log *log;

    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct request *first, **end; /* that wait; under the mutex, as the rest */
    bool is_busy;                 /* one of those who wait speaks with the program */
    bool has_failed;
    struct errmsg failure;

    /* of who speaks with the program */
    pid_t child; /* 0: it does not run */
    int to, from;
    unsigned failures; /* in a row, without an answer */
    int64_t next_id;
    struct buf sending, received;
};

/* ---- the program ---- */

/* False: errno says why. */
static bool start_program(struct external *external)
{
    int to[2], from[2];
    bool started;

    if (pipe2(to, O_CLOEXEC) != 0)
        return false;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return false;
    }
    started = child_start(&(struct child_options){.words = (const char *const *)external->words,
                                                  .folder = external->folder, .input = to[0], .output = from[1]},
                          &external->child);
    close(to[0]);
    close(from[1]);
    if (!started) {
        external->child = 0;
        close(to[1]);
        close(from[0]);
        return false;
    }
    external->to = to[1];
    external->from = from[0];
    (void)fcntl(external->to, F_SETFL, O_NONBLOCK);
    (void)fcntl(external->from, F_SETFL, O_NONBLOCK);
    buf_clear(&external->received);
    return true;
}

static void end_program(struct external *external, int64_t patience_us, struct child_end_text *how)
{
    int status = 0;
    bool by_itself;

    if (!external->child)
        return;
    close(external->to);
    close(external->from);
    by_itself = child_end(external->child, patience_us, &status);
    external->child = 0;
    if (how)
        *how = child_end_text(status);
    if (how && !by_itself)
        snprintf(how->text, sizeof how->text, "it was ended");
}

/* ---- a batch ---- */

enum turn { TURN_ON, TURN_ENDED, TURN_WRONG };

static enum turn read_answers(struct external *external, struct external_question *const *questions, size_t count,
                              size_t *answered, const char **wrong)
{
    struct buf *received = &external->received;
    ssize_t got;

    SCENT_BUG_IF(!buf_reserve(received, EXTERNAL_LINE_MAX)); /* what was left of a line is not longer */
    got = read(external->from, received->p + received->len, EXTERNAL_LINE_MAX);
    if (got == 0)
        return TURN_ENDED;
    received->len += got > 0 ? (size_t)got : 0;
    *wrong = external_take_lines(received, questions, count, answered);
    return *wrong ? TURN_WRONG : TURN_ON;
}

/* Sends and reads until every page has its answer. True: it has. */
static bool talk(struct external *external, struct external_question *const *questions, size_t count, char *why,
                 size_t room)
{
    size_t sent = 0, answered = 0, before;
    int64_t until = clock_mono(&clock_system) + external->timeout_us;
    enum turn turn = TURN_ON;
    const char *wrong = NULL;

    while (answered < count && turn == TURN_ON) {
        struct pollfd polls[2] = {{.fd = external->from, .events = POLLIN},
                                  {.fd = sent < external->sending.len ? external->to : -1, .events = POLLOUT}};
        int64_t left = until - clock_mono(&clock_system);

        if (left <= 0) {
            snprintf(why, room, "it gave no answer for %s", conf_show_duration(external->timeout_us).text);
            return false;
        }
        (void)poll(polls, 2, left < SECOND ? (int)(left / 1000) + 1 : 1000);
        if (polls[1].revents) {
            ssize_t put = child_write(external->to, str_sub(buf_str(&external->sending), sent, external->sending.len));

            sent += put > 0 ? (size_t)put : 0;
            if (put < 0 && errno != EAGAIN && errno != EINTR)
                sent = external->sending.len; /* it reads no more; its end, or its silence, will be seen */
        }
        before = answered;
        if (polls[0].revents)
            turn = read_answers(external, questions, count, &answered, &wrong);
        if (answered > before) {
            external->failures = 0;
            until = clock_mono(&clock_system) + external->timeout_us;
        }
    }
    if (turn == TURN_WRONG)
        snprintf(why, room, "it gave an answer that cannot be used: %s", wrong);
    else if (turn == TURN_ENDED)
        why[0] = 0;
    return answered == count;
}

/* After a pause, but not the first time. */
static bool start_again(struct external *external)
{
    if (external->failures)
        usleep((useconds_t)(FIRST_PAUSE_US << external->failures));
    return start_program(external);
}

static void note_failure(struct external *external, const char *why)
{
    bool is_last = ++external->failures >= EXTERNAL_FAILURES;

    log_line(external->log, is_last ? LOG_ERROR : LOG_WARN, "the judge '%s' failed: %s%s", external->name.p, why,
             is_last ? "; it failed too often, and is not asked any more" : "; it is started again");
    if (!is_last)
        return;
    pthread_mutex_lock(&external->mutex);
    external->has_failed = true;
    errmsg_fail(&external->failure, SCENT_E_INVALID,
                "the judge '%s' failed %d times without an answer; the last time: %s", external->name.p,
                EXTERNAL_FAILURES, why);
    pthread_mutex_unlock(&external->mutex);
}

/* Those that have no answer yet. Afterwards they have, or the program was ended. */
static void ask_once(struct external *external, struct external_question *const *questions, size_t count)
{
    struct child_end_text how = {{0}};
    char why[EXTERNAL_WHY];

    buf_clear(&external->sending);
    for (size_t i = 0; i < count && !external->has_failed; i++) {
        questions[i]->id = ++external->next_id;
        external_write_question(questions[i], count - 1 - i, &external->sending);
    }
    if (external->has_failed) {
        snprintf(why, sizeof why, "%s", external->failure.text);
    } else if (external->sending.failed) {
        snprintf(why, sizeof why, "out of memory");
        external->sending.failed = false;
    } else if (!external->child && !start_again(external)) {
        snprintf(why, sizeof why, "it cannot be started: %s", strerror(errno));
        note_failure(external, why);
    } else if (!talk(external, questions, count, why, sizeof why)) {
        end_program(external, why[0] ? 0 : SECOND, &how);
        if (!why[0])
            snprintf(why, sizeof why, "it ended (%s)", how.text);
        note_failure(external, why);
    }
    for (size_t i = 0; i < count; i++)
        if (!questions[i]->answer->is_given)
            snprintf(questions[i]->answer->why, EXTERNAL_WHY, "%s", why);
}

/* A plug-in is asked one page after the other. */
static void ask_plugin(struct external *external, const struct external_question *question)
{
    const struct judge_input *input = question->input;
    struct external_answer *answer = question->answer;
    char why[EXTERNAL_WHY] = "";
    struct scent_page page;
    struct arena arena;
    struct buf text;
    double score = -1;

    arena_init(&arena, PAGE_ARENA);
    buf_init(&text, 0);
    external_write_text(input->page, &text);
    if (plugin_show_page(input->page, buf_str(&text), NULL, &arena, &page) == SCENT_OK) {
        page.depth = input->depth;
        page.is_seed = input->seed;
        answer->is_given = external->plugin.judge.judge(external->state, &page, &score, why, sizeof why) == 0 &&
                           score >= 0 && score <= 1;
    }
    why[sizeof why - 1] = 0;
    log_printable(why, answer->why, sizeof answer->why);
    if (answer->is_given)
        answer->score = score;
    else if (!why[0])
        snprintf(answer->why, sizeof answer->why, "it gave no score from 0 to 1");
    buf_release(&text);
    arena_release(&arena);
}

static void ask_batch(struct external *external, struct external_question *const *questions, size_t count)
{
    if (external->plugin.library) {
        for (size_t i = 0; i < count; i++)
            ask_plugin(external, questions[i]);
        return;
    }
    ask_once(external, questions, count);
    for (size_t i = 0; i < count && count > 1; i++)
        if (!questions[i]->answer->is_given)
            ask_once(external, &questions[i], 1);
}

/* ---- who waits ---- */

static size_t take_waiting(struct external *external, struct request **out, struct external_question **questions)
{
    size_t count = 0;

    while (external->first && count < external->batch) {
        questions[count] = &external->first->question;
        out[count++] = external->first;
        external->first = external->first->next;
    }
    if (!external->first)
        external->end = &external->first;
    return count;
}

void external_ask(struct external *external, const struct judge_input *input, struct external_answer *out)
{
    struct request mine = {.question = {.input = input, .answer = out}}, *batch[EXTERNAL_BATCH_MAX];
    struct external_question *questions[EXTERNAL_BATCH_MAX];

    *out = (struct external_answer){0};
    pthread_mutex_lock(&external->mutex);
    *external->end = &mine;
    external->end = &mine.next;
    while (!mine.is_done) {
        size_t n;

        if (external->is_busy) {
            pthread_cond_wait(&external->changed, &external->mutex);
            continue;
        }
        external->is_busy = true;
        n = take_waiting(external, batch, questions);
        pthread_mutex_unlock(&external->mutex);
        ask_batch(external, questions, n);
        pthread_mutex_lock(&external->mutex);
        for (size_t i = 0; i < n; i++)
            batch[i]->is_done = true;
        external->is_busy = false;
        pthread_cond_broadcast(&external->changed);
    }
    pthread_mutex_unlock(&external->mutex);
}

/* ---- one by itself ---- */

/* The program, and whatever else the command names that is a file: a model, a list of words. */
static uint64_t digest_file(const char *path, uint64_t digest)
{
    struct stat about;
    struct buf bytes;
    bool whole;

    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return digest;
    buf_init(&bytes, DIGEST_MAX);
    whole = file_read(path, &bytes, NULL) == SCENT_OK;
    digest = whole ? hash_str(buf_str(&bytes), digest)
                   : hash_mix(hash_mix(digest, (uint64_t)about.st_size), (uint64_t)about.st_mtime);
    buf_release(&bytes);
    return digest;
}

static bool can_run(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

/* A program in PATH is left to the system. */
static scent_status check_program(const struct topic_judge *options, const char *path, struct errmsg *err)
{
    if (str_find(options->command[0], '/') == options->command[0].len || can_run(path))
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "%s: the program %s %s", options->place.p, path,
                       file_exists(path) ? "cannot be run; chmod +x makes it executable" : "does not exist");
}

static scent_status load_plugin(struct external *external, const char *path, struct errmsg *err)
{
    const char *const none[] = {NULL}, *version;
    char why[256] = "it gave no reason";

    SCENT_TRY(plugin_open_judge(path, &external->plugin, err));
    external->digest = digest_file(path, external->digest);
    version = external->plugin.judge.version;
    external->digest = hash_str(str_of(version ? version : ""), external->digest);
    if (external->plugin.judge.open && !(external->state = external->plugin.judge.open(none, why, sizeof why))) {
        plugin_close(&external->plugin);
        return errmsg_fail(err, SCENT_E_INVALID, "the plug-in %s cannot be opened: %.*s", path, (int)sizeof why - 1,
                           why);
    }
    return SCENT_OK;
}

scent_status external_open(const struct topic_judge *options, const char *folder, const struct log *log,
                           struct external **out, struct errmsg *err)
{
    struct external *external = calloc(1, sizeof *external);
    scent_status status = SCENT_OK;
    struct buf path;

    SCENT_BUG_IF(!external);
    *out = NULL;
    external->words = calloc(options->ncommand + 1, sizeof *external->words);
    external->folder = str_dup(str_of(folder));
    SCENT_BUG_IF(!external->words || !external->folder);
    external->batch = options->batch;
    external->timeout_us = options->timeout_us;
    external->log = log;
    external->end = &external->first;
    external->digest = hash_str(options->version, options->ncommand);
    pthread_mutex_init(&external->mutex, NULL);
    pthread_cond_init(&external->changed, NULL);
    buf_init(&external->name, 0);
    buf_init(&external->sending, 0);
    buf_init(&external->received, 2 * EXTERNAL_LINE_MAX);
    buf_init(&path, 0);
    for (size_t i = 0; i < options->ncommand; i++) {
        struct str word = options->command[i];

        external->words[i] = str_dup(word);
        SCENT_BUG_IF(!external->words[i]);
        buf_printf(&external->name, "%s%.*s", i ? " " : "", STR_ARG(word));
        buf_clear(&path);
        buf_printf(&path, word.len && word.p[0] == '/' ? "%.0s%.*s" : "%s/%.*s", folder, STR_ARG(word));
        external->digest = digest_file(buf_z(&path), hash_str(word, external->digest));
        if (i == 0)
            status = check_program(options, buf_z(&path), err);
    }
    if (options->plugin.len) {
        buf_add(&external->name, options->plugin);
        buf_printf(&path, options->plugin.p[0] == '/' ? "%.0s%.*s" : "%s/%.*s", folder, STR_ARG(options->plugin));
        status = load_plugin(external, buf_z(&path), err);
    }
    (void)buf_z(&external->name);
    buf_release(&path);
    if (status == SCENT_OK)
        *out = external;
    else
        external_free(external);
    return status;
}

void external_free(struct external *external)
{
    if (!external)
        return;
    end_program(external, GRACE_US, NULL);
    if (external->plugin.library && external->plugin.judge.close)
        external->plugin.judge.close(external->state);
    plugin_close(&external->plugin);
    for (size_t i = 0; external->words[i]; i++)
        free(external->words[i]);
    free(external->words);
    free(external->folder);
    buf_release(&external->name);
    buf_release(&external->sending);
    buf_release(&external->received);
    pthread_cond_destroy(&external->changed);
    pthread_mutex_destroy(&external->mutex);
    free(external);
}

bool external_has_failed(struct external *external, struct errmsg *why)
{
    bool failed;

    pthread_mutex_lock(&external->mutex);
    failed = external->has_failed;
    if (failed)
        *why = external->failure;
    pthread_mutex_unlock(&external->mutex);
    return failed;
}

uint64_t external_digest(const struct external *external)
{
    return external->digest;
}

struct str external_name(const struct external *external)
{
    return buf_str(&external->name);
}

uint32_t external_threads(const struct external *external, uint32_t wanted)
{
    uint32_t threads = wanted ? wanted : cores_count();

    return external && !external->plugin.library && external->batch > threads ? external->batch : threads;
}
