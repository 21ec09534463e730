/* exchanges - a list of exchanges that wait for something; an exchange is in one list at most. */
#ifndef SCENT_FETCH_EXCHANGES_H
#define SCENT_FETCH_EXCHANGES_H

#include "fetch/fetch.h"

struct exchanges {
    struct fetch_exchange *first, *last;
};

static inline void exchanges_append(struct exchanges *list, struct fetch_exchange *exchange)
{
    exchange->next = NULL;
    if (list->last)
        list->last->next = exchange;
    else
        list->first = exchange;
    list->last = exchange;
}

static inline void exchanges_prepend(struct exchanges *list, struct fetch_exchange *exchange)
{
    exchange->next = list->first;
    list->first = exchange;
    if (!list->last)
        list->last = exchange;
}

static inline struct fetch_exchange *exchanges_take(struct exchanges *list)
{
    struct fetch_exchange *exchange = list->first;

    if (!exchange)
        return NULL;
    list->first = exchange->next;
    if (!list->first)
        list->last = NULL;
    exchange->next = NULL;
    return exchange;
}

/* `more` is empty after this. */
static inline void exchanges_append_all(struct exchanges *list, struct exchanges *more)
{
    if (!more->first)
        return;
    if (list->last)
        list->last->next = more->first;
    else
        list->first = more->first;
    list->last = more->last;
    *more = (struct exchanges){0};
}

#endif
