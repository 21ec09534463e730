/* zip - a ZIP file as it is written: members one after the other, stored as they are, with ZIP64 where it is needed.
 *
 * Members are not compressed, so that ranges of them can be read from the file (WACZ, "Zip Compression"). Of their size
 * only whether it may reach 4 GiB must be known before: smaller members have no extra field, since wabac.js takes their
 * bytes to begin right behind the name. Memory: some 200 bytes a member. The file can be sought in. */
#ifndef SCENT_EXPORT_ZIP_H
#define SCENT_EXPORT_ZIP_H

#include "base/buf.h"
#include "warc/warc.h"

#include <stdio.h>

struct zip_member {
    char *name; /* its path in the archive: ASCII */
    uint64_t offset, size;
    uint32_t crc;
    bool is_large;
    char hash[DIGEST_SHA256]; /* "sha256:…" */
};

struct zip {
    FILE *file;
    struct zip_member *members;
    size_t count, room;
    uint64_t at; /* bytes so far */
    uint32_t date; /* of all members, as DOS has it */
    struct digest_sum *sum; /* of the open member */
    bool failed;
};

void zip_init(struct zip *zip, FILE *file, int64_t wall);
void zip_release(struct zip *zip);

/* A failure to write shows in zip->failed. */
void zip_begin(struct zip *zip, const char *name, uint64_t most); /* at most so many bytes */
void zip_add(struct zip *zip, struct str bytes);
void zip_end(struct zip *zip);
void zip_put(struct zip *zip, const char *name, struct str content); /* a whole member */
void zip_finish(struct zip *zip);                                    /* the directory; nothing comes behind it */

#endif
