#include "strategy/saved.h"

#include "base/bytes.h"

enum { LENGTH = 8 };

scent_status saved_open(const char *of, unsigned version, struct str *blob, struct errmsg *err)
{
    if (blob->len < 1 || (unsigned char)blob->p[0] != version)
        return errmsg_fail(err, SCENT_E_VERSION,
                           "the state of %s is of another version: go on with the scent that wrote it, or begin the crawl anew",
                           of);
    *blob = str_sub(*blob, 1, blob->len);
    return SCENT_OK;
}

scent_status saved_fail(const char *of, const char *wrong, struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_FORMAT, "the state of %s is damaged%s%s: begin the crawl anew", of,
                       wrong ? ", " : "", wrong ? wrong : "");
}

scent_status saved_put_part(saved_write *write, void *state, struct buf *out)
{
    size_t at = out->len;
    uint64_t length;
    scent_status status;

    bytes_put(out, 0, LENGTH);
    status = write ? write(state, out) : SCENT_OK;
    if (status != SCENT_OK || out->failed)
        return status != SCENT_OK ? status : SCENT_E_NOMEM;
    length = out->len - at - LENGTH;
    for (int i = 0; i < LENGTH; i++)
        out->p[at + (size_t)i] = (char)(length >> 8 * i);
    return SCENT_OK;
}
