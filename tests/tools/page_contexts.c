/* tool_page_contexts - the link contexts of pages, for a comparison with another program's (tests/conformance/contexts).
 *
 * Reads from stdin, for each page: "HTML_BYTES WORDS_BYTES\n", the page, the words that the other program found in it
 * (folded, separated by spaces). Writes for each page:
 *   words N same|differ
 *   tree TAG:PARENT …             an element each, in document order
 *   link ELEMENT ANCHOR WINDOW10 WINDOW20 WINDOW40 TREE TREE_SKIP LEAVES PATH, each FIRST-END
 *   near LEAVES PATH              the distance of each word of the last two, a digit each; 6: too far
 *   end */
#include "base/buf.h"
#include "page/context.h"
#include "page/tag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NEAR = 5, MIN = 2, MAX = 40, BYTES_MAX = 1 << 26 };

static bool read_bytes(struct buf *out, size_t count)
{
    buf_clear(out);
    if (count > BYTES_MAX || !buf_reserve(out, count) || fread(out->p, 1, count, stdin) != count)
        return false;
    out->len = count;
    return true;
}

static void print_words(const struct page *page, struct str words)
{
    struct str word;
    uint32_t i = 0;
    bool same = true;

    while (words.len && str_split(&words, ' ', &word)) {
        same = same && i < page->nwords && page->words[i].word == text_word_hash(word);
        i++;
    }
    printf("words %u %s\n", page->nwords, same && i == page->nwords ? "same" : "differ");
}

static void print_tree(const struct page *page)
{
    printf("tree");
    for (uint32_t i = 0; i < page->nnodes; i++) {
        const struct page_node *node = &page->nodes[i];

        printf(" %s:%lld", page_tag_name(node->tag), node->parent == PAGE_NONE ? -1LL : (long long)node->parent);
    }
    printf("\n");
}

static void print_range(struct context range)
{
    printf(" %u-%u", range.first, range.end);
}

static void print_distances(const float *weights, struct context range)
{
    printf(" ");
    for (uint32_t i = 0; i < range.end - range.first; i++)
        printf("%ld", lround((1 - (double)weights[i]) * (NEAR + 1)));
    if (range.first == range.end)
        printf("-");
}

static void print_link(const struct page *page, uint32_t link, const uint32_t *leaf_nodes, float *weights)
{
    struct context leaves = context_leaves(page, link, NEAR), path = context_path(page, link, NEAR);

    printf("link %u", page->links[link].node);
    print_range(context_anchor(page, link));
    print_range(context_window(page, link, 10));
    print_range(context_window(page, link, 20));
    print_range(context_window(page, link, 40));
    print_range(context_tag_tree(page, link, MIN, MAX, false));
    print_range(context_tag_tree(page, link, MIN, MAX, true));
    print_range(leaves);
    print_range(path);
    printf("\nnear");
    context_leaf_weights(page, link, NEAR, leaves, weights);
    print_distances(weights, leaves);
    context_path_weights(page, link, NEAR, leaf_nodes, path, weights);
    print_distances(weights, path);
    printf("\n");
}

static void print_page(const struct page *page, struct str words)
{
    uint32_t *leaf_nodes = calloc(page->nleaves + 1, sizeof *leaf_nodes);
    float *weights = calloc(page->nwords + 1, sizeof *weights);

    SCENT_BUG_IF(!leaf_nodes || !weights);
    context_leaf_nodes(page, leaf_nodes);
    print_words(page, words);
    print_tree(page);
    for (uint32_t i = 0; i < page->nlinks; i++)
        if (page->links[i].kind == PAGE_LINK_ANCHOR)
            print_link(page, i, leaf_nodes, weights);
    printf("end\n");
    free(leaf_nodes);
    free(weights);
}

int main(void)
{
    const struct page_options options = {0};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct buf html, words;
    size_t html_bytes, words_bytes;
    bool well = true;

    buf_init(&html, BYTES_MAX);
    buf_init(&words, BYTES_MAX);
    while (well && scanf("%zu %zu", &html_bytes, &words_bytes) == 2 && getchar() == '\n') {
        struct arena arena;
        struct page page;
        struct url url;

        arena_init(&arena, SIZE_MAX);
        well = read_bytes(&html, html_bytes) && read_bytes(&words, words_bytes) &&
               url_parse(&arena, STR("http://page.test/none/"), NULL, &url) == SCENT_OK &&
               page_analyse(analyser,
                            &(struct page_input){&url, STR("Content-Type: text/html; charset=utf-8\r\n"), buf_str(&html)},
                            &arena, &page) == SCENT_OK;
        if (well)
            print_page(&page, buf_str(&words));
        arena_release(&arena);
    }
    buf_release(&html);
    buf_release(&words);
    page_analyser_free(analyser);
    return well ? 0 : 1;
}
