/* purge_parts - what the files of purge share: purge_find.c finds what goes, purge.c removes it. */
#ifndef SCENT_CRAWLDIR_PURGE_PARTS_H
#define SCENT_CRAWLDIR_PURGE_PARTS_H

#include "base/arena.h"
#include "crawldir/purge.h"

/* A set of hashes, sorted before it is asked. */
struct purge_set {
    uint64_t *hashes;
    size_t count, room;
};
bool purge_set_has(const struct purge_set *set, uint64_t hash);
void purge_set_release(struct purge_set *set);

struct purge {
    const struct purge_options *options;
    struct purge_report *report;
    struct store *store;
    uint64_t key;
    struct arena arena;
    struct purge_set urls, hosts; /* all that is purged, now or before */
};

enum { PURGE_SPELLINGS = 4 }; /* with and without what url_normalise may strip */

struct purge_target {
    const char *text;
    bool is_host, found;
    struct str name;                  /* of a host; of a URL: without anything stripped */
    uint64_t fingerprints[PURGE_SPELLINGS]; /* of a URL */
};

/* SCENT_E_INVALID: a name that is neither a URL nor a host. */
SCENT_NODISCARD scent_status purge_parse_targets(struct purge *purge, struct purge_target *targets, struct errmsg *err);
/* Marks all that goes, and tells of it: what was named, and the requisites that no page needs any more. */
SCENT_NODISCARD scent_status purge_find_all(struct purge *purge, struct purge_target *targets, struct errmsg *err);

#endif
