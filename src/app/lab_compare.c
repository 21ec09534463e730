#include "app/labcommands.h"
#include "lab/compare.h"

#include <stdio.h>

enum form { FORM_TABLE, FORM_CSV, FORM_JSON };

static scent_status show(char *const *dirs, size_t count, enum form form, struct errmsg *err)
{
    struct compare *compare;
    struct buf out, remarks;
    scent_status status = compare_open(dirs, count, &compare, err);

    if (status != SCENT_OK)
        return status;
    buf_init(&out, 0);
    buf_init(&remarks, 0);
    compare_remarks(compare, &remarks);
    if (form == FORM_CSV)
        compare_write_csv(compare, &out);
    else if (form == FORM_JSON)
        compare_write_json(compare, &out);
    else
        compare_write_table(compare, &out);
    fwrite(remarks.p, 1, remarks.len, stderr);
    fwrite(out.p, 1, out.len, stdout);
    if (out.failed)
        status = errmsg_fail(err, SCENT_E_NOMEM, "no memory for the comparison");
    else if (fflush(stdout) != 0)
        status = errmsg_fail(err, SCENT_E_IO, "the comparison cannot be written");
    buf_release(&out);
    buf_release(&remarks);
    compare_free(compare);
    return status;
}

static bool take_option(int option, void *form)
{
    *(enum form *)form = option == 'c' ? FORM_CSV : FORM_JSON;
    return true;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"csv", no_argument, NULL, 'c'}, {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    enum form form = FORM_TABLE;
    struct errmsg err = {0};
    int code;
    scent_status status;

    code = command_options(&lab_compare_command, argc, argv, ":h", longs, take_option, &form);
    if (code >= 0)
        return code;
    if (optind >= argc)
        return command_misuse(&lab_compare_command, "give folders that 'scent lab run' has finished");
    status = show(argv + optind, (size_t)(argc - optind), form, &err);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

const struct command lab_compare_command = {
    .name = "lab compare",
    .usage = "DIR… [--csv | --json]",
    .summary = "Puts the results of several experiments side by side",
    .help = "Every strategy of every folder is compared with the baseline of the first one, over the topics that both have.\n"
            "Where folders differ in collection, topics or numbers, stderr says so.\n\n"
            "      --csv               all measures at all common points, for a spreadsheet\n"
            "      --json              the same, one object a line\n",
    .main = run,
};
