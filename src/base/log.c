/* Lines for a person, with what a terminal would obey made visible. */
#include "base/log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>

static void to_stderr(void *ctx, enum log_level level, const char *line)
{
    static const char *const prefix[] = {"error: ", "warning: ", "", "debug: "};

    (void)ctx;
    fprintf(stderr, "scent: %s%s\n", prefix[level], line);
}

void log_init_stderr(struct log *log, enum log_level level)
{
    *log = (struct log){.level = level, .sink = to_stderr};
}

/* A terminal must not obey what a server sent. UTF-8 passes, control characters do not. */
static void make_printable(const char *raw, char *out, size_t room)
{
    size_t n = 0;

    for (; *raw && n + 5 < room; raw++) {
        unsigned char c = (unsigned char)*raw;

        if (c < 0x20 || c == 0x7F)
            n += (size_t)snprintf(out + n, room - n, "\\x%02x", c);
        else
            out[n++] = (char)c;
    }
    out[n] = 0;
}

void log_line(const struct log *log, enum log_level level, const char *fmt, ...)
{
    char raw[1024], line[2048];
    va_list args;

    if (!log || level > log->level)
        return;
    va_start(args, fmt);
    vsnprintf(raw, sizeof raw, fmt, args);
    va_end(args);
    make_printable(raw, line, sizeof line);
    log->sink(log->ctx, level, line);
}

bool log_is_due(int64_t *next)
{
    const int64_t pause = 5 * (int64_t)1000000;
    int64_t now = clock_mono(&clock_system);
    bool due = *next && now >= *next;

    if (due || !*next)
        *next = now + pause;
    return due;
}
