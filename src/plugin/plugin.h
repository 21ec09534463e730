/* plugin - shared libraries of users, which bring a judge or a strategy (scent_plugin.h).
 *
 * The table is copied into one of our own size: functions that an older plug-in does not have are NULL. A library stays
 * loaded until plugin_close(). Any thread. */
#ifndef SCENT_PLUGIN_PLUGIN_H
#define SCENT_PLUGIN_PLUGIN_H

#include "base/arena.h"
#include "base/status.h"
#include "page/page.h"

#include <scent_plugin.h>

struct plugin {
    void *library;
    struct scent_judge_plugin judge;       /* .abi 0: it is not one */
    struct scent_strategy_plugin strategy;
};
/* SCENT_E_INVALID: it cannot be loaded, has no such function, or is of another ABI; the message says so. */
SCENT_NODISCARD scent_status plugin_open_judge(const char *path, struct plugin *out, struct errmsg *err);
SCENT_NODISCARD scent_status plugin_open_strategy(const char *path, struct plugin *out, struct errmsg *err);
void plugin_close(struct plugin *plugin); /* zeroed is fine */

/* The page as plug-ins see it; `text` is what it is shown of its words. Links are in `arena`: SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status plugin_show_page(const struct page *page, struct str text, const uint32_t *targets,
                                              struct arena *arena, struct scent_page *out);

#endif
