#include "lab/lab_sessions.h"

#include "lab/pool.h"
#include "lab/session.h"

#include <stdlib.h>

struct making {
    struct lab *lab;
    const struct lab_options *options;
    const struct trace *trace;
    struct outcome {
        scent_status status;
        struct errmsg err;
    } *outcomes; /* of each trial */
};

static bool is_stopped(const struct lab_options *options)
{
    return options->stop && atomic_load(options->stop);
}

static void make(void *ctx, uint32_t thread, size_t i)
{
    struct making *making = ctx;
    const struct lab *lab = making->lab;
    const struct lab_trial *place = &lab->trials[i];
    struct outcome *outcome = &making->outcomes[i];

    (void)thread;
    for (uint32_t k = 0; k < lab->ndraws && outcome->status == SCENT_OK && !is_stopped(making->options); k++)
        outcome->status = session_make(lab->experiment, lab->collection, making->trace, place->draws[k], &outcome->err);
    if (place->earlier && outcome->status == SCENT_OK && !is_stopped(making->options))
        outcome->status = session_make(lab->experiment, lab->collection, making->trace, place->earlier, &outcome->err);
}

scent_status lab_sessions(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    const struct experiment_sessions *wanted = &lab->experiment->sessions;
    size_t ntrials = lab->ntopics * lab->experiment->repeats;
    struct making making = {.lab = lab, .options = options};
    scent_status status = SCENT_OK;

    if (wanted->kind == SESSIONS_NONE)
        return SCENT_OK;
    making.trace = lab_traces_find(lab->traces, &wanted->traces);
    making.outcomes = calloc(ntrials, sizeof *making.outcomes);
    SCENT_BUG_IF(!making.outcomes);
    pool_run(options->threads, ntrials, make, &making);
    for (size_t i = 0; i < ntrials && status == SCENT_OK; i++) {
        status = making.outcomes[i].status;
        *err = making.outcomes[i].err;
    }
    free(making.outcomes);
    if (status == SCENT_OK && is_stopped(options))
        return errmsg_fail(err, SCENT_E_END, "interrupted; run it again to go on");
    return status;
}
