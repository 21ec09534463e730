#include "app/command.h"
#include "app/webcommands.h"

#include <stdio.h>
#include <string.h>

static int run(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        command_help(&command_web, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    if (strcmp(argv[1], "serve") == 0)
        return web_serve_command.run(argc - 1, argv + 1);
    if (strcmp(argv[1], "generate") == 0)
        return web_generate_command.run(argc - 1, argv + 1);
    if (strcmp(argv[1], "pack") == 0)
        return web_pack_command.run(argc - 1, argv + 1);
    return command_misuse(&command_web, "there is no 'web %s'; choose serve, generate or pack", argv[1]);
}

const struct command command_web = {
    .name = "web",
    .usage = "serve|generate|pack …",
    .summary = "Serves a collection or a generated web; generates one; packs a folder into a collection",
    .help = "  serve COLLECTION|WEB.yaml     behind a loopback port, as virtual hosts and as an HTTP proxy\n"
            "  generate [WEB.yaml]           prints a specification, a page, seeds, or writes a collection\n"
            "  pack FOLDER                   turns a folder of files into a collection\n",
    .run = run,
};
