/* signature - the words that set the seeds' pages apart from others, and how much a page has of them: similar().
 *
 * The words are those with the largest weight: their share of the seeds' texts, on the average, times -ln of the share
 * of documents in general that have them; the name of a seed's own host counts a quarter. A page has of it the sum of
 * weight * sqrt(share of the page's text): the
 * cosine of the weights and the square roots of the shares, which have length 1. Two points give it a scale: 0 is what
 * a page about anything would have, by the background; 1 is what the seeds' own pages have, on the average. So a
 * threshold means the same for every topic.
 *
 * Immutable: any thread. Some microseconds a page. */
#ifndef SCENT_TOPIC_SIGNATURE_H
#define SCENT_TOPIC_SIGNATURE_H

#include "base/buf.h"
#include "topic/centroid.h"

/* More seeds, more words: SIGNATURE_WORDS for the first, SIGNATURE_MORE for each other, SIGNATURE_WORDS_MAX at most. */
enum { SIGNATURE_WORDS = 30, SIGNATURE_MORE = 10, SIGNATURE_WORDS_MAX = 200 };
#define SIGNATURE_THRESHOLD .12 /* similar() without a comparison */

struct signature {
    struct text_weight words[SIGNATURE_WORDS_MAX]; /* by stem; length 1 */
    size_t count;
    double any, seeds; /* what a page about anything has, and the seeds' */
    uint32_t pages;    /* of seeds */
};
void signature_init(struct signature *signature, const struct centroid *seeds); /* NULL: none, and every page has 0 */

double signature_likeness(const struct signature *signature, const struct page *page); /* from 0 to 1 */
/* Lines for people, each after `indent` spaces: where it comes from, and the words that made it. */
void signature_explain(const struct signature *signature, const struct page *page, int indent, struct buf *out);
/* The same for profiles that give every page the same, as far as eight digits tell. */
uint64_t signature_digest(const struct signature *signature);

#endif
