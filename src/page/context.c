#include "page/context.h"

#include "page/tag.h"

#include <stdlib.h>

static uint32_t count(struct context context)
{
    return context.end - context.first;
}

struct context context_anchor(const struct page *page, uint32_t link)
{
    return (struct context){page->links[link].first_word, page->links[link].end_word};
}

/* `before` words more on the left and `after` on the right, as far as [low, high) has them; what one side lacks the
 * other gives. */
static struct context widen(struct context inner, uint32_t before, uint32_t after, uint32_t low, uint32_t high)
{
    uint32_t left = inner.first - low, right = high - inner.end;
    uint32_t take_left = before < left ? before : left, take_right = after < right ? after : right;

    take_right += before - take_left;
    take_left += after < right ? 0 : after - right;
    take_left = take_left < left ? take_left : left;
    take_right = take_right < right ? take_right : right;
    return (struct context){inner.first - take_left, inner.end + take_right};
}

struct context context_window(const struct page *page, uint32_t link, uint32_t words)
{
    return widen(context_anchor(page, link), words / 2, words / 2, 0, page->nwords);
}

/* ---- tag tree ---- */

static bool is_formatting(uint16_t tag)
{
    return page_tag_flags(tag) & PAGE_TAG_FORMAT;
}

static struct context words_of(const struct page *page, uint32_t node)
{
    return (struct context){page->nodes[node].first_word, page->nodes[node].end_word};
}

struct context context_title(const struct page *page)
{
    for (uint32_t i = 0; i < page->nnodes; i++)
        if (page->nodes[i].tag == PAGE_TAG_TITLE && count(words_of(page, i)))
            return words_of(page, i);
    return (struct context){0, 0};
}

/* At most `max` words of `outer`, around the anchor; of a longer anchor its first ones. */
static struct context cut(struct context outer, struct context anchor, uint32_t max)
{
    uint32_t more;

    if (count(outer) <= max)
        return outer;
    if (count(anchor) >= max)
        return (struct context){anchor.first, anchor.first + max};
    more = max - count(anchor);
    return widen(anchor, more / 2, more - more / 2, outer.first, outer.end);
}

struct context context_tag_tree(const struct page *page, uint32_t link, uint32_t min, uint32_t max,
                                bool skip_formatting)
{
    uint32_t node = page->links[link].node;
    struct context anchor = context_anchor(page, link);

    if (node == PAGE_NONE)
        return cut(anchor, anchor, max);
    while (page->nodes[node].parent != PAGE_NONE &&
           (count(words_of(page, node)) <= min || (skip_formatting && is_formatting(page->nodes[node].tag))))
        node = page->nodes[node].parent;
    return cut(words_of(page, node), anchor, max);
}

/* ---- distance in leaves ---- */

/* The first word of this leaf or of a later one. */
static uint32_t first_word_of_leaf(const struct page *page, uint32_t leaf)
{
    uint32_t low = 0, high = page->nwords;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (page->words[middle].leaf < leaf)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The leaves inside the anchor: [first, end), empty for one without text. */
static void anchor_leaves(const struct page *page, uint32_t link, uint32_t *first, uint32_t *end)
{
    uint32_t node = page->links[link].node;

    *first = node == PAGE_NONE ? 0 : page->nodes[node].first_leaf;
    *end = node == PAGE_NONE ? 0 : page->nodes[node].end_leaf;
}

struct context context_leaves(const struct page *page, uint32_t link, uint32_t distance)
{
    uint32_t first, end, low, high;

    anchor_leaves(page, link, &first, &end);
    low = first > distance ? first - distance : 0;
    high = page->nleaves - end > distance ? end + distance : page->nleaves;
    return (struct context){first_word_of_leaf(page, low), first_word_of_leaf(page, high)};
}

void context_leaf_weights(const struct page *page, uint32_t link, uint32_t distance, struct context context,
                          float *weights)
{
    uint32_t first, end;

    anchor_leaves(page, link, &first, &end);
    for (uint32_t i = context.first; i < context.end; i++) {
        uint32_t leaf = page->words[i].leaf, d = leaf < first ? first - leaf : leaf >= end ? leaf - end + 1 : 0;

        weights[i - context.first] = d <= distance ? 1 - (float)d / (float)(distance + 1) : 0;
    }
}

/* ---- distance in the tree ---- */

void context_leaf_nodes(const struct page *page, uint32_t *leaf_nodes)
{
    for (uint32_t i = 0; i < page->nleaves; i++)
        leaf_nodes[i] = PAGE_NONE;
    /* A child comes after its parent, so the innermost element is written last. */
    for (uint32_t node = 0; node < page->nnodes; node++)
        for (uint32_t leaf = page->nodes[node].first_leaf; leaf < page->nodes[node].end_leaf; leaf++)
            leaf_nodes[leaf] = node;
}

/* The ancestor of the anchor that is `distance` above it, or the root: nothing outside it is near. */
static uint32_t climb(const struct page *page, uint32_t node, uint32_t distance)
{
    while (distance-- > 0 && page->nodes[node].parent != PAGE_NONE)
        node = page->nodes[node].parent;
    return node;
}

struct context context_path(const struct page *page, uint32_t link, uint32_t distance)
{
    uint32_t node = page->links[link].node;

    if (node == PAGE_NONE)
        return context_anchor(page, link);
    return words_of(page, climb(page, node, distance));
}

/* Edges between the anchor's element and the leaf; UINT32_MAX when they are more than `most`. */
static uint32_t path_length(const struct page *page, uint32_t anchor, uint32_t leaf_node, uint32_t most)
{
    uint32_t length = 1, a = anchor, b = leaf_node; /* 1: from the leaf to its element */

    while (a != b && length <= most) {
        if (page->nodes[a].depth > page->nodes[b].depth)
            a = page->nodes[a].parent;
        else
            b = page->nodes[b].parent;
        length++;
        if (a == PAGE_NONE || b == PAGE_NONE)
            return UINT32_MAX;
    }
    return length <= most ? length : UINT32_MAX;
}

void context_path_weights(const struct page *page, uint32_t link, uint32_t distance, const uint32_t *leaf_nodes,
                          struct context context, float *weights)
{
    uint32_t anchor = page->links[link].node, first, end, last = PAGE_NONE;
    float weight = 0;

    anchor_leaves(page, link, &first, &end);
    for (uint32_t i = context.first; i < context.end; i++) {
        uint32_t leaf = page->words[i].leaf;

        if (leaf != last) {
            bool inside = leaf >= first && leaf < end, nowhere = anchor == PAGE_NONE || leaf_nodes[leaf] == PAGE_NONE;
            uint32_t d = inside    ? 0
                         : nowhere ? UINT32_MAX
                                   : path_length(page, anchor, leaf_nodes[leaf], distance);

            weight = d <= distance ? 1 - (float)d / (float)(distance + 1) : 0;
            last = leaf;
        }
        weights[i - context.first] = weight;
    }
}

/* ---- bags ---- */

/* Windows have some tens of words: insertion beats a call of qsort for each comparison. */
enum { FEW = 64 };

static void sort_few(uint64_t *stems, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t stem = stems[i];
        size_t at = i;

        for (; at > 0 && stems[at - 1] > stem; at--)
            stems[at] = stems[at - 1];
        stems[at] = stem;
    }
}

/* The usual window, 78 times a page: stems alone move faster than items. */
static size_t bag_few(const struct page *page, struct context context, struct text_weight *items)
{
    uint64_t stems[FEW];
    size_t n = 0, kept = 0;

    for (uint32_t i = context.first; i < context.end; i++) {
        stems[n] = page->words[i].stem;
        n += !(page->words[i].flags & PAGE_WORD_STOP);
    }
    sort_few(stems, n);
    for (size_t i = 0; i < n; i++) {
        if (kept && items[kept - 1].stem == stems[i])
            items[kept - 1].weight++;
        else
            items[kept++] = (struct text_weight){stems[i], 1};
    }
    return kept;
}

static size_t bag_any(const struct page *page, struct context context, const float *weights, struct text_weight *items)
{
    size_t n = 0, kept = 0;

    for (uint32_t i = context.first; i < context.end; i++) {
        double weight = weights ? (double)weights[i - context.first] : 1;

        if (!(page->words[i].flags & PAGE_WORD_STOP) && weight > 0)
            items[n++] = (struct text_weight){page->words[i].stem, weight};
    }
    qsort(items, n, sizeof *items, text_order_stems);
    for (size_t i = 0; i < n; i++) {
        if (kept && items[kept - 1].stem == items[i].stem)
            items[kept - 1].weight += items[i].weight;
        else
            items[kept++] = items[i];
    }
    return kept;
}

struct text_vector context_bag(const struct page *page, struct context context, const float *weights,
                               struct text_weight *items)
{
    bool few = !weights && count(context) <= FEW;

    return (struct text_vector){items, few ? bag_few(page, context, items) : bag_any(page, context, weights, items)};
}
