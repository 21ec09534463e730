/* url_idna - "domain to ASCII" of the standard (section 3.3) for names that are not all ASCII. */
#ifndef SCENT_URL_IDNA_H
#define SCENT_URL_IDNA_H

#include "url/out.h"

/* Appends the punycode form of `name` (bytes, perhaps not UTF-8). SCENT_E_INVALID: no such name can be. */
SCENT_NODISCARD scent_status url_idna_put(struct url_out *out, struct str name);

#endif
