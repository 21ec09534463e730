/* head - what pages say to crawlers in attributes: robots directives, rel, refresh. Pure. */
#ifndef SCENT_PAGE_HEAD_H
#define SCENT_PAGE_HEAD_H

#include "page/page.h"

/* The directives of one meta robots or X-Robots-Tag value, as enum page_robots; "scent: …" (where `agent` is scent) and
 * what stands for every crawler count, what stands for others does not. */
unsigned head_robots(struct str value, struct str agent);
unsigned head_rel(struct str rel); /* enum page_rel */
/* Does `list` (separated by white space or commas) have `word`? */
bool head_has_token(struct str list, struct str word);
/* "5; url='next.html'": what WHATWG's shared declarative refresh steps find; empty when there is no URL. */
struct str head_refresh_target(struct str content);

#endif
