/* measure - how good was a crawl? Every measure with the formula of its paper.
 *
 * A crawl is the pages of a collection in the order in which they were fetched, each once, seeds included. What is true
 * of the pages (relevant, target, probability) is given as arrays over all pages of the collection. `t` may exceed the
 * length of a crawl that ran out of links: what it did not fetch counts as not relevant. Pure. */
#ifndef SCENT_LAB_MEASURE_H
#define SCENT_LAB_MEASURE_H

#include "lab/collection.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct measure_crawl {
    const uint32_t *pages;
    size_t n;
};

/* Relevant ones among the first t. */
size_t measure_count(const struct measure_crawl *crawl, const bool *relevant, size_t t);
/* H(t) = (1/t) sum r_i (Pant, 1). */
double measure_harvest(const struct measure_crawl *crawl, const bool *relevant, size_t t);
/* R(t) = |C(t) and T| / |T| (Pant, 2); seeds are no targets. */
double measure_recall(const struct measure_crawl *crawl, const bool *target, size_t ntargets, size_t t);
/* The mean of R(1) … R(t): the area below the recall curve, 1 at best. */
double measure_recall_area(const struct measure_crawl *crawl, const bool *target, size_t ntargets, size_t t);
/* Relevant / fetched, of those that were fetched (Liu). 0 for an empty crawl. */
double measure_precision(const struct measure_crawl *crawl, const bool *relevant, size_t t);
/* H(t) / (relevant pages / all pages): 1 is what pages drawn at random give (Aggarwal, lift curves); 0 where none is
 * relevant. */
double measure_lift(const struct measure_crawl *crawl, const bool *relevant, size_t npages, size_t t);
/* The mean of P(T | page) over the first t pages (Altingovde, harvest ratio). */
double measure_ratio(const struct measure_crawl *crawl, const double *probability, size_t t);
/* How much harvest fluctuates (Aggarwal): the standard deviation of the share of relevant pages in consecutive windows
 * of MEASURE_WINDOW pages, sqrt(sum (h_k - mean h)^2 / n) over the n whole windows among the first t. NAN below two
 * windows. */
enum { MEASURE_WINDOW = 25 };
double measure_fluctuation(const struct measure_crawl *crawl, const bool *relevant, size_t t);
/* Distinct values among the first t (of the pages' hosts, domains). */
size_t measure_distinct(const struct measure_crawl *crawl, const uint32_t *of_page, size_t t);

/* Relevant pages that all of `k` crawls have among their first t; *sizes: the sum of the relevant pages of each. */
size_t measure_shared(const struct measure_crawl *crawls, size_t k, const bool *relevant, size_t npages, size_t t,
                      size_t *sizes);
/* Size of the intersection of `k` crawls / sum of their sizes, over relevant pages (Pirkola, Table 1); 0 where all are
 * empty. */
double measure_overlap(const struct measure_crawl *crawls, size_t k, const bool *relevant, size_t npages, size_t t);
/* |A and B| / t over all fetched URLs (Altingovde). */
double measure_url_overlap(const struct measure_crawl *a, const struct measure_crawl *b, size_t npages, size_t t);
/* The mean of P(T | page) over the pages that only `a` has (Altingovde); 0 where there are none. *count of them. */
double measure_exclusive(const struct measure_crawl *a, const struct measure_crawl *b, const double *probability,
                         size_t npages, size_t t, size_t *count);

/* Relevant pages among the first t of `a` that `b` has not among its own (Aggarwal). */
size_t measure_only(const struct measure_crawl *a, const struct measure_crawl *b, const bool *relevant, size_t npages,
                    size_t t);

/* The fused result of `k` crawls: the first m/k pages of each, the remainder to the last (Pirkola). Distinct pages go
 * to `out` (room for m), in order of crawl and rank; returns how many, *duplicates came twice or more. */
size_t measure_fuse(const struct measure_crawl *crawls, size_t k, size_t npages, size_t m, uint32_t *out,
                    size_t *duplicates);

/* Other ways to fuse the same pages, the first m/k of each crawl: into one list, best first, by scores[crawl][i], the
 * priority with which the crawl chose its i-th page (+Inf: a seed). Scores are scaled from the least (0) to the largest
 * (1) of the crawl's pages; 1 where all are the same, and for seeds; 0 for pages that a crawl does not have.
 * Equals stand in the order of measure_fuse(). (Fox and Shaw; Montague and Aslam.) */
enum measure_fusion {
    MEASURE_SHARES,   /* measure_fuse() */
    MEASURE_COMBSUM,  /* the sum of the scores */
    MEASURE_COMBMNZ,  /* times the number of crawls in which it is above 0 */
    MEASURE_CONDORCET /* how many other pages it beats, a draw counting half: more crawls fetched it first */
};
extern const char *const measure_fusion_words[]; /* "shares", "combsum", …; ends with NULL */
size_t measure_fuse_by(enum measure_fusion by, const struct measure_crawl *crawls, const float *const *scores, size_t k,
                       size_t npages, size_t m, uint32_t *out, size_t *duplicates);

/* similarity - how like a marked page is what a crawl fetched? The maximum average similarity (Liu, 1):
 *
 *     max over the marked pages k of the mean over the fetched pages p of cos(p, k)
 *
 * with ltc weights whose document frequencies are those of the collection. The vectors have length 1, so the mean of
 * the cosines is the cosine's dot product with the mean vector, and a crawl costs one pass over its pages.
 * Memory: 8 bytes a distinct stem of every page. Thread: any, once it is made. */
struct similarity;
SCENT_NODISCARD scent_status similarity_new(const struct collection *collection, struct similarity **out);
void similarity_free(struct similarity *similarity); /* NULL is fine */
/* Of the first t pages; `marked` is an array over all pages. 0 where nothing was fetched or marked. */
double similarity_of(const struct similarity *similarity, const struct measure_crawl *crawl, const bool *marked,
                     size_t t);

#endif
