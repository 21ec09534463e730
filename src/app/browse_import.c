#include "app/browsecommands.h"
#include "base/date.h"
#include "base/file.h"
#include "trace/logline.h"
#include "trace/logsource.h"
#include "trace/profile.h"

#include <inttypes.h>

enum { HOSTS_MAX = 64, MARKS_MAX = 64 };
static const int64_t DAY = 24 * 3600 * (int64_t)1000000;

struct wish {
    const char *output, *folder, *base;
    const char *hosts[HOSTS_MAX], *marks[MARKS_MAX];
    size_t nmarks;
    struct browsing_limits limits;
};

struct import {
    const struct wish *wish;
    struct browsing *all;
    struct profile_counts counts;
    const struct log *log;
};

/* ---- what a source is ---- */

static scent_status add_trace(struct import *import, const char *path, struct errmsg *err)
{
    struct trace_options options = trace_options_default();
    struct trace *trace = NULL;
    scent_status status;

    options.keep_users = true; /* they only tell whose accesses belong together, and stay here */
    options.base = str_of(import->wish->base);
    status = trace_import(&path, 1, &options, import->log, &trace, err);
    if (status != SCENT_OK)
        return status;
    status = browsing_add_accesses(import->all, trace, (struct trace_range){0, trace_size(trace).accesses});
    trace_free(trace);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: too many accesses", path);
}

static scent_status add_browsing(struct import *import, const char *path, struct errmsg *err)
{
    struct browsing_left left = {0};
    struct browsing *browsing;
    scent_status status = browsing_load(&path, 1, import->log, &browsing, err);

    if (status != SCENT_OK)
        return status;
    status = browsing_add_part(import->all, browsing, &(struct browsing_limits){0}, &left);
    browsing_free(browsing);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: too many visits", path);
}

static scent_status read_head(const char *path, bool *is_browsing, bool *is_log, struct errmsg *err)
{
    struct logsource *source;
    struct str head;
    scent_status status = logsource_open(path, &source, err);

    if (status != SCENT_OK)
        return status;
    status = logsource_head(source, &head, err);
    *is_browsing = status == SCENT_OK && str_starts(str_trim(head), STR("{"));
    *is_log = status == SCENT_OK && logline_guess(head) != TRACE_GUESS;
    logsource_close(source);
    return status;
}

static scent_status add_source(struct import *import, const char *path, struct errmsg *err)
{
    bool is_browsing, is_log;
    scent_status status;

    if (file_is_dir(path))
        return profile_read(path, import->wish->folder, import->all, &import->counts, err);
    status = read_head(path, &is_browsing, &is_log, err);
    if (status != SCENT_OK)
        return status;
    if (is_browsing)
        return add_browsing(import, path, err);
    return is_log ? add_trace(import, path, err) : browsing_read_list(import->all, path, err);
}

/* ---- what came of it ---- */

static void tell(const struct import *import, const struct browsing_left *left)
{
    for (int i = PROFILE_PAGE + 1; i < PROFILE_FATES; i++)
        if (import->counts.visits[i])
            fprintf(stderr, "left out  %" PRIu64 "  %s\n", import->counts.visits[i],
                    profile_fate_text((enum profile_fate)i));
    if (import->counts.other_bookmarks)
        fprintf(stderr, "left out  %" PRIu64 "  bookmarks that are neither http nor https\n",
                import->counts.other_bookmarks);
    if (left->dates)
        fprintf(stderr, "left out  %" PRIu64 "  outside the dates\n", left->dates);
    if (left->hosts)
        fprintf(stderr, "left out  %" PRIu64 "  of other hosts\n", left->hosts);
}

static scent_status save(const struct browsing *part, const char *path, struct errmsg *err)
{
    struct browsing_size size = browsing_size(part);

    if (!size.pages)
        return errmsg_fail(err, SCENT_E_INVALID, "no visit and no mark is left, so %s is not written; see above why",
                           path);
    if (!size.useful)
        fputs("scent: warning: no page is marked useful; a model needs some: --useful FILE, or bookmarks\n", stderr);
    return browsing_save(part, path, err);
}

/* The lists of useful pages come last: who names them means them, whatever the limits. */
static scent_status finish(const struct import *import, struct errmsg *err)
{
    const struct wish *wish = import->wish;
    struct browsing *part = browsing_new();
    struct browsing_left left = {0};
    scent_status status = browsing_add_part(part, import->all, &wish->limits, &left);

    if (status != SCENT_OK)
        errmsg_fail(err, status, "there is no memory for so many visits");
    for (size_t i = 0; i < wish->nmarks && status == SCENT_OK; i++)
        status = browsing_read_marks(part, wish->marks[i], err);
    if (status == SCENT_OK) {
        browse_info_print(part, stderr);
        tell(import, &left);
        status = save(part, wish->output, err);
    }
    browsing_free(part);
    return status;
}

static scent_status run_import(const struct wish *wish, char **sources, size_t count, struct errmsg *err)
{
    struct import import = {.wish = wish, .all = browsing_new()};
    scent_status status = SCENT_OK;
    struct log log;

    log_init_stderr(&log, LOG_INFO);
    import.log = &log;
    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = add_source(&import, sources[i], err);
    if (status == SCENT_OK)
        status = finish(&import, err);
    browsing_free(import.all);
    return status;
}

/* ---- the command line ---- */

static bool take_date(const char *text, bool whole_day, int64_t *out)
{
    if (!date_parse_iso(str_of(text), out))
        return false;
    if (whole_day && !strchr(text, 'T'))
        *out += DAY;
    return true;
}

static bool take_option(int option, void *taken)
{
    struct wish *wish = taken;

    switch (option) {
    case 'o':
        wish->output = optarg;
        return true;
    case 'd':
        wish->folder = optarg;
        return true;
    case 'b':
        wish->base = optarg;
        return true;
    case 'u':
        wish->marks[wish->nmarks] = optarg;
        return wish->nmarks++ < MARKS_MAX - 1;
    case 's':
        return take_date(optarg, false, &wish->limits.since);
    case 'e':
        return take_date(optarg, true, &wish->limits.until);
    default:
        wish->hosts[wish->limits.nhosts] = optarg;
        return wish->limits.nhosts++ < HOSTS_MAX - 1 && optarg[0];
    }
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"output", required_argument, NULL, 'o'}, {"useful", required_argument, NULL, 'u'},
        {"folder", required_argument, NULL, 'd'}, {"since", required_argument, NULL, 's'},
        {"until", required_argument, NULL, 'e'},  {"host", required_argument, NULL, 'H'},
        {"base", required_argument, NULL, 'b'},   {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct wish wish = {.limits.hosts = wish.hosts};
    int code = command_options(&browse_import_command, argc, argv, ":o:u:b:h", longs, take_option, &wish);
    struct errmsg err = {0};
    scent_status status;

    if (code >= 0)
        return code;
    if (optind == argc || !wish.output)
        return command_misuse(&browse_import_command, "give profiles, lists or logs, and where to put it all with -o");
    if (wish.limits.since && wish.limits.until && wish.limits.since >= wish.limits.until)
        return command_misuse(&browse_import_command, "--since is not before --until");
    status = run_import(&wish, argv + optind, (size_t)(argc - optind), &err);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

const struct command browse_import_command = {
    .name = "browse import",
    .usage = "SOURCE… -o FILE [-u FILE] [--folder NAME] [--since DATE] [--until DATE] [--host HOST]…",
    .summary = "Makes one browsing file of browser profiles, lists of URLs, access logs and browsing files",
    .help = "  SOURCE                  a folder: the profile of a Firefox or Chromium, which may be running;\n"
            "                          a file: a list of URLs in order (after a tab: from which), an access log,\n"
            "                          or a browsing file\n"
            "  -o, --output FILE       where it goes\n"
            "  -u, --useful FILE       a list of useful pages, one URL a line; may be given several times\n"
            "      --folder NAME       of a profile's bookmarks only those in this folder are marks; default: all\n"
            "      --since DATE        visits and bookmarks from this date on: 2026-10-01, 2026-10-01T08:00:00Z\n"
            "      --until DATE        up to this date, a day included\n"
            "      --host HOST         only this host and those below it; may be given several times\n"
            "  -b, --base URL          the site of logs that have paths only\n",
    .main = run,
};
