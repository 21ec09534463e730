/* Files are replaced as a whole and synced; every failure names its path. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static scent_status fail_errno(struct errmsg *err, const char *what, const char *path)
{
    int code = errno;

    return errmsg_fail(err, scent_status_of_errno(code), "cannot %s %s: %s", what, path, strerror(code));
}

static scent_status read_fd(int fd, const char *path, struct buf *out, struct errmsg *err)
{
    char chunk[64 * 1024];

    for (;;) {
        ssize_t got = read(fd, chunk, sizeof chunk);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(err, "read", path);
        if (got == 0)
            return SCENT_OK;
        if (!buf_add(out, (struct str){chunk, (size_t)got}))
            return errmsg_fail(err, SCENT_E_LIMIT, "%s is larger than %zu bytes", path, out->cap);
    }
}

scent_status file_read(const char *path, struct buf *out, struct errmsg *err)
{
    scent_status status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return fail_errno(err, "open", path);
    status = read_fd(fd, path, out, err);
    close(fd);
    return status;
}

scent_status file_sync_dir(const char *path, struct errmsg *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc;

    if (fd < 0)
        return fail_errno(err, "open", path);
    rc = fsync(fd);
    close(fd);
    return rc ? fail_errno(err, "sync", path) : SCENT_OK;
}

static scent_status write_all(int fd, const char *path, struct str data, struct errmsg *err)
{
    while (data.len) {
        ssize_t put = write(fd, data.p, data.len);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return fail_errno(err, "write", path);
        data = str_sub(data, (size_t)put, data.len);
    }
    return SCENT_OK;
}

/* Always a new file: one that a crash left may have another mode, and a symbolic link may lead anywhere. */
static int create_new(const char *path, bool private)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode = private ? 0600 : 0666;
    int fd = open(path, flags, mode);

    if (fd < 0 && errno == EEXIST && unlink(path) == 0)
        fd = open(path, flags, mode);
    return fd;
}

static scent_status write_synced(const char *path, struct str content, bool private, struct errmsg *err)
{
    scent_status status;
    int fd = create_new(path, private);

    if (fd < 0)
        return fail_errno(err, "create", path);
    status = write_all(fd, path, content, err);
    if (status == SCENT_OK && fsync(fd))
        status = fail_errno(err, "sync", path);
    close(fd);
    return status;
}

static scent_status replace(const char *path, struct str content, bool private, struct errmsg *err)
{
    char beside[4096], dir[4096];
    const char *slash = strrchr(path, '/');
    scent_status status;

    if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
        return errmsg_fail(err, SCENT_E_INVALID, "the path %s is too long", path);
    snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    status = write_synced(beside, content, private, err);
    if (status == SCENT_OK && rename(beside, path))
        status = fail_errno(err, "replace", path);
    if (status != SCENT_OK) {
        unlink(beside);
        return status;
    }
    return file_sync_dir(dir, err);
}

scent_status file_replace(const char *path, struct str content, struct errmsg *err)
{
    return replace(path, content, false, err);
}

scent_status file_replace_private(const char *path, struct str content, struct errmsg *err)
{
    return replace(path, content, true, err);
}

/* A new name lasts once the directory that holds it is synced. One that we may write to but not read cannot be. */
static scent_status make_dir(const char *path, struct errmsg *err)
{
    const char *slash = strrchr(path, '/');
    char parent[4096];

    if (mkdir(path, 0777))
        return errno == EEXIST ? SCENT_OK : fail_errno(err, "create the directory", path);
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return access(parent, R_OK) ? SCENT_OK : file_sync_dir(parent, err);
}

scent_status file_make_dir(const char *path, struct errmsg *err)
{
    char part[4096];
    scent_status status = SCENT_OK;

    if (strlen(path) >= sizeof part)
        return errmsg_fail(err, SCENT_E_INVALID, "the path %s is too long", path);
    for (size_t i = 1; status == SCENT_OK && i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != 0)
            continue;
        memcpy(part, path, i);
        part[i] = 0;
        status = make_dir(part, err);
    }
    if (status != SCENT_OK)
        return status;
    if (!file_is_dir(path))
        return errmsg_fail(err, SCENT_E_IO, "%s exists and is not a directory", path);
    return SCENT_OK;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

scent_status file_remove_tree(const char *path, struct errmsg *err)
{
    return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) ? fail_errno(err, "remove", path) : SCENT_OK;
}

struct str file_beside(struct arena *arena, const char *name, struct str path)
{
    const char *slash = strrchr(name, '/');
    int folder = slash && !str_starts(path, STR("/")) ? (int)(slash - name) + 1 : 0;

    return arena_printf(arena, "%.*s%.*s", folder, name, STR_ARG(path));
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_is_dir(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_add(struct file_list *list, const char *name)
{
    /* Doubling at powers of two needs no field for the room. */
    if ((list->count & (list->count - 1)) == 0) {
        size_t room = list->count ? list->count * 2 : 1;

        list->names = realloc(list->names, room * sizeof *list->names);
        SCENT_BUG_IF(!list->names);
    }
    list->names[list->count] = strdup(name);
    SCENT_BUG_IF(!list->names[list->count]);
    list->count++;
}

scent_status file_list(const char *dir, const char *suffix, struct file_list *out, struct errmsg *err)
{
    struct dirent *entry;
    DIR *handle = opendir(dir);

    *out = (struct file_list){0};
    if (!handle)
        return fail_errno(err, "open the directory", dir);
    while ((entry = readdir(handle))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (str_ends(str_of(entry->d_name), str_of(suffix)))
            list_add(out, entry->d_name);
    }
    closedir(handle);
    if (out->count)
        qsort(out->names, out->count, sizeof *out->names, by_name);
    return SCENT_OK;
}

void file_list_release(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (struct file_list){0};
}
