#include "app/command.h"

#include "app/output.h"
#include "base/buf.h"
#include "base/file.h"
#include "conf/conf.h"
#include "crawldir/crawldir.h"

#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct command_option json_only_options[] = {
    COMMAND_OPTION(OPTION_FLAG, struct json_only, json, "json", 0, NULL, "print JSON"),
    {0},
};

/* ---- messages ---- */

size_t command_count_dirs(const struct command_line *line)
{
    size_t count = 1;

    while (count < line->count && file_exists(crawldir_path(line->arguments[count], "crawl.db").text))
        count++;
    return count;
}

int command_misuse(const struct command *command, const char *fmt, ...)
{
    FILE *out = output_plain(stderr); /* a script may hand on what somebody else wrote */
    va_list args;

    fprintf(out, "scent %s: ", command->name);
    va_start(args, fmt);
    vfprintf(out, fmt, args);
    va_end(args);
    fprintf(out, "; see 'scent %s --help'\n", command->name);
    fclose(out);
    return EXIT_USAGE;
}

int command_invalid(const struct command *command, const char *option, const char *value, const char *expected)
{
    return command_misuse(command, "invalid value '%s' for --%s: expected %s", value, option, expected);
}

/* A message may have several lines (an excerpt with a caret under the fault). */
static void print_message(struct str text)
{
    struct log log;
    struct str line;

    log_init_stderr(&log, LOG_ERROR);
    if (str_split(&text, '\n', &line))
        log_line(&log, LOG_ERROR, "%.*s", STR_ARG(line));
    while (str_split(&text, '\n', &line))
        fprintf(stderr, "  %.*s\n", STR_ARG(line));
}

int command_fail(scent_status status, const struct errmsg *err)
{
    print_message(str_of(err->text[0] ? err->text : scent_status_text(status)));
    return status == SCENT_E_FULL || status == SCENT_E_NOMEM ? EXIT_STORAGE : EXIT_USAGE;
}

int command_exit(scent_status status, const struct errmsg *err)
{
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, err);
}

/* "jsonl, csv or urls" */
static void join_words(const char *const *words, char *room, size_t size)
{
    size_t len = 0;

    for (size_t i = 0; words[i] && len < size; i++)
        len += (size_t)snprintf(room + len, size - len, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
}

/* ---- values ---- */

static void set_number(void *member, size_t size, uint64_t n)
{
    switch (size) {
    case sizeof(uint16_t):
        *(uint16_t *)member = (uint16_t)n;
        break;
    case sizeof(uint32_t):
        *(uint32_t *)member = (uint32_t)n;
        break;
    default:
        SCENT_BUG_IF(size != sizeof(uint64_t));
        *(uint64_t *)member = n;
    }
}

static const char *take_number(const struct command_option *option, const char *text, void *member, char *room,
                               size_t size)
{
    uint64_t max = option->max                 ? option->max
                   : option->size < sizeof max ? UINT64_MAX >> (64 - 8 * option->size)
                                               : UINT64_MAX,
             n;

    if (str_parse_u64(str_of(text), &n) && n >= option->min && n <= max) {
        set_number(member, option->size, n);
        return NULL;
    }
    if (option->max)
        snprintf(room, size, "a number from %llu to %llu", (unsigned long long)option->min, (unsigned long long)max);
    else if (option->min > 1)
        snprintf(room, size, "a number, at least %llu", (unsigned long long)option->min);
    else
        snprintf(room, size, "a number%s", option->min && strcmp(text, "0") == 0 ? " above 0" : "");
    return room;
}

static const char *take_share(const char *text, double *member)
{
    char *end;

    *member = strtod(text, &end);
    return *end == '\0' && *member >= 0 && *member <= 1 ? NULL : "a number from 0 to 1";
}

static const char *take_choice(const struct command_option *option, const char *text, void *member, char *room,
                               size_t size)
{
    for (int i = 0; option->choices[i]; i++)
        if (strcmp(option->choices[i], text) == 0) {
            *(int *)member = i;
            return NULL;
        }
    join_words(option->choices, room, size);
    return room;
}

/* NULL, or what was expected instead (in `room`, where it is not constant). */
static const char *take_value(const struct command_option *option, const char *text, void *values, char *room,
                              size_t size)
{
    void *member = (char *)values + option->offset;
    struct option_list *list = member;

    if (option->kind != OPTION_FLAG && !text[0])
        return option->value;
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)member = true;
        return NULL;
    case OPTION_NUMBER:
        return take_number(option, text, member, room, size);
    case OPTION_SHARE:
        return take_share(text, member);
    case OPTION_DURATION:
        return conf_parse_duration(str_of(text), member) && *(int64_t *)member > 0
                   ? NULL : "a duration such as 90s, 2h or 1h30m";
    case OPTION_STRING:
        *(const char **)member = text;
        return NULL;
    case OPTION_CHOICE:
        return take_choice(option, text, member, room, size);
    case OPTION_LIST:
        list->items[list->count++] = text;
        return NULL;
    }
    return NULL;
}

static void set_defaults(const struct command *command, void *values, int argc)
{
    for (const struct command_option *option = command->options; option && option->name; option++) {
        void *member = (char *)values + option->offset;
        struct option_list *list = member;

        if (option->kind == OPTION_NUMBER)
            set_number(member, option->size, option->number);
        else if (option->kind == OPTION_STRING)
            *(const char **)member = option->fallback;
        else if (option->kind == OPTION_SHARE)
            SCENT_BUG_IF(take_share(option->fallback, member) != NULL);
        else if (option->kind == OPTION_LIST)
            SCENT_BUG_IF(!(list->items = calloc((size_t)argc, sizeof *list->items)));
    }
}

static void release_lists(const struct command *command, void *values)
{
    for (const struct command_option *option = command->options; option && option->name; option++)
        if (option->kind == OPTION_LIST)
            free(((struct option_list *)((char *)values + option->offset))->items);
}

bool command_parse_listen(const char *text, struct listen *listen)
{
    const char *colon = strrchr(text, ':');
    struct str host = colon ? (struct str){text, (size_t)(colon - text)} : STR("127.0.0.1");
    uint64_t port;

    if (!str_parse_u64(str_of(colon ? colon + 1 : text), &port) || port > 65535)
        return false;
    if (host.len >= 2 && host.p[0] == '[' && host.p[host.len - 1] == ']')
        host = str_sub(host, 1, host.len - 1);
    if (host.len == 0 || host.len >= sizeof listen->address)
        return false;
    snprintf(listen->address, sizeof listen->address, "%.*s", STR_ARG(host));
    listen->port = (uint16_t)port;
    return true;
}

/* ---- help and manual: words in lines ---- */

enum { WIDTH = 80, HELP_COLUMN = 27 };

static size_t columns_of(struct str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.p[i] & 0xC0) != 0x80; /* not the inside of a UTF-8 sequence */
    return n;
}

/* Fills lines from column `at` on; further lines begin at column `indent`. Ends the last one. */
static void print_wrapped(FILE *out, const char *text, size_t at, size_t indent)
{
    struct str rest = str_of(text), word;
    size_t used = at; /* columns of this line */
    bool begins = true;

    while (str_split(&rest, ' ', &word)) {
        size_t columns = columns_of(word);

        if (!begins && used + 1 + columns > WIDTH) {
            fprintf(out, "\n%*s", (int)indent, "");
            used = indent;
        } else if (!begins) {
            fputc(' ', out);
            used++;
        }
        begins = false;
        fprintf(out, "%.*s", STR_ARG(word));
        used += columns;
    }
    fputc('\n', out);
}

const char *command_option_help(const struct command_option *option, char *room, size_t size)
{
    if (option->number)
        snprintf(room, size, "%s (default: %llu)", option->help, (unsigned long long)option->number);
    else if (option->fallback || option->kind == OPTION_CHOICE)
        snprintf(room, size, "%s (default: %s)", option->help,
                 option->fallback ? option->fallback : option->choices[0]);
    else
        return option->help;
    return room;
}

/* ---- --help ---- */

void command_usage(const struct command *command, struct buf *out)
{
    bool optional = false;

    if (command->arguments)
        buf_printf(out, " %s", command->arguments);
    for (const struct command_option *option = command->options; option && option->name; option++) {
        optional |= !option->required;
        if (option->required && option->letter)
            buf_printf(out, " -%c %s", option->letter, option->value);
        else if (option->required)
            buf_printf(out, " --%s %s", option->name, option->value);
    }
    if (optional)
        buf_addz(out, " [options]");
}

static void print_option(const struct command_option *option, FILE *out)
{
    char letter[] = "    ", room[400];
    int len;

    if (option->letter)
        snprintf(letter, sizeof letter, "-%c,", option->letter);
    len = fprintf(out, "  %s --%s%s%s", option->letter ? letter : "   ", option->name,
                  option->value && !option->bare ? " " : "", option->value ? option->value : "");
    len -= option->value ? (int)(strlen(option->value) - columns_of(str_of(option->value))) : 0;
    if (len >= HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(out, "%*s", HELP_COLUMN - len, "");
    print_wrapped(out, command_option_help(option, room, sizeof room), HELP_COLUMN, HELP_COLUMN);
}

static void print_part(const struct command *part, FILE *out)
{
    struct buf usage;

    buf_init(&usage, 0);
    buf_printf(&usage, "  %s", strchr(part->name, ' ') + 1);
    command_usage(part, &usage);
    fprintf(out, "%s\n%*s", buf_z(&usage), 6, "");
    print_wrapped(out, part->summary, 6, 6);
    buf_release(&usage);
}

static void print_paragraphs(const char *text, FILE *out)
{
    struct str rest = str_of(text), line;

    while (str_split(&rest, '\n', &line)) {
        char *copy = str_dup(line);

        SCENT_BUG_IF(!copy);
        fputc('\n', out);
        print_wrapped(out, copy, 0, 0);
        free(copy);
    }
}

/* The names of what --help does not describe. False: there is nothing. */
static bool print_rare(const struct command *command, FILE *out)
{
    struct buf names;
    bool any;

    buf_init(&names, 0);
    for (const struct command_option *option = command->options; option && option->name; option++)
        if (option->rare)
            buf_printf(&names, "%s--%s", names.len ? ", " : "", option->name);
    any = names.len > 0;
    if (any) {
        fputs("\nMore, by --help=all: ", out);
        print_wrapped(out, buf_z(&names), 21, 0);
    }
    buf_release(&names);
    return any;
}

/* What fits a small screen, or `all`. */
static void command_help(const struct command *command, bool all, FILE *out)
{
    struct str examples = str_of(command->example), line;
    struct buf usage;

    buf_init(&usage, 0);
    command_usage(command, &usage);
    fprintf(out, "usage: scent %s%s\n\n", command->name, command->parts ? " COMMAND …" : buf_z(&usage));
    buf_release(&usage);
    buf_printf(&usage, "%s.", command->summary);
    print_wrapped(out, buf_z(&usage), 0, 0);
    buf_release(&usage);
    if (command->options || command->parts)
        fputc('\n', out);
    for (const struct command_option *option = command->options; option && option->name; option++)
        if (all || !option->rare)
            print_option(option, out);
    all = all || !print_rare(command, out);
    for (size_t i = 0; command->parts && command->parts[i]; i++)
        print_part(command->parts[i], out);
    if (command->description)
        print_paragraphs(command->description, out);
    if (command->parts)
        fprintf(out, "\n'scent %s COMMAND --help' says more.\n", command->name);
    if (examples.len)
        fputs("\nExample:\n", out);
    while (str_split(&examples, '\n', &line))
        fprintf(out, "  %.*s\n", STR_ARG(line));
    if (all && command->exits) {
        fputs("\nExit status: ", out);
        print_wrapped(out, command->exits, 13, 0);
    }
}

/* ---- the command line ---- */

enum { OPTIONS_MAX = 32, LONG = 256, HELP = LONG + OPTIONS_MAX }; /* getopt's value of the i-th option is LONG + i */

struct grammar {
    struct option longs[OPTIONS_MAX + 2];
    char shorts[2 * OPTIONS_MAX + 4];
    const char *names[OPTIONS_MAX + 2];
    unsigned char by_letter[128]; /* 1 + the place in the table */
    bool given[OPTIONS_MAX];
};

static void build_grammar(const struct command *command, struct grammar *grammar)
{
    char *shorts = grammar->shorts;
    size_t n = 0;

    *grammar = (struct grammar){0};
    *shorts++ = ':';
    *shorts++ = 'h';
    for (const struct command_option *option = command->options; option && option->name; option++, n++) {
        bool has_value = option->kind != OPTION_FLAG;

        SCENT_BUG_IF(n == OPTIONS_MAX);
        grammar->longs[n] =
            (struct option){option->name,
                            option->bare ? optional_argument : has_value ? required_argument : no_argument, NULL,
                            LONG + (int)n};
        grammar->names[n] = option->name;
        if (!option->letter)
            continue;
        grammar->by_letter[(unsigned char)option->letter] = (unsigned char)(n + 1);
        *shorts++ = option->letter;
        if (has_value)
            *shorts++ = ':';
    }
    grammar->longs[n] = (struct option){"help", optional_argument, NULL, HELP};
    grammar->names[n] = "help";
}

static int fail_unknown(const struct command *command, const struct grammar *grammar, const char *word)
{
    const char *nearest = NULL;

    if (optopt && optopt < LONG)
        return command_misuse(command, "unknown option '-%c'", optopt);
    if (str_starts(str_of(word), STR("--")))
        nearest = conf_nearest(str_of(word + 2), grammar->names);
    return nearest ? command_misuse(command, "unknown option '%s' (did you mean --%s?)", word, nearest)
                   : command_misuse(command, "unknown option '%s'", word);
}

/* -1: read them all; else the exit status. */
static int read_options(const struct command *command, struct grammar *grammar, int argc, char **argv, void *values)
{
    int got;

    opterr = 0;
    optind = 0; /* GNU's way to start again */
    while ((got = getopt_long(argc, argv, grammar->shorts, grammar->longs, NULL)) != -1) {
        const struct command_option *option;
        const char *expected;
        char room[200];

        if (got == 'h' || got == HELP) {
            if (got == HELP && optarg && strcmp(optarg, "all") != 0)
                return command_invalid(command, "help", optarg, "all");
            command_help(command, got == HELP && optarg, stdout);
            return EXIT_DONE;
        }
        if (got == '?')
            return fail_unknown(command, grammar, argv[optind - 1]);
        if (got == ':')
            return command_misuse(command, "missing value for '%s'", argv[optind - 1]);
        option = &command->options[got >= LONG ? got - LONG : grammar->by_letter[got] - 1];
        grammar->given[option - command->options] = true;
        expected = take_value(option, optarg ? optarg : option->bare, values, room, sizeof room);
        if (expected)
            return command_invalid(command, option->name, optarg, expected);
    }
    return -1;
}

/* -1: all that is required is there; else the exit status. */
static int check_arguments(const struct command *command, const struct grammar *grammar, char **arguments, size_t count)
{
    struct str rest = str_of(command->arguments ? command->arguments : ""), word;
    size_t at = 0;
    bool many = false;

    for (; str_split(&rest, ' ', &word) && word.len; at++) {
        many = str_ends(word, STR("…"));
        if (at >= count && word.p[0] != '[')
            return command_misuse(command, "missing argument %.*s", (int)(word.len - (many ? strlen("…") : 0)), word.p);
    }
    if (count > at && !many)
        return command_misuse(command, "unexpected argument '%s'", arguments[at]);
    for (size_t i = 0; command->options && command->options[i].name; i++)
        if (command->options[i].required && !grammar->given[i])
            return command_misuse(command, "missing option --%s %s", command->options[i].name,
                                  command->options[i].value);
    return -1;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    void *values = calloc(1, command->size + 1);
    struct grammar grammar;
    int code;

    SCENT_BUG_IF(!values);
    build_grammar(command, &grammar);
    set_defaults(command, values, argc);
    code = read_options(command, &grammar, argc, argv, values);
    if (code < 0)
        code = check_arguments(command, &grammar, argv + optind, (size_t)(argc - optind));
    if (code < 0)
        code = command->run(&(struct command_line){command, values, argv + optind, (size_t)(argc - optind)});
    release_lists(command, values);
    free(values);
    return code;
}

/* "import" of "trace import". */
static const char *part_name(const struct command *part)
{
    return strchr(part->name, ' ') + 1;
}

static int run_part(const struct command *command, int argc, char **argv)
{
    const char *names[16] = {0}, *nearest;
    char list[200] = "";

    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "--help=all") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        command_help(command, true, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    for (size_t i = 0; command->parts[i]; i++) {
        names[i] = part_name(command->parts[i]);
        if (strcmp(argv[1], names[i]) == 0)
            return run_command(command->parts[i], argc - 1, argv + 1);
    }
    join_words(names, list, sizeof list);
    nearest = conf_nearest(str_of(argv[1]), names);
    return nearest ? command_misuse(command, "unknown command '%s %s' (did you mean '%s %s'?)", command->name, argv[1],
                                    command->name, nearest)
                   : command_misuse(command, "unknown command '%s %s': expected %s", command->name, argv[1], list);
}

int command_main(const struct command *command, int argc, char **argv)
{
    return command->parts ? run_part(command, argc, argv) : run_command(command, argc, argv);
}

/* ---- signals ---- */

/* A signal handler has nothing but globals. */
static atomic_int asked;

/* The first signal stops gracefully, the second at once: what is not kept yet is done again when the command is
 * repeated. */
static void on_signal(int number)
{
    (void)number;
    if (atomic_fetch_add(&asked, 1) >= 1)
        _exit(EXIT_INTERRUPTED);
}

atomic_int *signals_watch(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a server that hangs up must not end the crawl */
    return &asked;
}

void signals_release(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

static sigset_t three_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

void signals_block(void)
{
    sigset_t set = three_signals();

    sigprocmask(SIG_BLOCK, &set, NULL);
}

void signals_wait(void)
{
    sigset_t set = three_signals();
    int got;

    sigwait(&set, &got);
}
