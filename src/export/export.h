/* export - the pages of a crawl in forms that others use: tables, graphs, text, WARC and WACZ.
 *
 * Which pages: selection.h. A file is written beside its name (NAME.part) and gets the name when it is whole and
 * synced; so does a folder. Pages come in the order in which they were examined, one at a time: memory is that of one
 * page, of the selection (16 bytes a row), and of an index where the form has one (about 700 bytes a record). */
#ifndef SCENT_EXPORT_EXPORT_H
#define SCENT_EXPORT_EXPORT_H

#include "base/log.h"
#include "export/selection.h"
#include "store/store.h"

enum export_form {
    EXPORT_JSONL,
    EXPORT_CSV,
    EXPORT_URLS,
    EXPORT_GRAPHML,
    EXPORT_TEXT,     /* JSON lines with the content of each page as plain text */
    EXPORT_MARKDOWN, /* the same as Markdown; a file a page where the output is not a .jsonl */
    EXPORT_CDXJ,
    EXPORT_WARC,
    EXPORT_WACZ,
    EXPORT_FORMS
};
extern const char *const export_form_names[EXPORT_FORMS + 1]; /* and NULL */

struct export_options {
    const char *const *dirs; /* crawl directories that are one collection (crawldir/several.h) */
    size_t ndirs;
    const char *output; /* a file, or a folder for Markdown; NULL: standard output */
    enum export_form form;
    struct selection_options selection;
    const struct log *log;
};

struct export_report {
    uint64_t written; /* pages; records of pages, copies and redirects for CDXJ, WARC and WACZ */
    uint64_t copies;  /* left out, since nearly the same page came before */
    uint64_t equal;   /* left out, since another directory has the same page */
    uint64_t absent;  /* there is no record of them: they asked not to be archived, or were purged */
    uint64_t damaged; /* their record cannot be read; each is named in the log */
    uint64_t empty;   /* have no text */
};

/* A failure leaves no file and no folder under the name of the output, nor what was there before changed. */
SCENT_NODISCARD scent_status export_run(const struct export_options *options, struct export_report *out,
                                        struct errmsg *err);

#endif
