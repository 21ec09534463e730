/* What every C test includes: cmocka, and comparisons for our strings. */
#ifndef SCENT_TESTS_TEST_H
#define SCENT_TESTS_TEST_H

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* `s` (a struct str) equals the C string `want`; prints both when not. */
#define assert_str(s, want)                                                                    \
    do {                                                                                       \
        struct str s_ = (s);                                                                   \
        const char *want_ = (want);                                                            \
        if (!str_eq(s_, str_of(want_))) {                                                      \
            print_error("got  \"%.*s\"\nwant \"%s\"\n", STR_ARG(s_), want_);                   \
            fail();                                                                            \
        }                                                                                      \
    } while (0)

/* A scent_status is SCENT_OK; prints the message in `err` (a struct errmsg) when not. */
#define assert_ok(status, err)                                                                 \
    do {                                                                                       \
        scent_status status_ = (status);                                                       \
        if (status_ != SCENT_OK) {                                                             \
            print_error("%s: %s\n", scent_status_text(status_), (err).text);                   \
            fail();                                                                            \
        }                                                                                      \
    } while (0)

/* A fresh folder for one test, below TMPDIR; remove it with test_remove_dir. */
static inline char *test_make_dir(void)
{
    const char *tmp = getenv("TMPDIR");
    char path[512];

    snprintf(path, sizeof path, "%s/scent-test-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(path));
    return strdup(path);
}

static inline void test_remove_dir(char *path)
{
    char command[600];

    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
    free(path);
}

/* The exit status that ctest counts as skipped, for data that is not beside the project. */
enum { TEST_SKIPPED = 77 };

#endif
