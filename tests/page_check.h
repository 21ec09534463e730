/* What holds of every struct page, whatever the input was. Stops the program where it does not; for the fuzzer and
 * the tests. */
#ifndef SCENT_TESTS_PAGE_CHECK_H
#define SCENT_TESTS_PAGE_CHECK_H

#include "base/str.h"
#include "page/page.h"
#include "page/tag.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>

#define PAGE_CHECK(condition)                                                                 \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            fprintf(stderr, "%s:%d: page: %s\n", __FILE__, __LINE__, #condition);             \
            abort();                                                                          \
        }                                                                                     \
    } while (0)

static inline void page_check_utf8(struct str s)
{
    for (size_t i = 0, len; i < s.len; i += len) {
        len = utf8_sequence(str_sub(s, i, s.len));
        PAGE_CHECK(len > 0);
        PAGE_CHECK(s.p[i] != 0);
    }
}

static inline void page_check_words(const struct page *page)
{
    uint32_t open_words = 0;
    uint64_t tf = 0;

    for (uint32_t i = 0; i < page->nwords; i++) {
        PAGE_CHECK(page->words[i].leaf < page->nleaves);
        PAGE_CHECK(i == 0 || page->words[i - 1].leaf <= page->words[i].leaf);
        open_words += !(page->words[i].flags & (PAGE_WORD_STOP | PAGE_WORD_BOILERPLATE));
    }
    for (uint32_t i = 0; i < page->nbag; i++) {
        PAGE_CHECK(i == 0 || page->bag[i - 1].stem < page->bag[i].stem);
        PAGE_CHECK(page->bag[i].tf > 0);
        PAGE_CHECK(page->bag[i].text.len > 0 && page->bag[i].text.len <= TEXT_WORD_MAX);
        page_check_utf8(page->bag[i].text);
        tf += page->bag[i].tf;
    }
    PAGE_CHECK(tf == open_words);
}

/* Blocks lie one behind the other and hold all words but those of the title; words, terms and links say the same. */
static inline void page_check_blocks(const struct page *page)
{
    uint32_t words = 0, text = 0, unmarked = 0;
    uint32_t content = 0;

    for (uint32_t i = 0; i < page->nblocks; i++) {
        const struct page_block *block = &page->blocks[i];

        PAGE_CHECK(block->first_word >= words && block->end_word >= block->first_word);
        PAGE_CHECK(block->start >= text && block->end >= block->start && block->end <= page->text.len);
        PAGE_CHECK(block->end_word > block->first_word || block->end > block->start);
        PAGE_CHECK(block->link_words <= block->end_word - block->first_word && block->node < page->nnodes);
        PAGE_CHECK((block->kind == PAGE_BLOCK_HEADING) <= (block->level >= 1 && block->level <= 6));
        unmarked += block->first_word - words;
        words = block->end_word;
        text = block->end;
        for (uint32_t k = block->first_word; k < block->end_word; k++)
            PAGE_CHECK(block->is_boilerplate == !!(page->words[k].flags & PAGE_WORD_BOILERPLATE));
    }
    unmarked += page->nwords - words;
    PAGE_CHECK(words <= page->nwords && (page->title.len > 0 || unmarked == 0));
    for (uint32_t i = 0; i < page->nwords; i++)
        content += !(page->words[i].flags & PAGE_WORD_BOILERPLATE);
    PAGE_CHECK(content == page->ncontent && (content > 0 || page->nwords == 0));
}

static inline void page_check_nodes(const struct page *page)
{
    for (uint32_t i = 0; i < page->nnodes; i++) {
        const struct page_node *node = &page->nodes[i], *parent;

        PAGE_CHECK(node->tag < PAGE_TAG_COUNT);
        PAGE_CHECK(node->first_word <= node->end_word && node->end_word <= page->nwords);
        PAGE_CHECK(node->first_leaf <= node->end_leaf && node->end_leaf <= page->nleaves);
        PAGE_CHECK((i == 0) == (node->parent == PAGE_NONE));
        if (i == 0)
            continue;
        PAGE_CHECK(node->parent < i);
        parent = &page->nodes[node->parent];
        PAGE_CHECK(node->depth == parent->depth + 1);
        PAGE_CHECK(parent->first_word <= node->first_word && node->end_word <= parent->end_word);
        PAGE_CHECK(parent->first_leaf <= node->first_leaf && node->end_leaf <= parent->end_leaf);
        PAGE_CHECK(page->nodes[i - 1].first_word <= node->first_word);
    }
    if (page->nnodes)
        PAGE_CHECK(page->nodes[0].first_word == 0 && page->nodes[0].end_word == page->nwords);
}

static inline void page_check_links(const struct page *page)
{
    for (uint32_t i = 0; i < page->nlinks; i++) {
        const struct page_link *link = &page->links[i];

        PAGE_CHECK(link->first_word <= link->end_word && link->end_word <= page->nwords);
        PAGE_CHECK(link->node < page->nnodes);
        PAGE_CHECK(page->nodes[link->node].first_word <= link->first_word);
        PAGE_CHECK(link->end_word <= page->nodes[link->node].end_word);
        PAGE_CHECK(str_starts(link->url.href, STR("http")) && url_fragment(&link->url).len == 0);
        PAGE_CHECK(link->fingerprint != 0);
        PAGE_CHECK(link->anchor.p && link->anchor.len <= 256 && str_trim(link->anchor).len == link->anchor.len);
        page_check_utf8(link->anchor);
        PAGE_CHECK(i == 0 || page->links[i - 1].first_word <= link->first_word);
    }
}

static inline void page_check(const struct page *page)
{
    page_check_words(page);
    page_check_blocks(page);
    page_check_nodes(page);
    page_check_links(page);
    page_check_utf8(page->text);
    page_check_utf8(page->title);
    PAGE_CHECK(page->charset.len > 0);
    PAGE_CHECK(page->lang.len <= 3);
    PAGE_CHECK(page->text.len == 0 || !ascii_is_space(page->text.p[page->text.len - 1]));
}

#endif
