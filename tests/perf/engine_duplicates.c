/* perf_engine_duplicates [PAGES] - what looking for duplicates costs: one page in ten is near an earlier one. */
#include "base/clock.h"
#include "base/rng.h"
#include "engine/duplicates.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0, ignored;

    if (!file || fscanf(file, "%ld %ld", &ignored, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv)
{
    uint32_t pages = argc > 1 ? (uint32_t)atol(argv[1]) : 1000000, found = 0, page;
    struct duplicates *duplicates = duplicates_new(0);
    double before = resident(), after;
    int64_t start, worst = 0, tenth = 0;
    uint64_t earlier = 1;
    struct rng rng;

    rng_seed(&rng, 1);
    start = clock_thread_cpu_ns();
    for (uint32_t i = 0; i < pages; i++) {
        uint64_t simhash = i % 10 == 9 ? earlier ^ (uint64_t)1 << i % 64 : rng_next(&rng), digest = rng_next(&rng);
        int64_t one = clock_thread_cpu_ns();

        if (i == pages - pages / 10)
            tenth = one;
        if (i % 10 == 0)
            earlier = simhash;
        if (!duplicates_find_exact(duplicates, digest, &page) &&
            duplicates_add_exact(duplicates, digest, i) != SCENT_OK)
            return 1;
        if (duplicates_find_near(duplicates, simhash, 3, &page, NULL))
            found++;
        else if (duplicates_add_near(duplicates, simhash, i) != SCENT_OK)
            return 1;
        one = clock_thread_cpu_ns() - one;
        worst = one > worst ? one : worst;
    }
    after = resident();
    printf("%u pages, %u near: %.0f ns a page, %.0f in the last tenth, worst %.2f ms; resident %.1f bytes a page, stated %.1f\n",
           pages, found, (double)(clock_thread_cpu_ns() - start) / pages,
           (double)(clock_thread_cpu_ns() - tenth) / (pages / 10), (double)worst / 1e6, (after - before) / pages,
           (double)duplicates_bytes(duplicates) / pages + 12);
    duplicates_free(duplicates);
    return 0;
}
