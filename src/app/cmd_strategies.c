#include "app/command.h"
#include "json/json.h"
#include "strategy/strategy.h"

#include <stdio.h>

static void print_options(const struct strategy_option *options)
{
    for (const struct strategy_option *o = options; o && o->name; o++)
        printf("    %s=%s\n        %s\n", o->name, o->fallback, o->help);
}

static void print_text(const struct strategy_ops *ops)
{
    printf("\n%s: %s\n    from: %s\n", ops->name, ops->summary, ops->paper);
    if (ops->learned)
        puts("    learns: what it learned in one crawl can begin another (reuse)");
    print_options(ops->options);
}

static void write_options(struct json_writer *w, const struct strategy_option *options)
{
    for (const struct strategy_option *o = options; o && o->name; o++) {
        json_object_begin(w);
        json_put_str(w, "name", str_of(o->name));
        json_put_str(w, "default", str_of(o->fallback));
        json_put_str(w, "help", str_of(o->help));
        json_object_end(w);
    }
}

static void write_json(struct json_writer *w, const struct strategy_ops *ops)
{
    json_object_begin(w);
    json_put_str(w, "name", str_of(ops->name));
    json_put_str(w, "summary", str_of(ops->summary));
    json_put_str(w, "paper", str_of(ops->paper));
    json_put_bool(w, "learns", ops->learned != NULL);
    json_key(w, "options");
    json_array_begin(w);
    write_options(w, ops->options);
    write_options(w, strategy_common_options);
    json_array_end(w);
    json_object_end(w);
}

static void print_json(void)
{
    struct json_writer w;
    struct buf out;

    buf_init(&out, 0);
    json_writer_init(&w, &out);
    json_array_begin(&w);
    for (size_t i = 0; strategy_at(i); i++)
        write_json(&w, strategy_at(i));
    json_array_end(&w);
    puts(buf_z(&out));
    buf_release(&out);
}

static void print_all(void)
{
    puts("In a topic file: strategy: {name: text-window, words: 20}; on the command line: --strategy "
         "text-window:words=20.\nOptions stand here with their defaults. Every strategy takes:");
    print_options(strategy_common_options);
    for (size_t i = 0; strategy_at(i); i++)
        print_text(strategy_at(i));
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    int code;
    bool json = false;

    code = command_options(&command_strategies, argc, argv, ":h", longs, command_switch, &json);
    if (code >= 0)
        return code;
    if (optind != argc)
        return command_misuse(&command_strategies, "it takes no arguments");
    if (json)
        print_json();
    else
        print_all();
    return EXIT_DONE;
}

const struct command command_strategies = {
    .name = "strategies",
    .usage = "[--json]",
    .summary = "Lists the strategies with their papers and options",
    .help = "      --json              one JSON array\n",
    .run = run,
};
