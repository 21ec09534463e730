/* labcommands - the commands behind `scent lab`. */
#ifndef SCENT_APP_LABCOMMANDS_H
#define SCENT_APP_LABCOMMANDS_H

#include "app/command.h"

extern const struct command lab_run_command, lab_compare_command, lab_contexts_command;

#endif
