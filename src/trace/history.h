/* history - the rows of a browser's history, put into order and made visits. Owner: whoever initialised it. */
#ifndef SCENT_TRACE_HISTORY_H
#define SCENT_TRACE_HISTORY_H

#include "trace/names.h"
#include "trace/profile.h"

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

void history_init(struct history *history);
void history_release(struct history *history);
/* The numbers of URLs are set here; `referrer` may be empty. SCENT_E_LIMIT: more than BROWSING_VISITS_MAX. */
SCENT_NODISCARD scent_status history_add(struct history *history, struct history_row row, struct str url,
                                         struct str referrer, struct errmsg *err);
/* A row by the browser's number, once history_sort() has sorted them by it; NULL: none. */
void history_sort(struct history *history);
struct history_row *history_find(struct history *history, int64_t id);
SCENT_NODISCARD scent_status history_finish(struct history *history, struct browsing *browsing,
                                            struct profile_counts *counts, struct errmsg *err);

#endif
