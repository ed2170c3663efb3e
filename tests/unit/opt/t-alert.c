/* Rules of alerts: durations and hysteresis at the boundary, gaps, causes, silences, restarts; and
 * what must hold on any series. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/tm.h"
#include "opt/alert/alert.h"

#define MIN MS_MINUTE

struct seen {
	enum alert_event ev;
	char rule[40], job[40], over[24];
	int64_t at_ms;
};
struct log {
	struct seen v[256];
	size_t n;
};

static void note(void *ctx, enum alert_event ev, const struct alert *a, int64_t wall_ms)
{
	struct log *l = ctx;

	if (l->n == 256)
		return;
	struct seen *s = &l->v[l->n++];
	s->ev = ev;
	s->at_ms = wall_ms;
	snprintf(s->rule, sizeof s->rule, "%s", a->rule->name);
	snprintf(s->job, sizeof s->job, "%s", a->field[ALERT_JOB]);
	snprintf(s->over, sizeof s->over, "%s", a->over ? a->over : "");
}

/* minutes, -1 = not seen */
static int64_t when(const struct log *l, enum alert_event ev, const char *rule)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].ev == ev && !strcmp(l->v[i].rule, rule))
			return l->v[i].at_ms / MIN;
	return -1;
}

static int count(const struct log *l, enum alert_event ev, const char *rule)
{
	int n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->v[i].ev == ev && (!rule || !strcmp(l->v[i].rule, rule));
	return n;
}

static struct alert_obs obs(int64_t from_ms, int64_t to_ms)
{
	struct alert_obs o = { .from_ms = from_ms, .to_ms = to_ms, .held = 1 };

	for (int i = 0; i < ALERT_SIGNAL_N; i++)
		o.value[i] = NAN;
	o.field[ALERT_NODE] = SV("n1");
	o.field[ALERT_GPU] = SV("0");
	o.field[ALERT_JOB] = SV("7");
	return o;
}

/* One signal with one value, minute by minute over (from, to]. */
static void feed(struct alerts *a, int from_min, int to_min, int signal, double v)
{
	for (int m = from_min; m < to_min; m++) {
		struct alert_obs o = obs(m * MIN, (m + 1) * MIN);
		o.value[signal] = v;
		alerts_observe(a, &o, o.to_ms);
	}
}

static struct alerts *shipped(struct log *l)
{
	*l = (struct log){ 0 };
	return alerts_new(alert_defaults, alert_defaults_n, note, l);
}

static void test_underused(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);

	feed(a, 0, 29, METRIC_GPU_UTIL_PCT, 39.9);
	assert_int_equal(when(&l, ALERT_EV_FIRING, "gpu_underused"), -1); /* 29 min are not 30 */
	feed(a, 29, 30, METRIC_GPU_UTIL_PCT, 39.9);
	assert_int_equal(when(&l, ALERT_EV_TELL, "gpu_underused"), 30);
	feed(a, 30, 90, METRIC_GPU_UTIL_PCT, 44.9); /* above 40, below 45: hysteresis */
	assert_int_equal(count(&l, ALERT_EV_OVER, NULL), 0);
	feed(a, 90, 150, METRIC_GPU_UTIL_PCT, 60);
	assert_int_equal(count(&l, ALERT_EV_TELL_OVER, "gpu_underused"), 1);
	/* the mean of 31 intervals is at 45 as soon as one has 60; then for 5 min */
	assert_int_equal(when(&l, ALERT_EV_OVER, "gpu_underused"), 96);
	assert_int_equal(count(&l, ALERT_EV_TELL, NULL), 1);
	alerts_free(a);
	a = shipped(&l);
	feed(a, 0, 120, METRIC_GPU_UTIL_PCT, 40); /* at the threshold is not below it */
	assert_int_equal(l.n, 0);
	alerts_free(a);
}

static void test_capacity(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);

	feed(a, 0, 61, METRIC_GPU_UTIL_PCT, 96);
	/* first minute known at 1, pending from there, fires after 60 observed minutes */
	assert_int_equal(when(&l, ALERT_EV_PENDING, "gpu_at_capacity"), 1);
	assert_int_equal(when(&l, ALERT_EV_FIRING, "gpu_at_capacity"), 61);
	alerts_free(a);
	a = shipped(&l);
	feed(a, 0, 59, METRIC_GPU_UTIL_PCT, 96);
	/* three minutes: longer than the window and the interval that has begun */
	feed(a, 59, 62, METRIC_GPU_UTIL_PCT, 94);
	feed(a, 62, 100, METRIC_GPU_UTIL_PCT, 96);
	assert_int_equal(count(&l, ALERT_EV_FIRING, NULL), 0);
	alerts_free(a);
}

static void test_memory_and_heat(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);

	feed(a, 0, 9, ALERT_MEM_USED_FRAC, 0.86);
	assert_int_equal(l.n, 0);
	feed(a, 9, 10, ALERT_MEM_USED_FRAC, 0.86);
	assert_int_equal(when(&l, ALERT_EV_FIRING, "gpu_memory_high"), 10);
	feed(a, 10, 40, ALERT_MEM_USED_FRAC, 0.82);
	assert_int_equal(count(&l, ALERT_EV_OVER, NULL), 0);
	/* one dip: the least is low for ten minutes, which is not enough */
	feed(a, 40, 41, ALERT_MEM_USED_FRAC, 0.50);
	feed(a, 41, 60, ALERT_MEM_USED_FRAC, 0.90);
	assert_int_equal(count(&l, ALERT_EV_OVER, NULL), 0);
	/* the least of the window is at the clear threshold at once */
	feed(a, 60, 76, ALERT_MEM_USED_FRAC, 0.80);
	assert_int_equal(when(&l, ALERT_EV_OVER, "gpu_memory_high"), 76);
	alerts_free(a);
	a = shipped(&l);
	feed(a, 0, 10, METRIC_TEMP_CELSIUS, 83); /* not above */
	assert_int_equal(l.n, 0);
	feed(a, 10, 14, METRIC_TEMP_CELSIUS, 84);
	assert_int_equal(when(&l, ALERT_EV_FIRING, "gpu_hot"), 12);
	feed(a, 14, 16, METRIC_TEMP_CELSIUS, 80);
	feed(a, 16, 17, METRIC_TEMP_CELSIUS, 82); /* the count of clear minutes begins again */
	feed(a, 17, 23, METRIC_TEMP_CELSIUS, 80);
	assert_int_equal(count(&l, ALERT_EV_OVER, NULL), 0);
	feed(a, 23, 26, METRIC_TEMP_CELSIUS, 80);
	assert_int_equal(count(&l, ALERT_EV_OVER, "gpu_hot"), 1);
	alerts_free(a);
}

static void test_power_and_occupancy(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);

	feed(a, 0, 15, ALERT_POWER_FRAC_OF_TDP, 0.95);
	assert_int_equal(when(&l, ALERT_EV_PENDING, "gpu_power_high"), 5);
	assert_int_equal(when(&l, ALERT_EV_FIRING, "gpu_power_high"), 15);
	alerts_free(a);
	for (int training = 0; training < 2; training++) {
		a = shipped(&l);
		for (int m = 0; m < 30; m++) {
			struct alert_obs o = obs(m * MIN, (m + 1) * MIN);
			o.value[METRIC_OCCUPANCY_FRAC] = 0.49;
			o.field[ALERT_WORKLOAD] = training ? SV("training") : SV("inference");
			alerts_observe(a, &o, o.to_ms);
		}
		assert_int_equal(when(&l, ALERT_EV_FIRING, "gpu_low_occupancy"),
				 training ? 30 : -1);
		alerts_free(a);
	}
}

static void test_lost_and_fault(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);

	feed(a, 0, 1, ALERT_LOST, 0);
	feed(a, 1, 2, ALERT_LOST, 1);
	assert_int_equal(when(&l, ALERT_EV_TELL, "gpu_lost"), 2);
	feed(a, 2, 5, ALERT_LOST, 0);
	assert_int_equal(when(&l, ALERT_EV_TELL_OVER, "gpu_lost"), 4); /* back, and for a minute */
	alerts_free(a);
	a = shipped(&l);
	feed(a, 0, 1, ALERT_FAULT, 1);
	feed(a, 1, 61, ALERT_FAULT, 0);
	assert_int_equal(count(&l, ALERT_EV_OVER, NULL), 0);
	feed(a, 61, 62, ALERT_FAULT, 0);
	assert_int_equal(when(&l, ALERT_EV_OVER, "gpu_fault"), 62);
	assert_true(alert_xid_is_fault(79) && alert_xid_is_fault(48) && !alert_xid_is_fault(31) &&
		    !alert_xid_is_fault(0));
	alerts_free(a);
}

/* An idle GPU that is held and has no process: one alert, not three. */
static void test_one_cause(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);

	for (int m = 0; m < 120; m++) {
		struct alert_obs o = obs(m * MIN, (m + 1) * MIN);
		o.value[ALERT_HELD_NO_PROCESS] = 1;
		o.value[METRIC_GPU_UTIL_PCT] = 0;
		o.value[METRIC_OCCUPANCY_FRAC] = 0;
		o.field[ALERT_WORKLOAD] = SV("training");
		alerts_observe(a, &o, o.to_ms);
	}
	assert_int_equal(count(&l, ALERT_EV_FIRING, NULL), 3);
	assert_int_equal(count(&l, ALERT_EV_TELL, NULL), 1);
	assert_int_equal(when(&l, ALERT_EV_TELL, "gpu_held_no_process"), 16);
	/* a process comes, but works little: the cause is gone; what followed from it has to show
	 * itself for half an hour of its own */
	for (int m = 120; m < 155; m++) {
		struct alert_obs o = obs(m * MIN, (m + 1) * MIN);
		o.value[ALERT_HELD_NO_PROCESS] = 0;
		o.value[METRIC_GPU_UTIL_PCT] = 3;
		o.field[ALERT_WORKLOAD] = SV("training");
		alerts_observe(a, &o, o.to_ms);
	}
	assert_int_equal(count(&l, ALERT_EV_TELL_OVER, "gpu_held_no_process"), 1);
	assert_int_equal(when(&l, ALERT_EV_TELL, "gpu_underused"), 152);
	assert_int_equal(count(&l, ALERT_EV_TELL, NULL), 2);
	alerts_free(a);
}

/* A GPU at its limit tells of one thing, also while the hour of the cause is still running. */
static void test_pending_cause(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);

	for (int m = 0; m < 90; m++) {
		struct alert_obs o = obs(m * MIN, (m + 1) * MIN);
		o.value[METRIC_GPU_UTIL_PCT] = 100;
		o.value[ALERT_POWER_FRAC_OF_TDP] = 0.97;
		alerts_observe(a, &o, o.to_ms);
	}
	assert_int_equal(count(&l, ALERT_EV_TELL, NULL), 1);
	assert_int_equal(when(&l, ALERT_EV_TELL, "gpu_at_capacity"), 61);
	assert_int_equal(when(&l, ALERT_EV_FIRING, "gpu_power_high"), 15);
	alerts_free(a);
}

static void test_unknown(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);

	feed(a, 0, 30, METRIC_TEMP_CELSIUS, 90);
	assert_int_equal(when(&l, ALERT_EV_TELL, "gpu_hot"), 2);
	feed(a, 30, 39, METRIC_TEMP_CELSIUS, NAN);
	assert_int_equal(count(&l, ALERT_EV_NO_DATA, NULL), 0);
	feed(a, 39, 40, METRIC_TEMP_CELSIUS, NAN);
	assert_int_equal(when(&l, ALERT_EV_NO_DATA, "gpu_hot"), 40);
	/* hours of it neither end it nor tell it again */
	feed(a, 40, 400, METRIC_TEMP_CELSIUS, NAN);
	feed(a, 400, 403, METRIC_TEMP_CELSIUS, 90);
	assert_int_equal(count(&l, ALERT_EV_OVER, NULL), 0);
	assert_int_equal(count(&l, ALERT_EV_FIRING, NULL), 1);
	feed(a, 403, 420, METRIC_TEMP_CELSIUS, 60);
	assert_int_equal(count(&l, ALERT_EV_TELL_OVER, NULL), 1);
	alerts_free(a);
}

/* 59 min at the limit, 3 h of nothing, 59 min: never an hour that somebody saw. With a short gap
 * the count goes on without the gap. */
static void test_gap(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);

	feed(a, 0, 59, METRIC_GPU_UTIL_PCT, 100);
	feed(a, 239, 290, METRIC_GPU_UTIL_PCT, 100);
	assert_int_equal(count(&l, ALERT_EV_FIRING, NULL), 0);
	alerts_free(a);
	a = shipped(&l);
	feed(a, 0, 31, METRIC_GPU_UTIL_PCT, 100);
	feed(a, 36, 70, METRIC_GPU_UTIL_PCT, 100);
	/* 30 observed minutes, a gap of 5; the minute after it: the window is not covered until
	 * 37 */
	assert_true(when(&l, ALERT_EV_FIRING, "gpu_at_capacity") >= 66);
	assert_true(when(&l, ALERT_EV_FIRING, "gpu_at_capacity") <= 67);
	alerts_free(a);
	a = shipped(&l); /* half of the window is not there: nobody can say what its mean is */
	for (int m = 0; m < 120; m += 2)
		feed(a, m, m + 1, METRIC_GPU_UTIL_PCT, 5);
	assert_int_equal(count(&l, ALERT_EV_FIRING, NULL), 0);
	alerts_free(a);
}

static void test_silent_gpu(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);

	feed(a, 0, 30, METRIC_TEMP_CELSIUS, 90);
	alerts_tick(a, 39 * MIN, 39 * MIN);
	assert_int_equal(count(&l, ALERT_EV_NO_DATA, NULL), 0);
	alerts_tick(a, 40 * MIN, 40 * MIN);
	assert_int_equal(count(&l, ALERT_EV_NO_DATA, NULL), 1);
	alerts_tick(a, 30 * MIN + MS_DAY, 30 * MIN + MS_DAY);
	assert_int_equal(count(&l, ALERT_EV_TELL_OVER, "gpu_hot"), 1);
	assert_string_equal(l.v[l.n - 1].over, "gone");
	assert_int_equal(alerts_gpus(a), 0);
	feed(a, 1500, 1510, METRIC_TEMP_CELSIUS, 90); /* and comes back */
	assert_int_equal(count(&l, ALERT_EV_TELL, "gpu_hot"), 2);
	alerts_free(a);
}

static void test_owner(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);

	feed(a, 0, 40, METRIC_GPU_UTIL_PCT, 5);
	assert_int_equal(count(&l, ALERT_EV_TELL, "gpu_underused"), 1);
	for (int m = 40; m < 75; m++) {
		struct alert_obs o = obs(m * MIN, (m + 1) * MIN);
		o.value[METRIC_GPU_UTIL_PCT] = 5;
		o.field[ALERT_JOB] = SV("8");
		alerts_observe(a, &o, o.to_ms);
	}
	assert_int_equal(when(&l, ALERT_EV_TELL_OVER, "gpu_underused"), 41);
	assert_int_equal(count(&l, ALERT_EV_TELL, "gpu_underused"), 2);
	for (size_t i = 0, k = 0; i < l.n; i++) /* the new job is blamed for its own half hour */
		if (l.v[i].ev == ALERT_EV_TELL && k++ == 1) {
			assert_int_equal(l.v[i].at_ms / MIN, 70);
			assert_string_equal(l.v[i].job, "8");
		}
	alerts_free(a);
}

static void test_silence(void **state)
{
	struct log l;
	struct alerts *a = shipped(&l);
	struct alert_silence s = { .id = "x",
				   .match = { { "rule", "gpu_h*", false }, { "node", "n2", true } },
				   .nmatch = 2,
				   .from_ms = 0,
				   .until_ms = 60 * MIN };

	alerts_silence(a, &s, 1);
	feed(a, 0, 59, METRIC_TEMP_CELSIUS, 90);
	assert_int_equal(count(&l, ALERT_EV_FIRING, NULL), 1);
	assert_int_equal(count(&l, ALERT_EV_TELL, NULL), 0);
	feed(a, 59, 60, METRIC_TEMP_CELSIUS, 90); /* ends at 60, and it still fires */
	assert_int_equal(when(&l, ALERT_EV_TELL, "gpu_hot"), 60);
	s.until_ms = 1000 * MIN;
	alerts_silence(a, &s, 1);
	feed(a, 60, 80, METRIC_TEMP_CELSIUS, 50); /* what was told is also told when it is over */
	assert_int_equal(count(&l, ALERT_EV_TELL_OVER, NULL), 1);
	alerts_free(a);
}

/* Saved in the middle and loaded into a new engine: the same transitions as without a restart;
 * nothing is told twice. */
static void test_restart(void **state)
{
	for (int cut = 1; cut < 100; cut += 7) {
		struct log plain, cutl;
		struct str text = { 0 };
		struct err err;
		int64_t skew = 987654321; /* the clock that never jumps starts again after a boot */
		struct alerts *a = shipped(&plain), *b = shipped(&cutl), *c;

		for (int m = 0; m < 100; m++) {
			double v = m < 50 ? 20 : 99;
			feed(a, m, m + 1, METRIC_GPU_UTIL_PCT, v);
			if (m < cut)
				feed(b, m, m + 1, METRIC_GPU_UTIL_PCT, v);
		}
		alerts_save(b, cut * MIN, cut * MIN, &text);
		c = alerts_new(alert_defaults, alert_defaults_n, note, &cutl);
		assert_int_equal(alerts_load(c, str_sv(&text), cut * MIN + skew, cut * MIN, &err),
				 0);
		for (int m = cut; m < 100; m++) {
			struct alert_obs o = obs(m * MIN + skew, (m + 1) * MIN + skew);
			o.value[METRIC_GPU_UTIL_PCT] = m < 50 ? 20 : 99;
			alerts_observe(c, &o, o.to_ms - skew);
		}
		assert_int_equal(plain.n, cutl.n);
		for (size_t i = 0; i < plain.n; i++)
			assert_true(plain.v[i].ev == cutl.v[i].ev &&
				    plain.v[i].at_ms == cutl.v[i].at_ms &&
				    !strcmp(plain.v[i].rule, cutl.v[i].rule));
		assert_true(count(&plain, ALERT_EV_TELL, "gpu_underused") == 1 &&
			    count(&plain, ALERT_EV_TELL_OVER, "gpu_underused") == 1);
		alerts_free(a), alerts_free(b), alerts_free(c);
		str_free(&text);
	}
}

static void test_bad_saves(void **state)
{
	struct log l;
	struct err err;
	struct str text = { 0 };
	struct alerts *a = shipped(&l);
	struct alert_obs o = obs(0, MIN);

	o.field[ALERT_USER] = SV("\033[2Jmallory\n R x \"%\xff");
	o.field[ALERT_JOB] = SV("-");
	o.value[METRIC_TEMP_CELSIUS] = 90;
	for (int m = 0; m < 10; m++, o.from_ms += MIN, o.to_ms += MIN)
		alerts_observe(a, &o, o.to_ms);
	alerts_save(a, 10 * MIN, 10 * MIN, &text);
	for (size_t n = 0; n + 4 < text.n; n += 3) {
		/* every cut is refused, and leaves an engine that works */
		struct alerts *b = alerts_new(alert_defaults, alert_defaults_n, NULL, NULL);
		assert_true(alerts_load(b, (struct sv){ text.p, n }, 0, 0, &err) < 0);
		assert_int_equal(alerts_gpus(b), 0);
		alerts_free(b);
	}
	struct alerts *b = alerts_new(alert_defaults, alert_defaults_n, NULL, NULL);
	assert_int_equal(alerts_load(b, str_sv(&text), 10 * MIN, 10 * MIN, &err), 0);
	assert_int_equal(alerts_gpus(b), 1);
	alerts_free(a), alerts_free(b);
	str_free(&text);
}

/* ---- on any series ----------------------------------------------------------------------- */

static uint64_t rnd(uint64_t *s)
{
	*s ^= *s << 13, *s ^= *s >> 7, *s ^= *s << 17;
	return *s;
}

struct model {
	int open[16], told[16];
};

static void invariant(void *ctx, enum alert_event ev, const struct alert *a, int64_t wall_ms)
{
	struct model *m = ctx;
	size_t i = (size_t)(a->rule - alert_defaults);

	assert_true(i < alert_defaults_n);
	switch (ev) {
	case ALERT_EV_FIRING:
		assert_int_equal(m->open[i]++, 0);
		assert_false(isnan(a->value));
		break;
	case ALERT_EV_OVER:
		assert_int_equal(m->open[i]--, 1);
		assert_true(a->resolved_ms >= a->since_ms && a->over);
		break;
	case ALERT_EV_TELL:
		assert_true(m->open[i] == 1 && !a->held_back && !a->silenced);
		assert_int_equal(m->told[i]++, 0);
		break;
	case ALERT_EV_TELL_OVER: assert_int_equal(m->told[i]--, 1); break;
	case ALERT_EV_PENDING: assert_int_equal(m->open[i], 0); break;
	default: break;
	}
}

static void test_any_series(void **state)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct model m = { 0 };
		uint64_t s = seed * 0x9e3779b97f4a7c15ULL;
		struct alerts *a = alerts_new(alert_defaults, alert_defaults_n, invariant, &m);
		struct alert_silence hush = { .id = "h",
					      .match = { { "severity", "warning", false } },
					      .nmatch = 1 };
		int64_t t = 0;
		double level = 50;

		for (int i = 0; i < 600; i++) {
			int64_t step = (int64_t)(rnd(&s) % 120 + 1) * 1000,
				gap = rnd(&s) % 50 == 0 ? (int64_t)(rnd(&s) % 7200) * 1000 : 0;
			struct alert_obs o = obs(t + gap - (rnd(&s) % 40 == 0 ? 30000 : 0),
						 t + gap + step);
			if (rnd(&s) % 30 == 0)
				level = (double)(rnd(&s) % 101);
			o.value[METRIC_GPU_UTIL_PCT] = rnd(&s) % 10 ? level : NAN;
			o.value[METRIC_TEMP_CELSIUS] = rnd(&s) % 10 ? 40 + level / 2 : NAN;
			o.value[ALERT_MEM_USED_FRAC] = level / 100;
			o.value[ALERT_HELD_NO_PROCESS] = level < 10;
			o.value[ALERT_LOST] = rnd(&s) % 100 == 0;
			o.field[ALERT_JOB] = rnd(&s) % 100 ? SV("7") : SV("8");
			hush.until_ms = t + (int64_t)(rnd(&s) % 600000);
			if (rnd(&s) % 20 == 0)
				alerts_silence(a, &hush, 1);
			alerts_observe(a, &o, o.to_ms);
			t = o.to_ms > t ? o.to_ms : t;
			if (rnd(&s) % 10 == 0)
				alerts_tick(a, t + (int64_t)(rnd(&s) % 1000), t);
		}
		alerts_tick(a, t + 2 * MS_DAY, t + 2 * MS_DAY);
		/* everything that began is over, everything told is told to be over */
		for (size_t i = 0; i < alert_defaults_n; i++)
			assert_true(m.open[i] == 0 && m.told[i] == 0);
		alerts_free(a);
	}
}

static void test_rules_and_words(void **state)
{
	struct err err;
	char buf[64], text[8];
	struct alert_match m[ALERT_MATCH_MAX];
	int n;

	for (size_t i = 0; i < alert_defaults_n; i++) {
		assert_int_equal(alert_rule_check(&alert_defaults[i], &err), 0);
		for (int f = 0; f < alert_defaults[i].nfollows; f++) {
			/* causes stand earlier: no circle */
			size_t k = 0;
			while (k < i &&
			       strcmp(alert_defaults[k].name, alert_defaults[i].follows[f]))
				k++;
			assert_true(k < i ||
				    !strcmp(alert_defaults[i].follows[f], "gpu_at_capacity"));
		}
	}
	for (int s = 0; s < ALERT_SIGNAL_N; s++)
		assert_int_equal(alert_signal_of(sv_of(alert_signal_name(s))), s);
	strcpy(buf, "team=vis*,node!=n1");
	assert_int_equal(alert_match_parse(buf, m, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_true(m[1].negate && !strcmp(m[1].field, "node") && !strcmp(m[0].glob, "vis*"));
	strcpy(buf, "teem=x");
	assert_int_equal(alert_match_parse(buf, m, &n, &err), -22);
	assert_non_null(strstr(err.hint, "team"));
	alert_clean(text, sizeof text, SV("a\x1b[2Jb\xc3\xa9")); /* cut at a character, no escape */
	assert_string_equal(text, "a?[2Jb");
	alert_clean(text, sizeof text,
		    SV("\xe2\x80\xae"
		       "x"));
	assert_string_equal(text, "???x");
}

static void test_percentile(void **state)
{
	struct log l = { 0 };
	struct alert_rule r = { .name = "p",
				.signal = METRIC_GPU_UTIL_PCT,
				.agg = ALERT_P95,
				.window_ms = 20 * MIN,
				.cmp = ALERT_ABOVE,
				.threshold = 90,
				.clear = 90,
				.no_data_ms = MIN };
	struct alerts *a = alerts_new(&r, 1, note, &l);

	for (int m = 0; m < 20; m++) /* one minute in 20 is 5 %: p95 is still 50 */
		feed(a, m, m + 1, METRIC_GPU_UTIL_PCT, m == 3 ? 100 : 50);
	assert_int_equal(l.n, 0);
	feed(a, 20, 40, METRIC_GPU_UTIL_PCT, 50);
	feed(a, 40, 42, METRIC_GPU_UTIL_PCT, 91); /* two of them */
	assert_int_equal(count(&l, ALERT_EV_FIRING, NULL), 1);
	alerts_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_underused),
		cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_memory_and_heat),
		cmocka_unit_test(test_power_and_occupancy),
		cmocka_unit_test(test_lost_and_fault),
		cmocka_unit_test(test_one_cause),
		cmocka_unit_test(test_pending_cause),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_silent_gpu),
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_bad_saves),
		cmocka_unit_test(test_any_series),
		cmocka_unit_test(test_rules_and_words),
		cmocka_unit_test(test_percentile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
