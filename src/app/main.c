#include "app/command.h"

#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_crawl, &command_init, &command_train, &command_judge, &command_status, &command_why, &command_export, &command_check,
    &command_purge, &command_strategies, &command_lab, &command_trace, &command_browse, &command_rules, &command_web,
    &command_demo,
};
enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void print_usage(FILE *out)
{
    fputs("scent " SCENT_VERSION " - a focused web crawler\n\nusage: scent COMMAND …\n\n", out);
    for (size_t i = 0; i < NCOMMANDS; i++)
        fprintf(out, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'scent COMMAND --help' tells more; man scent tells all.\n", out);
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < NCOMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("scent " SCENT_VERSION);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    command = find_command(argv[1]);
    if (!command) {
        fprintf(stderr, "scent: there is no command '%s'; 'scent --help' lists them\n", argv[1]);
        return EXIT_USAGE;
    }
    return command->run(argc - 1, argv + 1);
}
