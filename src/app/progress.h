/* progress - how a crawl is doing, for a person, on stderr. */
#ifndef SCENT_APP_PROGRESS_H
#define SCENT_APP_PROGRESS_H

#include "engine/engine.h"

void progress_show(const struct engine_progress *progress); /* one line that overwrites itself */
void progress_clear(void);
void progress_summary(const struct engine_report *report, const char *dir);

#endif
