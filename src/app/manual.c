/* manual - pages of the manual in the language of scdoc: man/scent.1.scd, with what the tables of commands say. */
#include "app/command.h"
#include "base/buf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
    const char *help = command_option_help(option, room, sizeof room);
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
        command_usage(*commands, &usage);
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

/* Copies lines of the source, with @synopsis and @options replaced. False: one names no command. */
static bool write_lines(const struct command *const *commands, struct str source, struct buf *out)
{
    struct str line;
    bool good = true;

    while (str_split(&source, '\n', &line)) {
        if (str_eq(line, STR("@synopsis"))) {
            write_synopsis(commands, out);
            out->len -= out->failed ? 0 : strlen("++\n"); /* scdoc refuses a line break before an empty line */
        } else if (str_starts(line, STR("@options "))) {
            const struct command *command = find_command(commands, str_sub(line, strlen("@options "), line.len));

            if (command)
                write_options(command, out);
            else
                good = fprintf(stderr, "scent: the manual has '%.*s', which is not a command\n", STR_ARG(line)) < 0;
        } else {
            buf_add(out, line);
        }
        buf_addc(out, '\n');
    }
    return good;
}

/* What the source says under "## NAME" up to the next heading. */
static struct str section_of(const char *source, const char *name)
{
    char heading[64];
    const char *start, *end;
    size_t len;

    snprintf(heading, sizeof heading, "\n## %s\n", name);
    start = strstr(source, heading);
    if (!start)
        return (struct str){0};
    start += strlen(heading);
    end = strstr(start, "\n#");
    len = end ? (size_t)(end - start) + 1 : strlen(start);
    return (struct str){start, len};
}

static void write_examples(const struct command *command, struct buf *out)
{
    struct str rest = str_of(command->example ? command->example : ""), line;

    while (str_split(&rest, '\n', &line)) {
        char *copy = str_dup(line);

        SCENT_BUG_IF(!copy);
        buf_addc(out, '\t');
        write_escaped(out, copy);
        buf_addz(out, rest.len ? "++\n" : "\n\n");
        free(copy);
    }
}

/* A page of its own for one command: what the manual and the tables say of it and its parts. */
static bool write_page(const struct command *command, const char *source, struct buf *out)
{
    const struct command *const alone[] = {command, NULL};
    const struct command *const *parts = command->parts ? command->parts : alone;
    bool good = true;

    buf_printf(out, "scent-%s(1)\n\n# NAME\n\nscent-%s - ", command->name, command->name);
    write_escaped(out, command->summary);
    buf_addz(out, "\n\n# SYNOPSIS\n\n");
    good &= write_lines(alone, STR("@synopsis\n"), out);
    buf_addz(out, "\n# DESCRIPTION\n\n");
    for (size_t i = 0; parts[i]; i++) {
        if (command->parts)
            buf_printf(out, "## scent %s\n\n", parts[i]->name);
        good &= write_lines(alone, section_of(source, parts[i]->name), out);
    }
    buf_addz(out, "# EXAMPLES\n\n");
    write_examples(command, out);
    for (size_t i = 0; command->parts && parts[i]; i++)
        write_examples(parts[i], out);
    buf_addz(out, "# SEE ALSO\n\n*scent*(1)\n");
    return good;
}

bool command_manual(const struct command *const *commands, const char *name, FILE *in, FILE *out)
{
    struct buf source, text;
    char block[4096];
    size_t got;
    bool good;

    buf_init(&source, 0);
    buf_init(&text, 0);
    while ((got = fread(block, 1, sizeof block, in)) > 0)
        buf_add(&source, (struct str){block, got});
    good = has_all(commands, buf_z(&source));
    while (name && *commands && strcmp((*commands)->name, name) != 0)
        commands++;
    if (!name)
        good &= write_lines(commands, buf_str(&source), &text);
    else if (*commands)
        good &= write_page(*commands, buf_z(&source), &text);
    else
        good = fprintf(stderr, "scent: no command '%s' for a page of the manual\n", name) < 0;
    fwrite(buf_z(&text), 1, text.len, out);
    good &= !text.failed && !source.failed;
    buf_release(&source);
    buf_release(&text);
    return good;
}
