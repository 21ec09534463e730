#include "plugin/plugin.h"

#include <dlfcn.h>
#include <string.h>

/* The two kinds of tables begin alike. */
struct table_head {
    uint32_t abi, size;
};

static const void *call_judge(void *symbol)
{
    const struct scent_judge_plugin *(*function)(void);

    memcpy(&function, &symbol, sizeof function); /* an object pointer that is a function, as POSIX has it */
    return function();
}

static const void *call_strategy(void *symbol)
{
    const struct scent_strategy_plugin *(*function)(void);

    memcpy(&function, &symbol, sizeof function);
    return function();
}

/* Loads the library, and copies the part of its table that both sides know; it has `least` bytes at least. After a
 * failure the library may be loaded. */
static scent_status load_table(const char *path, const char *name, const void *(*call)(void *symbol), size_t least,
                               struct plugin *out, void *to, size_t room, struct errmsg *err)
{
    const void *table = NULL;
    struct table_head head;
    void *symbol;

    *out = (struct plugin){0};
    out->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!out->library)
        return errmsg_fail(err, SCENT_E_INVALID, "the plug-in cannot be loaded: %s", dlerror());
    symbol = dlsym(out->library, name);
    if (!symbol)
        return errmsg_fail(err, SCENT_E_INVALID, "%s is not a plug-in of this kind: it has no %s()", path, name);
    table = call(symbol);
    if (!table)
        return errmsg_fail(err, SCENT_E_INVALID, "the plug-in %s has no table: %s() returned NULL", path, name);
    memcpy(&head, table, sizeof head);
    if (head.abi != SCENT_PLUGIN_ABI || head.size < least)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s is a plug-in for another version of scent (ABI %u with a table of %u bytes; this is "
                           "ABI %d with %zu or more)", path, head.abi, head.size, SCENT_PLUGIN_ABI, least);
    memcpy(to, table, head.size < room ? head.size : room);
    return SCENT_OK;
}

static scent_status finish(struct plugin *plugin, scent_status status)
{
    if (status != SCENT_OK)
        plugin_close(plugin);
    return status;
}

scent_status plugin_open_judge(const char *path, struct plugin *out, struct errmsg *err)
{
    scent_status status = load_table(path, "scent_judge_plugin", call_judge,
                                     offsetof(struct scent_judge_plugin, judge) + sizeof out->judge.judge, out,
                                     &out->judge, sizeof out->judge, err);

    if (status == SCENT_OK && !out->judge.judge)
        status = errmsg_fail(err, SCENT_E_INVALID, "the plug-in %s has no function 'judge'", path);
    return finish(out, status);
}

scent_status plugin_open_strategy(const char *path, struct plugin *out, struct errmsg *err)
{
    scent_status status = load_table(path, "scent_strategy_plugin", call_strategy,
                                     offsetof(struct scent_strategy_plugin, score) + sizeof out->strategy.score, out,
                                     &out->strategy, sizeof out->strategy, err);

    if (status == SCENT_OK && !out->strategy.score)
        status = errmsg_fail(err, SCENT_E_INVALID, "the plug-in %s has no function 'score'", path);
    else if (status == SCENT_OK && !out->strategy.save != !out->strategy.load)
        status = errmsg_fail(err, SCENT_E_INVALID, "the plug-in %s has one of 'save' and 'load' without the other",
                             path);
    return finish(out, status);
}

void plugin_close(struct plugin *plugin)
{
    if (plugin->library)
        dlclose(plugin->library);
    *plugin = (struct plugin){0};
}

/* ---- pages ---- */

static struct scent_text text_of(struct str s)
{
    return (struct scent_text){s.p ? s.p : "", s.len};
}

/* The block of a word; links come in document order, and so do blocks. */
static const struct page_block *block_of(const struct page *page, uint32_t word, uint32_t *from)
{
    while (*from < page->nblocks && page->blocks[*from].end_word <= word)
        ++*from;
    return *from < page->nblocks && page->blocks[*from].first_word <= word ? &page->blocks[*from] : NULL;
}

scent_status plugin_show_page(const struct page *page, struct str text, const uint32_t *targets, struct arena *arena,
                              struct scent_page *out)
{
    struct scent_link *links = arena_array(arena, page->nlinks + (size_t)1, sizeof *links);
    uint32_t at = 0;

    if (!links)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < page->nlinks; i++) {
        const struct page_block *block = block_of(page, page->links[i].first_word, &at);

        links[i] = (struct scent_link){
            .url = text_of(page->links[i].url.href),
            .anchor = text_of(page->links[i].anchor),
            .around = text_of(block ? str_sub(page->text, block->start, block->end) : STR_NONE),
            .id = targets ? targets[i] : UINT32_MAX,
        };
    }
    *out = (struct scent_page){
        .size = sizeof *out,
        .link_size = sizeof *links,
        .url = text_of(page->url.href),
        .title = text_of(page->title),
        .lang = text_of(page->lang),
        .text = text_of(text),
        .links = links,
        .link_count = page->nlinks,
    };
    return SCENT_OK;
}
