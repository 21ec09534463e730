/* command_help - what the tables of commands and options say to people: --help, and the parts of the manual. */
#include "app/command.h"

#include "base/buf.h"

#include <ctype.h>
#include <stdlib.h>

enum { WIDTH = 80, HELP_COLUMN = 27 };

/* ---- words in lines ---- */

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

/* The help of an option with its default. */
static const char *full_help(const struct command_option *option, char *room, size_t size)
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

/* "TOPIC.yaml -o FILE [options]" */
static void write_usage(const struct command *command, struct buf *out)
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
    len = fprintf(out, "  %s --%s%s%s", option->letter ? letter : "   ", option->name, option->value ? " " : "",
                  option->value ? option->value : "");
    len -= option->value ? (int)(strlen(option->value) - columns_of(str_of(option->value))) : 0;
    if (len >= HELP_COLUMN)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(out, "%*s", HELP_COLUMN - len, "");
    print_wrapped(out, full_help(option, room, sizeof room), HELP_COLUMN, HELP_COLUMN);
}

static void print_part(const struct command *part, FILE *out)
{
    struct buf usage;

    buf_init(&usage, 0);
    buf_printf(&usage, "  %s", strchr(part->name, ' ') + 1);
    write_usage(part, &usage);
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

void command_help(const struct command *command, FILE *out)
{
    struct str examples = str_of(command->example), line;
    struct buf usage;

    buf_init(&usage, 0);
    write_usage(command, &usage);
    fprintf(out, "usage: scent %s%s\n\n", command->name, command->parts ? " COMMAND …" : buf_z(&usage));
    buf_release(&usage);
    buf_printf(&usage, "%s.", command->summary);
    print_wrapped(out, buf_z(&usage), 0, 0);
    buf_release(&usage);
    if (command->options || command->parts)
        fputc('\n', out);
    for (const struct command_option *option = command->options; option && option->name; option++)
        print_option(option, out);
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
    if (command->exits) {
        fputs("\nExit status: ", out);
        print_wrapped(out, command->exits, 13, 0);
    }
}

/* ---- the manual, in scdoc's language ---- */

static void write_escaped(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\_*~`", *text))
            buf_addc(out, '\\');
        buf_addc(out, *text);
    }
}

static void write_option(const struct command_option *option, struct buf *out)
{
    char room[400];
    const char *help = full_help(option, room, sizeof room);
    size_t end;

    if (option->letter)
        buf_printf(out, "*-%c*, ", option->letter);
    buf_printf(out, "*--%s*", option->name);
    if (option->value) {
        buf_addz(out, " _");
        write_escaped(out, option->value);
        buf_addc(out, '_');
    }
    buf_addz(out, "\n\t");
    end = out->len;
    write_escaped(out, help);
    if (!out->failed)
        out->p[end] = (char)toupper((unsigned char)out->p[end]);
    buf_addz(out, ".");
    if (option->manual) {
        buf_addc(out, ' ');
        write_escaped(out, option->manual);
    }
    buf_addz(out, "\n\n");
}

static void write_synopsis(const struct command *const *commands, struct buf *out)
{
    for (; *commands; commands++) {
        struct buf usage;

        if ((*commands)->parts) {
            write_synopsis((*commands)->parts, out);
            continue;
        }
        buf_init(&usage, 0);
        write_usage(*commands, &usage);
        buf_printf(out, "*scent %s*", (*commands)->name);
        write_escaped(out, buf_z(&usage));
        buf_addz(out, "++\n");
        buf_release(&usage);
    }
}

/* By its full name, among those that have no parts. */
static const struct command *find_command(const struct command *const *commands, struct str name)
{
    for (; *commands; commands++) {
        const struct command *found = (*commands)->parts ? find_command((*commands)->parts, name) : NULL;

        if (found || str_eq(str_of((*commands)->name), name))
            return found ? found : *commands;
    }
    return NULL;
}

static void write_options(const struct command *command, struct buf *out)
{
    for (const struct command_option *option = command->options; option && option->name; option++)
        write_option(option, out);
    if (command->exits) {
        buf_addz(out, "Exit status: ");
        write_escaped(out, command->exits);
        buf_addz(out, "\n");
    }
}

static bool has_all(const struct command *const *commands, const char *source)
{
    bool all = true;

    for (; *commands; commands++) {
        char line[64];

        snprintf(line, sizeof line, "\n@options %s\n", (*commands)->name);
        if ((*commands)->parts)
            all &= has_all((*commands)->parts, source);
        else if (!strstr(source, line))
            all = fprintf(stderr, "scent: the manual lacks '@options %s'\n", (*commands)->name) < 0;
    }
    return all;
}

bool command_manual(const struct command *const *commands, FILE *in, FILE *out)
{
    struct buf source, text;
    struct str rest, line;
    char block[4096];
    size_t got;
    bool good;

    buf_init(&source, 0);
    buf_init(&text, 0);
    while ((got = fread(block, 1, sizeof block, in)) > 0)
        buf_add(&source, (struct str){block, got});
    good = has_all(commands, buf_z(&source));
    for (rest = buf_str(&source); str_split(&rest, '\n', &line);) {
        if (str_eq(line, STR("@synopsis"))) {
            write_synopsis(commands, &text);
            text.len -= text.failed ? 0 : strlen("++\n"); /* scdoc refuses a line break before an empty line */
        } else if (str_starts(line, STR("@options "))) {
            const struct command *command = find_command(commands, str_sub(line, strlen("@options "), line.len));

            if (command)
                write_options(command, &text);
            else
                good = fprintf(stderr, "scent: the manual has '%.*s', which is not a command\n", STR_ARG(line)) < 0;
        } else {
            buf_add(&text, line);
        }
        buf_addc(&text, '\n');
    }
    fwrite(text.p, 1, text.len, out);
    good &= !text.failed && !source.failed;
    buf_release(&source);
    buf_release(&text);
    return good;
}
