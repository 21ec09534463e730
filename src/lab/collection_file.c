#include "lab/collection_file.h"

#include "base/file.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALIGN = 16, LOCKS = 64 };

struct header {
    char magic[8];
    uint64_t layout, sources, pages, index, extra, extra_len, index_hash;
    uint64_t hash; /* of what stands before it */
};

struct entry {
    uint64_t offset, length, hash;
};

/* A block begins with this. */
struct block {
    struct page page;
    const uint32_t *targets;
};

static const char MAGIC[8] = "SCNTPAGE";

/* Changes with everything that the bytes of a block depend on. */
static uint64_t layout(void)
{
    const size_t sizes[] = {sizeof(struct block),     sizeof(struct page_word), sizeof(struct page_term),
                            sizeof(struct page_node), sizeof(struct page_link), PAGE_VERSION};

    return hash_bytes(sizes, sizeof sizes, 1);
}

/* ---- packing ---- */

struct pack {
    struct buf *out;
    size_t start;
};

static void *as_pointer(size_t offset)
{
    return (void *)(uintptr_t)offset; /* an offset until the block is mapped */
}

static void pad(struct pack *pack)
{
    static const char zeros[ALIGN] = {0};
    size_t used = (pack->out->len - pack->start) % ALIGN;

    if (used)
        buf_add(pack->out, (struct str){zeros, ALIGN - used});
}

/* The offset of the copy inside the block. */
static void *put(struct pack *pack, const void *p, size_t size)
{
    size_t offset;

    pad(pack);
    offset = pack->out->len - pack->start;
    buf_add(pack->out, (struct str){p, size});
    return as_pointer(offset);
}

static struct str put_str(struct pack *pack, struct str s)
{
    size_t offset = pack->out->len - pack->start;

    if (!s.p)
        return s;
    buf_add(pack->out, s);
    buf_addc(pack->out, '\0');
    return (struct str){as_pointer(offset), s.len};
}

/* What lies between the fields of a struct is written too: it is zero, so that the same page gives the same bytes.
 * Hence field by field, into memory that was cleared. */

static void put_url(struct pack *pack, const struct url *url, struct url *out)
{
    out->href = put_str(pack, url->href);
    out->scheme_end = url->scheme_end;
    out->user_end = url->user_end;
    out->pass_end = url->pass_end;
    out->host_start = url->host_start;
    out->host_end = url->host_end;
    out->path_start = url->path_start;
    out->path_end = url->path_end;
    out->query_end = url->query_end;
    out->port = url->port;
}

/* Room for `size` bytes that are filled in later: strings come to lie behind them. */
static size_t reserve(struct pack *pack, size_t size)
{
    size_t offset;

    pad(pack);
    offset = pack->out->len - pack->start;
    if (buf_reserve(pack->out, size)) {
        memset(pack->out->p + pack->out->len, 0, size);
        pack->out->len += size;
    }
    return offset;
}

static void fill(struct pack *pack, size_t offset, const void *p, size_t size)
{
    if (!pack->out->failed)
        memcpy(pack->out->p + pack->start + offset, p, size);
}

static struct page_term *put_terms(struct pack *pack, const struct page *page)
{
    size_t offset = reserve(pack, page->nbag * sizeof *page->bag);

    for (uint32_t i = 0; i < page->nbag; i++) {
        struct page_term term;

        memset(&term, 0, sizeof term);
        term.stem = page->bag[i].stem;
        term.text = put_str(pack, page->bag[i].text);
        term.tf = page->bag[i].tf;
        fill(pack, offset + i * sizeof term, &term, sizeof term);
    }
    return as_pointer(offset);
}

static struct page_link *put_links(struct pack *pack, const struct page *page)
{
    size_t offset = reserve(pack, page->nlinks * sizeof *page->links);

    for (uint32_t i = 0; i < page->nlinks; i++) {
        const struct page_link *from = &page->links[i];
        struct page_link link;

        memset(&link, 0, sizeof link);
        put_url(pack, &from->url, &link.url);
        link.fingerprint = from->fingerprint;
        link.first_word = from->first_word;
        link.end_word = from->end_word;
        link.anchor = put_str(pack, from->anchor);
        link.node = from->node;
        link.rel = from->rel;
        link.kind = from->kind;
        link.is_boilerplate = from->is_boilerplate;
        fill(pack, offset + i * sizeof link, &link, sizeof link);
    }
    return as_pointer(offset);
}

static void put_page(struct pack *pack, const struct page *page, struct page *out)
{
    put_url(pack, &page->url, &out->url);
    put_url(pack, &page->base, &out->base);
    put_url(pack, &page->canonical, &out->canonical);
    out->charset = put_str(pack, page->charset);
    out->mime = put_str(pack, page->mime);
    out->title = put_str(pack, page->title);
    out->lang = put_str(pack, page->lang);
    out->robots = page->robots;
    out->truncated = page->truncated;
    out->nwords = page->nwords;
    out->ncontent = page->ncontent;
    out->nbag = page->nbag;
    out->nnodes = page->nnodes;
    out->nlinks = page->nlinks;
    out->nleaves = page->nleaves;
    out->bag = put_terms(pack, page);
    out->links = put_links(pack, page);
    out->words = put(pack, page->words, page->nwords * sizeof *page->words);
    out->nodes = put(pack, page->nodes, page->nnodes * sizeof *page->nodes);
}

scent_status collection_file_pack(const struct page *page, const uint32_t *targets, struct buf *out)
{
    struct pack pack = {out, out->len};
    struct block block;
    size_t offset;

    memset(&block, 0, sizeof block);
    offset = reserve(&pack, sizeof block);
    put_page(&pack, page, &block.page);
    block.targets = put(&pack, targets, page->nlinks * sizeof *targets);
    pad(&pack);
    fill(&pack, offset, &block, sizeof block);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* ---- unpacking ---- */

static void move_str(struct str *s, char *base)
{
    if (s->p || s->len)
        s->p = base + (uintptr_t)s->p;
}

static void move_pointers(char *base)
{
    struct block *block = (struct block *)base;
    struct page *page = &block->page;

    page->words = (struct page_word *)(base + (uintptr_t)page->words);
    page->nodes = (struct page_node *)(base + (uintptr_t)page->nodes);
    page->bag = (struct page_term *)(base + (uintptr_t)page->bag);
    page->links = (struct page_link *)(base + (uintptr_t)page->links);
    block->targets = (const uint32_t *)(base + (uintptr_t)block->targets);
    for (uint32_t i = 0; i < page->nbag; i++)
        move_str(&page->bag[i].text, base);
    for (uint32_t i = 0; i < page->nlinks; i++) {
        move_str(&page->links[i].url.href, base);
        move_str(&page->links[i].anchor, base);
    }
    move_str(&page->url.href, base);
    move_str(&page->base.href, base);
    move_str(&page->canonical.href, base);
    move_str(&page->charset, base);
    move_str(&page->mime, base);
    move_str(&page->title, base);
    move_str(&page->lang, base);
}

/* ---- writing ---- */

struct collection_file_writer {
    FILE *file;
    char path[4096], part[4096 + 32];
    struct header header;
    struct buf index;
    uint64_t at;
};

static scent_status write_failed(const struct collection_file_writer *writer, struct errmsg *err)
{
    return errmsg_fail(err, scent_status_of_errno(errno), "%s: %s", writer->part, strerror(errno));
}

static scent_status append(struct collection_file_writer *writer, const void *p, size_t size, struct errmsg *err)
{
    writer->at += size;
    return size == 0 || fwrite(p, size, 1, writer->file) == 1 ? SCENT_OK : write_failed(writer, err);
}

scent_status collection_file_create(const char *path, uint64_t sources, struct collection_file_writer **out,
                                    struct errmsg *err)
{
    struct collection_file_writer *writer = calloc(1, sizeof *writer);
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!writer);
    buf_init(&writer->index, 0);
    snprintf(writer->path, sizeof writer->path, "%s", path);
    snprintf(writer->part, sizeof writer->part, "%s.%ld.part", writer->path, (long)getpid()); /* others may write it */
    writer->header = (struct header){.layout = layout(), .sources = sources};
    memcpy(writer->header.magic, MAGIC, sizeof MAGIC);
    writer->file = fopen(writer->part, "wbe");
    if (!writer->file)
        status = write_failed(writer, err);
    if (status == SCENT_OK)
        status = append(writer, &writer->header, sizeof writer->header, err);
    if (status != SCENT_OK)
        collection_file_abandon(writer);
    else
        *out = writer;
    return status;
}

static scent_status align(struct collection_file_writer *writer, struct errmsg *err)
{
    static const char zeros[ALIGN] = {0};

    return append(writer, zeros, (ALIGN - writer->at % ALIGN) % ALIGN, err);
}

scent_status collection_file_add(struct collection_file_writer *writer, struct str block, struct errmsg *err)
{
    scent_status status = align(writer, err);
    struct entry entry = {writer->at, block.len, hash_str(block, 0)};

    if (status == SCENT_OK)
        status = append(writer, block.p, block.len, err);
    if (status == SCENT_OK && !buf_add(&writer->index, (struct str){(const char *)&entry, sizeof entry}))
        status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the index of %s", writer->path);
    writer->header.pages++;
    return status;
}

/* The header comes last: a file without it is no collection file. */
static scent_status write_header(struct collection_file_writer *writer, struct errmsg *err)
{
    struct header *header = &writer->header;

    header->hash = hash_bytes(header, offsetof(struct header, hash), 0);
    if (fseek(writer->file, 0, SEEK_SET) != 0)
        return write_failed(writer, err);
    return append(writer, header, sizeof *header, err);
}

scent_status collection_file_finish(struct collection_file_writer *writer, struct str extra, struct errmsg *err)
{
    struct header *header = &writer->header;
    scent_status status = align(writer, err);

    header->index = writer->at;
    header->index_hash = hash_mix(hash_str(buf_str(&writer->index), 0), hash_str(extra, 0));
    if (status == SCENT_OK)
        status = append(writer, writer->index.p, writer->index.len, err);
    header->extra = writer->at;
    header->extra_len = extra.len;
    if (status == SCENT_OK)
        status = append(writer, extra.p, extra.len, err);
    if (status == SCENT_OK)
        status = write_header(writer, err);
    if (status == SCENT_OK && fflush(writer->file) != 0)
        status = write_failed(writer, err);
    if (status == SCENT_OK && rename(writer->part, writer->path) != 0)
        status = write_failed(writer, err);
    collection_file_abandon(writer);
    return status;
}

void collection_file_abandon(struct collection_file_writer *writer)
{
    if (!writer)
        return;
    if (writer->file)
        fclose(writer->file);
    unlink(writer->part); /* gone already where it was finished */
    buf_release(&writer->index);
    free(writer);
}

/* ---- reading ---- */

struct collection_file {
    char *map;
    size_t size;
    const struct header *header;
    const struct entry *index;
    atomic_uchar *ready; /* PAGE_RAW … of each page */
    pthread_mutex_t locks[LOCKS];
};
enum { PAGE_RAW, PAGE_READY, PAGE_DAMAGED };

static scent_status map_file(const char *path, struct collection_file *file, struct errmsg *err)
{
    struct stat stat;
    int fd;

    SCENT_TRY(file_open(path, FILE_REGULAR, &fd, err));
    if (fstat(fd, &stat) != 0 || (size_t)stat.st_size < sizeof(struct header)) {
        close(fd);
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: too short", path);
    }
    file->size = (size_t)stat.st_size;
    file->map = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file->map == MAP_FAILED) {
        file->map = NULL;
        return errmsg_fail(err, SCENT_E_NOMEM, "%s: cannot be mapped: %s", path, strerror(errno));
    }
    return SCENT_OK;
}

static bool lies_inside(const struct collection_file *file, uint64_t offset, uint64_t length)
{
    return offset <= file->size && length <= file->size - offset;
}

static bool is_whole(const struct collection_file *file)
{
    const struct header *header = file->header;
    uint64_t index_len = header->pages * sizeof(struct entry);
    uint64_t hash;

    if (header->pages > UINT32_MAX || !lies_inside(file, header->index, index_len) ||
        !lies_inside(file, header->extra, header->extra_len))
        return false;
    hash = hash_mix(hash_bytes(file->map + header->index, index_len, 0),
                    hash_bytes(file->map + header->extra, header->extra_len, 0));
    if (hash != header->index_hash)
        return false;
    for (uint64_t i = 0; i < header->pages; i++)
        if (!lies_inside(file, file->index[i].offset, file->index[i].length))
            return false;
    return true;
}

static scent_status check_file(const char *path, uint64_t sources, struct collection_file *file, struct errmsg *err)
{
    const struct header *header = file->header = (const struct header *)file->map;

    if (memcmp(header->magic, MAGIC, sizeof MAGIC) != 0 ||
        header->hash != hash_bytes(header, offsetof(struct header, hash), 0))
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: not a file of analysed pages", path);
    if (header->layout != layout() || header->sources != sources)
        return errmsg_fail(err, SCENT_E_VERSION, "%s: made from other pages or by another version", path);
    file->index = (const struct entry *)(file->map + header->index);
    return is_whole(file) ? SCENT_OK : errmsg_fail(err, SCENT_E_FORMAT, "%s: damaged", path);
}

scent_status collection_file_open(const char *path, uint64_t sources, struct collection_file **out, struct errmsg *err)
{
    struct collection_file *file = calloc(1, sizeof *file);
    scent_status status;

    SCENT_BUG_IF(!file);
    for (size_t i = 0; i < LOCKS; i++)
        pthread_mutex_init(&file->locks[i], NULL);
    status = map_file(path, file, err);
    if (status == SCENT_OK)
        status = check_file(path, sources, file, err);
    if (status == SCENT_OK) {
        file->ready = calloc(file->header->pages + 1, sizeof *file->ready);
        SCENT_BUG_IF(!file->ready);
        *out = file;
    } else {
        collection_file_close(file);
    }
    return status;
}

void collection_file_close(struct collection_file *file)
{
    if (!file)
        return;
    if (file->map)
        munmap(file->map, file->size);
    for (size_t i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&file->locks[i]);
    free(file->ready);
    free(file);
}

uint32_t collection_file_count(const struct collection_file *file)
{
    return (uint32_t)file->header->pages;
}

struct str collection_file_extra(const struct collection_file *file)
{
    return (struct str){file->map + file->header->extra, file->header->extra_len};
}

static unsigned char make_ready(struct collection_file *file, uint32_t number)
{
    pthread_mutex_t *lock = &file->locks[number % LOCKS];
    const struct entry *entry = &file->index[number];
    unsigned char state;

    pthread_mutex_lock(lock);
    state = atomic_load_explicit(&file->ready[number], memory_order_relaxed);
    if (state == PAGE_RAW) {
        state = PAGE_DAMAGED;
        if (entry->length >= sizeof(struct block) &&
            hash_bytes(file->map + entry->offset, entry->length, 0) == entry->hash) {
            move_pointers(file->map + entry->offset);
            state = PAGE_READY;
        }
        atomic_store_explicit(&file->ready[number], state, memory_order_release);
    }
    pthread_mutex_unlock(lock);
    return state;
}

const struct page *collection_file_page(struct collection_file *file, uint32_t number, const uint32_t **targets)
{
    const struct block *block = (const struct block *)(file->map + file->index[number].offset);
    unsigned char state = atomic_load_explicit(&file->ready[number], memory_order_acquire);

    if (state == PAGE_RAW)
        state = make_ready(file, number);
    if (state == PAGE_DAMAGED)
        return NULL;
    if (targets)
        *targets = block->targets;
    return &block->page;
}
