#include "lab/collection_sources.h"

#include "base/file.h"
#include "base/hash.h"

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

static scent_status digest_folder(const char *path, int levels, uint64_t *digest, struct errmsg *err)
{
    struct file_list list;
    scent_status status = file_list(path, "", &list, err);

    if (status != SCENT_OK)
        return status;
    for (size_t i = 0; i < list.count && status == SCENT_OK; i++) {
        char name[4096];

        snprintf(name, sizeof name, "%s/%s", path, list.names[i]);
        *digest = hash_mix(*digest, hash_str(str_of(list.names[i]), 0));
        if (!file_is_dir(name))
            status = digest_file(name, digest, err);
        else if (levels > 0)
            status = digest_folder(name, levels - 1, digest, err);
    }
    file_list_release(&list);
    return status;
}

scent_status collection_sources_digest(const char *path, uint64_t *out, struct errmsg *err)
{
    *out = 1;
    return file_is_dir(path) ? digest_folder(path, 1, out, err) : digest_file(path, out, err);
}
