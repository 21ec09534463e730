#include "app/browsecommands.h"
#include "base/clock.h"
#include "json/json.h"

#include <inttypes.h>

enum { DATE_ROOM = 32 };

void browse_info_print(const struct browsing *browsing, FILE *out)
{
    struct browsing_size size = browsing_size(browsing);
    char first[DATE_ROOM], last[DATE_ROOM];

    fprintf(out, "visits    %" PRIu32 ", of %" PRIu32 " it is known from which page\npages     %" PRIu32
            "\nuseful    %" PRIu32, size.visits, size.linked, size.pages, size.useful);
    if (size.only_marked)
        fprintf(out, ", %" PRIu32 " without a visit", size.only_marked);
    fputs("\n", out);
    if (!size.first)
        return;
    clock_format_iso(size.first, first, sizeof first);
    clock_format_iso(size.last, last, sizeof last);
    fprintf(out, "time      %s to %s\n", first, last);
}

static void write_date(struct json_writer *w, const char *key, int64_t time)
{
    char date[DATE_ROOM];

    clock_format_iso(time, date, sizeof date);
    json_key(w, key);
    if (time)
        json_str(w, str_of(date));
    else
        json_none(w);
}

static void print_json(const struct browsing *browsing)
{
    struct browsing_size size = browsing_size(browsing);
    struct json_writer w;
    struct buf out;

    buf_init(&out, 0);
    json_writer_init(&w, &out);
    json_object_begin(&w);
    json_put_int(&w, "visits", size.visits);
    json_put_int(&w, "linked", size.linked);
    json_put_int(&w, "pages", size.pages);
    json_put_int(&w, "useful", size.useful);
    json_put_int(&w, "useful_without_visit", size.only_marked);
    write_date(&w, "first", size.first);
    write_date(&w, "last", size.last);
    json_object_end(&w);
    puts(buf_z(&out));
    buf_release(&out);
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    int code;
    struct browsing *browsing;
    struct errmsg err = {0};
    bool json = false;
    scent_status status;
    struct log log;

    code = command_options(&browse_info_command, argc, argv, ":h", longs, command_switch, &json);
    if (code >= 0)
        return code;
    if (optind == argc)
        return command_misuse(&browse_info_command, "give browsing files");
    log_init_stderr(&log, LOG_INFO);
    status = browsing_load((const char *const *)argv + optind, (size_t)(argc - optind), &log, &browsing, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    if (json)
        print_json(browsing);
    else
        browse_info_print(browsing, stdout);
    browsing_free(browsing);
    return EXIT_DONE;
}

const struct command browse_info_command = {
    .name = "browse info",
    .usage = "FILE… [--json]",
    .summary = "Tells what browsing files hold together: visits, pages, useful pages, the time",
    .help = "      --json              as one JSON object\n",
    .run = run,
};
