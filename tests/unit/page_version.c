/* Analysed pages are kept (the lab's cache): whoever changes what the same bytes give must raise PAGE_VERSION. */
#include "page_fixture.h"

static const char HTML[] =
    "<!doctype html><html lang=en><head><title>Ice hockey &amp; rinks</title>"
    "<link rel=canonical href='/canon'><meta name=robots content='noarchive'></head>"
    "<body><h1>The history of hockey</h1><nav><a href=/>Home</a> <a href='a?b=1&amp;c=2' rel=nofollow>Teams, players</a></nav>"
    "<p>Sticks and pucks are <b>played with</b> on ice; <a href=//other.test/x#y><img alt='a goal'></a> was scored"
    "<table><tr><td>Caf\303\251<td>\346\227\245\346\234\254\350\252\236</table><script>var no = 'word'</script>"
    "<p hidden>Running runners ran &mdash; don't stop";

static uint64_t hash_of(const struct page *page)
{
    uint64_t hash = PAGE_VERSION;

    hash = hash_bytes(page->words, page->nwords * sizeof *page->words, hash);
    hash = hash_bytes(page->nodes, page->nnodes * sizeof *page->nodes, hash);
    for (uint32_t i = 0; i < page->nbag; i++)
        hash = hash_mix(hash_str(page->bag[i].text, page->bag[i].stem), hash + page->bag[i].tf);
    for (uint32_t i = 0; i < page->nlinks; i++) {
        const struct page_link *link = &page->links[i];
        const uint32_t numbers[] = {link->first_word, link->end_word, link->node, link->rel, link->kind, link->is_boilerplate};

        hash = hash_bytes(numbers, sizeof numbers, hash_str(link->url.href, hash_str(link->anchor, hash)));
    }
    for (uint32_t i = 0; i < page->nblocks; i++) {
        const struct page_block *block = &page->blocks[i];
        const uint32_t numbers[] = {block->first_word, block->end_word, block->start, block->end, block->link_words,
                                    block->node, block->kind, block->level, block->is_boilerplate};

        hash = hash_bytes(numbers, sizeof numbers, hash);
    }
    hash = hash_str(page->title, hash_str(page->lang, hash_str(page->canonical.href, hash)));
    return hash_mix(hash, page->robots);
}

static void same_bytes_same_page(void **state)
{
    struct page_fixture fixture = {0};
    uint64_t hash = hash_of(fixture_html(&fixture, HTML));

    (void)state;
    fixture_release(&fixture);
    if (hash != UINT64_C(0xf1e9ce1d44769215))
        fail_msg("analysis has changed: raise PAGE_VERSION, and write 0x%llx here", (unsigned long long)hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bytes_same_page)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
