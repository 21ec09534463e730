/* PDFs made by hand are read; readers that crash, hang, flood or reach out harm nothing. */
#include "base/file.h"
#include "pdf/pdf_reader.h"
#include "test.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pdf_reader.XXXXXX";

/* A document of one page with this content stream and one link. */
static void make_pdf(struct buf *out, const char *stream)
{
    const char *parts[] = {
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[6 0 R]>>",
        NULL,
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        "<</Type/Annot/Subtype/Link/Rect[70 690 300 712]/A<</S/URI/URI(http://other.test/rinks)>>>>",
    };
    size_t offsets[6], xref;

    buf_addz(out, "%PDF-1.4\n");
    for (int i = 0; i < 6; i++) {
        offsets[i] = out->len;
        if (parts[i])
            buf_printf(out, "%d 0 obj\n%s\nendobj\n", i + 1, parts[i]);
        else
            buf_printf(out, "%d 0 obj\n<</Length %zu>>\nstream\n%s\nendstream\nendobj\n", i + 1, strlen(stream), stream);
    }
    xref = out->len;
    buf_addz(out, "xref\n0 7\n0000000000 65535 f \n");
    for (int i = 0; i < 6; i++)
        buf_printf(out, "%010zu 00000 n \n", offsets[i]);
    buf_printf(out, "trailer\n<</Size 7/Root 1 0 R>>\nstartxref\n%zu\n%%%%EOF\n", xref);
}

static bool has(const struct buf *html, const char *text)
{
    return memmem(html->p, html->len, text, strlen(text)) != NULL;
}

static void test_text_and_links(void **state)
{
    struct errmsg err;
    struct pdf_reader *reader = pdf_reader_new(NULL, NULL, &err);
    struct buf pdf, html;

    (void)state;
    if (!reader)
        skip();
    buf_init(&pdf, 0);
    buf_init(&html, 0);
    make_pdf(&pdf, "BT /F1 18 Tf 72 695 Td (Ice hockey rinks) Tj 0 -40 Td (Skates and pucks.) Tj ET");
    assert_null(pdf_reader_read(reader, buf_str(&pdf), &html));
    assert_true(has(&html, "rinks") && has(&html, "Skates") && has(&html, "href=\"http://other.test/rinks\""));
    /* cut off, or none at all */
    assert_non_null(pdf_reader_read(reader, STR("%PDF-1.4 and no more"), &html));
    assert_non_null(pdf_reader_read(reader, STR(""), &html));
    assert_int_equal(html.len, 0);
    buf_release(&pdf);
    buf_release(&html);
    pdf_reader_free(reader);
}

/* More text than anybody reads, from few bytes once they are compressed. */
static void test_bomb(void **state)
{
    const struct pdf_limits limits = {.cpu_seconds = 1, .seconds = 120, .output = 1 << 20};
    struct errmsg err;
    struct pdf_reader *reader = pdf_reader_new(NULL, &limits, &err);
    struct buf pdf, html, stream;

    (void)state;
    if (!reader)
        skip();
    buf_init(&pdf, 0);
    buf_init(&html, 0);
    buf_init(&stream, 0);
    buf_addz(&stream, "BT /F1 18 Tf 72 695 Td");
    for (int i = 0; i < 200000; i++)
        buf_printf(&stream, "(%d words of many) Tj 0 -1 Td ", i);
    buf_addz(&stream, "ET");
    make_pdf(&pdf, buf_z(&stream));
    assert_non_null(pdf_reader_read(reader, buf_str(&pdf), &html));
    assert_int_equal(html.len, 0);
    buf_release(&pdf);
    buf_release(&html);
    buf_release(&stream);
    pdf_reader_free(reader);
}

/* A program that is no good, as a script of python3, in place of the reader. */
static const char *read_with(const char *name, const char *script, const struct pdf_limits *limits, struct buf *html)
{
    char path[128];
    struct errmsg err;
    struct pdf_reader *reader;
    const char *wrong;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/usr/bin/python3\nimport os, socket, signal, sys\n%s", script);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    reader = pdf_reader_new(path, limits, &err);
    assert_non_null(reader);
    wrong = pdf_reader_read(reader, STR("%PDF-1.4 document"), html);
    pdf_reader_free(reader);
    unlink(path);
    return wrong;
}

static void test_misbehaviour(void **state)
{
    enum { LONG = 120 }; /* seconds: on a loaded machine a script may start late */
    static const struct {
        uint32_t seconds;
        const char *script, *wrong;
    } cases[] = {
        {LONG, "os.abort()", "the reader crashed"},
        {LONG, "sys.exit(3)", "it is damaged or encrypted"},
        {1, "print('x', flush=True)\nwhile True: signal.pause()", "the reader took too long"},
        {1, "os.close(1)\nwhile True: signal.pause()", "the reader took too long"},
        {LONG, "while True: pass", "the reader took too long"},
        {LONG, "while True: os.write(1, b'x' * 65536)", "it has too much text"},
        {LONG, "x = bytearray(2 << 30)", "it is damaged or encrypted"},
        {LONG, "print(open('/dev/fd/3').read())", NULL},
    };
    struct buf html;

    (void)state;
    buf_init(&html, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct pdf_limits limits = {.cpu_seconds = 1, .seconds = cases[i].seconds, .output = 1 << 20};
        const char *wrong = read_with("reader", cases[i].script, &limits, &html);

        if (cases[i].wrong)
            assert_string_equal(wrong ? wrong : "", cases[i].wrong);
        else
            assert_null(wrong);
        assert_int_equal(html.len > 0, !cases[i].wrong);
    }
    assert_true(has(&html, "%PDF-1.4 document"));
    buf_release(&html);
}

/* It says which of its attempts succeeded: none. */
static void test_confinement(void **state)
{
    char script[4096], victim[128];
    struct buf html;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    FILE *file;

    (void)state;
    buf_init(&html, 0);
    assert_true(server >= 0 && bind(server, (struct sockaddr *)&address, sizeof address) == 0 &&
                listen(server, 4) == 0 && getsockname(server, (struct sockaddr *)&address, &len) == 0);
    snprintf(victim, sizeof victim, "%s/victim", folder);
    file = fopen(victim, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    snprintf(script, sizeof script,
             "def attempt(name, what):\n"
             "    try:\n"
             "        what()\n"
             "        print('did', name)\n"
             "    except OSError:\n"
             "        print('failed', name)\n"
             "attempt('socket', lambda: socket.create_connection(('127.0.0.1', %d)))\n"
             "attempt('datagram', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))\n"
             "attempt('unix', lambda: socket.socket(socket.AF_UNIX))\n"
             "attempt('write', lambda: os.close(os.open('%s', os.O_WRONLY)))\n"
             "attempt('create', lambda: os.close(os.open('%s/new', os.O_WRONLY | os.O_CREAT)))\n"
             "attempt('remove', lambda: os.unlink('%s'))\n"
             "attempt('fork', lambda: os.fork() or os._exit(0))\n"
             "attempt('signal', lambda: os.kill(%d, 0))\n"
             "attempt('descriptors', lambda: [os.fstat(i) for i in range(10, 40)])\n"
             "print('end', sorted(os.environ))\n",
             ntohs(address.sin_port), victim, folder, victim, (int)getpid());
    assert_null(read_with("hostile", script, &(struct pdf_limits){.cpu_seconds = 60, .seconds = 120}, &html));
    assert_true(has(&html, "failed socket") && has(&html, "end"));
    assert_false(has(&html, "did "));
    assert_int_equal(access(victim, F_OK), 0);
    assert_int_equal(unlink(victim), 0);
    close(server);
    buf_release(&html);
}

static void test_no_program(void **state)
{
    struct errmsg err;

    (void)state;
    assert_null(pdf_reader_new("/nowhere/pdftohtml", NULL, &err));
    assert_non_null(strstr(err.text, "poppler-utils"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_and_links), cmocka_unit_test(test_bomb),       cmocka_unit_test(test_misbehaviour),
        cmocka_unit_test(test_confinement),    cmocka_unit_test(test_no_program),
    };
    int failed;

    if (!mkdtemp(folder))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
