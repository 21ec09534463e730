/* division - the pages of a collection among the workers of a crawl: which of them may visit a page?
 *
 * As on many machines: all pages of a registered domain have one owner, by a hash of its name. A collection of one
 * domain is divided by host, and one of a single host by page; nobody would divide a crawl so, and it is the hardest
 * case: nearly all links lead to another worker. */
#ifndef SCENT_LAB_DIVISION_H
#define SCENT_LAB_DIVISION_H

#include "lab/collection.h"

enum { DIVISION_WORKERS_MAX = 1024 };

enum division_by { DIVIDED_BY_DOMAIN, DIVIDED_BY_HOST, DIVIDED_BY_PAGE };

struct division {
    uint32_t workers;
    uint32_t *owners; /* of every page: 0 to workers - 1 */
};

SCENT_NODISCARD scent_status division_make(const struct collection *collection, uint32_t workers,
                                           struct division *out, struct errmsg *err);
void division_release(struct division *division);
/* By what it is divided: by the first of these of which it has several. */
enum division_by division_kind(const struct collection *collection);
/* "registered domain", "host" or "page". */
const char *division_word(enum division_by by);

#endif
