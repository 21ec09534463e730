/* url_host - the host parser of the standard (section 3.5) for the special schemes. */
#ifndef SCENT_URL_HOST_H
#define SCENT_URL_HOST_H

#include "url/out.h"

/* Appends the serialised host that `text` stands for: a name in lower case and punycode, or an address. */
SCENT_NODISCARD scent_status url_host_parse(struct url_out *out, struct str text);

/* Whether the standard takes this serialised name or address for an IPv4 address: its last label is a number. */
bool url_host_ends_in_number(struct str host);
bool url_host_is_address(struct str host); /* IPv4 or [IPv6] */
struct str url_host_without_dot(struct str host); /* "example.org." is "example.org" */

#endif
