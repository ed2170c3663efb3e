#include "opt/size/idle.h"
#include "../base/test.h"

#define MIN  60000LL
#define HOUR 3600000LL

static void melts_spans(void **state)
{
	struct idle_span v[] = { { 50, 60 }, { 0, 10 },  { 10, 20 },
				 { 55, 58 }, { 30, 30 }, { 70, 65 } };
	assert_int_equal(idle_union(v, 6), 2);
	assert_int_equal(v[0].from_ms, 0);
	assert_int_equal(v[0].to_ms, 20);
	assert_int_equal(v[1].from_ms, 50);
	assert_int_equal(v[1].to_ms, 60);
	assert_int_equal(idle_union(NULL, 0), 0);
}

static const struct idle_wait rule = { 15 * MIN, 5 * MIN };

static void releases_gaps(void **state)
{
	struct idle_span out[4];
	const struct idle_span busy[] = { { 60 * MIN, 120 * MIN },
					  { 130 * MIN, 140 * MIN },
					  { 200 * MIN, 240 * MIN } };
	/* free 0-60: back 15 to 55; 120-130: too short; 140-200: 155 to 195; 240-300: to the end,
	 * nobody waits for it */
	assert_int_equal(idle_release(busy, 3, (struct idle_span){ 0, 300 * MIN }, rule, out), 3);
	assert_int_equal(out[0].from_ms, 15 * MIN);
	assert_int_equal(out[0].to_ms, 55 * MIN);
	assert_int_equal(out[1].from_ms, 155 * MIN);
	assert_int_equal(out[1].to_ms, 195 * MIN);
	assert_int_equal(out[2].from_ms, 255 * MIN);
	assert_int_equal(out[2].to_ms, 300 * MIN);
}

static void never_held(void **state)
{
	struct idle_span out[1];
	assert_int_equal(idle_release(NULL, 0, (struct idle_span){ 0, 100 * MIN }, rule, out), 1);
	assert_int_equal(out[0].from_ms, 15 * MIN);
	assert_int_equal(out[0].to_ms, 100 * MIN);
	assert_int_equal(idle_release(NULL, 0, (struct idle_span){ 0, 10 * MIN }, rule, out), 0);
}

static void held_always(void **state)
{
	struct idle_span out[2];
	const struct idle_span busy[] = { { -HOUR, 10 * HOUR } };
	assert_int_equal(idle_release(busy, 1, (struct idle_span){ 0, 2 * HOUR }, rule, out), 0);
}

static void culls(void **state)
{
	struct idle_hour h[12];
	for (int i = 0; i < 12; i++)
		h[i] = (struct idle_hour){ i * HOUR, HOUR, i == 0 || i == 7 ? 0 : HOUR, 100 };
	/* idle 1..6: stopped after 4 h at hour 5, wanted at 7; idle 8..11: never that long */
	struct idle_cull c = idle_cull(h, 12, 4 * HOUR);
	assert_int_equal(c.stops, 1);
	assert_int_equal(c.restarts, 1);
	assert_int_equal(c.off_ms, 2 * HOUR);
	assert_int_equal(c.saved_nano, 200);
	h[3].idle_ms = 0; /* one hour of work: no interval is long enough */
	assert_int_equal(idle_cull(h, 12, 4 * HOUR).saved_nano, 0);
	h[3].idle_ms = HOUR;
	h[3].hour_ms = h[2].hour_ms + 1; /* hours that are missing are not idle ones */
	assert_int_equal(idle_cull(h, 0, 4 * HOUR).saved_nano, 0);
}

static void unknown_is_not_idle(void **state)
{
	struct idle_hour h[10];
	for (int i = 0; i < 10; i++)
		/* half of it was not read */
		h[i] = (struct idle_hour){ i * HOUR, HOUR, HOUR / 2, 100 };
	assert_int_equal(idle_cull(h, 10, 2 * HOUR).saved_nano, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(melts_spans), cmocka_unit_test(releases_gaps),
		cmocka_unit_test(never_held),  cmocka_unit_test(held_always),
		cmocka_unit_test(culls),       cmocka_unit_test(unknown_is_not_idle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
