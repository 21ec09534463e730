/* crawldir - the crawl directory: what lies in it, under which names, and how it is opened.
 *
 *   crawl.db                    URLs, pages, links, hosts, values: src/store
 *   lock                        held by whoever changes or checks the directory
 *   warc/scent-TIME-NNNNN-HOST-XXXX.warc.gz
 *                               every exchange; the file that is being written ends in .open (older: scent-NNNNN);
 *                               .warc.zst with `compression: zstd`
 *   index.cdxj                  where each response lies, from the page rows: no WARC file is read for it
 *   topic.yaml                  the topic file as the last run had it
 *   run.json                    every run, with its options, counts and times, for people and `scent why`;
 *                               written anew from values of the store ("run 3")
 *   marks.tsv                   what people said of its pages: marks.h
 *   search.db                   the full-text index, made by whoever searches: store/fulltext.h, src/search
 *   crawl.log, crawl.log.1 …    what the crawl decided, for people: logfile.h, engine/journal.h
 *   control                     the socket by which a running crawl is watched and steered: control.h
 *   learned/                    what the crawl began with, and what others may begin with: learned.h
 *
 * No other module spells these names. check.h and purge.h work on the directory as a whole.
 *
 * A directory may come from somebody else. So that it cannot make us write or remove anything outside of it, none of
 * these names may be a symbolic link (the directory itself may), files are replaced by new ones and never opened
 * through a link, and names that stand in the database are taken only if they are those of WARC files.
 * Thread: that of the store. */
#ifndef SCENT_CRAWLDIR_CRAWLDIR_H
#define SCENT_CRAWLDIR_CRAWLDIR_H

#include "base/buf.h"
#include "json/json.h"
#include "store/store.h"
#include "topic/topic.h"
#include "warc/warc.h"

#define CRAWLDIR_TOPIC "topic.yaml"
#define CRAWLDIR_INDEX "index.cdxj"
#define CRAWLDIR_WARC "warc"
#define CRAWLDIR_SEARCH "search.db"
#define CRAWLDIR_LEARNED "learned"

struct crawldir_path {
    char text[4096 + 256];
};
/* DIR/NAME. A path that is too long is cut, and then not found. */
struct crawldir_path crawldir_path(const char *dir, const char *name);

/* For a crawl that begins or resumes in it. SCENT_E_INVALID: it holds other things. */
SCENT_NODISCARD scent_status crawldir_make(const char *dir, struct errmsg *err);
/* Opens the database, unless a name of the directory is a symbolic link: SCENT_E_INVALID. */
SCENT_NODISCARD scent_status crawldir_open(const char *dir, enum store_mode mode, struct store **out,
                                           struct errmsg *err);

/* Makes the folder DIR/NAME where it is missing. */
SCENT_NODISCARD scent_status crawldir_make_folder(const char *dir, const char *name, struct errmsg *err);
/* Replaces DIR/NAME as a whole. */
SCENT_NODISCARD scent_status crawldir_replace(const char *dir, const char *name, struct str content,
                                              struct errmsg *err);

/* A number among the values of the store. SCENT_E_NOTFOUND; SCENT_E_FORMAT: it is damaged. */
SCENT_NODISCARD scent_status crawldir_get_number(struct store *store, const char *name, uint64_t *out,
                                                 struct errmsg *err);
#define CRAWLDIR_WARNINGS "warnings"     /* a value: what the user was warned of, engine/warnings.h; absent: nothing */
#define CRAWLDIR_PARTS "parts" /* a value: the names of what priorities are made of, strategy/parts.h; absent: none */
#define CRAWLDIR_WORKER "worker" /* such a number: which worker of a crawl of several it is; absent: it crawls alone */
#define CRAWLDIR_LEFT_OUT "urls_left_out" /* such a number: links that met limits.urls_per_domain; absent: none did */
#define CRAWLDIR_VISITS "visits" /* such a number: visits before the checkpoint, with a window and without a network */

/* ---- the WARC files ---- */

/* The name without .open, which the file has while it is written. */
struct str crawldir_warc_name(const char *file);
/* The number NNNNN in its name; false: the name is not one of this series. */
bool crawldir_warc_number(struct str name, uint64_t *number);
/* Is it a plain file name that ends in .warc.gz or .warc.zst? */
bool crawldir_is_warc_name(struct str name);
/* Where the file of this name lies, which may still be open. SCENT_E_FORMAT: it is not the name of a WARC file. */
SCENT_NODISCARD scent_status crawldir_warc_path(const char *dir, struct str name, struct crawldir_path *out,
                                                struct errmsg *err);

/* The end of the WARC files as the store has it: what lies behind was not committed. No file name: nothing was. */
SCENT_NODISCARD scent_status crawldir_load_end(struct store *store, struct warc_position *out, struct errmsg *err);
/* Inside a transaction. */
SCENT_NODISCARD scent_status crawldir_save_end(struct store *store, const struct warc_position *end,
                                               struct errmsg *err);
/* Continues where the store says that writing ended: cuts off what lies behind, removes younger files. `packing` as in
 * struct warc_writer_options. */
SCENT_NODISCARD scent_status crawldir_open_writer(struct store *store, const char *dir, enum warc_packing packing,
                                                  struct rng *rng, struct warc_writer **out, struct errmsg *err);

/* What the warcinfo records of the crawl say of it beside software and format, "key: value\r\n"…: operator, user agent,
 * robots, topic. Appends nothing where an older version began the crawl. */
SCENT_NODISCARD scent_status crawldir_save_info(struct store *store, const struct topic *topic, struct errmsg *err);
SCENT_NODISCARD scent_status crawldir_load_info(struct store *store, struct buf *out, struct errmsg *err);

/* ---- pages ---- */

/* Appends a page as a JSON object and a line break: `scent export`, and what hooks are told. */
void crawldir_add_page_line(struct buf *out, const struct store_page *page, const struct store_url *url);

/* ---- the index ---- */

/* Appends the line of a page, or nothing where it has no record. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status crawldir_add_index_line(const struct store_page *page, const struct store_url *url,
                                                     struct buf *out);
/* The sorted lines, appended to `out`; about 300 bytes a response in memory. */
SCENT_NODISCARD scent_status crawldir_build_index(struct store *store, struct buf *out, struct errmsg *err);
/* Replaces the index of the crawl directory as a whole. */
SCENT_NODISCARD scent_status crawldir_write_index(struct store *store, const char *dir, struct errmsg *err);

/* ---- the runs ---- */

/* From its first change to the end of its index a run is marked as open; a mark that is there when nothing runs is that
 * of a run that was cut off. */
SCENT_NODISCARD scent_status crawldir_mark_run(struct store *store, bool open, struct errmsg *err);
SCENT_NODISCARD scent_status crawldir_run_is_open(struct store *store, bool *out, struct errmsg *err);
/* Adds a run, an object as JSON text. */
SCENT_NODISCARD scent_status crawldir_add_run(struct store *store, const char *dir, struct str run, struct errmsg *err);
/* The file with all of them. SCENT_E_NOTFOUND. */
SCENT_NODISCARD scent_status crawldir_load_runs(const char *dir, struct buf *out, struct errmsg *err);
/* The last run; NULL where there is none, or the file cannot be read. It is *root's, for json_free(). */
const struct json *crawldir_last_run(const char *dir, struct json **root);

#endif
