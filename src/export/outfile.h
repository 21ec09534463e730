/* outfile - a file, or a folder of files, that appears under its name when it is whole.
 *
 * While it is written it is called NAME.part. A part that an earlier, killed export left is written over where it is a
 * file; where it is a folder the next export says so. A stream (base/file.h) is written to as it is.
 * Owner: the caller. */
#ifndef SCENT_EXPORT_OUTFILE_H
#define SCENT_EXPORT_OUTFILE_H

#include "base/status.h"
#include "base/str.h"

#include <stdio.h>

struct outfile {
    FILE *file;        /* of a folder: NULL */
    const char *path;  /* NULL: standard output */
    char part[4096];   /* what it is called until then */
    bool is_folder;
    bool is_stream;    /* standard output, too: it cannot be sought in */
};

SCENT_NODISCARD scent_status outfile_open(const char *path, struct outfile *out, struct errmsg *err);
/* SCENT_E_INVALID: there is something of this name that is not an empty folder. */
SCENT_NODISCARD scent_status outfile_open_folder(const char *path, struct outfile *out, struct errmsg *err);
/* A new file of this name in the folder, and in a folder of it, that is made. */
SCENT_NODISCARD scent_status outfile_add(struct outfile *outfile, const char *folder, const char *name,
                                         struct str content, struct errmsg *err);
/* Where `status`, that of the writing, is SCENT_OK: syncs it and gives it its name. Else removes it. */
SCENT_NODISCARD scent_status outfile_close(struct outfile *outfile, scent_status status, struct errmsg *err);

#endif
