/* The clocks of this machine, and dates for people. */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec ts;

    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static int64_t system_mono(void *ctx)
{
    (void)ctx;
    return read_clock(CLOCK_MONOTONIC);
}

static int64_t system_wall(void *ctx)
{
    (void)ctx;
    return read_clock(CLOCK_REALTIME);
}

const struct clock clock_system = {.mono = system_mono, .wall = system_wall};

int64_t clock_boot(void)
{
    return read_clock(CLOCK_BOOTTIME);
}

int64_t clock_thread_cpu_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void clock_charge_cpu(int64_t *stage, int64_t *since)
{
    int64_t now = clock_thread_cpu_ns();

    *stage += now - *since;
    *since = now;
}

int64_t clock_until(int64_t date, int64_t now, int64_t longest)
{
    return date <= now || date > now + longest ? 0 : date - now;
}

unsigned clock_year(int64_t wall)
{
    time_t seconds = (time_t)(wall / 1000000);
    struct tm tm;

    gmtime_r(&seconds, &tm);
    return (unsigned)tm.tm_year + 1900;
}

void clock_format_iso(int64_t wall, char *out, size_t room)
{
    time_t seconds = (time_t)(wall / 1000000);
    struct tm tm;

    gmtime_r(&seconds, &tm);
    strftime(out, room, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void clock_format_stamp(int64_t wall, char *out, size_t room)
{
    time_t seconds = (time_t)(wall / 1000000);
    char digits[32];
    struct tm tm;

    gmtime_r(&seconds, &tm);
    strftime(digits, sizeof digits, "%Y%m%d%H%M%S", &tm);
    snprintf(out, room, "%s%03u", digits, (unsigned)(wall / 1000 % 1000));
}
