/* webcommands - the three commands behind `scent web`. */
#ifndef SCENT_APP_WEBCOMMANDS_H
#define SCENT_APP_WEBCOMMANDS_H

#include "app/command.h"

extern const struct command web_serve_command, web_generate_command, web_pack_command;

#endif
