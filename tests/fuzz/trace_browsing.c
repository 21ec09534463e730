/* Any bytes are a browsing file, a list, or refused with a line; what was read is written and read back the same. */
#include "trace/browsing.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct log quiet = {.level = LOG_ERROR};

static void path_of(int fd, char path[64])
{
    snprintf(path, 64, "/proc/self/fd/%d", fd);
}

static int file_of(struct str bytes)
{
    int fd = memfd_create("browsing", MFD_CLOEXEC);

    SCENT_BUG_IF(fd < 0 || write(fd, bytes.p, bytes.len) != (ssize_t)bytes.len);
    return fd;
}

static void check(const struct browsing *browsing)
{
    struct browsing_size size = browsing_size(browsing), back;
    struct browsing *again;
    struct errmsg err;
    char path[64];
    struct buf out;
    int fd;

    for (uint32_t i = 0; i < size.visits; i++) {
        uint32_t from = browsing_at(browsing, i)->from;

        SCENT_BUG_IF(from != BROWSING_NONE && from >= i);
    }
    buf_init(&out, 0);
    SCENT_BUG_IF(browsing_write(browsing, &out) != SCENT_OK);
    fd = file_of(buf_str(&out));
    path_of(fd, path);
    SCENT_BUG_IF(browsing_load((const char *[]){path}, 1, &quiet, &again, &err) != SCENT_OK);
    back = browsing_size(again);
    SCENT_BUG_IF(back.visits != size.visits || back.useful != size.useful || back.linked != size.linked);
    browsing_free(again);
    buf_release(&out);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    int fd = file_of((struct str){(const char *)data, len});
    struct browsing *browsing, *list = browsing_new();
    struct errmsg err = {""};
    char path[64];

    path_of(fd, path);
    if (browsing_load((const char *[]){path}, 1, &quiet, &browsing, &err) == SCENT_OK)
        check(browsing);
    else
        SCENT_BUG_IF(!err.text[0]);
    browsing_free(browsing);
    if (browsing_read_list(list, path, &err) == SCENT_OK)
        check(list);
    browsing_free(list);
    close(fd);
    return 0;
}
