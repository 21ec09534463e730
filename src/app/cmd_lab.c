#include "app/command.h"
#include "app/labcommands.h"

#include <stdio.h>
#include <string.h>

static int run(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        command_help(&command_lab, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    if (strcmp(argv[1], "run") == 0)
        return lab_run_command.run(argc - 1, argv + 1);
    if (strcmp(argv[1], "compare") == 0)
        return lab_compare_command.run(argc - 1, argv + 1);
    if (strcmp(argv[1], "contexts") == 0)
        return lab_contexts_command.run(argc - 1, argv + 1);
    return command_misuse(&command_lab, "there is no 'lab %s'; choose run, compare or contexts", argv[1]);
}

const struct command command_lab = {
    .name = "lab",
    .usage = "run|compare|contexts …",
    .summary = "Compares strategies on the same collection, with statistics",
    .help = "Crawls archived or generated webs in process, the same for every strategy: pages, seeds, examples, judge, budget.\n"
            "How to write an experiment and what is measured: docs/lab.md; examples: examples/lab.\n\n"
            "  run EXPERIMENT.yaml -o DIR    crawls and measures; goes on where it was interrupted\n"
            "  compare DIR…                  puts the results of several experiments side by side\n"
            "  contexts COLLECTION           how well the words around links describe the pages behind them\n\n"
            "'scent lab run --help', and so on, says more.\n",
    .run = run,
};
