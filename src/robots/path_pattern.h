/* path_pattern - the paths of robots.txt: one spelling for them, and whether a target matches one.
 *
 * RFC 9309 2.2.2 compares paths in one spelling of their percent-encoding, in which "%7E" is "~". Google's matcher,
 * which many sites write for, keeps an escape of what needs none apart from the plain character. So there are two
 * readings; they differ in nothing else, and they agree on almost every rule. Pure. */
#ifndef SCENT_ROBOTS_PATH_PATTERN_H
#define SCENT_ROBOTS_PATH_PATTERN_H

#include "base/buf.h"

enum path_pattern_reading {
    PATH_AS_WRITTEN, /* "%7E" is not "~"; a byte beyond ASCII in a target is not its escape */
    PATH_RFC         /* both are */
};

/* Append the one spelling of a rule's pattern ("*" and a "$" at its end are special), and of a target (they are not).
 * The spelling of a spelling is itself. A failed append shows in out->failed. */
void path_pattern_spell(struct str pattern, enum path_pattern_reading reading, struct buf *out);
void path_pattern_spell_target(struct str target, enum path_pattern_reading reading, struct buf *out);
bool path_pattern_is_spelled(struct str target); /* both readings of the target are the target itself */

/* Both in one spelling. Linear in both, however many "*" there are. */
bool path_pattern_matches(struct str pattern, struct str target);

#endif
