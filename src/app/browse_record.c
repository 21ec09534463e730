#include "app/browsecommands.h"
#include "app/stopping.h"
#include "serve/recorder.h"

#include <inttypes.h>
#include <string.h>

struct wish {
    const char *output;
    uint16_t port;
    bool quiet;
};

static bool take_option(int option, void *taken)
{
    struct wish *wish = taken;
    uint64_t n;

    switch (option) {
    case 'o':
        wish->output = optarg;
        return optarg[0] != 0;
    case 'q':
        return wish->quiet = true;
    default:
        if (!command_number(0, UINT16_MAX, &n))
            return false;
        wish->port = (uint16_t)n;
        return true;
    }
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The address goes to stdout, so that a script can wait for it. */
static void greet(const struct recorder *recorder, const struct wish *wish)
{
    if (!wish->quiet)
        fputs("Paste this into the extension, and browse; Ctrl-C ends the recording:\n", stderr);
    printf("http://127.0.0.1:%u/#%s\n", recorder_port(recorder), recorder_token(recorder));
    fflush(stdout);
}

static scent_status record(const struct wish *wish, struct errmsg *err)
{
    struct recorder_options options = {.port = wish->port, .name = last_part(wish->output), .clock = &clock_system};
    struct recording *recording = NULL;
    struct recorder *recorder = NULL;
    scent_status status;
    struct log log;

    log_init_stderr(&log, wish->quiet ? LOG_WARN : LOG_INFO);
    options.log = &log;
    stopping_block();
    status = recording_open(wish->output, &log, &recording, err);
    if (status == SCENT_OK)
        status = recorder_start(recording, &options, &recorder, err);
    if (status == SCENT_OK) {
        greet(recorder, wish);
        stopping_wait();
        recorder_stop(recorder);
        fprintf(stderr, "%" PRIu64 " visits and %" PRIu64 " useful pages were added to %s\n",
                recording_counts(recording).visits, recording_counts(recording).useful, wish->output);
    }
    recording_close(recording);
    return status;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"output", required_argument, NULL, 'o'}, {"port", required_argument, NULL, 'p'},
        {"quiet", no_argument, NULL, 'q'},        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct wish wish = {.output = "browsing.jsonl"};
    int code = command_options(&browse_record_command, argc, argv, ":o:p:qh", longs, take_option, &wish);
    struct errmsg err = {0};
    scent_status status;

    if (code >= 0)
        return code;
    if (optind != argc)
        return command_misuse(&browse_record_command, "what is '%s'? The file is named with -o", argv[optind]);
    status = record(&wish, &err);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

const struct command browse_record_command = {
    .name = "browse record",
    .usage = "[-o FILE] [-p PORT] [-q]",
    .summary = "Takes visits and marks from the browser's extension while you browse, until Ctrl-C",
    .help = "  -o, --output FILE   where they go, behind what it has (default browsing.jsonl)\n"
            "  -p, --port PORT     of 127.0.0.1; default: a free one\n"
            "  -q, --quiet         do not show each visit\n"
            "\nPrints the address and token for the extension. The token is good for this recording only.\n",
    .main = run,
};
