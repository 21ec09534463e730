/* index.cdxj against the lines that the page rows give. Both are read once and only summed up; where the sums differ,
 * the lines are laid side by side. */
#include "engine/check_parts.h"

#include "base/file.h"
#include "base/hash.h"
#include "engine/cdxindex.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_TOLD = 20 }; /* differences that are told one by one */

/* Sums do not depend on order, and 128 bits do not meet by chance. */
struct sums {
    uint64_t a, b, count;
};

static void add_line(struct sums *sums, struct str line)
{
    sums->a += hash_str(line, 1);
    sums->b += hash_str(line, 2);
    sums->count++;
}

static bool same_sums(const struct sums *x, const struct sums *y)
{
    return x->a == y->a && x->b == y->b && x->count == y->count;
}

struct summing {
    struct sums sums;
    struct buf line;
};

static scent_status sum_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct summing *summing = ctx;
    scent_status status;

    buf_clear(&summing->line);
    status = cdxindex_add(page, url, &summing->line);
    if (status == SCENT_OK && summing->line.len)
        add_line(&summing->sums, buf_str(&summing->line));
    return status;
}

static scent_status sum_pages(struct check *check, struct sums *out, struct errmsg *err)
{
    struct summing summing = {0};
    scent_status status;

    buf_init(&summing.line, 0);
    status = store_each_page(check->store, 0, sum_page, &summing, err);
    buf_release(&summing.line);
    *out = summing.sums;
    return status;
}

/* The next line with its newline; false at the end. */
static bool read_line(FILE *file, char **line, size_t *room, struct str *out)
{
    ssize_t len = getline(line, room, file);

    *out = (struct str){*line, len > 0 ? (size_t)len : 0};
    return len > 0;
}

static void sum_file(struct check *check, FILE *file, struct sums *out)
{
    char *line = NULL;
    size_t room = 0;
    struct str text;
    struct buf last;
    bool sorted = true;

    *out = (struct sums){0};
    buf_init(&last, 0);
    while (read_line(file, &line, &room, &text)) {
        add_line(out, text);
        if (sorted && str_cmp(buf_str(&last), text) > 0) {
            check_say(check, CHECK_INDEX, CDXINDEX_FILE ": line %" PRIu64 " is not in order", out->count);
            sorted = false;
        }
        buf_clear(&last);
        buf_add(&last, text);
    }
    buf_release(&last);
    free(line);
}

/* ---- what differs ---- */

struct diff {
    struct check *check;
    uint64_t number, told;
};

static void tell(struct diff *diff, const char *what, struct str line)
{
    struct str url = str_sub(line, 0, str_find(line, ' '));

    if (++diff->told > MAX_TOLD)
        return;
    check_say(diff->check, CHECK_INDEX, CDXINDEX_FILE ": line %" PRIu64 ": %s %.*s", diff->number, what, STR_ARG(url));
}

/* Two sorted rows of lines; of a file that is not sorted more may be told than differs. */
static void compare(struct diff *diff, FILE *file, struct str want)
{
    char *line = NULL;
    size_t room = 0;
    struct str have, wanted = STR_NONE;
    bool more = read_line(file, &line, &room, &have);

    diff->number = 1;
    while (more || want.len) {
        size_t end = str_find(want, '\n');
        int order;

        wanted = str_sub(want, 0, end < want.len ? end + 1 : end);
        order = !more ? 1 : !want.len ? -1 : str_cmp(have, wanted);
        if (order < 0)
            tell(diff, "no page has this record:", have);
        else if (order > 0)
            tell(diff, "before it a line is missing:", wanted);
        if (order >= 0)
            want = str_sub(want, wanted.len, want.len);
        if (order <= 0) {
            more = read_line(file, &line, &room, &have);
            diff->number++;
        }
    }
    free(line);
}

static scent_status tell_differences(struct check *check, FILE *file, struct errmsg *err)
{
    struct diff diff = {.check = check};
    struct buf want;
    scent_status status;

    buf_init(&want, 0);
    status = cdxindex_build(check->store, &want, err);
    if (status == SCENT_OK)
        compare(&diff, file, buf_str(&want));
    if (diff.told > MAX_TOLD)
        check_say(check, CHECK_INDEX, CDXINDEX_FILE ": and %" PRIu64 " more", diff.told - MAX_TOLD);
    buf_release(&want);
    return status;
}

scent_status check_index(struct check *check, struct errmsg *err)
{
    char path[4096];
    struct sums have, want;
    FILE *file;
    scent_status status;

    snprintf(path, sizeof path, "%s/" CDXINDEX_FILE, check->options->dir);
    file = fopen(path, "re");
    if (!file) {
        check_say(check, CHECK_INDEX, CDXINDEX_FILE " is missing");
        return SCENT_OK;
    }
    sum_file(check, file, &have);
    status = sum_pages(check, &want, err);
    rewind(file);
    if (status == SCENT_OK && !same_sums(&have, &want))
        status = tell_differences(check, file, err);
    fclose(file);
    return status;
}
