/* Any bytes are a log, of whatever format, or nothing: every line is an access or is left out for one reason, and the
 * trace is read back as it was written. The same bytes as a trace file are accepted or refused. */
#include "framed.h"
#include "logged.h"

enum { CHECKSUM_SEED = 0x747263 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_counts(const struct trace *trace)
{
    const struct trace_counts *counts = trace_counts(trace);
    uint64_t lines = trace_size(trace).accesses;

    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        lines += counts->left[i];
    SCENT_BUG_IF(lines != counts->lines);
}

static void check_places(const struct trace *trace)
{
    struct trace_size size = trace_size(trace);
    uint32_t count, all = 0;

    for (uint32_t p = 0; p < size.pages; p++) {
        const uint32_t *at = trace_of_page(trace, p, &count);

        for (uint32_t i = 0; i < count; i++)
            SCENT_BUG_IF(trace_at(trace, at[i])->page != p);
        all += count;
    }
    SCENT_BUG_IF(all != size.accesses);
    for (uint32_t i = 0; i < size.accesses; i++) {
        struct trace_range range = trace_around(trace, i, 2, 2);

        SCENT_BUG_IF(range.begin > i || range.end <= i || range.end - range.begin > 5);
    }
}

static void check_trace(const struct trace *trace)
{
    struct buf bytes, again;
    struct trace *back;
    struct errmsg err;

    check_places(trace);
    buf_init(&bytes, 0);
    buf_init(&again, 0);
    SCENT_BUG_IF(trace_write(trace, &bytes) != SCENT_OK);
    SCENT_BUG_IF(trace_read(buf_str(&bytes), "fuzz", &back, &err) != SCENT_OK);
    SCENT_BUG_IF(trace_write(back, &again) != SCENT_OK || !str_eq(buf_str(&bytes), buf_str(&again)));
    trace_free(back);
    buf_release(&bytes);
    buf_release(&again);
}

static void try_log(const uint8_t *data, size_t len)
{
    struct trace_options options = trace_options_default();
    int fd = logged_open((struct str){(const char *)data, len});

    options.keep_users = true;
    options.base = STR("http://site.test/");
    for (options.format = TRACE_GUESS; options.format <= TRACE_PLAIN; options.format++) {
        struct trace *trace = logged_import(fd, &options);

        check_counts(trace);
        check_trace(trace);
        trace_free(trace);
    }
    close(fd);
}

static void try_file(struct str bytes)
{
    struct trace *trace;
    struct errmsg err;

    if (trace_read(bytes, "fuzz", &trace, &err) != SCENT_OK)
        return;
    check_trace(trace);
    trace_free(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    try_log(data, len);
    framed_try(data, len, CHECKSUM_SEED, try_file);
    return 0;
}
