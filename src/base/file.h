/* file - whole files and directories, with errors that name the path. */
#ifndef SCENT_BASE_FILE_H
#define SCENT_BASE_FILE_H

#include "base/arena.h"
#include "base/buf.h"

#include <sys/types.h>

/* ---- reading what somebody named ----
 *
 * A device without an end is refused. A pipe is read, but one that gives nothing for 8 seconds is refused too: nobody
 * writes to it. Standard input (/dev/stdin) is waited for, as long as its writer takes. */

/* FILE_STREAM: read once from its beginning to its end, so a pipe will do. */
enum file_kind { FILE_REGULAR, FILE_STREAM };
SCENT_NODISCARD scent_status file_open(const char *path, enum file_kind kind, int *fd, struct errmsg *err);
/* The next bytes, at most `room`; 0 at the end. */
SCENT_NODISCARD scent_status file_take(int fd, const char *path, char *to, size_t room, size_t *got,
                                       struct errmsg *err);

/* Appends the whole file; fails with SCENT_E_LIMIT when it does not fit out->cap, before it is read where its length is
 * known. */
SCENT_NODISCARD scent_status file_read(const char *path, struct buf *out, struct errmsg *err);
/* The same for a file that begins with `magic`: of any other only the beginning is appended, so that the reader refuses
 * it without the rest. */
SCENT_NODISCARD scent_status file_read_as(const char *path, struct str magic, struct buf *out, struct errmsg *err);

/* Gives each line without its end as it comes, in constant memory; numbers begin at 1. Fails at a line that is longer
 * than FILE_LINE_MAX, at a file of more than `cap` bytes, and where `fn` does. */
enum { FILE_LINE_MAX = 256 << 10 };
typedef scent_status file_line_fn(void *ctx, struct str line, size_t number, struct errmsg *err);
SCENT_NODISCARD scent_status file_each_line(const char *path, size_t cap, file_line_fn *fn, void *ctx,
                                            struct errmsg *err);

/* ---- writing ---- */

/* Writes beside it, syncs, renames, syncs the folder: after a crash the old or the new file is there, whole. A
 * descriptor (/dev/stdout) and a character device (/dev/null) are written to as they are; a pipe is replaced. */
SCENT_NODISCARD scent_status file_replace(const char *path, struct str content, struct errmsg *err);
/* The same for what only its owner may read: where people went. */
SCENT_NODISCARD scent_status file_replace_private(const char *path, struct str content, struct errmsg *err);
/* The same for content that is made piece by piece: `next` appends one to the empty buffer, at the end nothing. */
typedef scent_status file_piece_fn(void *ctx, struct buf *piece);
SCENT_NODISCARD scent_status file_replace_pieces(const char *path, file_piece_fn *next, void *ctx, struct errmsg *err);
/* Is `path` a stream: a terminal, /dev/null, a pipe, a descriptor (/dev/stdout, /dev/fd/63)? A file that is made beside
 * it and renamed would take its place. Whatever else is neither a file nor a folder is refused. */
SCENT_NODISCARD scent_status file_look_at_target(const char *path, bool *is_stream, struct errmsg *err);
/* Says why, by errno, a new file could not be made. */
scent_status file_fail_create(const char *path, struct errmsg *err);
/* SCENT_E_INVALID where the folder holds something whose name is none of `names` (a NULL ends them) and does not begin
 * with one of them and a '.' or '-'; `thing` is what it should be: "crawl directory". No folder is fine. */
SCENT_NODISCARD scent_status file_expect_only(const char *dir, const char *const *names, const char *thing,
                                              struct errmsg *err);
/* With its parents; existing is fine. */
SCENT_NODISCARD scent_status file_make_dir(const char *path, struct errmsg *err);
SCENT_NODISCARD scent_status file_sync_dir(const char *path, struct errmsg *err);

/* The folder with all that is in it; symbolic links are removed, not followed. For what we made ourselves. */
SCENT_NODISCARD scent_status file_remove_tree(const char *path, struct errmsg *err);

/* `path` as it is written in the file `name`: relative to that file's folder, unless it is absolute. With a terminator;
 * .p is NULL when the arena is full. */
SCENT_NODISCARD struct str file_beside(struct arena *arena, const char *name, struct str path);

bool file_exists(const char *path);
bool file_is_dir(const char *path);

/* The names in a folder whose end is `suffix` ("" for all), sorted bytewise, without . and ..; free with
 * file_list_release. */
struct file_list {
    char **names;
    size_t count;
};
SCENT_NODISCARD scent_status file_list(const char *dir, const char *suffix, struct file_list *out, struct errmsg *err);
void file_list_release(struct file_list *list);

#endif
