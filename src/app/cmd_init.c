#include "app/command.h"
#include "app/drafting.h"
#include "base/file.h"
#include "topic/topic.h"

#include <stdio.h>
#include <stdlib.h>

/* Writes NAME.yaml, unless there is one. */
static int write_topic(struct str name, struct str text)
{
    struct errmsg err = {0};
    char path[4096];
    scent_status status;

    snprintf(path, sizeof path, "%.*s.yaml", STR_ARG(name));
    if (file_exists(path)) {
        fprintf(stderr, "scent: %s exists already; it is left as it is\n", path);
        return EXIT_USAGE;
    }
    status = file_replace(path, text, &err);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

static int fail_name(scent_status status)
{
    struct errmsg err = {0};

    if (status == SCENT_E_INVALID)
        errmsg_fail(&err, status, "the name of a topic, or a path in it, is empty or has control characters");
    return command_fail(status, &err);
}

static int init_plain(const char *name)
{
    struct buf text;
    scent_status status;
    int code;

    buf_init(&text, 0);
    status = topic_write_template(str_of(name), &text);
    code = status == SCENT_OK ? write_topic(str_of(name), buf_str(&text)) : fail_name(status);
    if (code == EXIT_DONE)
        fprintf(stderr, "%s.yaml is written: put your seeds in, then run 'scent crawl %s.yaml'\n", name, name);
    buf_release(&text);
    return code;
}

static int write_draft(const struct topic_draft *draft)
{
    struct buf text;
    scent_status status;
    int code;

    buf_init(&text, 0);
    status = topic_write_draft(draft, &text);
    code = status == SCENT_OK ? write_topic(draft->name, buf_str(&text)) : fail_name(status);
    if (code == EXIT_DONE)
        fprintf(stderr, "%.*s.yaml is written, with %zu seeds from the examples: run 'scent train %.*s.yaml', then 'scent "
                        "crawl %.*s.yaml'\n",
                STR_ARG(draft->name), draft->nseeds, STR_ARG(draft->name), STR_ARG(draft->name));
    buf_release(&text);
    return code;
}

/* Paths in the file are relative to its folder, which is where we are unless the name says otherwise. */
static int init_from(const char *examples, const char *background, const char *name)
{
    bool elsewhere = name && strchr(name, '/');
    char *far = elsewhere ? realpath(examples, NULL) : NULL;
    char *far_background = elsewhere && background ? realpath(background, NULL) : NULL;
    struct topic_draft draft;
    struct errmsg err = {0};
    struct arena arena;
    struct log log;
    scent_status status;
    int code;

    log_init_stderr(&log, background ? LOG_ERROR : LOG_INFO);
    arena_init(&arena, (size_t)1 << 30);
    status = drafting_look(far ? far : examples, str_of(name), &log, &arena, &draft, &err);
    if (status == SCENT_OK && background && (draft.negative.len || !draft.positive.len))
        status = errmsg_fail(&err, SCENT_E_INVALID, "%s has negative examples of its own; leave --background out", examples);
    if (status == SCENT_OK && background)
        draft.background = str_of(far_background ? far_background : background);
    code = status == SCENT_OK ? write_draft(&draft) : command_fail(status, &err);
    arena_release(&arena);
    free(far);
    free(far_background);
    return code;
}

struct init_args {
    const char *examples, *background;
};

static bool take_option(int option, void *taken)
{
    struct init_args *args = taken;

    *(option == 'e' ? &args->examples : &args->background) = optarg;
    return true;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"examples", required_argument, NULL, 'e'},
                                          {"background", required_argument, NULL, 'b'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    struct init_args args = {0};
    int code = command_options(&command_init, argc, argv, ":h", longs, take_option, &args);

    if (code >= 0)
        return code;
    if (args.background && !args.examples)
        return command_misuse(&command_init, "--background goes with --examples");
    if (args.examples && optind + 1 >= argc)
        return init_from(args.examples, args.background, argv[optind]);
    if (optind + 1 != argc)
        return command_misuse(&command_init, "give one name");
    return init_plain(argv[optind]);
}

const struct command command_init = {
    .name = "init",
    .usage = "NAME | --examples DIR [NAME]",
    .summary = "Writes NAME.yaml, a commented topic file",
    .help = "      --examples DIR      a complete one from a folder of examples: with folders 'positive' and 'negative' in\n"
            "                          it, or folders that are categories (NAME is the wanted one), or only positives\n"
            "      --background PATH   pages of all kinds, for who has only positives\n",
    .run = run,
};
