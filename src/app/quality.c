#include "app/quality.h"

#include "json/json.h"

#include <inttypes.h>

/* ---- for people ---- */

static int widest_class(const struct quality *quality)
{
    size_t widest = 8;

    for (uint32_t i = 0; i < quality->examples->set.nclasses; i++)
        if (quality->examples->set.classes[i].len > widest)
            widest = quality->examples->set.classes[i].len;
    return widest > 48 ? 48 : (int)widest;
}

static void print_row(int width, struct str name, const struct evaluate_class *row, FILE *out)
{
    fprintf(out, "  %-*.*s %6" PRIu32 " %9.3f %7.3f %7.3f %7.3f %7.4f %9.3f\n", width,
            (int)(name.len < (size_t)width ? name.len : (size_t)width), name.p, row->pages, row->precision, row->recall,
            row->f1, row->auc, row->brier, row->ece);
}

static void print_table(const struct quality *quality, FILE *out)
{
    const struct evaluate_result *result = quality->result;
    const struct learn_set *set = &quality->examples->set;
    int width = widest_class(quality);

    fprintf(out, "\nOn pages that it has not seen (cross-validation, %" PRIu32 " folds): accuracy %.3f\n\n", result->folds,
            result->accuracy);
    fprintf(out, "  %-*s  pages precision  recall      F1     AUC   Brier off by\n", width, "class");
    for (uint32_t i = 0; i < result->nclasses; i++)
        print_row(width, set->classes[i], &result->classes[i], out);
    print_row(width, STR("mean"), &result->mean, out);
    fputs("\n  Brier: mean squared error of the probability; off by: how far probabilities are from what happens.\n", out);
}

static void print_words(const struct quality *quality, FILE *out)
{
    struct model_term terms[QUALITY_WORDS];

    fputs("\nThe most telling words:\n\n", out);
    for (uint32_t i = 0; i < model_nclasses(quality->model); i++) {
        size_t count = model_telling(quality->model, i, terms, QUALITY_WORDS);

        fprintf(out, "  %.*s:", STR_ARG(model_class(quality->model, i)));
        for (size_t k = 0; k < count; k++)
            fprintf(out, " %.*s", STR_ARG(terms[k].text));
        fputc('\n', out);
    }
}

void quality_print(const struct quality *quality, FILE *out)
{
    const struct learn_set *set = &quality->examples->set;

    fprintf(out, "%.*s: %zu examples of %" PRIu32 " classes, %" PRIu32 " words; a model of kind %s\n",
            STR_ARG(quality->topic->name), set->nexamples, set->nclasses, model_nfeatures(quality->model),
            model_kind_name(model_kind_of(quality->model)));
    if (quality->result)
        print_table(quality, out);
    print_words(quality, out);
    fprintf(out, "\n%s is written\n", quality->path);
}

/* ---- for programs ---- */

static void write_row(struct json_writer *w, const struct evaluate_class *row)
{
    json_put_int(w, "pages", row->pages);
    json_put_double(w, "precision", row->precision);
    json_put_double(w, "recall", row->recall);
    json_put_double(w, "f1", row->f1);
    json_put_double(w, "auc", row->auc);
    json_put_double(w, "brier", row->brier);
    json_put_double(w, "ece", row->ece);
}

static void write_words(struct json_writer *w, const struct model *model, uint32_t class)
{
    struct model_term terms[QUALITY_WORDS];
    size_t count = model_telling(model, class, terms, QUALITY_WORDS);

    json_key(w, "words");
    json_array_begin(w);
    for (size_t i = 0; i < count; i++)
        json_str(w, terms[i].text);
    json_array_end(w);
}

static void write_classes(struct json_writer *w, const struct quality *quality)
{
    json_key(w, "classes");
    json_array_begin(w);
    for (uint32_t i = 0; i < model_nclasses(quality->model); i++) {
        json_object_begin(w);
        json_put_str(w, "class", model_class(quality->model, i));
        json_put_int(w, "examples", (int64_t)quality->examples->counts[i]);
        if (quality->result)
            write_row(w, &quality->result->classes[i]);
        write_words(w, quality->model, i);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_left_out(struct json_writer *w, const struct training_set *examples)
{
    json_put_int(w, "unreadable", (int64_t)examples->unreadable);
    json_put_int(w, "empty", (int64_t)examples->empty);
    json_put_int(w, "copies", (int64_t)examples->copies);
}

void quality_print_json(const struct quality *quality, FILE *out)
{
    struct json_writer w;
    struct buf text;

    buf_init(&text, 0);
    json_writer_init(&w, &text);
    json_object_begin(&w);
    json_put_str(&w, "topic", quality->topic->name);
    json_put_str(&w, "model", str_of(quality->path));
    json_put_str(&w, "kind", str_of(model_kind_name(model_kind_of(quality->model))));
    json_put_int(&w, "examples", (int64_t)quality->examples->set.nexamples);
    json_put_int(&w, "words", model_nfeatures(quality->model));
    write_left_out(&w, quality->examples);
    if (quality->result) {
        json_put_int(&w, "folds", quality->result->folds);
        json_put_double(&w, "accuracy", quality->result->accuracy);
        json_key(&w, "mean");
        json_object_begin(&w);
        write_row(&w, &quality->result->mean);
        json_object_end(&w);
    }
    write_classes(&w, quality);
    json_object_end(&w);
    fprintf(out, "%s\n", buf_z(&text));
    buf_release(&text);
}
