/* agreement - do two judges of the same pages agree? The classifier of a few examples, by its log odds, and the
 * likeness to the words of the seeds (aim.h), which knows no negative examples. Where both put the pages of a crawl
 * into one order, the words of pages tell the topic, and both may be trusted; where they do not, other evidence says
 * more.
 *
 * Their correlation, drawn to the middle while there are few pages: on generated webs .83 to .88 after 40 pages, on an
 * encyclopedia .47, on documentation .60. Pure; 48 bytes. */
#ifndef SCENT_STRATEGY_AGREEMENT_H
#define SCENT_STRATEGY_AGREEMENT_H

#include "base/buf.h"
#include "base/bytes.h"

struct agreement {
    double pages;
    double odds, odds_squares;     /* sums over them */
    double likes, likes_squares;
    double products;
};

/* One page more. */
void agreement_add(struct agreement *agreement, double odds, double likeness);
/* From 0, the two tell different things or nothing is known, to 1. */
double agreement_trust(const struct agreement *agreement);
/* How far this likeness is above those of the pages so far, in standard deviations, from -3 to 3. */
double agreement_place(const struct agreement *agreement, double likeness);

void agreement_save(const struct agreement *agreement, struct buf *out);
void agreement_load(struct agreement *agreement, struct bytes *in); /* what is wrong is noted in `in` */

#endif
