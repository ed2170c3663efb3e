/* Replicas on machines while they are scaled, drained and stopped: each rule that an order of steps
 * can break, by an order that breaks that rule alone. */
#include "unit/base/test.h"
#include "sim/pods.h"

/* Three machines of two GPUs: "a" on the first two, "b" twice on the second... */
static struct pods small(bool last)
{
	struct pods p;

	pods_new(&p, 3, 2, last);
	for (size_t i = 0; i < 3; i++)
		p.node[i].gpus = 2;
	p.live[0 * 3 + 0] = p.live[0 * 3 + 1] = 1;
	p.live[1 * 3 + 2] = 2;
	p.load[0] = 0.8;
	p.load[1] = 0.5;
	return p;
}

#define BOTH_WAYS for (int last = 0; last < 2; last++)

static void ends(struct pods *p, enum pods_break want)
{
	assert_int_equal(p->broke, want);
	assert_true(*pods_break_text(want));
	pods_free(p);
}

/* One more elsewhere, wait, one fewer: from where most are; then nothing is lost by the drain. */
static void the_way_that_holds(void **s)
{
	BOTH_WAYS
	{
		struct pods p = small(last);
		pods_cordon(&p, 2);
		pods_scale(&p, 1, 3);
		pods_wait(&p, 1);
		pods_scale(&p, 1, 2);
		assert_int_equal(pods_on(&p, 1, 2), 1);
		assert_int_equal(pods_one_lost(&p, 1), 1);
		pods_drain(&p, 2);
		assert_int_equal(pods_working(&p, 1), 1);
		pods_wait(&p, 1);
		pods_stop(&p, 2);
		assert_true(p.node[2].gone);
		assert_int_equal(pods_working(&p, 0), 2);
		assert_int_equal(pods_working(&p, 1), 2);
		assert_int_equal(pods_on(&p, 1, 0), 1);
		assert_int_equal(pods_on(&p, 1, 1), 1);
		ends(&p, PODS_FINE);
	}
}

static void the_last_replica(void **s)
{
	BOTH_WAYS
	{
		struct pods p = small(last);
		pods_drain(&p, 2);
		ends(&p, PODS_NONE_LEFT);
		p = small(last);
		pods_scale(&p, 0, 0);
		ends(&p, PODS_NONE_LEFT);
	}
}

static void the_highest_minute(void **s)
{
	BOTH_WAYS
	{
		struct pods p = small(last);
		p.load[0] = 1.2;
		pods_drain(&p, 0);
		ends(&p, PODS_OVERLOAD);
		p = small(last);
		p.load[0] = 1.2;
		pods_scale(&p, 0, 1);
		ends(&p, PODS_OVERLOAD);
	}
}

static void without_a_wait(void **s)
{
	BOTH_WAYS
	{
		struct pods p = small(last);
		pods_drain(&p, 0);
		pods_drain(&p, 1); /* "a" of the first machine has not come up yet */
		ends(&p, PODS_NO_WAIT);
		p = small(last);
		pods_drain(&p, 0);
		pods_stop(&p, 0);
		ends(&p, PODS_NO_WAIT);
		/* one on the way is enough to forbid a drain that by itself evicts nobody's last */
		p = small(last);
		pods_scale(&p, 0, 3);
		pods_drain(&p, 0);
		ends(&p, PODS_NO_WAIT);
	}
}

static void without_room(void **s)
{
	BOTH_WAYS
	{
		struct pods p = small(last);
		pods_scale(&p, 0, 5);
		pods_wait(&p, 0);
		ends(&p, PODS_NO_ROOM);
		p = small(last);
		pods_cordon(&p, 0); /* takes no more */
		pods_cordon(&p, 1);
		pods_scale(&p, 0, 3);
		pods_wait(&p, 0);
		ends(&p, PODS_NO_ROOM);
	}
}

static void stopped_with_replicas(void **s)
{
	BOTH_WAYS
	{
		struct pods p = small(last);
		pods_stop(&p, 0);
		ends(&p, PODS_NOT_EMPTY);
	}
}

/* What a service keeps when it loses its fullest machine; what breaks first stays. */
static void one_machine_lost(void **s)
{
	struct pods p = small(false), q;

	assert_int_equal(pods_one_lost(&p, 0), 1);
	assert_int_equal(pods_one_lost(&p, 1), 0);
	pods_new(&q, 3, 2, true);
	pods_copy(&q, &p);
	pods_drain(&p, 2);
	pods_drain(&p, 0);
	assert_int_equal(p.broke, PODS_NONE_LEFT);
	assert_int_equal(pods_count(&p, 0), 2);
	assert_int_equal(pods_on(&q, 1, 2), 2);
	assert_false(q.last);
	pods_free(&p);
	pods_free(&q);
}

int main(void)
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(the_way_that_holds), cmocka_unit_test(the_last_replica),
		cmocka_unit_test(the_highest_minute), cmocka_unit_test(without_a_wait),
		cmocka_unit_test(without_room),       cmocka_unit_test(stopped_with_replicas),
		cmocka_unit_test(one_machine_lost),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
