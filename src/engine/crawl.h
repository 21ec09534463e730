/* crawl - the state of a running crawl. The engine thread's alone.
 *
 * Each part belongs to the file that it is named after. The files of the engine, from the lowest to the highest; a file
 * calls only files that stand before it:
 *
 *   rows, hosts, politeness, duplicates, freshness, checkpoint   what is known, without a crawl around it
 *   admit, steer, retries              frontier and strategy: where does the crawl go?
 *   judging                            what is relevant
 *   job, analysts, writer              visits on their way, and the threads that work on them
 *   outcome                            what became of a visit
 *   recrawl, sitemaps, access, loader  known pages, listed pages, hosts, texts of URLs
 *   apply                              a finished visit
 *   dispatch                           the next visit
 *   resume, ending                     how a crawl begins again, and ends
 *   engine                             the loop */
#ifndef SCENT_ENGINE_CRAWL_H
#define SCENT_ENGINE_CRAWL_H

#include "engine/access.h"
#include "engine/analysts.h"
#include "engine/apply.h"
#include "engine/dispatch.h"
#include "engine/duplicates.h"
#include "engine/ending.h"
#include "engine/engine.h"
#include "engine/judging.h"
#include "engine/loader.h"
#include "engine/outcome.h"
#include "engine/recrawl.h"
#include "engine/resume.h"
#include "engine/retries.h"
#include "engine/sitemaps.h"
#include "engine/steer.h"
#include "engine/ways.h"
#include "engine/writer.h"

struct crawl {
    const struct engine_options *options;
    const struct topic *topic;
    struct store *store; /* the writer's while it runs */
    uint64_t key, seed;  /* of fingerprints; of chance */
    bool resumed;
    bool recalled;       /* in this run: what other crawls learned */
    int64_t next_checkpoint;

    struct steer *steer;
    struct judging judging;
    struct duplicates *duplicates; /* of the counted pages */
    struct recrawl *recrawl;       /* NULL: no page is visited again */
    struct ways ways;              /* none for a web without a network */
    struct access access;
    struct dispatch dispatch;
    struct retries retries;
    struct outcome_counts counts;
    struct ending ending;

    struct analysts *analysts;
    struct loader *loader; /* NULL with a window */
    struct writer *writer;
};

#endif
