/* external_lines - the lines that a crawl and a program of the user's exchange: questions out, answers in
 * (docs/guide/judge.md). No process, no clock, no threads: external.c has them. */
#ifndef SCENT_TOPIC_EXTERNAL_LINES_H
#define SCENT_TOPIC_EXTERNAL_LINES_H

#include "page/page.h"
#include "topic/external.h"

enum { EXTERNAL_LINE_MAX = 64 << 10 }; /* of an answer */

/* A page that waits for its answer. */
struct external_question {
    const struct judge_input *input;
    struct external_answer *answer; /* not given yet */
    int64_t id;
};

/* The content, or all of the text where the topic looks at all of it. */
void external_write_text(const struct page *page, struct buf *out);
/* `left`: so many more come before an answer is waited for. */
void external_write_question(const struct external_question *question, size_t left, struct buf *out);

/* Takes the whole lines off `received` and the answers out of them; adds to *answered. The rest stays for the next
 * bytes. NULL, or what is wrong with a line: what came before it counts. */
SCENT_NODISCARD const char *external_take_lines(struct buf *received, struct external_question *const *questions,
                                                size_t count, size_t *answered);

#endif
