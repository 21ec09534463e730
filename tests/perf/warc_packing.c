/* WARC files with gzip beside zstd, without and with a trained dictionary: bytes a page, and CPU a page to write it (with its
 * digests, as a crawl does) and to read it. Pages as servers send them plain, and as they send them compressed.
 * Usage: perf_warc_packing [PAGES [COLLECTION]] */
#include "base/clock.h"
#include "base/file.h"
#include "http/http.h"
#include "warc/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct form {
    const char *name;
    enum warc_packing packing;
    int level;
    uint64_t train_bytes;
};

struct page {
    struct str url;
    struct buf head, body;
};

static void must(scent_status status, const struct errmsg *err)
{
    if (status == SCENT_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(2);
}

static struct page *load(const char *path, size_t *count)
{
    struct errmsg err = {{0}};
    struct archive *archive;
    struct page *pages = calloc(*count, sizeof *pages);
    struct buf room;
    size_t n = 0;

    SCENT_BUG_IF(!pages);
    must(archive_open(path, NULL, &archive, &err), &err);
    buf_init(&room, 0);
    for (size_t i = 0; i < archive_count(archive) && n < *count; i++) {
        struct archive_response response;

        must(archive_get(archive, archive_url(archive, i), &room, &response, &err), &err);
        if (response.status != 200)
            continue;
        pages[n] = (struct page){.url = {strndup(response.url.p, response.url.len), response.url.len}};
        buf_init(&pages[n].head, 0);
        buf_init(&pages[n].body, 0);
        buf_add(&pages[n].head, response.head);
        buf_add(&pages[n].body, response.body);
        n++;
    }
    buf_release(&room);
    archive_free(archive);
    *count = n;
    return pages;
}

static void compress_bodies(struct page *pages, size_t count)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 6);

    for (size_t i = 0; i < count; i++) {
        struct buf packed;

        buf_init(&packed, 0);
        SCENT_BUG_IF(http_pack(packer, buf_str(&pages[i].body), &packed) != SCENT_OK);
        buf_release(&pages[i].body);
        pages[i].body = packed;
    }
    http_packer_free(packer);
}

static double write_all(const struct form *form, const char *dir, const struct page *pages, size_t count,
                        double *training)
{
    struct warc_writer_options options = {.dir = dir, .prefix = "x", .packing = form->packing, .level = form->level,
                                          .train_bytes = form->train_bytes};
    struct errmsg err = {{0}};
    struct warc_writer *writer;
    struct warc_position at;
    struct http_packer *packer;
    struct rng rng;
    struct buf records;
    int64_t begin, trained = 0;

    rng_seed(&rng, 1);
    buf_init(&records, 0);
    must(warc_writer_open(&options, NULL, &rng, &writer, &err), &err);
    packer = warc_packer_new(warc_writer_form(writer), form->level);
    begin = clock_thread_cpu_ns();
    for (size_t i = 0; i < count; i++) {
        struct warc_exchange exchange = {
            .url = pages[i].url,
            .wall = 1794733080000000 + (int64_t)i * 300000,
            .ip = STR("127.0.0.1"),
            .protocol = STR("http/1.1"),
            .request = STR("GET / HTTP/1.1\r\nHost: wikispeedia.test\r\nUser-Agent: scent/0.1.0 (+mailto:me@example.org)\r\n"
                           "Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.1\r\nAccept-Encoding: gzip\r\n\r\n"),
            .response_head = buf_str(&pages[i].head),
            .body = buf_str(&pages[i].body),
        };
        struct warc_span span;
        char digest[33];

        trained -= clock_thread_cpu_ns();
        must(warc_writer_train(writer, &err), &err);
        trained += clock_thread_cpu_ns();
        http_packer_use(packer, warc_writer_form(writer).dictionary);
        buf_clear(&records);
        SCENT_BUG_IF(warc_build_exchange(&exchange, &rng, packer, &records, &span, digest) != SCENT_OK);
        must(warc_writer_append(writer, buf_str(&records), &at, &err), &err);
    }
    begin = clock_thread_cpu_ns() - begin - trained;
    *training = (double)trained / 1e9;
    must(warc_writer_close(writer, &at, &err), &err);
    http_packer_free(packer);
    buf_release(&records);
    return (double)begin / 1e3 / (double)count;
}

static double read_all(const char *dir, size_t count, uint64_t *bytes)
{
    struct errmsg err = {{0}};
    struct file_list files;
    size_t found = 0;
    int64_t begin = clock_thread_cpu_ns();

    *bytes = 0;
    must(archive_files(dir, &files, &err), &err);
    for (size_t i = 0; i < files.count; i++) {
        struct warc_reader *reader;
        struct warc_record record;

        must(warc_reader_open(files.names[i], &reader, &err), &err);
        while (warc_reader_next(reader, &record, &err) == SCENT_OK) {
            found += record.type == WARC_RESPONSE;
            *bytes += record.length;
        }
        *bytes += http_dictionary_bytes(warc_reader_form(reader).dictionary).len;
        warc_reader_close(reader);
    }
    file_list_release(&files);
    SCENT_BUG_IF(found != count);
    return (double)(clock_thread_cpu_ns() - begin) / 1e3 / (double)count;
}

static void measure(const char *name, const struct page *pages, size_t count)
{
    static const struct form forms[] = {
        {"gzip (level 1, the default)", WARC_GZIP, 1, 0},
        {"gzip (level 6)", WARC_GZIP, 6, 0},
        {"zstd without a dictionary", WARC_ZSTD, 0, UINT64_MAX},
        {"zstd with its dictionary", WARC_ZSTD, 0, 0},
    };

    printf("%s\n%-30s %12s %18s %14s\n", name, "", "KiB a page", "us CPU to write", "us to read");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char dir[] = "/tmp/scent-packing-XXXXXX";
        struct errmsg err;
        double writing, reading, training;
        uint64_t bytes;

        SCENT_BUG_IF(!mkdtemp(dir));
        writing = write_all(&forms[i], dir, pages, count, &training);
        reading = read_all(dir, count, &bytes);
        printf("%-30s %12.2f %18.0f %14.0f", forms[i].name, (double)bytes / 1024 / (double)count, writing, reading);
        if (training > 0.01)
            printf("   training: %.2f s", training);
        printf("\n");
        must(file_remove_tree(dir, &err), &err);
    }
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000;
    struct page *pages = load(argc > 2 ? argv[2] : SCENT_SHARED "/data/wikispeedia", &count);
    uint64_t plain = 0;

    for (size_t i = 0; i < count; i++)
        plain += pages[i].body.len;
    printf("%zu pages of %.1f KiB\n", count, (double)plain / 1024 / (double)count);
    measure("bodies plain", pages, count);
    compress_bodies(pages, count);
    measure("bodies that came with gzip", pages, count);
    for (size_t i = 0; i < count; i++) {
        free((char *)(uintptr_t)pages[i].url.p);
        buf_release(&pages[i].head);
        buf_release(&pages[i].body);
    }
    free(pages);
    return 0;
}
