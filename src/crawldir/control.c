#include "crawldir/control.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128, RECEIVE = 4096, CONNECT_S = 5, FIRST_MS = 100 };

static scent_status fail(const char *dir, const char *what, struct errmsg *err)
{
    return errmsg_fail(err, scent_status_of_errno(errno), "cannot %s %s/" CONTROL_SOCKET ": %s", what, dir,
                       strerror(errno));
}

/* ---- the crawl's side ---- */

/* What a killed crawl of this user left is removed; anything else is not ours to touch. */
static scent_status clear_place(const char *dir, int at, struct errmsg *err)
{
    struct stat info;

    if (fstatat(at, CONTROL_SOCKET, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? SCENT_OK : fail(dir, "look at", err);
    if (!S_ISSOCK(info.st_mode) || info.st_uid != geteuid())
        return errmsg_fail(err, SCENT_E_INVALID, "%s/" CONTROL_SOCKET " is not a socket of this user: remove it", dir);
    return unlinkat(at, CONTROL_SOCKET, 0) == 0 || errno == ENOENT ? SCENT_OK : fail(dir, "replace", err);
}

static scent_status bind_socket(const char *dir, struct control_place *place, int fd, struct errmsg *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat info;

    SCENT_TRY(clear_place(dir, place->dir, err));
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" CONTROL_SOCKET, place->dir);
    /* The mode of an unbound socket is that of the file which bind() makes: nobody else can connect in between. */
    if (fchmod(fd, 0600) != 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, BACKLOG) != 0 || fstatat(place->dir, CONTROL_SOCKET, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return fail(dir, "make", err);
    place->dev = info.st_dev;
    place->inode = info.st_ino;
    return SCENT_OK;
}

scent_status control_listen(const char *dir, struct control_place *place, int *fd, struct errmsg *err)
{
    scent_status status;

    *place = (struct control_place){.dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC)};
    *fd = place->dir < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    status = *fd < 0 ? fail(dir, "make", err) : bind_socket(dir, place, *fd, err);
    if (status == SCENT_OK)
        return SCENT_OK;
    if (*fd >= 0)
        close(*fd);
    if (place->dir >= 0)
        close(place->dir);
    *fd = place->dir = -1;
    return status;
}

void control_remove(struct control_place *place)
{
    struct stat info;

    if (place->dir < 0)
        return;
    if (fstatat(place->dir, CONTROL_SOCKET, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(info.st_mode) &&
        info.st_dev == place->dev && info.st_ino == place->inode)
        (void)unlinkat(place->dir, CONTROL_SOCKET, 0);
    close(place->dir);
    place->dir = -1;
}

/* ---- whoever asks ---- */

static scent_status connect_to(const char *dir, int place, int fd, struct errmsg *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = CONNECT_S}; /* where too many wait already */
    struct stat info;

    if (fstat(place, &info) != 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0)
        return fail(dir, "look at", err);
    if (!S_ISSOCK(info.st_mode))
        return errmsg_fail(err, SCENT_E_INVALID, "%s/" CONTROL_SOCKET " is not a socket", dir);
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", place);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return SCENT_OK;
    if (errno == ECONNREFUSED || errno == ENOENT)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "no crawl is running in %s", dir);
    return fail(dir, "connect to", err);
}

scent_status control_connect(const char *dir, int *fd, struct errmsg *err)
{
    char path[4096 + 16];
    scent_status status;
    int place;

    *fd = -1;
    snprintf(path, sizeof path, "%s/" CONTROL_SOCKET, dir);
    place = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0 && errno == ENOENT)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "no crawl is running in %s", dir);
    if (place < 0)
        return fail(dir, "open", err);
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    status = *fd < 0 ? fail(dir, "open", err) : connect_to(dir, place, *fd, err);
    close(place);
    if (status != SCENT_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

/* Waits until the socket is ready for `events`. */
static scent_status wait_for(int fd, short events, int64_t until, struct errmsg *err)
{
    for (;;) {
        struct pollfd poll_one = {.fd = fd, .events = events};
        int64_t left = (until - clock_mono(&clock_system)) / 1000;
        int ready = left > 0 ? poll(&poll_one, 1, (int)left) : 0;

        if (ready > 0)
            return SCENT_OK;
        if (ready == 0)
            return errmsg_fail(err, SCENT_E_LIMIT, "the crawl does not answer");
        if (errno != EINTR)
            return errmsg_fail(err, SCENT_E_IO, "cannot wait for the crawl: %s", strerror(errno));
    }
}

static int64_t last_moment(void)
{
    return clock_mono(&clock_system) + CONTROL_PATIENCE_MS * (int64_t)1000;
}

static scent_status send_all(int fd, struct str bytes, int64_t until, struct errmsg *err)
{
    while (bytes.len) {
        ssize_t sent = send(fd, bytes.p, bytes.len, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent > 0)
            bytes = str_sub(bytes, (size_t)sent, bytes.len);
        else if (errno == EAGAIN)
            SCENT_TRY(wait_for(fd, POLLOUT, until, err));
        else if (errno != EINTR)
            return errmsg_fail(err, SCENT_E_END, "the crawl has ended");
    }
    return SCENT_OK;
}

scent_status control_send(int fd, struct str request, struct errmsg *err)
{
    int64_t until = last_moment();

    if (request.len >= CONTROL_LINE_MAX)
        return errmsg_fail(err, SCENT_E_LIMIT, "the request is longer than %d bytes", CONTROL_LINE_MAX - 1);
    SCENT_TRY(send_all(fd, request, until, err));
    return send_all(fd, STR("\n"), until, err);
}

/* Moves the first line of `rest` to `line`. */
static bool take_line(struct buf *rest, struct buf *line)
{
    size_t end = str_find(buf_str(rest), '\n');

    if (end == rest->len)
        return false;
    buf_add(line, (struct str){rest->p, end});
    memmove(rest->p, rest->p + end + 1, rest->len - end - 1);
    rest->len -= end + 1;
    return true;
}

scent_status control_receive(int fd, struct buf *rest, struct buf *line, struct errmsg *err)
{
    int64_t until = last_moment();

    while (!take_line(rest, line)) {
        ssize_t got;

        if (rest->len > CONTROL_ANSWER_MAX)
            return errmsg_fail(err, SCENT_E_LIMIT, "the answer of the crawl is longer than %d bytes",
                               CONTROL_ANSWER_MAX);
        if (!buf_reserve(rest, RECEIVE))
            return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for an answer");
        SCENT_TRY(wait_for(fd, POLLIN, until, err));
        got = recv(fd, rest->p + rest->len, RECEIVE, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return errmsg_fail(err, SCENT_E_END, "the crawl has ended");
        rest->len += got > 0 ? (size_t)got : 0;
    }
    return line->failed ? errmsg_fail(err, SCENT_E_NOMEM, "out of memory for an answer") : SCENT_OK;
}

scent_status control_ask(const char *dir, struct str request, struct buf *answer, struct errmsg *err)
{
    struct buf rest;
    scent_status status;
    int fd;

    SCENT_TRY(control_connect(dir, &fd, err));
    buf_init(&rest, 0);
    status = control_send(fd, request, err);
    if (status == SCENT_OK)
        status = control_receive(fd, &rest, answer, err);
    buf_release(&rest);
    close(fd);
    return status;
}

/* ---- whoever watches ---- */

void control_watch_begin(struct control_watch *watch)
{
    *watch = (struct control_watch){.fd = -1};
    buf_init(&watch->rest, CONTROL_ANSWER_MAX + RECEIVE);
    buf_init(&watch->line, CONTROL_ANSWER_MAX + RECEIVE);
}

static void hang_up(struct control_watch *watch)
{
    if (watch->fd >= 0)
        close(watch->fd);
    watch->fd = -1;
    buf_clear(&watch->rest);
    buf_clear(&watch->line);
}

void control_watch_end(struct control_watch *watch)
{
    hang_up(watch);
    buf_release(&watch->rest);
    buf_release(&watch->line);
}

/* The last whole line of what has come; those before it are old. */
static bool take_last_line(struct control_watch *watch)
{
    struct str rest = buf_str(&watch->rest);
    size_t end = rest.len, start;

    while (end && rest.p[end - 1] != '\n')
        end--;
    if (!end)
        return false;
    for (start = end - 1; start && rest.p[start - 1] != '\n';)
        start--;
    buf_clear(&watch->line);
    buf_add(&watch->line, str_sub(rest, start, end - 1));
    memmove(watch->rest.p, watch->rest.p + end, rest.len - end);
    watch->rest.len -= end;
    return true;
}

bool control_watch_look(struct control_watch *watch, const char *dir)
{
    bool had = watch->line.len > 0, news = false;
    int64_t now = clock_mono(&clock_system);
    struct errmsg err;

    if (watch->fd < 0 && control_connect(dir, &watch->fd, &err) == SCENT_OK) {
        watch->heard = now;
        if (control_send(watch->fd, STR("{\"do\":\"watch\"}"), &err) != SCENT_OK)
            hang_up(watch);
        else /* the first line comes at once, from a crawl that is well */
            (void)poll(&(struct pollfd){.fd = watch->fd, .events = POLLIN}, 1, FIRST_MS);
    }
    while (watch->fd >= 0) {
        ssize_t got = buf_reserve(&watch->rest, RECEIVE)
                          ? recv(watch->fd, watch->rest.p + watch->rest.len, RECEIVE, MSG_DONTWAIT)
                          : 0;

        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (got <= 0) {
            hang_up(watch);
            break;
        }
        watch->rest.len += (size_t)got;
        news |= take_last_line(watch);
    }
    if (news)
        watch->heard = now;
    else if (watch->fd >= 0 && now - watch->heard > CONTROL_SILENCE_MS * (int64_t)1000)
        buf_clear(&watch->line); /* it may speak again */
    return news || (had && !watch->line.len);
}
