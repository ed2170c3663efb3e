/* A small store made by hand, and what the plan sees of it. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "plan/fleet/fleet.h"
#include "base/tm.h"
#include "../store/common.h"

static struct catalog *cat;
static struct conf conf;

static struct entry job_entry(int hour, const char *node, const char *job, enum state state,
			      int64_t ms, int64_t nano)
{
	struct entry e = gpu_entry(hour, "vision", state, ms, nano);

	e.scope = e.node = sv_of(node);
	e.owner.field[OWNER_JOB] = sv_of(job);
	e.owner.field[OWNER_WORKLOAD] = SV("training");
	e.purchase = SV("on_demand");
	e.provider = SV("aws");
	e.region = SV("us-east-1");
	e.gpu_model = SV("V100-SXM2-16GB");
	return e;
}

static void put_entry(struct store *s, struct entry e)
{
	struct err err;

	fine(store_add_entry(s, &e, &err), &err);
}

static void put_node(struct store *s, const char *name, int gpus, int from, int to)
{
	struct err err;
	struct node n = { .node = sv_of(name),
			  .provider = SV("aws"),
			  .region = SV("us-east-1"),
			  .zone = SV("us-east-1a"),
			  .instance_type = SV("p3.8xlarge"),
			  .gpu_model = SV("V100-SXM2-16GB"),
			  .cluster = SV("c"),
			  .purchase = SV("on_demand"),
			  .resource_id = SV("i-1"),
			  .gpu_milli = gpus * 1000,
			  .from_ms = H(from),
			  .to_ms = H(to) };

	fine(store_add_node(s, 0, &n, &err), &err);
}

static void put_job(struct store *s, const char *node, const char *job, int64_t from, int64_t to,
		    int64_t limit)
{
	struct err err;
	struct allocation a = { .job_id = sv_of(job),
				.name = SV("train-7"),
				.node = sv_of(node),
				.cluster = SV("c"),
				.gpu_ids = SV("0;1"),
				.state = SV("COMPLETED"),
				.gpus_milli = 2000,
				.share_ppb = -1,
				.mig_start = -1,
				.submit_ms = from - MS_MINUTE,
				.start_ms = from,
				.end_ms = to,
				.limit_ms = limit,
				.checkpointable = 1 };

	fine(store_add_allocation(s, 0, node, &a, &err), &err);
}

static void put_samples(struct store *s, const char *node, const char *gpu, int64_t from,
			int64_t to, int busy_pct)
{
	struct err err;
	struct sample_key k = { .node = sv_of(node), .gpu = sv_of(gpu) };

	for (int64_t t = from; t < to; t += MS_MINUTE) {
		struct sample v = { .t_ms = t, .step_ms = MS_MINUTE };
		for (int m = 0; m < METRIC_N; m++)
			v.value[m] = NAN;
		v.value[METRIC_GPU_UTIL_PCT] = busy_pct;
		v.value[METRIC_MEM_USED_BYTES] = busy_pct ? 4e9 : 1e6;
		fine(store_add_sample(s, 0, &k, &v, &err), &err);
	}
}

static int64_t ledger_sum(struct store *s)
{
	struct arena a = { 0 };
	struct err err;
	struct ledger_row *row;
	size_t n;
	__int128 sum = 0;
	const struct ledger_query q = { .since_ms = INT64_MIN,
					.until_ms = INT64_MAX,
					.basis = BASIS_EFFECTIVE };

	fine(store_ledger(s, &q, &a, &row, &n, &err), &err);
	for (size_t i = 0; i < n; i++)
		sum += sv_is(row[i].currency, "USD") ? row[i].nano : 0;
	arena_free(&a);
	return (int64_t)sum;
}

static void load(struct store *s, int64_t since, int64_t until, struct fleet *f)
{
	struct err err;
	struct fleet_opt o = {
		.conf = &conf, .catalog = cat, .since_ms = since, .until_ms = until
	};

	fine(fleet_load(s, &o, f, &err), &err);
}

static const struct workload *find(const struct fleet *f, enum workload_kind kind, const char *job)
{
	for (size_t i = 0; i < f->workload.n; i++)
		if (f->workload.v[i].kind == kind && !strcmp(f->workload.v[i].job, job))
			return &f->workload.v[i];
	return NULL;
}

/* Job j1 holds two of four GPUs of n1 for two hours and a half, works on one; the rest is free. A
 * line of another currency, one without a price. */
static struct store *small_store(void)
{
	struct store *s = open_store(STORE_WRITE);
	struct entry e;

	begin(s);
	put_node(s, "n1", 4, 0, 4);
	put_job(s, "n1", "j1", H(0) + 30 * MS_MINUTE, H(3), 5 * MS_HOUR);
	for (int h = 0; h < 4; h++) {
		int64_t held = h == 0 ? MS_HOUR : h < 3 ? 2 * MS_HOUR : 0;
		if (held) {
			put_entry(s,
				  job_entry(h, "n1", "j1", STATE_BUSY, held / 2, held / 2 * 7 + 1));
			put_entry(s, job_entry(h, "n1", "j1", STATE_IDLE_EMPTY, held / 2,
					       held / 2 * 7));
		}
		e = job_entry(h, "n1", "", STATE_UNALLOCATED, 4 * MS_HOUR - held,
			      (4 * MS_HOUR - held) * 7);
		e.owner = (struct owner){ 0 };
		e.cause = CAUSE_FREE;
		put_entry(s, e);
	}
	e = job_entry(1, "n1", "j1", STATE_UNKNOWN, 1000, 5);
	e.currency = SV("EUR");
	put_entry(s, e);
	e = job_entry(2, "n1", "j2", STATE_UNKNOWN, 1000, UNKNOWN_NANO);
	put_entry(s, e);
	e = job_entry(3, "billed", "", STATE_UNKNOWN, 1000, 7);
	e.owner = (struct owner){ 0 };
	put_entry(s, e);
	e = (struct entry){ .hour_ms = H(1),
			    .kind = KIND_STORAGE,
			    .scope = SV("bill:1/0"),
			    .currency = SV("USD"),
			    .quality = QUALITY_MEASURED,
			    .util_ms = UNKNOWN_I64,
			    .owner = { .tags = SV("{\"Name\":\"disk\"}") },
			    .nano = { 900, UNKNOWN_NANO, UNKNOWN_NANO } };
	put_entry(s, e);
	put_samples(s, "n1", "0", H(0), H(3), 80);
	put_samples(s, "n1", "1", H(0), H(4), 0);
	put_samples(s, "n1", "2", H(0), H(4), 0);
	commit(s, "h1");
	return s;
}

static void put_point(struct store *s, const char *run, const char *job, int64_t step)
{
	struct err err;
	struct curve_point p = { .run = sv_of(run),
				 .job = sv_of(job),
				 .metric = SV("val_loss"),
				 .step = step,
				 .t_ms = H(1) + step,
				 .value = fabs((double)step - 1000) };

	fine(store_add_curve(s, 0, &p, &err), &err);
}

/* By the name that a tracker tells beside the run's own key, by an id, by the run; two runs of one
 * name stay two. */
static void curves_are_tied(void **state)
{
	static const char *const of[][3] = {
		/* run, told, job */
		{ "0af2", "train-7", "j1" }, { "77b1", "train-7", "j1" }, { "a/r1", "j1", "j1" },
		{ "b/r1", "r1", "" },        { "train-7", "", "j1" },
	};
	struct store *s = small_store();
	struct fleet f;

	begin(s);
	for (size_t i = 0; i < 5; i++)
		put_point(s, of[i][0], of[i][1], 0);
	commit(s, "h2");
	load(s, INT64_MIN, INT64_MAX, &f);
	assert_int_equal(f.curve.n, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(f.curve.v[i].run, of[i][0]);
		assert_string_equal(f.curve.v[i].job, of[i][2]);
	}
	fleet_free(&f);
	store_close(s);
}

/* A run that logs each step: so many points that memory stays small, even, with the first and the
 * last; the best of all stays known. */
static void long_curves_are_thinned(void **state)
{
	static const struct {
		const char *run;
		int64_t points;
		size_t npoint, every;
	} of[] = { { "a", 1024, 1024, 1 }, { "b", 1025, 513, 2 }, { "c", 5000, 626, 8 } };
	struct store *s = small_store();
	struct fleet f;
	bool told = false;

	begin(s);
	for (size_t i = 0; i < 3; i++)
		for (int64_t k = 0; k < of[i].points; k++)
			put_point(s, of[i].run, "j1", k);
	commit(s, "h2");
	load(s, INT64_MIN, INT64_MAX, &f);
	assert_int_equal(f.curve.n, 3);
	assert_int_equal(f.point.n, 1024 + 513 + 626);
	for (size_t i = 0; i < 3; i++) {
		const struct fleet_curve *c = &f.curve.v[i];
		assert_int_equal(c->npoint, of[i].npoint);
		assert_int_equal(c->every, of[i].every);
		for (size_t k = 0; k + 1 < c->npoint; k++)
			assert_int_equal(f.point.v[c->point0 + k].step, k * c->every);
		assert_int_equal(f.point.v[c->point0 + c->npoint - 1].step, of[i].points - 1);
		assert_true(c->low == 0 && c->high == fmax(1000, (double)of[i].points - 1001));
	}
	for (size_t i = 0; i < f.note.n; i++)
		told |= strstr(f.note.v[i], "2 curves of training runs have more than 1024") !=
			NULL;
	assert_true(told);
	fleet_free(&f);
	store_close(s);
}

static void sums_are_the_ledgers(void **state)
{
	struct store *s = small_store();
	struct fleet f;
	int64_t hours = 0;

	load(s, INT64_MIN, INT64_MAX, &f);
	assert_string_equal(f.currency, "USD");
	/* the disk has no effective amount: its billed one is taken */
	assert_int_equal(f.cost_nano, ledger_sum(s) + 900);
	for (size_t i = 0; i < f.workload.n; i++) {
		const struct workload *w = &f.workload.v[i];
		int64_t sum = 0, ms = 0, states = 0;
		for (size_t k = 0; k < w->nhour; k++) {
			sum += f.hour.v[w->hour0 + k].nano;
			ms += f.hour.v[w->hour0 + k].ms;
			assert_true(!k || f.hour.v[w->hour0 + k].hour_ms >
						  f.hour.v[w->hour0 + k - 1].hour_ms);
		}
		for (int k = 0; k < STATE_N; k++)
			states += w->state_nano[k];
		assert_int_equal(sum, w->cost_nano);
		assert_int_equal(states, w->cost_nano);
		assert_int_equal(ms, w->ms);
		hours += sum;
	}
	assert_int_equal(hours, f.cost_nano);
	assert_int_equal(f.unpriced_ms, 1000);
	assert_int_equal(f.note.n >= 3, 1); /* euros, unpriced, less than a week */
	fleet_free(&f);
	store_close(s);
}

static void workloads_and_statistics(void **state)
{
	struct store *s = small_store();
	struct fleet f;

	load(s, INT64_MIN, INT64_MAX, &f);
	const struct workload *w = find(&f, WORKLOAD_JOB, "j1"),
			      *idle = find(&f, WORKLOAD_FREE, ""),
			      *line = find(&f, WORKLOAD_LINE, "");
	assert_non_null(w);
	assert_string_equal(w->name, "train-7");
	assert_string_equal(w->team, "vision");
	assert_string_equal(w->instance_type, "p3.8xlarge");
	assert_string_equal(w->end_state, "COMPLETED");
	assert_int_equal(w->gpus_milli, 2000);
	assert_int_equal(w->attempts, 1);
	assert_int_equal(w->checkpointable, 1);
	assert_int_equal(w->start_ms, H(0) + 30 * MS_MINUTE);
	assert_int_equal(w->end_ms, H(3));
	assert_int_equal(w->deadline_ms, w->start_ms + 5 * MS_HOUR);
	assert_true(w->elastic);
	assert_int_equal(w->stats.gpus, 2);
	assert_int_equal(w->stats.gpus_used, 1);
	assert_true(fabs(w->stats.util_mean_pct - 40) < 1e-9);
	assert_true(fabs(w->stats.active_util_mean_pct - 80) < 1e-9);
	assert_true(fabs(w->stats.idle_frac - 0.5) < 1e-9);
	assert_true(w->stats.covered_frac > 0.99);
	assert_true(w->stats.spare_active_frac == 0);
	assert_int_equal(w->stats.last_busy_ms, H(3));
	assert_true(fabs(w->stats.mem_peak_bytes - 4e9) < 1);
	assert_true(w->stats.mem_p99_bytes >= 4e9 - 1 && w->stats.mem_p99_bytes <= 4e9 + 1);
	assert_int_equal(f.node.v[w->node_index].gpus_milli, 4000);
	assert_string_equal(idle->resource, "i-1");
	assert_int_equal(idle->start_ms, H(0));
	assert_int_equal(idle->end_ms, H(4));
	/* GPUs that nobody holds are read too; GPU 0 worked for half an hour before the job */
	assert_true(idle->stats.idle_frac > 0.9);
	assert_string_equal(line->name, "disk");
	/* a job with entries and no allocation and no readings: nothing is made up */
	w = find(&f, WORKLOAD_JOB, "j2");
	assert_int_equal(w->attempts, 0);
	assert_true(w->stats.covered_frac == 0 && isnan(w->stats.idle_frac) &&
		    isnan(w->stats.util_mean_pct));
	assert_int_equal(w->limit_ms, UNKNOWN_MS);
	/* a machine that only a bill knows is nobody's job */
	w = find(&f, WORKLOAD_UNKNOWN, "");
	assert_int_equal(w->cost_nano, 7);
	assert_string_equal(w->node, "billed");
	fleet_free(&f);
	store_close(s);
}

static void slices_add_up(void **state)
{
	struct store *s = small_store();
	struct fleet f, a, b;

	load(s, INT64_MIN, INT64_MAX, &f);
	fleet_slice(&f, INT64_MIN, H(2), &a);
	fleet_slice(&f, H(2), INT64_MAX, &b);
	assert_int_equal(a.cost_nano + b.cost_nano, f.cost_nano);
	assert_int_equal(a.gpu_ms + b.gpu_ms, f.gpu_ms);
	const struct workload *w = find(&a, WORKLOAD_JOB, "j1");
	assert_int_equal(w->end_ms, H(2));
	int64_t states = 0;
	for (int k = 0; k < STATE_N; k++)
		states += w->state_nano[k];
	assert_int_equal(states, w->cost_nano);
	assert_null(find(&b, WORKLOAD_LINE, ""));
	fleet_free(&a);
	fleet_free(&b);
	fleet_free(&f);
	store_close(s);
}

static void a_window(void **state)
{
	struct store *s = small_store();
	struct fleet f;

	load(s, H(1) + 5, H(2) + 5, &f); /* whole hours that touch it */
	assert_int_equal(f.since_ms, H(1));
	assert_int_equal(f.until_ms, H(3));
	const struct workload *w = find(&f, WORKLOAD_JOB, "j1");
	assert_int_equal(w->nhour, 2);
	assert_int_equal(w->start_ms, H(0) + 30 * MS_MINUTE); /* not cut */
	fleet_free(&f);
	store_close(s);
}

static void nothing_there(void **state)
{
	struct store *s = open_store(STORE_WRITE);
	struct fleet f;
	struct err err;
	struct fleet_opt o = {
		.conf = &conf, .catalog = cat, .since_ms = INT64_MIN, .until_ms = INT64_MAX
	};

	assert_int_equal(fleet_load(s, &o, &f, &err), -ENODATA);
	assert_non_null(strstr(err.hint, "tare import"));
	store_close(s);
	s = small_store();
	o.since_ms = H(100);
	assert_int_equal(fleet_load(s, &o, &f, &err), -ENODATA);
	assert_non_null(strstr(err.hint, "--since"));
	store_close(s);
}

/* Allocations that end before they begin, overlap, go on beyond the data, or belong to nothing. */
static void odd_allocations(void **state)
{
	struct store *s = small_store();
	struct fleet f;

	begin(s);
	put_job(s, "n1", "j1", H(1), H(0) + 1, 1);
	put_job(s, "n1", "j1", H(1), H(2000), MS_HOUR);
	put_job(s, "n1", "ghost", H(1), H(2), MS_HOUR);
	commit(s, "h2");
	load(s, INT64_MIN, INT64_MAX, &f);
	const struct workload *w = find(&f, WORKLOAD_JOB, "j1");
	assert_int_equal(w->end_ms, H(2000));
	assert_true(w->attempts >= 1);
	bool longer = false, ghost = false;
	for (size_t i = 0; i < f.note.n; i++) {
		longer |= strstr(f.note.v[i], "went on after it") != NULL;
		ghost |= strstr(f.note.v[i], "without an entry") != NULL;
	}
	assert_true(longer && ghost);
	fleet_free(&f);
	store_close(s);
}

static bool rate_at(const char *provider, const char *region, const char *zone, const char *type,
		    const char *model, int64_t gpus_milli, struct rate *ret)
{
	const struct price_ask q = { .catalog = cat,
				     .provider = provider,
				     .region = region,
				     .zone = zone,
				     .instance_type = type,
				     .gpu_model = model,
				     .gpus_milli = gpus_milli,
				     .purchase = "on_demand",
				     .at_ms = 1795219200000 }; /* 2026-11-21 */

	return fleet_rate(&q, ret);
}

static void rates(void **state)
{
	struct rate r;

	assert_true(
		rate_at("aws", "us-east-1", "us-east-1a", "p3.8xlarge", "V100-SXM2-16GB", 0, &r));
	assert_int_equal(r.nano_gpu_hour, 3060000000);
	assert_int_equal(r.gpus_milli, 4000);
	assert_int_equal(r.basis, RATE_LIST);
	assert_true(rate_at("aws", "us-east-1", "", NULL, "V100-SXM2-16GB", 1000, &r));
	assert_string_equal(r.instance_type, "p3.2xlarge");
	assert_int_equal(r.quality, QUALITY_MEASURED);
	assert_false(rate_at("aws", "us-east-1", "", NULL, "V100-SXM2-16GB", 3000, &r));
	assert_false(rate_at("", "", "", NULL, "", 0, &r));
	assert_false(rate_at("aws", "mars", "", NULL, "V100-SXM2-16GB", 1000, &r));
}

/* A job whose name the request log knows is a replica of that service, whatever its class. */
static void services(void **state)
{
	struct store *s = small_store();
	struct fleet f;
	struct err err;

	begin(s);
	for (int i = 0; i < 6; i++) {
		struct request_row r = { .t_ms = H(1) + i / 2 * MS_MINUTE,
					 .service = i < 4 ? SV("train-7") : SV("other"),
					 .status = i % 2 ? SV("500") : SV("ok"),
					 .count = 10 + i,
					 .latency_ms = 100,
					 .tokens_in = UNKNOWN_I64,
					 .tokens_out = UNKNOWN_I64,
					 .gpu_ms = UNKNOWN_I64 };
		fine(store_add_request(s, 0, &r, &err), &err);
	}
	commit(s, "h3");
	load(s, INT64_MIN, INT64_MAX, &f);
	assert_int_equal(f.service.n, 2);
	assert_int_equal(f.minute.n, 3);
	const struct fleet_service *v = &f.service.v[1];
	assert_string_equal(v->service, "train-7");
	assert_int_equal(v->nmin, 2);
	assert_int_equal(v->requests, 10 + 11 + 12 + 13);
	assert_int_equal(f.minute.v[v->min0].count, 21);
	assert_int_equal(f.minute.v[v->min0].ok, 10);
	assert_true(f.minute.v[v->min0].t_ms < f.minute.v[v->min0 + 1].t_ms);
	assert_true(fabs(f.minute.v[v->min0].p99_ms - 100) < 2);
	const struct workload *w = find(&f, WORKLOAD_SERVICE, "j1");
	assert_non_null(w);
	assert_ptr_equal(w->service, v->service);
	assert_int_equal(w->deadline_ms, UNKNOWN_MS);
	fleet_free(&f);
	store_close(s);
}

/* ---- what a job needed ------------------------------------------------------------------- */

struct reading {
	int64_t at_s, step_s;
	double util, mem;
};

static void put_readings(struct store *s, const char *gpu, const struct reading *r, size_t n)
{
	struct err err;
	struct sample_key k = { .node = SV("n1"), .gpu = sv_of(gpu) };

	for (size_t i = 0; i < n; i++) {
		struct sample v = { .t_ms = H(1) + r[i].at_s * 1000,
				    .step_ms = r[i].step_s * 1000 };
		for (int m = 0; m < METRIC_N; m++)
			v.value[m] = NAN;
		v.value[METRIC_GPU_UTIL_PCT] = r[i].util;
		v.value[METRIC_MEM_USED_BYTES] = r[i].mem;
		fine(store_add_sample(s, 0, &k, &v, &err), &err);
	}
}

/* Job j9 holds two GPUs for an hour. The first works; of the second these are the readings. */
static void second_gpu(const struct reading *r, size_t n, struct workload_stats *ret)
{
	struct store *s = open_store(STORE_WRITE);
	struct reading first[60];
	struct fleet f;

	begin(s);
	put_node(s, "n1", 2, 0, 4);
	put_job(s, "n1", "j9", H(1), H(2), MS_HOUR);
	put_entry(s, job_entry(1, "n1", "j9", STATE_BUSY, 2 * MS_HOUR, 100));
	for (int i = 0; i < 60; i++)
		first[i] = (struct reading){ i * 60, 60, 80, 4e9 };
	put_readings(s, "0", first, 60);
	put_readings(s, "1", r, n);
	commit(s, "h9");
	load(s, INT64_MIN, INT64_MAX, &f);
	*ret = find(&f, WORKLOAD_JOB, "j9")->stats;
	fleet_free(&f);
	store_close(s);
	remove_dir(NULL);
	fresh_dir(NULL);
}

/* Work above the floor in two readings or for 30 s, or memory that lies there. */
static void gpus_that_it_needs(void **state)
{
	static const struct {
		struct reading r[2];
		int needed, worked;
	} t[] = {
		{ { { 0, 10, 80, 1e6 }, { 10, 10, 0, 1e6 } }, 1, 1 },  /* one short reading */
		{ { { 0, 10, 80, 1e6 }, { 900, 10, 6, 1e6 } }, 2, 2 }, /* two */
		{ { { 0, 10, 80, 1e6 }, { 900, 10, 5, 1e6 } }, 1, 1 }, /* the floor is no work */
		{ { { 0, 29, 80, 1e6 }, { 900, 29, 0, 1e6 } }, 1, 1 },
		{ { { 0, 30, 80, 1e6 }, { 900, 30, 0, 1e6 } }, 2, 2 },
		{ { { 0, 60, 0, GPU_HELD_BYTES }, { 60, 60, 0, 0 } }, 2, 1 },
		{ { { 0, 60, 0, GPU_HELD_BYTES - 1 }, { 60, 60, 0, 0 } }, 1, 1 },
		{ { { 0, 60, 0, NAN }, { 60, 60, 0, NAN } }, 1, 1 },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct workload_stats s;
		second_gpu(t[i].r, 2, &s);
		if (s.gpus_needed != t[i].needed || s.gpus_worked != t[i].worked)
			fail_msg("case %zu: %d needed, %d worked", i, s.gpus_needed, s.gpus_worked);
	}
}

/* One that works in the last minutes alone is needed; when it began to is known. */
static void used_late(void **state)
{
	struct reading r[60];
	struct workload_stats s;

	for (int i = 0; i < 60; i++)
		r[i] = (struct reading){ i * 60, 60, i < 55 ? 0 : 70, 1e6 };
	second_gpu(r, 60, &s);
	assert_int_equal(s.gpus_needed, 2);
	assert_int_equal(s.all_worked_ms, H(1) + 55 * MS_MINUTE);
	assert_int_equal(s.last_active_ms, H(2));
	assert_float_equal(s.step_ms, 60000, 1e-9);
	assert_float_equal(s.mem_peak_bytes, 4e9, 1);
}

/* One reading at work is a stray one among many; where it is all there is, as of a job of a minute,
 * the GPU is not said to be unused. */
static void one_reading(void **state)
{
	struct reading r[] = { { 0, 60, 80, 1e6 }, { 60, 60, 0, 1e6 }, { 120, 60, 0, 1e6 } };
	struct workload_stats s;

	second_gpu(r, 1, &s);
	assert_int_equal(s.gpus, 2);
	assert_int_equal(s.gpus_used, 2);
	second_gpu(r, 3, &s);
	assert_int_equal(s.gpus_used, 1);
	second_gpu(r + 1, 1, &s);
	assert_int_equal(s.gpus_used, 1);
}

/* Of the GPUs that worked, and over the time until the last work. */
static void how_busy_while_it_works(void **state)
{
	struct reading r[60];
	struct workload_stats s;

	for (int i = 0; i < 60; i++)
		r[i] = (struct reading){ i * 60, 60, 0, 1e6 };
	second_gpu(r, 60, &s);
	assert_float_equal(s.util_mean_pct, 40, 1e-6);
	assert_float_equal(s.work_util_mean_pct, 80, 1e-6);
}

/* Taken from the first reading on and never moved; of the fullest GPU. */
static void memory_that_never_moves(void **state)
{
	struct reading r[60];
	struct workload_stats s;

	for (int k = 0; k < 3; k++) {
		for (int i = 0; i < 60; i++)
			r[i] = (struct reading){ i * 60, 60, 50, k == 1 && !i ? 9e9 : 15e9 };
		second_gpu(r, k == 2 ? 0 : 60, &s);
		/* 15e9 of 16 GiB; it grew; that of the first GPU: 4e9 */
		double want[] = { 15e9 / (16 * 0x1p30), 0, 4e9 / (16 * 0x1p30) };
		assert_float_equal(s.mem_flat_frac, want[k], 1e-6);
	}
}

static int open_catalog(void **state)
{
	struct err err;

	(void)state;
	return catalog_open(NULL, &cat, &err) < 0 || conf_load(NULL, &conf, &err) < 0;
}

static int close_catalog(void **state)
{
	(void)state;
	catalog_free(cat);
	conf_free(&conf);
	return 0;
}

#define ON(t) cmocka_unit_test_setup_teardown(t, fresh_dir, remove_dir)
int main(void)
{
	const struct CMUnitTest tests[] = {
		ON(sums_are_the_ledgers),
		ON(workloads_and_statistics),
		ON(slices_add_up),
		ON(a_window),
		ON(nothing_there),
		ON(odd_allocations),
		ON(services),
		ON(gpus_that_it_needs),
		ON(used_late),
		ON(one_reading),
		ON(how_busy_while_it_works),
		ON(memory_that_never_moves),
		ON(curves_are_tied),
		ON(long_curves_are_thinned),
		cmocka_unit_test(rates),
	};
	return cmocka_run_group_tests(tests, open_catalog, close_catalog);
}
