/* intervals of time that are taken, and what is free among them: against a bitmap. */
#include "test.h"

#include "base/random.h"
#include "base/spans.h"

enum { BITS = 64 };

static uint64_t bits_of(struct span s)
{
	uint64_t bits = 0;
	for (int64_t t = s.from_ms; t < s.to_ms; t++)
		bits |= UINT64_C(1) << t;
	return bits;
}

/* All of them, which are in order, not empty, and apart (touching: the parts of a free interval
 * never do either). */
static uint64_t bits_of_all(const spans *s)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < s->n; i++) {
		assert_true(s->v[i].from_ms < s->v[i].to_ms);
		assert_true(i == 0 || s->v[i - 1].to_ms < s->v[i].from_ms);
		bits |= bits_of(s->v[i]);
	}
	return bits;
}

static struct span any(uint64_t *r)
{
	int64_t from = (int64_t)random_below(r, BITS), to = (int64_t)random_below(r, BITS + 1);
	return (struct span){ from, to };
}

static void at_random(void **state)
{
	uint64_t r = 7;
	(void)state;
	for (int round = 0; round < 3000; round++) {
		spans taken = { 0 }, room = { 0 };
		uint64_t bits = 0;
		for (int i = 0; i < 12; i++) {
			struct span s = any(&r), asked = any(&r);
			spans_put(&taken, s);
			bits |= bits_of(s);
			assert_true(bits_of_all(&taken) == bits);
			spans_free_of(&taken, asked, &room);
			assert_true(bits_of_all(&room) == (bits_of(asked) & ~bits));
		}
		vec_free(&taken);
		vec_free(&room);
	}
}

/* A longer one that begins before others end: time does not go back behind it. */
static void overlapping(void **state)
{
	spans taken = { 0 }, room = { 0 };
	(void)state;
	spans_put(&taken, (struct span){ 10, 50 });
	spans_put(&taken, (struct span){ 20, 30 });
	spans_free_of(&taken, (struct span){ 0, 60 }, &room);
	assert_int_equal(room.n, 2);
	assert_true(room.v[0].from_ms == 0 && room.v[0].to_ms == 10);
	assert_true(room.v[1].from_ms == 50 && room.v[1].to_ms == 60);
	spans_free_of(&taken, (struct span){ 35, 60 }, &room);
	assert_int_equal(room.n, 1);
	assert_true(room.v[0].from_ms == 50 && room.v[0].to_ms == 60);
	vec_free(&taken);
	vec_free(&room);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(at_random),
					    cmocka_unit_test(overlapping) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
