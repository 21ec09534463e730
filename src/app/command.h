/* command - the commands of the program, one file each, and the table of options from which parsing, --help and the
 * manual come.
 *
 * A command names a struct for the values of its options; each option of its table says where in it the value goes.
 * Before a command runs, the struct is zeroed, defaults are filled in, the command line is read and the number of
 * arguments is checked, so that its `run` sees good values only. `scent --man` merges the same tables into the manual
 * (man/scent.1.scd). A new option is a line in a table and a member of a struct.
 *
 * Data goes to stdout, messages go to stderr. A command returns the exit status of the process. */
#ifndef SCENT_APP_COMMAND_H
#define SCENT_APP_COMMAND_H

#include "base/buf.h"
#include "base/log.h"
#include "base/status.h"
#include "base/str.h"

#include <stdatomic.h>
#include <stdio.h>

enum exit_status {
    EXIT_DONE = 0,         /* the limit was reached, or nothing is left */
    EXIT_NO_SEED = 1,      /* no seed could be fetched */
    EXIT_USAGE = 2,        /* bad usage or configuration */
    EXIT_STORAGE = 3,      /* storage failed: disk full */
    EXIT_INTERRUPTED = 11, /* can be resumed */
};

enum option_kind {      /* the member that takes the value is */
    OPTION_FLAG,        /* a bool */
    OPTION_NUMBER,      /* an unsigned integer of any size; from `min` to `max` */
    OPTION_SHARE,       /* a double from 0 to 1 */
    OPTION_DURATION,    /* an int64_t, microseconds: 90s, 1h30m; above 0 */
    OPTION_STRING,      /* a const char *; never empty */
    OPTION_CHOICE,      /* an int or enum: the place of the value in `choices` */
    OPTION_LIST,        /* a struct option_list: the option may be given several times */
};

/* Owner of `items`: the parser; they live while the command runs. */
struct option_list {
    const char **items;
    size_t count;
};

struct command_option {
    const char *name;           /* "output"; NULL ends a table */
    char letter;                /* 'o'; 0: none */
    enum option_kind kind;
    bool required;
    bool rare;                  /* --help only names it; --help=all and the manual describe it */
    size_t offset, size;        /* of the member */
    const char *value;          /* what the help calls the value: "DIR" */
    const char *help;           /* what it does, one short clause */
    const char *manual;         /* whole sentences behind that in the manual; may be NULL */
    uint64_t min, max;          /* of a number; max 0: no limit */
    uint64_t number;            /* the default of a number; 0: none that the help shows */
    const char *fallback;       /* the default of a string or share */
    const char *bare;           /* of a string: the value of --name alone; NULL: it needs one */
    const char *const *choices; /* NULL-terminated */
};

/* A row of a table: option `name` (letter 0: long only) sets `member` of `type`; further members follow. */
#define COMMAND_OPTION(kind_, type_, member_, name_, letter_, value_, help_, ...)                                  \
    {.name = (name_), .letter = (letter_), .kind = (kind_), .offset = offsetof(type_, member_),                    \
     .size = sizeof(((type_ *)0)->member_), .value = (value_), .help = (help_), __VA_ARGS__}

/* For commands whose one option is --json. */
struct json_only {
    bool json;
};
extern const struct command_option json_only_options[];

struct command_line {
    const struct command *command;
    void *options;    /* the command's struct */
    char **arguments; /* without the options; NULL behind the last */
    size_t count;
};

/* `arguments` says what follows the name on the command line: words in capitals, each of which is one argument;
 * [WORD] may be left out, WORD… may be repeated. */
struct command {
    const char *name, *summary, *arguments;
    const char *description;              /* more for --help, a paragraph a line; may be NULL */
    const char *example;                  /* a command line a line */
    const char *exits;                    /* "1 no seed could be fetched"; may be NULL */
    const struct command_option *options; /* NULL: none */
    size_t size;                          /* of the struct of its options */
    int (*run)(const struct command_line *line);
    const struct command *const *parts;   /* a command of commands ("trace": "trace import", …): these, and NULL */
};

extern const struct command command_why, command_crawl, command_init, command_status, command_export, command_check,
    command_purge, command_strategies, command_train, command_judge, command_lab, command_trace, command_browse,
    command_rules, command_web, command_serve, command_demo, command_rejudge, command_search, command_control,
    command_cluster, command_seeds;
/* Parts of `scent browse`, `scent rules` and `scent lab`. */
extern const struct command browse_train_command, rules_build_command, lab_fit_command;

/* Runs what argv names; argv[0] is the command's name. The exit status. */
int command_main(const struct command *command, int argc, char **argv);

/* How many of the first arguments are directories of crawls: the first in any case, and those behind it that have a
 * crawl.db. What follows are other words. */
size_t command_count_dirs(const struct command_line *line);
/* Says what is wrong with the usage, with a pointer to --help; EXIT_USAGE. */
int command_misuse(const struct command *command, const char *fmt, ...) SCENT_PRINTF(2, 3);
/* The same for the value of an option: "invalid value '7x' for --pages: expected a number". */
int command_invalid(const struct command *command, const char *option, const char *value, const char *expected);
/* Says it on stderr; the exit status that fits. */
int command_fail(scent_status status, const struct errmsg *err);
/* EXIT_DONE, or command_fail(). */
int command_exit(scent_status status, const struct errmsg *err);

/* " TOPIC.yaml -o FILE [options]": what follows the name of a command. */
void command_usage(const struct command *command, struct buf *out);
/* The help of an option with its default, which may lie in `room`. */
const char *command_option_help(const struct command_option *option, char *room, size_t size);

/* Copies the source of the manual from `in`, with the lines @synopsis and @options COMMAND replaced by what the tables
 * say; with a `name`, makes a page of what it and the tables say of that command. False: the source lacks a command, or
 * there is none of this name; stderr says which. */
bool command_manual(const struct command *const *commands, const char *name, FILE *in, FILE *out);

/* Prints what `shell` (bash, zsh, fish) reads to complete command lines of scent. False: no such shell. */
bool command_completion(const struct command *const *commands, const char *shell, FILE *out);

/* Where to listen: "PORT", "ADDRESS:PORT" or "[::1]:PORT"; port 0 is any free one. */
#define COMMAND_LISTEN_EXPECTED "PORT, ADDRESS:PORT or [ADDRESS]:PORT, with a port up to 65535"
struct listen {
    char address[64];
    uint16_t port;
};
bool command_parse_listen(const char *text, struct listen *listen);

/* Signals: SIGINT, SIGTERM and SIGHUP as a number that rises: the first asks a command to stop, the second ends the
 * process at once. */
/* Catches these signals from now on, and ignores SIGPIPE; above 0: stop. */
atomic_int *signals_watch(void);
/* From now on the first signal ends the process, as usual. */
void signals_release(void);

/* For a command whose threads do all the work: blocks the three signals before any thread starts, then waits for one.
 */
void signals_block(void);
void signals_wait(void);

#endif
