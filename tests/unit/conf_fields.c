/* A table of fields: defaults, every kind, messages, the written example. */
#include "conf/conf_fields.h"
#include "test.h"

struct item {
    struct str from;
    double weight;
};

struct thing {
    bool loud;
    uint32_t small;
    uint64_t large;
    double share;
    uint64_t bytes;
    int64_t time_us;
    enum { RED, GREEN, BLUE } colour;
    bool ignores;
    struct str name, path;
    const struct str *texts, *paths;
    const struct item *items;
    size_t ntexts, npaths, nitems;
    struct item one;
};

static scent_status check_item(const struct conf_reader *reader, const struct conf_node *node, void *members,
                               struct errmsg *err)
{
    const struct item *item = members;

    assert_ptr_equal(reader->arena, reader->object);
    return item->weight > 0 ? SCENT_OK : conf_fail(node, err, "weighs nothing");
}

static const char *const colours[] = {"red", "green", "blue", NULL}, *const obedience[] = {"obey", "ignore", NULL};
static const struct conf_field item_fields[] = {
    {"from", FIELD_PATH, CONF_MEMBER(struct item, from), .expected = "a folder", .missing = "; write {from: x}"},
    {"weight", FIELD_NUMBER, CONF_MEMBER(struct item, weight), .max = 1, .fallback = 1, .help = "at most 1"},
    {0},
};
static const struct conf_table item_table = {
    .fields = item_fields, .size = sizeof(struct item), .brief = "from", .check = check_item};
static const struct conf_field fields[] = {
    {.kind = FIELD_HEADING, .help = "Numbers."},
    {"loud", FIELD_BOOL, CONF_MEMBER(struct thing, loud), .fallback = true},
    {"small", FIELD_COUNT, CONF_MEMBER(struct thing, small), .min = 1, .fallback = 7, .help = "a number"},
    {"large", FIELD_COUNT, CONF_MEMBER(struct thing, large)},
    {"share", FIELD_NUMBER, CONF_MEMBER(struct thing, share), .max = 1, .fallback = .25},
    {"bytes", FIELD_BYTES, CONF_MEMBER(struct thing, bytes), .min = 1 << 10, .max = 1 << 30, .fallback = 2 << 20},
    {"time", FIELD_DURATION, CONF_MEMBER(struct thing, time_us), .min = 1e6, .max = 60e6, .fallback = 90e6},
    {"colour", FIELD_CHOICE, CONF_MEMBER(struct thing, colour), .words = colours, .fallback = GREEN},
    {"robots", FIELD_CHOICE, CONF_MEMBER(struct thing, ignores), .words = obedience},
    {.kind = FIELD_HEADING, .help = "Texts."},
    {"name", FIELD_TEXT, CONF_MEMBER(struct thing, name), .text = "nobody", .min = 1},
    {"path", FIELD_PATH, CONF_MEMBER(struct thing, path)},
    {"texts", FIELD_TEXTS, CONF_MEMBERS(struct thing, texts, ntexts)},
    {"paths", FIELD_PATHS, CONF_MEMBERS(struct thing, paths, npaths), .min = 1, .max = 2, .expected = "paths"},
    {"items", FIELD_MAPS, CONF_MEMBERS(struct thing, items, nitems), .table = &item_table},
    {"one", FIELD_MAP, CONF_MEMBER(struct thing, one), .table = &item_table},
    {0},
};
static const struct conf_table table = {.fields = fields};

static scent_status read_thing(const char *yaml, struct arena *arena, struct thing *out, struct errmsg *err)
{
    const struct conf_reader reader = {.arena = arena, .file = "some/where.yaml", .object = arena};
    struct conf *conf;
    scent_status status;

    *out = (struct thing){0};
    conf_table_defaults(&table, out);
    assert_ok(conf_parse(str_of(yaml), "x.yaml", &conf, err), *err);
    status = conf_table_read(&table, &reader, conf_root(conf), out, err);
    conf_free(conf);
    return status;
}

static void defaults_are_set(void **state)
{
    struct errmsg err;
    struct thing thing;
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    assert_ok(read_thing("", &arena, &thing, &err), err);
    assert_true(thing.loud && thing.small == 7 && thing.large == 0 && thing.share == .25 && thing.bytes == 2 << 20 &&
                thing.time_us == 90000000 && thing.colour == GREEN && !thing.ignores && thing.one.weight == 1);
    assert_str(thing.name, "nobody");
    arena_release(&arena);
}

static void every_kind_is_read(void **state)
{
    struct errmsg err;
    struct thing thing;
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    assert_ok(read_thing("{loud: no, small: 4294967295, large: 18446744073709551615, share: 1, bytes: 1KiB, time: 1m,\n"
                         "colour: blue, robots: ignore, name: ' a ', path: b, texts: [c, d], paths: [/e, 'http://f/'],\n"
                         "items: [g, {from: h, weight: 0.5}], one: i}\n",
                         &arena, &thing, &err),
              err);
    assert_true(!thing.loud && thing.small == UINT32_MAX && thing.large == UINT64_MAX && thing.share == 1);
    assert_true(thing.bytes == 1024 && thing.time_us == 60000000 && thing.colour == BLUE && thing.ignores);
    assert_str(thing.name, "a");
    assert_str(thing.path, "some/b");
    assert_int_equal(thing.ntexts, 2);
    assert_str(thing.texts[1], "d");
    assert_str(thing.paths[0], "/e");
    assert_str(thing.paths[1], "http://f/");
    assert_int_equal(thing.nitems, 2);
    assert_str(thing.items[0].from, "some/g");
    assert_true(thing.items[0].weight == 1 && thing.items[1].weight == .5);
    assert_str(thing.one.from, "some/i");
    assert_ok(read_thing("{texts: c, items: {from: h}}\n", &arena, &thing, &err), err);
    assert_true(thing.ntexts == 1 && thing.nitems == 1);
    arena_release(&arena);
}

static void errors_name_place_and_fix(void **state)
{
    static const struct {
        const char *yaml, *message;
    } cases[] = {
        {"smal: 1", "x.yaml:1: smal: unknown key; did you mean 'small'?"},
        {"small: 0", "x.yaml:1: small: must be at least 1, got 0"},
        {"small: 4294967296", "x.yaml:1: small: must be at most 4294967295, got 4294967296"},
        {"share: 2", "x.yaml:1: share: must be at most 1, got 2"},
        {"bytes: 1", "x.yaml:1: bytes: must lie between 1KiB and 1GiB, got 1 bytes"},
        {"time: 90s", "x.yaml:1: time: must lie between 1s and 1m"},
        {"colour: pink", "x.yaml:1: colour: expected red, green or blue, got 'pink'"},
        {"robots: no", "x.yaml:1: robots: expected obey or ignore, got 'no'"},
        {"name: ' '", "x.yaml:1: name: the text is empty; give a value or remove the key"},
        {"path: [a]", "x.yaml:1: path: expected the path of a file or folder"},
        {"texts: [a, [b]]", "x.yaml:1: texts #2: expected a text, got a list"},
        {"paths: []", "x.yaml:1: paths: expected 1 to 2 paths"},
        {"items: [{weight: 1}]", "x.yaml:1: items #1: the key 'from' is missing; write {from: x}"},
        {"items: [a, '']", "x.yaml:1: items #2: expected a folder"},
        {"items: [{from: a, weight: 0}]", "x.yaml:1: items #1: weighs nothing"},
        {"one: [a]", "x.yaml:1: one: expected a map (key: value), got a list"},
        {"one: {fron: a}", "x.yaml:1: one.fron: unknown key; did you mean 'from'?"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct errmsg err = {{0}};
        struct thing thing;
        struct arena arena;

        arena_init(&arena, 1 << 20);
        assert_int_equal(read_thing(cases[i].yaml, &arena, &thing, &err), SCENT_E_INVALID);
        assert_string_equal(err.text, cases[i].message);
        arena_release(&arena);
    }
}

static void an_example_is_written(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    conf_table_write(&table, &out);
    assert_string_equal(buf_z(&out), "\n# Numbers.\n"
                                     "loud: true\n"
                                     "small: 7                  # a number\n"
                                     "large: 0\nshare: 0.25\nbytes: 2MiB\ntime: 90s\ncolour: green\nrobots: obey\n"
                                     "\n# Texts.\n"
                                     "name: nobody\n"
                                     "one:\n"
                                     "  weight: 1               # at most 1\n");
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_set),
        cmocka_unit_test(every_kind_is_read),
        cmocka_unit_test(errors_name_place_and_fix),
        cmocka_unit_test(an_example_is_written),
    };

    return cmocka_run_group_tests_name("conf/fields", tests, NULL, NULL);
}
