#include "base/buf.h"
#include "base/file.h"
#include "conf/conf_node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

enum { MAX_NODES = 100000, MAX_DEPTH = 64, MAX_MEMORY = 128 << 20 };

/* ---- the tree ---- */

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

/* ---- messages of libyaml ---- */

/* What libyaml says went wrong, as sentences for someone who does not know its grammar. */
static const struct {
    const char *problem, *sentence;
} explained[] = {
    {"mapping values are not allowed in this context",
     "a ':' stands where no key can be; put a text that contains ': ' in quotes, or check the indentation"},
    {"block sequence entries are not allowed in this context",
     "a '-' item stands where no list can be; start the list on a line of its own"},
    {"block mapping entries are not allowed in this context",
     "a key stands where no key can be; check the indentation"},
    {"mapping keys are not allowed in this context", "a key stands where no key can be; check the indentation"},
    {"did not find expected key",
     "expected 'key: value' here; check the indentation and the quotes of the lines above"},
    {"did not find expected '-' indicator", "expected '- item' here; the items of a list must be indented alike"},
    {"did not find expected ',' or ']'", "expected ',' or ']'; a list in brackets is not closed"},
    {"did not find expected ',' or '}'", "expected ',' or '}'; a map in braces is not closed"},
    {"could not find expected ':'", "expected ':' after the key"},
    {"found character that cannot start any token",
     "this character cannot begin a value; indent with spaces instead of tabs, and put @, `, % in quotes"},
    {"found a tab character that violates indentation", "a tab in the indentation; use spaces"},
    {"found a tab character where an indentation space is expected", "a tab in the indentation; use spaces"},
    {"found unexpected end of stream", "a text in quotes is not closed before the end of the file"},
    {"found unexpected document indicator", "a text in quotes is not closed before this line"},
    {"found unknown escape character",
     "an unknown escape in a text in double quotes; use single quotes, where a backslash is only a backslash"},
    {"did not find expected hexdecimal number", "an escape in double quotes lacks its hexadecimal digits"},
    {"did not find expected <document start>", "there is something after the end of the document; remove it"},
    {"did not find expected node content", "a value is missing here"},
    {"did not find expected comment or line break", "after '|' or '>' the text must begin on the next line"},
    {"found undefined tag handle", "tags (!) are not supported; put a text that begins with '!' in quotes"},
    {"did not find expected alphabetic or numeric character",
     "'&' and '*' have a special meaning at the start of a value; put the text in quotes"},
    {"control characters are not allowed", "a control character; remove it, or write it as an escape in double quotes"},
    {"invalid leading UTF-8 octet", "this is not UTF-8 text; save the file as UTF-8"},
    {"invalid trailing UTF-8 octet", "this is not UTF-8 text; save the file as UTF-8"},
    {"incomplete UTF-8 octet sequence", "this is not UTF-8 text; save the file as UTF-8"},
    {"invalid length of a UTF-8 sequence", "this is not UTF-8 text; save the file as UTF-8"},
    {"invalid Unicode character", "this is not UTF-8 text; save the file as UTF-8"},
};

static const char *explain(const char *problem)
{
    for (size_t i = 0; i < sizeof explained / sizeof *explained; i++)
        if (strcmp(explained[i].problem, problem) == 0)
            return explained[i].sentence;
    return problem;
}

/* ---- parsing ---- */

struct parse {
    struct conf *conf;
    struct str text;
    yaml_parser_t yaml;
    struct conf_node *open; /* the list or map that is being filled, NULL at the top */
    struct str key;         /* waiting for its value, .p NULL when the next scalar of a map is a key */
    int key_line;
    uint32_t nodes, depth, documents;
    struct errmsg *err;
};

static int line_of(const yaml_mark_t *mark)
{
    return mark->line < INT32_MAX ? (int)mark->line + 1 : INT32_MAX;
}

static scent_status fail_at(struct parse *parse, size_t line, size_t column, const char *what)
{
    return errmsg_fail(parse->err, SCENT_E_INVALID, "%s:%zu:%zu: %s", parse->conf->name, line, column, what);
}

static scent_status fail_event(struct parse *parse, const yaml_event_t *event, const char *what)
{
    return fail_at(parse, event->start_mark.line + 1, event->start_mark.column + 1, what);
}

/* The reader gives a byte offset where the scanner gives a mark. */
static scent_status fail_reader(struct parse *parse)
{
    size_t line = 1, column = 1, end = parse->yaml.problem_offset;

    for (size_t i = 0; i < end && i < parse->text.len; i++) {
        column += ((unsigned char)parse->text.p[i] & 0xC0) != 0x80;
        if (parse->text.p[i] == '\n') {
            line++;
            column = 1;
        }
    }
    return fail_at(parse, line, column, explain(parse->yaml.problem));
}

static scent_status fail_yaml(struct parse *parse)
{
    const yaml_parser_t *yaml = &parse->yaml;
    char what[512];

    if (yaml->error == YAML_MEMORY_ERROR)
        return errmsg_fail(parse->err, SCENT_E_NOMEM, "%s: out of memory", parse->conf->name);
    if (yaml->error == YAML_READER_ERROR)
        return fail_reader(parse);
    if (yaml->context && yaml->context_mark.line != yaml->problem_mark.line)
        snprintf(what, sizeof what, "%s (what is being read began on line %d)", explain(yaml->problem),
                 line_of(&yaml->context_mark));
    else
        snprintf(what, sizeof what, "%s", explain(yaml->problem));
    return fail_at(parse, yaml->problem_mark.line + 1, yaml->problem_mark.column + 1, what);
}

static scent_status fail_memory(struct parse *parse)
{
    return errmsg_fail(parse->err, SCENT_E_NOMEM, "%s: out of memory", parse->conf->name);
}

static bool append(struct arena *arena, struct conf_node *parent, struct conf_node *node)
{
    if (parent->count == parent->room) {
        uint32_t room = parent->room ? parent->room * 2 : 4;
        size_t size = sizeof *parent->items;
        struct conf_node **items = arena_grow(arena, parent->items, parent->room * size, room * size);

        if (!items)
            return false;
        parent->items = items;
        parent->room = room;
    }
    node->index = parent->count;
    parent->items[parent->count++] = node;
    return true;
}

/* Makes a node and hangs it where the parse stands. */
static scent_status add_node(struct parse *parse, const yaml_event_t *event, enum conf_kind kind,
                             struct conf_node **out)
{
    struct conf_node *parent = parse->open;
    struct conf_node *node;

    if (++parse->nodes > MAX_NODES)
        return fail_event(parse, event, "the file has more than 100,000 values");
    if (!(node = arena_zalloc(&parse->conf->arena, sizeof *node)))
        return fail_memory(parse);
    node->conf = parse->conf;
    node->parent = parent;
    node->kind = (uint8_t)kind;
    node->line = line_of(&event->start_mark);
    if (!parent)
        parse->conf->root = node;
    else if (!append(&parse->conf->arena, parent, node))
        return fail_memory(parse);
    if (parent && parent->kind == CONF_MAP) {
        node->key = parse->key;
        node->line = parse->key_line;
        parse->key = STR_NONE;
    }
    *out = node;
    return SCENT_OK;
}

static bool wants_key(const struct parse *parse)
{
    return parse->open && parse->open->kind == CONF_MAP && !parse->key.p;
}

static scent_status on_scalar(struct parse *parse, const yaml_event_t *event)
{
    struct str raw = {(const char *)event->data.scalar.value, event->data.scalar.length};
    struct str text = arena_str(&parse->conf->arena, raw);
    struct conf_node *node;

    if (!text.p)
        return fail_memory(parse);
    if (event->data.scalar.tag)
        return fail_event(parse, event, "tags (!) are not supported; put a text that begins with '!' in quotes");
    if (wants_key(parse)) {
        parse->key = text;
        parse->key_line = line_of(&event->start_mark);
        return SCENT_OK;
    }
    SCENT_TRY(add_node(parse, event, CONF_SCALAR, &node));
    node->text = text;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return SCENT_OK;
}

static scent_status on_open(struct parse *parse, const yaml_event_t *event, enum conf_kind kind)
{
    struct conf_node *node;

    if (wants_key(parse))
        return fail_event(parse, event, "a key must be a word, not a list or a map");
    if (kind == CONF_MAP ? event->data.mapping_start.tag : event->data.sequence_start.tag)
        return fail_event(parse, event, "tags (!) are not supported; remove this one");
    if (++parse->depth > MAX_DEPTH)
        return fail_event(parse, event, "lists and maps are nested more than 64 deep");
    SCENT_TRY(add_node(parse, event, kind, &node));
    parse->open = node;
    return SCENT_OK;
}

static int by_key(const void *a, const void *b)
{
    const struct conf_node *x = *(struct conf_node *const *)a, *y = *(struct conf_node *const *)b;
    int order = str_cmp(x->key, y->key);

    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Sorting a copy keeps a map of 50,000 hostile keys from costing a billion comparisons. */
static scent_status refuse_duplicates(struct parse *parse, const struct conf_node *map)
{
    const struct conf_node *first = NULL, *again = NULL;
    struct conf_node **sorted = map->count ? malloc(map->count * sizeof *sorted) : NULL;

    if (map->count == 0)
        return SCENT_OK;
    if (!sorted)
        return fail_memory(parse);
    memcpy(sorted, map->items, map->count * sizeof *sorted);
    qsort(sorted, map->count, sizeof *sorted, by_key);
    for (size_t i = 1; i < map->count; i++) {
        if (str_eq(sorted[i - 1]->key, sorted[i]->key) && (!again || sorted[i]->index < again->index)) {
            first = sorted[i - 1];
            again = sorted[i];
        }
    }
    free(sorted);
    if (again)
        return conf_fail(again, parse->err, "this key stands on line %d already; remove one of them", first->line);
    return SCENT_OK;
}

static scent_status on_close(struct parse *parse)
{
    struct conf_node *closed = parse->open;

    parse->open = (struct conf_node *)closed->parent;
    parse->depth--;
    return closed->kind == CONF_MAP ? refuse_duplicates(parse, closed) : SCENT_OK;
}

static scent_status on_event(struct parse *parse, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (parse->documents++)
            return fail_event(parse, event, "a second document begins here; only one is read, remove the '---'");
        return SCENT_OK;
    case YAML_ALIAS_EVENT:
        return fail_event(parse, event, "aliases (*name) are not supported; write the value out, or put it in quotes");
    case YAML_SCALAR_EVENT:
        return on_scalar(parse, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(parse, event, CONF_LIST);
    case YAML_MAPPING_START_EVENT:
        return on_open(parse, event, CONF_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_close(parse);
    default:
        return SCENT_OK;
    }
}

static scent_status read_events(struct parse *parse)
{
    scent_status status = SCENT_OK;
    bool done = false;

    while (status == SCENT_OK && !done) {
        yaml_event_t event;

        if (!yaml_parser_parse(&parse->yaml, &event))
            return fail_yaml(parse);
        done = event.type == YAML_STREAM_END_EVENT;
        status = on_event(parse, &event);
        yaml_event_delete(&event);
    }
    return status;
}

static struct conf *conf_new(const char *name)
{
    struct conf *conf = calloc(1, sizeof *conf);

    SCENT_BUG_IF(!conf);
    arena_init(&conf->arena, MAX_MEMORY);
    conf->name = arena_str(&conf->arena, str_of(name)).p;
    SCENT_BUG_IF(!conf->name);
    return conf;
}

scent_status conf_parse(struct str text, const char *name, struct conf **out, struct errmsg *err)
{
    struct parse parse = {.text = text, .err = err};
    scent_status status;

    *out = NULL;
    if (text.len > CONF_MAX_BYTES)
        return errmsg_fail(err, SCENT_E_LIMIT, "%s is larger than %d bytes", name, CONF_MAX_BYTES);
    if (str_starts(text, STR("\xEF\xBB\xBF")))
        parse.text = str_sub(text, 3, text.len);
    SCENT_BUG_IF(!yaml_parser_initialize(&parse.yaml));
    parse.conf = conf_new(name);
    yaml_parser_set_encoding(&parse.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parse.yaml, (const unsigned char *)(parse.text.p ? parse.text.p : ""),
                                 parse.text.len);
    status = read_events(&parse);
    yaml_parser_delete(&parse.yaml);
    if (status != SCENT_OK) {
        conf_free(parse.conf);
        return status;
    }
    *out = parse.conf;
    return SCENT_OK;
}

scent_status conf_load(const char *path, struct conf **out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    *out = NULL;
    buf_init(&text, CONF_MAX_BYTES);
    status = file_read(path, &text, err);
    if (status == SCENT_OK)
        status = conf_parse(buf_str(&text), path, out, err);
    buf_release(&text);
    return status;
}
