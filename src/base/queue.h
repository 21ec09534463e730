/* queue - a bounded queue of pointers between threads; ownership of an item moves with it.
 *
 * A full queue makes the pusher wait: that is the back pressure. Any thread, any number of them. */
#ifndef SCENT_BASE_QUEUE_H
#define SCENT_BASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queue;
struct queue *queue_new(size_t cap); /* never NULL */
void queue_free(struct queue *queue); /* must be empty and unused; NULL is fine */

/* Waits for room. False when the queue is closed: the item is still the caller's. */
bool queue_push(struct queue *queue, void *item);
/* Waits for an item; NULL when the queue is closed and empty. */
void *queue_pop(struct queue *queue);
/* Waits at most `usec` (0: not at all); NULL when there is none. */
void *queue_pop_for(struct queue *queue, int64_t usec);
/* No more pushes; what is inside can still be taken. Wakes everyone. */
void queue_close(struct queue *queue);
bool queue_is_done(struct queue *queue); /* closed and empty */

#endif
