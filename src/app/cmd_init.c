#include "app/command.h"
#include "base/file.h"
#include "topic/topic.h"

#include <stdio.h>

static int write_template(const char *name)
{
    struct errmsg err = {0};
    struct buf text;
    char path[4096];
    scent_status status;

    snprintf(path, sizeof path, "%s.yaml", name);
    if (file_exists(path)) {
        fprintf(stderr, "scent: %s exists already; it is left as it is\n", path);
        return EXIT_USAGE;
    }
    buf_init(&text, 0);
    status = topic_write_template(str_of(name), &text);
    if (status == SCENT_OK)
        status = file_replace(path, buf_str(&text), &err);
    buf_release(&text);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    fprintf(stderr, "%s is written: put your seeds in, then run 'scent crawl %s'\n", path, path);
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"help", no_argument, NULL, 'h'}, {0}};
    int option, status = EXIT_DONE;

    while ((option = command_option(&command_init, argc, argv, ":h", longs, &status)) > 0)
        ;
    if (option == 0)
        return status;
    if (optind + 1 != argc)
        return command_misuse(&command_init, "give one name");
    return write_template(argv[optind]);
}

const struct command command_init = {
    .name = "init",
    .usage = "NAME",
    .summary = "Writes NAME.yaml, a commented topic file",
    .run = run,
};
