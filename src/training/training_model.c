#include "training/training_model.h"

#include "base/file.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAGIC "scent-trained "
#define VERSION "1 "
enum { MAX_FILE = 1 << 30, HEAD = sizeof MAGIC - 1 + sizeof VERSION - 1 + 16 + 1 };

scent_status training_model_save(const struct model *model, uint64_t fingerprint, const char *path, struct errmsg *err)
{
    struct buf bytes;
    scent_status status;

    buf_init(&bytes, MAX_FILE); /* what could not be read again is not written */
    buf_printf(&bytes, MAGIC VERSION "%016" PRIx64 "\n", fingerprint);
    status = model_write(model, &bytes);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "%s: the model does not fit into %d MiB or into memory; set max_features", path,
                    MAX_FILE >> 20);
    else
        status = file_replace(path, buf_str(&bytes), err);
    buf_release(&bytes);
    return status;
}

static scent_status read_head(struct str bytes, const char *path, uint64_t *fingerprint, struct errmsg *err)
{
    char digits[17] = {0}, *end;

    if (!str_starts(bytes, STR(MAGIC)))
        return errmsg_fail(err, SCENT_E_FORMAT, "%s is not a model that 'scent train' wrote", path);
    if (!str_starts(bytes, STR(MAGIC VERSION)))
        return errmsg_fail(err, SCENT_E_VERSION, "%s was written by another version of scent; train again", path);
    if (bytes.len < HEAD || bytes.p[HEAD - 1] != '\n')
        return errmsg_fail(err, SCENT_E_FORMAT, "%s is damaged; train again", path);
    memcpy(digits, bytes.p + HEAD - 17, 16);
    *fingerprint = strtoull(digits, &end, 16);
    return *end ? errmsg_fail(err, SCENT_E_FORMAT, "%s is damaged; train again", path) : SCENT_OK;
}

scent_status training_model_load(const char *path, struct model **out, uint64_t *fingerprint, struct errmsg *err)
{
    struct buf bytes;
    scent_status status;

    *out = NULL;
    buf_init(&bytes, MAX_FILE);
    status = file_read(path, &bytes, err);
    if (status == SCENT_OK)
        status = read_head(buf_str(&bytes), path, fingerprint, err);
    if (status == SCENT_OK)
        status = model_read(str_sub(buf_str(&bytes), HEAD, bytes.len), path, out, err);
    buf_release(&bytes);
    return status;
}
