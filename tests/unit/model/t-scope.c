/* Keys of scopes: no two scopes have the same, and a key tells which scope it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/scope.h"

static bool same(const struct scope *x, const struct scope *y)
{
	return x->kind == y->kind && sv_eq(x->name, y->name) && sv_eq(x->provider, y->provider) &&
	       sv_eq(x->cluster, y->cluster) && sv_eq(x->gpu_model, y->gpu_model) &&
	       x->batch == y->batch && x->file == y->file;
}

static void keys_of_common_scopes_are_plain(void **state)
{
	struct arena mem = { 0 };
	struct scope node = scope_node(SV("gpu-01")),
		     pool = { .kind = SCOPE_POOL, .cluster = SV("c1"), .gpu_model = SV("A100") },
		     gpu = { .kind = SCOPE_GPU, .name = SV("GPU-60") },
		     res = { .kind = SCOPE_RESOURCE, .provider = SV("aws"), .name = SV("i-0") },
		     bill = { .kind = SCOPE_BILL, .batch = 7, .file = 2 };

	assert_string_equal(scope_key_in(&node, &mem), "gpu-01");
	assert_string_equal(scope_key_in(&pool, &mem), "pool:c1/A100");
	assert_string_equal(scope_key_in(&gpu, &mem), "gpu:GPU-60");
	assert_string_equal(scope_key_in(&res, &mem), "res:aws/i-0");
	assert_string_equal(scope_key_in(&bill, &mem), "bill:7/2");
	arena_free(&mem);
}

/* Names that look like keys, parts of keys, or escapes. */
static void every_key_reads_back_and_no_two_are_equal(void **state)
{
	static const char *const name[] = { "",       "a",      "/",        "a/b",   "%2F",
					    "%25",    "pool:a", "pool:/",   "gpu:x", "res:a/b",
					    "node:a", "node:",  "bill:1/0", "bill:", "a%2Fb" };
	const size_t n = sizeof name / sizeof *name;
	struct arena mem = { 0 };
	struct intern key = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			struct sv x = sv_of(name[i]), y = sv_of(name[k]);
			struct scope s[] = {
				{ .kind = SCOPE_POOL, .cluster = x, .gpu_model = y },
				{ .kind = SCOPE_RESOURCE, .provider = x, .name = y },
				{ .kind = SCOPE_NODE, .name = x },
				{ .kind = SCOPE_GPU, .name = x },
				{ .kind = SCOPE_BILL, .batch = (int64_t)i, .file = (int64_t)k },
			};
			for (size_t j = 0; j < sizeof s / sizeof *s; j++) {
				if ((j == 2 || j == 3) && k)
					continue; /* of one name */
				const char *text = scope_key_in(&s[j], &mem);
				struct scope back = scope_of_key(sv_of(text), &mem);
				assert_true(same(&s[j], &back));
				intern_add(&key, sv_of(text));
				count++;
			}
		}
	assert_int_equal(key.n, count);
	intern_free(&key);
	arena_free(&mem);
}

static void keys_of_older_stores_are_read(void **state)
{
	struct arena mem = { 0 };
	struct scope s = scope_of_key(SV("res:i-0ab"), &mem);

	assert_true(s.kind == SCOPE_RESOURCE && sv_is(s.name, "i-0ab") && !s.provider.n);
	arena_free(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_common_scopes_are_plain),
		cmocka_unit_test(every_key_reads_back_and_no_two_are_equal),
		cmocka_unit_test(keys_of_older_stores_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
