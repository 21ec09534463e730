/* supply - where the text of a queued URL is: in memory, or on disk.
 *
 * The texts of the newest URLs are in a window (urltext), those that are about to be needed are held singly (held), all
 * others are on disk. A row that is not committed is never on disk.
 * What is asked for, in this order: the best candidate of each starved host, the best host first; then, for a host
 * that was visited lately, as many of its next candidates as it had of the last SUPPLY_RECENT visits: so a single rich
 * host is supplied 64 ahead, and each of many hosts one ahead while it waits for its delay.
 * At most SUPPLY_HELD texts are held besides those in flight; then one that is needed later makes room. */
#ifndef SCENT_FRONTIER_SUPPLY_H
#define SCENT_FRONTIER_SUPPLY_H

#include "frontier/frontier_parts.h"

enum { SUPPLY_HELD = 8192, SUPPLY_DEFAULT_BYTES = 16 << 20 };

/* Of a QUEUED url. */
bool supply_has_text(const struct frontier *f, uint32_t id);
bool supply_was_asked(const struct frontier *f, uint32_t id);

/* A URL that is queued comes with its text; an empty one means that it is on disk. */
SCENT_NODISCARD scent_status supply_add(struct frontier *f, uint32_t id, struct str text);
/* It is no longer queued. */
void supply_remove(struct frontier *f, uint32_t id);
/* Keeps the budget. It may place hosts. */
void supply_shed(struct frontier *f);

/* The text of a URL that goes into flight, at an address that stays until supply_remove. NULL: no memory. */
struct held_url *supply_lend(struct frontier *f, uint32_t id) SCENT_NODISCARD;
/* A visit to the host has begun. */
void supply_note_visit(struct frontier *f, uint32_t host);

#endif
