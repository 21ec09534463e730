/* commands - what people ask of a crawl that runs: pause, stop, other limits, more seeds, blocked hosts.
 *
 * Whatever changes the crawl is kept as the value COMMANDS_VALUE of the store, in the transaction that is committed
 * before the answer goes out; so it holds after a kill -9, and when the crawl resumes. A limit that was set holds as
 * long as topic file and command line say what they said then: whoever changes these later means it. Seeds that were
 * added are rows like those of the topic. Thread: the engine's. */
#ifndef SCENT_ENGINE_COMMANDS_H
#define SCENT_ENGINE_COMMANDS_H

#include "base/status.h"
#include "json/json.h"

#include <stdbool.h>
#include <stdint.h>

#define COMMANDS_VALUE "commands"
enum { COMMANDS_SETTINGS = 6 };

struct commands {
    bool paused, stop;
    int64_t paused_since, paused_us; /* until then, in this run: time limits do not count it */
    struct {
        bool given;
        int64_t before, now;
    } settings[COMMANDS_SETTINGS];
};

struct crawl;
struct job;
/* What was set in earlier runs. Before the frontier is made: settings; with it: blocked hosts. */
SCENT_NODISCARD scent_status commands_restore(struct crawl *crawl, struct errmsg *err);
/* A job of the kind JOB_CONTROL came: answers it, here or after the commit. Takes the job. */
SCENT_NODISCARD scent_status commands_apply(struct crawl *crawl, struct job *job, struct errmsg *err);
/* The values that a `set` gives, as the topic would have them. SCENT_E_INVALID: one makes no sense, or a key is
 * unknown; then nothing is to be set. */
SCENT_NODISCARD scent_status commands_read_settings(const struct json *request, int64_t values[COMMANDS_SETTINGS],
                                                    bool given[COMMANDS_SETTINGS], struct errmsg *why);
/* How long the crawl has been at work in this run, without pauses. */
int64_t commands_elapsed(const struct crawl *crawl, int64_t now);

#endif
