/* clock - time is injected, so that a run can be repeated.
 *
 * `mono` never jumps and orders what happens in this process; `wall` is the date, for records. Both
 * count microseconds. */
#ifndef SCENT_BASE_CLOCK_H
#define SCENT_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct clock {
    int64_t (*mono)(void *ctx);
    int64_t (*wall)(void *ctx); /* since 1970 */
    void *ctx;
};

extern const struct clock clock_system;

static inline int64_t clock_mono(const struct clock *clock)
{
    return clock->mono(clock->ctx);
}

static inline int64_t clock_wall(const struct clock *clock)
{
    return clock->wall(clock->ctx);
}

/* CLOCK_BOOTTIME: as mono of this machine, but time during which it sleeps counts. */
int64_t clock_boot(void);

/* CPU time of the calling thread so far, in nanoseconds; for `make bench`. */
int64_t clock_thread_cpu_ns(void);
/* Adds what the thread has used since *since to *stage, and moves *since on. */
void clock_charge_cpu(int64_t *stage, int64_t *since);

/* How long it is until `date`, on a wall clock that may have been set since the date was written: 0 when it is over,
 * and when it lies further ahead than `longest`, as no date does that this clock would have given. */
int64_t clock_until(int64_t date, int64_t now, int64_t longest);

unsigned clock_year(int64_t wall); /* UTC */
/* "2026-11-15T08:58:00Z"; `out` holds at least 21 bytes. */
void clock_format_iso(int64_t wall, char *out, size_t room);
/* The same as 17 digits, down to milliseconds, for names of files: they sort by time. */
void clock_format_stamp(int64_t wall, char *out, size_t room);

#endif
