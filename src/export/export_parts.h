/* export_parts - what the forms of an export share; for this folder. */
#ifndef SCENT_EXPORT_EXPORT_PARTS_H
#define SCENT_EXPORT_EXPORT_PARTS_H

#include "base/buf.h"
#include "crawldir/record_reader.h"
#include "crawldir/text_reader.h"
#include "export/export.h"
#include "export/outfile.h"
#include "page/page.h"
#include "warc/warc.h"

struct export {
    const struct export_options *options;
    struct export_report *report;
    struct export_part {
        const char *dir;
        struct store *store;
        struct selection *selection;
    } *parts, *part; /* part: the one whose pages are written */
    struct outfile out;
    struct errmsg *err;
};

/* The next directory, or the first after NULL; false: there is none. */
static inline bool export_next_part(struct export *export)
{
    export->part = export->part ? export->part + 1 : export->parts;
    if (export->part < export->parts + export->options->ndirs)
        return true;
    export->part = NULL;
    return false;
}
/* Its number, from 0. */
static inline size_t export_part_number(const struct export *export)
{
    return (size_t)(export->part - export->parts);
}

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

/* ---- records ---- */

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
    struct http_packer *packer; /* for records that are not gzip */
    struct buf members;
    uint64_t length;
};
SCENT_NODISCARD scent_status record_copy_all(struct record_copy *copy);
/* Appends the warcinfo record of a file of this name, one gzip member. */
SCENT_NODISCARD scent_status record_build_info(struct export *export, const char *name, struct buf *out);

#endif
