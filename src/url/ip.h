/* url_ip - IPv4 and IPv6 addresses as the standard reads and writes them (sections 3.5 and 3.6). */
#ifndef SCENT_URL_IP_H
#define SCENT_URL_IP_H

#include "url/out.h"

/* One to four numbers, decimal, octal (0…) or hexadecimal (0x…); the last fills what the others leave. */
bool url_ip4_parse(struct str text, uint32_t *address);
void url_ip4_put(struct url_out *out, uint32_t address);

/* Without the brackets. */
bool url_ip6_parse(struct str text, uint16_t pieces[8]);
void url_ip6_put(struct url_out *out, const uint16_t pieces[8]); /* with brackets; RFC 5952 */

#endif
