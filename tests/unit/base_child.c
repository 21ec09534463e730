/* Programs that run beside us: what they read and write, how they end, and that none of it ends us. */
#include "test.h"

#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define HOUR (INT64_C(3600) * 1000 * 1000) /* longer than any test */

static pid_t start(const char *script, int input, int output)
{
    const char *const words[] = {"sh", "-c", script, NULL};
    pid_t child;

    assert_true(child_start(&(struct child_options){.words = words, .input = input, .output = output}, &child));
    return child;
}

static void what_it_writes_is_read_to_its_end(void **state)
{
    int to[2], from[2], how = -1;
    struct buf out;
    pid_t child;

    (void)state;
    assert_int_equal(pipe2(to, O_CLOEXEC) | pipe2(from, O_CLOEXEC), 0);
    child = start("read -r line; echo \"got $line\"; exit 7", to[0], from[1]);
    close(to[0]);
    close(from[1]);
    assert_int_equal(child_write(to[1], STR("this\n")), 5);
    buf_init(&out, 0);
    assert_true(child_read_all(from[0], HOUR, &out));
    assert_str(buf_str(&out), "got this\n");
    assert_true(child_end(child, HOUR, &how));
    assert_string_equal(child_end_text(how).text, "exit status 7");
    buf_release(&out);
    close(to[1]);
    close(from[0]);
}

/* The test itself would end by the signal. */
static void one_that_reads_nothing_does_not_end_us(void **state)
{
    int to[2], how;
    sigset_t pending;
    pid_t child;

    (void)state;
    signal(SIGPIPE, SIG_DFL);
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    child = start("exit 0", to[0], -1);
    close(to[0]);
    assert_true(child_end(child, HOUR, &how));
    assert_int_equal(child_write(to[1], STR("nobody")), -1);
    assert_int_equal(errno, EPIPE);
    assert_int_equal(sigpending(&pending), 0);
    assert_int_equal(sigismember(&pending, SIGPIPE), 0);
    close(to[1]);
}

static void one_that_does_not_end_is_ended(void **state)
{
    int how, from[2];
    struct buf out;
    pid_t child;

    (void)state;
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    child = start("sleep 3600 & echo begun; sleep 3600", -1, from[1]);
    close(from[1]);
    buf_init(&out, 3);
    assert_false(child_read_all(from[0], HOUR, &out)); /* more than fits */
    assert_false(child_end(child, 0, &how));
    assert_string_equal(child_end_text(how).text, "signal 9");
    buf_release(&out);
    buf_init(&out, 0);
    assert_true(child_read_all(from[0], HOUR, &out)); /* what it had started has ended, too */
    buf_release(&out);
    close(from[0]);
}

static void one_that_is_not_there_cannot_be_started(void **state)
{
    const char *const words[] = {"./nothing-here", NULL};
    pid_t child;

    (void)state;
    assert_false(child_start(&(struct child_options){.words = words, .input = -1, .output = -1}, &child));
    assert_int_equal(errno, ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_writes_is_read_to_its_end),
        cmocka_unit_test(one_that_reads_nothing_does_not_end_us),
        cmocka_unit_test(one_that_does_not_end_is_ended),
        cmocka_unit_test(one_that_is_not_there_cannot_be_started),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
