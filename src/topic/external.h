/* external - a judge of the user's own: a program that is asked over a pipe, or a plug-in (the key `judge` of a topic
 * file).
 *
 * The program is started once, without a shell, and gets a JSON line for each page; it answers each with a line that
 * has the page's id and a score (docs/guide/judge.md). Pages that wait at the same time are sent as one batch: whoever
 * asks while the program is busy waits, and the next batch has all of them. A program that dies, does not answer in
 * time or answers nonsense is ended and started again, and the pages that have no answer are asked again one by one, so
 * that one bad page costs no other its answer. After EXTERNAL_FAILURES starts in a row without an answer it has failed,
 * and nothing more is asked.
 * The score is the measure judge() of predicates. It must depend on the page alone.
 * Threads: any, at once. Owner: the caller of external_open(); it outlives every judge. */
#ifndef SCENT_TOPIC_EXTERNAL_H
#define SCENT_TOPIC_EXTERNAL_H

#include "base/buf.h"
#include "base/log.h"
#include "topic/topic.h"

enum { EXTERNAL_FAILURES = 5, EXTERNAL_WHY = 1024, EXTERNAL_BATCH_MAX = 256 };

struct judge_input;
struct external_answer {
    bool is_given;
    double score;           /* [0, 1]; 0 where none is given */
    char why[EXTERNAL_WHY]; /* its reason, printable; else why there is no answer */
};

struct external;
/* `folder` is that of the topic file: the program runs there. `log` outlives it. Nothing is started yet, but
 * SCENT_E_INVALID: the program does not exist, or cannot be run. */
SCENT_NODISCARD scent_status external_open(const struct topic_judge *options, const char *folder,
                                           const struct log *log, struct external **out, struct errmsg *err);
void external_free(struct external *external); /* NULL is fine; ends the program */

/* Waits for the answer. */
void external_ask(struct external *external, const struct judge_input *input, struct external_answer *out);

/* True: it will not answer any more, and `why` says what happened. */
bool external_has_failed(struct external *external, struct errmsg *why);
/* Of the command, the files that it names, and the topic's `version`: another digest may give other verdicts. */
uint64_t external_digest(const struct external *external);
struct str external_name(const struct external *external); /* "./judge.py --fast" */
/* How many threads should judge, where `wanted` were asked for (0: one a core): who waits for a program needs no core
 * of its own, so as many wait as it takes at once. NULL: there is no program. */
uint32_t external_threads(const struct external *external, uint32_t wanted);

#endif
