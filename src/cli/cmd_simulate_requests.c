/*
 * tare simulate requests: the telemetry of a serving fleet, container by container: where its idle minutes come from, and how many containers would have served
 * the same requests with percentiles no worse.
 */
#include <errno.h>
#include <math.h>
#include "base/jw.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "feed/points.h"
#include "report/grid.h"
#include "report/text.h"
#include "sim/requests.h"

enum idle { IDLE_SERVING, IDLE_LOADING, IDLE_BETWEEN, IDLE_HOUR, IDLE_EMPTY, IDLE_UNKNOWN, IDLE_N };
static const struct {
	const char *key, *text;
} idle_name[IDLE_N] = {
	{ "serving", "a request was served; the reading met a pause" },
	{ "loading", "a model was being loaded" },
	{ "warm_between_requests", "model held, waiting between requests of an hour" },
	{ "warm_no_request_in_hour", "model held, no request in the whole hour" },
	{ "empty", "nothing loaded: little memory held" },
	{ "unknown", "memory not known" },
};

enum serie { S_DUTY, S_MEMORY, S_QPS, S_QUEUE, S_INFER, S_UPDATE, S_N };
static const char *const series_opt[S_N] = { "duty", "memory", "qps", "queue", "latency", "update" };

struct work { /* what the series say of a request */
	struct sim_request r;
	bool queued; /* its time in the queue was measured */
};

struct replay {
	struct cli *c;
	struct intern names;
	struct points s[S_N];
	double step_ms, bound_bytes, headroom, slo_ms, quantum;
	uint64_t seed;
	int64_t idle[IDLE_N], zero;
	VEC(struct work) work;
	int64_t requests, no_latency, loads;
	double queue_before_ms, queue_after_ms, busy_ms, duty_ms, mem_max;
	struct sim_latency before, after, fewest_at;
	int containers, fewest, replicas, most_at_once;
	double hours_before, hours_after;
};

/* ---- series ----------------------------------------------------------------------------------------------------------------------- */

static const struct point *find(const struct points *p, int64_t t, uint32_t who)
{
	size_t lo = 0, hi = p->v.n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct point *x = &p->v.v[mid];
		if (x->t_ms < t || (x->t_ms == t && x->who < who))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->v.n && p->v.v[lo].t_ms == t && p->v.v[lo].who == who ? &p->v.v[lo] : NULL;
}

static int load_series(struct replay *y, enum serie k, struct err *err)
{
	const char *path = cli_value(y->c, series_opt[k]);
	struct input *in;
	if (!path)
		return 0;
	int r = input_open(path, &in, err);
	if (r < 0)
		return r;
	r = points_read(in, &y->names, &y->s[k], err);
	input_close(in);
	return r;
}

/* The smallest distance between two times of the duty series. */
static double step_of(const struct points *p)
{
	int64_t step = INT64_MAX;
	for (size_t i = 1; i < p->v.n; i++) {
		int64_t d = p->v.v[i].t_ms - p->v.v[i - 1].t_ms;
		if (d > 0 && d < step)
			step = d;
	}
	return step == INT64_MAX ? 60000 : (double)step;
}

/* The smallest rate that occurs above nothing is that of one request in a step: the series counts whole requests. */
static double quantum_of(const struct points *p)
{
	double q = INFINITY;
	for (size_t i = 0; i < p->v.n; i++)
		if (p->v.v[i].value > 0 && p->v.v[i].value < q)
			q = p->v.v[i].value;
	return q;
}

/* ---- idle minutes by cause ------------------------------------------------------------------------------------------------------ */

static bool *active_hours(const struct replay *y, int64_t from, size_t nhour)
{
	static const enum serie work[] = { S_QPS, S_INFER };
	bool *active = xcalloc(nhour * y->names.n + 1, sizeof *active);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < y->s[work[k]].v.n; i++) {
			const struct point *p = &y->s[work[k]].v.v[i];
			int64_t h = (p->t_ms - from) / MS_HOUR;
			if (p->who != POINT_NOBODY && p->t_ms >= from && h < (int64_t)nhour)
				active[(size_t)h * y->names.n + p->who] = true;
		}
	return active;
}

static enum idle why_idle(const struct replay *y, const struct point *p, bool hour_active)
{
	if (find(&y->s[S_QPS], p->t_ms, p->who) || find(&y->s[S_INFER], p->t_ms, p->who))
		return IDLE_SERVING;
	if (find(&y->s[S_UPDATE], p->t_ms, p->who))
		return IDLE_LOADING;
	const struct point *m = find(&y->s[S_MEMORY], p->t_ms, p->who);
	if (!m)
		return IDLE_UNKNOWN;
	if (!(m->value > y->bound_bytes))
		return IDLE_EMPTY;
	return hour_active ? IDLE_BETWEEN : IDLE_HOUR;
}

static void split_idle(struct replay *y)
{
	const struct points *d = &y->s[S_DUTY];
	int64_t from = d->v.v[0].t_ms;
	size_t nhour = (size_t)((d->v.v[d->v.n - 1].t_ms - from) / MS_HOUR) + 1;
	bool *active = active_hours(y, from, nhour);
	for (size_t i = 0; i < d->v.n; i++) {
		const struct point *p = &d->v.v[i];
		size_t h = (size_t)((p->t_ms - from) / MS_HOUR);
		y->duty_ms += p->value / 100 * y->step_ms;
		if (p->value != 0 || p->who == POINT_NOBODY)
			continue;
		y->zero++;
		y->idle[why_idle(y, p, active[h * y->names.n + p->who])]++;
	}
	for (size_t i = 0; i < y->s[S_MEMORY].v.n; i++)
		y->mem_max = fmax(y->mem_max, y->s[S_MEMORY].v.v[i].value);
	free(active);
}

static int count_containers(const struct replay *y)
{
	bool *seen = xcalloc(y->names.n + 1, sizeof *seen);
	int n = 0;
	for (size_t i = 0; i < y->s[S_DUTY].v.n; i++) {
		uint32_t who = y->s[S_DUTY].v.v[i].who;
		n += who != POINT_NOBODY && !seen[who];
		if (who != POINT_NOBODY)
			seen[who] = true;
	}
	free(seen);
	return n;
}

/* ---- requests ------------------------------------------------------------------------------------------------------------------- */

static double place_in_step(uint64_t seed, int64_t t, uint32_t who, int i)
{
	uint64_t z = seed + (uint64_t)t * 0x9e3779b97f4a7c15u + ((uint64_t)who << 20) + (uint64_t)i;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void add_requests(struct replay *y, const struct point *p, double service_ms, int n)
{
	const struct point *q = find(&y->s[S_QUEUE], p->t_ms, p->who), *u = find(&y->s[S_UPDATE], p->t_ms, p->who);
	for (int i = 0; i < n; i++) {
		struct sim_request r = { .t_ms = (double)p->t_ms + y->step_ms * place_in_step(y->seed, p->t_ms, p->who, i), .base_ms = q ? q->value : 0,
					 .service_ms = service_ms, .hold_ms = u ? u->value : 0, .counted = true };
		*vec_push(&y->work) = (struct work){ r, q != NULL };
		y->busy_ms += service_ms;
	}
	y->requests += n;
}

static int count_of(const struct replay *y, const struct point *q)
{
	double n = q ? round(q->value / y->quantum) : 1;
	return n < 1 ? 1 : n > 1000 ? 1000 : (int)n;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, z = *(const double *)b;
	return x < z ? -1 : x > z;
}

static double median(const struct points *p)
{
	double *v = xmalloc((p->v.n + 1) * sizeof *v), m;
	for (size_t i = 0; i < p->v.n; i++)
		v[i] = p->v.v[i].value;
	qsort(v, p->v.n, sizeof *v, by_value);
	m = p->v.n ? v[p->v.n / 2] : NAN;
	free(v);
	return m;
}

static int by_time(const void *a, const void *b)
{
	const struct work *x = a, *z = b;
	if (x->r.t_ms != z->r.t_ms)
		return x->r.t_ms < z->r.t_ms ? -1 : 1;
	return x->r.service_ms < z->r.service_ms ? -1 : x->r.service_ms > z->r.service_ms;
}

/*
 * A row of inference latency is a request; where the rate of that container and minute is known, it says how many. A rate without a latency is taken
 * at the median. Loading without a request takes a replica too, but nobody waits for it.
 */
static void make_requests(struct replay *y)
{
	double usual = median(&y->s[S_INFER]);
	for (size_t i = 0; i < y->s[S_INFER].v.n; i++) {
		const struct point *p = &y->s[S_INFER].v.v[i];
		if (p->who != POINT_NOBODY)
			add_requests(y, p, p->value, count_of(y, find(&y->s[S_QPS], p->t_ms, p->who)));
	}
	for (size_t i = 0; i < y->s[S_QPS].v.n; i++) {
		const struct point *p = &y->s[S_QPS].v.v[i];
		if (p->who == POINT_NOBODY || p->value <= 0 || find(&y->s[S_INFER], p->t_ms, p->who))
			continue;
		y->no_latency += count_of(y, p);
		add_requests(y, p, usual, count_of(y, p));
	}
	for (size_t i = 0; i < y->s[S_UPDATE].v.n; i++) {
		const struct point *p = &y->s[S_UPDATE].v.v[i];
		if (p->who == POINT_NOBODY || find(&y->s[S_INFER], p->t_ms, p->who) || find(&y->s[S_QPS], p->t_ms, p->who))
			continue;
		struct sim_request r = { .t_ms = (double)p->t_ms + y->step_ms * place_in_step(y->seed, p->t_ms, p->who, 0), .hold_ms = p->value };
		*vec_push(&y->work) = (struct work){ r, false };
		y->loads++;
	}
	qsort(y->work.v, y->work.n, sizeof *y->work.v, by_time);
}

/* ---- replay --------------------------------------------------------------------------------------------------------------------- */

static double queue_p99(const struct replay *y, const double *wait)
{
	double *v = xmalloc((y->work.n + 1) * sizeof *v), q;
	size_t n = 0;
	for (size_t i = 0; i < y->work.n; i++)
		if (y->work.v[i].queued)
			v[n++] = y->work.v[i].r.base_ms + (wait ? wait[i] : 0);
	qsort(v, n, sizeof *v, by_value);
	q = n ? v[(size_t)ceil(0.99 * (double)n) - 1] : NAN;
	free(v);
	return q;
}

struct trial { struct sim_request *r; double *wait; };

/* Are both percentiles no worse with k replicas? */
static int good(struct replay *y, struct trial *t, int k, struct sim_latency *l, bool *ret, struct err *err)
{
	int r = sim_requests(y->work.n, t->r, k, y->slo_ms, t->wait, l, err);
	if (r < 0)
		return r;
	y->queue_after_ms = queue_p99(y, t->wait);
	*ret = l->p99_ms <= y->before.p99_ms && !(y->queue_after_ms > y->queue_before_ms) && l->slo_violations <= y->before.slo_violations;
	return 0;
}

/* What was measured: nobody waits beside the queue that was measured, so replicas without end. */
static int measured(struct replay *y, const struct trial *t, struct err *err)
{
	struct sim_request *r = xmalloc((y->work.n + 1) * sizeof *r);
	for (size_t i = 0; i < y->work.n; i++) {
		r[i] = t->r[i];
		r[i].base_ms += r[i].hold_ms + r[i].service_ms;
		r[i].hold_ms = r[i].service_ms = 0;
	}
	int rc = sim_requests(y->work.n, r, 1, y->slo_ms, NULL, &y->before, err);
	free(r);
	y->queue_before_ms = queue_p99(y, NULL);
	return rc;
}

static int search(struct replay *y, struct trial *t, struct err *err)
{
	int lo = 0, hi = y->containers, r = measured(y, t, err);
	bool ok = false;
	while (r >= 0 && hi - lo > 1) {
		int mid = (lo + hi) / 2;
		struct sim_latency l;
		if ((r = good(y, t, mid, &l, &ok, err)) >= 0)
			*(ok ? &hi : &lo) = mid;
	}
	if (r < 0)
		return r;
	y->fewest = hi;
	y->replicas = (int)ceil(hi * (1 + y->headroom) - 1e-9);
	if (y->replicas > y->containers)
		y->replicas = y->containers;
	r = good(y, t, hi, &y->fewest_at, &ok, err);
	return r < 0 ? r : good(y, t, y->replicas, &y->after, &ok, err);
}

static int most_at_once(const struct points *p)
{
	size_t most = 0;
	for (size_t i = 0, k; i < p->v.n; i = k) {
		for (k = i; k < p->v.n && p->v.v[k].t_ms == p->v.v[i].t_ms; k++)
			;
		most = k - i > most ? k - i : most;
	}
	return (int)most;
}

static int consolidate(struct replay *y, struct err *err)
{
	const struct points *d = &y->s[S_DUTY];
	struct trial t = { xmalloc((y->work.n + 1) * sizeof *t.r), xmalloc((y->work.n + 1) * sizeof *t.wait) };
	for (size_t i = 0; i < y->work.n; i++)
		t.r[i] = y->work.v[i].r;
	int r = search(y, &t, err);
	y->most_at_once = most_at_once(d);
	y->hours_before = (double)d->v.n * y->step_ms / MS_HOUR;
	y->hours_after = y->replicas * ((double)(d->v.v[d->v.n - 1].t_ms - d->v.v[0].t_ms) + y->step_ms) / MS_HOUR;
	free(t.r);
	free(t.wait);
	return r;
}

/* ---- what is printed ---------------------------------------------------------------------------------------------------------- */

static void num(struct jw *w, const char *key, double v, int digits)
{
	jw_key(w, key);
	jw_num(w, v, digits);
}

static void whole(struct jw *w, const char *key, int64_t v)
{
	jw_key(w, key);
	jw_int(w, v);
}

static void json_side(struct jw *w, const char *key, const struct sim_latency *l, int containers, double hours, double queue_ms)
{
	jw_key(w, key);
	jw_obj(w);
	whole(w, "containers", containers);
	num(w, "gpu_hours", hours, 1);
	num(w, "p50_ms", l->p50_ms, 0);
	num(w, "p95_ms", l->p95_ms, 0);
	num(w, "p99_ms", l->p99_ms, 0);
	num(w, "queue_p99_ms", queue_ms, 0);
	whole(w, "slo_violations", l->slo_violations);
	jw_end_obj(w);
}

static void json_idle(const struct replay *y, struct jw *w)
{
	double n = (double)y->s[S_DUTY].v.n;
	jw_key(w, "zero");
	jw_obj(w);
	whole(w, "minutes", y->zero);
	num(w, "frac", (double)y->zero / n, 6);
	for (int i = 0; i < IDLE_N; i++)
		whole(w, idle_name[i].key, y->idle[i]);
	jw_end_obj(w);
}

static void print_json(const struct replay *y, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.simulate-requests/1");
	whole(&w, "container_minutes", (int64_t)y->s[S_DUTY].v.n);
	whole(&w, "containers", y->containers);
	num(&w, "step_s", y->step_ms / 1000, 3);
	json_idle(y, &w);
	whole(&w, "requests", y->requests);
	whole(&w, "requests_without_latency", y->no_latency);
	whole(&w, "loads_without_request", y->loads);
	whole(&w, "unassigned_rows", y->s[S_QPS].nobody + y->s[S_INFER].nobody + y->s[S_QUEUE].nobody);
	num(&w, "busy_gpu_hours_by_requests", y->busy_ms / MS_HOUR, 1);
	num(&w, "busy_gpu_hours_by_duty", y->duty_ms / MS_HOUR, 1);
	json_side(&w, "before", &y->before, y->most_at_once, y->hours_before, y->queue_before_ms);
	json_side(&w, "after", &y->after, y->replicas, y->hours_after, y->queue_after_ms);
	whole(&w, "fewest", y->fewest);
	num(&w, "headroom_frac", y->headroom, 3);
	num(&w, "gpu_hours_saved", y->hours_before - y->hours_after, 1);
	num(&w, "saved_frac", 1 - y->hours_after / y->hours_before, 4);
	num(&w, "mem_max_gib", y->mem_max / 0x1p30, 1);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void print_idle(const struct replay *y, struct str *out)
{
	struct grid g = { 0 };
	grid_add_col(&g, "minutes at 0 %", GRID_RIGHT, false);
	grid_add_col(&g, "of all", GRID_RIGHT, false);
	grid_add_col(&g, "why", GRID_LEFT, true);
	for (int i = 0; i <= IDLE_N; i++) {
		int64_t v = i < IDLE_N ? y->idle[i] : y->zero;
		char buf[DEC_BUF];
		const char **cell = grid_add_row(&g, i < IDLE_N ? GRID_PLAIN : GRID_TOTAL);
		cell[0] = arena_printf(&g.mem, "%s", dec_format_people(buf, (dec)v * DEC_ONE, 0));
		cell[1] = arena_printf(&g.mem, "%.2f %%", 100 * (double)v / (double)y->s[S_DUTY].v.n);
		cell[2] = i < IDLE_N ? idle_name[i].text : "";
	}
	grid_table(&g, y->c->width, y->c->colour, out);
	grid_free(&g);
}

static void print_text(const struct replay *y, struct str *out)
{
	int64_t nobody = y->s[S_QPS].nobody + y->s[S_INFER].nobody + y->s[S_QUEUE].nobody;
	str_addf(out, "%d containers, %zu container-minutes of %g s, %.1f GPU-hours, busy %.1f %%\n\n", y->containers, y->s[S_DUTY].v.n, y->step_ms / 1000,
		 y->hours_before, 100 * y->duty_ms / ((double)y->s[S_DUTY].v.n * y->step_ms));
	print_idle(y, out);
	str_addf(out, "\n%lld requests (%lld without a latency, at the median), %lld loads without a request; %lld rows name no container: unassigned.\n",
		 (long long)y->requests, (long long)y->no_latency, (long long)y->loads, (long long)nobody);
	str_addf(out, "Check: requests take %.1f GPU-hours, the cards were busy for %.1f.\n\n", y->busy_ms / MS_HOUR, y->duty_ms / MS_HOUR);
	str_addf(out, "                     before    after\n");
	str_addf(out, "containers         %8d %8d   fewest %d, and %g %% head-room\n", y->most_at_once, y->replicas, y->fewest, y->headroom * 100);
	str_addf(out, "GPU-hours          %8.1f %8.1f   -%.1f %%\n", y->hours_before, y->hours_after, 100 * (1 - y->hours_after / y->hours_before));
	str_addf(out, "p99 of requests, s %8.2f %8.2f\n", y->before.p99_ms / 1000, y->after.p99_ms / 1000);
	str_addf(out, "p99 in queue, ms   %8.0f %8.0f\n", y->queue_before_ms, y->queue_after_ms);
	if (y->mem_max > 0)
		str_addf(out, "\nEach container keeps a card of its own: memory (at most %.1f GiB) is as before.\n", y->mem_max / 0x1p30);
}

/* ---- together ------------------------------------------------------------------------------------------------------------------- */

static int option(const struct cli *c, const char *name, double lo, double hi, double other, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_f64(sv_trim(sv_of(z)), ret) < 0 || !(*ret >= lo && *ret <= hi)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %g to %g", name, z, lo, hi);
	return 0;
}

static int load(struct replay *y, struct err *err)
{
	double seed = 0, bound = 0;
	int r = option(y->c, "headroom", 0, 10, 0.2, &y->headroom, err);
	if (r >= 0)
		r = option(y->c, "memory-bound-gb", 0, 1e6, 10, &bound, err);
	if (r >= 0)
		r = option(y->c, "slo-ms", 0, 1e9, NAN, &y->slo_ms, err);
	if (r >= 0)
		r = option(y->c, "seed", 0, 1e15, 1, &seed, err);
	for (int k = 0; k < S_N && r >= 0; k++)
		r = load_series(y, (enum serie)k, err);
	y->seed = (uint64_t)seed;
	y->bound_bytes = bound * 1e9;
	if (r >= 0 && y->names.n > 20000)
		r = err_set(err, -E2BIG, "%zu containers are more than can be replayed at a time (20,000)", y->names.n);
	int64_t from = r >= 0 ? y->s[S_DUTY].v.v[0].t_ms : 0, to = r >= 0 ? y->s[S_DUTY].v.v[y->s[S_DUTY].v.n - 1].t_ms : 0;
	if (r >= 0 && to - from > 400 * MS_DAY)
		r = err_set(err, -ERANGE, "the duty series spans more than 400 days");
	return r;
}

static int decide(struct replay *y, struct err *err)
{
	int r = load(y, err);
	if (r < 0)
		return r;
	y->step_ms = step_of(&y->s[S_DUTY]);
	y->quantum = quantum_of(&y->s[S_QPS]);
	y->containers = count_containers(y);
	split_idle(y);
	make_requests(y);
	if (!y->requests || !y->containers) {
		err_set(err, -ENODATA, "no request names a container: nothing can be replayed");
		return -ENODATA;
	}
	return consolidate(y, err);
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct replay y = { .c = c };
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "qps") || !cli_value(c, "duty") || !cli_value(c, "latency"))
		return cli_usage_error(c, "--qps, --duty and --latency are needed");
	int r = decide(&y, &err);
	if (r >= 0 && c->output == OUT_JSON)
		print_json(&y, &out);
	else if (r >= 0)
		print_text(&y, &out);
	int code = r == -ENODATA ? (cli_fail(&err), EXIT_INCOMPLETE) : r < 0 ? cli_fail(&err) : cli_write(&out);
	for (int k = 0; k < S_N; k++)
		points_free(&y.s[k]);
	vec_free(&y.work);
	intern_free(&y.names);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "duty", "CSV", "utilisation of each container's GPU in percent: time, value, container", 0, false, "FILE" },
	{ "qps", "CSV", "rate of requests of each container", 0, false, "FILE" },
	{ "latency", "CSV", "milliseconds that inference took", 0, false, "FILE" },
	{ "queue", "CSV", "milliseconds that requests waited before", 0, false, "FILE" },
	{ "update", "CSV", "milliseconds in which a container loaded a model for a request", 0, false, "FILE" },
	{ "memory", "CSV", "bytes of GPU memory held", 0, false, "FILE" },
	{ "memory-bound-gb", "GB", "more than this held is a loaded model (default: 10)", 0, false, NULL },
	{ "headroom", "F", "containers beyond the fewest, as a share (default: 0.2)", 0, false, NULL },
	{ "slo-ms", "MS", "a bound of latency: violations may not grow", 0, false, NULL },
	{ "seed", "N", "of the instants of requests within a minute (default: 1)", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_simulate_requests_def = {
	.name = "simulate requests",
	.group = "",
	.summary = "idle minutes of a serving fleet by cause, and how many containers would do",
	.usage = "--duty CSV --qps CSV --latency CSV [--queue CSV] [--update CSV] [--memory CSV] ...",
	.examples = "tare simulate requests --duty pod_gpu_duty_cycle.csv.gz --memory pod_gpu_memory_used_bytes.csv.gz --qps qps.csv.gz \\\n"
		    "  --latency pipeline_inference.csv.gz --queue queue_rt.csv.gz --update pipeline_update_latency.csv.gz",
	.about = "Each series has the columns time (or timestamp, timestamp_anon), value and container. Rows without a container are counted as unassigned and not\n"
		 "replayed. Requests go in order of arrival to any free container and hold it while it loads and infers. The fewest containers are those with which\n"
		 "the 99th percentiles of whole requests and of the queue, as measured, do not get worse; head-room comes on top, as one day is one day.\n"
		 "Instants within a minute are not in the data: they are drawn with --seed.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
