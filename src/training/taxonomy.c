#include "training/taxonomy.h"

#include "base/hash.h"
#include "base/vec.h"

#include <stdlib.h>

struct taxonomy *taxonomy_new(const struct taxonomy_options *options)
{
    struct taxonomy *taxonomy = calloc(1, sizeof *taxonomy);

    SCENT_BUG_IF(!taxonomy);
    taxonomy->options = *options;
    return taxonomy;
}

static void drop_items(struct taxonomy *taxonomy, struct taxonomy_category *category)
{
    for (uint32_t i = 0; i < category->count; i++)
        free(category->items[i].text);
    free(category->items);
    taxonomy->nitems -= category->count;
    category->items = NULL;
    category->count = category->room = 0;
}

void taxonomy_free(struct taxonomy *taxonomy)
{
    if (!taxonomy)
        return;
    for (uint32_t i = 0; i < taxonomy->count; i++) {
        drop_items(taxonomy, &taxonomy->categories[i]);
        free(taxonomy->categories[i].name);
    }
    free(taxonomy->categories);
    map_release(&taxonomy->numbers);
    free(taxonomy);
}

/* ---- names ---- */

/* One spelling: dots between the levels, no empty levels. The length; 0: nothing is left; SIZE_MAX: too long or deep. */
static size_t spell(const struct taxonomy *taxonomy, struct str name, char out[TAXONOMY_MAX_NAME])
{
    bool slashed = str_find(name, '/') < name.len || str_eq(name, STR("Top"));
    uint32_t depth = 0;
    size_t len = 0;
    struct str part;

    name = str_trim(name);
    while (str_split(&name, slashed ? '/' : '.', &part)) {
        part = str_trim(part);
        if (!part.len || (slashed && depth == 0 && len == 0 && str_eq(part, STR("Top"))))
            continue;
        if (taxonomy->options.levels && depth == taxonomy->options.levels)
            break;
        if (len + part.len + 2 > TAXONOMY_MAX_NAME || ++depth > TAXONOMY_MAX_DEPTH)
            return SIZE_MAX;
        if (len)
            out[len++] = '.';
        for (size_t i = 0; i < part.len; i++)
            out[len++] = part.p[i] == '.' || (unsigned char)part.p[i] < ' ' ? '_' : part.p[i];
    }
    out[len] = 0;
    return len;
}

static int32_t find_category(const struct taxonomy *taxonomy, struct str name)
{
    struct map_walk walk = map_find(&taxonomy->numbers, hash_str(name, 0));

    while (map_next(&walk))
        if (str_eq(str_of(taxonomy->categories[walk.value].name), name))
            return (int32_t)walk.value;
    return TAXONOMY_NONE;
}

int32_t taxonomy_find(const struct taxonomy *taxonomy, struct str category)
{
    struct taxonomy whole = {0}; /* a name that is asked for is not cut to the levels */
    char name[TAXONOMY_MAX_NAME];
    size_t len = spell(&whole, category, name);

    return len == 0 || len == SIZE_MAX ? TAXONOMY_NONE : find_category(taxonomy, (struct str){name, len});
}

static scent_status add_category(struct taxonomy *taxonomy, struct str name, int32_t parent)
{
    struct taxonomy_category *new;

    if (taxonomy->count == TAXONOMY_MAX_CATEGORIES)
        return SCENT_E_LIMIT;
    if (!vec_reserve(&taxonomy->categories, &taxonomy->room, taxonomy->count + 1, sizeof *taxonomy->categories))
        return SCENT_E_NOMEM;
    new = &taxonomy->categories[taxonomy->count];
    *new = (struct taxonomy_category){.parent = parent, .name = str_dup(name), .depth = 1};
    if (!new->name)
        return SCENT_E_NOMEM;
    if (map_add(&taxonomy->numbers, hash_str(name, 0), (uint32_t)taxonomy->count) != SCENT_OK) {
        free(new->name);
        return SCENT_E_NOMEM;
    }
    if (parent >= 0) {
        new->depth = (uint16_t)(taxonomy->categories[parent].depth + 1);
        taxonomy->categories[parent].kids++;
    }
    taxonomy->count++;
    return SCENT_OK;
}

/* The category of this spelled name, made with its ancestors where it is new. */
static scent_status obtain_category(struct taxonomy *taxonomy, struct str name, uint32_t *out)
{
    int32_t parent = TAXONOMY_NONE;

    for (size_t end = 0; end < name.len; end++) {
        struct str part;
        int32_t number;

        end += str_find(str_sub(name, end, name.len), '.');
        part = str_sub(name, 0, end);
        number = find_category(taxonomy, part);
        if (number == TAXONOMY_NONE) {
            number = (int32_t)taxonomy->count;
            SCENT_TRY(add_category(taxonomy, part, parent));
        }
        parent = number;
    }
    *out = (uint32_t)parent;
    return SCENT_OK;
}

/* ---- items ---- */

static bool reserve_item(struct taxonomy_category *category)
{
    return vec_reserve(&category->items, &category->room, category->count + 1, sizeof *category->items);
}

/* Below the cap every item is kept; the n-th one after that takes the place of another with probability cap / n.
 * `text` STR_NONE: it is a number. */
static scent_status keep_item(struct taxonomy *taxonomy, struct taxonomy_category *category, struct str text,
                              uint32_t number)
{
    uint32_t cap = taxonomy->options.per_class;
    struct taxonomy_item item = {.number = number};
    uint64_t place = category->count;

    category->offered++;
    if (cap && category->count == cap) {
        place = hash_mix(taxonomy->options.seed, taxonomy->draws++) % category->offered;
        if (place >= cap)
            return SCENT_OK;
    } else if (taxonomy->nitems == TAXONOMY_MAX_ITEMS) {
        return SCENT_E_LIMIT;
    }
    if (!reserve_item(category) || (text.len && !(item.text = str_dup(text))))
        return SCENT_E_NOMEM;
    if (place < category->count) {
        free(category->items[place].text);
    } else {
        category->count++;
        taxonomy->nitems++;
    }
    category->items[place] = item;
    return SCENT_OK;
}

static scent_status add_item(struct taxonomy *taxonomy, struct str category, struct str text, uint32_t item)
{
    char name[TAXONOMY_MAX_NAME];
    size_t len = spell(taxonomy, category, name);
    uint32_t number = 0;

    if (len == 0)
        return SCENT_E_INVALID;
    if (len == SIZE_MAX)
        return SCENT_E_LIMIT;
    SCENT_TRY(obtain_category(taxonomy, (struct str){name, len}, &number));
    return keep_item(taxonomy, &taxonomy->categories[number], text, item);
}

scent_status taxonomy_add(struct taxonomy *taxonomy, struct str category, struct str item)
{
    return !item.len || memchr(item.p, 0, item.len) ? SCENT_E_INVALID : add_item(taxonomy, category, item, 0);
}

scent_status taxonomy_add_number(struct taxonomy *taxonomy, struct str category, uint32_t number)
{
    return add_item(taxonomy, category, STR_NONE, number);
}

bool taxonomy_is_below(const struct taxonomy *taxonomy, uint32_t category, int32_t ancestor)
{
    int32_t at = (int32_t)category;

    while (at >= 0 && at != ancestor)
        at = taxonomy->categories[at].parent;
    return at >= 0;
}

/* ---- leaves ---- */

static void bury(struct taxonomy *taxonomy, struct taxonomy_category *category)
{
    category->dead = true;
    if (category->parent >= 0)
        taxonomy->categories[category->parent].kids--;
}

static void move_up(struct taxonomy *taxonomy, struct taxonomy_category *leaf)
{
    struct taxonomy_category *parent = leaf->parent >= 0 ? &taxonomy->categories[leaf->parent] : NULL;

    for (uint32_t i = 0; parent && i < leaf->count; i++) {
        SCENT_BUG_IF(!reserve_item(parent));
        parent->items[parent->count++] = leaf->items[i];
    }
    if (parent) {
        free(leaf->items);
        leaf->items = NULL;
        leaf->count = leaf->room = 0;
    }
    drop_items(taxonomy, leaf);
    bury(taxonomy, leaf);
}

uint64_t taxonomy_merge_leaves(struct taxonomy *taxonomy, uint32_t min_leaf)
{
    uint64_t before = taxonomy->nitems;

    for (uint32_t depth = TAXONOMY_MAX_DEPTH; depth > 0; depth--)
        for (uint32_t i = 0; i < taxonomy->count; i++) {
            struct taxonomy_category *category = &taxonomy->categories[i];

            if (category->depth == depth && !category->dead && category->kids == 0 && category->count < min_leaf)
                move_up(taxonomy, category);
        }
    for (uint32_t i = 0; i < taxonomy->count; i++)
        if (taxonomy->categories[i].kids)
            drop_items(taxonomy, &taxonomy->categories[i]);
    return before - taxonomy->nitems;
}
