/* hooks - commands of the topic (`hooks`) that are told of pages while the crawl runs: a JSON line each, by a pipe.
 *
 * A command is started once, by the shell, and reads lines from its standard input; they are those of `scent export`.
 * A page is told when it is committed, so that its record can be read. The crawl never waits for a command: 4 MiB of
 * lines wait for it, and what has no room is dropped and counted. One that ends is started again, HOOKS_STARTS times in
 * all, later each time, and gets what the one before has not read. At the end its input is closed, and it has
 * HOOKS_GRACE_S seconds to come to its own end; then it is killed with all that it started. Its output goes to standard
 * error.
 * Threads: one of its own for all commands; whoever tells is another one. */
#ifndef SCENT_ENGINE_HOOKS_H
#define SCENT_ENGINE_HOOKS_H

#include "base/buf.h"
#include "engine/journal.h"
#include "topic/topic.h"

enum { HOOKS_STARTS = 5, HOOKS_GRACE_S = 5 };

struct hooks;
/* NULL: the topic has none. */
struct hooks *hooks_start(const struct topic_hooks *commands, struct journal *journal, const struct clock *clock);
/* Whole lines, for the command on_page or on_relevant. Never waits; NULL is fine. */
void hooks_tell(struct hooks *hooks, struct str lines, bool relevant);
uint64_t hooks_dropped(struct hooks *hooks); /* lines; NULL is fine */
/* Gives the commands what is left, and waits for their end. NULL is fine. */
void hooks_stop(struct hooks *hooks);

#endif
