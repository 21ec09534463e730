/* cmd_control - `scent control`: watches and steers a crawl that runs, by the socket in its directory. */
#include "app/command.h"
#include "app/output.h"
#include "crawldir/control.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum values { NO_VALUE, KEYS, URLS, HOST, MARK, URL };

static const struct {
    const char *name;
    enum values values;
    const char *expected;
} requests[] = {
    {"status", NO_VALUE, ""},    {"watch", NO_VALUE, ""},      {"pause", NO_VALUE, ""},
    {"resume", NO_VALUE, ""},    {"stop", NO_VALUE, ""},       {"set", KEYS, " KEY=VALUE…"},
    {"add", URLS, " URL…"},      {"block", HOST, " HOST"},     {"unblock", HOST, " HOST"},
    {"mark", MARK, " URL yes|no"}, {"unmark", URL, " URL"},
};
enum { NREQUESTS = sizeof requests / sizeof *requests };

static bool write_settings(struct json_writer *w, char **words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *sign = strchr(words[i], '=');

        if (!sign || sign == words[i])
            return false;
        *sign = 0;
        json_put_str(w, words[i], str_of(sign + 1));
    }
    return count > 0;
}

/* The rest of a request; false: it is not what is expected. */
static bool write_values(struct json_writer *w, enum values values, char **words, size_t count)
{
    switch (values) {
    case NO_VALUE:
        return count == 0;
    case KEYS:
        return write_settings(w, words, count);
    case URLS:
        json_key(w, "urls");
        json_array_begin(w);
        for (size_t i = 0; i < count; i++)
            json_str(w, str_of(words[i]));
        json_array_end(w);
        return count > 0;
    case HOST:
        json_put_str(w, "host", str_of(count ? words[0] : ""));
        return count == 1;
    case MARK:
        if (count != 2 || (strcmp(words[1], "yes") != 0 && strcmp(words[1], "no") != 0))
            return false;
        json_put_bool(w, "relevant", strcmp(words[1], "yes") == 0);
        json_put_str(w, "url", str_of(words[0]));
        return true;
    case URL:
        json_put_str(w, "url", str_of(count ? words[0] : ""));
        return count == 1;
    }
    return false;
}

/* Whoever answers is not known: the directory may be anybody's. */
static void print_line(const struct buf *line)
{
    FILE *out = output_plain(stdout);

    fprintf(out, "%.*s\n", STR_ARG(buf_str(line)));
    fclose(out);
    fflush(stdout);
}

/* The exit status that the answer stands for. */
static int judge_answer(const struct buf *line)
{
    struct json *answer = NULL;
    struct errmsg err = {0};
    int code = EXIT_DONE;

    if (json_parse(buf_str(line), &answer, &err) != SCENT_OK)
        return command_fail(SCENT_E_INVALID, &err);
    if (json_is_str(json_get(answer, "error"))) {
        FILE *out = output_plain(stderr);

        fprintf(out, "scent: %.*s\n", STR_ARG(json_as_str(json_get(answer, "error"))));
        fclose(out);
        code = EXIT_USAGE;
    } else {
        print_line(line);
    }
    json_free(answer);
    return code;
}

static int ask(const char *dir, struct str request, bool watch)
{
    struct buf rest, line;
    struct errmsg err = {0};
    int fd, code = EXIT_DONE;
    scent_status status = control_connect(dir, &fd, &err);

    if (status != SCENT_OK)
        return command_fail(status, &err);
    buf_init(&rest, 0);
    buf_init(&line, 0);
    status = control_send(fd, request, &err);
    do {
        buf_clear(&line);
        if (status == SCENT_OK)
            status = control_receive(fd, &rest, &line, &err);
        if (status == SCENT_OK)
            code = judge_answer(&line);
    } while (watch && status == SCENT_OK && code == EXIT_DONE && !ferror(stdout));
    close(fd);
    buf_release(&rest);
    buf_release(&line);
    if (watch && status == SCENT_E_END)
        return EXIT_DONE;
    return status == SCENT_OK ? code : command_fail(status, &err);
}

static int run_control(const struct command_line *line)
{
    const char *what = line->arguments[1];
    struct json_writer w;
    struct buf request;
    size_t i = 0;
    int code;

    while (i < NREQUESTS && strcmp(requests[i].name, what) != 0)
        i++;
    if (i == NREQUESTS)
        return command_misuse(line->command, "there is no '%s': it is one of status, watch, pause, resume, stop, set, "
                              "add, block, unblock, mark, unmark", what);
    buf_init(&request, 0);
    json_writer_init(&w, &request);
    json_object_begin(&w);
    json_put_str(&w, "do", str_of(what));
    if (!write_values(&w, requests[i].values, line->arguments + 2, line->count - 2)) {
        buf_release(&request);
        return command_misuse(line->command, "expected 'scent control DIR %s%s'", what, requests[i].expected);
    }
    json_object_end(&w);
    code = ask(line->arguments[0], buf_str(&request), strcmp(what, "watch") == 0);
    buf_release(&request);
    return code;
}

const struct command command_control = {
    .name = "control",
    .summary = "Watches and steers a running crawl: pause, stop, limits, seeds, blocked hosts, marks",
    .arguments = "DIR REQUEST [VALUE]…",
    .description =
        "status prints the crawl in numbers as JSON, watch does so every second.\n"
        "pause, resume and stop; a crawl that was paused stays so when it is stopped and begun again.\n"
        "set KEY=VALUE… changes pages, time, depth, per_host, per_domain or delay.\n"
        "add URL… adds seeds. block HOST: neither it nor hosts below it are visited any more; unblock HOST undoes it.\n"
        "mark URL yes|no says whether a page is relevant: it is an example from then on; unmark URL undoes it.\n"
        "All of it is kept: it holds when the crawl resumes.",
    .example = "scent control hockey.crawl set pages=5000 delay=2s\nscent control hockey.crawl block ads.example.org",
    .run = run_control,
};
