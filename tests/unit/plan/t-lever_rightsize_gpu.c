/* The lever rightsize_gpu on fleets of a few jobs: who moves to which card, how sure that is, and
 * who stays. */
#include "fleet_fix.h"
#include "plan/own_speed.h"

/* A job of 20 h on a whole machine of 4 V100: `util` % busy with DRAM and tensor counters where
 * they are told, `gib` of memory, twice the time it took booked. */
static struct work *job(struct fix *x, const char *id, double from, double util, double gib,
			bool counters)
{
	struct work *w = fix_work(x, WORK_JOB, id, fix_node(x, id, "training", from, from + 20), 4,
				  from, from + 20, 1);
	w->stats.util_mean_pct = util;
	w->stats.mem_p99_bytes = gib * (double)(1 << 30);
	w->stats.tensor_mean_frac = counters ? .05 : NAN;
	w->stats.dram_mean_frac = counters ? .1 : NAN;
	w->deadline_ms = AT(from + 40);
	return w;
}

static double memory_of(const struct fix *x, const char *gpu)
{
	return catalog_gpu(x->cat, sv_of(gpu))->memory_gib;
}

static void half_idle_jobs_move(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	x.f.until_ms = AT(720);
	job(&x, "a", 0, 40, 8, true);
	job(&x, "b", 200, 30, 10, true);
	job(&x, "c", 400, 30, 10, true);
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	assert_non_null(fix_rec(&x, "rightsize_gpu-vision-v100-sxm2-16gb"));
	assert_has(x.out.v.v[0]->title, "vision: cheaper cards than V100-SXM2-16GB for 3 jobs (");
	for (size_t i = 0; i < x.out.v.n; i++) {
		const struct rec *r = x.out.v.v[i];
		assert_int_equal(r->risk, RISK_MEDIUM); /* two signals and more */
		assert_true(has_lines(r) && r->evidence.n >= 3 && *r->title);
		assert_true(fix_saving(&x, r) > 0);
		for (size_t k = 0; k < r->change.n; k++) {
			const struct rec_change *c = &r->change.v[k];
			const struct use *u = &x.use[c->work];
			const struct work *w = &x.f.work.v[c->work];
			assert_string_not_equal(c->after.gpu_model, u->gpu_model);
			assert_int_equal(c->after.gpus_milli, u->gpus_milli);
			assert_true(memory_of(&x, c->after.gpu_model) * (double)(1 << 30) >=
				    1.1 * w->stats.mem_p99_bytes);
			assert_true(c->lo_nano <= c->after.cost_nano &&
				    c->after.cost_nano <= c->hi_nano);
			/* cheaper at the slow end of the range too */
			assert_true(c->hi_nano < u->cost_nano);
			assert_true(c->after.stretch >= 1 && c->after.end_ms >= u->end_ms &&
				    c->after.end_ms <= w->deadline_ms);
			assert_string_equal(catalog_gpu(x.cat, sv_of(c->after.gpu_model))->vendor,
					    "nvidia");
		}
	}
	fix_close(&x);
}

/* Own measurements decide: a T4 that was measured slow is not proposed, one that was measured half
 * as fast is, with that time and not the roofline's. */
static void own_speeds_come_first(void **state)
{
	const double t4_speed[] = { .1, .8 };
	for (int k = 0; k < 2; k++) {
		struct fix x;
		struct own_speeds own = { 0 };
		fix_open(&x, 240);
		x.f.until_ms = AT(720);
		const char *const id[] = { "a", "b", "c" };
		for (int i = 0; i < 3; i++) {
			struct work *w = job(&x, id[i], 200 * i, 40, 8, true);
			w->name = i == 0 ? "ranker-17" : i == 1 ? "ranker-18" : "ranker";
		}
		fix_done(&x);
		const char *const card[] = { "V100-SXM2-16GB", "T4" };
		for (int i = 0; i < 2; i++)
			*vec_push(&own.v) =
				(struct own_speed){ .workload = "Ranker",
						    .run = "",
						    .gpu = catalog_gpu(x.cat, sv_of(card[i])),
						    .gpus = 1,
						    .speed = i ? t4_speed[k] * 10 : 10,
						    .at_ms = UNKNOWN_MS };
		x.conf.own = &own;
		fix_ask(&x, LEVER_RIGHTSIZE_GPU);
		bool t4 = false;
		for (size_t i = 0; i < x.out.v.n; i++)
			for (size_t j = 0; j < x.out.v.v[i]->change.n; j++) {
				const struct rec_change *c = &x.out.v.v[i]->change.v[j];
				if (strcmp(c->after.gpu_model, "T4") != 0)
					continue;
				t4 = true;
				assert_float_equal(c->after.stretch, 1 / t4_speed[k], 1e-9);
				assert_int_equal(x.out.v.v[i]->risk, RISK_LOW);
				assert_int_equal(x.out.v.v[i]->change.n, 3);
			}
		assert_int_equal(t4, k == 1);
		vec_free(&own.v);
		fix_close(&x);
	}
}

static void utilisation_alone_is_a_high_risk(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	job(&x, "a", 0, 15, 8, false);
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_true(x.out.v.n >= 1);
	assert_int_equal(x.out.v.v[0]->risk, RISK_HIGH);
	fix_close(&x);
}

static void who_stays(void **state)
{
	struct fix x;
	fix_open(&x, 480);
	/* no time to be slower */
	job(&x, "busy", 0, 99, 8, true)->deadline_ms = AT(20.5);
	/* more memory than any card sold there */
	job(&x, "full", 30, 30, 300, true);
	job(&x, "blind", 60, 30, 8, true)->stats.mem_p99_bytes = NAN; /* memory not known */
	/* hardly any readings */
	job(&x, "thin", 90, 30, 8, true)->stats.covered_frac = .3;
	job(&x, "owned", 120, 30, 8, true)->elastic = false;  /* its cost stays */
	job(&x, "part", 150, 30, 8, true)->gpus_milli = 1000; /* the machine stays */
	job(&x, "slice", 180, 30, 8, true)->share_kind = SHARE_MIG;
	job(&x, "unread", 210, NAN, 8, false);
	job(&x, "late", 240, 30, 8, true)->deadline_ms = AT(259); /* already too late */
	/* nothing is sold there */
	job(&x, "nowhere", 270, 30, 8, true)->region = "moon-1";
	/* the catalogue does not know it */
	job(&x, "what", 300, 30, 8, true)->gpu_model = "Voodoo2";
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	for (size_t i = 0; i < x.out.v.n; i++)
		fail_msg("proposed: %s", x.out.v.v[i]->title);
	assert_int_equal(x.note.n, 1); /* memory not known: said */
	fix_close(&x);
}

static void opted_out(void **state)
{
	struct fix x;
	struct err err;
	fix_open(&x, 240);
	job(&x, "a", 0, 30, 8, true);
	fix_done(&x);
	plan_conf_free(&x.conf);
	assert_int_equal(
		plan_conf_parse(
			"c",
			SV("version: 1\nplan: {rules: [{when: {team: vision}, opt_out: [rightsize_gpu]}]}\n"),
			&x.conf, &err),
		0);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

static void at_most_two_cards_a_machine_type(void **state)
{
	struct fix x;
	static const char *const id[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	fix_open(&x, 480);
	for (int i = 0; i < 8; i++)
		job(&x, id[i], i * 60, 10 + 8 * i, 2 + 4 * i, true);
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	const struct rec *r = x.out.v.v[0];
	assert_in_range(r->change.n, 1, 8);
	const char *other = NULL;
	for (size_t i = 0; i < r->change.n; i++) {
		const char *g = r->change.v[i].after.gpu_model;
		if (strcmp(g, r->change.v[0].after.gpu_model) != 0)
			other = other ? other : g;
		assert_true(!strcmp(g, r->change.v[0].after.gpu_model) || !strcmp(g, other));
		for (size_t k = 0; k < i; k++)
			/* no work twice */
			assert_int_not_equal(r->change.v[k].work, r->change.v[i].work);
	}
	fix_close(&x);
}

/* Two runs are no habit; a trifle is not worth a test. */
static void thin_or_small(void **state)
{
	struct fix x;
	fix_open(&x, 720);
	job(&x, "a", 0, 40, 8, true);
	job(&x, "b", 30, 40, 8, true);
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 1);
	assert_int_equal(x.out.v.v[0]->risk, RISK_HIGH);
	x.f.cost_nano *= 1000; /* of a fleet a thousand times as large */
	fix_ask(&x, LEVER_RIGHTSIZE_GPU);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(half_idle_jobs_move),
					    cmocka_unit_test(own_speeds_come_first),
					    cmocka_unit_test(utilisation_alone_is_a_high_risk),
					    cmocka_unit_test(who_stays),
					    cmocka_unit_test(opted_out),
					    cmocka_unit_test(at_most_two_cards_a_machine_type),
					    cmocka_unit_test(thin_or_small) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
