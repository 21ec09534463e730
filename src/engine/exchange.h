/* exchange - what a crawl tells other workers, and what they tell it.
 *
 * A thread of its own makes a turn about once a second: links that the writer has committed as outgoing rows go to the
 * server in one transaction (cluster.h), and rows of the log of our partitions come back, as jobs for the engine. With
 * the rows that a job leads to, the writer commits the place in the log that it came from. So every link takes three
 * commits, here, there and at its owner, and a crash between any two of them repeats a step and loses none:
 *
 *   our crawl.db (page, outgoing rows) -> server (log, mark) -> the owner's crawl.db (URL, place)
 *
 * Thread: the engine's, but for what the thread does itself. */
#ifndef SCENT_ENGINE_EXCHANGE_H
#define SCENT_ENGINE_EXCHANGE_H

#include "cluster/cluster.h"
#include "engine/rows.h"
#include "engine/shares.h"

struct crawl;
struct job;

enum { EXCHANGE_JOBS = 64 }; /* on their way to the engine at most */

struct exchange;
/* Joins the crawl that options->join names: checks that this topic can be crawled by several, draws or reads who this
 * worker is, and learns key, seed and partitions. crawl->exchange; the store is open, nothing else. */
SCENT_NODISCARD scent_status exchange_open(struct crawl *crawl, struct errmsg *err);
void exchange_free(struct exchange *exchange); /* NULL is fine */
const struct shares *exchange_shares(const struct exchange *exchange); /* NULL for NULL */
/* What a new directory keeps of the crawl: key and seed are the server's, the worker is this one. */
uint64_t exchange_key(const struct exchange *exchange);
uint64_t exchange_seed(const struct exchange *exchange);
uint64_t exchange_worker(const struct exchange *exchange);

/* With the other threads. */
SCENT_NODISCARD scent_status exchange_start(struct crawl *crawl, struct errmsg *err);
void exchange_stop(struct exchange *exchange);

/* Makes outgoing rows of a job that goes to the writer, and numbers it: its links to hosts of others, and what it
 * changes in partitions of ours, for who will have them after us. */
void exchange_pack(struct crawl *crawl, struct job *job);
/* Tells the thread how the crawl stands; again and again. `idle`: it has nothing to do, and would end if it were
 * alone; `more`: only because of a page limit. */
void exchange_note(struct crawl *crawl, bool idle, bool more);
/* A host has this address (its number in access.ips): it may be new. */
void exchange_addresses_found(struct crawl *crawl, uint32_t ip);
/* How many pages this worker may have: limits.pages, or what it was granted of that; UINT64_MAX: no limit. */
uint64_t exchange_page_limit(const struct crawl *crawl);
bool exchange_is_full(const struct exchange *exchange); /* all workers together have reached limits.pages */
bool exchange_is_late(const struct exchange *exchange); /* the time limit of all workers is over */
bool exchange_has_ended(const struct exchange *exchange);  /* all workers are idle, and nothing is on its way */
bool exchange_is_stopped(const struct exchange *exchange); /* somebody has stopped the crawl for all workers */
/* No visit may begin: the lease has run out, and others may visit our hosts. */
bool exchange_must_wait(const struct exchange *exchange);
/* ---- when all threads are gone: the last judging (exchange_verdicts.c) ---- */

struct rejudge_progress;
struct rejudge_verdict;
struct query_counts;
struct centroid;
/* For struct rejudge_options; the context is the crawl. */
SCENT_NODISCARD scent_status exchange_share_sums(void *crawl, const struct query_counts *counts,
                                                 const struct centroid *seeds, struct errmsg *err);
SCENT_NODISCARD scent_status exchange_note_verdict(void *crawl, const struct rejudge_verdict *verdict,
                                                   struct errmsg *err);
void exchange_stay(void *crawl, const struct rejudge_progress *progress); /* keeps the lease */
/* The last words of a worker, if it is one: the judge of its pages (NULL: they were not all judged by one), and what
 * stands in its outgoing rows. A server that cannot be reached is no failure. */
SCENT_NODISCARD scent_status exchange_end(struct crawl *crawl, const uint64_t *digest, struct errmsg *err);
/* Whether the thread has failed for good. */
SCENT_NODISCARD scent_status exchange_status(struct exchange *exchange, struct errmsg *err);

#endif
