/* profile - the history and the bookmarks of a Firefox or Chromium profile, as browsing.
 *
 * The profile is read from a copy (store/foreign.h), so its browser may be running. Visits are what people saw: of a
 * chain of redirects its end, no frames, no downloads, no reloads and no steps back; a visit that came from one of
 * these came from what led to it. Bookmarks are marks. Pure but for the files; any thread. */
#ifndef SCENT_TRACE_PROFILE_H
#define SCENT_TRACE_PROFILE_H

#include "trace/browsing.h"

/* What a row of the history is. */
enum profile_fate {
    PROFILE_PAGE,
    PROFILE_SCHEME,   /* neither http nor https, or too long */
    PROFILE_REDIRECT, /* led on to another URL without being seen */
    PROFILE_RELOAD,   /* the same page again, or another part of it */
    PROFILE_BACK,     /* back or forward to a page that was visited before */
    PROFILE_FRAME,    /* a part of another page */
    PROFILE_DOWNLOAD,
    PROFILE_FATES
};
const char *profile_fate_text(enum profile_fate fate); /* for people: what was left out */

struct profile_counts {
    uint64_t visits[PROFILE_FATES];
    uint64_t bookmarks, other_bookmarks; /* taken; neither http nor https */
};

/* Adds what it holds to `browsing` and to `counts`. `folder`: only bookmarks of a folder of that name, and of the
 * folders in it; NULL: all. SCENT_E_INVALID: no profile; no such folder (the message lists some). SCENT_E_VERSION:
 * columns are missing that we need. Otherwise as foreign_open(). On error `browsing` holds a part of it. */
SCENT_NODISCARD scent_status profile_read(const char *dir, const char *folder, struct browsing *browsing,
                                          struct profile_counts *counts, struct errmsg *err);

#endif
