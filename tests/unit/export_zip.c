/* ZIP files as they are written, read back field by field (APPNOTE.TXT 6.3): small ones, and ones beyond 4 GiB, whose bytes
 * are holes. */
#include "export/zip.h"

#include "base/bytes.h"
#include "http/http.h"
#include "test.h"

#include <stdlib.h>

static const uint64_t gib = 1ull << 30;

struct entry {
    char name[64];
    uint64_t size, packed, offset;
    uint32_t crc;
};

/* `count` bytes at an offset, as a number. */
static uint64_t number_at(FILE *file, uint64_t offset, int size)
{
    unsigned char bytes[8];
    uint64_t value = 0;

    assert_int_equal(fseeko(file, (off_t)offset, SEEK_SET), 0);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    for (int i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static struct buf bytes_at(FILE *file, uint64_t offset, size_t size)
{
    struct buf out;

    buf_init(&out, 0);
    assert_true(buf_reserve(&out, size));
    assert_int_equal(fseeko(file, (off_t)offset, SEEK_SET), 0);
    assert_int_equal(fread(out.p, 1, size, file), size);
    out.len = size;
    return out;
}

/* The directory by the record at the end of the file; `is_large` tells whether that of ZIP64 was needed. */
static size_t read_directory(FILE *file, struct entry *entries, bool *is_large)
{
    uint64_t end, count, start;

    assert_int_equal(fseeko(file, 0, SEEK_END), 0);
    end = (uint64_t)ftello(file) - 22;
    assert_int_equal(number_at(file, end, 4), 0x06054b50);
    count = number_at(file, end + 10, 2);
    start = number_at(file, end + 16, 4);
    *is_large = number_at(file, end - 20, 4) == 0x07064b50;
    if (*is_large) {
        uint64_t large = number_at(file, end - 12, 8);

        assert_int_equal(number_at(file, large, 4), 0x06064b50);
        count = number_at(file, large + 32, 8);
        start = number_at(file, large + 48, 8);
        assert_int_equal(start + number_at(file, large + 40, 8), large);
    }
    for (uint64_t i = 0, at = start; i < count; i++) {
        size_t name_len = number_at(file, at + 28, 2), extra = number_at(file, at + 30, 2);
        struct buf name = bytes_at(file, at + 46, name_len);

        assert_int_equal(number_at(file, at, 4), 0x02014b50);
        snprintf(entries[i].name, sizeof entries[i].name, "%.*s", (int)name.len, name.p);
        buf_release(&name);
        entries[i].crc = (uint32_t)number_at(file, at + 16, 4);
        entries[i].packed = number_at(file, at + 20, 4);
        entries[i].size = number_at(file, at + 24, 4);
        entries[i].offset = number_at(file, at + 42, 4);
        if (extra) { /* 4.5.3: the fields that are all ones, in this order */
            assert_int_equal(number_at(file, at + 46 + name_len, 2), 1);
            assert_int_equal(number_at(file, at + 48 + name_len, 2), extra - 4);
            assert_int_equal(entries[i].size, UINT32_MAX);
            assert_int_equal(entries[i].offset, UINT32_MAX);
            entries[i].size = number_at(file, at + 50 + name_len, 8);
            entries[i].packed = number_at(file, at + 58 + name_len, 8);
            entries[i].offset = number_at(file, at + 66 + name_len, 8);
        }
        at += 46 + name_len + extra;
    }
    return count;
}

/* The local header says the same; returns where the content begins. */
static uint64_t check_local(FILE *file, const struct entry *entry)
{
    uint64_t at = entry->offset, name_len, extra;

    assert_int_equal(number_at(file, at, 4), 0x04034b50);
    assert_int_equal(number_at(file, at + 14, 4), entry->crc);
    name_len = number_at(file, at + 26, 2);
    extra = number_at(file, at + 28, 2);
    if (extra) {
        assert_int_equal(number_at(file, at + 18, 4), UINT32_MAX);
        assert_int_equal(number_at(file, at + 34 + name_len, 8), entry->size);
        assert_int_equal(number_at(file, at + 42 + name_len, 8), entry->packed);
    } else {
        assert_int_equal(number_at(file, at + 18, 4), entry->packed);
        assert_int_equal(number_at(file, at + 22, 4), entry->size);
    }
    return at + 30 + name_len + extra;
}

static void check_content(FILE *file, const struct entry *entry, const char *want)
{
    struct buf got = bytes_at(file, check_local(file, entry), strlen(want));

    assert_int_equal(entry->size, strlen(want));
    assert_true(str_eq(buf_str(&got), str_of(want)));
    assert_int_equal(http_crc32(0, buf_str(&got)), entry->crc);
    buf_release(&got);
}

/* As if so many bytes had been added: the file has a hole there. */
static void add_hole(struct zip *zip, uint64_t size)
{
    assert_int_equal(fseeko(zip->file, (off_t)size, SEEK_CUR), 0);
    zip->members[zip->count - 1].size += size;
    zip->at += size;
}

static void small_members(void **state)
{
    struct entry entries[4];
    FILE *file = tmpfile();
    struct zip zip;
    bool is_large;

    (void)state;
    assert_non_null(file);
    zip_init(&zip, file, 1794733080000000);
    zip_put(&zip, "a/first", STR("one"));
    zip_begin(&zip, "b/second", 100);
    zip_add(&zip, STR("tw"));
    zip_add(&zip, STR(""));
    zip_add(&zip, STR("o"));
    zip_end(&zip);
    zip_put(&zip, "empty", STR(""));
    assert_string_equal(zip.members[0].hash,
                        "sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed");
    zip_finish(&zip);
    assert_false(zip.failed);
    fflush(file);
    assert_int_equal(read_directory(file, entries, &is_large), 3);
    assert_false(is_large);
    check_content(file, &entries[0], "one");
    check_content(file, &entries[1], "two");
    check_content(file, &entries[2], "");
    assert_string_equal(entries[1].name, "b/second");
    assert_int_equal(entries[0].offset + 30 + strlen("a/first"), check_local(file, &entries[0])); /* no extra field */
    zip_release(&zip);
    fclose(file);
}

/* A member of 5 GiB, one that begins behind it, and a directory there. */
static void beyond_four_gib(void **state)
{
    struct entry entries[4];
    FILE *file = tmpfile();
    struct zip zip;
    bool is_large;

    (void)state;
    assert_non_null(file);
    zip_init(&zip, file, 1794733080000000);
    zip_put(&zip, "before", STR("one"));
    zip_begin(&zip, "large", UINT64_MAX);
    zip_add(&zip, STR("begin"));
    add_hole(&zip, 5 * gib);
    zip_add(&zip, STR("end"));
    zip_end(&zip);
    zip_put(&zip, "behind", STR("two"));
    zip_finish(&zip);
    assert_false(zip.failed);
    fflush(file);
    assert_int_equal(read_directory(file, entries, &is_large), 3);
    assert_true(is_large);
    check_content(file, &entries[0], "one");
    check_content(file, &entries[2], "two");
    assert_true(entries[2].offset > 5 * gib);
    assert_int_equal(entries[1].size, 5 * gib + 8);
    assert_int_equal(entries[1].packed, 5 * gib + 8);
    assert_int_equal(check_local(file, &entries[1]) + entries[1].size, entries[2].offset);
    zip_release(&zip);
    fclose(file);
}

/* Members that are small each, and more of them than 4 GiB: their places need the extra field, their sizes do not. */
static void many_small_members_beyond_four_gib(void **state)
{
    struct entry entries[8];
    FILE *file = tmpfile();
    struct zip zip;
    bool is_large;

    (void)state;
    assert_non_null(file);
    zip_init(&zip, file, 1794733080000000);
    for (int i = 0; i < 5; i++) {
        zip_begin(&zip, "a", gib);
        add_hole(&zip, gib - 1);
        zip_end(&zip);
    }
    zip_put(&zip, "last", STR("two"));
    zip_finish(&zip);
    fflush(file);
    assert_int_equal(read_directory(file, entries, &is_large), 6);
    assert_true(is_large && !zip.failed);
    for (int i = 0; i < 5; i++)
        assert_int_equal(check_local(file, &entries[i]) + gib - 1, entries[i + 1].offset);
    check_content(file, &entries[5], "two");
    zip_release(&zip);
    fclose(file);
}

/* Whoever says less than it becomes has no room for the sizes: that is a failure, not a damaged file. */
static void a_member_that_grows_too_large_fails(void **state)
{
    FILE *file = tmpfile();
    struct zip zip;

    (void)state;
    assert_non_null(file);
    zip_init(&zip, file, 1794733080000000);
    zip_begin(&zip, "a", 100);
    add_hole(&zip, 4 * gib);
    zip_end(&zip);
    assert_true(zip.failed);
    zip_release(&zip);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_members),
        cmocka_unit_test(beyond_four_gib),
        cmocka_unit_test(many_small_members_beyond_four_gib),
        cmocka_unit_test(a_member_that_grows_too_large_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
