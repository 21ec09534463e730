#include "app/progress.h"

#include <inttypes.h>
#include <stdio.h>

static double per_second(const struct engine_progress *p)
{
    return p->elapsed_us > 0 ? (double)p->new_pages * 1e6 / (double)p->elapsed_us : 0;
}

static double harvest(const struct engine_progress *p)
{
    return p->pages ? 100.0 * (double)p->relevant / (double)p->pages : 0;
}

/* Seconds until the nearer of the two limits; negative: there is none. */
static double time_left(const struct engine_progress *p)
{
    double rate = per_second(p), left = -1;

    if (p->page_limit && rate > 0)
        left = (double)(p->page_limit - p->pages) / rate;
    if (p->time_limit_us) {
        double time = (double)(p->time_limit_us - p->elapsed_us) / 1e6;

        left = left < 0 || time < left ? time : left;
    }
    return left;
}

static void print_time_left(double seconds)
{
    int64_t s = (int64_t)seconds;

    if (seconds < 0)
        return;
    if (s >= 3600)
        fprintf(stderr, "  %" PRId64 "h%02" PRId64 "m left", s / 3600, s / 60 % 60);
    else if (s >= 60)
        fprintf(stderr, "  %" PRId64 "m%02" PRId64 "s left", s / 60, s % 60);
    else
        fprintf(stderr, "  %" PRId64 "s left", s);
}

void progress_show(const struct engine_progress *p)
{
    fprintf(stderr,
            "\r\033[K%" PRIu64 " pages  %" PRIu64 " relevant (%.1f%%)  %.0f pages/s  %" PRIu64 " queued  %" PRIu64
            " in flight  %" PRIu64 " errors",
            p->pages, p->relevant, harvest(p), per_second(p), p->queued, p->in_flight, p->failed);
    print_time_left(time_left(p));
    fflush(stderr);
}

void progress_clear(void)
{
    fputs("\r\033[K", stderr);
}

void progress_summary(const struct engine_report *report, const char *dir)
{
    static const char *const ends[] = {
        [ENGINE_LIMIT] = "the limit is reached",
        [ENGINE_EXHAUSTED] = "no links are left",
        [ENGINE_BELOW] = "it ran out of candidates at or above the threshold",
        [ENGINE_NO_SEED] = "no seed could be fetched",
        [ENGINE_INTERRUPTED] = "interrupted; the same command goes on",
    };
    const struct engine_progress *p = &report->totals;

    fprintf(stderr,
            "%s: %s. %" PRIu64 " pages, %" PRIu64 " relevant (harvest rate %.3f), %" PRIu64 " errors, %" PRIu64
            " URLs known on %" PRIu64 " hosts; %" PRIu64 " pages in %.1f s (%.0f pages/s)\n",
            dir, ends[report->end], p->pages, p->relevant, harvest(p) / 100, p->failed, p->known, p->hosts,
            p->new_pages, (double)p->elapsed_us / 1e6, per_second(p));
    if (p->revisits)
        fprintf(stderr, "%" PRIu64 " pages were visited again, %" PRIu64 " had changed\n", p->revisits, p->changes);
    if (report->below)
        fprintf(stderr, "%" PRIu64 " candidates are below the threshold; with a lower one the same command goes on\n",
                report->below);
    if (report->end == ENGINE_NO_SEED)
        fprintf(stderr, "'scent status %s' lists the reasons\n", dir);
}
