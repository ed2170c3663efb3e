/* Energy and carbon of workloads and of what a plan changes, by numbers that can be told in the
 * head. */
#include "fleet_fix.h"
#include "ledger/conf.h"
#include "plan/energy.h"
#include "plan/fleet/fleet_power.h"

static const struct carbon table[] = {
	{ "aws", "us-east-1", "USA", "t", 400, 2022 },
	{ "aws", "eu-north-1", "SWE", "t", 40, 2023 },
};

static struct energy_base base(struct fix *x, struct energy_conf *conf, double pue)
{
	*conf = (struct energy_conf){ .pue = pue };
	return (struct energy_base){ conf, x->cat, table, 2 };
}

/* A job of 4 GPUs for 10 hours: 300 W, 50 W in its pauses. */
static struct workload *job(struct fix *x, const char *id, double mean, double idle, double frac)
{
	struct workload *w = fix_workload(x, WORKLOAD_JOB, id, fix_node(x, id, "c", 0, 10), 4, 0,
					  10, 1);

	w->stats.power_mean_w = mean;
	w->stats.power_idle_w = idle;
	w->stats.power_frac = frac;
	w->stats.energy_ms = frac * (double)w->ms;
	w->stats.energy_j = frac > 0 ? mean * w->stats.energy_ms / 1000 : 0;
	return w;
}

static void of_workloads(void **state)
{
	struct fix x;
	struct energy_conf conf;
	struct energy_sum s = { 0 };

	fix_open(&x, 100);
	struct energy_base b = base(&x, &conf, 1.5);
	energy_add(&b, job(&x, "read", 300, 50, 1), &s);
	assert_float_equal(energy_kwh(&s), 18, 1e-9); /* 40 GPU-h x 300 W x 1.5 */
	assert_float_equal(energy_co2_kg(&s), 7.2, 1e-9);
	assert_float_equal(s.measured_ms, 40 * 3600000.0, 1);

	s = (struct energy_sum){ 0 }; /* a quarter was read: the rest by its own mean */
	energy_add(&b, job(&x, "part", 200, NAN, 0.25), &s);
	assert_float_equal(s.measured_kwh, 3, 1e-9);
	assert_float_equal(s.estimated_kwh, 9, 1e-9);

	s = (struct energy_sum){ 0 }; /* nothing was read: 300 W of TDP, of who is held alone */
	energy_add(&b, job(&x, "dark", NAN, NAN, 0), &s);
	assert_float_equal(s.measured_kwh, 0, 0);
	assert_float_equal(s.estimated_kwh, 18, 1e-9);
	s = (struct energy_sum){ 0 };
	struct workload *w = job(&x, "free", NAN, NAN, 0);
	w->kind = WORKLOAD_FREE;
	energy_add(&b, w, &s);
	assert_true(isnan(energy_kwh(&s)) && isnan(energy_co2_kg(&s)));
	assert_float_equal(s.ms, 40 * 3600000.0, 1);

	s = (struct energy_sum){ 0 }; /* what nobody holds is never more than what was read of it */
	w = job(&x, "free, partly read", 60, 60, 0.25);
	w->kind = WORKLOAD_FREE;
	energy_add(&b, w, &s);
	assert_float_equal(energy_kwh(&s), 0.9, 1e-9); /* 10 GPU-h x 60 W x 1.5 */
	assert_float_equal(s.estimated_ms, 0, 0);

	w = job(&x, "elsewhere", 100, 50, 1); /* known energy, at a place that nobody knows */
	w->region = "moon-1";
	s = (struct energy_sum){ 0 };
	energy_add(&b, w, &s);
	assert_float_equal(energy_kwh(&s), 6, 1e-9);
	assert_true(isnan(energy_co2_kg(&s)));
	fix_close(&x);
}

/* A GPU read at 400 W for an hour and at 100 W for the next: one holds a half of it all the time,
 * one a quarter in the first hour. */
static void of_a_shared_gpu(void **state)
{
	struct fix x;
	struct power_gpu c = { .geom = { .compute = 7, .memory = 8 } };
	struct sample s = { .step_ms = 7 * 60000 };

	fix_open(&x, 100);
	job(&x, "a", NAN, NAN, 0);
	job(&x, "b", NAN, NAN, 0);
	*vec_push(&c.slot) = (struct power_slot){
		1, 0, MS_HOUR, { .kind = SHARE_FRACTION, .ppb = 250000000, .start = -1 }
	};
	*vec_push(&c.slot) = (struct power_slot){
		0, 0, 2 * MS_HOUR, { .kind = SHARE_FRACTION, .ppb = 500000000, .start = -1 }
	};
	power_start(&c);
	for (int m = 0; m < METRIC_N; m++)
		s.value[m] = NAN;
	for (s.t_ms = 0; s.t_ms < MS_HOUR; s.t_ms += 60000) { /* steps that overlap count once */
		s.value[METRIC_POWER_W] = 400;
		s.step_ms = s.t_ms % (7 * 60000) ? 60000 : 4 * 60000;
		if (s.t_ms + s.step_ms > MS_HOUR)
			s.step_ms = (int32_t)(MS_HOUR - s.t_ms);
		power_add(&x.f, &c, &s, 2 * MS_HOUR);
		power_add(&x.f, &c, &s, 2 * MS_HOUR);
	}
	s.t_ms = MS_HOUR;
	s.step_ms = 3 * MS_HOUR; /* cut to the window */
	s.value[METRIC_POWER_W] = 100;
	power_add(&x.f, &c, &s, 2 * MS_HOUR);
	const struct workload_stats *a = &x.f.workload.v[0].stats, *b = &x.f.workload.v[1].stats;
	assert_float_equal(a->energy_j, (200 + 50) * 3600.0, 1e-6);
	assert_float_equal(b->energy_j, 100 * 3600.0, 1e-6);
	assert_float_equal(c.rest_j, (100 + 50) * 3600.0, 1e-6);
	assert_float_equal(a->energy_ms + b->energy_ms + c.rest_ms, 2.0 * MS_HOUR, 1e-6);
	power_free(&c);
	fix_close(&x);
}

static struct rec *item(struct fix *x, struct plan *p, uint32_t workload)
{
	struct rec *r = arena_zalloc(&x->mem, sizeof *r);
	const struct workload *w = &x->f.workload.v[workload];

	*vec_push(&r->change) = (struct rec_change){
		.workload = workload,
		.after = { .provider = w->provider,
			   .region = w->region,
			   .gpu_model = w->gpu_model,
			   .gpus_milli = w->gpus_milli,
			   .start_ms = w->start_ms,
			   .end_ms = w->end_ms },
	};
	*vec_push(&p->rec.v) = r;
	return r;
}

static void of_a_plan(void **state)
{
	struct fix x;
	struct energy_conf conf;
	struct energy_saved *e, all;
	struct plan p = { .month_hours = 200, .window_hours = 100 };

	fix_open(&x, 100);
	struct energy_base b = base(&x, &conf, 1);
	job(&x, "a", 300, 50, 1);
	struct workload *w = fix_workload(&x, WORKLOAD_FREE, "", fix_node(&x, "n", "c", 20, 30), 1,
					  20, 30, 0);
	w->stats.power_idle_w = NAN;
	w->start_ms = w->end_ms = UNKNOWN_MS;
	job(&x, "b", 300, 50, 1);
	p.fleet = &x.f;
	/* half of its GPUs: 20 GPU-h less, which drew 50 W */
	item(&x, &p, 0)->change.v[0].after.gpus_milli = 2000;
	/* what is left of it, 20 GPU-h x 300 W, in another region: 400 -> 40 g */
	struct use *u = &item(&x, &p, 0)->change.v[0].after;
	u->gpus_milli = 2000;
	u->region = "eu-north-1";
	/* free time without a reading goes: 10 GPU-h of GPUs that draw 50 W elsewhere */
	item(&x, &p, 1)->change.v[0].after.cost_nano = 0;
	/* another GPU: not known */
	item(&x, &p, 2)->change.v[0].after.gpu_model = "L4";
	energy_of_plan(&b, &p, &x.mem, &e, &all);
	assert_float_equal(e[0].kwh, 2 * 1.0, 1e-9); /* of a month: twice the window */
	assert_float_equal(e[0].co2_kg, 2 * 0.4, 1e-9);
	assert_float_equal(e[0].known_frac, 1, 1e-9);
	assert_float_equal(e[1].kwh, 0, 1e-9);
	assert_float_equal(e[1].co2_kg, 2 * 6 * 0.36, 1e-9);
	assert_float_equal(e[2].kwh, 2 * 0.5, 1e-9);
	assert_true(isnan(e[3].kwh) && isnan(e[3].co2_kg));
	assert_float_equal(e[3].known_frac, 0, 1e-9);
	assert_float_equal(all.kwh, 2 * 1.5, 1e-9);
	/* 20 + 20 + 10 of 20 + 20 + 10 + 40 GPU-h */
	assert_float_equal(all.known_frac, 50.0 / 90, 1e-9);
	for (size_t i = 0; i < p.rec.v.n; i++)
		vec_free(&p.rec.v.v[i]->change);
	vec_free(&p.rec.v);
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_workloads),
		cmocka_unit_test(of_a_shared_gpu),
		cmocka_unit_test(of_a_plan),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
