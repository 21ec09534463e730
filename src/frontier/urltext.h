/* urltext - the text of every URL that is queued.
 *
 * The texts of 64 consecutive ids lie in one allocation, in order of id, and a text that is removed gives its bytes
 * back. They move when others come and go. A later version keeps committed text on disk: this interface is all that
 * the frontier sees of it.
 * Memory: the text, 2.5 bytes for its length and place, and at most a fifth of slack.
 * Cost: removing or adding moves half a chunk in the mean, about 3 KB.
 * Thread: one. On error nothing changes. */
#ifndef SCENT_FRONTIER_URLTEXT_H
#define SCENT_FRONTIER_URLTEXT_H

#include "base/status.h"
#include "base/str.h"

enum { URLTEXT_MAX = UINT16_MAX };

struct urltext_chunk;
struct urltext {
    struct urltext_chunk **chunks;
    uint32_t nchunks, room;
    size_t bytes;
};

void urltext_init(struct urltext *texts);
void urltext_release(struct urltext *texts);

/* The id must have none yet. SCENT_E_LIMIT: longer than URLTEXT_MAX. */
SCENT_NODISCARD scent_status urltext_add(struct urltext *texts, uint32_t id, struct str text);
void urltext_remove(struct urltext *texts, uint32_t id);
/* Valid until the next add or remove. */
struct str urltext_get(const struct urltext *texts, uint32_t id);

/* Allocated for texts, lengths and slack included. */
size_t urltext_bytes(const struct urltext *texts);

#endif
