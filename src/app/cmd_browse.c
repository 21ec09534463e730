#include "app/browsecommands.h"

static int run(int argc, char **argv)
{
    static const struct command *const parts[] = {&browse_record_command, &browse_import_command,
                                                  &browse_info_command, &browse_train_command, NULL};

    return command_run_part(&command_browse, parts, argc, argv);
}

const struct command command_browse = {
    .name = "browse",
    .usage = "record|import|info|train …",
    .summary = "Takes what you visited and found useful, and learns from it what leads to useful pages",
    .help = "  record [-o FILE]        takes visits and marks from the browser's extension while you browse\n"
            "  import SOURCE… -o FILE  makes one browsing file of browser profiles, lists of URLs and access logs\n"
            "  info FILE…              tells what browsing files hold\n"
            "  train FILE… -o MODEL    learns from them what leads to useful pages\n",
    .main = run,
};
