#include "app/command.h"
#include "app/rulescommands.h"

#include <string.h>

static int run(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        command_help(&command_rules, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    if (strcmp(argv[1], "build") == 0)
        return rules_build_command.run(argc - 1, argv + 1);
    if (strcmp(argv[1], "show") == 0)
        return rules_show_command.run(argc - 1, argv + 1);
    return command_misuse(&command_rules, "there is no 'rules %s'; choose build or show", argv[1]);
}

const struct command command_rules = {
    .name = "rules",
    .usage = "build|show …",
    .summary = "Counts which classes of pages link to which, for the strategy rules",
    .help = "  build TOPIC.yaml        counts rules from a taxonomy and the pages that its examples link to\n"
            "  show FILE|TOPIC.yaml    the rules and paths that lead to a target, as text or as a picture\n",
    .run = run,
};
