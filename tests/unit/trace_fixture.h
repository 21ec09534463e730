/* For the tests of trace: a trace made of the text of a log. */
#ifndef SCENT_TESTS_TRACE_FIXTURE_H
#define SCENT_TESTS_TRACE_FIXTURE_H

#include "test.h"

#include "base/file.h"
#include "trace/trace_parts.h"
#include "trace/trace.h"

static inline struct trace_options keeping_users(void)
{
    struct trace_options options = trace_options_default();

    options.keep_users = true;
    return options;
}

static inline struct trace *trace_of_bytes(struct str bytes, struct trace_options options)
{
    char *dir = test_make_dir(), path[512];
    struct trace *trace;
    struct errmsg err;
    struct log log;

    snprintf(path, sizeof path, "%s/log", dir);
    log_init_stderr(&log, LOG_ERROR);
    assert_ok(file_replace(path, bytes, &err), err);
    assert_ok(trace_import((const char *[]){path}, 1, &options, &log, &trace, &err), err);
    test_remove_dir(dir);
    return trace;
}

static inline struct trace *trace_of_text(const char *text, struct trace_options options)
{
    return trace_of_bytes(str_of(text), options);
}

#endif
