/* The seen map as it grows: time to add and to find, the slowest growth, memory.
 *
 *   perf_frontier_seen [ids, 10^7 without]
 *
 * The slowest is the CPU time of 16 adds together, more than that of the slowest single one. */
#include "base/clock.h"
#include "base/hash.h"
#include "frontier/seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCH = 16 };

static double resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long size, resident;

    SCENT_BUG_IF(!file || fscanf(file, "%ld %ld", &size, &resident) != 2);
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static int64_t add_batch(struct seen *seen)
{
    int64_t start = clock_thread_cpu_ns();

    for (int i = 0; i < BATCH; i++) {
        uint32_t id;
        bool is_new;

        SCENT_BUG_IF(seen_add(seen, hash_mix(seen->count, 7), &id, &is_new) != SCENT_OK || !is_new);
    }
    return clock_thread_cpu_ns() - start;
}

static double find_ns(const struct seen *seen, bool known)
{
    int64_t start = clock_thread_cpu_ns();
    uint32_t n = 1000000, found = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t id, key = (uint32_t)(hash_mix(i, 3) % seen->count);

        found += seen_find(seen, hash_mix(known ? key : (uint64_t)key + seen->count, 7), &id);
    }
    SCENT_BUG_IF(found != (known ? n : 0));
    return (double)(clock_thread_cpu_ns() - start) / n;
}

int main(int argc, char **argv)
{
    uint32_t ids = argc > 1 ? (uint32_t)atof(argv[1]) : 10000000, next = 10000;
    double before = resident_bytes();
    int64_t total = 0, slowest = 0;
    struct seen seen;

    seen_init(&seen);
    while (seen.count < ids) {
        int64_t took = add_batch(&seen);

        total += took;
        slowest = took > slowest ? took : slowest;
        if (seen.count < next)
            continue;
        printf("%10u ids  add %4.0f ns  slowest %5.0f us  find known %4.0f ns, unknown %4.0f ns  %5.1f B/id\n",
               seen.count, (double)total / seen.count, (double)slowest / 1e3, find_ns(&seen, true),
               find_ns(&seen, false),
               (resident_bytes() - before) / seen.count);
        fflush(stdout);
        next = seen.count * 10 < ids ? seen.count * 10 : ids;
        slowest = 0;
    }
    seen_release(&seen);
    return 0;
}
