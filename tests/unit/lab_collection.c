/* A collection from a generated web: closed, cached, and made anew when it must be. */
#include "test.h"

#include "base/file.h"
#include "base/hash.h"
#include "lab/collection.h"
#include "lab/collection_file.h"

#include <sys/stat.h>

static const char SPEC[] = "kind: generated\nseed: 7\nhosts: 20\npages_per_host: 10\n";

struct place {
    char *dir;
    char spec[512];
    unsigned analysed; /* calls of the progress function */
};

static void write_file(const char *path, const char *text)
{
    struct errmsg err = {0};

    assert_ok(file_replace(path, str_of(text), &err), err);
}

static int set_up(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    place->dir = test_make_dir();
    snprintf(place->spec, sizeof place->spec, "%s/web.yaml", place->dir);
    write_file(place->spec, SPEC);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;

    test_remove_dir(place->dir);
    free(place);
    return 0;
}

static void count_progress(void *ctx, size_t done, size_t all)
{
    assert_true(done <= all);
    ((struct place *)ctx)->analysed++;
}

static struct collection *open_threads(struct place *place, uint32_t threads)
{
    struct collection_options options = {
        .path = place->spec,
        .cache = place->dir,
        .threads = threads,
        .progress = count_progress,
        .progress_ctx = place,
    };
    struct collection *collection;
    struct errmsg err = {0};

    place->analysed = 0;
    assert_ok(collection_open(&options, &collection, &err), err);
    return collection;
}

/* The path of the only collection file. */
static void find_cache(const struct place *place, char *out, size_t room)
{
    struct file_list list;
    struct errmsg err = {0};

    assert_ok(file_list(place->dir, ".pages", &list, &err), err);
    assert_int_equal(list.count, 1);
    snprintf(out, room, "%s/%s", place->dir, list.names[0]);
    file_list_release(&list);
}

static uint64_t cache_hash(const struct place *place)
{
    char path[600];
    struct errmsg err = {0};
    struct buf bytes;
    uint64_t hash;

    find_cache(place, path, sizeof path);
    buf_init(&bytes, 0);
    assert_ok(file_read(path, &bytes, &err), err);
    hash = hash_str(buf_str(&bytes), 0);
    buf_release(&bytes);
    return hash;
}

static void links_stay_inside(void **state)
{
    struct collection *collection = open_threads(*state, 2);
    size_t links = 0, labels = 0;

    assert_true(collection_count(collection) > 60);
    for (uint32_t i = 0; i < collection_count(collection); i++) {
        const uint32_t *targets;
        const struct page *page = collection_page(collection, i, &targets);
        uint32_t found;

        assert_non_null(page);
        assert_true(str_eq(page->url.href, collection_url(collection, i)));
        assert_true(collection_find(collection, page->url.href, &found) && found == i);
        for (uint32_t k = 0; k < page->nlinks; k++) {
            assert_true(collection_find_print(collection, page->links[k].fingerprint, &found));
            assert_int_equal(found, targets[k]);
            assert_true(str_eq(page->links[k].url.href, collection_url(collection, targets[k])));
        }
        links += page->nlinks;
        labels += collection_label(collection, i).len > 0;
    }
    assert_true(links > 500);
    assert_int_equal(labels, collection_count(collection));
    assert_false(collection_find(collection, STR("http://elsewhere.test/"), &(uint32_t){0}));
    assert_false(collection_find(collection, STR("no url"), &(uint32_t){0}));
    collection_close(collection);
}

/* A collection of pages that are read in part is another one, and its pages begin as the whole ones do. */
static void pages_in_part(void **state)
{
    struct place *place = *state;
    struct collection_options options = {.path = place->spec, .cache = place->dir, .threads = 1};
    struct collection *whole, *bytes, *links;
    struct errmsg err = {0};
    size_t shorter = 0;

    assert_ok(collection_open(&options, &whole, &err), err);
    options.page_bytes = 1024;
    assert_ok(collection_open(&options, &bytes, &err), err);
    options.page_bytes = 0;
    options.page_links = 3;
    assert_ok(collection_open(&options, &links, &err), err);
    assert_true(collection_digest(whole) != collection_digest(bytes));
    assert_true(collection_digest(whole) != collection_digest(links));
    assert_true(collection_digest(bytes) != collection_digest(links));
    for (uint32_t i = 0; i < collection_count(bytes); i++) {
        const struct page *part = collection_page(bytes, i, NULL), *all;
        uint32_t same;

        assert_true(part->nwords < 1024 / 2);
        assert_true(collection_find(whole, collection_url(bytes, i), &same));
        all = collection_page(whole, same, NULL);
        assert_true(part->nwords <= all->nwords && part->nlinks <= all->nlinks);
        for (uint32_t k = 0; k + 1 < part->nwords; k++) /* the last word may be cut */
            assert_true(part->words[k].word == all->words[k].word);
        shorter += part->nwords < all->nwords;
    }
    assert_true(shorter > 0);
    for (uint32_t i = 0; i < collection_count(links); i++)
        assert_true(collection_page(links, i, NULL)->nlinks <= 3);
    collection_close(whole);
    collection_close(bytes);
    collection_close(links);
}

static void analysed_once(void **state)
{
    struct place *place = *state;
    uint64_t first;

    collection_close(open_threads(place, 2));
    assert_true(place->analysed > 0);
    first = cache_hash(place);
    collection_close(open_threads(place, 2));
    assert_int_equal(place->analysed, 0);
    assert_true(cache_hash(place) == first);
}

static void threads_change_nothing(void **state)
{
    struct place *place = *state;
    char path[600];
    uint64_t first;

    collection_close(open_threads(place, 1));
    first = cache_hash(place);
    find_cache(place, path, sizeof path);
    assert_int_equal(remove(path), 0);
    collection_close(open_threads(place, 3));
    assert_true(cache_hash(place) == first);
}

static void other_sources(void **state)
{
    struct place *place = *state;
    char path[600];

    collection_close(open_threads(place, 2));
    find_cache(place, path, sizeof path);
    write_file(place->spec, "kind: generated\nseed: 8\nhosts: 20\npages_per_host: 10\n");
    collection_close(open_threads(place, 2));
    assert_true(place->analysed > 0);
}

static void flip(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    int byte;

    assert_non_null(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    byte = fgetc(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    assert_true(fputc(byte ^ 1, file) != EOF);
    assert_int_equal(fclose(file), 0);
}

/* Damage in the header, the index or the names: analysed anew. In a page: that page is refused, the others are well. */
static void damage(void **state)
{
    struct place *place = *state;
    const long places[] = {1, 20, -1, -40};
    struct collection *collection;
    char path[600];
    size_t bad = 0;

    collection_close(open_threads(place, 2));
    find_cache(place, path, sizeof path);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        flip(path, places[i]);
        collection_close(open_threads(place, 2));
        assert_true(place->analysed > 0);
    }
    flip(path, 4000);
    collection = open_threads(place, 2);
    assert_int_equal(place->analysed, 0);
    for (uint32_t i = 0; i < collection_count(collection); i++)
        bad += collection_page(collection, i, NULL) == NULL;
    assert_int_equal(bad, 1);
    collection_close(collection);
    assert_int_equal(truncate(path, 100), 0);
    collection_close(open_threads(place, 2));
    assert_true(place->analysed > 0);
}

static void nothing_there(void **state)
{
    struct place *place = *state;
    struct collection_options options = {.path = "/nowhere", .cache = place->dir, .threads = 1};
    struct collection *collection;
    struct errmsg err = {0};

    assert_int_equal(collection_open(&options, &collection, &err), SCENT_E_NOTFOUND);
    assert_non_null(strstr(err.text, "/nowhere"));
}

/* A content encoding is how pages travel, not what they say. */
static void pages_that_come_compressed_are_all_seen(void **state)
{
    struct place *place = *state;
    struct collection *plain = open_threads(place, 2), *packed;

    write_file(place->spec, "kind: generated\nseed: 7\nhosts: 20\npages_per_host: 10\ngzip: 1\n");
    packed = open_threads(place, 2);
    assert_int_equal(collection_count(packed), collection_count(plain));
    for (uint32_t i = 0; i < collection_count(plain); i++) {
        const struct page *a = collection_page(plain, i, NULL), *b = collection_page(packed, i, NULL);

        assert_true(str_eq(a->url.href, b->url.href));
        assert_int_equal(a->nwords, b->nwords);
        assert_int_equal(a->nlinks, b->nlinks);
    }
    collection_close(packed);
    collection_close(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(links_stay_inside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_in_part, set_up, tear_down),
        cmocka_unit_test_setup_teardown(analysed_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_change_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_sources, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_that_come_compressed_are_all_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_there, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
