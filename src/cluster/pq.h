/* pq - a connection to a PostgreSQL server, through libpq, which is loaded when the first one is opened.
 *
 * A program that never joins a crawl does not load libpq. Results are in the binary format: numbers have their lengths,
 * texts and bytes are themselves. Owner: the caller; thread: one at a time. */
#ifndef SCENT_CLUSTER_PQ_H
#define SCENT_CLUSTER_PQ_H

#include "base/buf.h"
#include "base/status.h"
#include "base/str.h"

#include <stdint.h>

struct pq;
/* Checks what a person wrote, without a connection: SCENT_E_INVALID for what is not a URI, holds a password, or names
 * another machine with less than sslmode=verify-full. SCENT_E_UNSUPPORTED: there is no libpq. `what` is where it was
 * written, for messages ("--join"). */
SCENT_NODISCARD scent_status pq_check(const char *uri, const char *what, struct errmsg *err);
/* SCENT_E_UNSUPPORTED: there is no libpq; the message says how to get it. */
SCENT_NODISCARD scent_status pq_available(struct errmsg *err);
/* SCENT_E_IO: there is no connection; the message is the server's or libpq's. */
SCENT_NODISCARD scent_status pq_open(const char *uri, struct pq **out, struct errmsg *err);
void pq_close(struct pq *pq); /* NULL is fine */
int pq_server_version(const struct pq *pq); /* 150004 */

struct pq_value {
    const char *p; /* NULL: NULL */
    size_t len;
    bool is_bytes; /* a bytea; else a text that the server reads */
};
#define PQ_TEXT(z) ((struct pq_value){.p = (z), .len = 0})
#define PQ_BYTES(s) ((struct pq_value){.p = (s).len ? (s).p : "", .len = (s).len, .is_bytes = true})

/* One statement; *out (may be NULL where no rows are asked for) is the caller's. SCENT_E_IO: the connection broke, the
 * server is going down, or it took too long: whether it was done is not known, and the connection is of no more use.
 * SCENT_E_INVALID: the server refuses it. */
struct pq_rows;
SCENT_NODISCARD scent_status pq_run(struct pq *pq, const char *sql, const struct pq_value *values, int count,
                                    struct pq_rows **out, struct errmsg *err);
void pq_rows_free(struct pq_rows *rows); /* NULL is fine */
int pq_count(const struct pq_rows *rows);
struct str pq_str(const struct pq_rows *rows, int row, int column); /* NULL is an empty one */
/* A whole number of 1 to 8 bytes, or a boolean; NULL is 0. */
uint64_t pq_u64(const struct pq_rows *rows, int row, int column);

#endif
