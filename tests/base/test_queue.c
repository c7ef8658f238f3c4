/* Units of engine/base/queue.c: order, bounds, rounds of tasks, and ends of waiting. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/base/queue.h"

#define ITEMS 400
#define WORKERS 4

/* An item of some rounds, whose tasks are counted. */
typedef struct {
    int number, rounds;
    atomic_int tasks, under_way;
} item;

static int rounds_of(int number) {
    return number % 4;
}

static size_t advance(void *user, void *given, size_t *bytes) {
    item *it = given;
    (void)user;
    assert_int_equal(atomic_load(&it->under_way), 0);
    *bytes = 10;
    return it->rounds < rounds_of(it->number) ? (size_t)(1 + it->number % 3) + (size_t)(++it->rounds) : 0;
}

static void task(void *user, void *given, size_t number) {
    item *it = given;
    (void)user, (void)number;
    atomic_fetch_add(&it->under_way, 1);
    for (volatile int i = 0; i < (it->number * 7919) % 3000; i++)
        ;
    atomic_fetch_add(&it->tasks, 1);
    atomic_fetch_sub(&it->under_way, 1);
}

static void *work(void *queue) {
    static const drt_queue_work_fn functions = {advance, task};
    drt_queue_work(queue, &functions, NULL);
    return NULL;
}

typedef struct {
    drt_queue *queue;
    item *items;
} producer;

static void *produce(void *user) {
    producer *p = user;
    for (int i = 0; i < ITEMS; i++) {
        p->items[i].number = i;
        assert_int_equal(drt_queue_put(p->queue, &p->items[i], (size_t)(i % 50), i % 5 == 0, -1), DRT_QUEUE_ITEM);
    }
    drt_queue_end(p->queue);
    return NULL;
}

static void items_leave_in_order_when_all_their_tasks_are_done(void **state) {
    (void)state;
    producer p = {drt_queue_new(16, 300), calloc(ITEMS, sizeof *p.items)};
    pthread_t producing, working[WORKERS];
    void *taken;
    assert_true(p.queue && p.items);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&working[i], NULL, work, p.queue), 0);
    assert_int_equal(pthread_create(&producing, NULL, produce, &p), 0);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(drt_queue_take(p.queue, -1, &taken), DRT_QUEUE_ITEM);
        const item *it = taken;
        assert_int_equal(it->number, i);
        int tasks = 0;
        for (int round = 1; i % 5 != 0 && round <= rounds_of(i); round++)
            tasks += 1 + i % 3 + round;
        assert_int_equal(it->tasks, tasks);
    }
    assert_int_equal(drt_queue_take(p.queue, -1, &taken), DRT_QUEUE_ENDED);
    pthread_join(producing, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(working[i], NULL);
    drt_queue_free(p.queue);
    free(p.items);
}

static void bounds_hold_but_for_a_single_large_item(void **state) {
    (void)state;
    int a, b;
    void *taken;
    drt_queue *queue = drt_queue_new(3, 100);
    assert_int_equal(drt_queue_put(queue, &a, 1000, true, -1), DRT_QUEUE_ITEM); /* alone */
    assert_int_equal(drt_queue_put(queue, &b, 1, true, 1), DRT_QUEUE_WAITING);
    assert_int_equal(drt_queue_take(queue, -1, &taken), DRT_QUEUE_ITEM);
    assert_ptr_equal(taken, &a);
    assert_int_equal(drt_queue_put(queue, &b, 60, true, 1), DRT_QUEUE_ITEM);
    assert_int_equal(drt_queue_put(queue, &b, 41, true, 1), DRT_QUEUE_WAITING);
    assert_int_equal(drt_queue_put(queue, &b, 40, true, 1), DRT_QUEUE_ITEM);
    assert_int_equal(drt_queue_put(queue, &b, 0, true, 1), DRT_QUEUE_ITEM);
    assert_int_equal(drt_queue_put(queue, &b, 0, true, 1), DRT_QUEUE_WAITING); /* a fourth */
    drt_queue_close(queue);
    assert_int_equal(drt_queue_take(queue, -1, &taken), DRT_QUEUE_ENDED);
    for (int i = 0; i < 3; i++)
        assert_ptr_equal(drt_queue_remove(queue), &b);
    assert_null(drt_queue_remove(queue));
    drt_queue_free(queue);
}

static void an_item_that_is_not_ready_is_waited_for(void **state) {
    (void)state;
    int a;
    void *taken = NULL;
    drt_queue *queue = drt_queue_new(3, 100);
    assert_int_equal(drt_queue_take(queue, 1, &taken), DRT_QUEUE_WAITING);
    assert_int_equal(drt_queue_put(queue, &a, 1, false, -1), DRT_QUEUE_ITEM);
    drt_queue_end(queue);
    assert_int_equal(drt_queue_take(queue, 1, &taken), DRT_QUEUE_WAITING);
    assert_null(taken);
    drt_queue_close(queue);
    assert_ptr_equal(drt_queue_remove(queue), &a);
    drt_queue_free(queue);
}

static void *put_two(void *queue) {
    static int item_of_it;
    drt_queue_put(queue, &item_of_it, 1, true, -1);
    return (void *)(intptr_t)drt_queue_put(queue, &item_of_it, 1, true, -1);
}

static void *take_two(void *queue) {
    void *taken;
    drt_queue_take(queue, -1, &taken);
    return (void *)(intptr_t)drt_queue_take(queue, -1, &taken);
}

static void closing_ends_all_waiting(void **state) {
    (void)state;
    pthread_t threads[3];
    void *answers[3];
    drt_queue *full = drt_queue_new(1, 100), *empty = drt_queue_new(1, 100);
    int a;
    assert_int_equal(drt_queue_put(empty, &a, 1, true, -1), DRT_QUEUE_ITEM);
    assert_int_equal(pthread_create(&threads[0], NULL, put_two, full), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, take_two, empty), 0);
    assert_int_equal(pthread_create(&threads[2], NULL, work, full), 0);
    drt_queue_close(full);
    drt_queue_close(empty);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], &answers[i]);
    assert_int_equal((intptr_t)answers[0], DRT_QUEUE_ENDED);
    assert_int_equal((intptr_t)answers[1], DRT_QUEUE_ENDED);
    while (drt_queue_remove(full))
        ;
    while (drt_queue_remove(empty))
        ;
    drt_queue_free(full);
    drt_queue_free(empty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_leave_in_order_when_all_their_tasks_are_done),
        cmocka_unit_test(bounds_hold_but_for_a_single_large_item),
        cmocka_unit_test(an_item_that_is_not_ready_is_waited_for),
        cmocka_unit_test(closing_ends_all_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
