#include "engine/hooks.h"

#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C(1000000)
enum { PENDING_MAX = 4 << 20, NHOOKS = 2, LOOK_MS = 200 };

struct hook {
    const char *name;
    char *command;      /* NULL: none */
    struct buf pending; /* under the mutex; all below is the thread's */
    uint64_t dropped;   /* under the mutex */
    struct buf sending; /* whole lines, `sent` bytes of which went out */
    size_t sent;
    pid_t child;        /* 0: it does not run */
    int pipe, unread;   /* its ends; -1: closed. The other end is ours too, for what the command leaves in it */
    unsigned starts;
    int64_t next_start;
};

struct hooks {
    struct journal *journal;
    const struct clock *clock;
    struct hook hook[NHOOKS];
    pthread_mutex_t mutex;
    bool stopping;      /* under the mutex */
    int wake;
    pthread_t thread;
};

/* ---- the command ---- */

static void start_hook(struct hooks *hooks, struct hook *hook)
{
    const char *const words[] = {"/bin/sh", "-c", hook->command, NULL};
    int ends[2];

    hook->starts++;
    hook->next_start = clock_mono(hooks->clock) + (SECOND << hook->starts);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    if (child_start(&(struct child_options){.words = words, .input = ends[0], .output = -1}, &hook->child)) {
        hook->pipe = ends[1];
        (void)fcntl(hook->pipe, F_SETFL, O_NONBLOCK);
        journal_tell(hooks->journal, JOURNAL_HOOK, LOG_INFO, str_of(hook->name), "'%s' is started", hook->command);
    } else {
        hook->child = 0;
        close(ends[0]);
        close(ends[1]);
        ends[0] = -1;
        journal_tell(hooks->journal, JOURNAL_HOOK, LOG_WARN, str_of(hook->name), "'%s' cannot be started",
                     hook->command);
    }
    hook->unread = ends[0];
}

static void close_pipe(struct hook *hook)
{
    if (hook->pipe >= 0)
        close(hook->pipe);
    if (hook->unread >= 0)
        close(hook->unread);
    hook->pipe = hook->unread = -1;
}

/* What a command that is gone has left in the pipe comes before what was to be sent. A line of which it has read a part
 * is lost. */
static void take_back(struct hook *hook)
{
    struct buf left;
    int bytes = 0;

    if (hook->unread < 0 || ioctl(hook->unread, FIONREAD, &bytes) != 0 || bytes <= 0)
        return;
    buf_init(&left, 0);
    if (buf_reserve(&left, (size_t)bytes + 1)) {
        ssize_t got = read(hook->unread, left.p, (size_t)bytes);

        left.len = got > 0 ? (size_t)got : 0;
    }
    buf_add(&left, str_sub(buf_str(&hook->sending), hook->sent, hook->sending.len));
    hook->sent = 0;
    if (!str_starts(buf_str(&left), STR("{\"n\":"))) /* inside of a line its quotes would be escaped */
        hook->sent = str_find(buf_str(&left), '\n') + 1;
    buf_release(&hook->sending);
    hook->sending = left;
}

static void tell_end(struct hooks *hooks, const struct hook *hook, int how, const char *then)
{
    journal_tell(hooks->journal, JOURNAL_HOOK, LOG_WARN, str_of(hook->name), "'%s' has ended (%s)%s", hook->command,
                 child_end_text(how).text, then);
}

/* Has the command ended? With it go all that it has started. */
static void look_at_child(struct hooks *hooks, struct hook *hook)
{
    int how;

    if (!hook->child || waitpid(hook->child, &how, WNOHANG) != hook->child)
        return;
    kill(-hook->child, SIGKILL);
    hook->child = 0;
    take_back(hook);
    close_pipe(hook);
    tell_end(hooks, hook, how,
             hook->starts < HOOKS_STARTS ? "; it is started again" : " too often: it is told nothing more");
}

/* ---- lines ---- */

static void drop_lines(struct hook *hook, struct str lines)
{
    for (size_t i = 0; i < lines.len; i++)
        hook->dropped += lines.p[i] == '\n';
}

void hooks_tell(struct hooks *hooks, struct str lines, bool relevant)
{
    struct hook *hook;
    uint64_t one = 1;

    if (!hooks || !lines.len || !hooks->hook[relevant].command)
        return;
    hook = &hooks->hook[relevant];
    pthread_mutex_lock(&hooks->mutex);
    while (lines.len) {
        struct str line = str_sub(lines, 0, str_find(lines, '\n') + 1);

        if (!buf_add(&hook->pending, line))
            break;
        lines = str_sub(lines, line.len, lines.len);
    }
    hook->pending.failed = false;
    drop_lines(hook, lines);
    pthread_mutex_unlock(&hooks->mutex);
    (void)!write(hooks->wake, &one, sizeof one);
}

uint64_t hooks_dropped(struct hooks *hooks)
{
    uint64_t dropped = 0;

    if (!hooks)
        return 0;
    pthread_mutex_lock(&hooks->mutex);
    for (size_t i = 0; i < NHOOKS; i++)
        dropped += hooks->hook[i].dropped;
    pthread_mutex_unlock(&hooks->mutex);
    return dropped;
}

static bool is_given_up(const struct hook *hook)
{
    return !hook->child && hook->starts >= HOOKS_STARTS;
}

/* Takes what waits, once all before it went out. */
static void take_lines(struct hooks *hooks, struct hook *hook)
{
    pthread_mutex_lock(&hooks->mutex);
    if (is_given_up(hook)) {
        drop_lines(hook, str_sub(buf_str(&hook->sending), hook->sent, hook->sending.len));
        drop_lines(hook, buf_str(&hook->pending));
        buf_clear(&hook->sending);
        buf_clear(&hook->pending);
        hook->sent = 0;
    }
    if (hook->sent == hook->sending.len) {
        struct buf empty = hook->sending;

        hook->sending = hook->pending;
        hook->pending = empty;
        buf_clear(&hook->pending);
        hook->sent = 0;
    }
    pthread_mutex_unlock(&hooks->mutex);
}

/* False: the pipe takes no more now. */
static bool send_lines(struct hook *hook)
{
    while (hook->pipe >= 0 && hook->sent < hook->sending.len) {
        ssize_t sent = child_write(hook->pipe, str_sub(buf_str(&hook->sending), hook->sent, hook->sending.len));

        if (sent > 0)
            hook->sent += (size_t)sent;
        else if (errno == EAGAIN)
            return false;
        else if (errno != EINTR)
            close_pipe(hook); /* it reads no more; its end will be seen */
    }
    return true;
}

/* ---- the thread ---- */

/* True: all lines that there are went out, or never will: at the end nobody is started again. */
static bool serve_hook(struct hooks *hooks, struct hook *hook, bool stopping)
{
    bool goes_on = true;

    look_at_child(hooks, hook);
    take_lines(hooks, hook);
    if (!hook->child && hook->sent < hook->sending.len && !is_given_up(hook) && !(stopping && hook->starts) &&
        clock_mono(hooks->clock) >= hook->next_start)
        start_hook(hooks, hook);
    while (goes_on && hook->sent < hook->sending.len && hook->pipe >= 0) {
        goes_on = send_lines(hook);
        if (goes_on)
            take_lines(hooks, hook);
    }
    return hook->sent == hook->sending.len || (stopping && !hook->child && hook->starts);
}

static bool is_stopping(struct hooks *hooks)
{
    bool stopping;

    pthread_mutex_lock(&hooks->mutex);
    stopping = hooks->stopping;
    pthread_mutex_unlock(&hooks->mutex);
    return stopping;
}

static void wait_for_events(struct hooks *hooks)
{
    struct pollfd polls[NHOOKS + 1] = {{.fd = hooks->wake, .events = POLLIN}};
    uint64_t count;

    for (size_t i = 0; i < NHOOKS; i++)
        if (hooks->hook[i].sent < hooks->hook[i].sending.len)
            polls[i + 1] = (struct pollfd){.fd = hooks->hook[i].pipe, .events = POLLOUT};
        else
            polls[i + 1].fd = -1;
    (void)poll(polls, NHOOKS + 1, LOOK_MS);
    if (polls[0].revents)
        (void)!read(hooks->wake, &count, sizeof count);
}

/* It may finish what it has read; whoever does not is killed. */
static void end_hook(struct hooks *hooks, struct hook *hook, int64_t until)
{
    bool ended = false;
    int how = 0;

    if (hook->pipe >= 0)
        close(hook->pipe);
    hook->pipe = -1;
    if (hook->child)
        ended = child_end(hook->child, until - clock_mono(hooks->clock), &how);
    if (hook->child && !ended)
        journal_tell(hooks->journal, JOURNAL_HOOK, LOG_WARN, str_of(hook->name), "'%s' does not end and is killed",
                     hook->command);
    if (ended && how)
        tell_end(hooks, hook, how, "");
    hook->child = 0;
    take_back(hook);
    close_pipe(hook);
    drop_lines(hook, str_sub(buf_str(&hook->sending), hook->sent, hook->sending.len));
    drop_lines(hook, buf_str(&hook->pending));
    if (hook->dropped)
        journal_tell(hooks->journal, JOURNAL_HOOK, LOG_WARN, str_of(hook->name),
                     "%" PRIu64 " pages were dropped: the command did not read them", hook->dropped);
}

static void *run_hooks(void *arg)
{
    struct hooks *hooks = arg;
    int64_t until = INT64_MAX;
    bool done = false;

    while (!done && clock_mono(hooks->clock) < until) {
        bool stopping = is_stopping(hooks);

        if (stopping && until == INT64_MAX)
            until = clock_mono(hooks->clock) + HOOKS_GRACE_S * SECOND;
        done = stopping;
        for (size_t i = 0; i < NHOOKS; i++)
            if (hooks->hook[i].command)
                done &= serve_hook(hooks, &hooks->hook[i], stopping);
        if (!done)
            wait_for_events(hooks);
    }
    for (size_t i = 0; i < NHOOKS; i++)
        if (hooks->hook[i].command)
            end_hook(hooks, &hooks->hook[i], until);
    return NULL;
}

struct hooks *hooks_start(const struct topic_hooks *commands, struct journal *journal, const struct clock *clock)
{
    const struct str texts[NHOOKS] = {commands->on_page, commands->on_relevant};
    struct hooks *hooks;

    if (!texts[0].len && !texts[1].len)
        return NULL;
    hooks = calloc(1, sizeof *hooks);
    SCENT_BUG_IF(!hooks);
    *hooks = (struct hooks){.journal = journal, .clock = clock, .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    for (size_t i = 0; i < NHOOKS; i++) {
        hooks->hook[i] = (struct hook){.name = i ? "on_relevant" : "on_page", .pipe = -1, .unread = -1};
        hooks->hook[i].command = texts[i].len ? str_dup(texts[i]) : NULL;
        buf_init(&hooks->hook[i].pending, PENDING_MAX);
        buf_init(&hooks->hook[i].sending, PENDING_MAX);
    }
    pthread_mutex_init(&hooks->mutex, NULL);
    SCENT_BUG_IF(pthread_create(&hooks->thread, NULL, run_hooks, hooks));
    return hooks;
}

void hooks_stop(struct hooks *hooks)
{
    uint64_t one = 1;

    if (!hooks)
        return;
    pthread_mutex_lock(&hooks->mutex);
    hooks->stopping = true;
    pthread_mutex_unlock(&hooks->mutex);
    (void)!write(hooks->wake, &one, sizeof one);
    pthread_join(hooks->thread, NULL);
    for (size_t i = 0; i < NHOOKS; i++) {
        free(hooks->hook[i].command);
        buf_release(&hooks->hook[i].pending);
        buf_release(&hooks->hook[i].sending);
    }
    pthread_mutex_destroy(&hooks->mutex);
    if (hooks->wake >= 0)
        close(hooks->wake);
    free(hooks);
}
