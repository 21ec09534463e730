#include "app/browsecommands.h"

#include <string.h>

static const struct {
    const char *name;
    const struct command *command;
} parts[] = {
    {"record", &browse_record_command},
    {"import", &browse_import_command},
    {"info", &browse_info_command},
    {"train", &browse_train_command},
};

static int run(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        command_help(&command_browse, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(argv[1], parts[i].name) == 0)
            return parts[i].command->run(argc - 1, argv + 1);
    return command_misuse(&command_browse, "there is no 'browse %s'", argv[1]);
}

const struct command command_browse = {
    .name = "browse",
    .usage = "record|import|info|train …",
    .summary = "Takes what you visited and found useful, and learns from it what leads to useful pages",
    .help = "  record [-o FILE]        takes visits and marks from the browser's extension while you browse\n"
            "  import SOURCE… -o FILE  makes one browsing file of browser profiles, lists of URLs and access logs\n"
            "  info FILE…              tells what browsing files hold\n"
            "  train FILE… -o MODEL    learns from them what leads to useful pages\n",
    .run = run,
};
