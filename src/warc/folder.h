/* folder - which archive files lie in a folder. */
#ifndef SCENT_WARC_FOLDER_H
#define SCENT_WARC_FOLDER_H

#include "base/file.h"

/* The paths of the *.warc, *.warc.gz, *.arc and *.arc.gz files in `path` and in the folders directly below it, sorted
 * in each; or `path` itself when it is a file. Free with file_list_release. */
SCENT_NODISCARD scent_status folder_archives(const char *path, struct file_list *out, struct errmsg *err);

#endif
