/* Words for statuses, messages, the end of the process. */
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *scent_status_text(scent_status status)
{
    static const char *const texts[] = {
        [SCENT_OK] = "ok",
        [SCENT_E_NOMEM] = "out of memory",
        [SCENT_E_IO] = "input/output error",
        [SCENT_E_FULL] = "no space left on the disk",
        [SCENT_E_INVALID] = "invalid input",
        [SCENT_E_FORMAT] = "damaged data",
        [SCENT_E_VERSION] = "unsupported version",
        [SCENT_E_LIMIT] = "limit reached",
        [SCENT_E_NOTFOUND] = "not found",
        [SCENT_E_LOCKED] = "in use by another process",
        [SCENT_E_UNSUPPORTED] = "not supported",
        [SCENT_E_END] = "end",
    };

    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

scent_status errmsg_fail(struct errmsg *err, scent_status status, const char *fmt, ...)
{
    va_list args;

    if (!err)
        return status;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    return status;
}

scent_status errmsg_no_memory(struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
}

scent_status scent_status_of_errno(int err)
{
    switch (err) {
    case ENOSPC:
    case EFBIG:
    case EDQUOT:
        return SCENT_E_FULL;
    case ENOENT:
        return SCENT_E_NOTFOUND;
    case ENOMEM:
        return SCENT_E_NOMEM;
    default:
        return SCENT_E_IO;
    }
}

_Noreturn void scent_abort(const char *file, int line, const char *what)
{
    fprintf(stderr, "scent: bug at %s:%d: %s\n", file, line, what);
    abort();
}
