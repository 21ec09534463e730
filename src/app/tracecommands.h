/* tracecommands - the commands behind `scent trace`, and what they share. */
#ifndef SCENT_APP_TRACECOMMANDS_H
#define SCENT_APP_TRACECOMMANDS_H

#include "app/command.h"
#include "trace/trace.h"

extern const struct command trace_import_command, trace_info_command;

/* For people: what the trace holds, and what was left out of it and why. */
void trace_info_print(const struct trace *trace, FILE *out);

#endif
