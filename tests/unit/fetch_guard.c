#include "test.h"

#include "fetch/guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static bool loopback4(const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};

    assert_int_equal(inet_pton(AF_INET, text, &address.sin_addr), 1);
    return guard_is_loopback((struct sockaddr *)&address);
}

static bool loopback6(const char *text)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6};

    assert_int_equal(inet_pton(AF_INET6, text, &address.sin6_addr), 1);
    return guard_is_loopback((struct sockaddr *)&address);
}

static void test_addresses(void **state)
{
    (void)state;
    assert_true(loopback4("127.0.0.1"));
    assert_true(loopback4("127.0.0.0"));
    assert_true(loopback4("127.255.255.255"));
    assert_false(loopback4("126.255.255.255"));
    assert_false(loopback4("128.0.0.0"));
    assert_false(loopback4("0.0.0.0"));
    assert_false(loopback4("10.0.0.127"));
    assert_true(loopback6("::1"));
    assert_false(loopback6("::"));
    assert_false(loopback6("::2"));
    assert_false(loopback6("::127.0.0.1"));
    assert_false(loopback6("::ffff:127.0.0.1"));
    assert_false(loopback6("2001:db8::1"));
    assert_false(guard_is_loopback(&(struct sockaddr){.sa_family = AF_UNIX}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_addresses)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
