/* What the files of this module share. */
#ifndef SCENT_STORE_STORE_PARTS_H
#define SCENT_STORE_STORE_PARTS_H

#include "store/schema.h"
#include "store/store.h"

#include <sqlite3.h>

struct store {
    sqlite3 *db;
    char *path; /* of crawl.db */
    int lock;   /* a descriptor; -1 for readers */
    enum store_mode mode;
    sqlite3_stmt *statements[SCHEMA_STATEMENTS]; /* prepared when first used, then kept */
};

/* What the database says about `rc`, as our status and message. */
scent_status store_fail(const struct store *store, int rc, const char *doing, struct errmsg *err);
/* A statement that is ready for its values; NULL on failure. */
SCENT_NODISCARD scent_status store_statement(struct store *store, enum schema_statement which, sqlite3_stmt **out,
                                             struct errmsg *err);
/* False: no word for a state. */
bool store_parse_state(struct str text, enum store_url_state *state);

#endif
