#include "strategy/saved.h"

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
    return errmsg_fail(err, SCENT_E_FORMAT, "the state of %s is damaged%s%s: begin the crawl anew", of, wrong ? ", " : "",
                       wrong ? wrong : "");
}
