/* pack - a folder of files, or a part of a generated web, as a WARC collection that web_open reads. */
#ifndef SCENT_WEB_PACK_H
#define SCENT_WEB_PACK_H

#include "base/log.h"
#include "web/web.h"

/* Packs the files below `folder` as responses under `base_url` ("http://docs.test/"): sorted by name, dated by
 * their modification time, typed by their extension; index.html also stands for its folder. Symbolic links to files
 * inside `folder` are followed, others and special files are left out (named in `log`). The same files give the same
 * bytes. *packed counts responses. */
SCENT_NODISCARD scent_status web_pack_folder(const char *folder, const char *base_url, const char *out_dir,
                                             const struct log *log, uint64_t *packed, struct errmsg *err);

/* Walks a generated web breadth-first from its seeds and packs the first `max_pages` responses (robots.txt files on
 * top of them), with labels.tsv: url<TAB>topic for every page that has one. Of endless parts only a taste is packed:
 * one page in fifty. Memory: some 100 bytes a page. */
SCENT_NODISCARD scent_status web_generate_pack(const struct web *web, uint64_t max_pages, const char *out_dir,
                                               uint64_t *packed, struct errmsg *err);

#endif
