/* command - the commands of the program, one file each, and what they share.
 *
 * Data goes to stdout, talk to stderr. A command returns the exit status of the process. */
#ifndef SCENT_APP_COMMAND_H
#define SCENT_APP_COMMAND_H

#include "base/log.h"
#include "base/status.h"
#include "base/str.h"

#include <getopt.h>
#include <stdio.h>

enum exit_status {
    EXIT_DONE = 0,         /* the limit was reached, or nothing is left */
    EXIT_NO_SEED = 1,      /* no seed could be fetched */
    EXIT_USAGE = 2,        /* bad usage or configuration */
    EXIT_STORAGE = 3,      /* storage failed: disk full */
    EXIT_INTERRUPTED = 11, /* can be resumed */
};

struct command {
    const char *name, *usage, *summary; /* usage: what follows the name */
    const char *help;                   /* the options, a line each */
    int (*run)(int argc, char **argv);  /* argv[0] is the command's name */
};

extern const struct command command_why, command_crawl, command_init, command_status, command_export, command_check,
    command_purge, command_strategies, command_train, command_judge, command_lab, command_trace, command_browse,
    command_rules, command_web, command_demo;

void command_help(const struct command *command, FILE *out);
/* Says what is wrong with the usage, with a pointer to --help; EXIT_USAGE. */
int command_misuse(const struct command *command, const char *fmt, ...) SCENT_PRINTF(2, 3);
/* Says it on stderr; the exit status that fits. */
int command_fail(scent_status status, const struct errmsg *err);
/* All options, each given to `take`, which says whether its value is good; --help and errors are dealt with. -1: go on
 * behind them; else the exit status. */
int command_options(const struct command *command, int argc, char **argv, const char *shorts, const struct option *longs,
                    bool (*take)(int option, void *args), void *args);
/* `take` of a command that has one switch: `args` is its bool. */
bool command_switch(int option, void *args);
/* The value of an option that is a whole number from `min` to `max`. */
bool command_number(uint64_t min, uint64_t max, uint64_t *out);
/* A command of commands ("trace": `parts` are "trace import", …, and NULL): runs the one that argv[1] names. */
int command_run_part(const struct command *command, const struct command *const *parts, int argc, char **argv);

#endif
