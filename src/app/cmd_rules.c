#include "app/command.h"
#include "app/rulescommands.h"

static int run(int argc, char **argv)
{
    static const struct command *const parts[] = {&rules_build_command, &rules_show_command, NULL};

    return command_run_part(&command_rules, parts, argc, argv);
}

const struct command command_rules = {
    .name = "rules",
    .usage = "build|show …",
    .summary = "Counts which classes of pages link to which, for the strategy rules",
    .help = "  build TOPIC.yaml        counts rules from a taxonomy and the pages that its examples link to\n"
            "  show FILE|TOPIC.yaml    the rules and paths that lead to a target, as text or as a picture\n",
    .main = run,
};
