/* control - the socket in a crawl directory by which a running crawl is watched and steered: DIR/control.
 *
 * A unix stream socket, for its owner alone (mode 0600). Requests and answers are one JSON object a line:
 * docs/internals/control.md. The crawl's side is engine/listener.h; here are the socket and whoever asks.
 *
 * The directory may come from somebody else. So nothing in the place of the socket is followed: what is there is
 * removed only if it is a socket of our own user, left by a crawl that was killed, and asked only if it is a socket.
 * The path may be longer than the 108 bytes of an address: both sides go through /proc/self/fd. */
#ifndef SCENT_CRAWLDIR_CONTROL_H
#define SCENT_CRAWLDIR_CONTROL_H

#include "base/buf.h"
#include "base/status.h"

#define CONTROL_SOCKET "control"
enum {
    CONTROL_LINE_MAX = 64 << 10,   /* of a request */
    CONTROL_ANSWER_MAX = 1 << 20,  /* of an answer */
    CONTROL_PATIENCE_MS = 30000,   /* whoever asks waits so long for an answer */
    CONTROL_SILENCE_MS = 10000,    /* whoever watches hears a line a second */
};

/* ---- the crawl's side ---- */

struct control_place {
    int dir;                 /* the directory; -1: none */
    unsigned long dev, inode; /* of our socket */
};
/* A listening socket, which does not block. Whoever calls holds the lock of the directory. SCENT_E_INVALID: something
 * else has its name. */
SCENT_NODISCARD scent_status control_listen(const char *dir, struct control_place *place, int *fd,
                                            struct errmsg *err);
/* Removes it, if it is still ours. */
void control_remove(struct control_place *place);

/* ---- whoever asks ---- */

/* SCENT_E_NOTFOUND: no crawl runs in `dir`. */
SCENT_NODISCARD scent_status control_connect(const char *dir, int *fd, struct errmsg *err);
/* Sends a request, an object without its line break. */
SCENT_NODISCARD scent_status control_send(int fd, struct str request, struct errmsg *err);
/* Appends the next line, without its break, to `line`; `rest` keeps what came behind it for the next call.
 * SCENT_E_END: the crawl has ended. SCENT_E_LIMIT: the line is longer than CONTROL_ANSWER_MAX, or takes longer than
 * CONTROL_PATIENCE_MS. */
SCENT_NODISCARD scent_status control_receive(int fd, struct buf *rest, struct buf *line, struct errmsg *err);
/* A crawl that is watched, or not running yet. Nobody waits longer than a moment for it: a crawl that hangs
 * says nothing, and after CONTROL_SILENCE_MS it counts as one that does not run. Begin with control_watch_begin(). */
struct control_watch {
    int fd;           /* -1: no crawl answers */
    struct buf rest;  /* what came without a line break */
    struct buf line;  /* the last snapshot; empty: no crawl runs */
    int64_t heard;    /* when it came */
};
void control_watch_begin(struct control_watch *watch);
void control_watch_end(struct control_watch *watch);
/* Takes what has come, and connects where that was not done. True: `line` is another one. */
bool control_watch_look(struct control_watch *watch, const char *dir);

/* One request and its answer. */
SCENT_NODISCARD scent_status control_ask(const char *dir, struct str request, struct buf *answer, struct errmsg *err);

#endif
