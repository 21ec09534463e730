/* export_parts - what the forms of an export share; for this folder. */
#ifndef SCENT_EXPORT_EXPORT_PARTS_H
#define SCENT_EXPORT_EXPORT_PARTS_H

#include "base/buf.h"
#include "export/export.h"
#include "export/outfile.h"
#include "page/page.h"
#include "warc/warc.h"

struct export {
    const struct export_options *options;
    struct export_report *report;
    struct store *store;
    struct selection *selection;
    struct outfile out;
    struct errmsg *err;
};

scent_status export_put(struct export *export, struct str bytes) SCENT_NODISCARD;

/* ---- one function a form ---- */

SCENT_NODISCARD scent_status export_urls(struct export *export);
SCENT_NODISCARD scent_status export_jsonl(struct export *export);
SCENT_NODISCARD scent_status export_csv(struct export *export);
SCENT_NODISCARD scent_status export_graphml(struct export *export);
SCENT_NODISCARD scent_status export_text(struct export *export);
SCENT_NODISCARD scent_status export_markdown(struct export *export);
SCENT_NODISCARD scent_status export_warc(struct export *export);
SCENT_NODISCARD scent_status export_wacz(struct export *export);

/* ---- pages, read back from the WARC files ---- */

/* Records of the crawl, in any order; fastest in that of the rows. Begins with {.dir = …, .fd = -1}. */
struct record_reader {
    const char *dir;
    struct str name; /* of the open file, in name_room */
    char name_room[256];
    struct warc_reader *reader;
    int fd; /* of the same file, for members as they are */
};
void record_reader_close(struct record_reader *reader);
/* The record of the row. SCENT_E_FORMAT: it is not there, or of something else; SCENT_E_IO and others: its file. */
SCENT_NODISCARD scent_status record_reader_find(struct record_reader *reader, const struct store_page *page,
                                                struct str url, struct warc_record *out, struct errmsg *err);

/* All records of the selection, one row after the other. */
struct record_copy {
    struct export *export;
    /* May be NULL; sees a record before it is copied. */
    scent_status (*look)(struct record_copy *copy, const struct store_page *page, const struct store_url *url,
                         const struct warc_record *record);
    /* `members` holds the records of the row, `length` is that of the first. */
    scent_status (*put)(struct record_copy *copy, const struct store_page *page, const struct store_url *url);
    void *ctx;
    struct record_reader reader;
    struct buf members;
    uint64_t length;
};
SCENT_NODISCARD scent_status record_copy_all(struct record_copy *copy);
/* Appends the warcinfo record of a file of this name, one gzip member. */
SCENT_NODISCARD scent_status record_build_info(struct export *export, const char *name, struct buf *out);

/* Analyses records as pages, with what the crawl knew of blocks that repeat on a host. */
struct text_reader;
SCENT_NODISCARD scent_status text_reader_new(struct store *store, enum page_form form, struct text_reader **out,
                                             struct errmsg *err);
void text_reader_free(struct text_reader *reader); /* NULL is fine */
/* The content of the page, until the next call; at most `cap` bytes of it, whole characters. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status text_reader_read(struct text_reader *reader, const struct warc_record *record, size_t cap,
                                              struct str *out);

#endif
