/* recorder - takes visits and marks from the browser's extension on a loopback port and writes them down.
 *
 * Every page that the browser shows can send requests to this port, and a name of its own can lead here (DNS
 * rebinding). So a request must name this address as its Host, must not come from a web page (Origin), and must know
 * the token, which is drawn anew for each recording; preflights are refused and no answer can be read across origins.
 *
 *   GET /status   how much was recorded: {"file": …, "visits": …, "useful": …}
 *   POST /events  one event or an array of them (trace/browsing_event.h); answers as above once they are on the disk
 *
 * Both with "Authorization: Bearer TOKEN". Own thread (libmicrohttpd), which uses the recording alone. */
#ifndef SCENT_SERVE_RECORDER_H
#define SCENT_SERVE_RECORDER_H

#include "base/clock.h"
#include "base/log.h"
#include "trace/browsing.h"

enum {
    RECORDER_BODY_MAX = 1 << 20,
    RECORDER_EVENTS_MAX = 256,    /* in one request */
    RECORDER_RATE = 20            /* requests a second with the token, in the mean of ten seconds */
};

struct recorder_options {
    uint16_t port; /* 0: any */
    const char *name; /* of the file, for the answers */
    const struct clock *clock;
    const struct log *log; /* hears of each visit and mark, and of what fails */
};
struct recorder;
/* `recording` must outlive the recorder. SCENT_E_IO: the port is taken. */
SCENT_NODISCARD scent_status recorder_start(struct recording *recording, const struct recorder_options *options,
                                            struct recorder **out, struct errmsg *err);
uint16_t recorder_port(const struct recorder *recorder);
const char *recorder_token(const struct recorder *recorder);
void recorder_stop(struct recorder *recorder); /* what was answered is on the disk; NULL is fine */

#endif
