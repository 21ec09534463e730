/* Label files against a collection: what fits, what does not, and which categories come of it. */
#include "lab_fixture.h"

#include "base/buf.h"

static const char *url(const struct lab_fixture *fixture, uint32_t page)
{
    static char text[8][600];
    static unsigned next;
    char *out = text[next++ % 8];

    snprintf(out, sizeof text[0], "%.*s", STR_ARG(collection_url(fixture->collection, page)));
    return out;
}

static scent_status read_text(const struct lab_fixture *fixture, const char *text, struct labels *out, struct errmsg *err)
{
    char path[600];

    lab_write(fixture, "labels.tsv", text);
    snprintf(path, sizeof path, "%s/labels.tsv", fixture->dir);
    return labels_read(fixture->collection, path, NULL, out, err);
}

/* Six good rows of pages 0 to 4 with comments, a repetition and lines that do not fit. */
static void read_some(const struct lab_fixture *fixture, struct labels *out)
{
    struct errmsg err = {0};
    struct buf text;

    buf_init(&text, 0);
    buf_printf(&text, "# url\tcategory\n\n%s\tB.x\r\n%s\tA.b.c\n%s\tA.b\n%s\tA.b\n%s\tA-b.c\n%s\tA\n%s\tA.b\n",
               url(fixture, 0), url(fixture, 1), url(fixture, 2), url(fixture, 2), url(fixture, 3), url(fixture, 4),
               url(fixture, 1));
    buf_printf(&text, "http://elsewhere.test/\tA\n%s\n%s\t\n%s\t.A\n\tA\n", url(fixture, 5), url(fixture, 5),
               url(fixture, 5));
    assert_ok(read_text(fixture, buf_z(&text), out, &err), err);
    buf_release(&text);
}

static void counts(void **state)
{
    struct labels labels;

    read_some(*state, &labels);
    assert_int_equal(labels.count, 6); /* the repeated row once */
    assert_int_equal(labels.missing, 1);
    assert_int_equal(labels.bad, 4);
    for (size_t i = 0; i < labels.count; i++)
        assert_true(labels.rows[i].page <= 4);
    labels_release(&labels);
}

static size_t marked(const struct labels *labels, const char *category, uint32_t npages, const char *want)
{
    bool *relevant = calloc(npages, sizeof *relevant);
    size_t count = labels_mark(labels, str_of(category), relevant);

    for (uint32_t i = 0; i < 6; i++)
        if (relevant[i] != (want[i] == '1'))
            fail_msg("%s: page %u", category, i);
    free(relevant);
    return count;
}

/* "A" has what lies below it, and nothing of "A-b". */
static void below(void **state)
{
    struct lab_fixture *fixture = *state;
    uint32_t npages = collection_count(fixture->collection);
    struct labels labels;

    read_some(fixture, &labels);
    assert_int_equal(marked(&labels, "A", npages, "011010"), 3);
    assert_int_equal(marked(&labels, "A.b", npages, "011000"), 2);
    assert_int_equal(marked(&labels, "A.b.c", npages, "010000"), 1);
    assert_int_equal(marked(&labels, "B", npages, "100000"), 1);
    assert_int_equal(marked(&labels, "C", npages, "000000"), 0);
    labels_release(&labels);
}

static void expect_categories(const struct labels *labels, unsigned level, size_t min, const char *want)
{
    struct arena arena;
    struct str *names;
    struct buf got;
    size_t count;

    arena_init(&arena, SIZE_MAX);
    buf_init(&got, 0);
    assert_int_equal(labels_categories(labels, level, min, &arena, &names, &count), SCENT_OK);
    for (size_t i = 0; i < count; i++)
        buf_printf(&got, "%.*s ", STR_ARG(names[i]));
    assert_string_equal(buf_z(&got), want);
    buf_release(&got);
    arena_release(&arena);
}

static void categories(void **state)
{
    struct labels labels;

    read_some(*state, &labels);
    expect_categories(&labels, 1, 1, "A A-b B ");
    expect_categories(&labels, 1, 2, "A ");
    expect_categories(&labels, 2, 1, "A A.b A-b.c B.x ");
    expect_categories(&labels, 2, 2, "A.b "); /* page 1 is there twice, page 2 once: two pages */
    expect_categories(&labels, 2, 3, "");
    expect_categories(&labels, 9, 1, "A A.b A.b.c A-b.c B.x ");
    labels_release(&labels);
}

static void nothing_fits(void **state)
{
    struct labels labels;
    struct errmsg err = {0};

    assert_int_equal(read_text(*state, "http://a.test/\tA\nhello\n", &labels, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "no line fits"));
    assert_non_null(strstr(err.text, "1 name pages"));
    assert_int_equal(labels_read(((struct lab_fixture *)*state)->collection, "/nowhere.tsv", NULL, &labels, &err),
                     SCENT_E_NOTFOUND);
    assert_non_null(strstr(err.text, "/nowhere.tsv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts), cmocka_unit_test(below), cmocka_unit_test(categories),
        cmocka_unit_test(nothing_fits),
    };

    return cmocka_run_group_tests(tests, lab_set_up, lab_tear_down);
}
