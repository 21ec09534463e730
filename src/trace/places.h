/* places - the pages that a browser knows, with their titles: its history and its bookmarks.
 *
 * Read are the profile of a Firefox or Chromium, or one of its files alone (places.sqlite, History, Bookmarks, a backup
 * of bookmarks as JSON). A database is read from a copy (store/foreign.h), so the browser may be running. Texts come
 * from outside: they may hold any bytes. Unlike profile.h it tells nothing about the order of visits. Any thread. */
#ifndef SCENT_TRACE_PLACES_H
#define SCENT_TRACE_PLACES_H

#include "base/status.h"
#include "base/str.h"

struct place {
    struct str url, title; /* valid during the call; the title may be empty */
    uint64_t visits;       /* 0: it is a bookmark */
    int64_t last;          /* of them, microseconds since 1970; 0: not known */
};
/* What it returns ends the reading where it is not SCENT_OK. */
typedef scent_status place_fn(void *ctx, const struct place *place, struct errmsg *err);

/* Is it the folder of a profile, or one of these files, by its name and first bytes? */
bool places_is_source(const char *path);
/* SCENT_E_INVALID, SCENT_E_FORMAT, SCENT_E_VERSION: it is none, it is damaged, columns are missing. */
SCENT_NODISCARD scent_status places_read(const char *path, place_fn *fn, void *ctx, struct errmsg *err);

#endif
