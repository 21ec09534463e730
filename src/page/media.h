/* media - can a body be read as text? Its declared type, and what its first bytes say (after WHATWG's MIME Sniffing).
 *
 * HTML that is called HTML is believed, unless it begins as an image, an archive or the like does. Pure; any thread. */
#ifndef SCENT_PAGE_MEDIA_H
#define SCENT_PAGE_MEDIA_H

#include "base/str.h"

enum media { MEDIA_TEXT, MEDIA_PDF, MEDIA_BINARY };

/* `mime` is in lower case, without parameters; empty: not declared. `content_type` may name a charset. */
enum media media_of(struct str mime, struct str body, struct str content_type);

#endif
