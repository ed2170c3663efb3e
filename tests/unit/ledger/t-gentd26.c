/* A real day of 143 GPUs: every sample counts 57 s, gaps do not, cost + remainder = seconds x price
 * at odd prices. */
#include "attrib_fix.h"
#include "base/tab.h"

#define STEP_MS 57000

struct reading {
	uint32_t gpu;
	int64_t t_ms;
	double duty;
};

struct day {
	VEC(struct reading) r;
	struct intern gpus;
};

static int by_gpu_and_time(const void *a, const void *b)
{
	const struct reading *x = a, *y = b;
	if (x->gpu != y->gpu)
		return x->gpu < y->gpu ? -1 : 1;
	return x->t_ms < y->t_ms ? -1 : x->t_ms > y->t_ms;
}

static void load(struct day *d)
{
	char path[4096];
	struct input *in;
	struct tab *t;
	struct err err;
	const struct sv *cell;
	const char *shared = getenv("TARE_SHARED");
	snprintf(path, sizeof path,
		 "%s/data/telemetry_alibaba_gentd26/pod_gpu_duty_cycle_anon.csv.gz",
		 shared ? shared : "");
	if (input_open(path, &in, &err) < 0) {
		print_message("skipped: %s\n", err.msg);
		skip();
	}
	struct tab_csv_opt opt = { 0 };
	assert_int_equal(tab_csv_open(in, &opt, &t, &err), 0);
	int value = tab_col(t, "value"), time = tab_col(t, "timestamp_anon"),
	    gpu = tab_col(t, "container_ip");
	assert_true(value >= 0 && time >= 0 && gpu >= 0);
	while (tab_next(t, &cell, &err) > 0) {
		struct reading r = { .gpu = intern_add(&d->gpus, cell[gpu]) };
		assert_int_equal(tm_parse_number(cell[time], 0, MS_SECOND, &r.t_ms), 0);
		assert_int_equal(sv_f64(cell[value], &r.duty), 0);
		*vec_push(&d->r) = r;
	}
	tab_close(t);
	input_close(in);
	qsort(d->r.v, d->r.n, sizeof *d->r.v, by_gpu_and_time);
}

/* One GPU: its samples are [from, to) of the day. */
static void run_gpu(struct fix *f, const struct day *d, size_t from, size_t to, const char *price)
{
	fix_init(f);
	struct attrib_paid *p = pay(f, 0, 1, price);
	p->from_ms = tm_floor(d->r.v[from].t_ms, MS_HOUR);
	p->to_ms = d->r.v[to - 1].t_ms + STEP_MS;
	p->recorded = false;
	p->quality = QUALITY_ASSUMED;
	for (size_t i = from; i < to; i++) {
		see_ms(f, d->r.v[i].t_ms, STEP_MS, d->r.v[i].duty, NAN);
		last_sample(f)->job_id = sv_of(intern_z(&d->gpus, d->r.v[i].gpu));
		last_sample(f)->owner = d->r.v[i].gpu;
	}
	fix_run(f);
}

static void test_day(void **st)
{
	static const char *const price[] = { "1", "1.234567890123", "0.777777777777" };
	struct day d = { 0 };
	load(&d);
	assert_int_equal(d.r.n, 157417);
	assert_int_equal(d.gpus.n, 143);
	for (size_t k = 0; k < sizeof price / sizeof *price; k++) {
		int64_t ms = 0, idle = 0, unknown = 0;
		__int128 exact = 0;
		for (size_t from = 0, to; from < d.r.n; from = to) {
			struct fix f;
			for (to = from; to < d.r.n && d.r.v[to].gpu == d.r.v[from].gpu; to++)
				;
			run_gpu(&f, &d, from, to, price[k]);
			ms += all_ms(&f);
			idle += ms_of(&f, -1, STATE_IDLE_HELD, -1) +
				ms_of(&f, -1, STATE_IDLE_EMPTY, -1);
			unknown += ms_of(&f, -1, STATE_UNKNOWN, -1);
			exact += (__int128)all_nano(&f) * 1000 * 3600000 +
				 f.rest.pico_ms[BASIS_BILLED];
			assert_int_equal(f.rest.pico_ms_part[BASIS_BILLED], 0);
			fix_free(&f);
		}
		assert_int_equal(ms, INT64_C(157417) * STEP_MS);
		assert_int_equal(idle, INT64_C(105229) * STEP_MS);
		assert_int_equal(unknown, 0);
		assert_true(exact == dec_z(price[k]) * 157417 * STEP_MS);
	}
	vec_free(&d.r);
	intern_free(&d.gpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_day) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
