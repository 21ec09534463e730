/* trap - the endless parts of hosts that catch crawlers: calendars without end, and paths that go ever deeper.
 * (Session ids, the third kind, are in every link of their host: see compose.) */
#ifndef SCENT_WEB_TRAP_H
#define SCENT_WEB_TRAP_H

#include "web/pen.h"
#include "web/world.h"

bool trap_holds(const struct world *world, const struct world_host *host, struct str path);
void trap_write(const struct world *world, const struct world_host *host, struct str path, struct pen *pen);

#endif
