/* head - what elements say by their attributes: links, language, base, robots, refresh. */
#ifndef SCENT_PAGE_HEAD_H
#define SCENT_PAGE_HEAD_H

#include "page/outline.h"

/* Called when an element with attributes has just been opened; returns the number of the link that the element
 * is, PAGE_NONE when it is none. */
uint32_t head_element(struct outline *outline, enum page_tag tag, const struct token_attributes *attributes);

/* The directives of one meta robots or X-Robots-Tag value, as enum page_robots; "scent: …" (where `agent` is scent) and
 * what stands for every crawler count, what stands for others does not. */
unsigned head_robots(struct str value, struct str agent);

#endif
