/* pack - a folder of files as a WARC collection that web_open reads.
 *
 * A generated web is packed by crawling it: `scent crawl --from WEB.yaml` writes the same files. */
#ifndef SCENT_WEB_PACK_H
#define SCENT_WEB_PACK_H

#include "base/log.h"
#include "base/status.h"
#include "base/str.h"

/* Packs the files below `folder` as responses under `base_url` ("http://docs.test/"): sorted by name, dated by
 * their modification time, typed by their extension; index.html also stands for its folder. Symbolic links to files
 * inside `folder` are followed, others and special files are left out (named in `log`). The same files give the same
 * bytes. *packed counts responses. */
SCENT_NODISCARD scent_status web_pack_folder(const char *folder, const char *base_url, const char *out_dir,
                                             const struct log *log, uint64_t *packed, struct errmsg *err);

/* The writer behind it: exchanges into a new collection. The same exchanges give the same bytes: the record ids come
 * from a fixed seed and the date of a file is the one that the caller states. */
struct packer;
/* The folder is made where needed; one that already holds WARC files is refused. `wall`: microseconds since 1970. */
SCENT_NODISCARD scent_status packer_open(const char *dir, int64_t wall, struct packer **out, struct errmsg *err);
SCENT_NODISCARD scent_status packer_add(struct packer *packer, struct str url, int64_t wall, struct str head,
                                        struct str body, struct errmsg *err);
/* Makes it durable and frees the packer, even on failure. NULL is fine. */
SCENT_NODISCARD scent_status packer_close(struct packer *packer, struct errmsg *err);

#endif
