/* foreign - reads the SQLite database of another program, which may have it open and locked.
 *
 * What is read is a copy of its files (the write-ahead log and the journal too) in a folder that only this user can
 * look into. The copy loses its name as soon as it is open: nothing of it stays behind, however the process ends. The
 * database is not trusted: its schema runs no functions; its size, its values and the work of all queries are capped.
 * Owner: whoever opened it. One thread. */
#ifndef SCENT_STORE_FOREIGN_H
#define SCENT_STORE_FOREIGN_H

#include "base/status.h"
#include "base/str.h"

struct foreign;
/* SCENT_E_NOTFOUND: no such file. SCENT_E_FORMAT: no SQLite database, or a damaged one. SCENT_E_LOCKED: it was
 * written to each time that it was copied. SCENT_E_LIMIT: a file of it has more than
 * 1 GiB. SCENT_E_FULL: no room in $TMPDIR. */
SCENT_NODISCARD scent_status foreign_open(const char *path, struct foreign **out, struct errmsg *err);
void foreign_close(struct foreign *foreign); /* NULL is fine */

/* Is there such a table (no view) with such a column? */
bool foreign_has(struct foreign *foreign, const char *table, const char *column);

struct foreign_row;
struct str foreign_text(const struct foreign_row *row, int column); /* until the next row; empty for NULL */
int64_t foreign_int(const struct foreign_row *row, int column);     /* 0 for NULL */

/* Calls `take` for each row; what it returns other than SCENT_OK ends the query. `parameter` is bound to ?1 where it is
 * not NULL. */
typedef scent_status foreign_take(void *ctx, const struct foreign_row *row, struct errmsg *err);
SCENT_NODISCARD scent_status foreign_query(struct foreign *foreign, const char *sql, const char *parameter,
                                           foreign_take *take, void *ctx, struct errmsg *err);

#endif
