/* conf - YAML documents with positions, and errors that name file, line and fix.
 *
 * A document is parsed whole into a tree (capped: 16 MiB, 100,000 nodes, 64 levels, aliases are
 * refused) that lives until conf_free. Typed getters fail with a message like
 *   topic.yaml:12: limits.pages: expected a whole number, got 'many'
 * Thread: any, the tree is immutable after loading. */
#ifndef SCENT_CONF_CONF_H
#define SCENT_CONF_CONF_H

#include "base/status.h"
#include "base/str.h"

enum { CONF_MAX_BYTES = 16 << 20 };

struct conf;
struct conf_node;

SCENT_NODISCARD scent_status conf_load(const char *path, struct conf **out, struct errmsg *err);
/* `name` stands for the file in messages. */
SCENT_NODISCARD scent_status conf_parse(struct str text, const char *name, struct conf **out, struct errmsg *err);
void conf_free(struct conf *conf);                          /* NULL is fine */
const struct conf_node *conf_root(const struct conf *conf); /* NULL for an empty document */

enum conf_kind { CONF_SCALAR, CONF_LIST, CONF_MAP };
enum conf_kind conf_kind(const struct conf_node *node);
int conf_line(const struct conf_node *node);     /* of its key; of the item itself in a list; counted from 1 */
size_t conf_count(const struct conf_node *node); /* items of a list, entries of a map */
const struct conf_node *conf_item(const struct conf_node *list, size_t i); /* i-th item, or value of the i-th entry */
struct str conf_key(const struct conf_node *map, size_t i);
/* NULL when the map has no such key or `map` is NULL or not a map. */
const struct conf_node *conf_get(const struct conf_node *map, const char *key);

/* "file:line: path.to.key: <your text>"; the third item of a list is "key #3". Returns SCENT_E_INVALID. */
scent_status conf_fail(const struct conf_node *node, struct errmsg *err, const char *fmt, ...) SCENT_PRINTF(3, 4);

/* How a value from a file is shown in a message: at most 60 bytes, control characters and broken UTF-8 as "?".
 * conf_show(value).text lives until the end of the full expression. */
struct conf_shown {
    char text[64];
};
struct conf_shown conf_show(struct str s);
struct conf_shown conf_show_bytes(uint64_t bytes);
struct conf_shown conf_show_duration(int64_t usec);

/* A map whose keys are all in `known` (NULL-terminated). An unknown key is an error that names the nearest. */
SCENT_NODISCARD scent_status conf_expect_map(const struct conf_node *node, const char *const *known,
                                             struct errmsg *err);

/* Which of the `known` words (NULL-terminated) was meant; NULL: none is near enough. */
const char *conf_nearest(struct str word, const char *const *known);

/* Each leaves *out alone when `node` is NULL (the key is absent: the default stays), fails on a wrong type or range. */
SCENT_NODISCARD scent_status conf_str(const struct conf_node *node, struct str *out, struct errmsg *err);
SCENT_NODISCARD scent_status conf_bool(const struct conf_node *node, bool *out, struct errmsg *err);
SCENT_NODISCARD scent_status conf_u64(const struct conf_node *node, uint64_t min, uint64_t max, uint64_t *out,
                                      struct errmsg *err);
SCENT_NODISCARD scent_status conf_double(const struct conf_node *node, double min, double max, double *out,
                                         struct errmsg *err);
/* 2MiB, 10kB, 512 */
SCENT_NODISCARD scent_status conf_bytes(const struct conf_node *node, uint64_t *out, struct errmsg *err);
/* 250ms, 1s, 2h, 1h30m, 0 */
SCENT_NODISCARD scent_status conf_duration(const struct conf_node *node, int64_t *usec, struct errmsg *err);

/* The same readings for command-line arguments. */
bool conf_parse_bytes(struct str s, uint64_t *out);
bool conf_parse_duration(struct str s, int64_t *usec);

#endif
