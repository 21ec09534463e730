/* cmd_strategies - `scent strategies`: what each strategy is, and its options with their defaults. */
#include "app/command.h"
#include "app/output.h"
#include "strategy/strategy.h"
#include "topic/topic.h"

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
        puts("    learns: another crawl can begin with what it learned (reuse)");
    print_options(ops->options);
    if (ops->threshold > 0)
        printf("    threshold=%g\n        the default of this strategy; 'none' fetches the others too, at the end\n",
               (double)ops->threshold);
    if (ops->idle_threshold)
        printf("    threshold: of little use, %s\n", ops->idle_threshold);
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
    if (ops->threshold > 0)
        json_put_double(w, "threshold", (double)ops->threshold);
    if (ops->idle_threshold)
        json_put_str(w, "idle_threshold", str_of(ops->idle_threshold));
    json_key(w, "options");
    json_array_begin(w);
    write_options(w, ops->options);
    write_options(w, strategy_common_options);
    json_array_end(w);
    json_object_end(w);
}

static void print_json(void)
{
    struct json_output output;
    struct json_writer *w = json_output_begin(&output);

    json_array_begin(w);
    for (size_t i = 0; strategy_at(i); i++)
        write_json(w, strategy_at(i));
    json_array_end(w);
    json_output_end(&output, stdout);
}

static void print_all(void)
{
    puts("In a topic file: strategy: {name: text-window, words: 20}; on the command line: --strategy "
         "text-window:words=20.\nOptions are listed with their defaults. Every strategy takes:");
    print_options(strategy_common_options);
    puts("\nA topic file that names no strategy gets " TOPIC_DEFAULT_STRATEGY ".");
    for (size_t i = 0; strategy_at(i); i++)
        print_text(strategy_at(i));
}

static int run_strategies(const struct command_line *line)
{
    const struct json_only *options = line->options;

    if (options->json)
        print_json();
    else
        print_all();
    return EXIT_DONE;
}

const struct command command_strategies = {
    .name = "strategies",
    .summary = "Lists the crawl strategies with their papers and options",
    .example = "scent strategies",
    .options = json_only_options,
    .size = sizeof(struct json_only),
    .run = run_strategies,
};
