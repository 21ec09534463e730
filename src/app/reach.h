/* reach - over which network a command visits pages, and who may be visited: for all commands that fetch. */
#ifndef SCENT_APP_REACH_H
#define SCENT_APP_REACH_H

#include "app/command.h"
#include "app/session.h"

struct reach {
    const char *from;    /* a collection or a generated web instead of the network; NULL */
    const char *proxy;   /* HOST:PORT on loopback; NULL */
    const char *ca_file; /* NULL */
    const char *dns;     /* NULL */
    bool allow_private;
    struct web *web;     /* `from`, opened */
};

/* The options of the command line that fill it, for a table of struct option. */
enum reach_option { REACH_FROM = 512, REACH_PROXY, REACH_CA, REACH_DNS, REACH_PRIVATE };
#define REACH_OPTIONS                                                                                  \
    {"from", required_argument, NULL, REACH_FROM}, {"proxy-all", required_argument, NULL, REACH_PROXY}, \
        {"ca-file", required_argument, NULL, REACH_CA}, {"dns", required_argument, NULL, REACH_DNS},    \
        {"allow-private", no_argument, NULL, REACH_PRIVATE}
/* Takes the option, if it is one of these; false: it is not, or its value is empty. */
bool reach_take_option(struct reach *reach, int option, const char *value);
/* What is wrong with the options together; NULL: nothing. */
const char *reach_problem(const struct reach *reach);
/* Behind the options of `command`: they go together, and one topic file is named. -1: go on; else the exit status. */
int reach_take_topic(const struct reach *reach, const struct command *command, int argc, char **argv, const char **topic);
/* Opens `from`, where there is one. */
SCENT_NODISCARD scent_status reach_open(struct reach *reach, const struct log *log, struct errmsg *err);
void reach_close(struct reach *reach);
/* Fills in what the engine needs to go to the seeds of `topic`, whose file is `path`. SCENT_E_INVALID: it may not. */
SCENT_NODISCARD scent_status reach_prepare(const struct reach *reach, const char *path, const struct topic *topic,
                                           struct engine_options *engine, struct errmsg *err);

#endif
