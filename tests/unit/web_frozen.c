/* Webs that experiments were frozen with: a change of the generator, or of their files, that changes a byte of them is
 * noticed here. Such a change needs a new file beside the old one, not a new number here. */
#include "web_sample.h"

#include "base/hash.h"

#include <inttypes.h>

enum { EVERY = 8 }; /* hosts that are looked at */

static uint64_t hash_href(const struct web *web, struct str href, struct buf *buf)
{
    struct web_response r = sample_get(web, href, buf);

    return hash_str(r.body, hash_str(r.head, hash_str(href, (uint64_t)r.status)));
}

/* The pages of a host, and those of its tunnel. */
static uint64_t hash_host(const struct web *web, uint64_t index, struct buf *buf, struct arena *arena)
{
    const struct world *world = web_world(web);
    uint64_t sum = index;
    struct world_host host;
    struct world_page page;

    world_host(world, index, &host);
    for (uint64_t number = 0; number < host.pages; number++) {
        arena_reset(arena);
        sum = hash_mix(sum, hash_href(web, web_page_url(web, index, number, arena), buf));
    }
    for (uint32_t step = 1; world_host_is_hidden(world, &host) && step <= world->spec.tunnel_length; step++) {
        arena_reset(arena);
        world_tunnel(world, index, step, &page);
        sum = hash_mix(sum, hash_href(web, sample_href(web, &page, arena), buf));
    }
    return sum;
}

static void is_frozen(const char *file, uint64_t want)
{
    struct errmsg err = {""};
    struct arena arena;
    struct web *web;
    struct buf buf;
    char path[600];
    uint64_t got = 0;

    snprintf(path, sizeof path, SCENT_TESTS "/../examples/lab/%s", file);
    assert_ok(web_open(path, NULL, &web, &err), err);
    arena_init(&arena, 1 << 20);
    buf_init(&buf, 0);
    for (uint64_t index = 0; index < web_hosts(web); index += EVERY)
        got = hash_mix(got, hash_host(web, index, &buf, &arena));
    if (got != want)
        print_error("%s has become another web: %016" PRIx64 " instead of %016" PRIx64 "\n", file, got, want);
    assert_true(got == want);
    buf_release(&buf);
    arena_release(&arena);
    web_free(web);
}

static void tunnels(void **state)
{
    (void)state;
    is_frozen("tunnels-0-web.yaml", 0xc31b4c6893303e4b);
    is_frozen("tunnels-1-web.yaml", 0x49824032a9d4e1f4);
    is_frozen("tunnels-2-web.yaml", 0x552dc05881b59c0d);
    is_frozen("tunnels-3-web.yaml", 0x8cc6824fae9a8fa6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tunnels)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
