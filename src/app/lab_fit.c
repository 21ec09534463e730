/* lab_fit - `scent lab fit`: priors of the strategy adaptive from labelled collections. */
#include "app/command.h"
#include "base/file.h"
#include "base/machine.h"
#include "lab/experiment.h"
#include "lab/prior_fit.h"

#include <stdio.h>

struct fit_options {
    const char *out, *cache;
};

static scent_status add_experiment(struct prior_fit *fit, const char *path, const struct lab_options *options,
                                   struct errmsg *err)
{
    struct experiment *experiment;
    struct lab *lab = NULL;
    scent_status status;

    SCENT_TRY(experiment_load(path, &experiment, err));
    status = lab_open(experiment, options, &lab, err);
    if (status == SCENT_OK) {
        status = prior_fit_add(fit, lab, err);
        lab_free(lab);
    }
    experiment_free(experiment);
    return status;
}

static int run_fit(const struct command_line *line)
{
    const struct fit_options *given = line->options;
    struct log log;
    struct lab_options options = {.cache = given->cache, .threads = cores_count(), .log = &log};
    struct prior_fit fit = {0};
    struct errmsg err = {0};
    struct prior prior;
    struct buf text;
    scent_status status = SCENT_OK;

    log_init_stderr(&log, LOG_WARN);
    buf_init(&text, 0);
    for (size_t i = 0; line->arguments[i] && status == SCENT_OK; i++)
        status = add_experiment(&fit, line->arguments[i], &options, &err);
    if (status == SCENT_OK) {
        prior = prior_fit_solve(&fit);
        prior_write(&prior, &text);
        if (given->out)
            status = file_replace(given->out, buf_str(&text), &err);
        else
            fwrite(text.p, 1, text.len, stdout);
    }
    if (status == SCENT_OK)
        fprintf(stderr, "fitted to %zu rows of %zu topics with exact verdicts, %zu of %zu with learned ones\n",
                fit.nrows[PRIOR_EXACT], fit.ntopics[PRIOR_EXACT], fit.nrows[PRIOR_LEARNED], fit.ntopics[PRIOR_LEARNED]);
    prior_fit_release(&fit);
    buf_release(&text);
    return command_exit(status, &err);
}

static const struct command_option fit_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct fit_options, out, "output", 'o', "FILE",
                   "file of the priors (default: standard output)"),
    COMMAND_OPTION(OPTION_STRING, struct fit_options, cache, "cache", 'c', "DIR",
                   "directory for analysed pages (default: the user's cache folder)"),
    {0},
};

const struct command lab_fit_command = {
    .name = "lab fit",
    .summary = "Fits the priors of the strategy adaptive to crawls of labelled collections",
    .arguments = "EXPERIMENT.yaml…",
    .description = "The strategy crawls the topics of all experiments; a regression finds which of what it knew of "
                   "pages before they were fetched goes with their labels. Use webs and topics on which the result is "
                   "not measured. data/priors/README.md has the command that made the built-in priors.",
    .example = "scent lab fit examples/lab/fit-wikispeedia-exact.yaml -o adaptive.txt",
    .options = fit_options,
    .size = sizeof(struct fit_options),
    .run = run_fit,
};
