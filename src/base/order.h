/* order - numbers in ascending order, for qsort() and bsearch(). */
#ifndef SCENT_BASE_ORDER_H
#define SCENT_BASE_ORDER_H

int order_u32(const void *a, const void *b);
int order_u64(const void *a, const void *b);
int order_double(const void *a, const void *b); /* none of them a NaN */

#endif
