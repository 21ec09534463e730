/* ending - is a crawl over, how did it end, and how far has it come? */
#ifndef SCENT_ENGINE_ENDING_H
#define SCENT_ENGINE_ENDING_H

#include "engine/engine.h"

struct crawl;

struct ending {
    int64_t started, stop_by, next_progress;
    bool stopping, aborted;
};

/* Notes that it is to stop; breaks off what takes too long after that. */
void ending_check_stop(struct crawl *crawl);
bool ending_is_over(struct crawl *crawl);
enum engine_end ending_kind(const struct crawl *crawl);
void ending_progress(const struct crawl *crawl, struct engine_progress *out);
void ending_tell_progress(struct crawl *crawl);
/* What was learned and a word on the end, as the last thing that is written. */
SCENT_NODISCARD scent_status ending_put_last_words(struct crawl *crawl, struct errmsg *err);
/* When all threads are gone: learned/, run.json and index.cdxj. */
SCENT_NODISCARD scent_status ending_note_run(struct crawl *crawl, const struct engine_report *report,
                                             struct errmsg *err);

#endif
