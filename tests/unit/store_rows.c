/* Every kind of row comes back as it went in; transactions, counts, named values. */
#include "store_fixture.h"

#include <float.h>
#include <math.h>

static const struct store_url seed = {
    .url = {"http://a.test/", 14}, .state = STORE_QUEUED, .priority = 3.5f, .parent = STORE_NO_PARENT};

/* ---- urls and hosts ---- */

struct urls {
    struct store_url row[8];
    char text[8][64], error[8][64];
    size_t count;
};

static scent_status keep_url(void *ctx, const struct store_url *url)
{
    struct urls *urls = ctx;
    size_t i = urls->count++;

    assert_true(i < 8);
    urls->row[i] = *url;
    snprintf(urls->text[i], sizeof urls->text[i], "%.*s", STR_ARG(url->url));
    snprintf(urls->error[i], sizeof urls->error[i], "%.*s", STR_ARG(url->error));
    return SCENT_OK;
}

static void assert_same_url(const struct store_url *got, const struct store_url *want)
{
    assert_int_equal(got->id, want->id);
    assert_int_equal(got->host, want->host);
    assert_int_equal(got->state, want->state);
    assert_memory_equal(&got->priority, &want->priority, sizeof got->priority);
    assert_int_equal(got->depth, want->depth);
    assert_int_equal(got->off_domain, want->off_domain);
    assert_int_equal(got->redirects, want->redirects);
    assert_int_equal(got->tries, want->tries);
    assert_int_equal(got->flags, want->flags);
    assert_memory_equal(got->own, want->own, sizeof got->own);
    assert_int_equal(got->parent, want->parent);
}

static void urls_come_back(void **state)
{
    struct fixture *t = *state;
    struct store_url full = {.id = 1,
                             .host = 0xFFFFFFFE,
                             .url = STR("http://a.test/x"),
                             .state = STORE_FAILED,
                             .priority = -INFINITY,
                             .depth = 65535,
                             .off_domain = 255,
                             .redirects = 254,
                             .tries = 253,
                             .flags = 252,
                             .own = {1, 2, 3, [15] = 0xFF},
                             .parent = 0,
                             .error = STR("timeout")};
    struct store_url last = {.id = 0xFFFFFFFE, .url = STR(""), .priority = FLT_TRUE_MIN, .parent = 0xFFFFFFFD};
    struct urls got = {.count = 0};

    begin(t);
    add_url(t, &last);
    add_url(t, &seed);
    add_url(t, &full);
    commit(t);
    reopen(t);
    assert_ok(store_each_url(t->store, keep_url, &got, &t->err), t->err);
    assert_int_equal(got.count, 3);
    assert_same_url(&got.row[0], &seed);
    assert_same_url(&got.row[1], &full);
    assert_same_url(&got.row[2], &last);
    assert_string_equal(got.text[1], "http://a.test/x");
    assert_string_equal(got.error[1], "timeout");
    assert_string_equal(got.error[0], "");
}

static void a_purged_url_comes_back(void **state)
{
    struct fixture *t = *state;
    struct store_url purged = {.url = STR("http://a.test/secret"), .state = STORE_PURGED, .purged = 0xFEDCBA987654321F};
    struct urls got = {.count = 0};

    begin(t);
    add_url(t, &purged);
    commit(t);
    assert_ok(store_each_url(t->store, keep_url, &got, &t->err), t->err);
    assert_int_equal(got.row[0].state, STORE_PURGED);
    assert_true(got.row[0].purged == purged.purged);
    assert_string_equal(got.text[0], "purged:fedcba987654321f");
}

static void not_a_number_comes_back(void **state)
{
    struct fixture *t = *state;
    struct store_url url = seed;
    struct urls got = {.count = 0};

    url.priority = NAN;
    begin(t);
    add_url(t, &url);
    commit(t);
    assert_ok(store_each_url(t->store, keep_url, &got, &t->err), t->err);
    assert_true(isnan(got.row[0].priority));
}

static void an_update_changes_what_may_change(void **state)
{
    struct fixture *t = *state;
    struct store_url change = {.id = 0,
                               .host = 77,
                               .url = STR("ignored"),
                               .state = STORE_DROPPED,
                               .priority = 9,
                               .depth = 4,
                               .off_domain = 2,
                               .redirects = 99,
                               .tries = 5,
                               .flags = 1,
                               .own = {[7] = 7},
                               .parent = 44,
                               .error = STR("limit")},
                     want = change;
    struct urls got = {.count = 0};

    want.host = seed.host;
    want.parent = seed.parent;
    begin(t);
    add_url(t, &seed);
    assert_ok(store_update_url(t->store, &change, &t->err), t->err);
    change.id = 1;
    assert_int_equal(store_update_url(t->store, &change, &t->err), SCENT_E_NOTFOUND);
    commit(t);
    assert_ok(store_each_url(t->store, keep_url, &got, &t->err), t->err);
    assert_int_equal(got.count, 1);
    assert_same_url(&got.row[0], &want);
    assert_string_equal(got.text[0], "http://a.test/");
    assert_string_equal(got.error[0], "limit");
}

static scent_status keep_parts(void *ctx, const struct store_url *row)
{
    buf_clear(ctx);
    buf_add(ctx, row->parts);
    return SCENT_OK;
}

/* What a priority was made of stands as long as the priority. */
static void parts_go_with_the_priority(void **state)
{
    static const struct {
        float priority;
        const char *given, *kept;
    } steps[] = {{.5f, "", "one"}, {.5f, "two", "one"}, {.75f, "three", "three"}, {.25f, "", ""}, {.25f, "four", "four"}};
    struct fixture *t = *state;
    struct store_url url = seed;
    struct buf kept;

    buf_init(&kept, 0);
    url.priority = .5f;
    url.parts = STR("one");
    begin(t);
    add_url(t, &url);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        url.priority = steps[i].priority;
        url.parts = str_of(steps[i].given);
        assert_ok(store_update_url(t->store, &url, &t->err), t->err);
        assert_ok(store_each_url(t->store, keep_parts, &kept, &t->err), t->err);
        assert_true(str_eq(buf_str(&kept), str_of(steps[i].kept)));
    }
    commit(t);
    buf_release(&kept);
}

static void an_id_is_added_once(void **state)
{
    struct fixture *t = *state;

    begin(t);
    add_url(t, &seed);
    assert_int_equal(store_add_url(t->store, &seed, &t->err), SCENT_E_INVALID);
    store_rollback(t->store);
}

static scent_status append_host(void *ctx, const struct store_host *host)
{
    buf_printf(ctx, "%u=%.*s ", host->id, STR_ARG(host->name));
    return SCENT_OK;
}

static void hosts_come_back(void **state)
{
    struct fixture *t = *state;
    struct buf text;

    buf_init(&text, 0);
    begin(t);
    assert_ok(store_add_host(t->store, 0, STR("a.test"), &t->err), t->err);
    assert_ok(store_add_host(t->store, 1, STR("b.test:8080"), &t->err), t->err);
    commit(t);
    assert_ok(store_each_host(t->store, append_host, &text, &t->err), t->err);
    assert_str(buf_str(&text), "0=a.test 1=b.test:8080 ");
    buf_release(&text);
}

/* ---- pages and links ---- */

static const struct store_page full_page = {.number = 1,
                                            .url = 0,
                                            .wall = 1763197080123456,
                                            .status = 200,
                                            .mime = {"text/html", 9},
                                            .charset = {"utf-8", 5},
                                            .lang = {"en", 2},
                                            .title = {"Ice h\xC3\xB6"
                                                      "ckey",
                                                      11},
                                            .digest = {"sha1:ABC", 8},
                                            .ip = {"127.0.0.1", 9},
                                            .bytes = (uint64_t)1 << 40,
                                            .words = UINT32_MAX,
                                            .links = 78,
                                            .took_us = 12345,
                                            .counted = true,
                                            .relevant = true,
                                            .score = 0.1,
                                            .judge_version = UINT32_MAX,
                                            .priority = 0.1f,
                                            .warc_file = {"warc/x.warc.gz", 14},
                                            .warc_offset = (uint64_t)1 << 41,
                                            .warc_length = 99,
                                            .simhash = (uint64_t)1 << 63 | 5,
                                            .duplicate_of = (uint64_t)1 << 41,
                                            .etag = {"\"v1\"", 4},
                                            .last_modified = {"Sat, 15 Nov 2025 08:58:00 GMT", 29},
                                            .robots = STORE_NOFOLLOW | STORE_NOARCHIVE};

static void assert_same_str(struct str got, struct str want)
{
    assert_int_equal(got.len, want.len);
    if (want.len)
        assert_memory_equal(got.p, want.p, want.len);
}

static void assert_same_page(const struct store_page *got, const struct store_page *want)
{
    assert_true(got->number == want->number && got->url == want->url && got->wall == want->wall);
    assert_true(got->status == want->status && got->bytes == want->bytes && got->words == want->words);
    assert_true(got->links == want->links && got->took_us == want->took_us && got->counted == want->counted);
    assert_true(got->relevant == want->relevant && got->score == want->score && got->priority == want->priority);
    assert_int_equal(got->judge_version, want->judge_version);
    assert_true(got->warc_offset == want->warc_offset && got->warc_length == want->warc_length);
    assert_same_str(got->mime, want->mime);
    assert_same_str(got->charset, want->charset);
    assert_same_str(got->lang, want->lang);
    assert_same_str(got->title, want->title);
    assert_same_str(got->digest, want->digest);
    assert_same_str(got->ip, want->ip);
    assert_same_str(got->warc_file, want->warc_file);
    assert_true(got->simhash == want->simhash && got->duplicate_of == want->duplicate_of);
    assert_same_str(got->etag, want->etag);
    assert_same_str(got->last_modified, want->last_modified);
    assert_int_equal(got->robots, want->robots);
}

static const struct store_page bare_page = {.number = 2, .url = 1, .status = 404};

static scent_status check_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    int *calls = ctx;

    ++*calls;
    assert_same_page(page, page->number == 1 ? &full_page : &bare_page);
    assert_int_equal(url->id, page->url);
    assert_str(url->url, page->number == 1 ? "http://a.test/" : "http://a.test/gone");
    assert_int_equal(url->state, page->number == 1 ? STORE_QUEUED : STORE_FAILED);
    return SCENT_OK;
}

static void add_two_pages(struct fixture *t)
{
    struct store_url gone = seed;

    gone.id = 1;
    gone.url = STR("http://a.test/gone");
    gone.state = STORE_FAILED;
    gone.error = STR("http 404");
    add_url(t, &seed);
    add_url(t, &gone);
    assert_ok(store_add_page(t->store, &full_page, &t->err), t->err);
    assert_ok(store_add_page(t->store, &bare_page, &t->err), t->err);
}

static void pages_come_back(void **state)
{
    struct fixture *t = *state;
    int calls = 0;

    begin(t);
    add_two_pages(t);
    commit(t);
    reopen(t);
    assert_ok(store_each_page(t->store, 0, check_page, &calls, &t->err), t->err);
    assert_int_equal(calls, 2);
    assert_ok(store_each_page(t->store, 1, check_page, &calls, &t->err), t->err);
    assert_int_equal(calls, 3);
    assert_ok(store_each_page(t->store, UINT64_MAX, check_page, &calls, &t->err), t->err);
    assert_int_equal(calls, 3);
}

static scent_status append_link(void *ctx, const struct store_link *link, struct str from, struct str to)
{
    buf_printf(ctx, "%llu:%.*s>%u:%.*s %g %u [%.*s]\n", (unsigned long long)link->page, STR_ARG(from), link->target,
               STR_ARG(to), (double)link->priority, link->rel, STR_ARG(link->anchor));
    return SCENT_OK;
}

static void links_come_back(void **state)
{
    struct fixture *t = *state;
    struct store_link one = {.page = 1, .target = 1, .priority = 0.5f, .rel = 3, .anchor = STR("gone")};
    struct store_link two = {.page = 2, .target = 0, .priority = -1};
    struct buf text;

    buf_init(&text, 0);
    begin(t);
    add_two_pages(t);
    assert_ok(store_add_links(t->store, &one, 1, &t->err), t->err);
    assert_ok(store_add_links(t->store, &two, 1, &t->err), t->err);
    commit(t);
    assert_ok(store_each_link(t->store, append_link, &text, &t->err), t->err);
    assert_str(buf_str(&text), "1:http://a.test/>1:http://a.test/gone 0.5 3 [gone]\n"
                               "2:http://a.test/gone>0:http://a.test/ -1 0 []\n");
    buf_release(&text);
}

static scent_status check_order(void *ctx, const struct store_link *link, struct str from, struct str to)
{
    uint32_t *next = ctx;

    (void)from;
    (void)to;
    assert_int_equal(link->target, (*next)++);
    assert_true(link->page == 3 && link->priority == (float)link->target && link->rel == link->target % 7);
    assert_str(link->anchor, link->target % 2 ? "odd" : "");
    return SCENT_OK;
}

static void many_links_keep_their_order(void **state)
{
    struct fixture *t = *state;
    struct store_link links[50];
    uint32_t next = 0;

    for (uint32_t i = 0; i < 50; i++)
        links[i] = (struct store_link){.page = 3,
                                       .target = i,
                                       .priority = (float)i,
                                       .rel = (uint8_t)(i % 7),
                                       .anchor = i % 2 ? STR("odd") : STR_NONE};
    begin(t);
    assert_ok(store_add_links(t->store, links, 0, &t->err), t->err);
    assert_ok(store_add_links(t->store, links, 35, &t->err), t->err);
    assert_ok(store_add_links(t->store, links + 35, 15, &t->err), t->err);
    commit(t);
    assert_ok(store_each_link(t->store, check_order, &next, &t->err), t->err);
    assert_int_equal(next, 50);
}

struct page_links {
    uint64_t page, row;
    unsigned count;
};

static scent_status check_link_of(void *ctx, uint64_t row, const struct store_link *link)
{
    struct page_links *want = ctx;

    assert_int_equal(link->page, want->page);
    assert_true(row > want->row);
    want->row = row;
    want->count++;
    return SCENT_OK;
}

static scent_status count_row(void *ctx, uint64_t row, const struct store_link *link)
{
    (void)row;
    (void)link;
    ++*(unsigned *)ctx;
    return SCENT_OK;
}

/* Page n has n % 4 links. */
static void the_links_of_one_page_are_found(void **state)
{
    struct fixture *t = *state;
    unsigned rest = 0;

    begin(t);
    for (uint64_t page = 1; page <= 60; page++)
        for (uint64_t i = 0; i < page % 4; i++)
            assert_ok(store_add_links(t->store, &(struct store_link){.page = page, .target = 1}, 1, &t->err), t->err);
    commit(t);
    for (uint64_t page = 0; page <= 62; page++) {
        struct page_links got = {page, 0, 0};

        assert_ok(store_each_link_of(t->store, page, check_link_of, &got, &t->err), t->err);
        assert_int_equal(got.count, page <= 60 ? page % 4 : 0);
    }
    assert_ok(store_each_link_from(t->store, 81, count_row, &rest, &t->err), t->err);
    assert_int_equal(rest, 10); /* of 90 */
}

static scent_status keep_anchor(void *ctx, const struct store_link *link, struct str from, struct str to)
{
    (void)from;
    (void)to;
    buf_add(ctx, link->anchor);
    return SCENT_OK;
}

static void assert_anchor(struct fixture *t, struct str anchor, struct str want)
{
    struct store_link link = {.page = 1, .anchor = anchor};
    struct buf got;

    buf_init(&got, 0);
    begin(t);
    assert_ok(store_add_links(t->store, &link, 1, &t->err), t->err);
    assert_ok(store_each_link(t->store, keep_anchor, &got, &t->err), t->err);
    store_rollback(t->store);
    assert_same_str(buf_str(&got), want);
    buf_release(&got);
}

static void long_anchors_are_cut_between_characters(void **state)
{
    char text[301];

    memset(text, 'x', sizeof text);
    assert_anchor(*state, (struct str){text, 256}, (struct str){text, 256});
    assert_anchor(*state, (struct str){text, 257}, (struct str){text, 256});
    memcpy(text + 254, "\xE2\x82\xAC", 3); /* its last byte would be cut off */
    assert_anchor(*state, (struct str){text, 300}, (struct str){text, 254});
}

static void any_bytes_come_back(void **state)
{
    assert_anchor(*state, STR("latin \xE9 and \xFF"), STR("latin \xE9 and \xFF"));
    assert_anchor(*state, STR("zero\0byte"), STR("zero\0byte"));
    assert_anchor(*state, STR("\xED\xA0\x80"), STR("\xED\xA0\x80")); /* a surrogate */
    assert_anchor(*state, STR("'; DROP TABLE url; --"), STR("'; DROP TABLE url; --"));
}

/* ---- values, transactions, counts ---- */

static void assert_value(struct fixture *t, const char *name, struct str want)
{
    struct buf got;

    buf_init(&got, 0);
    assert_ok(store_get(t->store, name, &got, &t->err), t->err);
    assert_same_str(buf_str(&got), want);
    buf_release(&got);
}

static void values_come_back(void **state)
{
    struct fixture *t = *state;
    struct buf small;

    begin(t);
    assert_ok(store_set(t->store, "key", STR("first"), &t->err), t->err);
    assert_ok(store_set(t->store, "key", STR("a\0b"), &t->err), t->err);
    assert_ok(store_set(t->store, "none", STR(""), &t->err), t->err);
    commit(t);
    reopen(t);
    assert_value(t, "key", STR("a\0b"));
    assert_value(t, "none", STR(""));
    buf_init(&small, 2);
    assert_int_equal(store_get(t->store, "key", &small, &t->err), SCENT_E_LIMIT);
    assert_int_equal(store_get(t->store, "other", &small, &t->err), SCENT_E_NOTFOUND);
    buf_release(&small);
}

static void a_rollback_leaves_nothing(void **state)
{
    struct fixture *t = *state;
    struct store_counts counts;

    begin(t);
    add_url(t, &seed);
    assert_ok(store_set(t->store, "x", STR("1"), &t->err), t->err);
    store_rollback(t->store);
    store_rollback(t->store); /* without a transaction: nothing happens */
    assert_ok(store_count(t->store, &counts, &t->err), t->err);
    assert_int_equal(counts.urls[STORE_QUEUED], 0);
    begin(t);
    add_url(t, &seed);
    commit(t);
    assert_ok(store_count(t->store, &counts, &t->err), t->err);
    assert_int_equal(counts.urls[STORE_QUEUED], 1);
}

static void closing_rolls_back(void **state)
{
    struct fixture *t = *state;
    struct store_counts counts;

    begin(t);
    add_url(t, &seed);
    reopen(t);
    assert_ok(store_count(t->store, &counts, &t->err), t->err);
    assert_int_equal(counts.urls[STORE_QUEUED], 0);
}

static void writing_needs_a_transaction(void **state)
{
    struct fixture *t = *state;

    assert_int_equal(store_add_url(t->store, &seed, &t->err), SCENT_E_IO);
    assert_int_equal(store_commit(t->store, &t->err), SCENT_E_IO);
}

static void counts_are_right(void **state)
{
    struct fixture *t = *state;
    struct store_counts counts;
    struct store_url url = seed;
    struct store_page page = full_page;

    begin(t);
    for (int i = 0; i < 28; i++) { /* 1 seen, 2 queued, … 7 purged */
        static const int states[28] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4,
                                       4, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6};

        url.id = (uint32_t)i;
        url.state = (enum store_url_state)states[i];
        add_url(t, &url);
    }
    for (int i = 0; i < 9; i++) {
        page.number = (uint64_t)i + 1;
        page.counted = i < 6;
        page.relevant = i % 2; /* three of the counted ones, one of the others */
        assert_ok(store_add_page(t->store, &page, &t->err), t->err);
        assert_ok(store_add_links(t->store, &(struct store_link){.page = 1}, 1, &t->err), t->err);
    }
    assert_ok(store_add_host(t->store, 0, STR("a"), &t->err), t->err);
    assert_ok(store_count(t->store, &counts, &t->err), t->err); /* inside the transaction too */
    commit(t);
    assert_ok(store_count(t->store, &counts, &t->err), t->err);
    for (uint64_t i = 0; i < STORE_URL_STATES; i++)
        assert_int_equal(counts.urls[i], i + 1);
    assert_int_equal(counts.responses, 9);
    assert_int_equal(counts.pages, 6);
    assert_int_equal(counts.relevant, 3);
    assert_int_equal(counts.links, 9);
    assert_int_equal(counts.hosts, 1);
}

static void append_error(void *ctx, struct str error, uint64_t count)
{
    buf_printf(ctx, "%.*s:%llu ", STR_ARG(error), (unsigned long long)count);
}

static void errors_are_grouped(void **state)
{
    struct fixture *t = *state;
    const char *errors[] = {"timeout", "http 404", "http 404", "dns", "http 404", "timeout"};
    struct store_url url = seed;
    struct buf text;

    buf_init(&text, 0);
    begin(t);
    url.state = STORE_FAILED;
    for (uint32_t i = 0; i < 6; i++) {
        url.id = i;
        url.error = str_of(errors[i]);
        add_url(t, &url);
    }
    url.id = 6;
    url.state = STORE_SEEN; /* what was left out has a reason too */
    url.error = STR("scope");
    add_url(t, &url);
    url.id = 7;
    url.state = STORE_QUEUED; /* it will be tried again */
    url.error = STR("timeout");
    add_url(t, &url);
    commit(t);
    assert_ok(store_each_error(t->store, append_error, &text, &t->err), t->err);
    assert_str(buf_str(&text), "http 404:3 timeout:2 dns:1 scope:1 ");
    buf_release(&text);
}

static void events_are_kept(void **state)
{
    struct fixture *t = *state;

    begin(t);
    assert_ok(store_add_event(t->store, 1763197080123456, "start", STR("run 1"), &t->err), t->err);
    assert_ok(store_add_event(t->store, 1763197080123457, "stop", STR_NONE, &t->err), t->err);
    commit(t);
}

static scent_status check_verdict(void *ctx, const struct store_page *page, const struct store_url *url)
{
    (void)ctx, (void)url;
    if (page->number == 1)
        assert_true(!page->relevant && page->score == 0.25 && page->judge_version == 3);
    else
        assert_true(page->judge_version == 3 && page->first_score == page->score);
    if (page->number == 1)
        assert_true(page->first_relevant && page->first_score == 0.75 && page->first_judge == 2);
    return SCENT_OK;
}

static scent_status check_judge(void *ctx, const struct store_judge *judge)
{
    ++*(int *)ctx;
    assert_true(judge->id == 3 && judge->digest == 0xF000000000000001);
    assert_str(judge->relevant, "query()");
    assert_str(judge->query, "ice");
    assert_str(judge->counts, "c");
    return SCENT_OK;
}

static scent_status check_blocks(void *ctx, const struct store_blocks *blocks)
{
    ++*(int *)ctx;
    assert_int_equal(blocks->host, 4);
    assert_str(blocks->blocks, blocks->page ? "12345678" : "87654321");
    return SCENT_OK;
}

static scent_status count_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    (void)url;
    assert_true(page->warc_length == 9);
    ++*(int *)ctx;
    return SCENT_OK;
}

static scent_status check_counted(void *ctx, const struct store_blocks *counted)
{
    assert_true(counted->page == 2);
    assert_str(counted->blocks, "counted");
    ++*(int *)ctx;
    return SCENT_OK;
}

/* The first verdict stays, however often a page is judged. */
static void verdicts_are_replaced(void **state)
{
    struct store_judge judge = {.id = 3, .made = 5, .digest = 0xF000000000000001,
                                .relevant = STR("query()"), .query = STR("ice"), .counts = STR("c")};
    struct fixture *t = *state;
    struct store_counts counts;
    struct store_judged judged;
    int judges = 0, blocks = 0, stale = 0;

    begin(t);
    add_url(t, &seed);
    for (uint64_t i = 1; i <= 2; i++)
        assert_ok(store_add_page(t->store, &(struct store_page){.number = i, .counted = true, .relevant = true,
                                                                .score = 0.75, .judge_version = 2, .warc_length = 9,
                                                                .warc_file = STR("a.warc.gz")}, &t->err), t->err);
    assert_ok(store_add_judge(t->store, &judge, &t->err), t->err);
    assert_ok(store_count(t->store, &counts, &t->err), t->err);
    assert_int_equal(counts.waiting, 2);
    assert_ok(store_each_stale_page(t->store, 0, 3, count_page, &stale, &t->err), t->err);
    assert_ok(store_each_stale_page(t->store, 1, 3, count_page, &stale, &t->err), t->err);
    assert_ok(store_get_page(t->store, 2, count_page, &stale, &t->err), t->err);
    assert_ok(store_get_page(t->store, 3, count_page, &stale, &t->err), t->err);
    assert_int_equal(stale, 2 + 1 + 1);
    assert_ok(store_judge_page(t->store, 1, true, 0.5, 3, &t->err), t->err);
    assert_ok(store_judge_page(t->store, 1, false, 0.25, 3, &t->err), t->err);
    assert_ok(store_stamp_page(t->store, 2, 3, &t->err), t->err);
    assert_ok(store_put_blocks(t->store, &(struct store_blocks){2, 4, STR("xxxxxxxx")}, &t->err), t->err);
    assert_ok(store_put_blocks(t->store, &(struct store_blocks){2, 4, STR("12345678")}, &t->err), t->err);
    assert_ok(store_put_blocks(t->store, &(struct store_blocks){0, 3, STR("12345678")}, &t->err), t->err);
    assert_ok(store_put_counted(t->store, 2, STR("x"), &t->err), t->err);
    assert_ok(store_put_counted(t->store, 2, STR("counted"), &t->err), t->err);
    assert_ok(store_clear_repeated(t->store, &t->err), t->err);
    assert_ok(store_put_blocks(t->store, &(struct store_blocks){0, 4, STR("87654321")}, &t->err), t->err);
    commit(t);
    reopen(t);
    assert_ok(store_each_page(t->store, 0, check_verdict, NULL, &t->err), t->err);
    assert_ok(store_each_judge(t->store, check_judge, &judges, &t->err), t->err);
    assert_ok(store_each_blocks(t->store, check_blocks, &blocks, &t->err), t->err);
    assert_ok(store_get_blocks(t->store, 2, check_blocks, &blocks, &t->err), t->err);
    assert_ok(store_each_repeated(t->store, check_blocks, &blocks, &t->err), t->err);
    assert_true(judges == 1 && blocks == 3);
    assert_ok(store_get_counted(t->store, 2, check_counted, &blocks, &t->err), t->err);
    assert_ok(store_get_counted(t->store, 1, check_counted, &blocks, &t->err), t->err);
    assert_int_equal(blocks, 4);
    assert_ok(store_count(t->store, &counts, &t->err), t->err);
    assert_true(counts.pages == 2 && counts.relevant == 1 && counts.waiting == 0);
    assert_ok(store_each_stale_page(t->store, 0, 3, count_page, &stale, &t->err), t->err);
    assert_int_equal(stale, 4);
    assert_ok(store_count_judged(t->store, &judged, &t->err), t->err);
    assert_true(judged.pages == 2 && judged.unkept == 0 && judged.most == 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(urls_come_back),
        TEST(a_purged_url_comes_back),
        TEST(not_a_number_comes_back),
        TEST(an_update_changes_what_may_change),
        TEST(parts_go_with_the_priority),
        TEST(an_id_is_added_once),
        TEST(hosts_come_back),
        TEST(pages_come_back),
        TEST(links_come_back),
        TEST(many_links_keep_their_order), TEST(the_links_of_one_page_are_found),
        TEST(long_anchors_are_cut_between_characters),
        TEST(any_bytes_come_back),
        TEST(values_come_back),
        TEST(a_rollback_leaves_nothing),
        TEST(closing_rolls_back),
        TEST(writing_needs_a_transaction),
        TEST(counts_are_right),
        TEST(errors_are_grouped),
        TEST(events_are_kept),
        TEST(verdicts_are_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
