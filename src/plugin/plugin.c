#include "plugin/plugin.h"

#include <dlfcn.h>
#include <string.h>

/* The part of a table that both sides know. */
static scent_status take_table(const void *from, uint32_t abi, uint32_t size, size_t least, void *to, size_t room,
                               const char *path, struct errmsg *err)
{
    if (abi != SCENT_PLUGIN_ABI || size < least)
        return errmsg_fail(err, SCENT_E_INVALID, "%s is a plug-in for another version of scent (ABI %u, this is %d)",
                           path, abi, SCENT_PLUGIN_ABI);
    memset(to, 0, room);
    memcpy(to, from, size < room ? size : room);
    return SCENT_OK;
}

/* An object pointer that is a function, as POSIX has it. */
static scent_status load(const char *path, const char *symbol, struct plugin *out, void **function, struct errmsg *err)
{
    *out = (struct plugin){0};
    out->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!out->library)
        return errmsg_fail(err, SCENT_E_INVALID, "the plug-in cannot be loaded: %s", dlerror());
    *function = dlsym(out->library, symbol);
    return *function ? SCENT_OK
                     : errmsg_fail(err, SCENT_E_INVALID, "%s is not a plug-in: it has no %s()", path, symbol);
}

scent_status plugin_open_judge(const char *path, struct plugin *out, struct errmsg *err)
{
    const struct scent_judge_plugin *(*function)(void) = NULL, *table = NULL;
    void *found = NULL;
    scent_status status = load(path, "scent_judge_plugin", out, &found, err);

    memcpy(&function, &found, sizeof function);
    if (status == SCENT_OK && !(table = function()))
        status = errmsg_fail(err, SCENT_E_INVALID, "%s has no table", path);
    if (status == SCENT_OK)
        status = take_table(table, table->abi, table->size,
                            offsetof(struct scent_judge_plugin, judge) + sizeof table->judge, &out->judge,
                            sizeof out->judge, path, err);
    if (status == SCENT_OK && !out->judge.judge)
        status = errmsg_fail(err, SCENT_E_INVALID, "%s has no function 'judge'", path);
    if (status != SCENT_OK)
        plugin_close(out);
    return status;
}

scent_status plugin_open_strategy(const char *path, struct plugin *out, struct errmsg *err)
{
    const struct scent_strategy_plugin *(*function)(void) = NULL, *table = NULL;
    void *found = NULL;
    scent_status status = load(path, "scent_strategy_plugin", out, &found, err);

    memcpy(&function, &found, sizeof function);
    if (status == SCENT_OK && !(table = function()))
        status = errmsg_fail(err, SCENT_E_INVALID, "%s has no table", path);
    if (status == SCENT_OK)
        status = take_table(table, table->abi, table->size,
                            offsetof(struct scent_strategy_plugin, score) + sizeof table->score, &out->strategy,
                            sizeof out->strategy, path, err);
    if (status == SCENT_OK && (!out->strategy.score || !out->strategy.save != !out->strategy.load))
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "%s lacks the function 'score', or has one of 'save' and 'load' alone", path);
    if (status != SCENT_OK)
        plugin_close(out);
    return status;
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
