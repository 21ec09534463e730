/* permission - a list of crawl directories in the folder of the user's state. */
#include "app/permission.h"

#include "base/file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { LIST_MAX = 1 << 20 };

static const struct {
    const char *list, *option;
} permissions[] = {
    [PERMISSION_PRIVATE] = {"private-crawls", "--allow-private"},
    [PERMISSION_PROGRAMS] = {"program-crawls", "--allow-programs"},
};
enum { NAME_ROOM = 32 }; /* of a list */

struct place {
    char text[PATH_MAX];
};

/* False: the user has no home. */
static bool state_folder(struct place *out)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (state && *state == '/')
        return snprintf(out->text, sizeof out->text, "%s/scent", state) < PATH_MAX - NAME_ROOM;
    return home && *home == '/' &&
           snprintf(out->text, sizeof out->text, "%s/.local/state/scent", home) < PATH_MAX - NAME_ROOM;
}

static bool list_path(enum permission what, struct place *out)
{
    size_t len;

    if (!state_folder(out))
        return false;
    len = strlen(out->text);
    snprintf(out->text + len, sizeof out->text - len, "/%s", permissions[what].list);
    return true;
}

/* The line of a directory: inodes are used again, but no two have the same birth. False: it cannot be told apart. */
static bool describe(const char *dir, struct buf *out)
{
    struct statx about;
    char *path = realpath(dir, NULL);
    bool known = path && !strchr(path, '\n') &&
                 statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME | STATX_MODE, &about) == 0 &&
                 about.stx_mask & STATX_BTIME && S_ISDIR(about.stx_mode);

    if (known)
        buf_printf(out, "%llu %lld.%09u %s\n", (unsigned long long)about.stx_ino, (long long)about.stx_btime.tv_sec,
                   about.stx_btime.tv_nsec, path);
    free(path);
    return known && !out->failed;
}

static bool holds(struct str list, struct str line)
{
    for (size_t i = 0; i + line.len <= list.len; i++)
        if ((i == 0 || list.p[i - 1] == '\n') && str_starts(str_sub(list, i, list.len), line))
            return true;
    return false;
}

bool permission_is_given(enum permission what, const char *dir)
{
    struct buf list, line;
    struct place path;
    bool given;

    buf_init(&list, LIST_MAX);
    buf_init(&line, 0);
    given = list_path(what, &path) && describe(dir, &line) && file_read(path.text, &list, NULL) == SCENT_OK &&
            holds(buf_str(&list), buf_str(&line));
    buf_release(&list);
    buf_release(&line);
    return given;
}

static scent_status remember(enum permission what, const char *dir, struct errmsg *err)
{
    struct place folder, path;
    struct buf list, line;
    scent_status status;

    if (!state_folder(&folder) || !list_path(what, &path))
        return errmsg_fail(err, SCENT_E_NOTFOUND, "there is no home directory");
    buf_init(&list, LIST_MAX);
    buf_init(&line, 0);
    status = file_make_dir(folder.text, err);
    if (status == SCENT_OK && !describe(dir, &line))
        status = errmsg_fail(err, SCENT_E_INVALID, "the file system does not tell when %s was made", dir);
    if (status == SCENT_OK && (status = file_read(path.text, &list, err)) == SCENT_E_NOTFOUND)
        status = SCENT_OK;
    if (status == SCENT_OK && !holds(buf_str(&list), buf_str(&line))) {
        buf_add(&list, buf_str(&line));
        status = list.failed ? errmsg_fail(err, SCENT_E_LIMIT, "%s is full; remove old lines", path.text)
                             : file_replace_private(path.text, buf_str(&list), err);
    }
    buf_release(&list);
    buf_release(&line);
    return status;
}

void permission_give(enum permission what, const char *dir, const struct log *log)
{
    struct errmsg err = {{0}};

    if (remember(what, dir, &err) != SCENT_OK)
        log_line(log, LOG_WARN, "%s has to be given again for this crawl: it cannot be remembered: %s",
                 permissions[what].option, err.text);
}
