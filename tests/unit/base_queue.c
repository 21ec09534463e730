/* The bounded queue between threads. */
#include "base/queue.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { PRODUCERS = 3, CONSUMERS = 3, ITEMS = 20000 };

struct traffic {
    struct queue *queue;
    atomic_ullong sum;
    atomic_uint count;
};

static void *produce(void *arg)
{
    struct traffic *traffic = arg;

    for (uintptr_t i = 1; i <= ITEMS; i++)
        if (!queue_push(traffic->queue, (void *)i))
            break;
    return NULL;
}

static void *consume(void *arg)
{
    struct traffic *traffic = arg;
    void *item;

    while ((item = queue_pop(traffic->queue))) {
        atomic_fetch_add(&traffic->sum, (uintptr_t)item);
        atomic_fetch_add(&traffic->count, 1);
    }
    return NULL;
}

static void every_item_arrives_once(void **state)
{
    struct traffic traffic = {.queue = queue_new(8)};
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];

    (void)state;
    for (int i = 0; i < CONSUMERS; i++)
        assert_int_equal(pthread_create(&consumers[i], NULL, consume, &traffic), 0);
    for (int i = 0; i < PRODUCERS; i++)
        assert_int_equal(pthread_create(&producers[i], NULL, produce, &traffic), 0);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    queue_close(traffic.queue);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);
    assert_int_equal(traffic.count, PRODUCERS * ITEMS);
    assert_true(traffic.sum == (unsigned long long)PRODUCERS * ITEMS * (ITEMS + 1) / 2);
    queue_free(traffic.queue);
}

static void items_keep_their_order(void **state)
{
    struct queue *queue = queue_new(3);

    (void)state;
    for (uintptr_t round = 0; round < 10; round++) {
        for (uintptr_t i = 1; i <= 3; i++)
            assert_true(queue_push(queue, (void *)(round * 10 + i)));
        for (uintptr_t i = 1; i <= 3; i++)
            assert_true(queue_pop(queue) == (void *)(round * 10 + i));
    }
    queue_free(queue);
}

static void a_closed_queue_takes_nothing_and_gives_the_rest(void **state)
{
    struct queue *queue = queue_new(4);
    int item;

    (void)state;
    assert_null(queue_pop_for(queue, 0));
    assert_null(queue_pop_for(queue, 1000));
    assert_true(queue_push(queue, &item));
    queue_close(queue);
    assert_false(queue_push(queue, &item));
    assert_false(queue_is_done(queue));
    assert_ptr_equal(queue_pop_for(queue, 1000), &item);
    assert_true(queue_is_done(queue));
    assert_null(queue_pop(queue));
    queue_free(queue);
}

static void *push_one(void *arg)
{
    static int item;

    return queue_push(arg, &item) ? arg : NULL;
}

static void closing_wakes_a_pusher_that_waits(void **state)
{
    struct queue *queue = queue_new(1);
    pthread_t thread;
    void *pushed;
    int item;

    (void)state;
    assert_true(queue_push(queue, &item));
    assert_int_equal(pthread_create(&thread, NULL, push_one, queue), 0);
    queue_close(queue);
    pthread_join(thread, &pushed);
    assert_null(pushed);
    assert_ptr_equal(queue_pop(queue), &item);
    queue_free(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_arrives_once),
        cmocka_unit_test(items_keep_their_order),
        cmocka_unit_test(a_closed_queue_takes_nothing_and_gives_the_rest),
        cmocka_unit_test(closing_wakes_a_pusher_that_waits),
    };

    return cmocka_run_group_tests_name("base/queue", tests, NULL, NULL);
}
