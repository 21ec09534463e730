/* page_files - the files of the dashboard's page, in the program: src/serve/page/ and docs/openapi.json. */
#ifndef SCENT_SERVE_PAGE_FILES_H
#define SCENT_SERVE_PAGE_FILES_H

#include "base/str.h"

/* By its path ("/", "/page.css"); false: there is no such file. */
bool page_file(struct str path, struct str *content, const char **type);
struct str page_file_openapi(void);

#endif
