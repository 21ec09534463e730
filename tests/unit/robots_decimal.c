#include "robots/decimal.h"
#include "test.h"

static void test_decimals(void **state)
{
    (void)state;
    assert_int_equal(decimal_millionths(STR("0.8")), 800000);
    assert_int_equal(decimal_millionths(STR("12")), 12000000);
    assert_int_equal(decimal_millionths(STR("1.0000019")), 1000001);
    assert_int_equal(decimal_millionths(STR("99999999999999999999999999")), DECIMAL_MAX);
    assert_int_equal(decimal_millionths(STR("1,5")), -1);
    assert_int_equal(decimal_millionths(STR("")), -1);
    assert_int_equal(decimal_millionths(STR(".")), -1);
    assert_int_equal(decimal_millionths(STR("+1")), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
