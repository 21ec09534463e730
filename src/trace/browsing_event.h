/* browsing_event - one line of a browsing file: a visit, a mark, or the version. The recorder takes the same. */
#ifndef SCENT_TRACE_BROWSING_EVENT_H
#define SCENT_TRACE_BROWSING_EVENT_H

#include "base/arena.h"
#include "base/buf.h"
#include "json/json.h"
#include "trace/browsing.h"

enum { BROWSING_VERSION = 1, BROWSING_TITLE_MAX = 512 };

enum browsing_kind {
    BROWSING_VISIT,      /* {"visit": URL, "time": ISO date, "from": URL, "title": text}; the URL must be there */
    BROWSING_USEFUL,     /* {"useful": URL, "time": ISO date, "title": text} */
    BROWSING_NOT_USEFUL, /* {"not_useful": URL, "time": ISO date}: takes a mark back */
    BROWSING_FORMAT      /* {"browsing": 1} */
};

struct browsing_event {
    enum browsing_kind kind;
    struct str url, from; /* normalised; from is empty where it is no URL of http or https */
    struct str title;     /* for people: at most BROWSING_TITLE_MAX bytes */
    int64_t time;         /* 0: not known */
};

/* Text lives in `arena` and in `value`. SCENT_E_INVALID: `value` is no such object; SCENT_E_VERSION. */
SCENT_NODISCARD scent_status browsing_event_read(struct arena *arena, const struct json *value,
                                                 struct browsing_event *out, struct errmsg *err);
/* Appends one line; out->failed tells whether it fitted. */
void browsing_event_write(const struct browsing_event *event, struct buf *out);

/* `from` becomes the latest visit of that URL. On error nothing changes. */
SCENT_NODISCARD scent_status browsing_add_event(struct browsing *browsing, const struct browsing_event *event);

#endif
