/* child - another program that runs beside this one.
 *
 * It is started without a shell, with all signals as they are by default, in a group of its own: a Ctrl-C is for us,
 * and whoever ends it ends all that it has started. Its standard error is ours.
 * Thread: any; a child is waited for by who started it. */
#ifndef SCENT_BASE_CHILD_H
#define SCENT_BASE_CHILD_H

#include "base/buf.h"

#include <stdint.h>
#include <sys/types.h>

struct child_options {
    const char *const *words; /* the program and its arguments, and NULL. Without a '/' it is looked for in PATH */
    const char *folder;       /* it runs in, and its path is relative to; NULL: where we are */
    int input, output;        /* its standard input and output; -1: nothing, our standard error */
    bool is_mute;             /* its standard error is not shown */
};
/* False: it cannot be started, and errno says why. */
SCENT_NODISCARD bool child_start(const struct child_options *options, pid_t *out);
/* Waits `patience_us` for its end, kills its group then, and waits. True: it ended by itself. *how is that of
 * waitpid(). */
bool child_end(pid_t child, int64_t patience_us, int *how);
/* "exit status 3" or "signal 9" */
struct child_end_text {
    char text[32];
};
struct child_end_text child_end_text(int how);

/* As write() to its standard input, but one that has closed it is an error (EPIPE) and not a signal: the program whose
 * thread this is may not have thought of SIGPIPE. */
ssize_t child_write(int fd, struct str bytes);
/* Appends all that `fd` gives until its end. False: it took longer than `patience_us`, or does not fit out->cap. */
bool child_read_all(int fd, int64_t patience_us, struct buf *out);

#endif
