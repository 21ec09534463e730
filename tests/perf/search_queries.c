/* perf_search_queries DIR FILE [-v] - asks the queries of FILE, a line each, and prints what they cost in CPU time.
 *
 * Behind a query may stand a tab and the URL that should come first; then excerpts are not made, and it is printed how
 * often it did, for the first, third, … line (for tuning) and for the others. -v: those that did
 * not come first. */
#include "base/clock.h"
#include "base/file.h"
#include "base/vec.h"
#include "search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

struct bench {
    struct search *search;
    double *costs; /* ms */
    size_t count, room;
    size_t asked[2], first[2], third[2];
    bool verbose;
};

static double cpu_ms(void)
{
    return (double)clock_thread_cpu_ns() / 1e6;
}

static scent_status ask(void *ctx, struct str line, size_t number, struct errmsg *err)
{
    struct bench *bench = ctx;
    size_t tab = str_find(line, '\t'), at = 0, half = number % 2 ? 0 : 1;
    struct search_query query = {.text = str_sub(line, 0, tab), .count = 10, .no_excerpts = tab < line.len};
    struct search_results results;
    struct str url = tab < line.len ? str_sub(line, tab + 1, line.len) : STR("");
    double before = cpu_ms();
    scent_status status = search_query(bench->search, &query, &results, err);

    SCENT_BUG_IF(!vec_reserve(&bench->costs, &bench->room, bench->count + 1, sizeof *bench->costs));
    bench->costs[bench->count++] = cpu_ms() - before;
    while (at < results.count && !str_eq(results.hits[at].url, url))
        at++;
    bench->asked[half]++;
    bench->first[half] += url.len && at == 0 && results.count;
    bench->third[half] += url.len && at < 3 && at < results.count;
    if (bench->verbose && (!url.len || at || !results.count))
        printf("%8.2f ms %4zu of %llu: %.*s -> %.*s\n", bench->costs[bench->count - 1], at + 1,
               (unsigned long long)results.matches, STR_ARG(query.text),
               STR_ARG(results.count ? results.hits[0].title : STR("nothing")));
    search_results_release(&results);
    return status;
}

static int fail(const struct errmsg *err)
{
    fprintf(stderr, "%s\n", err->text);
    return 1;
}

int main(int argc, char **argv)
{
    struct bench bench = {.verbose = argc > 3};
    struct search_progress progress;
    struct errmsg err = {{0}};
    struct log log;
    double began;

    log_init_stderr(&log, LOG_WARN);
    if (argc < 3 || search_open(argv[1], &log, &bench.search, &err) != SCENT_OK)
        return fail(&err);
    began = cpu_ms();
    if (search_update(bench.search, UINT64_MAX, &progress, &err) != SCENT_OK)
        return fail(&err);
    if (progress.added)
        printf("%llu pages indexed, %.2f ms of CPU a page\n", (unsigned long long)progress.added,
               (cpu_ms() - began) / (double)progress.added);
    if (file_each_line(argv[2], SIZE_MAX, ask, &bench, &err) != SCENT_OK)
        return fail(&err);
    qsort(bench.costs, bench.count, sizeof *bench.costs, order_double);
    printf("%llu pages, %zu queries: CPU median %.1f ms, 95%% below %.1f ms, at most %.1f ms\n",
           (unsigned long long)progress.pages, bench.count, bench.costs[bench.count / 2],
           bench.costs[bench.count * 95 / 100], bench.costs[bench.count - 1]);
    for (int half = 0; half < 2 && bench.first[0]; half++)
        printf("%s half: %zu queries, first %.1f%%, among the first three %.1f%%\n", half ? "test" : "tuning",
               bench.asked[half], 100. * (double)bench.first[half] / (double)bench.asked[half],
               100. * (double)bench.third[half] / (double)bench.asked[half]);
    free(bench.costs);
    search_close(bench.search);
    return 0;
}
