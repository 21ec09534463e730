/* Any bytes, cut anywhere, give the same categories: a list or the dump of a directory. */
#include "training/taxonomy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct taxonomy *read_in_pieces(struct str bytes, size_t piece, uint64_t *bad)
{
    struct taxonomy *taxonomy = taxonomy_new(&(struct taxonomy_options){.levels = 3, .per_class = 4, .seed = 1});
    struct taxonomy_reader *reader = taxonomy_reader_new(taxonomy);
    scent_status status = SCENT_OK;

    while (bytes.len && status == SCENT_OK) {
        size_t n = piece < bytes.len ? piece : bytes.len;

        status = taxonomy_reader_feed(reader, str_sub(bytes, 0, n));
        bytes = str_sub(bytes, n, bytes.len);
    }
    if (status == SCENT_OK)
        status = taxonomy_reader_finish(reader);
    if (status != SCENT_OK && status != SCENT_E_LIMIT)
        abort();
    *bad = taxonomy_reader_report(reader)->bad_lines;
    taxonomy_reader_free(reader);
    return taxonomy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str bytes = {(const char *)data, len};
    uint64_t bad, again;
    struct taxonomy *whole = read_in_pieces(bytes, len ? len : 1, &bad);
    struct taxonomy *cut = read_in_pieces(bytes, len ? 1 + data[0] % 7 : 1, &again);

    if (bad != again || whole->nitems != cut->nitems || whole->count != cut->count)
        abort();
    for (uint32_t i = 0; i < whole->count; i++)
        if (strcmp(whole->categories[i].name, cut->categories[i].name) != 0)
            abort();
    taxonomy_merge_leaves(whole, 2);
    for (uint32_t i = 0; i < whole->count; i++)
        if (!whole->categories[i].dead && whole->categories[i].kids && whole->categories[i].count)
            abort();
    taxonomy_free(whole);
    taxonomy_free(cut);
    return 0;
}
