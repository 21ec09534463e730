/* browsecommands - the commands behind `scent browse`, and what they share. */
#ifndef SCENT_APP_BROWSECOMMANDS_H
#define SCENT_APP_BROWSECOMMANDS_H

#include "app/command.h"
#include "trace/browsing.h"

extern const struct command browse_import_command, browse_info_command, browse_record_command, browse_train_command;

/* For people: how many visits, pages and marks. */
void browse_info_print(const struct browsing *browsing, FILE *out);

#endif
