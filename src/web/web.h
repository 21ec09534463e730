/* web - a web behind one function: URL in, response out.
 *
 * Either an archive (a folder of WARC files) or a generated web, which is a deterministic function of a seed
 * and the URL: nothing is stored, so a million hosts cost nothing. The engine crawls it in
 * process (`crawl --from`), `scent web serve` puts it behind real sockets.
 * Thread: web_get is safe from many threads at once. */
#ifndef SCENT_WEB_WEB_H
#define SCENT_WEB_WEB_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/status.h"
#include "base/str.h"

/* What a server may do instead of answering. */
enum web_fault { WEB_FINE, WEB_REFUSE, WEB_DROP, WEB_HANG, WEB_NO_HOST };

struct web_response {
    int status;
    struct str head;  /* status line and header lines with CRLF, with the empty line; Content-Length is right */
    struct str body;
    uint32_t delay_ms; /* a slow host waits so long before it answers (a server does it, in-process crawls do not) */
    enum web_fault fault;
    bool absent; /* the archive has nothing for this URL: the 404 is ours, nobody ever sent it */
};

struct web;
/* Is it an archive, by its first bytes (a folder is one)? Otherwise it should be a specification. */
SCENT_NODISCARD scent_status web_sniff(const char *path, bool *is_archive, struct errmsg *err);
/* A folder or WARC file, or a generated web's YAML specification (told apart by content). */
SCENT_NODISCARD scent_status web_open(const char *path, const struct log *log, struct web **out, struct errmsg *err);
/* The same from the text of a specification ("" is the default web); `name` stands for the file in messages. */
SCENT_NODISCARD scent_status web_open_spec(struct str yaml, const char *name, struct web **out, struct errmsg *err);
void web_free(struct web *web); /* NULL is fine */
/* Every URL has an answer (404 for what is not there). `href` is absolute. Strings lie in `buf`, which is cleared
 * first. */
SCENT_NODISCARD scent_status web_get(const struct web *web, struct str href, struct buf *buf, struct web_response *out,
                                     struct errmsg *err);
/* URLs to begin with: the i-th page of an archive, hub pages of the wanted topic of a generated web; empty after the
 * last. */
struct str web_seed(const struct web *web, size_t i, struct arena *arena);
/* The topic of a URL of a generated web ("t3"); empty where unknown. The truth that experiments measure against. */
struct str web_label(const struct web *web, struct str href, struct arena *arena);
/* A URL out of the endless part of a generated web: calendars, session ids, ever deeper paths, redirect loops. */
bool web_is_trap(const struct web *web, struct str href);

/* The pages of a generated web by number (0 hosts: an archive). Page 0 is the home page; the pages of
 * tunnels are reached by links only. */
uint64_t web_hosts(const struct web *web);
uint64_t web_host_pages(const struct web *web, uint64_t host);
struct str web_page_url(const struct web *web, uint64_t host, uint64_t page, struct arena *arena);
/* The archive behind it; NULL for a generated web. */
struct archive;
const struct archive *web_archive(const struct web *web);
/* The plan behind a generated web (world.h), for measuring; NULL for an archive. */
struct world;
const struct world *web_world(const struct web *web);

/* pack - a folder of files as a WARC collection that web_open reads.
 *
 * A generated web is packed by crawling it: `scent crawl --from WEB.yaml` writes the same files. */
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
