/* example_files - which files below a path hold examples, and of what kind (warc/pagefile.h).
 *
 * Files of other kinds are counted and left alone: a page saved by a browser brings its pictures along. Names that
 * begin with a dot are skipped. Symbolic links to files are followed, those to folders are not. */
#ifndef SCENT_TRAINING_EXAMPLE_FILES_H
#define SCENT_TRAINING_EXAMPLE_FILES_H

#include "base/arena.h"
#include "base/log.h"
#include "base/status.h"
#include "base/str.h"
#include "warc/pagefile.h"

enum { EXAMPLE_FILES_MAX_FILES = 1000000, EXAMPLE_FILES_MAX_DEPTH = 64 };

struct example_file {
    struct str path;   /* terminated */
    struct str folder; /* below the path that was asked for: "Sports/Hockey"; empty: directly in it */
    enum pagefile_kind kind;
};

struct example_files {
    struct example_file *files; /* sorted by path; in the caller's arena */
    size_t count, room;
    size_t others;    /* files of other kinds, and … */
    struct str other; /* … the first of them, terminated */
    size_t unentered; /* folders: symbolic links to some, which may lead in circles, and what lies too deep */
};

/* Appends what lies at `path`, a file or a folder. SCENT_E_NOTFOUND: there is nothing; SCENT_E_LIMIT. */
SCENT_NODISCARD scent_status example_files_add(struct example_files *found, const char *path, struct arena *arena,
                                               struct errmsg *err);

/* Tells the log how many files of `path` are not read as pages, and why. */
void example_files_report(const struct example_files *found, const char *path, const struct log *log);

#endif
