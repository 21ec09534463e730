/* archive - a folder of WARC files as a map from URL to response.
 *
 * Opening reads every record once (a cached index comes with the lab); a look-up is a hash probe and
 * one read. The newest 2xx response of a URL wins, else the newest response (a damaged one only where there is no whole
 * one). Redirects and errors are kept as they are. A revisit is answered with the record that it refers to, where that
 * came before it. Memory: the URL and about 80 bytes an entry.
 * Thread: look-ups are safe from many threads at once (positional reads, the caller's buffers). */
#ifndef SCENT_WARC_ARCHIVE_H
#define SCENT_WARC_ARCHIVE_H

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "warc/warc.h"

/* The paths of the *.warc, *.warc.gz, *.warc.zst, *.arc and *.arc.gz files in `path`, in the folders directly below it
 * and in their folders called warc (so that a folder of crawl directories is a collection), sorted in each; or `path`
 * itself when it is a file. Free with file_list_release. */
SCENT_NODISCARD scent_status archive_files(const char *path, struct file_list *out, struct errmsg *err);

struct archive;
/* Of the files that archive_files() finds. Files that cannot be read are named in `log` and left out;
 * SCENT_E_NOTFOUND when none is left. */
SCENT_NODISCARD scent_status archive_open(const char *path, const struct log *log, struct archive **out,
                                          struct errmsg *err);
void archive_free(struct archive *archive);
size_t archive_count(const struct archive *archive);

struct archive_response {
    struct str url;
    int status;
    struct str head; /* status line and headers */
    struct str body; /* transfer decoded, content encoding kept */
};
/* `url` in normalised form (url_normalise without stripping). The response's strings lie in `buf`, what was
 * there before is dropped; response.url is the archive's. SCENT_E_NOTFOUND. */
SCENT_NODISCARD scent_status archive_get(const struct archive *archive, struct str url, struct buf *buf,
                                         struct archive_response *out, struct errmsg *err);
/* Is there a response of this URL, whatever its status? */
bool archive_has(const struct archive *archive, struct str url);
/* The i-th URL, in order of first appearance. */
struct str archive_url(const struct archive *archive, size_t i);

/* What is known of a response without reading it. */
struct archive_entry {
    struct str url;
    uint64_t date; /* 17 digits: 20261115085800000, with milliseconds */
    int status;
    const char *file;
};
struct archive_entry archive_entry(const struct archive *archive, size_t i);
/* The number of a URL in normalised form; false: there is none. */
bool archive_find(const struct archive *archive, struct str url, size_t *i);

#endif
