/* taxonomy - categories and where their pages are, in one form whatever they came from.
 *
 * A tree of dotted names ("Sports.Hockey" lies below "Sports"); every category has items: URLs, or paths of files. Of a
 * category with more than `per_class` items a sample is kept, the same for the same seed (Vitter's algorithm R), so
 * that the five million pages of a directory cost what is asked for. Memory: what is kept, about 100 bytes an item and
 * a category.
 * Owner: the caller of taxonomy_new(). Thread: one at a time. */
#ifndef SCENT_TRAINING_TAXONOMY_H
#define SCENT_TRAINING_TAXONOMY_H

#include "base/log.h"
#include "base/map.h"
#include "base/status.h"
#include "base/str.h"

enum {
    TAXONOMY_MAX_CATEGORIES = 500000,
    TAXONOMY_MAX_ITEMS = 4000000,
    TAXONOMY_MAX_MEMORY = 160 << 20,
    TAXONOMY_MAX_DEPTH = 32,
    TAXONOMY_MAX_NAME = 512,
    TAXONOMY_NONE = -1
};

struct taxonomy_options {
    uint32_t levels;    /* deeper categories count as their ancestor of this level; 0: as deep as they are */
    uint32_t per_class; /* items kept of a category; 0: all */
    uint64_t seed;
};

struct taxonomy_item {
    char *text; /* NULL: it is a number */
    uint32_t number;
};

struct taxonomy_category {
    char *name;     /* dotted */
    int32_t parent; /* TAXONOMY_NONE at the top */
    uint32_t kids;  /* categories directly below it that are alive */
    uint16_t depth; /* 1 at the top */
    bool dead;      /* merged into its parent, or nothing is left of it */
    struct taxonomy_item *items;
    size_t count, room;
    uint64_t offered; /* items in all, also those that are not kept */
};

struct taxonomy {
    struct taxonomy_options options;
    struct taxonomy_category *categories;
    size_t count, room;
    struct map numbers; /* of the categories, by name */
    uint64_t nitems, draws;
    size_t memory; /* of names and items; what was dropped since counts too */
};

struct taxonomy *taxonomy_new(const struct taxonomy_options *options); /* never NULL */
void taxonomy_free(struct taxonomy *taxonomy);                         /* NULL is fine */

/* `category` is "Sports.Hockey", "Sports/Hockey" or ODP's "Top/Sports/Hockey", where a "." inside a name becomes "_".
 * SCENT_E_INVALID: no name is left of it; SCENT_E_LIMIT: too long, or too many of something; SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status taxonomy_add(struct taxonomy *taxonomy, struct str category, struct str item);
/* The same for an item that the caller knows by a number. */
SCENT_NODISCARD scent_status taxonomy_add_number(struct taxonomy *taxonomy, struct str category, uint32_t number);
/* The number of a category; TAXONOMY_NONE. Any spelling that taxonomy_add takes. */
int32_t taxonomy_find(const struct taxonomy *taxonomy, struct str category);
/* Is `category` this one, or does it lie below it? */
bool taxonomy_is_below(const struct taxonomy *taxonomy, uint32_t category, int32_t ancestor);

/* Altingovde's leaves: from the bottom up, a leaf with fewer than `min_leaf` items moves into its parent, and what is
 * left at inner categories in the end is dropped. At the top there is no parent: a small category there goes too.
 * Returns how many items went. */
uint64_t taxonomy_merge_leaves(struct taxonomy *taxonomy, uint32_t min_leaf);

/* ---- reading ---- */

enum { TAXONOMY_MAX_LINE = 16 * 1024 };
#define TAXONOMY_MAX_BYTES ((uint64_t)16 << 30) /* of one file; the largest directory of the web had two GiB */

struct taxonomy_report {
    uint64_t items;     /* that were offered */
    uint64_t bad_lines; /* without a tab, a URL or a category */
    char first_bad[128]; /* "line 17: what" */
};

/* From the forms that users have:
 * - a list: `category<TAB>url` or `url<TAB>category` a line, told apart by which is a URL; blank lines and "#" comments
 *   are skipped;
 * - a folder: its folders are the categories, their pages, archives and URL lists the items;
 * - DMOZ/ODP's content.rdf.u8 (see rdf.h).
 * Files may be gzipped; they are read as a stream, so their size does not matter. SCENT_E_INVALID: it holds no item, or
 * more bad lines than good ones. */
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
