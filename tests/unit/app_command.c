/* The table of options: values of each kind reach the struct, and only good ones. */
#include "test.h"

#include "app/command.h"

#include <unistd.h>

struct values {
    bool flag, other;
    uint64_t large;
    uint16_t small;
    int64_t time;
    const char *text, *name;
    int choice;
    struct option_list list;
    char guard[8]; /* nothing writes here */
};

static struct values seen;
static char words[200]; /* the arguments and the list, as run() saw them */

static int run(const struct command_line *line)
{
    seen = *(struct values *)line->options;
    words[0] = 0;
    for (size_t i = 0; i < line->count; i++)
        strcat(strcat(words, line->arguments[i]), " ");
    for (size_t i = 0; i < seen.list.count; i++)
        strcat(strcat(words, "+"), seen.list.items[i]);
    return 42;
}

static const char *const choices[] = {"csv", "json", NULL};
static const struct command_option options[] = {
    COMMAND_OPTION(OPTION_FLAG, struct values, flag, "flag", 'f', NULL, "a flag"),
    COMMAND_OPTION(OPTION_FLAG, struct values, other, "other", 'x', NULL, "another one"),
    COMMAND_OPTION(OPTION_NUMBER, struct values, large, "large", 0, "N", "a number", .min = 5, .number = 7),
    COMMAND_OPTION(OPTION_NUMBER, struct values, small, "small", 's', "N", "another one", .max = 1000),
    COMMAND_OPTION(OPTION_DURATION, struct values, time, "time", 0, "T", "a duration"),
    COMMAND_OPTION(OPTION_STRING, struct values, text, "text", 't', "TEXT", "a text", .required = true),
    COMMAND_OPTION(OPTION_STRING, struct values, name, "name", 0, "NAME", "another one", .fallback = "nobody"),
    COMMAND_OPTION(OPTION_CHOICE, struct values, choice, "form", 0, "FORM", "csv or json", .choices = choices),
    COMMAND_OPTION(OPTION_LIST, struct values, list, "item", 'i', "ITEM", "an item; repeatable"),
    {0},
};
static const struct command command = {
    .name = "try", .summary = "Tries", .arguments = "ONE [TWO]", .example = "scent try", .options = options,
    .size = sizeof(struct values), .run = run};

/* What the words of `line` come to; messages are of no interest here. */
static int try(const char *line)
{
    char copy[300], *argv[20] = {NULL}, *save = NULL;
    int argc = 0, kept = dup(STDERR_FILENO), code;

    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    assert_non_null(freopen("/dev/null", "w", stderr));
    code = command_main(&command, argc, argv);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    return code;
}

static void values_of_all_kinds_arrive(void **state)
{
    (void)state;
    assert_int_equal(try("try one -fx --large 5000000000 two -s1000 --time 1h30m --text=t --form json -i a --item b"), 42);
    assert_true(seen.flag && seen.other);
    assert_true(seen.large == 5000000000);
    assert_int_equal(seen.small, 1000);
    assert_true(seen.time == 5400 * (int64_t)1000000);
    assert_int_equal(seen.choice, 1);
    assert_string_equal(words, "one two +a+b");
    assert_memory_equal(seen.guard, "\0\0\0\0\0\0\0\0", sizeof seen.guard);
}

static void defaults_are_filled_in(void **state)
{
    (void)state;
    assert_int_equal(try("try one -t t"), 42);
    assert_true(!seen.flag && seen.large == 7 && seen.small == 0 && seen.time == 0 && seen.choice == 0);
    assert_string_equal(seen.name, "nobody");
    assert_int_equal(seen.list.count, 0);
    assert_int_equal(try("try -t t -- -f"), 42);
    assert_string_equal(words, "-f ");
}

static void bad_lines_do_not_run(void **state)
{
    static const char *const bad[] = {
        "try -t t",                   /* ONE is missing */
        "try one two three -t t",     /* one too many */
        "try one",                    /* --text is missing */
        "try one -t t --large 4",     /* below the minimum */
        "try one -t t --large 7x",    "try one -t t --small 1001",  "try one -t t -s -1",
        "try one -t t --time 0",      "try one -t t --time soon",   "try one -t t --form xml",
        "try one -t t --form",        "try one -t t --text=",       "try one -t t --bogus", "try one -t t -q",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (try(bad[i]) != EXIT_USAGE)
            fail_msg("'%s' is taken", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_all_kinds_arrive),
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(bad_lines_do_not_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
