/* Runs a fuzz target over a saved corpus, so that an ordinary test run keeps what fuzzing found. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(1 << 20);
    size_t len;

    if (!f || !data)
        return 1;
    len = fread(data, 1, 1 << 20, f);
    fclose(f);
    /* An exact-sized copy lets AddressSanitizer see a read past the end. */
    uint8_t *exact = malloc(len ? len : 1);
    for (size_t i = 0; i < len; i++)
        exact[i] = data[i];
    free(data);
    LLVMFuzzerTestOneInput(exact, len);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    char path[4096];
    struct dirent *entry;
    int count = 0;
    DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;

    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (replay_file(path))
            return 1;
        count++;
    }
    if (dir)
        closedir(dir);
    printf("%d saved inputs replayed\n", count);
    return 0;
}
