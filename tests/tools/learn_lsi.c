/* tool_learn_lsi - latent semantic indexing of made-up pages, for a comparison with another program's
 * (tests/conformance/lsi).
 *
 * Reads from stdin: "PAGES KEEP\n", then a line a page, "WORD:TF WORD:TF …" with numbers for words, ascending. A page
 * after those is projected only. Writes "dims K", "singular S …", and a line "page X …" for each page. */
#include "learn/lsi.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE_MAX_BYTES = 1 << 20 };

static struct text_vector read_page(char *line)
{
    struct text_vector page = {malloc((strlen(line) / 4 + 1) * sizeof *page.items), 0};
    unsigned long long stem;
    double tf;
    int used;

    SCENT_BUG_IF(!page.items);
    for (; sscanf(line, " %llu:%lf%n", &stem, &tf, &used) == 2; line += used)
        page.items[page.count++] = (struct text_weight){stem, tf};
    return page;
}

static void print_page(const struct lsi *lsi, const struct text_vector *page)
{
    double x[LSI_DIMS];

    lsi_project(lsi, page, x);
    printf("page");
    for (uint32_t k = 0; k < lsi_dims(lsi); k++)
        printf(" %.17g", x[k]);
    printf("\n");
}

int main(void)
{
    struct text_vector *pages;
    size_t npages, all = 0;
    struct errmsg err;
    struct lsi *lsi;
    double keep;
    char *line = malloc(LINE_MAX_BYTES);

    if (!line || scanf("%zu %lf\n", &npages, &keep) != 2 || !(pages = calloc(npages + 100, sizeof *pages)))
        return 2;
    while (all < npages + 100 && fgets(line, LINE_MAX_BYTES, stdin))
        pages[all++] = read_page(line);
    if (all < npages || lsi_train(pages, npages, keep, &lsi, &err) != SCENT_OK) {
        fprintf(stderr, "%s\n", all < npages ? "too few pages" : err.text);
        return 1;
    }
    printf("dims %u\nsingular", lsi_dims(lsi));
    for (uint32_t k = 0; k < lsi_dims(lsi); k++)
        printf(" %.17g", lsi_singular(lsi, k));
    printf("\n");
    for (size_t i = 0; i < all; i++) {
        print_page(lsi, &pages[i]);
        free(pages[i].items);
    }
    lsi_free(lsi);
    free(pages);
    free(line);
    return 0;
}
