/* rulescommands - the commands behind `scent rules`. */
#ifndef SCENT_APP_RULESCOMMANDS_H
#define SCENT_APP_RULESCOMMANDS_H

#include "app/command.h"

extern const struct command rules_build_command, rules_show_command;

#endif
