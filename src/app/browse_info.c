#include "app/browsecommands.h"
#include "app/output.h"

#include <inttypes.h>

static struct timespan span_of(const struct browsing_size *size)
{
    return (struct timespan){size->first != 0, size->first, size->last};
}

void browse_info_print(const struct browsing *browsing, FILE *out)
{
    struct browsing_size size = browsing_size(browsing);
    struct timespan span = span_of(&size);

    fprintf(out, "visits    %" PRIu32 ", of %" PRIu32 " it is known from which page\npages     %" PRIu32
            "\nuseful    %" PRIu32, size.visits, size.linked, size.pages, size.useful);
    if (size.only_marked)
        fprintf(out, ", %" PRIu32 " without a visit", size.only_marked);
    fputs("\n", out);
    timespan_print(&span, out);
}

static void print_json(const struct browsing *browsing)
{
    struct browsing_size size = browsing_size(browsing);
    struct timespan span = span_of(&size);
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
    timespan_write(&span, &w);
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
    .main = run,
};
