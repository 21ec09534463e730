#include "app/command.h"
#include "app/tracecommands.h"

#include <string.h>

static int run(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        command_help(&command_trace, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    if (strcmp(argv[1], "import") == 0)
        return trace_import_command.run(argc - 1, argv + 1);
    if (strcmp(argv[1], "info") == 0)
        return trace_info_command.run(argc - 1, argv + 1);
    return command_misuse(&command_trace, "there is no 'trace %s'; choose import or info", argv[1]);
}

const struct command command_trace = {
    .name = "trace",
    .usage = "import|info …",
    .summary = "Reads who looked at which page from the logs of servers and proxies",
    .help = "  import LOG… -o FILE     makes one trace of access logs\n"
            "  info FILE               tells what a trace holds, and what was left out of it\n",
    .run = run,
};
