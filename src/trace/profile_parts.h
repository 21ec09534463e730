/* profile_parts - the readers of the two kinds of profile, and what they share. */
#ifndef SCENT_TRACE_PROFILE_PARTS_H
#define SCENT_TRACE_PROFILE_PARTS_H

#include "store/foreign.h"
#include "trace/names.h"
#include "trace/profile.h"

/* ---- the rows of a browser's history, put into order and made visits ---- */

struct history_row {
    int64_t id, from; /* the browser's numbers; from 0: none */
    int64_t time;
    enum profile_fate fate;
    uint32_t url;     /* number in urls */
    uint32_t referrer; /* where `from` is none: the URL that led here, a number too, or BROWSING_NONE */
    uint32_t visit;   /* set by history_finish: the visit that it is or stands for */
};

struct history {
    struct names urls;
    struct history_row *rows;
    uint32_t count;
    size_t room;
};

/* The numbers of URLs are set here; `referrer` may be empty. SCENT_E_LIMIT: more than BROWSING_VISITS_MAX. */
SCENT_NODISCARD scent_status history_add(struct history *history, struct history_row row, struct str url,
                                         struct str referrer, struct errmsg *err);
/* A row by the browser's number, once history_sort() has sorted them by it; NULL: none. */
void history_sort(struct history *history);
struct history_row *history_find(struct history *history, int64_t id);

/* ---- profiles ---- */

struct profile {
    const char *dir, *folder;
    struct browsing *browsing;
    struct profile_counts *counts;
    struct history history;
};

SCENT_NODISCARD scent_status profile_read_firefox(struct profile *profile, struct errmsg *err);
SCENT_NODISCARD scent_status profile_read_chromium(struct profile *profile, struct errmsg *err);

struct profile_column {
    const char *table, *column;
};
/* The columns that a reader needs; SCENT_E_VERSION names what is missing. */
SCENT_NODISCARD scent_status profile_check(struct foreign *foreign, const char *path,
                                           const struct profile_column *columns, size_t count, struct errmsg *err);
SCENT_NODISCARD scent_status profile_mark(struct profile *profile, struct str url, int64_t time, struct errmsg *err);
/* Names of folders, for the message that the one that was asked for is not there. */
void profile_list_name(struct buf *names, struct str name);
scent_status profile_no_folder(const struct profile *profile, struct buf *names, struct errmsg *err);
/* Microseconds between 1970 and 2100; other times become 0, not known. */
int64_t profile_time(int64_t since_1970);

#endif
