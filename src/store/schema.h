/* schema - every line of SQL that the store runs.
 *
 * What the tables and views mean is told in docs/internals/formats.md. A change of the schema raises STORE_VERSION and adds a
 * migration from the version before. */
#ifndef SCENT_STORE_SCHEMA_H
#define SCENT_STORE_SCHEMA_H

enum { SCHEMA_APPLICATION_ID = 0x53434E54 }; /* "SCNT" */

enum { SCHEMA_LINKS = 16 }; /* rows of SCHEMA_ADD_LINKS */

enum schema_statement {
    SCHEMA_BEGIN,
    SCHEMA_COMMIT,
    SCHEMA_ADD_HOST,
    SCHEMA_ADD_URL,
    SCHEMA_UPDATE_URL,
    SCHEMA_UPDATE_HOST,
    SCHEMA_ADD_PAGE,
    SCHEMA_ADD_LINK,
    SCHEMA_ADD_LINKS,
    SCHEMA_ADD_EVENT,
    SCHEMA_SET,
    SCHEMA_GET,
    SCHEMA_UNSET,
    SCHEMA_PUT_ROBOTS,
    SCHEMA_EACH_ROBOTS,
    SCHEMA_PUT_DNS,
    SCHEMA_EACH_DNS,
    SCHEMA_PUT_REVISIT,
    SCHEMA_EACH_REVISIT,
    SCHEMA_EACH_DUE,
    SCHEMA_COUNT_REVISITS,
    SCHEMA_FILL_REVISITS,
    SCHEMA_BOUND_REVISITS,
    SCHEMA_REPLACE_PAGE,
    SCHEMA_EACH_HOST,
    SCHEMA_EACH_URL,
    SCHEMA_GET_URL,
    SCHEMA_FIND_URL,
    SCHEMA_EACH_PAGE,
    SCHEMA_EACH_PAGE_OF,
    SCHEMA_EACH_PAGE_IN,
    SCHEMA_EACH_FILE,
    SCHEMA_EACH_LINK,
    SCHEMA_EACH_LINK_TO,
    SCHEMA_EACH_ERROR,
    SCHEMA_COUNT_PAGES,
    SCHEMA_COUNT_URLS,
    SCHEMA_COUNT_REST,
    SCHEMA_MARK_URL,
    SCHEMA_MARK_HOST,
    SCHEMA_FORGET_EVENT,
    SCHEMA_FORGET_ERROR,
    SCHEMA_MOVE_PAGE,
    SCHEMA_UNARCHIVE_PAGE,
    SCHEMA_STATEMENTS
};

extern const char schema_create[];       /* tables, views, version; inside a transaction */
extern const char schema_before_create[]; /* settings that must precede the first table */
/* By version: what makes the next one of it, inside a transaction; and what makes a reader see it as the newest. */
extern const char *const schema_migrations[], *const schema_as_if_new[];
extern const char schema_settings_write[];
extern const char schema_settings_read[];
const char *schema_sql(enum schema_statement statement);

#endif
