#include "strategy/prior.h"

#include "base/embed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* SCENT_PRIORS names the folder. */
EMBED(scent_priors_fitted, SCENT_PRIORS "/fitted.txt")
EMBED(scent_priors_agreed, SCENT_PRIORS "/agreed.txt")
EMBED(scent_priors_told, SCENT_PRIORS "/told.txt")
EMBED(scent_priors_plain, SCENT_PRIORS "/plain.txt")

enum { VERSION = 1 };

static bool next_number(struct str *line, double *out)
{
    char text[32], *end = text;
    struct str part;

    if (!str_split(line, ' ', &part) || part.len == 0 || part.len >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", STR_ARG(part));
    *out = strtod(text, &end);
    return !*end && isfinite(*out) && fabs(*out) < 1000;
}

static scent_status read_head(struct str line, const char *name, struct errmsg *err)
{
    struct str part;
    double version, count;

    if (!str_split(&line, ' ', &part) || !str_eq(part, STR("scent-priors")) || !next_number(&line, &version))
        return errmsg_fail(err, SCENT_E_FORMAT, "%s:1: not a file of priors: make one with 'scent lab fit'", name);
    if (version != VERSION)
        return errmsg_fail(err, SCENT_E_VERSION, "%s:1: of another version of scent: make it anew with 'scent lab fit'",
                           name);
    if (!str_split(&line, ' ', &part) || !str_eq(part, STR("adaptive")) || !next_number(&line, &count) ||
        count != EVIDENCE_FEATURES)
        return errmsg_fail(err, SCENT_E_FORMAT, "%s:1: of another set of features: make it anew with 'scent lab fit'",
                           name);
    return SCENT_OK;
}

scent_status prior_read(struct str text, const char *name, struct prior *out, struct errmsg *err)
{
    struct str line = STR_NONE;

    (void)str_split(&text, '\n', &line);
    SCENT_TRY(read_head(line, name, err));
    for (int i = 0; i < EVIDENCE_FEATURES; i++) {
        struct str feature = STR_NONE;
        bool fine = str_split(&text, '\n', &line) && str_split(&line, ' ', &feature) &&
                    str_eq(feature, str_of(evidence_names[i]));

        for (int mode = 0; mode < PRIOR_MODES; mode++) {
            struct posterior_weight *weight = &out->weights[mode][i];

            fine = fine && next_number(&line, &weight->mean) && next_number(&line, &weight->variance) &&
                   weight->variance >= 1e-6;
        }
        if (!fine || line.len)
            return errmsg_fail(err, SCENT_E_FORMAT,
                               "%s:%d: expected '%s' and a mean and a variance (above 0) for each of two modes", name,
                               i + 2, evidence_names[i]);
    }
    return text.len ? errmsg_fail(err, SCENT_E_FORMAT, "%s:%d: more lines than features", name, EVIDENCE_FEATURES + 2)
                    : SCENT_OK;
}

/* The texts are ours and are tested: what is wrong with them is a bug. */
struct prior prior_built_in(enum prior_kind kind)
{
    const char *const texts[PRIOR_KINDS][2] = {
        [PRIOR_FITTED] = {scent_priors_fitted, scent_priors_fitted_end},
        [PRIOR_AGREED] = {scent_priors_agreed, scent_priors_agreed_end},
        [PRIOR_TOLD] = {scent_priors_told, scent_priors_told_end},
        [PRIOR_PLAIN] = {scent_priors_plain, scent_priors_plain_end},
    };
    const char *begin = texts[kind][0], *end = texts[kind][1];
    struct errmsg err;
    struct prior prior;

    SCENT_BUG_IF(prior_read((struct str){begin, (size_t)(end - begin)}, "built-in", &prior, &err) != SCENT_OK);
    return prior;
}

void prior_write(const struct prior *prior, struct buf *out)
{
    buf_printf(out, "scent-priors %d adaptive %d\n", VERSION, EVIDENCE_FEATURES);
    for (int i = 0; i < EVIDENCE_FEATURES; i++) {
        buf_addz(out, evidence_names[i]);
        for (int mode = 0; mode < PRIOR_MODES; mode++)
            buf_printf(out, " %.3f %.5f", prior->weights[mode][i].mean, prior->weights[mode][i].variance);
        buf_addc(out, '\n');
    }
}
