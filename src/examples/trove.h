/* trove - which files below a path hold examples, and of what kind.
 *
 * Names decide, and for text files a look at their beginning: pages (html, htm, xhtml, shtml, php, asp, txt, md, or no
 * extension; also with .gz), archives (warc, arc; also with .gz) and lists of URLs (text files whose first lines are
 * URLs). Everything else is counted and left alone: a page saved by a browser brings its pictures along. Names that
 * begin with a dot are not looked at. Symbolic links to files are followed, those to folders are not. */
#ifndef SCENT_EXAMPLES_TROVE_H
#define SCENT_EXAMPLES_TROVE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

enum { TROVE_MAX_FILES = 1000000, TROVE_MAX_DEPTH = 64 };

enum trove_kind { TROVE_PAGE, TROVE_TEXT, TROVE_WARC, TROVE_URLS, TROVE_OTHER };

struct trove_file {
    struct str path;   /* terminated */
    struct str folder; /* below the path that was asked for: "Sports/Hockey"; empty: directly in it */
    enum trove_kind kind;
};

struct trove {
    struct trove_file *files; /* sorted by path; in the caller's arena */
    size_t count, room;
    size_t others;    /* files of other kinds */
    size_t unentered; /* folders: symbolic links to some, which may lead in circles, and what lies too deep */
};

enum trove_kind trove_kind_of(const char *path);
/* Appends what lies at `path`, a file or a folder. SCENT_E_NOTFOUND: there is nothing; SCENT_E_LIMIT. */
SCENT_NODISCARD scent_status trove_add(struct trove *trove, const char *path, struct arena *arena, struct errmsg *err);

/* The next URL of a list: blank lines, "#" comments and what follows a tab or space are skipped. False at the end. */
bool trove_next_url(struct str *rest, struct str *url);
bool trove_is_url(struct str s); /* begins like http or https */

#endif
