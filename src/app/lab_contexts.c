#include "app/labcommands.h"
#include "base/cores.h"
#include "lab/context_quality.h"
#include "lab/labels.h"

#include <stdlib.h>

struct arguments {
    const char *collection, *labels, *category, *cache;
    uint64_t backlinks, words, seed, max_pages;
    bool json;
};

/* The pages that the labels name: with a category those of it, else all that have one. NULL: all there are. */
static scent_status choose_targets(const struct arguments *arguments, const struct collection *collection,
                                   const struct log *log, bool **out, struct errmsg *err)
{
    struct labels labels;
    scent_status status = SCENT_OK;
    size_t count = 1;

    *out = NULL;
    if (!arguments->labels && !arguments->category)
        return SCENT_OK;
    status = labels_read(collection, arguments->labels, log, &labels, err);
    if (status != SCENT_OK)
        return status;
    *out = calloc(collection_count(collection) + (size_t)1, sizeof **out);
    if (!*out)
        status = errmsg_fail(err, SCENT_E_NOMEM, "no memory for the labels");
    else if (arguments->category)
        count = labels_mark(&labels, str_of(arguments->category), *out);
    else
        for (size_t i = 0; i < labels.count; i++)
            (*out)[labels.rows[i].page] = true;
    if (status == SCENT_OK && count == 0)
        status = errmsg_fail(err, SCENT_E_INVALID, "no page has the category '%s'", arguments->category);
    labels_release(&labels);
    return status;
}

static scent_status print(const struct context_quality *quality, const struct context_quality_options *options,
                          bool json, struct errmsg *err)
{
    struct buf text;
    scent_status status = SCENT_OK;

    buf_init(&text, 0);
    if (json)
        context_quality_write_json(quality, options, &text);
    else
        context_quality_print(quality, &text);
    if (text.failed)
        status = errmsg_fail(err, SCENT_E_NOMEM, "no memory for the table");
    else
        fwrite(text.p, 1, text.len, stdout);
    buf_release(&text);
    return status;
}

static scent_status measure(const struct arguments *arguments, const struct collection *collection,
                            const struct log *log, struct errmsg *err)
{
    struct context_quality_options options = {
        .backlinks = (uint32_t)arguments->backlinks,
        .description = (uint32_t)arguments->words,
        .seed = arguments->seed,
    };
    struct context_quality quality;
    bool *targets;
    scent_status status = choose_targets(arguments, collection, log, &targets, err);

    options.targets = targets;
    if (status == SCENT_OK)
        status = context_quality_measure(collection, &options, &quality, err);
    if (status == SCENT_OK && quality.contexts == 0)
        status = errmsg_fail(err, SCENT_E_INVALID, "no link between pages of the collection: there is nothing to measure");
    if (status == SCENT_OK)
        status = print(&quality, &options, arguments->json, err);
    free(targets);
    return status;
}

static scent_status run_measure(const struct arguments *arguments, struct errmsg *err)
{
    struct log log;
    struct collection_options options = {
        .path = arguments->collection,
        .cache = arguments->cache,
        .max_pages = (uint32_t)arguments->max_pages,
        .threads = cores_count(),
        .log = &log,
    };
    struct collection *collection;
    scent_status status;

    log_init_stderr(&log, LOG_WARN);
    status = collection_open(&options, &collection, err);
    if (status != SCENT_OK)
        return status;
    status = measure(arguments, collection, &log, err);
    collection_close(collection);
    return status;
}

/* ---- the command ---- */

static bool take_option(int option, void *taken)
{
    struct arguments *arguments = taken;

    switch (option) {
    case 'l':
        arguments->labels = optarg;
        return true;
    case 'C':
        arguments->category = optarg;
        return true;
    case 'c':
        arguments->cache = optarg;
        return true;
    case 'b':
        return command_number(1, 1000000, &arguments->backlinks);
    case 'w':
        return command_number(1, 1000000, &arguments->words);
    case 's':
        return command_number(0, INT64_MAX, &arguments->seed);
    case 'm':
        return command_number(1, COLLECTION_PAGES_MAX, &arguments->max_pages);
    default:
        return arguments->json = true;
    }
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"labels", required_argument, NULL, 'l'}, {"category", required_argument, NULL, 'C'},
        {"cache", required_argument, NULL, 'c'},  {"backlinks", required_argument, NULL, 'b'},
        {"words", required_argument, NULL, 'w'},  {"seed", required_argument, NULL, 's'},
        {"max-pages", required_argument, NULL, 'm'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},         {0},
    };
    struct arguments arguments = {.backlinks = 1, .words = 30, .seed = 1};
    int code = command_options(&lab_contexts_command, argc, argv, ":c:h", longs, take_option, &arguments);
    struct errmsg err = {0};
    scent_status status;

    if (code >= 0)
        return code;
    if (optind + 1 != argc)
        return command_misuse(&lab_contexts_command, "give one collection");
    arguments.collection = argv[optind];
    status = run_measure(&arguments, &err);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

const struct command lab_contexts_command = {
    .name = "lab contexts",
    .usage = "COLLECTION [--labels FILE] [--category C] [--json] …",
    .summary = "Measures how well the contexts of links describe the pages that they lead to",
    .help = "  --labels FILE           only links to pages that have a label (url<TAB>dotted.category)\n"
            "  --category C            only links to pages of this category and those below it\n"
            "  --backlinks N           links to each page, drawn at random from different pages (1; up to 1000000)\n"
            "  --words N               first words of a page that stand for it (30; up to 1000000)\n"
            "  --seed N                of the drawing (1)\n"
            "  --max-pages N           of a generated web (20000)\n"
            "  -c, --cache DIR         where analysed pages are kept (default: the user's cache folder)\n"
            "  --json                  one JSON object instead of the table\n",
    .main = run,
};
