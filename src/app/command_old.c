#include "app/command.h"

#include <getopt.h>
#include <string.h>

/* The next one. -1: there is no more; 0: *exit_status is what the command ends with. */
static int next_option(const struct command *command, int argc, char **argv, const char *shorts,
                       const struct option *longs, int *exit_status)
{
    int option;

    opterr = 0;
    option = getopt_long(argc, argv, shorts, longs, NULL);
    switch (option) {
    case 'h':
        command_help(command, stdout);
        *exit_status = EXIT_DONE;
        return 0;
    case '?':
        *exit_status = command_misuse(command, "there is no option '%s'", argv[optind - 1]);
        return 0;
    case ':':
        *exit_status = command_misuse(command, "'%s' needs a value", argv[optind - 1]);
        return 0;
    default:
        return option;
    }
}

static const char *option_name(const struct option *longs, int option)
{
    while (longs->name && longs->val != option)
        longs++;
    return longs->name ? longs->name : "?";
}

int command_options(const struct command *command, int argc, char **argv, const char *shorts, const struct option *longs,
                    bool (*take)(int option, void *args), void *args)
{
    int option, status = EXIT_DONE;

    while ((option = next_option(command, argc, argv, shorts, longs, &status)) > 0)
        if (!take(option, args))
            return command_misuse(command, "'%s' is no good value for --%s", optarg, option_name(longs, option));
    return option == 0 ? status : -1;
}

bool command_switch(int option, void *args)
{
    (void)option;
    return *(bool *)args = true;
}

bool command_number(uint64_t min, uint64_t max, uint64_t *out)
{
    return str_parse_u64(str_of(optarg), out) && *out >= min && *out <= max;
}

/* "import" of "trace import". */
static const char *part_name(const struct command *command, const struct command *part)
{
    return part->name + strlen(command->name) + 1;
}

int command_run_part(const struct command *command, const struct command *const *parts, int argc, char **argv)
{
    char names[200] = "";

    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        command_help(command, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    for (size_t i = 0; parts[i]; i++) {
        size_t len = strlen(names);

        if (strcmp(argv[1], part_name(command, parts[i])) == 0)
            return command_main(parts[i], argc - 1, argv + 1);
        snprintf(names + len, sizeof names - len, "%s%s", i == 0 ? "" : parts[i + 1] ? ", " : " or ",
                 part_name(command, parts[i]));
    }
    return command_misuse(command, "there is no '%s %s'; choose %s", command->name, argv[1], names);
}
