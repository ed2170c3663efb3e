#include <errno.h>
#include <math.h>
#include "base/random.h"
#include "base/tm.h"
#include "opt/schedule/schedule.h"
#include "opt/schedule/schedule_fleet.h"
#include "../base/test.h"

#define H MS_HOUR

static struct price_series hourly(const int64_t *nano, size_t n, struct price_step *s)
{
	for (size_t i = 0; i < n; i++)
		s[i] = (struct price_step){ (int64_t)i * H, nano[i] };
	return (struct price_series){ n, s, (int64_t)n * H };
}

static void starts_at_the_cheapest(void **state)
{
	struct err e = { 0 };
	struct price_step s[6];
	struct schedule_start r;
	const int64_t nano[] = { 300, 100, 100, 200, 90, 400 };
	struct price_series p = hourly(nano, 6, s);
	struct schedule_job j = { 0, 6 * H, 2 * H, 3, 0 };
	assert_int_equal(schedule_start(&p, &j, &r, &e), 0);
	assert_true(r.feasible);
	assert_int_equal(r.start_ms, H);
	assert_int_equal(r.cost_nano, 600);
	assert_int_equal(r.now_nano, 1200);
	/* may begin within an hour: 1:00 to 2:30 or 1:30 to 3:00, the earlier one */
	j.length_ms = 90 * MS_MINUTE;
	assert_int_equal(schedule_start(&p, &j, &r, &e), 0);
	assert_int_equal(r.start_ms, H);
	assert_int_equal(r.cost_nano, 450);
	j.release_ms = 5 * H; /* one hour is left */
	assert_int_equal(schedule_start(&p, &j, &r, &e), 0);
	assert_false(r.feasible);
	j = (struct schedule_job){ 0, 100 * H, 7 * H, 1, 0 }; /* longer than the prices reach */
	assert_int_equal(schedule_start(&p, &j, &r, &e), 0);
	assert_false(r.feasible);
}

static void ends_on_a_step_too(void **state)
{
	struct err e = { 0 };
	struct price_step s[3];
	struct schedule_start r;
	const int64_t nano[] = { 100, 10, 500 };
	struct price_series p = hourly(nano, 3, s);
	struct schedule_job j = { 0, 3 * H, 90 * MS_MINUTE, 1, 0 };
	assert_int_equal(schedule_start(&p, &j, &r, &e), 0);
	assert_int_equal(r.start_ms, 30 * MS_MINUTE); /* ends where the expensive hour begins */
	assert_int_equal(r.cost_nano, 60);
}

static void without_price_nothing_runs(void **state)
{
	struct err e = { 0 };
	struct price_step s[6];
	struct schedule_start r;
	const int64_t nano[] = { 50, -1, 100, 100, -1, 10 };
	struct price_series p = hourly(nano, 6, s);
	struct schedule_job j = { 0, 6 * H, 2 * H, 1, 0 };
	assert_int_equal(schedule_start(&p, &j, &r, &e), 0);
	assert_int_equal(r.start_ms, 2 * H);
	assert_int_equal(r.now_nano, -1);
	assert_int_equal(price_between(&p, 0, 2 * H), -1);
	assert_int_equal(price_between(&p, 2 * H, 3 * H), 100);
	assert_int_equal(price_between(&p, 5 * H, 7 * H), -1);
}

/* Every start on a fine grid, priced again. */
static void exact_on_random_series(void **state)
{
	uint64_t rng = 11;
	struct err e = { 0 };
	for (int round = 0; round < 300; round++) {
		struct price_step s[12];
		size_t n = 2 + random_below(&rng, 10);
		int64_t t = 0;
		for (size_t i = 0; i < n; i++) {
			s[i] = (struct price_step){ t,
						    random_below(&rng, 12)
							    ? (int64_t)random_below(&rng, 50) * 3600
							    : -1 };
			t += (int64_t)(1 + random_below(&rng, 5)) * 1000;
		}
		struct price_series p = { n, s, t };
		struct schedule_job j = { (int64_t)random_below(&rng, 4) * 1000, t,
					  (int64_t)(1 + random_below(&rng, 8)) * 1000, 1, 0 };
		if (j.release_ms >= t)
			continue;
		struct schedule_start r;
		int64_t best = -1;
		assert_int_equal(schedule_start(&p, &j, &r, &e), 0);
		for (int64_t from = j.release_ms; from + j.length_ms <= j.deadline_ms;
		     from += 250) {
			int64_t c = price_between(&p, from, from + j.length_ms);
			best = c >= 0 && (best < 0 || c < best) ? c : best;
		}
		assert_int_equal(r.feasible, best >= 0);
		if (r.feasible)
			assert_int_equal(r.cost_nano, best);
	}
}

/* All subsets of slots: cost of a set is its work plus a restart for each stretch after the
 * first. */
static int64_t brute_pieces(const int64_t *nano, size_t n, int work, int restart)
{
	int64_t best = -1;
	for (uint32_t set = 1; set < 1u << n; set++) {
		int64_t cost = 0;
		int need = work, debt = 0;
		bool on = false, bad = false, ran = false;
		for (size_t t = 0; t < n && !bad; t++) {
			bool now = set >> t & 1;
			if (now && !on && ran)
				debt = restart;
			on = now;
			if (!now || need <= 0)
				continue;
			bad = nano[t] < 0;
			ran = true;
			int per = 4, units = 0;
			for (; per && (debt || need); per--, units++)
				debt ? debt-- : need--;
			cost += nano[t] * units / 4;
		}
		if (!bad && !need && (best < 0 || cost < best))
			best = cost;
	}
	return best;
}

static void pieces_are_exact(void **state)
{
	uint64_t rng = 5;
	struct err e = { 0 };
	for (int round = 0; round < 200; round++) {
		int64_t nano[10];
		struct price_step s[10];
		size_t n = 4 + random_below(&rng, 7);
		for (size_t i = 0; i < n; i++)
			nano[i] = random_below(&rng, 15) ? (int64_t)random_below(&rng, 30) * 4 : -1;
		struct price_series p = hourly(nano, n, s);
		int work = 1 + (int)random_below(&rng, 20), restart = (int)random_below(&rng, 7);
		struct schedule_job j = { 0, (int64_t)n * H, work * 15 * MS_MINUTE, 1,
					  restart * 15 * MS_MINUTE };
		struct schedule_pieces r;
		assert_int_equal(schedule_pieces(&p, &j, H, &r, &e), 0);
		int64_t want = brute_pieces(nano, n, work, restart), ms = 0, paid = 0;
		assert_int_equal(r.feasible, want >= 0);
		for (size_t i = 0; i < r.n; i++) {
			ms += r.piece[i].to_ms - r.piece[i].from_ms;
			paid += price_between(&p, r.piece[i].from_ms, r.piece[i].to_ms);
			assert_true(!i || r.piece[i].from_ms > r.piece[i - 1].to_ms);
		}
		if (r.feasible) {
			assert_int_equal(r.cost_nano, want);
			assert_int_equal(paid, want);
			assert_int_equal(ms, j.length_ms + (int64_t)(r.n - 1) * j.restart_ms);
		}
		schedule_pieces_free(&r);
	}
}

static void restarts_keep_it_whole(void **state)
{
	struct err e = { 0 };
	struct price_step s[5];
	const int64_t nano[] = { 60, 100, 60, 100, 60 };
	struct price_series p = hourly(nano, 5, s);
	struct schedule_job j = { 0, 5 * H, 3 * H, 1, 0 };
	struct schedule_pieces r;
	assert_int_equal(schedule_pieces(&p, &j, H, &r, &e), 0);
	assert_int_equal(r.cost_nano, 180);
	assert_int_equal(r.n, 3);
	schedule_pieces_free(&r);
	j.restart_ms = H;
	assert_int_equal(schedule_pieces(&p, &j, H, &r, &e), 0);
	assert_int_equal(r.cost_nano, 220);
	assert_int_equal(r.n, 1);
	schedule_pieces_free(&r);
}

static void rubbish(void **state)
{
	struct err e = { 0 };
	struct schedule_start r;
	struct schedule_pieces pc;
	struct price_step s[2] = { { 0, 1 }, { H, 2 } };
	struct price_series p = { 2, s, 2 * H };
	struct schedule_job j = { 0, 2 * H, H, 1, 0 };
	assert_int_equal(schedule_start(&(struct price_series){ 0 }, &j, &r, &e), -EINVAL);
	p.end_ms = H;
	assert_int_equal(schedule_start(&p, &j, &r, &e), -EINVAL);
	p.end_ms = 2 * H;
	s[1].nano_hour = INT64_MAX;
	assert_int_equal(schedule_start(&p, &j, &r, &e), -EINVAL);
	s[1].nano_hour = 2;
	j.length_ms = 0;
	assert_int_equal(schedule_start(&p, &j, &r, &e), -EINVAL);
	j = (struct schedule_job){ 0, INT64_MAX, H, 1, 0 };
	assert_int_equal(schedule_start(&p, &j, &r, &e), -EINVAL);
	j = (struct schedule_job){ H, H, H, 1, 0 };
	assert_int_equal(schedule_start(&p, &j, &r, &e), -EINVAL);
	j = (struct schedule_job){ 0, 100000 * H, 90000 * H + 1, 1, 1 };
	assert_int_equal(schedule_pieces(&p, &j, H, &pc, &e), -E2BIG);
	assert_true(e.hint[0]);
	assert_int_equal(schedule_pieces(&p, &j, 0, &pc, &e), -EINVAL);
}

/* ---- a fleet ----------------------------------------------------------------------------- */

/* Best of all placements, or -1. */
static int64_t brute_fleet(const struct slot_problem *f, size_t k, int64_t *room)
{
	if (k == f->njob)
		return 0;
	const struct slot_job *j = &f->job[k];
	int64_t best = -1;
	for (size_t p = 0; p < f->nplace; p++)
		for (size_t s = j->release;
		     s + j->length <= j->deadline && s + j->length <= f->nslot; s++) {
			int64_t c = j->move_nano ? j->move_nano[p] : 0;
			bool ok = c >= 0;
			for (size_t t = s; t < s + j->length; t++) {
				ok &= room[p * f->nslot + t] >= j->units &&
				      f->price_nano[p * f->nslot + t] >= 0;
				c += f->price_nano[p * f->nslot + t] * j->units;
			}
			if (!ok)
				continue;
			for (size_t t = s; t < s + j->length; t++)
				room[p * f->nslot + t] -= j->units;
			int64_t rest = brute_fleet(f, k + 1, room);
			for (size_t t = s; t < s + j->length; t++)
				room[p * f->nslot + t] += j->units;
			if (rest >= 0 && (best < 0 || rest + c < best))
				best = rest + c;
		}
	return best;
}

static void check_answer(const struct slot_problem *f, const struct slot_answer *a)
{
	int64_t *room = malloc(f->nplace * f->nslot * sizeof *room), cost = 0;
	for (size_t i = 0; i < f->nplace * f->nslot; i++)
		room[i] = f->capacity ? f->capacity[i] : INT32_MAX;
	for (size_t k = 0; k < f->njob; k++) {
		const struct slot_job *j = &f->job[k];
		if (a->place[k] < 0)
			continue;
		assert_true((uint32_t)a->start[k] >= j->release &&
			    (uint32_t)a->start[k] + j->length <= j->deadline);
		cost += j->move_nano ? j->move_nano[a->place[k]] : 0;
		for (size_t t = 0; t < j->length; t++) {
			size_t c = (size_t)a->place[k] * f->nslot + (size_t)a->start[k] + t;
			assert_true(f->price_nano[c] >= 0);
			assert_true((room[c] -= j->units) >= 0);
			cost += f->price_nano[c] * j->units;
		}
	}
	assert_int_equal(cost, a->cost_nano);
	assert_true(a->flow_nano <= a->cost_nano && a->price_nano <= a->cost_nano);
	free(room);
}

static void fleet_against_all_placements(void **state)
{
	uint64_t rng = 3;
	struct err e = { 0 };
	int solved = 0, optimal = 0;
	for (int round = 0; round < 150; round++) {
		int64_t price[2 * 8], cap[2 * 8], room[2 * 8], move[4][2];
		struct slot_job job[4];
		for (size_t i = 0; i < 16; i++) {
			price[i] = (int64_t)(10 + random_below(&rng, 40)) * 1000000;
			cap[i] = (int64_t)random_below(&rng, 4);
		}
		for (size_t k = 0; k < 4; k++) {
			uint32_t r = (uint32_t)random_below(&rng, 4);
			move[k][0] = random_below(&rng, 3) ? 0 : -1;
			move[k][1] = (int64_t)random_below(&rng, 3) * 10000000;
			job[k] = (struct slot_job){ r, r + 2 + (uint32_t)random_below(&rng, 6),
						    1 + (uint32_t)random_below(&rng, 2),
						    1 + (int64_t)random_below(&rng, 2), move[k] };
		}
		struct slot_problem f = { 2, 8, 4, price, cap, job };
		struct slot_answer a;
		assert_int_equal(slot_solve(&f, &a, &e), 0);
		memcpy(room, cap, sizeof room);
		int64_t best = brute_fleet(&f, 0, room);
		check_answer(&f, &a);
		if (best >= 0) {
			solved++;
			optimal += !a.left_out && a.cost_nano == best;
			assert_true(a.flow_nano <= best && a.price_nano <= best);
		} else
			assert_true(a.left_out > 0);
		slot_answer_free(&a);
	}
	assert_true(solved > 40);
	/* a heuristic: most small cases to the optimum */
	assert_true(optimal * 100 >= solved * 85);
}

static void fleet_near_its_bound(void **state)
{
	uint64_t rng = 9;
	struct err e = { 0 };
	enum { SLOTS = 168, JOBS = 150 };
	static int64_t price[SLOTS], cap[SLOTS];
	static struct slot_job job[JOBS];
	for (size_t t = 0; t < SLOTS; t++) {
		price[t] = (int64_t)(2e9 * (1 + 0.5 * sin((double)t / 24 * 6.283185307179586)));
		cap[t] = 30;
	}
	for (size_t k = 0; k < JOBS; k++) {
		uint32_t len = 1 + (uint32_t)random_below(&rng, 8),
			 r = (uint32_t)random_below(&rng, SLOTS - 48);
		job[k] = (struct slot_job){ r, r + len + 24, len,
					    1 + (int64_t)random_below(&rng, 4), NULL };
	}
	struct slot_problem f = { 1, SLOTS, JOBS, price, cap, job };
	struct slot_answer a;
	assert_int_equal(slot_solve(&f, &a, &e), 0);
	check_answer(&f, &a);
	assert_int_equal(a.left_out, 0);
	print_message("cost %.6f flow bound %.6f price bound %.6f gap %.5f\n", a.cost_nano / 1e9,
		      a.flow_nano / 1e9, a.price_nano / 1e9, a.gap_frac);
	assert_true(a.gap_frac <= 0.01);
	slot_answer_free(&a);
}

static void fleet_without_room(void **state)
{
	struct err e = { 0 };
	const int64_t price[] = { 1, 1, -1, 1 }, cap[] = { 1, 0, 1, 1 };
	const struct slot_job job[] = { { 0, 4, 2, 1, NULL }, { 0, 4, 1, 1, NULL } };
	struct slot_problem f = { 1, 4, 2, price, cap, job };
	struct slot_answer a;
	assert_int_equal(slot_solve(&f, &a, &e), 0);
	assert_int_equal(a.left_out, 1);
	assert_int_equal(a.place[0], -1);
	assert_int_equal(a.cost_nano, 1);
	slot_answer_free(&a);
	f.njob = 0;
	assert_int_equal(slot_solve(&f, &a, &e), 0);
	assert_int_equal(a.cost_nano, 0);
	slot_answer_free(&a);
	f.nslot = 0;
	assert_int_equal(slot_solve(&f, &a, &e), -EINVAL);
}

/* ---- timetable --------------------------------------------------------------------------- */

static void timetable_of_office_hours(void **state)
{
	struct err e = { 0 };
	enum { N = 6 * WEEK_HOURS };
	static double use[N];
	int64_t monday = 4 * MS_DAY; /* 1970-01-05 */
	for (size_t i = 0; i < N; i++)
		use[i] = i % WEEK_HOURS < 120 && i % 24 >= 9 && i % 24 < 15 ? 4 : 0;
	struct timetable t;
	struct timetable_opt o = { .headroom_h = 1 };
	assert_int_equal(
		timetable_make(&o, &(struct timetable_history){ N, use, monday, 0 }, &t, &e), 0);
	assert_true(t.enough);
	assert_int_equal((int)t.on_hours, 5 * 8);
	assert_true(t.on[8] && t.on[15] && !t.on[7] && !t.on[16] && !t.on[5 * 24 + 12]);
	assert_int_equal(t.misses, 0);
	assert_true(fabs(t.off_frac - 128.0 / 168) < 1e-9);
	/* two hours east: local hours are later */
	assert_int_equal(
		timetable_make(&o, &(struct timetable_history){ N, use, monday, 7200 }, &t, &e), 0);
	assert_true(t.on[10] && !t.on[9] && t.on[17] && !t.on[18]);
	/* one night of work in one week is used time: on in all weeks, and a miss where that week
	 * is the one tested */
	use[2 * WEEK_HOURS + 26] = 1;
	assert_int_equal(
		timetable_make(&o, &(struct timetable_history){ N, use, monday, 0 }, &t, &e), 0);
	assert_true(t.on[26]);
	assert_int_equal(t.misses, 1);
	/* unknown is not off */
	for (size_t i = 0; i < N; i++)
		if (i % WEEK_HOURS == 100)
			use[i] = NAN;
	assert_int_equal(
		timetable_make(&o, &(struct timetable_history){ N, use, monday, 0 }, &t, &e), 0);
	assert_true(t.on[100]);
	assert_int_equal(
		timetable_make(&o, &(struct timetable_history){ 300, use, monday, 0 }, &t, &e), 0);
	assert_false(t.enough);
	assert_has(t.why, "two weeks");
	o.headroom_h = -1;
	assert_int_equal(
		timetable_make(&o, &(struct timetable_history){ N, use, monday, 0 }, &t, &e),
		-EINVAL);
}

static void hours_of_the_week(void **state)
{
	int64_t ms;
	assert_int_equal(tm_parse(SV("2026-11-16"), 0, &ms), 0); /* a Monday */
	assert_int_equal(week_hour(ms, 0), 0);
	assert_int_equal(week_hour(ms - 1, 0), 167);
	assert_int_equal(week_hour(ms + 25 * H, -7200), 23);
	assert_int_equal(week_hour(-4 * MS_DAY - 1000 * 168 * H, 0), week_hour(-4 * MS_DAY, 0));
}

int main(void)
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(starts_at_the_cheapest),
		cmocka_unit_test(ends_on_a_step_too),
		cmocka_unit_test(without_price_nothing_runs),
		cmocka_unit_test(exact_on_random_series),
		cmocka_unit_test(pieces_are_exact),
		cmocka_unit_test(restarts_keep_it_whole),
		cmocka_unit_test(rubbish),
		cmocka_unit_test(fleet_against_all_placements),
		cmocka_unit_test(fleet_near_its_bound),
		cmocka_unit_test(fleet_without_room),
		cmocka_unit_test(timetable_of_office_hours),
		cmocka_unit_test(hours_of_the_week),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
