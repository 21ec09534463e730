/* pdf_reader - the text and the links of a PDF, read by a process of its own that can harm nothing.
 *
 * The program is pdftohtml (Debian: poppler-utils). It gets the document as a file in memory and gives HTML. PDFs come
 * from strangers and their parsers have a history, so the process is confined before the program starts: it may read
 * files, take memory and write to its output; it cannot open a socket, write or change a file, start a process or
 * signal one (seccomp, a list of what is allowed), and its CPU time, memory, output and time are bounded. Where it
 * cannot be confined it is not started.
 *
 * Cost: 10 to 20 ms for a small document. Never changes once it is made: any thread; the caller waits. */
#ifndef SCENT_PDF_PDF_READER_H
#define SCENT_PDF_PDF_READER_H

#include "base/buf.h"
#include "base/status.h"
#include "page/page.h"

struct pdf_limits { /* 0: the default */
    uint32_t cpu_seconds;   /* 10 */
    uint32_t seconds;       /* on the clock: 30 */
    size_t memory;          /* address space: 1 GiB */
    size_t output;          /* bytes of HTML: 32 MiB */
};

struct pdf_reader;
/* `program` is a path; NULL: that in the environment variable SCENT_PDF_READER, or pdftohtml on the PATH. Returns NULL
 * where there is no such program, or it cannot be confined on this system; `err` says which. */
struct pdf_reader *pdf_reader_new(const char *program, const struct pdf_limits *limits, struct errmsg *err);
void pdf_reader_free(struct pdf_reader *reader); /* NULL is fine */

/* The document as HTML, in UTF-8. NULL: it was read; else why not, a static text for people, and *html is empty. */
const char *pdf_reader_read(const struct pdf_reader *reader, struct str pdf, struct buf *html);
/* The same for an analyser, whose option it is; `reader` outlives that. NULL: PDFs are not read. */
struct page_reader pdf_reader_option(const struct pdf_reader *reader);

#endif
