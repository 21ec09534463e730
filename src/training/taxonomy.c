#include "training/taxonomy.h"

#include "base/hash.h"

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
        free(category->items[i]);
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
    free(taxonomy->slots);
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

static uint32_t *find_slot(const struct taxonomy *taxonomy, struct str name)
{
    uint32_t i = (uint32_t)hash_str(name, 0) & (taxonomy->nslots - 1);

    while (taxonomy->slots[i] && !str_eq(str_of(taxonomy->categories[taxonomy->slots[i] - 1].name), name))
        i = (i + 1) & (taxonomy->nslots - 1);
    return &taxonomy->slots[i];
}

int32_t taxonomy_find(const struct taxonomy *taxonomy, struct str category)
{
    struct taxonomy whole = {0}; /* a name that is asked for is not cut to the levels */
    char name[TAXONOMY_MAX_NAME];
    size_t len = spell(&whole, category, name);

    if (len == 0 || len == SIZE_MAX || !taxonomy->nslots)
        return TAXONOMY_NONE;
    return (int32_t)*find_slot(taxonomy, (struct str){name, len}) - 1;
}

static bool grow(struct taxonomy *taxonomy)
{
    uint32_t room = taxonomy->room ? taxonomy->room * 2 : 64;
    struct taxonomy_category *categories = realloc(taxonomy->categories, room * sizeof *categories);
    uint32_t *slots;

    if (!categories)
        return false;
    taxonomy->categories = categories;
    if (!(slots = calloc(room * 2, sizeof *slots)))
        return false;
    free(taxonomy->slots);
    taxonomy->slots = slots;
    taxonomy->nslots = room * 2;
    taxonomy->room = room;
    for (uint32_t i = 0; i < taxonomy->count; i++)
        *find_slot(taxonomy, str_of(categories[i].name)) = i + 1;
    return true;
}

/* The category of this spelled name, made with its ancestors where it is new. */
static scent_status obtain(struct taxonomy *taxonomy, struct str name, uint32_t *out)
{
    int32_t parent = TAXONOMY_NONE;

    for (size_t end = 0; end < name.len; end++) {
        struct str part;
        uint32_t *slot;

        end += str_find(str_sub(name, end, name.len), '.');
        part = str_sub(name, 0, end);
        if (taxonomy->count == taxonomy->room && !grow(taxonomy))
            return SCENT_E_NOMEM;
        slot = find_slot(taxonomy, part);
        if (!*slot) {
            struct taxonomy_category *new = &taxonomy->categories[taxonomy->count];

            if (taxonomy->count == TAXONOMY_MAX_CATEGORIES)
                return SCENT_E_LIMIT;
            *new = (struct taxonomy_category){.parent = parent, .name = str_dup(part)};
            if (!new->name)
                return SCENT_E_NOMEM;
            new->depth = 1;
            if (parent >= 0) {
                new->depth = (uint16_t)(taxonomy->categories[parent].depth + 1);
                taxonomy->categories[parent].kids++;
            }
            *slot = ++taxonomy->count;
        }
        parent = (int32_t)*slot - 1;
    }
    *out = (uint32_t)parent;
    return SCENT_OK;
}

/* ---- items ---- */

static bool make_room(struct taxonomy_category *category)
{
    uint32_t room = category->room ? category->room * 2 : 4;
    char **items;

    if (category->count < category->room)
        return true;
    if (!(items = realloc(category->items, room * sizeof *items)))
        return false;
    category->items = items;
    category->room = room;
    return true;
}

/* Below the cap every item is kept; the n-th one after that takes the place of another with probability cap / n. */
static scent_status keep_item(struct taxonomy *taxonomy, struct taxonomy_category *category, struct str item)
{
    uint32_t cap = taxonomy->options.per_class;
    uint64_t place = category->count;
    char *copy;

    category->offered++;
    if (cap && category->count == cap) {
        place = hash_mix(taxonomy->options.seed, taxonomy->draws++) % category->offered;
        if (place >= cap)
            return SCENT_OK;
    } else if (taxonomy->nitems == TAXONOMY_MAX_ITEMS) {
        return SCENT_E_LIMIT;
    }
    if (!make_room(category) || !(copy = str_dup(item)))
        return SCENT_E_NOMEM;
    if (place < category->count) {
        free(category->items[place]);
    } else {
        category->count++;
        taxonomy->nitems++;
    }
    category->items[place] = copy;
    return SCENT_OK;
}

scent_status taxonomy_add(struct taxonomy *taxonomy, struct str category, struct str item)
{
    char name[TAXONOMY_MAX_NAME];
    size_t len = spell(taxonomy, category, name);
    uint32_t number = 0;
    scent_status status;

    if (len == 0 || !item.len || memchr(item.p, 0, item.len))
        return SCENT_E_INVALID;
    if (len == SIZE_MAX)
        return SCENT_E_LIMIT;
    status = obtain(taxonomy, (struct str){name, len}, &number);
    return status == SCENT_OK ? keep_item(taxonomy, &taxonomy->categories[number], item) : status;
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
        SCENT_BUG_IF(!make_room(parent));
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
