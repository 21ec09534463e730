#include "base/hash.h"
#include "training/example_files.h"
#include "training/training_set.h"
#include "url/url.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAMPLE = 64 << 10 };

static void mix(uint64_t *sum, const void *bytes, size_t len)
{
    *sum = hash_mix(*sum, hash_bytes(bytes, len, len));
}

static void mix_number(uint64_t *sum, double number)
{
    mix(sum, &number, sizeof number);
}

static void mix_str(uint64_t *sum, struct str s)
{
    mix(sum, s.p ? s.p : "", s.len);
}

/* Its size, its beginning and its end. */
static void mix_file(uint64_t *sum, const char *path, char *room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    ssize_t got;

    if (fd < 0 || fstat(fd, &st)) {
        mix_str(sum, STR("unreadable"));
    } else {
        mix_number(sum, (double)st.st_size);
        got = pread(fd, room, SAMPLE, 0);
        mix(sum, room, got > 0 ? (size_t)got : 0);
        got = st.st_size > SAMPLE ? pread(fd, room, SAMPLE, st.st_size > 2 * SAMPLE ? st.st_size - SAMPLE : SAMPLE) : 0;
        mix(sum, room, got > 0 ? (size_t)got : 0);
    }
    if (fd >= 0)
        close(fd);
}

/* The names count from the path on, so that a folder may be moved together with its topic. */
static void mix_path(uint64_t *sum, struct str path, char *room)
{
    struct example_files found = {0};
    struct arena arena;

    arena_init(&arena, (size_t)1 << 30);
    if (url_is_absolute(path))
        mix_str(sum, path);
    else if (!path.len || example_files_add(&found, path.p, &arena, NULL) != SCENT_OK)
        mix_str(sum, STR("missing"));
    for (size_t i = 0; i < found.count; i++) {
        const char *slash = strrchr(found.files[i].path.p, '/');

        mix_str(sum, found.files[i].folder);
        mix_str(sum, str_of(slash ? slash + 1 : found.files[i].path.p));
        mix_file(sum, found.files[i].path.p, room);
    }
    arena_release(&arena);
}

static void mix_paths(uint64_t *sum, const struct str *paths, size_t count, char *room)
{
    mix_number(sum, (double)count);
    for (size_t i = 0; i < count; i++)
        mix_path(sum, paths[i], room);
}

static void mix_model(uint64_t *sum, const struct model_options *model)
{
    const double numbers[] = {
        (double)model->kind, (double)model->weighting, model->C,
        model->alpha,        model->flatten,           (double)model->folds,
        (double)model->hidden, (double)model->epochs,  model->l2,
        (double)model->max_features,
    };

    mix(sum, numbers, sizeof numbers);
    mix(sum, &model->seed, sizeof model->seed);
}

uint64_t training_fingerprint(const struct topic *topic)
{
    const struct topic_examples *examples = &topic->examples;
    const struct topic_taxonomy *taxonomy = &topic->taxonomy;
    const double numbers[] = {examples->ratio, taxonomy->min_leaf, taxonomy->levels, taxonomy->per_class};
    char *room = malloc(SAMPLE);
    uint64_t sum = 1; /* the version of this sum */

    SCENT_BUG_IF(!room);
    mix_model(&sum, &topic->model);
    mix(&sum, numbers, sizeof numbers);
    for (size_t i = 0; i < taxonomy->ntargets; i++)
        mix_str(&sum, taxonomy->targets[i]);
    mix_paths(&sum, examples->positive, examples->npositive, room);
    mix_paths(&sum, examples->negative, examples->nnegative, room);
    mix_paths(&sum, examples->background, examples->nbackground, room);
    if (taxonomy->file.len)
        mix_path(&sum, taxonomy->file, room);
    if (taxonomy->collection.len)
        mix_path(&sum, taxonomy->collection, room);
    free(room);
    return sum;
}
