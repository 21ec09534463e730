/* conf_fields - a map of a YAML file as one table: name, kind, member, limits, default, help.
 *
 * The table is all there is to say about a key: conf_table_read() refuses what the table does not know (and names the
 * nearest key), reads each value with its limits and stores it in the member of a struct; conf_table_defaults() fills
 * the struct beforehand; conf_table_write() prints a commented example. A key that needs more has a function of its own
 * (FIELD_OWN), and a map whose keys depend on each other has a check.
 *
 *     static const struct conf_field field_of_limits[] = {
 *         {"pages", FIELD_COUNT, CONF_MEMBER(struct limits, pages), .help = "0: no limit"},
 *         {"depth", FIELD_COUNT, CONF_MEMBER(struct limits, depth), .fallback = 20},
 *         {"page_bytes", FIELD_BYTES, CONF_MEMBER(struct limits, page_bytes), .min = 1 << 10, .max = 1 << 30,
 *          .fallback = 2 << 20},
 *         {0},
 *     };
 *     static const struct conf_table limits_table = {.fields = field_of_limits, .check = check_limits};
 *     …
 *     static const struct conf_field field_of_topic[] = {
 *         {"topic", FIELD_TEXT, CONF_MEMBER(struct topic, name), .missing = "name the topic, like 'topic: hockey'"},
 *         {"limits", FIELD_MAP, CONF_MEMBER(struct topic, limits), .table = &limits_table},
 *         {0},
 *     };
 *
 * Fields are read in the order of the table. Messages are those of conf.h: file, line, key, and what to do.
 * Tables are constants; any thread. */
#ifndef SCENT_CONF_CONF_FIELDS_H
#define SCENT_CONF_CONF_FIELDS_H

#include "base/arena.h"
#include "base/buf.h"
#include "conf/conf.h"

#include <stddef.h>

enum conf_field_kind {
    FIELD_END,      /* ends the table: {0} */
    FIELD_HEADING,  /* begins a section of the written example: .help */
    FIELD_BOOL,     /* bool */
    FIELD_COUNT,    /* uint32_t or uint64_t, by the size of the member */
    FIELD_NUMBER,   /* double */
    FIELD_BYTES,    /* uint64_t: 2MiB */
    FIELD_DURATION, /* int64_t, microseconds: 1h30m */
    FIELD_CHOICE,   /* an enum or a bool: the place of the word in .words */
    FIELD_TEXT,     /* struct str. With .min the text is trimmed, and must not be empty */
    FIELD_PATH,     /* struct str: relative to the folder of the file, unless absolute or a URL */
    FIELD_TEXTS,    /* const struct str *, with a count: a list, or one text */
    FIELD_PATHS,
    FIELD_MAP,  /* a struct: .table */
    FIELD_MAPS, /* const struct *, with a count: a list of maps, or one; the items begin with their defaults */
    FIELD_OWN,  /* .read */
};

/* What a file is read with. */
struct conf_reader {
    struct arena *arena; /* texts and lists are copied to it; NULL where no field needs it */
    const char *file;    /* paths are relative to its folder */
    void *object;        /* the whole that is being read, for the functions of a table */
};

/* Reads one key that is there. `member` is the address of its member. */
typedef scent_status conf_read_fn(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                  struct errmsg *err);
/* Checks a map whose fields have been read into `members`, or completes it. `node` is the map, or the scalar that
 * stands for it. */
typedef scent_status conf_check_fn(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                   struct errmsg *err);

struct conf_field {
    const char *name;
    enum conf_field_kind kind;
    size_t offset, size; /* of the member: CONF_MEMBER */
    size_t count;        /* of a list: the offset of its size_t */
    double min, max;     /* of a number; of a list, the number of its items. max 0: as many as the member holds */
    double fallback;     /* the default; of a choice its place */
    const char *text;    /* the default of a text */
    const char *help;    /* a comment of the written example */
    const char *expected;     /* "the path of a file with one URL a line"; of a list its items: "paths of files" */
    const char *missing;      /* the key must be there; the message ends in this */
    const char *const *words; /* of a choice; the last is NULL */
    const struct conf_table *table;
    conf_read_fn *read;
};

#define CONF_MEMBER(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define CONF_MEMBERS(type, member, number) CONF_MEMBER(type, member), .count = offsetof(type, number)

struct conf_table {
    const struct conf_field *fields;
    size_t size;          /* of the struct, where a list of them is read (FIELD_MAPS) */
    const char *brief;    /* a scalar stands for a map with this key alone; NULL: a map is needed */
    const char *expected; /* "a map such as {…}", for messages; NULL: they say "a map (key: value)" */
    conf_check_fn *check; /* NULL: none */
};

/* Sets the members of all fields that have a default of a kind above FIELD_OWN. */
void conf_table_defaults(const struct conf_table *table, void *members);
/* Reads the map `node`; NULL: nothing is read, and keys that must be there are not missed. Members of keys that are not
 * there stay. */
SCENT_NODISCARD scent_status conf_table_read(const struct conf_table *table, const struct conf_reader *reader,
                                             const struct conf_node *node, void *members, struct errmsg *err);
/* One field of a table, as if it had stood there alone. */
SCENT_NODISCARD scent_status conf_field_read(const struct conf_field *field, const struct conf_reader *reader,
                                             const struct conf_node *node, void *members, struct errmsg *err);
/* The fields with their defaults and their help, as YAML. Fields of kind FIELD_OWN, lists and texts without a default
 * are left out. */
void conf_table_write(const struct conf_table *table, struct buf *out);

/* A path as it stands in the file `reader->file`: relative to its folder. */
SCENT_NODISCARD scent_status conf_path(const struct conf_reader *reader, const struct conf_node *node,
                                       const char *expected, struct str *out, struct errmsg *err);

/* The items of a list, or one item that stands there without brackets. */
size_t conf_many(const struct conf_node *node);
const struct conf_node *conf_nth(const struct conf_node *node, size_t i);

#endif
