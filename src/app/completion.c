/* completion - what a shell needs to complete a command line, from the tables of the commands. */
#include "app/command.h"
#include "base/buf.h"

#include <string.h>

/* What a shell offers for a value: a name of a file or directory, one of a few words, or nothing. */
enum offer { OFFER_NOTHING, OFFER_FILES, OFFER_FOLDERS, OFFER_CHOICES };

/* The help's word for a value tells what it is. */
static enum offer offer_of(const struct command_option *option)
{
    static const char *const files[] = {"FILE", "TOPIC", "MODEL", "COLLECTION", "PATH"};

    if (option->kind == OPTION_CHOICE)
        return OFFER_CHOICES;
    if (!option->value)
        return OFFER_NOTHING;
    if (str_starts(str_of(option->value), STR("DIR")))
        return OFFER_FOLDERS;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (str_starts(str_of(option->value), str_of(files[i])))
            return OFFER_FILES;
    return OFFER_NOTHING;
}

/* One for each command that runs; a command of commands has none but those of its parts. */
typedef void write_command_fn(const struct command *command, struct buf *out);

static void write_runnable(const struct command *const *commands, write_command_fn *write, struct buf *out)
{
    for (; *commands; commands++)
        if ((*commands)->parts)
            write_runnable((*commands)->parts, write, out);
        else
            write(*commands, out);
}

/* The word by which a command is called: "run" of "lab run". */
static const char *last_word(const struct command *command)
{
    const char *space = strrchr(command->name, ' ');

    return space ? space + 1 : command->name;
}

static void write_words(const struct command *const *commands, struct buf *out)
{
    for (size_t i = 0; commands[i]; i++)
        buf_printf(out, "%s%s", i ? " " : "", last_word(commands[i]));
}

static void write_choices(const struct command_option *option, struct buf *out)
{
    for (size_t i = 0; option->choices[i]; i++)
        buf_printf(out, "%s%s", i ? " " : "", option->choices[i]);
}

/* A text inside of '…'. Bash and zsh leave the quotes for a quote, fish does not; `also` gets a backslash as well. */
static void write_quoted(const char *text, const char *quote, const char *also, struct buf *out)
{
    for (; *text; text++) {
        if (*text == '\'') {
            buf_addz(out, quote);
            continue;
        }
        if (strchr(also, *text))
            buf_addc(out, '\\');
        buf_addc(out, *text);
    }
}

/* ---- bash ---- */

static void write_bash_values(const struct command *command, struct buf *out)
{
    for (const struct command_option *option = command->options; option && option->name; option++) {
        enum offer offer = offer_of(option);

        if (option->kind == OPTION_FLAG)
            continue;
        buf_printf(out, "    '%s --%s'", command->name, option->name);
        if (option->letter)
            buf_printf(out, " | '%s -%c'", command->name, option->letter);
        if (offer == OFFER_CHOICES) {
            buf_addz(out, ") words='");
            write_choices(option, out);
            buf_addz(out, "' ;;\n");
        } else {
            buf_printf(out, ") kind=%s ;;\n",
                       offer == OFFER_FOLDERS ? "folders" : offer == OFFER_FILES ? "files" : "nothing");
        }
    }
}

static void write_bash_options(const struct command *command, struct buf *out)
{
    buf_printf(out, "    '%s') words='", command->name);
    for (const struct command_option *option = command->options; option && option->name; option++)
        buf_printf(out, "--%s ", option->name);
    buf_addz(out, "--help' ;;\n");
}

static void write_bash(const struct command *const *commands, struct buf *out)
{
    buf_addz(out, "# Completions of scent for bash, as 'scent --completion bash' prints them.\n"
                  "_scent()\n{\n"
                  "    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                  "    local command=${COMP_WORDS[1]} first=2 words= kind=\n\n"
                  "    COMPREPLY=()\n"
                  "    case $command in\n");
    for (size_t i = 0; commands[i]; i++) {
        if (!commands[i]->parts)
            continue;
        buf_printf(out, "    %s) words='", commands[i]->name);
        write_words(commands[i]->parts, out);
        buf_printf(out, "' first=3 command=\"%s ${COMP_WORDS[2]}\" ;;\n", commands[i]->name);
    }
    buf_addz(out, "    esac\n    if ((COMP_CWORD == 1)); then\n        words='");
    write_words(commands, out);
    buf_addz(out, " help'\n    elif ((COMP_CWORD >= first)); then\n        words=\n    fi\n"
                  "    if ((COMP_CWORD >= first)); then\n    case \"$command $before\" in\n");
    write_runnable(commands, write_bash_values, out);
    buf_addz(out, "    esac\n    [[ $words || $kind || $now != -* ]] || case $command in\n");
    write_runnable(commands, write_bash_options, out);
    buf_addz(out, "    esac\n    fi\n"
                  "    if [[ $words ]]; then\n"
                  "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$now\")\n"
                  "    elif [[ $kind == folders ]]; then\n"
                  "        compopt -o filenames 2>/dev/null\n"
                  "        mapfile -t COMPREPLY < <(compgen -d -- \"$now\")\n"
                  "    elif [[ $kind != nothing ]]; then\n"
                  "        compopt -o filenames 2>/dev/null\n"
                  "        mapfile -t COMPREPLY < <(compgen -f -- \"$now\")\n"
                  "    fi\n}\ncomplete -F _scent scent\n");
}

/* ---- zsh ---- */

static void write_zsh_names(const struct command *const *commands, struct buf *out)
{
    buf_addz(out, "names=(");
    for (; *commands; commands++) {
        buf_printf(out, "\n        '%s:", last_word(*commands));
        write_quoted((*commands)->summary, "'\\''", ":", out);
        buf_addc(out, '\'');
    }
    buf_addz(out, ")\n        _describe command names\n        return\n");
}

static void write_zsh_option(const struct command_option *option, struct buf *out)
{
    enum offer offer = offer_of(option);
    bool value = option->kind != OPTION_FLAG;

    buf_addz(out, " \\\n        ");
    if (option->letter)
        buf_printf(out, "%s'(-%c --%s)'{-%c%s,--%s%s}'[", option->kind == OPTION_LIST ? "'*'" : "", option->letter,
                   option->name, option->letter, value ? "+" : "", option->name, value ? "=" : "");
    else
        buf_printf(out, "'%s--%s%s[", option->kind == OPTION_LIST ? "*" : "", option->name, value ? "=" : "");
    write_quoted(option->help, "'\\''", "[]:", out);
    buf_addc(out, ']');
    if (value) {
        buf_addc(out, ':');
        write_quoted(option->value, "'\\''", "[]:", out);
        buf_addc(out, ':');
    }
    if (offer == OFFER_CHOICES) {
        buf_addc(out, '(');
        write_choices(option, out);
        buf_addc(out, ')');
    } else if (value) {
        buf_addz(out, offer == OFFER_FOLDERS ? "_files -/" : offer == OFFER_FILES ? "_files" : " ");
    }
    buf_addc(out, '\'');
}

static void write_zsh_command(const struct command *command, struct buf *out)
{
    buf_printf(out, "    '%s')\n        _arguments -s", command->name);
    for (const struct command_option *option = command->options; option && option->name; option++)
        write_zsh_option(option, out);
    buf_addz(out, " \\\n        '(-h --help)'{-h,--help}'[describe the command]' '*:file:_files' ;;\n");
}

static void write_zsh(const struct command *const *commands, struct buf *out)
{
    buf_addz(out, "#compdef scent\n# Completions of scent for zsh, as 'scent --completion zsh' prints them.\n"
                  "_scent()\n{\n    local command=$words[2]\n    local -a names\n\n"
                  "    if (( CURRENT == 2 )); then\n        ");
    write_zsh_names(commands, out);
    buf_addz(out, "    fi\n    case $command in\n");
    for (size_t i = 0; commands[i]; i++) {
        if (!commands[i]->parts)
            continue;
        buf_printf(out, "    %s)\n    if (( CURRENT == 3 )); then\n        ", commands[i]->name);
        write_zsh_names(commands[i]->parts, out);
        buf_addz(out, "    fi\n    command=\"$command $words[3]\"\n    shift words\n    (( CURRENT-- )) ;;\n");
    }
    buf_addz(out, "    esac\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    write_runnable(commands, write_zsh_command, out);
    buf_addz(out, "    esac\n}\n"
                  "if [[ $funcstack[1] == _scent ]]; then\n    _scent \"$@\"\nelse\n    compdef _scent scent\nfi\n");
}

/* ---- fish ---- */

static void write_fish_names(const struct command *const *commands, const char *where, struct buf *out)
{
    for (; *commands; commands++) {
        buf_printf(out, "complete -c scent -f -n '__scent_next %s' -a %s -d '", where, last_word(*commands));
        write_quoted((*commands)->summary, "\\'", "\\", out);
        buf_addz(out, "'\n");
        if ((*commands)->parts)
            write_fish_names((*commands)->parts, (*commands)->name, out);
    }
}

static void write_fish_command(const struct command *command, struct buf *out)
{
    for (const struct command_option *option = command->options; option && option->name; option++) {
        enum offer offer = offer_of(option);

        buf_printf(out, "complete -c scent -n '__scent_at %s' -l %s", command->name, option->name);
        if (option->letter)
            buf_printf(out, " -s %c", option->letter);
        if (offer == OFFER_CHOICES) {
            buf_addz(out, " -x -a '");
            write_choices(option, out);
            buf_addc(out, '\'');
        } else if (offer == OFFER_FOLDERS) {
            buf_addz(out, " -x -a '(__fish_complete_directories)'");
        } else if (option->kind != OPTION_FLAG) {
            buf_addz(out, offer == OFFER_FILES ? " -r" : " -x");
        }
        buf_addz(out, " -d '");
        write_quoted(option->help, "\\'", "\\", out);
        buf_addz(out, "'\n");
    }
}

static void write_fish(const struct command *const *commands, struct buf *out)
{
    buf_addz(out, "# Completions of scent for fish, as 'scent --completion fish' prints them.\n"
                  "function __scent_at # the command line begins with these words\n"
                  "    set -l words (commandline -opc)\n"
                  "    set -e words[1]\n"
                  "    string match -q -- \"$argv *\" \"$words \"\n"
                  "end\n"
                  "function __scent_next # and the next word comes right behind them\n"
                  "    set -l words (commandline -opc)\n"
                  "    set -e words[1]\n"
                  "    test \"$words\" = \"$argv\"\n"
                  "end\n");
    write_fish_names(commands, "", out);
    write_runnable(commands, write_fish_command, out);
}

bool command_completion(const struct command *const *commands, const char *shell, FILE *out)
{
    static const struct {
        const char *name;
        void (*write)(const struct command *const *commands, struct buf *out);
    } shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    struct buf text;
    bool good = false;

    buf_init(&text, 0);
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].write(commands, &text);
            good = !text.failed && fwrite(text.p, 1, text.len, out) == text.len;
        }
    buf_release(&text);
    return good;
}
