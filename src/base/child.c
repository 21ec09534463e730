#include "base/child.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LOOK_US = 10000, PIECE = 64 << 10 };

static bool set_files(posix_spawn_file_actions_t *actions, const struct child_options *options)
{
    int input = options->input, output = options->output;

    return (input >= 0 ? posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO)
                       : posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)) == 0 &&
           posix_spawn_file_actions_adddup2(actions, output >= 0 ? output : STDERR_FILENO, STDOUT_FILENO) == 0 &&
           (!options->is_mute ||
            posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0) &&
           (!options->folder || posix_spawn_file_actions_addchdir_np(actions, options->folder) == 0);
}

static bool set_signals(posix_spawnattr_t *attributes)
{
    sigset_t all, none;

    sigfillset(&all);
    sigemptyset(&none);
    return posix_spawnattr_setsigdefault(attributes, &all) == 0 && posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setpgroup(attributes, 0) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETPGROUP) == 0;
}

bool child_start(const struct child_options *options, pid_t *out)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    failed = set_files(&actions, options) && set_signals(&attributes)
                 ? posix_spawnp(out, options->words[0], &actions, &attributes, (char **)(uintptr_t)options->words,
                                environ)
                 : ENOMEM;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    errno = failed;
    return failed == 0;
}

bool child_end(pid_t child, int64_t patience_us, int *how)
{
    int64_t until = clock_mono(&clock_system) + patience_us;
    bool ended;

    while (!(ended = waitpid(child, how, WNOHANG) == child) && clock_mono(&clock_system) < until)
        usleep(LOOK_US);
    kill(-child, SIGKILL);
    if (!ended)
        (void)waitpid(child, how, 0);
    return ended;
}

struct child_end_text child_end_text(int how)
{
    struct child_end_text out;

    snprintf(out.text, sizeof out.text, "%s %d", WIFSIGNALED(how) ? "signal" : "exit status",
             WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
    return out;
}

ssize_t child_write(int fd, struct str bytes)
{
    const struct timespec now = {0};
    sigset_t broken, before;
    ssize_t written;
    int why;

    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    written = write(fd, bytes.p, bytes.len);
    why = errno;
    if (written < 0 && why == EPIPE && !sigismember(&before, SIGPIPE))
        while (sigtimedwait(&broken, NULL, &now) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return written;
}

bool child_read_all(int fd, int64_t patience_us, struct buf *out)
{
    int64_t until = clock_mono(&clock_system) + patience_us;

    for (;;) {
        int64_t left = (until - clock_mono(&clock_system)) / 1000;
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        size_t room = out->cap && out->cap - out->len < PIECE ? out->cap - out->len : PIECE;
        char beyond;
        ssize_t got;

        if (left <= 0 || !buf_reserve(out, room))
            return false;
        if (poll(&poll_fd, 1, left < 1000 ? (int)left : 1000) < 0 && errno != EINTR)
            return false;
        if (!poll_fd.revents)
            continue;
        got = read(fd, room ? out->p + out->len : &beyond, room ? room : 1);
        if (got == 0)
            return true;
        if ((got < 0 && errno != EINTR) || (got > 0 && !room))
            return false;
        out->len += got > 0 ? (size_t)got : 0;
    }
}
