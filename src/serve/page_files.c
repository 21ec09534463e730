#include "serve/page_files.h"

/* SCENT_PAGE names the folder of the page, SCENT_OPENAPI the description. */
#define EMBED(name, path)                                                                                              \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".global scent_page_" #name "\n"                                                                           \
            ".global scent_page_" #name "_end\n"                                                                       \
            "scent_page_" #name ":\n"                                                                                  \
            ".incbin \"" path "\"\n"                                                                                   \
            "scent_page_" #name "_end:\n"                                                                              \
            ".byte 0\n"                                                                                                \
            ".popsection\n");                                                                                          \
    extern const char scent_page_##name[], scent_page_##name##_end[];

EMBED(index, SCENT_PAGE "/index.html")
EMBED(style, SCENT_PAGE "/page.css")
EMBED(script, SCENT_PAGE "/page.js")
EMBED(views, SCENT_PAGE "/views.js")
EMBED(charts, SCENT_PAGE "/charts.js")
EMBED(icon, SCENT_PAGE "/icon.svg")
EMBED(openapi, SCENT_OPENAPI)

static const struct {
    const char *path, *type, *from, *to;
} files[] = {
    {"/", "text/html; charset=utf-8", scent_page_index, scent_page_index_end},
    {"/page.css", "text/css; charset=utf-8", scent_page_style, scent_page_style_end},
    {"/page.js", "text/javascript; charset=utf-8", scent_page_script, scent_page_script_end},
    {"/views.js", "text/javascript; charset=utf-8", scent_page_views, scent_page_views_end},
    {"/charts.js", "text/javascript; charset=utf-8", scent_page_charts, scent_page_charts_end},
    {"/icon.svg", "image/svg+xml", scent_page_icon, scent_page_icon_end},
};

bool page_file(struct str path, struct str *content, const char **type)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (str_eq(path, str_of(files[i].path))) {
            *content = (struct str){files[i].from, (size_t)(files[i].to - files[i].from)};
            *type = files[i].type;
            return true;
        }
    return false;
}

struct str page_file_openapi(void)
{
    return (struct str){scent_page_openapi, (size_t)(scent_page_openapi_end - scent_page_openapi)};
}
