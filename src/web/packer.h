/* packer - writes exchanges into a new WARC collection. The same exchanges give the same bytes: the record ids come
 * from a fixed seed and the date of a file is the one that the caller states. */
#ifndef SCENT_WEB_PACKER_H
#define SCENT_WEB_PACKER_H

#include "base/status.h"
#include "base/str.h"

struct packer;
/* The folder is made where needed; one that already holds WARC files is refused. `wall`: microseconds since 1970. */
SCENT_NODISCARD scent_status packer_open(const char *dir, int64_t wall, struct packer **out, struct errmsg *err);
SCENT_NODISCARD scent_status packer_add(struct packer *packer, struct str url, int64_t wall, struct str head,
                                        struct str body, struct errmsg *err);
uint64_t packer_count(const struct packer *packer);
/* Makes it durable and frees the packer, even on failure. NULL is fine. */
SCENT_NODISCARD scent_status packer_close(struct packer *packer, struct errmsg *err);

#endif
