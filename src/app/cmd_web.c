#include "app/command.h"
#include "app/webcommands.h"

static int run(int argc, char **argv)
{
    static const struct command *const parts[] = {&web_serve_command, &web_generate_command, &web_pack_command, NULL};

    return command_run_part(&command_web, parts, argc, argv);
}

const struct command command_web = {
    .name = "web",
    .usage = "serve|generate|pack …",
    .summary = "Serves a collection or a generated web; generates one; packs a folder into a collection",
    .help = "  serve COLLECTION|WEB.yaml     behind a loopback port, as virtual hosts and as an HTTP proxy\n"
            "  generate [WEB.yaml]           prints a specification, a page, seeds, or writes a collection\n"
            "  pack FOLDER                   turns a folder of files into a collection\n",
    .main = run,
};
