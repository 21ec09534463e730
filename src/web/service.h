/* service - the files of a generated host that are no pages: robots.txt, sitemaps, style sheet, icon. */
#ifndef SCENT_WEB_SERVICE_H
#define SCENT_WEB_SERVICE_H

#include "web/pen.h"
#include "web/world.h"

/* Writes the file and gives its type; NULL: this host has no such file. */
const char *service_write(const struct world *world, const struct world_host *host, struct str path, struct pen *pen);
/* The content of pages that are no HTML. */
void service_write_png(struct pen *pen);
void service_write_pdf(const struct world *world, const struct world_page *page, struct pen *pen);

/* The endless parts of hosts that catch crawlers: calendars without end, and paths that go ever deeper. (Session ids,
 * the third kind, are in every link of their host: see compose.) */
bool trap_holds(const struct world *world, const struct world_host *host, struct str path);
void trap_write(const struct world *world, const struct world_host *host, struct str path, struct pen *pen);

#endif
