#include "app/browse_pages.h"
#include "app/browse_tell.h"
#include "app/browsecommands.h"
#include "app/training.h"
#include "base/file.h"
#include "learn/lsi.h"

#include <inttypes.h>

struct train_args {
    const char *output, *topic, *dot, *svg;
    const char *const *sessions;
    size_t nsessions;
    struct reach reach;
    uint64_t clusters, seed;
    bool json, quiet;
};

enum { OPT_TOPIC = 256, OPT_CLUSTERS, OPT_SEED, OPT_DOT, OPT_SVG, OPT_JSON };

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    {"topic", required_argument, NULL, OPT_TOPIC},
    {"clusters", required_argument, NULL, OPT_CLUSTERS},
    {"seed", required_argument, NULL, OPT_SEED},
    {"dot", required_argument, NULL, OPT_DOT},
    {"svg", required_argument, NULL, OPT_SVG},
    {"json", no_argument, NULL, OPT_JSON},
    REACH_OPTIONS,
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* False when the value is bad. */
static bool take_option(int option, void *taken)
{
    struct train_args *args = taken;
    const char **text = option == 'o' ? &args->output : option == OPT_TOPIC ? &args->topic
                        : option == OPT_DOT ? &args->dot : option == OPT_SVG ? &args->svg : NULL;

    if (text)
        return (*text = optarg)[0] != 0;
    switch (option) {
    case OPT_CLUSTERS:
        return command_number(1, CLUSTER_MAX, &args->clusters);
    case OPT_SEED:
        return command_number(0, UINT64_MAX, &args->seed);
    case OPT_JSON:
        return args->json = true;
    case 'q':
        return args->quiet = true;
    default:
        return reach_take_option(&args->reach, option, optarg);
    }
}

/* -1: go on; else the exit status. */
static int parse_args(int argc, char **argv, struct train_args *args)
{
    const struct command *command = &browse_train_command;
    int status = command_options(command, argc, argv, ":o:qh", longs, take_option, args);

    if (status >= 0)
        return status;
    if (optind == argc)
        return command_misuse(command, "give browsing files, which 'scent browse record' or 'import' wrote");
    if (!args->output)
        return command_misuse(command, "where is the model to go? add -o FILE");
    if (reach_problem(&args->reach))
        return command_misuse(command, "%s", reach_problem(&args->reach));
    args->sessions = (const char *const *)argv + optind;
    args->nsessions = (size_t)(argc - optind);
    return -1;
}

/* ---- the pages ---- */

/* Politeness and ways of `--topic`; without it those of any topic. */
static scent_status make_topic(const struct train_args *args, struct topic **out, struct errmsg *err)
{
    return args->topic ? topic_load(args->topic, out, err) : topic_parse(STR("topic: pages that were visited\n"), "-", out, err);
}

/* All pages that were visited or marked, into OUTPUT.fetched; what is there already is not fetched again. */
static int fetch_pages(const struct train_args *args, const struct browsing *browsing, const struct log *log,
                       char dir[TRAINING_PATH])
{
    struct training training = {.path = args->topic ? args->topic : "browse train without --topic", .reach = &args->reach,
                                .log = log, .quiet = args->quiet};
    uint32_t npages = browsing_size(browsing).pages;
    struct errmsg err = {{0}};
    struct buf urls;
    scent_status status;
    int code;

    if (snprintf(dir, TRAINING_PATH, "%s.fetched", args->output) >= TRAINING_PATH)
        return command_fail(errmsg_fail(&err, SCENT_E_INVALID, "the path %s is too long", args->output), &err);
    status = make_topic(args, &training.topic, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    buf_init(&urls, 0);
    for (uint32_t i = 0; i < npages; i++)
        buf_printf(&urls, "%.*s\n", STR_ARG(browsing_url(browsing, i)));
    code = training_fetch(&training, buf_str(&urls), dir);
    buf_release(&urls);
    topic_free(training.topic);
    return code;
}

/* ---- learning and telling ---- */

static scent_status draw(const struct browse *browse, const char *path, bool svg, struct errmsg *err)
{
    struct buf out;
    scent_status status;

    if (!path)
        return SCENT_OK;
    buf_init(&out, 0);
    browse_tell_graph(browse, svg, &out);
    status = out.failed ? errmsg_fail(err, SCENT_E_NOMEM, "out of memory") : file_replace(path, buf_str(&out), err);
    buf_release(&out);
    return status;
}

static void tell(const struct train_args *args, const struct browse *browse, const struct browse_met *met)
{
    struct buf out;

    if (args->json) {
        buf_init(&out, 0);
        browse_tell_json(browse, args->output, met, &out);
        fputs(buf_z(&out), stdout);
        buf_release(&out);
    } else if (!args->quiet) {
        printf("%s: learned from %" PRIu32 " pages, %" PRIu32 " of them useful; %" PRIu32 " dimensions\n", args->output,
               met->pages, met->useful, browse_dims(browse));
        browse_tell_people(browse, stdout);
    }
}

static void warn_unread(const struct browse_met *met, const char *dir, const struct log *log)
{
    if (met->unread)
        log_line(log, LOG_WARN, "%" PRIu32 " pages could not be read, %" PRIu32 " of them useful (%.*s for one); 'scent status "
                 "%s' tells why, remove that folder to try again", met->unread, met->useful_unread,
                 STR_ARG(met->first_unread), dir);
}

static int learn(const struct train_args *args, const struct browsing *browsing, const char *dir, const struct log *log)
{
    struct browse_options options = browse_options_default();
    struct browse *browse = NULL;
    struct browse_pages pages;
    struct browse_source source;
    struct browse_met met;
    struct errmsg err = {{0}};
    scent_status status;

    options.cluster.clusters = (uint32_t)args->clusters;
    options.cluster.seed = args->seed;
    browse_pages_init(&pages, dir, log);
    source = browse_pages_source(&pages);
    status = browse_learn(browsing, &source, &options, &browse, &met, &err);
    warn_unread(&met, dir, log);
    if (pages.full)
        status = errmsg_fail(&err, SCENT_E_NOMEM, "out of memory for the pages; take fewer sessions");
    if (status == SCENT_OK)
        status = browse_save(browse, args->output, &err);
    if (status == SCENT_OK)
        status = draw(browse, args->dot, false, &err);
    if (status == SCENT_OK)
        status = draw(browse, args->svg, true, &err);
    if (status == SCENT_OK)
        tell(args, browse, &met);
    browse_pages_release(&pages);
    browse_free(browse);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

/* What cannot be learned from is refused before anything is fetched. */
static scent_status check_sessions(const struct browsing *browsing, struct errmsg *err)
{
    struct browsing_size size = browsing_size(browsing);

    if (size.pages == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "the sessions are empty: no page was visited");
    if (size.useful == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "none of the %" PRIu32 " pages is marked as useful, and the model learns what "
                           "leads to useful pages; press Useful on some while recording, or give their URLs with 'scent browse "
                           "import --useful FILE'", size.pages);
    if (size.pages > LSI_PAGES_MAX)
        return errmsg_fail(err, SCENT_E_LIMIT, "the sessions hold %" PRIu32 " pages, more than the %d that a model is made of; take "
                           "the part that is about your topic: 'scent browse import' has --since, --until and --host",
                           size.pages, LSI_PAGES_MAX);
    if (size.pages == 1)
        return errmsg_fail(err, SCENT_E_INVALID, "the sessions have one page only; the model needs the pages on the way to "
                           "useful ones");
    return SCENT_OK;
}

static int run(int argc, char **argv)
{
    struct cluster_options defaults = cluster_options_default();
    struct train_args args = {.clusters = defaults.clusters, .seed = defaults.seed};
    struct browsing *browsing = NULL;
    char dir[TRAINING_PATH];
    struct errmsg err = {{0}};
    scent_status status;
    struct log log;
    int code = parse_args(argc, argv, &args);

    if (code >= 0)
        return code;
    log_init_stderr(&log, args.quiet ? LOG_ERROR : LOG_INFO);
    status = browsing_load(args.sessions, args.nsessions, &log, &browsing, &err);
    if (status == SCENT_OK)
        status = check_sessions(browsing, &err);
    if (status == SCENT_OK)
        status = reach_open(&args.reach, &log, &err);
    code = status == SCENT_OK ? fetch_pages(&args, browsing, &log, dir) : command_fail(status, &err);
    if (code == EXIT_DONE)
        code = learn(&args, browsing, dir, &log);
    reach_close(&args.reach);
    browsing_free(browsing);
    return code;
}

const struct command browse_train_command = {
    .name = "browse train",
    .usage = "FILE… -o MODEL [options]",
    .summary = "Learns from browsing files what leads to useful pages, for the topic key 'browsing'",
    .help = "  -o, --output MODEL      where the model goes; the pages are kept in MODEL.fetched\n"
            "      --from COLLECTION   the pages are in this archive or generated web\n"
            "      --topic TOPIC.yaml  pages are fetched with the politeness and the ways of this topic\n"
            "      --clusters N        kinds of pages, at most 16 (5)\n"
            "      --seed N            where random choices start (1)\n"
            "      --dot FILE          the concept graph for Graphviz\n"
            "      --svg FILE          the concept graph as a picture\n"
            "      --json              what was learned as one JSON object\n"
            "      --proxy-all HOST:PORT, --ca-file FILE, --dns ADDRESS[:PORT], --allow-private\n"
            "                          as with crawl\n"
            "  -q, --quiet             says nothing but errors\n",
    .main = run,
};
