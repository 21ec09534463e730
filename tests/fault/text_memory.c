/* Memory ends while the language of a text is guessed: there is no guess, and nothing else happens. */
#include "text/text.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __has_feature
#define IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define IS_SANITIZED 0
#endif

static const char text[] = "Hundredoj da homoj kolektighis hierau en la centra placo por aplaudi la novan muzikistaron, "
                           "kiu ludis ghis noktomezo kaj poste forveturis per malnova trajno al alia urbo.";

static rlim_t bytes_in_use(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Nothing is left but so many kilobytes. */
static void leave(rlim_t kilobytes)
{
    static const size_t sizes[] = {64 << 10, 4 << 10, 256, 16};
    struct rlimit limit = {bytes_in_use(), RLIM_INFINITY};
    void *volatile block;

    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        while ((block = malloc(sizes[i])))
            ;
    limit.rlim_cur += kilobytes << 10;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

/* In a child: how it ended. */
static int guess_with(rlim_t kilobytes, bool is_loaded)
{
    pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka would go on */
        if (is_loaded)
            text_guess_by_ngrams(str_of(text));
        leave(kilobytes);
        text_guess_by_ngrams(str_of(text));
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_little_memory(void **state)
{
    (void)state;
    for (rlim_t kilobytes = 0; kilobytes <= 2048; kilobytes += 32)
        assert_int_equal(guess_with(kilobytes, true), 0);
    for (rlim_t kilobytes = 0; kilobytes <= 12288; kilobytes += 256)
        assert_int_equal(guess_with(kilobytes, false), 0);
}

static void test_enough_memory(void **state)
{
    (void)state;
    if (access("/usr/share/libexttextcat/fpdb.conf", R_OK) == 0)
        assert_str(text_guess_by_ngrams(str_of(text)), "eo");
}

int main(void)
{
    /* In this order: what is loaded in the parent is loaded in its children. */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_little_memory), cmocka_unit_test(test_enough_memory)};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || IS_SANITIZED
    printf("skipped: a sanitizer needs the address space\n");
    return TEST_SKIPPED;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
