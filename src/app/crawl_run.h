/* crawl_run - one run of the engine as commands do it: signals, progress line, JSON a page, summary, exit status. */
#ifndef SCENT_APP_CRAWL_RUN_H
#define SCENT_APP_CRAWL_RUN_H

#include "app/command.h"
#include "engine/engine.h"

struct crawl_run {
    struct engine_options engine;
    bool json;  /* one object a page on stdout */
    bool quiet; /* no progress, no summary */
    bool fetches_list; /* the seeds are all that is wanted: there is no topic, and no harvest to speak of */
    /* Beside --json; may be NULL. */
    void (*on_page)(void *ctx, const struct engine_page *page);
    void *ctx;
    atomic_int *stop; /* session_run's */
    int64_t next_line_us; /* of progress, where there is no terminal */
};

/* Returns the exit status; failures are printed. The report is filled in either way. */
int crawl_run_engine(struct crawl_run *crawl, struct engine_report *report);

/* network - how a command reaches pages, and which addresses it may visit: for all commands that fetch. */
struct network {
    const char *from;    /* a collection or a generated web instead of the network; NULL */
    const char *proxy;   /* HOST:PORT on loopback; NULL */
    const char *ca_file; /* NULL */
    const char *dns;     /* NULL */
    bool allow_private;
    struct web *web;     /* `from`, opened */
};

/* The rows of a table of options that fill in `member` of `type`. */
#define NETWORK_OPTIONS(type, member)                                                                                  \
    COMMAND_OPTION(OPTION_STRING, type, member.from, "from", 0, "COLLECTION",                                          \
                   "read pages from WARC files or a generated web instead of the network",                             \
                   .manual = "A folder of WARC files, a single one, or the YAML specification of a generated web."),   \
    COMMAND_OPTION(OPTION_STRING, type, member.proxy, "proxy-all", 0, "HOST:PORT",                                     \
                   "fetch everything through this HTTP proxy on loopback", .rare = true,                               \
                   .manual = "For a web that is served on this machine. A proxy to the Internet belongs into the "     \
                             "topic file (ways.proxy, ways.onion)."),                                                  \
    COMMAND_OPTION(OPTION_STRING, type, member.ca_file, "ca-file", 0, "FILE",                                          \
                   "trust these certificate authorities (PEM) instead of the system's", .rare = true),                 \
    COMMAND_OPTION(OPTION_STRING, type, member.dns, "dns", 0, "ADDRESS[:PORT]",                                        \
                   "ask this name server instead of the system's", .rare = true,                                       \
                   .manual = "A caching one of your own spares the server that others use too."),                      \
    COMMAND_OPTION(OPTION_FLAG, type, member.allow_private, "allow-private", 0, NULL,                                  \
                   "allow loopback, private and other special addresses",                                              \
                   .manual = "A crawl whose seeds are all on loopback needs it, and stays on loopback. 'scent crawl' " \
                             "remembers it for the directory, for this user on this machine; a copy has to be "        \
                             "allowed anew.")
/* Why the options cannot be combined; NULL: they can. */
const char *network_problem(const struct network *network);
/* Opens `from`, where there is one. */
SCENT_NODISCARD scent_status network_open(struct network *network, const struct log *log, struct errmsg *err);
void network_close(struct network *network);
/* Fills in what the engine needs to visit the seeds of `topic`, whose file is `path`. SCENT_E_INVALID: it may not. */
SCENT_NODISCARD scent_status network_prepare(const struct network *network, const char *path, const struct topic *topic,
                                           struct engine_options *engine, struct errmsg *err);

#endif
