#ifndef TESTS_TEST_H
#define TESTS_TEST_H
/* What cmocka wants to be included first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define assert_sv(got, z)                                 \
	do {                                              \
		struct sv sv_ = (got);                    \
		assert_non_null(sv_.p);                   \
		assert_int_equal(sv_.n, strlen(z));       \
		assert_memory_equal(sv_.p, z, strlen(z)); \
	} while (0)
#define assert_has(text, part)                                           \
	do {                                                             \
		if (!strstr(text, part))                                 \
			fail_msg("'%s' does not hold '%s'", text, part); \
	} while (0)
#endif
