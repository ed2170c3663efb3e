#include "base/mem.h"
#include "base/random.h"
#include "test.h"

static void arenas(void **state)
{
	struct arena a = { 0 };
	uint64_t r = 3;
	struct {
		unsigned char *p;
		size_t n;
		unsigned char fill;
	} piece[2000];
	unsigned char *grown = NULL; /* with others made between */
	for (size_t i = 0; i < COUNT(piece); i++) {
		piece[i].n = random_below(&r, 50) == 0 ? random_below(&r, 2000000)
						       : random_below(&r, 300);
		piece[i].fill = (unsigned char)i;
		piece[i].p = i % 2 ? arena_alloc(&a, piece[i].n) : arena_zalloc(&a, piece[i].n);
		assert_int_equal((uintptr_t)piece[i].p % 16, 0);
		for (size_t k = 0; i % 2 == 0 && k < piece[i].n; k += 97)
			assert_int_equal(piece[i].p[k], 0);
		memset(piece[i].p, piece[i].fill, piece[i].n);
		grown = arena_resize(&a, grown, (i + 1) * 100);
		memset(grown + i * 100, piece[i].fill, 100);
	}
	grown = arena_resize(&a, grown, COUNT(piece));
	for (size_t i = 0; i < COUNT(piece); i++)
		assert_int_equal(grown[i], (unsigned char)(i / 100));
	for (size_t i = 0; i < COUNT(piece); i++) /* nothing overlaps */
		for (size_t k = 0; k < piece[i].n; k++)
			if (piece[i].p[k] != piece[i].fill)
				fail_msg("piece %zu was overwritten", i);
	assert_string_equal(arena_strn(&a, "abcdef", 3), "abc");
	assert_string_equal(arena_sv(&a, SV("xyz")), "xyz");
	assert_null(arena_sv(&a, SV_NULL));
	assert_string_equal(arena_printf(&a, "%s-%d", "n", 12), "n-12");
	char *wide = arena_printf(&a, "%300d", 7);
	assert_int_equal(strlen(wide), 300);
	arena_free(&a);
	assert_int_equal(a.used_bytes, 0);
	assert_null(a.head);
}

static void vectors(void **state)
{
	VEC(int) v = { 0 };
	for (int i = 0; i < 1000; i++)
		*vec_push(&v) = i;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v.v[i], i);
	vec_clear(&v);
	vec_grow(&v, 5000);
	assert_true(v.cap >= 5000);
	vec_free(&v);
	assert_null(v.v);
	assert_int_equal(v.cap, 0);
}

static void interns(void **state)
{
	struct intern t = { 0 };
	char buf[32];
	assert_int_equal(intern_find(&t, SV("x")), -1);
	for (uint32_t i = 0; i < 20000; i++) {
		int n = snprintf(buf, sizeof buf, "node-%u", i);
		assert_int_equal(intern_add(&t, (struct sv){ buf, (size_t)n }), i);
	}
	for (uint32_t i = 0; i < 20000; i += 7) {
		int n = snprintf(buf, sizeof buf, "node-%u", i);
		assert_int_equal(intern_add(&t, (struct sv){ buf, (size_t)n }), i);
		assert_int_equal(intern_find(&t, (struct sv){ buf, (size_t)n }), i);
		assert_string_equal(intern_z(&t, i), buf);
	}
	assert_int_equal(intern_find(&t, SV("node-20000")), -1);
	uint32_t empty = intern_add(&t, SV_NULL);
	assert_int_equal(intern_add(&t, SV("")), empty);
	assert_string_equal(intern_z(&t, empty), "");
	assert_int_equal(t.n, 20001);
	intern_free(&t);
	assert_int_equal(t.n, 0);
}

static void copies(void **state)
{
	char *a = xstrdup("abc"), *b = xstrndup("abcdef", 2), *c = xcalloc(4, 2), *d = xmalloc(0);
	assert_string_equal(a, "abc");
	assert_string_equal(b, "ab");
	assert_int_equal(c[7], 0);
	assert_non_null(d);
	a = xrealloc(a, 1000);
	assert_string_equal(a, "abc");
	free(a);
	free(b);
	free(c);
	free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(arenas), cmocka_unit_test(vectors),
					    cmocka_unit_test(interns), cmocka_unit_test(copies) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
