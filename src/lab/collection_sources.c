#include "lab/collection_sources.h"

#include "base/file.h"
#include "base/hash.h"
#include "warc/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static scent_status digest_file(const char *path, uint64_t *digest, struct errmsg *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat stat;
    void *bytes = NULL;

    if (fd < 0 || fstat(fd, &stat) != 0) {
        scent_status status = errmsg_fail(err, scent_status_of_errno(errno), "%s: %s", path, strerror(errno));

        if (fd >= 0)
            close(fd);
        return status;
    }
    if (stat.st_size > 0)
        bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return errmsg_fail(err, scent_status_of_errno(errno), "%s: %s", path, strerror(errno));
    *digest = hash_mix(*digest, hash_bytes(bytes, (size_t)stat.st_size, 0));
    if (bytes)
        munmap(bytes, (size_t)stat.st_size);
    return SCENT_OK;
}

/* Nothing but the archives counts: labels, logs and results may lie beside them and change. */
static scent_status digest_files(const char *folder, const struct file_list *files, uint64_t *digest,
                                 struct errmsg *err)
{
    size_t skip = strlen(folder);
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < files->count && status == SCENT_OK; i++) {
        *digest = hash_mix(*digest, hash_str(str_of(files->names[i] + skip), 0));
        status = digest_file(files->names[i], digest, err);
    }
    return status;
}

scent_status collection_sources_digest(const char *path, uint64_t *out, struct errmsg *err)
{
    struct file_list files;
    scent_status status;

    *out = 1;
    if (!file_is_dir(path))
        return digest_file(path, out, err);
    status = archive_files(path, &files, err);
    if (status == SCENT_OK)
        status = digest_files(path, &files, out, err);
    file_list_release(&files);
    return status;
}
