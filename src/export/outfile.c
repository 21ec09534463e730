#include "export/outfile.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 256 << 10 };

static scent_status fail(struct errmsg *err, const char *what, const char *path)
{
    int code = errno;

    return errmsg_fail(err, scent_status_of_errno(code), "cannot %s %s: %s", what, path, strerror(code));
}

static scent_status set_names(const char *path, struct outfile *out, struct errmsg *err)
{
    size_t len = path ? strlen(path) : 0;

    *out = (struct outfile){.path = path};
    while (len > 1 && path[len - 1] == '/')
        len--;
    if (snprintf(out->part, sizeof out->part, "%.*s.part", (int)len, path ? path : "") >= (int)sizeof out->part)
        return errmsg_fail(err, SCENT_E_INVALID, "the path %s is too long", path);
    return SCENT_OK;
}

static scent_status open_stream(const char *path, struct outfile *out, struct errmsg *err)
{
    out->is_stream = true;
    out->file = fopen(path, "we");
    return out->file ? SCENT_OK : fail(err, "open", path);
}

scent_status outfile_open(const char *path, struct outfile *out, struct errmsg *err)
{
    bool is_stream;
    int fd;

    SCENT_TRY(set_names(path, out, err));
    out->file = stdout;
    out->is_stream = !path;
    if (!path)
        return SCENT_OK;
    SCENT_TRY(file_look_at_target(path, &is_stream, err));
    if (is_stream)
        return open_stream(path, out, err);
    if (file_is_dir(path))
        return errmsg_fail(err, SCENT_E_INVALID, "%s is a folder, but this format is one file", path);
    fd = open(out->part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return file_fail_create(errno == ENOENT ? path : out->part, err);
    if (flock(fd, LOCK_EX | LOCK_NB)) {
        close(fd);
        return errmsg_fail(err, SCENT_E_LOCKED, "%s is being written by another export", out->part);
    }
    if (ftruncate(fd, 0) || !(out->file = fdopen(fd, "w+"))) {
        close(fd);
        return fail(err, "write to", out->part);
    }
    setvbuf(out->file, NULL, _IOFBF, BUFFER);
    return SCENT_OK;
}

scent_status outfile_open_folder(const char *path, struct outfile *out, struct errmsg *err)
{
    struct file_list names = {0};
    bool is_taken = file_exists(path);

    SCENT_TRY(set_names(path, out, err));
    out->is_folder = true;
    if (is_taken && file_is_dir(path)) {
        SCENT_TRY(file_list(path, "", &names, err));
        is_taken = names.count > 0;
        file_list_release(&names);
    }
    if (is_taken)
        return errmsg_fail(err, SCENT_E_INVALID, "%s exists and is not an empty folder: name another one", path);
    if (mkdir(out->part, 0777) == 0)
        return SCENT_OK;
    if (errno == EEXIST)
        return errmsg_fail(err, SCENT_E_INVALID, "%s exists, of an export that was cut off: remove it first",
                           out->part);
    return file_fail_create(errno == ENOENT ? path : out->part, err);
}

scent_status outfile_add(struct outfile *outfile, const char *folder, const char *name, struct str content,
                         struct errmsg *err)
{
    char path[sizeof outfile->part + 512];
    scent_status status = SCENT_OK;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", outfile->part, folder);
    if (mkdir(path, 0777) && errno != EEXIST)
        return fail(err, "create", path);
    snprintf(path, sizeof path, "%s/%s/%s", outfile->part, folder, name);
    file = fopen(path, "wxe");
    if (!file)
        return fail(err, "create", path);
    if (fwrite(content.p, 1, content.len, file) != content.len)
        status = fail(err, "write to", path);
    if (fclose(file) && status == SCENT_OK)
        status = fail(err, "write to", path);
    return status;
}

static scent_status sync_parent(const char *path, struct errmsg *err)
{
    char dir[4096];
    const char *slash = strrchr(path, '/');

    snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return file_sync_dir(dir, err);
}

static scent_status finish_folder(struct outfile *outfile, scent_status status, struct errmsg *err)
{
    struct errmsg ignored;

    if (status == SCENT_OK) {
        int fd = open(outfile->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        /* thousands of small files: one call for the file system instead of one for each */
        if (fd < 0 || syncfs(fd))
            status = fail(err, "sync", outfile->part);
        if (fd >= 0)
            close(fd);
    }
    if (status == SCENT_OK && rename(outfile->part, outfile->path))
        status = fail(err, "rename", outfile->part);
    if (status != SCENT_OK) {
        (void)!file_remove_tree(outfile->part, &ignored);
        return status;
    }
    return sync_parent(outfile->part, err);
}

scent_status outfile_close(struct outfile *outfile, scent_status status, struct errmsg *err)
{
    bool failed;

    if (outfile->is_folder)
        return finish_folder(outfile, status, err);
    failed = fflush(outfile->file) != 0 || ferror(outfile->file);
    if (outfile->is_stream) {
        if (failed && status == SCENT_OK)
            status = fail(err, "write to", outfile->path ? outfile->path : "standard output");
        if (outfile->path)
            fclose(outfile->file);
        return status;
    }
    if (status == SCENT_OK && (failed || fdatasync(fileno(outfile->file))))
        status = fail(err, "write to", outfile->part);
    if (status == SCENT_OK && rename(outfile->part, outfile->path))
        status = fail(err, "rename", outfile->part);
    if (status != SCENT_OK)
        unlink(outfile->part);
    fclose(outfile->file);
    return status == SCENT_OK ? sync_parent(outfile->part, err) : status;
}
