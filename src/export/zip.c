/* APPNOTE.TXT 6.3: local headers (4.3.7), the central directory (4.3.12 to 4.3.16), ZIP64 (4.5.3). */
#include "export/zip.h"

#include "base/bytes.h"
#include "base/vec.h"
#include "http/http.h"

#include <stdlib.h>
#include <time.h>

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END64 = 0x06064b50,
    LOCATOR64 = 0x07064b50,
    END = 0x06054b50,
    EXTRA64 = 0x0001,
    EXTRA_BYTES = 16, /* two sizes */
    VERSION = 20,
    VERSION64 = 45
};

static uint32_t cap32(uint64_t value)
{
    return value >= UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void put(struct zip *zip, struct buf *bytes)
{
    if (bytes->failed || fwrite(bytes->p, 1, bytes->len, zip->file) != bytes->len)
        zip->failed = true;
    zip->at += bytes->len;
    buf_clear(bytes);
}

void zip_init(struct zip *zip, FILE *file, int64_t wall)
{
    time_t seconds = (time_t)(wall / 1000000);
    struct tm when = {0};

    *zip = (struct zip){.file = file};
    gmtime_r(&seconds, &when);
    if (when.tm_year >= 80)
        zip->date = (uint32_t)(when.tm_year - 80) << 25 | (uint32_t)(when.tm_mon + 1) << 21 |
                    (uint32_t)when.tm_mday << 16 | (uint32_t)when.tm_hour << 11 | (uint32_t)when.tm_min << 5 |
                    (uint32_t)when.tm_sec / 2;
}

void zip_release(struct zip *zip)
{
    if (zip->sum)
        digest_sum_end(zip->sum, NULL);
    for (size_t i = 0; i < zip->count; i++)
        free(zip->members[i].name);
    free(zip->members);
}

/* What local and central headers have in common: versions to CRC and sizes. */
static void add_header(struct buf *out, const struct zip *zip, const struct zip_member *member, bool is_large)
{
    bytes_put(out, is_large ? VERSION64 : VERSION, 2);
    bytes_put(out, 0, 2); /* flags */
    bytes_put(out, 0, 2); /* stored */
    bytes_put(out, zip->date, 4);
    bytes_put(out, member->crc, 4);
    bytes_put(out, is_large ? UINT32_MAX : member->size, 4);
    bytes_put(out, is_large ? UINT32_MAX : member->size, 4);
    bytes_put(out, strlen(member->name), 2);
}

static void add_local(struct buf *out, const struct zip *zip, const struct zip_member *member)
{
    bytes_put(out, LOCAL, 4);
    add_header(out, zip, member, member->is_large);
    bytes_put(out, member->is_large ? 4 + EXTRA_BYTES : 0, 2);
    buf_addz(out, member->name);
    if (!member->is_large)
        return;
    bytes_put(out, EXTRA64, 2);
    bytes_put(out, EXTRA_BYTES, 2);
    bytes_put(out, member->size, 8);
    bytes_put(out, member->size, 8);
}

void zip_begin(struct zip *zip, const char *name, uint64_t most)
{
    struct zip_member member = {.name = strdup(name), .offset = zip->at, .is_large = most >= UINT32_MAX};
    struct buf header;

    SCENT_BUG_IF(!member.name || !vec_reserve(&zip->members, &zip->room, zip->count + 1, sizeof member));
    zip->members[zip->count++] = member;
    zip->sum = digest_sum_new();
    buf_init(&header, 0);
    add_local(&header, zip, &member);
    put(zip, &header);
    buf_release(&header);
}

void zip_add(struct zip *zip, struct str bytes)
{
    struct zip_member *member = &zip->members[zip->count - 1];

    member->crc = http_crc32(member->crc, bytes);
    digest_sum_add(zip->sum, bytes);
    if (bytes.len && fwrite(bytes.p, 1, bytes.len, zip->file) != bytes.len)
        zip->failed = true;
    member->size += bytes.len;
    zip->at += bytes.len;
}

void zip_end(struct zip *zip)
{
    struct zip_member *member = &zip->members[zip->count - 1];
    uint64_t at = zip->at;
    struct buf header;

    digest_sum_end(zip->sum, member->hash);
    zip->sum = NULL;
    zip->failed = zip->failed || (member->size >= UINT32_MAX && !member->is_large);
    buf_init(&header, 0);
    add_local(&header, zip, member);
    if (fseeko(zip->file, (off_t)member->offset, SEEK_SET))
        zip->failed = true;
    put(zip, &header);
    if (fseeko(zip->file, (off_t)at, SEEK_SET))
        zip->failed = true;
    zip->at = at;
    buf_release(&header);
}

void zip_put(struct zip *zip, const char *name, struct str content)
{
    zip_begin(zip, name, content.len);
    zip_add(zip, content);
    zip_end(zip);
}

static void add_central(struct buf *out, const struct zip *zip, const struct zip_member *member)
{
    bool is_large = member->is_large || member->offset >= UINT32_MAX;

    bytes_put(out, CENTRAL, 4);
    bytes_put(out, VERSION64, 2); /* made by */
    add_header(out, zip, member, is_large);
    bytes_put(out, is_large ? 4 + EXTRA_BYTES + 8 : 0, 2);
    bytes_put(out, 0, 2); /* comment */
    bytes_put(out, 0, 2); /* disk */
    bytes_put(out, 0, 2);
    bytes_put(out, 0, 4); /* attributes */
    bytes_put(out, is_large ? UINT32_MAX : member->offset, 4);
    buf_addz(out, member->name);
    if (!is_large)
        return;
    bytes_put(out, EXTRA64, 2);
    bytes_put(out, EXTRA_BYTES + 8, 2);
    bytes_put(out, member->size, 8);
    bytes_put(out, member->size, 8);
    bytes_put(out, member->offset, 8);
}

void zip_finish(struct zip *zip)
{
    uint64_t start = zip->at, size;
    struct buf out;

    buf_init(&out, 0);
    for (size_t i = 0; i < zip->count; i++) {
        add_central(&out, zip, &zip->members[i]);
        put(zip, &out);
    }
    size = zip->at - start;
    if (start >= UINT32_MAX || size >= UINT32_MAX || zip->count >= UINT16_MAX) {
        bytes_put(&out, END64, 4);
        bytes_put(&out, 44, 8); /* of what follows in this record */
        bytes_put(&out, VERSION64, 2);
        bytes_put(&out, VERSION64, 2);
        bytes_put(&out, 0, 8); /* disks */
        bytes_put(&out, zip->count, 8);
        bytes_put(&out, zip->count, 8);
        bytes_put(&out, size, 8);
        bytes_put(&out, start, 8);
        bytes_put(&out, LOCATOR64, 4);
        bytes_put(&out, 0, 4);
        bytes_put(&out, start + size, 8);
        bytes_put(&out, 1, 4);
    }
    bytes_put(&out, END, 4);
    bytes_put(&out, 0, 4); /* disks */
    bytes_put(&out, zip->count >= UINT16_MAX ? UINT16_MAX : zip->count, 2);
    bytes_put(&out, zip->count >= UINT16_MAX ? UINT16_MAX : zip->count, 2);
    bytes_put(&out, cap32(size), 4);
    bytes_put(&out, cap32(start), 4);
    bytes_put(&out, 0, 2);
    put(zip, &out);
    buf_release(&out);
}
