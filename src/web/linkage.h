/* linkage - where the links, copies and redirects of a generated web lead.
 *
 * A target is drawn by topic first: the page's own with the odds of `locality`, else a related or any other. Then a
 * page of that topic is searched by a few tries, inside the host or outside. Hidden hosts are never drawn. */
#ifndef SCENT_WEB_LINKAGE_H
#define SCENT_WEB_LINKAGE_H

#include "web/world.h"

/* What a link, or a whole list of links, is after. */
struct linkage_aim {
    uint32_t topic;
    bool outside;   /* off the host */
    uint64_t known; /* inside, on another topic: a page of the host that is right, in case no other is found */
};

struct linkage_aim linkage_aim(const struct world *world, const struct world_page *from, struct dice *dice);
/* Never the page itself, unless its host has no other page and nothing else was found. */
void linkage_draw(const struct world *world, const struct world_page *from, struct linkage_aim aim, struct dice *dice,
                  struct world_page *out);

/* What a copy is a copy of: a page of the same topic that is an original. False: there is none, it is its own. */
bool linkage_original(const struct world *world, const struct world_page *copy, struct world_page *out);
/* Where a redirect leads; a chain always ends. */
void linkage_redirect(const struct world *world, const struct world_page *from, struct world_page *out);
/* The way into a tunnel, or its next step, or its end, that this page has a link to; false for most pages. */
bool linkage_tunnel(const struct world *world, const struct world_page *from, struct world_page *out);
/* One of the links of a tunnel's page that lead on or along (tunnels.lead, tunnels.along); false: it is like any
 * other. */
bool linkage_lead(const struct world *world, const struct world_page *from, struct dice *dice, struct world_page *out);

#endif
