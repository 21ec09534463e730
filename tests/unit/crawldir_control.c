/* The control socket: asked and answered, and nothing else is touched or followed in its place. */
#include "test.h"

#include "crawldir/control.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>

static char *dir;
static char path[600];

static int make(struct control_place *place)
{
    struct errmsg err = {{0}};
    int fd;

    assert_ok(control_listen(dir, place, &fd, &err), err);
    return fd;
}

struct server {
    int fd;
    const char *answer;
    size_t repeat;
    char asked[200];
};

/* Takes a line and answers. */
static void *serve(void *arg)
{
    struct server *server = arg;
    int fd = -1;
    size_t got = 0;

    while (fd < 0)
        fd = accept(server->fd, NULL, NULL); /* it does not block */
    while (got == 0 || server->asked[got - 1] != '\n')
        got += (size_t)read(fd, server->asked + got, 1);
    for (size_t i = 0; i < server->repeat; i++)
        if (send(fd, server->answer, strlen(server->answer), MSG_NOSIGNAL) < 0)
            break;
    close(fd);
    return NULL;
}

static scent_status ask(struct server *server, struct buf *answer)
{
    struct errmsg err = {{0}};
    pthread_t thread;
    scent_status status;

    assert_int_equal(pthread_create(&thread, NULL, serve, server), 0);
    status = control_ask(dir, STR("{\"do\":\"status\"}"), answer, &err);
    pthread_join(thread, NULL);
    return status;
}

static void a_line_is_answered_by_a_line(void **state)
{
    struct control_place place;
    struct server server = {.fd = make(&place), .answer = "{\"ok\":true}\nmore", .repeat = 1};
    struct stat info;
    struct buf answer;

    (void)state;
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISSOCK(info.st_mode) && (info.st_mode & 0777) == 0600);
    buf_init(&answer, 0);
    assert_int_equal(ask(&server, &answer), SCENT_OK);
    assert_str(buf_str(&answer), "{\"ok\":true}");
    assert_string_equal(server.asked, "{\"do\":\"status\"}\n");
    buf_clear(&answer);
    server = (struct server){.fd = server.fd, .answer = "half", .repeat = 1};
    assert_int_equal(ask(&server, &answer), SCENT_E_END);
    server = (struct server){.fd = server.fd, .answer = "without an end ", .repeat = CONTROL_ANSWER_MAX / 10};
    assert_int_equal(ask(&server, &answer), SCENT_E_LIMIT);
    buf_release(&answer);
    close(server.fd);
    control_remove(&place);
    assert_int_equal(lstat(path, &info), -1);
}

static void wait_for_line(struct control_watch *watch, const char *line)
{
    for (int i = 0; i < 10000 && !str_eq(buf_str(&watch->line), str_of(line)); i++) {
        (void)control_watch_look(watch, dir);
        usleep(1000);
    }
    assert_str(buf_str(&watch->line), line);
}

static void the_last_line_is_what_is_watched(void **state)
{
    struct control_place place;
    struct control_watch watch;
    int fd, client = -1;

    (void)state;
    control_watch_begin(&watch);
    assert_false(control_watch_look(&watch, dir)); /* nobody is there */
    fd = make(&place);
    assert_false(control_watch_look(&watch, dir)); /* somebody who does not answer, and nobody waits for that */
    while (client < 0)
        client = accept(fd, NULL, NULL);
    assert_int_equal(send(client, "old\nnew\nhalf", 12, 0), 12);
    wait_for_line(&watch, "new");
    assert_false(control_watch_look(&watch, dir));
    assert_int_equal(send(client, " done\n", 6, 0), 6);
    wait_for_line(&watch, "half done");
    close(client);
    close(fd);
    control_remove(&place);
    wait_for_line(&watch, "");
    assert_int_equal(watch.fd, -1);
    control_watch_end(&watch);
}

static void a_stale_socket_is_replaced(void **state)
{
    struct control_place left, place;
    struct errmsg err = {{0}};
    struct stat info;
    char other[600];
    int fd;

    (void)state;
    snprintf(other, sizeof other, "%s/other", dir);
    close(make(&left)); /* as a kill leaves it */
    assert_int_equal(control_connect(dir, &fd, &err), SCENT_E_NOTFOUND);
    close(left.dir);
    close(make(&place));
    assert_int_equal(rename(path, other), 0); /* somebody puts something else there meanwhile */
    close(make(&left));
    control_remove(&place);
    assert_int_equal(lstat(path, &info), 0);
    control_remove(&left);
    assert_int_equal(lstat(path, &info), -1);
    assert_int_equal(control_connect(dir, &fd, &err), SCENT_E_NOTFOUND);
}

static void what_is_not_a_socket_is_left_alone(void **state)
{
    struct control_place place;
    struct errmsg err = {{0}};
    struct stat info;
    char target[600];
    int fd;

    (void)state;
    snprintf(target, sizeof target, "%s/elsewhere", dir);
    for (int round = 0; round < 3; round++) {
        if (round == 0)
            assert_int_equal(mkdir(path, 0700), 0);
        else
            assert_int_equal(symlink(round == 1 ? "/nowhere" : target, path), 0);
        assert_int_equal(control_listen(dir, &place, &fd, &err), SCENT_E_INVALID);
        assert_int_equal(fd, -1);
        assert_int_equal(lstat(path, &info), 0);
        assert_int_not_equal(control_connect(dir, &fd, &err), SCENT_OK);
        assert_int_equal(fd, -1);
        assert_int_equal(remove(path), 0);
        if (round == 1) { /* a socket, but behind a link */
            close(make(&place));
            assert_int_equal(rename(path, target), 0);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    dir = test_make_dir();
    snprintf(path, sizeof path, "%s/" CONTROL_SOCKET, dir);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_remove_dir(dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_line_is_answered_by_a_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_last_line_is_what_is_watched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stale_socket_is_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_a_socket_is_left_alone, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
