/* urltext - the text of the URLs that were found lately, by id.
 *
 * A window on the ids: it ends with the newest and begins where the texts still fit the budget; older ones are on disk.
 * The texts of 64 consecutive ids lie in one allocation, in order of id, and a text that is removed gives its bytes
 * back. They move when others come and go.
 * Memory: the text, 2.5 bytes for its length and place, and at most a fifth of slack.
 * Cost: removing or adding moves half a chunk in the mean, about 3 KB.
 * Thread: one. On error nothing changes. */
#ifndef SCENT_FRONTIER_URLTEXT_H
#define SCENT_FRONTIER_URLTEXT_H

#include "base/status.h"
#include "base/str.h"

enum { URLTEXT_MAX = UINT16_MAX, URLTEXT_STEP = 64 };

struct urltext_chunk;
struct urltext {
    struct urltext_chunk **chunks;
    uint32_t base;                  /* number of chunks[0] */
    uint32_t first, nchunks, room;  /* those before `first` are gone */
    size_t bytes;
};

void urltext_init(struct urltext *texts);
void urltext_release(struct urltext *texts);

/* The first id of the window, a multiple of URLTEXT_STEP. */
uint32_t urltext_low(const struct urltext *texts);
/* The window begins URLTEXT_STEP ids later; their texts are gone. */
void urltext_shift(struct urltext *texts);
/* An empty window begins with the chunk of this id, where it began earlier. */
void urltext_skip(struct urltext *texts, uint32_t id);

/* The id must have none yet, and not be below the window. SCENT_E_LIMIT: longer than URLTEXT_MAX. */
SCENT_NODISCARD scent_status urltext_add(struct urltext *texts, uint32_t id, struct str text);
/* Nothing happens when it has none. */
void urltext_remove(struct urltext *texts, uint32_t id);
/* Valid until the next add or remove; empty when it has none. */
struct str urltext_get(const struct urltext *texts, uint32_t id);

/* Allocated for texts, lengths and slack included. */
size_t urltext_bytes(const struct urltext *texts);

#endif
