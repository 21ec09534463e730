#include "engine/listener.h"

#include "crawldir/control.h"
#include "crawldir/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND INT64_C(1000000)
enum { UNSENT_MAX = 256 << 10, RECEIVE = 4096, DISK_SECONDS = 10 };

struct client {
    int fd;             /* -1: the place is free */
    uint64_t number;    /* 1, 2, …: a place is used again, a number is not */
    bool watches;
    bool asked;         /* its request is under way */
    bool ended;         /* it asks no more, but may take what it asked for */
    bool closing;       /* once all is sent */
    struct buf in, out; /* what came without a line break; what is to be sent */
    size_t sent;        /* of `out` */
    int64_t moved;      /* when it last asked for something, or took something */
};

struct listener {
    struct listener_options options;
    struct control_place place;
    int fd, wake;
    struct queue *answers;
    struct client clients[LISTENER_CLIENTS];
    uint64_t last_number;
    size_t under_way;     /* jobs */
    bool looking;         /* a snapshot for all that watch is among them */
    int64_t next_look;
    uint64_t disk_bytes, disk_free;
    int64_t next_measure;
    struct buf last;      /* the line that is told while it rests */
    atomic_bool resting;  /* the thread waits for no engine any more */
    bool told_last;       /* and has told so */
    atomic_bool stopping;
    pthread_t thread;
};

/* ---- clients ---- */

static void drop(struct client *client)
{
    close(client->fd);
    buf_release(&client->in);
    buf_release(&client->out);
    *client = (struct client){.fd = -1};
}

static void say(struct client *client, struct str line)
{
    buf_add(&client->out, line);
    buf_addc(&client->out, '\n');
}

static void say_error(struct client *client, const char *what)
{
    struct json_writer w;
    struct buf line;

    buf_init(&line, 0);
    json_writer_init(&w, &line);
    json_object_begin(&w);
    json_put_str(&w, "error", str_of(what));
    json_object_end(&w);
    say(client, buf_str(&line));
    buf_release(&line);
}

/* Sends what the socket takes. False: nobody is there, or too slowly. */
static bool flush_client(struct client *client, int64_t now)
{
    while (client->sent < client->out.len) {
        ssize_t sent =
            send(client->fd, client->out.p + client->sent, client->out.len - client->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno != EAGAIN)
            return false;
        if (sent <= 0)
            return !client->out.failed && client->out.len - client->sent <= UNSENT_MAX;
        client->sent += (size_t)sent;
        client->moved = now;
    }
    client->sent = 0;
    buf_clear(&client->out);
    return !client->out.failed && !client->closing;
}

static void accept_clients(struct listener *listener, int64_t now)
{
    int fd;

    while ((fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        struct client *free_place = NULL;

        for (size_t i = 0; i < LISTENER_CLIENTS && !free_place; i++)
            if (listener->clients[i].fd < 0)
                free_place = &listener->clients[i];
        if (!free_place) {
            static const char full[] = "{\"error\":\"too many clients\"}\n";

            (void)!send(fd, full, sizeof full - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
            close(fd);
            continue;
        }
        *free_place = (struct client){.fd = fd, .number = ++listener->last_number, .moved = now};
        buf_init(&free_place->in, CONTROL_LINE_MAX + RECEIVE);
        buf_init(&free_place->out, 0);
    }
}

/* ---- requests ---- */

static struct job *submit(struct listener *listener, int what, uint64_t client, struct json *request)
{
    struct job *job = job_new(JOB_CONTROL);

    job->control.what = what;
    job->control.client = client;
    job->control.request = request;
    listener->under_way++;
    SCENT_BUG_IF(!queue_push(listener->options.inbox, job));
    return job;
}

static void take_request(struct listener *listener, struct client *client, struct str line)
{
    struct json *request = NULL;
    struct errmsg err = {0};
    struct str what;

    if (json_parse(line, &request, &err) != SCENT_OK) {
        say_error(client, err.text);
        return;
    }
    what = json_as_str(json_get(request, "do"));
    if (str_eq(what, STR("watch"))) {
        client->watches = true;
        listener->next_look = 0;
    } else if (atomic_load(&listener->resting) && str_eq(what, STR("status"))) {
        say(client, buf_str(&listener->last));
    } else if (atomic_load(&listener->resting)) {
        say_error(client, "the crawl ends: its pages are judged by all that it has learned");
    } else if (!what.len) {
        say_error(client, "a request is an object with the key \"do\"");
    } else {
        client->asked = true;
        submit(listener, str_eq(what, STR("status")) ? CONTROL_SNAPSHOT : CONTROL_REQUEST, client->number, request);
        return;
    }
    json_free(request);
}

/* The lines that are there, one at a time. */
static void take_lines(struct listener *listener, struct client *client)
{
    while (!client->asked && !client->closing &&
           (atomic_load(&listener->resting) || listener->under_way < LISTENER_JOBS - 1)) {
        size_t end = str_find(buf_str(&client->in), '\n');

        if (end == client->in.len || end >= CONTROL_LINE_MAX) {
            if (client->in.len >= CONTROL_LINE_MAX) {
                say_error(client, "the line is too long");
                client->closing = true;
            }
            return;
        }
        take_request(listener, client, (struct str){client->in.p, end});
        memmove(client->in.p, client->in.p + end + 1, client->in.len - end - 1);
        client->in.len -= end + 1;
    }
}

/* False: it has hung up. */
static bool read_client(struct client *client, int64_t now)
{
    ssize_t got;

    if (!buf_reserve(&client->in, RECEIVE))
        return false;
    got = recv(client->fd, client->in.p + client->in.len, RECEIVE, MSG_DONTWAIT);
    if (got < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    client->ended = got == 0;
    if (got > 0 && memchr(client->in.p + client->in.len, '\n', (size_t)got))
        client->moved = now; /* half a line is nothing yet */
    client->in.len += got > 0 ? (size_t)got : 0;
    return true;
}

/* ---- answers ---- */

static struct client *client_of(struct listener *listener, uint64_t number)
{
    for (size_t i = 0; i < LISTENER_CLIENTS && number; i++)
        if (listener->clients[i].fd >= 0 && listener->clients[i].number == number)
            return &listener->clients[i];
    return NULL;
}

static void say_snapshot(struct listener *listener, const struct job_control *control, struct client *client,
                         int64_t now)
{
    struct json_writer w;
    struct buf line;

    if (now >= listener->next_measure) {
        snapshot_measure_disk(listener->options.dir, &listener->disk_bytes, &listener->disk_free);
        listener->next_measure = now + DISK_SECONDS * SECOND;
    }
    if (!control->snapshot)
        return;
    control->snapshot->disk_bytes = listener->disk_bytes;
    control->snapshot->disk_free = listener->disk_free;
    buf_init(&line, 0);
    json_writer_init(&w, &line);
    snapshot_write(control->snapshot, &w);
    for (size_t i = 0; i < LISTENER_CLIENTS; i++)
        if (&listener->clients[i] == client || (!control->client && listener->clients[i].watches))
            say(&listener->clients[i], buf_str(&line));
    buf_release(&line);
}

/* The engine knows the page: the mark is written, and the engine is told. */
static void write_mark(struct listener *listener, struct job *job)
{
    const struct json *request = job->control.request;
    bool undo = str_eq(json_as_str(json_get(request, "do")), STR("unmark"));
    enum mark mark = undo ? MARK_NONE : json_as_bool(json_get(request, "relevant")) ? MARK_YES : MARK_NO;
    struct errmsg err = {0};
    struct json_writer w;

    if (marks_set(listener->options.dir, job->control.url, mark, clock_wall(listener->options.clock), &err) ==
        SCENT_OK) {
        submit(listener, CONTROL_MARKED, 0, NULL);
        return;
    }
    buf_clear(&job->control.answer);
    json_writer_init(&w, &job->control.answer);
    json_object_begin(&w);
    json_put_str(&w, "error", str_of(err.text));
    json_object_end(&w);
}

static bool is_mark(const struct job_control *control)
{
    struct str what = json_as_str(json_get(control->request, "do"));

    return control->what == CONTROL_REQUEST && (str_eq(what, STR("mark")) || str_eq(what, STR("unmark")));
}

static void take_answer(struct listener *listener, struct job *job, int64_t now)
{
    struct client *client = client_of(listener, job->control.client);

    listener->under_way--;
    if (job->control.done && is_mark(&job->control))
        write_mark(listener, job);
    if (job->control.what == CONTROL_SNAPSHOT && !job->control.client)
        listener->looking = false;
    if (job->control.what == CONTROL_SNAPSHOT)
        say_snapshot(listener, &job->control, client, now);
    else if (client)
        say(client, buf_str(&job->control.answer));
    if (client) {
        client->asked = false;
        client->moved = now;
    }
    job_free(job);
}

void listener_answer(struct listener *listener, struct job *job)
{
    uint64_t one = 1;

    SCENT_BUG_IF(!queue_push(listener->answers, job));
    (void)!write(listener->wake, &one, sizeof one);
}

/* ---- the thread ---- */

/* Requests that the engine did not come to are refused, and whoever watches is told the last line. */
static void tell_last(struct listener *listener, int64_t now)
{
    bool due = !listener->told_last || now >= listener->next_look;

    for (size_t i = 0; i < LISTENER_CLIENTS; i++) {
        struct client *client = &listener->clients[i];

        if (client->asked)
            say_error(client, "the crawl ends");
        if (client->watches && due)
            say(client, buf_str(&listener->last));
        client->asked = false;
    }
    listener->told_last = true;
    if (due)
        listener->next_look = now + SECOND;
}

static void look(struct listener *listener, int64_t now)
{
    bool any = false;

    for (size_t i = 0; i < LISTENER_CLIENTS; i++)
        any |= listener->clients[i].watches;
    if (atomic_load(&listener->resting)) {
        tell_last(listener, now);
        return;
    }
    if (!any || listener->looking || now < listener->next_look || listener->under_way == LISTENER_JOBS)
        return;
    listener->looking = true;
    listener->next_look = now + SECOND;
    submit(listener, CONTROL_SNAPSHOT, 0, NULL);
}

static bool is_patient(const struct client *client, int64_t now)
{
    bool waits = client->asked || (client->watches && client->out.len == 0);

    return waits || now - client->moved < LISTENER_PATIENCE_S * SECOND;
}

/* What came, what goes. */
static void serve_client(struct listener *listener, struct client *client, short events, int64_t now)
{
    bool is_there = !(events & POLLIN) || read_client(client, now);

    take_lines(listener, client);
    client->closing |= client->ended && !client->asked && !client->watches;
    if (!is_there || events & (POLLHUP | POLLERR) || !flush_client(client, now) || !is_patient(client, now))
        drop(client);
}

static void wait_for_events(struct listener *listener)
{
    struct pollfd polls[LISTENER_CLIENTS + 2] = {{.fd = listener->wake, .events = POLLIN},
                                                 {.fd = listener->fd, .events = POLLIN}};
    bool any = false;
    uint64_t count;
    int64_t now;

    for (size_t i = 0; i < LISTENER_CLIENTS; i++) {
        const struct client *client = &listener->clients[i];
        bool reads = !client->closing && !client->ended && client->in.len < CONTROL_LINE_MAX;

        polls[i + 2].fd = client->fd;
        polls[i + 2].events = (short)((reads ? POLLIN : 0) | (client->out.len ? POLLOUT : 0));
        any |= client->fd >= 0;
    }
    if (poll(polls, LISTENER_CLIENTS + 2, any ? 250 : -1) < 0)
        return;
    now = clock_mono(listener->options.clock);
    if (polls[0].revents)
        (void)!read(listener->wake, &count, sizeof count);
    for (struct job *job; (job = queue_pop_for(listener->answers, 0));)
        take_answer(listener, job, now);
    for (size_t i = 0; i < LISTENER_CLIENTS; i++)
        if (listener->clients[i].fd >= 0)
            serve_client(listener, &listener->clients[i], polls[i + 2].revents, now);
    if (polls[1].revents)
        accept_clients(listener, now);
    look(listener, now);
}

static void *run_listener(void *arg)
{
    struct listener *listener = arg;

    while (!atomic_load(&listener->stopping))
        wait_for_events(listener);
    return NULL;
}

scent_status listener_start(const struct listener_options *options, struct listener **out, struct errmsg *err)
{
    struct listener *listener = calloc(1, sizeof *listener);
    scent_status status;

    SCENT_BUG_IF(!listener);
    *out = NULL;
    listener->options = *options;
    for (size_t i = 0; i < LISTENER_CLIENTS; i++)
        listener->clients[i].fd = -1;
    status = control_listen(options->dir, &listener->place, &listener->fd, err);
    if (status == SCENT_OK && (listener->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0) {
        control_remove(&listener->place);
        close(listener->fd);
        status = errmsg_fail(err, SCENT_E_IO, "cannot make an event descriptor");
    }
    if (status != SCENT_OK) {
        free(listener);
        return status;
    }
    listener->answers = queue_new(LISTENER_JOBS);
    buf_init(&listener->last, 0);
    SCENT_BUG_IF(pthread_create(&listener->thread, NULL, run_listener, listener));
    *out = listener;
    return SCENT_OK;
}

void listener_rest(struct listener *listener, struct str line)
{
    uint64_t one = 1;

    if (!listener)
        return;
    buf_add(&listener->last, line);
    atomic_store(&listener->resting, true);
    (void)!write(listener->wake, &one, sizeof one);
}

void listener_stop(struct listener *listener)
{
    uint64_t one = 1;
    int64_t now;

    if (!listener)
        return;
    atomic_store(&listener->stopping, true);
    (void)!write(listener->wake, &one, sizeof one);
    pthread_join(listener->thread, NULL);
    now = clock_mono(listener->options.clock);
    for (struct job *job; (job = queue_pop_for(listener->answers, 0));)
        take_answer(listener, job, now);
    for (size_t i = 0; i < LISTENER_CLIENTS; i++)
        if (listener->clients[i].fd >= 0) {
            (void)flush_client(&listener->clients[i], now);
            drop(&listener->clients[i]);
        }
    buf_release(&listener->last);
    control_remove(&listener->place);
    close(listener->fd);
    close(listener->wake);
    queue_free(listener->answers);
    free(listener);
}
