/* A fetcher for tests: hand in URLs, get the exchanges back one by one. */
#ifndef SCENT_TESTS_FETCHING_H
#define SCENT_TESTS_FETCHING_H

#include "base/queue.h"
#include "fetch/fetch.h"
#include "server.h"
#include "test.h"

#define FETCHING_ACCEPT "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"

struct fetching {
    struct fetch *fetch;
    struct queue *done;
};

static inline void fetching_done(void *ctx, struct fetch_exchange *exchange)
{
    struct fetching *fetching = ctx;

    assert_true(queue_push(fetching->done, exchange));
}

/* On the heap, where a thread may go on using it after its test has failed. */
static inline struct fetching *fetching_start(struct fetch_options options)
{
    struct fetching *fetching = calloc(1, sizeof *fetching);
    struct errmsg err;

    fetching->done = queue_new(100000);
    options.done = fetching_done;
    options.done_ctx = fetching;
    assert_ok(fetch_start(&options, &fetching->fetch, &err), err);
    return fetching;
}

/* The URL is the owner's, as everywhere: here the exchange is, and fetching_free() ends both. */
static inline void fetching_submit(struct fetching *fetching, const char *url)
{
    char *own = strdup(url);

    fetch_submit(fetching->fetch, fetch_exchange_new(own, own));
}

static inline void fetching_free(struct fetch_exchange *exchange)
{
    free(exchange->owner);
    fetch_exchange_free(exchange);
}

static inline struct fetch_exchange *fetching_take(struct fetching *fetching)
{
    return queue_pop(fetching->done);
}

static inline struct fetch_exchange *fetching_one(struct fetching *fetching, const char *url)
{
    fetching_submit(fetching, url);
    return fetching_take(fetching);
}

/* Stops and says how many came back by that. */
static inline size_t fetching_stop(struct fetching *fetching)
{
    struct fetch_exchange *exchange;
    size_t count = 0;

    fetch_stop(fetching->fetch);
    while ((exchange = queue_pop_for(fetching->done, 0))) {
        assert_int_equal(exchange->outcome, FETCH_E_CLOSED);
        assert_string_equal(exchange->error, "stopped");
        fetching_free(exchange);
        count++;
    }
    queue_free(fetching->done);
    free(fetching);
    return count;
}

#endif
