#include "app/tracecommands.h"
#include "base/file.h"

#include <sys/random.h>

enum { KEY_FILE_MAX = 4096, DRAWN_KEY = 32 };
static const int64_t MINUTE = 60 * (int64_t)1000000;
enum { IDLE_MINUTES_MAX = 60 * 24 * 365 };

struct wish {
    struct trace_options options;
    const char *output, *key_file;
};

static bool take_option(int option, void *taken)
{
    struct wish *wish = taken;
    uint64_t n;

    switch (option) {
    case 'o':
        wish->output = optarg;
        return true;
    case 'k':
        wish->key_file = optarg;
        return true;
    case 'K':
        return wish->options.keep_users = true;
    case 'b':
        wish->options.base = str_of(optarg);
        return true;
    case 'f':
        return trace_format_parse(str_of(optarg), &wish->options.format);
    case 'i':
        if (!command_number(1, IDLE_MINUTES_MAX, &n))
            return false;
        wish->options.idle = (int64_t)n * MINUTE;
        return true;
    default:
        if (!command_number(1, UINT32_MAX, &n))
            return false;
        wish->options.max_accesses = (uint32_t)n;
        return true;
    }
}

/* The content of the key file; without one, a key that is drawn now and that nobody will know. */
static scent_status read_key(const struct wish *wish, struct buf *key, struct errmsg *err)
{
    scent_status status;

    if (!wish->key_file) {
        if (!buf_reserve(key, DRAWN_KEY) || getrandom(key->p, DRAWN_KEY, 0) != DRAWN_KEY)
            return errmsg_fail(err, SCENT_E_IO, "no random numbers for a key; give one with --key");
        key->len = DRAWN_KEY;
        return SCENT_OK;
    }
    status = file_read(wish->key_file, key, err);
    if (status == SCENT_E_LIMIT)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: a key has at most %d bytes", wish->key_file, KEY_FILE_MAX);
    if (status == SCENT_OK && !str_trim(buf_str(key)).len)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: the key is empty; write a secret of your own into it",
                           wish->key_file);
    return status;
}

static scent_status import(struct wish *wish, char **logs, size_t count, struct errmsg *err)
{
    struct trace *trace = NULL;
    scent_status status;
    struct log log;
    struct buf key;

    buf_init(&key, KEY_FILE_MAX);
    log_init_stderr(&log, LOG_INFO);
    status = read_key(wish, &key, err);
    wish->options.key = str_trim(buf_str(&key));
    if (status == SCENT_OK)
        status = trace_import((const char *const *)logs, count, &wish->options, &log, &trace, err);
    buf_release(&key);
    if (status == SCENT_OK)
        trace_info_print(trace, stderr);
    if (status == SCENT_OK && trace_size(trace).accesses == 0)
        status = errmsg_fail(err, SCENT_E_INVALID, "no access is left, so %s is not written; see above why",
                             wish->output);
    if (status == SCENT_OK)
        status = trace_save(trace, wish->output, err);
    trace_free(trace);
    return status;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"output", required_argument, NULL, 'o'},
        {"format", required_argument, NULL, 'f'},
        {"base", required_argument, NULL, 'b'},
        {"keep-users", no_argument, NULL, 'K'},
        {"key", required_argument, NULL, 'k'},
        {"idle", required_argument, NULL, 'i'},
        {"max-accesses", required_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct wish wish = {.options = trace_options_default()};
    int code = command_options(&trace_import_command, argc, argv, ":o:f:b:h", longs, take_option, &wish);
    struct errmsg err = {0};
    scent_status status;

    if (code >= 0)
        return code;
    if (optind == argc || !wish.output)
        return command_misuse(&trace_import_command, "give logs, and where to put the trace with -o");
    status = import(&wish, argv + optind, (size_t)(argc - optind), &err);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

const struct command trace_import_command = {
    .name = "trace import",
    .usage = "LOG… -o FILE [-f FORMAT] [-b URL] [--keep-users] [--key FILE] [--idle MINUTES]",
    .summary = "Makes one trace of access logs, plain or gzip; what is no look of a person at a page is left out",
    .help = "  -o, --output FILE       where the trace goes\n"
            "  -f, --format FORMAT     squid, common, combined or plain ('time user url'); default: guess,\n"
            "                          file by file\n"
            "  -b, --base URL          the site of logs that have paths only\n"
            "      --keep-users        keep the names of users; default: pseudonyms\n"
            "      --key FILE          a secret for the pseudonyms: the same secret gives the same ones in another\n"
            "                          import; default: a new one, which is forgotten\n"
            "      --idle MINUTES      without an access that end a session (default 30)\n"
            "      --max-accesses N    leave out what comes after so many (default 50000000, 2.4 GB while sorting)\n",
    .main = run,
};
