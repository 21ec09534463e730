/* collection_sources - a digest of the bytes that a collection is made of. */
#ifndef SCENT_LAB_COLLECTION_SOURCES_H
#define SCENT_LAB_COLLECTION_SOURCES_H

#include "base/status.h"

#include <stdint.h>

/* Of a file, or of the archives in a folder and the folders directly below it, with their names. It reads them all: about
 * a second for a gigabyte that the system has in memory. */
SCENT_NODISCARD scent_status collection_sources_digest(const char *path, uint64_t *out, struct errmsg *err);

#endif
