/* status - how a function says that it failed.
 *
 * Three kinds of failure (CONTRIBUTING.md): a page that fails is data; the crawler failing is a
 * scent_status that climbs to the engine; a bug aborts. A message for the user travels beside the
 * status in a struct errmsg, filled in where the failure is understood. */
#ifndef SCENT_BASE_STATUS_H
#define SCENT_BASE_STATUS_H

#define SCENT_NODISCARD __attribute__((warn_unused_result))
#define SCENT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

typedef enum {
    SCENT_OK = 0,
    SCENT_E_NOMEM,
    SCENT_E_IO,          /* a file or socket operation failed */
    SCENT_E_FULL,        /* the disk is full */
    SCENT_E_INVALID,     /* the input is not what it must be: usage, configuration, syntax */
    SCENT_E_FORMAT,      /* stored data is damaged */
    SCENT_E_VERSION,     /* stored data is of a version that we do not read */
    SCENT_E_LIMIT,       /* a cap was reached */
    SCENT_E_NOTFOUND,
    SCENT_E_LOCKED,      /* another process uses it */
    SCENT_E_UNSUPPORTED, /* understood, but not something that we handle */
    SCENT_E_END          /* no more: end of file, closed queue */
} scent_status;

const char *scent_status_text(scent_status status);

/* What went wrong, for a person: names the place and the fix. */
struct errmsg {
    char text[1024];
};

/* Formats into `err` (NULL is fine) and returns `status`, so that a failure is one statement. */
scent_status errmsg_fail(struct errmsg *err, scent_status status, const char *fmt, ...) SCENT_PRINTF(3, 4);
/* The same for SCENT_E_NOMEM, where there is nothing to add. */
scent_status errmsg_no_memory(struct errmsg *err);

/* SCENT_E_FULL for ENOSPC, EDQUOT and EFBIG, SCENT_E_NOTFOUND for ENOENT, SCENT_E_IO otherwise. */
scent_status scent_status_of_errno(int err);

/* Returns a failed status from the calling function; for functions that own nothing at that point. */
#define SCENT_TRY(expression)                                \
    do {                                                     \
        scent_status try_status_ = (expression);             \
        if (try_status_ != SCENT_OK)                         \
            return try_status_;                              \
    } while (0)

/* The process cannot go on: a bug, or a fixed-size allocation that failed. */
_Noreturn void scent_abort(const char *file, int line, const char *what);
#define SCENT_BUG_IF(condition)                              \
    do {                                                     \
        if (condition)                                       \
            scent_abort(__FILE__, __LINE__, #condition);     \
    } while (0)

#endif
