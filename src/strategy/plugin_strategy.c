/* plugin - a strategy of the user's own, from a shared library (include/scent_plugin.h): strategy: {plugin: ./mine.so}.
 *
 * The page is shown to the library once a visit. Its state is kept with its name and version, so that another library,
 * or another version of it, does not read it. Memory: what the library takes. */
#include "plugin/plugin.h"
#include "strategy/strategies.h"

#include <stdio.h>
#include <stdlib.h>

enum { ARENA_CAP = 64 << 20 };

struct plugged {
    struct plugin plugin;
    void *state;
    struct arena arena; /* of the page that was shown last */
    struct scent_page page;
    uint64_t number;
    uint32_t id;
    bool is_shown;
};

static const struct strategy_option options[] = {
    {"file", "", "the shared library; other options are its own", .kind = STRATEGY_TEXT},
    {0},
};

/* Its own options as key, value, …; all but the file. */
static const char **list_options(const struct topic *topic, struct arena *arena, const char **file)
{
    const char **list = arena_array(arena, 2 * topic->noptions + 1, sizeof *list);
    size_t n = 0;

    *file = NULL;
    for (size_t i = 0; list && i < topic->noptions; i++) {
        struct str key = arena_str(arena, topic->options[i].key), value = arena_str(arena, topic->options[i].value);

        if (!key.p || !value.p)
            return NULL;
        if (str_eq(key, STR("file"))) {
            *file = value.p;
        } else if (!str_eq(key, STR("threshold")) && !str_eq(key, STR("preset"))) {
            list[n++] = key.p;
            list[n++] = value.p;
        }
    }
    if (list)
        list[n] = NULL;
    return list;
}

static void close_state(void *state)
{
    struct plugged *own = state;

    if (own->plugin.strategy.close && own->plugin.library)
        own->plugin.strategy.close(own->state);
    plugin_close(&own->plugin);
    arena_release(&own->arena);
    free(own);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct plugged *own = calloc(1, sizeof *own);
    char why[256] = "it gave no reason";
    const char **list, *file;
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!own);
    arena_init(&own->arena, ARENA_CAP);
    list = list_options(context->topic, &own->arena, &file);
    if (!list)
        status = SCENT_E_NOMEM;
    else if (!file || !strchr(file, '/'))
        status = errmsg_fail(err, SCENT_E_INVALID, "plugin: name the library, such as {plugin: ./mine.so}");
    if (status == SCENT_OK)
        status = plugin_open_strategy(file, &own->plugin, err);
    if (status == SCENT_OK && own->plugin.strategy.open) {
        own->state = own->plugin.strategy.open(list, context->seed, why, sizeof why);
        if (!own->state) {
            own->plugin.strategy.close = NULL;
            status = errmsg_fail(err, SCENT_E_INVALID, "the plug-in %s cannot be opened: %.*s", file,
                                 (int)sizeof why - 1, why);
        }
    }
    if (status == SCENT_OK)
        *state = own;
    else
        close_state(own);
    return status;
}

/* False: there is no memory for it. */
static bool show(struct plugged *own, const struct strategy_visit *visit)
{
    if (own->is_shown && own->number == visit->number && own->id == visit->id)
        return true;
    arena_reset(&own->arena);
    own->is_shown =
        plugin_show_page(visit->page, visit->page->text, visit->targets, &own->arena, &own->page) == SCENT_OK;
    own->page.depth = visit->depth;
    own->page.is_seed = visit->seed;
    own->page.is_relevant = visit->judgement->relevant;
    own->page.score = visit->judgement->score;
    own->page.own = visit->own;
    own->page.id = own->id = visit->id;
    own->page.number = own->number = visit->number;
    return own->is_shown;
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct plugged *own = state;

    own->is_shown = false; /* the links of a page that changed may be others */
    if (own->plugin.strategy.observe && show(own, visit))
        own->plugin.strategy.observe(own->state, &own->page);
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct plugged *own = state;
    struct scent_score said = {.size = sizeof said};

    *out = (struct strategy_score){0};
    if (!show(own, visit))
        return;
    own->plugin.strategy.score(own->state, &own->page, link, &said);
    out->priority = said.priority;
    out->drop = said.drop != 0;
    memcpy(out->own, said.own, sizeof out->own);
    for (uint32_t i = 0; i < said.part_count && i < SCENT_SCORE_PARTS && said.parts[i].name; i++)
        out->parts[out->nparts++] = (struct strategy_part){
            .name = said.parts[i].name, .value = said.parts[i].value, .weight = (float)said.parts[i].weight};
}

/* ---- its state ---- */

static void write_mark(const struct plugged *own, struct buf *out)
{
    const char *name = own->plugin.strategy.name, *version = own->plugin.strategy.version;

    buf_printf(out, "plugin 1 %.100s %.100s\n", name ? name : "", version ? version : "");
}

static void take_bytes(void *sink, const void *bytes, size_t length)
{
    buf_add(sink, (struct str){bytes, length});
}

static scent_status save(void *state, struct buf *out)
{
    struct plugged *own = state;

    write_mark(own, out);
    if (own->plugin.strategy.save && own->plugin.strategy.save(own->state, take_bytes, out) != 0)
        return SCENT_E_IO;
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct plugged *own = state;
    scent_status status = SCENT_OK;
    struct buf mark;

    buf_init(&mark, 0);
    write_mark(own, &mark);
    if (!str_starts(blob, buf_str(&mark)))
        status = errmsg_fail(err, SCENT_E_VERSION, "what was learned is of another plug-in, or another version of it");
    else if (own->plugin.strategy.load &&
             own->plugin.strategy.load(own->state, blob.p + mark.len, blob.len - mark.len) != 0)
        status = errmsg_fail(err, SCENT_E_FORMAT, "the plug-in cannot read what it saved");
    buf_release(&mark);
    return status;
}

const struct strategy_ops strategy_plugin = {
    .name = "plugin",
    .summary = "a strategy of your own, from a shared library: strategy: {plugin: ./mine.so}",
    .paper = "none",
    .options = options,
    .takes_any_option = true,
    .whole_graph = "a plug-in keeps its knowledge for itself",
    .own_bytes = STRATEGY_OWN_BYTES,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .save = save,
    .load = load,
};
