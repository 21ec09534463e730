/* dashboard_replay - archived pages of one crawl, running or not, on a port of their own (viewer.h).
 *
 * A page is found by its row in crawl.db: no archive is read beforehand. A port of its own is an origin of its own, so
 * that nothing archived shares one with the dashboard. */
#ifndef SCENT_SERVE_DASHBOARD_REPLAY_H
#define SCENT_SERVE_DASHBOARD_REPLAY_H

#include "serve/dashboard_parts.h"

struct replay;
void replay_stop(struct replay *replay); /* NULL is fine */
/* /replay/N?url=…: leads to the page on the crawl's port, which is opened when it is first asked for. */
void answer_replay_link(struct call *call);

#endif
