#include "app/command.h"
#include "app/tracecommands.h"

static int run(int argc, char **argv)
{
    static const struct command *const parts[] = {&trace_import_command, &trace_info_command, NULL};

    return command_run_part(&command_trace, parts, argc, argv);
}

const struct command command_trace = {
    .name = "trace",
    .usage = "import|info …",
    .summary = "Reads who looked at which page from the logs of servers and proxies",
    .help = "  import LOG… -o FILE     makes one trace of access logs\n"
            "  info FILE               tells what a trace holds, and what was left out of it\n",
    .main = run,
};
