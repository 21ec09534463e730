#include "conf/conf_fields.h"

#include "base/file.h"
#include <math.h>

enum { MAX_FIELDS = 128, LONGEST_PATH = 4000, COMMENT_COLUMN = 26 };

static scent_status fail_memory(const struct conf_reader *reader, struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_NOMEM, "%s: out of memory", reader->file ? reader->file : "the file");
}

static void *member_of(const struct conf_field *field, const void *members)
{
    return (char *)members + field->offset;
}

/* ---- defaults ---- */

/* Numbers go to members of the size that the table gives. */
static void set_whole(const struct conf_field *field, void *members, uint64_t value)
{
    void *at = member_of(field, members);

    if (field->size == sizeof(uint64_t))
        *(uint64_t *)at = value;
    else if (field->size == sizeof(uint32_t))
        *(uint32_t *)at = (uint32_t)value;
    else
        *(bool *)at = value;
}

void conf_table_defaults(const struct conf_table *table, void *members)
{
    for (const struct conf_field *field = table->fields; field->kind; field++) {
        void *at = member_of(field, members);

        switch (field->kind) {
        case FIELD_NUMBER:
            *(double *)at = field->fallback;
            break;
        case FIELD_BOOL:
        case FIELD_COUNT:
        case FIELD_BYTES:
        case FIELD_DURATION:
        case FIELD_CHOICE:
            set_whole(field, members, (uint64_t)field->fallback);
            break;
        case FIELD_TEXT:
            if (field->text)
                *(struct str *)at = str_of(field->text);
            break;
        case FIELD_MAP:
            conf_table_defaults(field->table, at);
            break;
        default:
            break;
        }
    }
}

/* ---- numbers ---- */

static uint64_t largest(const struct conf_field *field)
{
    if (field->max == 0)
        return field->size == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
    return field->max >= 0x1p64 ? UINT64_MAX : (uint64_t)field->max;
}

static scent_status read_count(const struct conf_field *field, const struct conf_node *node, void *members,
                               struct errmsg *err)
{
    uint64_t value = 0;

    SCENT_TRY(conf_u64(node, (uint64_t)field->min, largest(field), &value, err));
    set_whole(field, members, value);
    return SCENT_OK;
}

static bool is_within(const struct conf_field *field, double value)
{
    return field->max == 0 || (value >= field->min && value <= field->max);
}

static scent_status read_bytes(const struct conf_field *field, const struct conf_node *node, uint64_t *out,
                               struct errmsg *err)
{
    struct conf_shown min = conf_show_bytes((uint64_t)field->min), max = conf_show_bytes((uint64_t)field->max);
    uint64_t value = 0;

    SCENT_TRY(conf_bytes(node, &value, err));
    if (!is_within(field, (double)value))
        return conf_fail(node, err, "must lie between %s and %s, got %llu bytes", min.text, max.text,
                         (unsigned long long)value);
    *out = value;
    return SCENT_OK;
}

static scent_status read_duration(const struct conf_field *field, const struct conf_node *node, int64_t *out,
                                  struct errmsg *err)
{
    struct conf_shown min = conf_show_duration((int64_t)field->min), max = conf_show_duration((int64_t)field->max);
    int64_t value = 0;

    SCENT_TRY(conf_duration(node, &value, err));
    if (!is_within(field, (double)value))
        return conf_fail(node, err, "must lie between %s and %s", min.text, max.text);
    *out = value;
    return SCENT_OK;
}

/* ---- texts ---- */

static scent_status read_choice(const struct conf_field *field, const struct conf_node *node, void *members,
                                struct errmsg *err)
{
    struct str text = STR_NONE;
    struct buf list;

    SCENT_TRY(conf_str(node, &text, err));
    for (uint64_t i = 0; field->words[i]; i++)
        if (str_eq(text, str_of(field->words[i]))) {
            set_whole(field, members, i);
            return SCENT_OK;
        }
    buf_init(&list, 600);
    for (size_t i = 0; field->words[i]; i++)
        buf_printf(&list, "%s%s", i == 0 ? "" : field->words[i + 1] ? ", " : " or ", field->words[i]);
    conf_fail(node, err, "expected %s, got '%s'", buf_z(&list), conf_show(text).text);
    buf_release(&list);
    return SCENT_E_INVALID;
}

static scent_status read_text(const struct conf_field *field, const struct conf_reader *reader,
                              const struct conf_node *node, struct str *out, struct errmsg *err)
{
    struct str text = STR_NONE;

    if (field->expected && conf_kind(node) != CONF_SCALAR)
        return conf_fail(node, err, "expected %s", field->expected);
    SCENT_TRY(conf_str(node, &text, err));
    if (field->min > 0 && (text = str_trim(text)).len == 0)
        return conf_fail(node, err, "the text is empty; give a value or remove the key");
    text = arena_str(reader->arena, text);
    if (!text.p)
        return fail_memory(reader, err);
    *out = text;
    return SCENT_OK;
}

scent_status conf_path(const struct conf_reader *reader, const struct conf_node *node, const char *expected,
                       struct str *out, struct errmsg *err)
{
    struct str path = STR_NONE;

    if (conf_kind(node) == CONF_SCALAR)
        SCENT_TRY(conf_str(node, &path, err));
    if (path.len == 0 || path.len > LONGEST_PATH || memchr(path.p, 0, path.len) || memchr(path.p, '\n', path.len))
        return conf_fail(node, err, "expected %s", expected ? expected : "the path of a file or folder");
    if (str_starts_nocase(path, STR("http://")) || str_starts_nocase(path, STR("https://")))
        path = arena_str(reader->arena, path);
    else
        path = file_beside(reader->arena, reader->file, path);
    if (!path.p)
        return fail_memory(reader, err);
    *out = path;
    return SCENT_OK;
}

/* ---- lists ---- */

size_t conf_many(const struct conf_node *node)
{
    return !node ? 0 : conf_kind(node) == CONF_LIST ? conf_count(node) : 1;
}

const struct conf_node *conf_nth(const struct conf_node *node, size_t i)
{
    return conf_kind(node) == CONF_LIST ? conf_item(node, i) : node;
}

/* Room for the items of a list of the right length. */
static scent_status make_list(const struct conf_field *field, const struct conf_reader *reader,
                              const struct conf_node *node, size_t size, void **out, struct errmsg *err)
{
    size_t n = conf_many(node);

    if (field->max > 0 && ((double)n < field->min || (double)n > field->max))
        return conf_fail(node, err, "expected %.0f to %.0f %s", field->min, field->max, field->expected);
    if (n == 0 && field->min > 0)
        return conf_fail(node, err, "expected a list of %s", field->expected);
    *out = arena_zalloc(reader->arena, (n ? n : 1) * size);
    return *out ? SCENT_OK : fail_memory(reader, err);
}

static scent_status read_list(const struct conf_field *field, const struct conf_reader *reader,
                              const struct conf_node *node, void *members, struct errmsg *err)
{
    const struct conf_field item = {.min = field->min};
    size_t size = field->kind == FIELD_MAPS ? field->table->size : sizeof(struct str);
    void *items = NULL;

    SCENT_TRY(make_list(field, reader, node, size, &items, err));
    for (size_t i = 0; i < conf_many(node); i++) {
        const struct conf_node *nth = conf_nth(node, i);
        void *at = (char *)items + i * size;

        if (field->kind == FIELD_MAPS) {
            conf_table_defaults(field->table, at);
            SCENT_TRY(conf_table_read(field->table, reader, nth, at, err));
        } else if (field->kind == FIELD_PATHS) {
            SCENT_TRY(conf_path(reader, nth, NULL, at, err));
        } else {
            SCENT_TRY(read_text(&item, reader, nth, at, err));
        }
    }
    *(void **)member_of(field, members) = items;
    *(size_t *)(void *)((char *)members + field->count) = conf_many(node);
    return SCENT_OK;
}

/* ---- maps ---- */

scent_status conf_field_read(const struct conf_field *field, const struct conf_reader *reader,
                             const struct conf_node *node, void *members, struct errmsg *err)
{
    void *at = member_of(field, members);

    switch (field->kind) {
    case FIELD_BOOL:
        return conf_bool(node, at, err);
    case FIELD_COUNT:
        return read_count(field, node, members, err);
    case FIELD_NUMBER:
        return conf_double(node, field->min, field->max == 0 ? INFINITY : field->max, at, err);
    case FIELD_BYTES:
        return read_bytes(field, node, at, err);
    case FIELD_DURATION:
        return read_duration(field, node, at, err);
    case FIELD_CHOICE:
        return read_choice(field, node, members, err);
    case FIELD_TEXT:
        return read_text(field, reader, node, at, err);
    case FIELD_PATH:
        return conf_path(reader, node, field->expected, at, err);
    case FIELD_TEXTS:
    case FIELD_PATHS:
    case FIELD_MAPS:
        return read_list(field, reader, node, members, err);
    case FIELD_MAP:
        return conf_table_read(field->table, reader, node, at, err);
    case FIELD_OWN:
        return field->read(reader, node, at, err);
    case FIELD_END:
    case FIELD_HEADING:
        break;
    }
    return SCENT_OK;
}

static scent_status expect_fields(const struct conf_table *table, const struct conf_node *node, struct errmsg *err)
{
    const char *names[MAX_FIELDS + 1];
    size_t n = 0;

    if (table->expected && conf_kind(node) != CONF_MAP)
        return conf_fail(node, err, "expected %s", table->expected);
    for (const struct conf_field *field = table->fields; field->kind; field++) {
        SCENT_BUG_IF(n == MAX_FIELDS);
        if (field->name)
            names[n++] = field->name;
    }
    names[n] = NULL;
    return conf_expect_map(node, names, err);
}

scent_status conf_table_read(const struct conf_table *table, const struct conf_reader *reader,
                             const struct conf_node *node, void *members, struct errmsg *err)
{
    bool is_brief = node && table->brief && conf_kind(node) == CONF_SCALAR;

    if (!node)
        return SCENT_OK;
    if (!is_brief)
        SCENT_TRY(expect_fields(table, node, err));
    for (const struct conf_field *field = table->fields; field->kind; field++) {
        const struct conf_node *value = NULL;

        if (!field->name)
            continue;
        if (!is_brief)
            value = conf_get(node, field->name);
        else if (strcmp(field->name, table->brief) == 0)
            value = node;
        if (value)
            SCENT_TRY(conf_field_read(field, reader, value, members, err));
        else if (field->missing)
            return conf_fail(node, err, "the key '%s' is missing%s", field->name, field->missing);
    }
    return table->check ? table->check(reader, node, members, err) : SCENT_OK;
}

/* ---- the example ---- */

static bool write_value(const struct conf_field *field, struct buf *out)
{
    switch (field->kind) {
    case FIELD_BOOL:
        buf_addz(out, field->fallback != 0 ? "true" : "false");
        return true;
    case FIELD_COUNT:
    case FIELD_NUMBER:
        buf_printf(out, "%.15g", field->fallback);
        return true;
    case FIELD_BYTES:
        buf_addz(out, conf_show_bytes((uint64_t)field->fallback).text);
        return true;
    case FIELD_DURATION:
        buf_addz(out, conf_show_duration((int64_t)field->fallback).text);
        return true;
    case FIELD_CHOICE:
        buf_addz(out, field->words[(size_t)field->fallback]);
        return true;
    case FIELD_TEXT:
        buf_addz(out, field->text ? field->text : "");
        return field->text;
    default:
        return false;
    }
}

static void write_fields(const struct conf_table *table, const char *indent, struct buf *out)
{
    for (const struct conf_field *field = table->fields; field->kind; field++) {
        size_t start = out->len, width;

        if (field->kind == FIELD_HEADING) {
            buf_printf(out, "\n# %s\n", field->help);
            continue;
        }
        if (field->kind == FIELD_MAP) {
            buf_printf(out, "%s:\n", field->name);
            write_fields(field->table, "  ", out);
            continue;
        }
        buf_printf(out, "%s%s: ", indent, field->name);
        if (!write_value(field, out)) {
            out->len = start;
            continue;
        }
        width = out->len - start;
        if (field->help)
            buf_printf(out, "%*s# %s", (int)(width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 1), "", field->help);
        buf_addc(out, '\n');
    }
}

void conf_table_write(const struct conf_table *table, struct buf *out)
{
    write_fields(table, "", out);
}
