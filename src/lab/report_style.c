/* report_style - how the report looks. */
#include "lab/report_parts.h"

enum { COLOURS = 10, DASHES = 5 };

static const char SHEET[] =
    ":root{color-scheme:light dark;--fg:#1c1c1c;--bg:#fff;--soft:#5f6368;--line:#dadce0;--mark:#fff3c4;--code:#f3f4f6}\n"
    "@media(prefers-color-scheme:dark){:root{--fg:#e6e6e6;--bg:#17191c;--soft:#a6a9ae;--line:#3a3d42;--mark:#4a4220;"
    "--code:#22252a}}\n"
    "*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:72rem;"
    "margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}\n"
    "p,ul{max-width:52rem}h1{font-size:1.7rem;line-height:1.25;margin:0 0 1rem}h2{font-size:1.25rem;margin:2.5rem 0 .6rem}"
    "h3{font-size:1rem;margin:1.2rem 0 .3rem}\n"
    "table{border-collapse:collapse;font-size:.875rem}th,td{padding:.28rem .6rem;border-bottom:1px solid var(--line);"
    "text-align:right;font-variant-numeric:tabular-nums}td{white-space:nowrap}\n"
    "th{font-weight:600;vertical-align:bottom;line-height:1.25;min-width:5.8rem;max-width:9rem}thead th{border-bottom:2px solid var(--soft)}\n"
    "th:first-child,td:first-child{text-align:left;white-space:normal;min-width:8rem;max-width:16rem;position:sticky;left:0;"
    "background:var(--bg)}\n"
    "tbody tr:hover td{background:var(--code)}td.best{background:var(--mark);font-weight:600}.pm{color:var(--soft);"
    "font-size:.8em}.stars{display:inline-block;width:1.6em;text-align:left}\n"
    ".wide{overflow-x:auto;max-width:100%}.soft{color:var(--soft);font-size:.875rem}figure{margin:1.2rem 0;max-width:52rem}"
    "svg{max-width:100%;height:auto}figcaption{font-size:.875rem}\n"
    "svg text{font-size:12px;fill:var(--soft)}.grid{stroke:var(--line)}.curve{fill:none;stroke-width:2}"
    ".bar{stroke-width:1;opacity:.55}.key{display:inline-block;margin-right:1.1rem}.key svg{vertical-align:middle}\n"
    "pre{background:var(--code);border-radius:4px;padding:.8rem;overflow-x:auto;font-size:.85rem;overflow-wrap:normal}\n";

static const char PRINT[] =
    "@media print{body{max-width:none;margin:0;font-size:10pt}h2,h3{break-after:avoid}tr,figure{break-inside:avoid}"
    "thead{display:table-header-group}.wide{overflow:visible}table{font-size:7pt}th,td{padding:.15rem .3rem}"
    "td{white-space:normal}th:first-child,td:first-child{min-width:0}pre{white-space:pre-wrap}}\n";

/* Series of one colour differ by their dashes. */
void report_style(struct buf *out)
{
    static const char *const light[COLOURS] = {"#1b6ca8", "#c8501e", "#2c8c4c", "#8a4fb0", "#a8861b",
                                               "#c02b5b", "#2a9c9c", "#6b6b6b", "#5b7f12", "#8c4b2a"};
    static const char *const dark[COLOURS] = {"#6fb7ec", "#f0905f", "#74cf92", "#c89be6", "#e0c25e",
                                              "#f27ba0", "#6fd6d6", "#b5b5b5", "#b0d060", "#d69a78"};
    static const char *const dashes[DASHES] = {"0", "7 3", "2 2", "9 3 2 3", "5 2"};

    buf_addz(out, SHEET);
    for (size_t i = 0; i < REPORT_STYLES; i++)
        buf_printf(out, ".s%zu{stroke:%s;stroke-dasharray:%s}.bar.s%zu{stroke-dasharray:0}\n", i, light[i % COLOURS],
                   dashes[(i + i / COLOURS) % DASHES], i);
    buf_addz(out, "@media(prefers-color-scheme:dark){");
    for (size_t i = 0; i < REPORT_STYLES; i++)
        buf_printf(out, ".s%zu{stroke:%s}", i, dark[i % COLOURS]);
    buf_addz(out, "}\n");
    buf_addz(out, PRINT);
}
