#include "app/command.h"
#include "app/labcommands.h"

static int run(int argc, char **argv)
{
    static const struct command *const parts[] = {&lab_run_command, &lab_compare_command, &lab_contexts_command, NULL};

    return command_run_part(&command_lab, parts, argc, argv);
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
    .main = run,
};
