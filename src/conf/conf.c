#include "base/buf.h"
#include "conf/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void conf_free(struct conf *conf)
{
    if (!conf)
        return;
    arena_release(&conf->arena);
    free(conf);
}

const struct conf_node *conf_root(const struct conf *conf)
{
    return conf->root;
}

enum conf_kind conf_kind(const struct conf_node *node)
{
    return (enum conf_kind)node->kind;
}

int conf_line(const struct conf_node *node)
{
    return node->line;
}

size_t conf_count(const struct conf_node *node)
{
    return node->count;
}

const struct conf_node *conf_item(const struct conf_node *list, size_t i)
{
    SCENT_BUG_IF(i >= list->count);
    return list->items[i];
}

struct str conf_key(const struct conf_node *map, size_t i)
{
    return conf_item(map, i)->key;
}

const struct conf_node *conf_get(const struct conf_node *map, const char *key)
{
    if (!map || map->kind != CONF_MAP)
        return NULL;
    for (size_t i = 0; i < map->count; i++)
        if (str_eq(map->items[i]->key, str_of(key)))
            return map->items[i];
    return NULL;
}

bool conf_is_null(const struct conf_node *node)
{
    return node->kind == CONF_SCALAR && node->plain &&
           (node->text.len == 0 || str_eq(node->text, STR("~")) || str_eq_nocase(node->text, STR("null")));
}

/* The bytes of the valid UTF-8 sequence at s[i], 0 when it is broken. */
static size_t utf8_len(struct str s, size_t i)
{
    unsigned char c = (unsigned char)s.p[i];
    size_t len = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;

    if (len == 0 || s.len - i < len)
        return 0;
    for (size_t k = 1; k < len; k++)
        if (((unsigned char)s.p[i + k] & 0xC0) != 0x80)
            return 0;
    return len;
}

struct conf_shown conf_show(struct str s)
{
    struct conf_shown shown;
    size_t at = 0, i = 0, len;

    while (i < s.len && at < 57) {
        len = utf8_len(s, i);
        if (len == 0 || (len == 1 && ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f))) {
            shown.text[at++] = '?';
            i++;
            continue;
        }
        if (at + len > 57)
            break;
        memcpy(shown.text + at, s.p + i, len);
        at += len;
        i += len;
    }
    snprintf(shown.text + at, sizeof shown.text - at, "%s", i < s.len ? "…" : "");
    return shown;
}

/* Depth is capped at loading, so recursion is too. */
static void add_path(struct buf *out, const struct conf_node *node)
{
    if (!node->parent)
        return;
    add_path(out, node->parent);
    if (node->parent->kind == CONF_LIST)
        buf_printf(out, " #%u", node->index + 1);
    else
        buf_printf(out, "%s%s", node->parent->parent ? "." : "", conf_show(node->key).text);
}

scent_status conf_fail(const struct conf_node *node, struct errmsg *err, const char *fmt, ...)
{
    char what[sizeof err->text];
    struct buf path;
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    buf_init(&path, 512);
    add_path(&path, node);
    errmsg_fail(err, SCENT_E_INVALID, "%s:%d: %s%s%s", node->conf->name, node->line, buf_z(&path), path.len ? ": " : "",
                what);
    buf_release(&path);
    return SCENT_E_INVALID;
}
