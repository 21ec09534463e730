/* taxonomy_read - a taxonomy from what a user has: lists, folder trees, the dump of a directory.
 *
 * - a list: `category<TAB>url` or `url<TAB>category` a line, told apart by which is a URL; blank lines and "#" comments
 *   are skipped;
 * - a folder: its folders are the categories, their pages, archives and URL lists the items;
 * - DMOZ/ODP's content.rdf.u8 (see rdf.h).
 * Files may be gzipped; they are read as a stream, so their size does not matter. */
#ifndef SCENT_TRAINING_TAXONOMY_READ_H
#define SCENT_TRAINING_TAXONOMY_READ_H

#include "training/taxonomy.h"

enum { TAXONOMY_MAX_LINE = 16 * 1024 };

struct taxonomy_report {
    uint64_t items;     /* that were offered */
    uint64_t bad_lines; /* without a tab, a URL or a category */
    char first_bad[128]; /* "line 17: what" */
};

/* SCENT_E_INVALID: it holds no item, or more bad lines than good ones. */
SCENT_NODISCARD scent_status taxonomy_read(struct taxonomy *taxonomy, const char *path, const struct log *log,
                                           struct errmsg *err);

/* The two readers of streams, for who has the bytes: feed them in pieces of any size. */
struct taxonomy_reader;
struct taxonomy_reader *taxonomy_reader_new(struct taxonomy *taxonomy); /* never NULL; rdf or list by the first byte */
SCENT_NODISCARD scent_status taxonomy_reader_feed(struct taxonomy_reader *reader, struct str piece);
/* No more comes: the last line counts. */
SCENT_NODISCARD scent_status taxonomy_reader_finish(struct taxonomy_reader *reader);
const struct taxonomy_report *taxonomy_reader_report(const struct taxonomy_reader *reader);
void taxonomy_reader_free(struct taxonomy_reader *reader);

#endif
