/* What the files of check share. */
#ifndef SCENT_ENGINE_CHECK_PARTS_H
#define SCENT_ENGINE_CHECK_PARTS_H

#include "engine/check.h"
#include "store/store.h"
#include "warc/warc.h"

/* What would mend a problem. */
enum check_fix { CHECK_NOTHING, CHECK_PURGE, CHECK_TAIL, CHECK_INDEX, CHECK_FIXES };

struct check {
    const struct check_options *options;
    struct check_report *report;
    struct store *store;
    struct warc_position end; /* of the WARC files, as committed */
    uint64_t fixable[CHECK_FIXES]; /* problems by what would mend them */
};

void check_say(struct check *check, enum check_fix fix, const char *fmt, ...) SCENT_PRINTF(3, 4);

/* One WARC file against the page rows, up to `limit`. `path` is where it lies, `name` its name without .open. */
SCENT_NODISCARD scent_status check_records(struct check *check, const char *path, struct str name, uint64_t limit,
                                           struct errmsg *err);
/* index.cdxj against the page rows. */
SCENT_NODISCARD scent_status check_index(struct check *check, struct errmsg *err);

#endif
