// SPDX-License-Identifier: Apache-2.0
/** Content codings that a client accepts: by name, by star, by weight; a name counts for more. */
#include "lib/http/accept.h"
#include "tests/unit/harness.h"

static void test_coding_is_accepted_by_name_star_and_weight(void **state)
{
    (void)state;
    static const char *const good[] = {
        "gzip",          "GZip",       "br, gzip", "gzip;q=1",    "gzip; q=0.001",
        "gzip ;Q=1.000", "deflate, *", "*;q=0.5",  "*;q=0, gzip", "identity;q=0, gzip;q=0.5",
        "gzip;x=y"};
    static const char *const bad[] = {
        "",        "br",       "gzip;q=0", "gzip;q=0.000", "*;q=0",     "*, gzip;q=0",  "gzipped",
        "gzip;q=", "gzip;q=x", "gzip;q=2", "gzip;q=0.",    "gzip;q=-1", "gzip;q=00001", "x-gzip"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(fil_http_accepts_coding(fil_bytes_of(good[i]), "gzip"));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(fil_http_accepts_coding(fil_bytes_of(bad[i]), "gzip"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coding_is_accepted_by_name_star_and_weight),
    };
    return cmocka_run_group_tests_name("accept", tests, NULL, NULL);
}
