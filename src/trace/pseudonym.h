/* pseudonym - a name that stands for a user and does not tell who it is, as long as the key is secret. Pure. */
#ifndef SCENT_TRACE_PSEUDONYM_H
#define SCENT_TRACE_PSEUDONYM_H

#include "base/str.h"

enum { PSEUDONYM_LEN = 32 }; /* hex digits: 128 bits of HMAC-SHA-256 */

void pseudonym_make(struct str key, struct str name, char out[PSEUDONYM_LEN]);

#endif
