/* file - whole files and directories, with errors that name the path. */
#ifndef SCENT_BASE_FILE_H
#define SCENT_BASE_FILE_H

#include "base/arena.h"
#include "base/buf.h"

#include <sys/types.h>

/* Appends the whole file; fails with SCENT_E_LIMIT when it does not fit out->cap. */
SCENT_NODISCARD scent_status file_read(const char *path, struct buf *out, struct errmsg *err);
/* Writes beside it, syncs, renames, syncs the folder: after a crash the old or the new file is there, whole. */
SCENT_NODISCARD scent_status file_replace(const char *path, struct str content, struct errmsg *err);
/* The same for what only its owner may read: where people went. */
SCENT_NODISCARD scent_status file_replace_private(const char *path, struct str content, struct errmsg *err);
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
