/* main - finds the command that the first argument names. */
#include "app/command.h"
#include "cluster/pq.h"
#include "conf/conf.h"
#include "export/export.h"
#include "fetch/fetch.h"
#include "learn/model.h"
#include "pdf/pdf_reader.h"
#include "plugin/plugin.h"
#include "store/store.h"
#include "strategy/strategy.h"

#include <signal.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_crawl,
    &command_init,
    &command_seeds,
    &command_train,
    &command_judge,
    &command_rejudge,
    &command_status,
    &command_control,
    &command_cluster,
    &command_why,
    &command_search,
    &command_export,
    &command_check,
    &command_purge,
    &command_strategies,
    &command_lab,
    &command_trace,
    &command_browse,
    &command_rules,
    &command_serve, &command_web,
    &command_demo,
    NULL,
};
enum { NCOMMANDS = sizeof commands / sizeof *commands - 1 };

static int print_usage(FILE *out)
{
    fputs("scent " SCENT_VERSION " - a focused web crawler\n\nusage: scent COMMAND …\n\n", out);
    for (size_t i = 0; i < NCOMMANDS; i++)
        fprintf(out, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'scent COMMAND --help' describes a command, 'man scent' everything, 'scent --version' this build.\n"
          "New here? 'scent demo' shows a crawl in a minute; 'scent init NAME' begins a topic of your own.\n", out);
    return EXIT_DONE;
}

/* What depends on the machine: programs and libraries that are looked for when they are needed. */
static void print_features(void)
{
    struct errmsg err = {0};
    struct pdf_reader *reader = pdf_reader_new(NULL, NULL, &err);

    printf("reads: HTML, text, %s%s\n", reader ? "PDF" : "but no PDF: ", err.text);
    err.text[0] = 0;
    printf("many machines: %s%s\n", pq_available(&err) == SCENT_OK ? "yes, by libpq" : "no: ", err.text);
    printf("plug-ins: ABI %d\nexports:", SCENT_PLUGIN_ABI);
    for (size_t i = 0; export_form_names[i]; i++)
        printf(" %s", export_form_names[i]);
    putchar('\n');
    pdf_reader_free(reader);
}

static int print_version(void)
{
    fputs("scent " SCENT_VERSION "\nstrategies:", stdout);
    for (size_t i = 0; strategy_at(i); i++)
        printf(" %s", strategy_at(i)->name);
    fputs("\nclassifiers:", stdout);
    for (int i = 0; i <= MODEL_MLP; i++)
        printf(" %s", model_kind_name((enum model_kind)i));
    printf("\nlibraries: %s SQLite/%s\n", fetch_library(), store_library());
    print_features();
    return EXIT_DONE;
}

static int fail_unknown(const char *name)
{
    const char *names[NCOMMANDS + 1] = {0}, *nearest;

    for (size_t i = 0; i < NCOMMANDS; i++)
        names[i] = commands[i]->name;
    nearest = conf_nearest(str_of(name), names);
    if (nearest)
        fprintf(stderr, "scent: unknown command '%s'; did you mean 'scent %s'? 'scent --help' lists the commands\n",
                name, nearest);
    else
        fprintf(stderr, "scent: unknown command '%s'; 'scent --help' lists the commands\n", name);
    return EXIT_USAGE;
}

static int run_command(int argc, char **argv)
{
    for (size_t i = 0; i < NCOMMANDS; i++)
        if (strcmp(commands[i]->name, argv[0]) == 0)
            return command_main(commands[i], argc, argv);
    return fail_unknown(argv[0]);
}

/* "help lab run" is "lab run --help". */
static int print_help(int argc, char **argv)
{
    char help[] = "--help", *words[] = {argv[0], argc > 1 ? argv[1] : help, help, NULL};

    return run_command(argc > 1 ? 3 : 2, words);
}

static int print_completion(const char *shell)
{
    if (command_completion(commands, shell, stdout))
        return EXIT_DONE;
    fputs("scent: --completion needs the name of a shell: bash, zsh or fish\n", stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a full disk, and is told like one */
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return print_version();
    if (argc > 2 && strcmp(argv[1], "help") == 0)
        return print_help(argc - 2, argv + 2);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return print_usage(stdout);
    if (strcmp(argv[1], "--man") == 0)
        return command_manual(commands, argc > 2 ? argv[2] : NULL, stdin, stdout) ? EXIT_DONE : EXIT_USAGE;
    if (strcmp(argv[1], "--completion") == 0)
        return print_completion(argc > 2 ? argv[2] : "");
    return run_command(argc - 1, argv + 1);
}
