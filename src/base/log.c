/* Lines for a person, with what a terminal would obey made visible. */
#include "base/log.h"

#include "base/clock.h"
#include "base/str.h"

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

/* A terminal must not obey what a server sent. */
void log_printable(const char *raw, char *out, size_t room)
{
    struct str rest = str_of(raw);
    size_t n = 0;

    while (rest.len && n + 5 < room) {
        size_t len = utf8_sequence(rest);
        unsigned char c = (unsigned char)rest.p[0];
        bool is_control = c < 0x20 || c == 0x7F || (c == 0xC2 && len == 2 && (unsigned char)rest.p[1] < 0xA0);

        if (is_control || !len) {
            n += (size_t)snprintf(out + n, room - n, "\\x%02x", c);
            len = 1;
        } else {
            memcpy(out + n, rest.p, len);
            n += len;
        }
        rest = str_sub(rest, len, rest.len);
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
    log_printable(raw, line, sizeof line);
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
