/* kill -9 at a random moment of writing, then reopen: a committed batch is there whole, another not at all. */
#include "store/store.h"

#include "base/rng.h"
#include "test.h"

#include <signal.h>
#include <sys/wait.h>

enum { ROUNDS = 20, BATCH = 50 };

static struct errmsg err;

/* Batch n: the urls [n * BATCH, (n + 1) * BATCH), a page and a link for each, and the value "batches". */
static scent_status write_batch(struct store *store, uint32_t n)
{
    scent_status status = store_begin(store, &err);
    char text[32];

    for (uint32_t i = n * BATCH; status == SCENT_OK && i < (n + 1) * BATCH; i++) {
        struct store_url url = {.id = i, .url = STR("http://a.test/some/page"), .state = STORE_FETCHED};
        struct store_page page = {.number = i + 1, .url = i, .counted = true};
        struct store_link link = {.page = i + 1, .target = i};

        status = store_add_url(store, &url, &err);
        if (status == SCENT_OK)
            status = store_add_page(store, &page, &err);
        if (status == SCENT_OK)
            status = store_add_links(store, &link, 1, &err);
    }
    snprintf(text, sizeof text, "%u", n + 1);
    if (status == SCENT_OK)
        status = store_set(store, "batches", str_of(text), &err);
    return status == SCENT_OK ? store_commit(store, &err) : status;
}

/* The child: writes for ever, and tells each commit. */
static void write_batches(const char *dir, uint32_t from, int report)
{
    struct store *store;

    if (store_open(dir, STORE_WRITE, &store, &err) != SCENT_OK)
        _exit(1);
    for (uint32_t n = from; write_batch(store, n) == SCENT_OK; n++)
        if (write(report, &n, sizeof n) != sizeof n)
            _exit(1);
    _exit(1);
}

/* How many batches the database holds; it must hold them whole. */
static uint32_t count_batches(const char *dir)
{
    struct store *store;
    struct store_counts counts;
    struct buf text;
    scent_status status;
    uint64_t batches = 0;

    buf_init(&text, 64);
    assert_ok(store_open(dir, STORE_WRITE, &store, &err), err);
    assert_ok(store_count(store, &counts, &err), err);
    status = store_get(store, "batches", &text, &err);
    if (status != SCENT_E_NOTFOUND) {
        assert_ok(status, err);
        assert_true(str_parse_u64(buf_str(&text), &batches));
    }
    assert_int_equal(counts.urls[STORE_FETCHED], batches * BATCH);
    assert_int_equal(counts.pages, batches * BATCH);
    assert_int_equal(counts.links, batches * BATCH);
    store_close(store);
    buf_release(&text);
    return (uint32_t)batches;
}

/* Returns how many batches were there when the child died. */
static uint32_t kill_one(const char *dir, uint32_t from, unsigned usec)
{
    uint32_t told = from, n;
    int report[2], status;
    pid_t child;

    assert_int_equal(pipe(report), 0);
    child = fork();
    if (child == 0)
        write_batches(dir, from, report[1]);
    close(report[1]);
    usleep(usec);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* it did not end by itself */
    while (read(report[0], &n, sizeof n) == sizeof n)
        told = n + 1;
    close(report[0]);
    return told;
}

static void batches_are_whole(void **state)
{
    char *dir = test_make_dir();
    uint32_t batches = 0;
    struct rng rng;

    (void)state;
    rng_seed(&rng, rng_entropy());
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t told = kill_one(dir, batches, (unsigned)rng_below(&rng, 60000)), found = count_batches(dir);

        /* The last commit may have happened without being told. */
        assert_true(found == told || found == told + 1);
        batches = found;
    }
    assert_true(batches > 0);
    test_remove_dir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(batches_are_whole)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
