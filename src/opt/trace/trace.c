/*
 * Time of a GPU, cut by what runs on it (unions over streams, so that nothing is counted twice):
 *
 *   window = kernels + copies without a kernel beside them + gaps
 *   kernels = computing + collectives without computing beside them
 *
 * A gap ends with a kernel or copy. What it was a wait for follows from the call that started that
 * (same correlation id):
 *
 *   loader    the part of the gap in which the loop waited for its next batch
 *   sync      the call came after the gap had begun, and in between the host came back from waiting
 *             for the GPU
 *   launch    the call came after the gap had begun: the host was late
 *   queued    the call had come before: order between streams, or the GPU's own time to start
 *
 * Roofline (Williams et al. 2009): arithmetic of matrix products from their shapes, 2 m n k, over
 * bytes of operands and result (each once).
 * Source of the categories: the trace format as torch.profiler writes it; of the bound for tiny
 * kernels: a launch takes 4 to 10 us of the host, so kernels below that cannot keep a GPU busy.
 */
#include "opt/trace/trace.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "opt/trace/trace_in.h"

#define TINY_NS 10000
/* from the end of the work on the GPU to the host's return: some us, more under the profiler */
#define SYNC_SLACK_NS 20000

struct span {
	int64_t start, end;
	int64_t corr;
	uint32_t name;
	int16_t device;
	uint8_t kind;
};
struct call {
	int64_t corr, start;
};
struct range {
	int64_t start, end;
};
struct work {
	int64_t external;
	double flops, bytes;
};
struct used {
	int64_t external, ns;
};
typedef VEC(struct range) ranges;

struct trace {
	size_t max;
	bool cut;
	VEC(struct span) span;
	VEC(struct call) call;
	ranges sync, loader, step;
	VEC(struct work) work;
	VEC(struct used) used; /* kernel time by operator */
	struct intern name;
	struct {
		double occupancy, weight, h2d_bytes;
		int64_t blocks_known, unfilled;
	} gpu[TRACE_GPUS];
};

struct trace *trace_new(size_t spans_max)
{
	struct trace *t = xcalloc(1, sizeof *t);

	t->max = spans_max;
	return t;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	vec_free(&t->span);
	vec_free(&t->call);
	vec_free(&t->sync);
	vec_free(&t->loader);
	vec_free(&t->step);
	vec_free(&t->work);
	vec_free(&t->used);
	intern_free(&t->name);
	free(t);
}

/* ---- in ---------------------------------------------------------------------------------- */

static bool is_kernel(int kind)
{
	return kind == TRACE_KERNEL || kind == TRACE_COMM;
}

static void add_span(struct trace *t, const struct trace_event *e)
{
	struct sv name = t->name.n < TRACE_NAMES_MAX || intern_find(&t->name, e->name) >= 0
				 ? e->name
				 : SV("(other)");
	int device = 0;

	if (e->device >= 0 && e->device < TRACE_GPUS)
		device = e->device;
	*vec_push(&t->span) = (struct span){ .start = e->start_ns,
					     .end = e->start_ns + e->dur_ns,
					     .corr = e->correlation,
					     .name = intern_add(&t->name, name),
					     .device = (int16_t)device,
					     .kind = (uint8_t)e->kind };
	if (e->kind == TRACE_H2D && e->bytes > 0)
		t->gpu[device].h2d_bytes += e->bytes;
	if (!is_kernel(e->kind))
		return;
	if (!isnan(e->occupancy_frac)) {
		t->gpu[device].occupancy += e->occupancy_frac * (double)e->dur_ns;
		t->gpu[device].weight += (double)e->dur_ns;
	}
	if (!isnan(e->blocks_per_sm) && e->kind == TRACE_KERNEL) {
		t->gpu[device].blocks_known += e->dur_ns;
		if (e->blocks_per_sm < 1)
			t->gpu[device].unfilled += e->dur_ns;
	}
	if (e->external >= 0)
		*vec_push(&t->used) = (struct used){ e->external, e->dur_ns };
}

void trace_add(struct trace *t, const struct trace_event *e)
{
	struct range r = { e->start_ns, e->start_ns + e->dur_ns };

	if (e->kind == TRACE_OTHER)
		return;
	if (e->kind == TRACE_OP && isnan(e->op_bytes) && isnan(e->flops))
		return;
	if (t->span.n + t->call.n + t->sync.n + t->loader.n + t->step.n + t->work.n >= t->max) {
		t->cut = true;
		return;
	}
	switch (e->kind) {
	case TRACE_LAUNCH:
		if (e->correlation >= 0)
			*vec_push(&t->call) = (struct call){ e->correlation, e->start_ns };
		break;
	case TRACE_SYNC:
		*vec_push(&t->sync) = r;
		if (e->correlation >= 0) /* a copy that waits is also what started it */
			*vec_push(&t->call) = (struct call){ e->correlation, e->start_ns };
		break;
	case TRACE_LOADER: *vec_push(&t->loader) = r; break;
	case TRACE_STEP: *vec_push(&t->step) = r; break;
	case TRACE_OP:
		if (e->external >= 0)
			*vec_push(&t->work) = (struct work){ e->external, e->flops, e->op_bytes };
		break;
	default: add_span(t, e);
	}
}

/* ---- ranges ------------------------------------------------------------------------------ */

#define BY(type, member)                                                   \
	static int by_##member##_of_##type(const void *pa, const void *pb) \
	{                                                                  \
		const struct type *a = pa, *b = pb;                        \
		return a->member < b->member ? -1 : a->member > b->member; \
	}
BY(span, start)
BY(range, start)
BY(call, corr)
BY(work, external)

static void sort_by(void *v, size_t n, size_t size, int (*by)(const void *, const void *))
{
	if (n)
		sort_items(v, n, size, by);
}

/* Sorted ranges melted to those that do not touch. */
static void melt_ranges(ranges *r)
{
	size_t k = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (k && r->v[i].start <= r->v[k - 1].end) {
			r->v[k - 1].end = max_i64(r->v[i].end, r->v[k - 1].end);
			continue;
		}
		r->v[k++] = r->v[i];
	}
	r->n = k;
}

static int64_t ranges_length(const ranges *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->n; i++)
		sum += r->v[i].end - r->v[i].start;
	return sum;
}

static int64_t ranges_overlap(const ranges *a, const ranges *b)
{
	int64_t sum = 0;

	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		int64_t lo = max_i64(a->v[i].start, b->v[k].start),
			hi = min_i64(a->v[i].end, b->v[k].end);
		if (hi > lo)
			sum += hi - lo;
		if (a->v[i].end < b->v[k].end)
			i++;
		else
			k++;
	}
	return sum;
}

/* When something of these kinds (bits) ran on the GPU, inside the window. Spans are sorted. */
static void find_ranges(const struct trace *t, int device, unsigned kinds, struct range window,
			ranges *ret)
{
	vec_clear(ret);
	for (size_t i = 0; i < t->span.n; i++) {
		const struct span *s = &t->span.v[i];
		struct range r = { max_i64(s->start, window.start), min_i64(s->end, window.end) };
		if (s->device == device && (kinds >> s->kind & 1) && r.end > r.start)
			*vec_push(ret) = r;
	}
	melt_ranges(ret);
}

/* ---- gaps -------------------------------------------------------------------------------- */

static int64_t find_call(const struct trace *t, int64_t corr)
{
	size_t at = first_where(i, t->call.n, t->call.v[i].corr >= corr);

	if (corr >= 0 && at < t->call.n && t->call.v[at].corr == corr)
		return t->call.v[at].start;
	return INT64_MIN;
}

static void add_gap(const struct trace *t, struct trace_gpu *c, size_t *at, struct range gap,
		    int64_t corr)
{
	int64_t ns = gap.end - gap.start, wait = 0, call = find_call(t, corr);
	enum trace_gap why = TRACE_GAP_LAUNCH;

	/* The part of it in which the loader was waited for. */
	while (*at < t->loader.n && t->loader.v[*at].end <= gap.start)
		++*at;
	for (size_t k = *at; k < t->loader.n && t->loader.v[k].start < gap.end; k++) {
		int64_t lo = max_i64(t->loader.v[k].start, gap.start),
			hi = min_i64(t->loader.v[k].end, gap.end);
		if (hi > lo)
			wait += hi - lo;
	}
	/* Did the host come back from a wait for the GPU between the beginning of the gap and the
	 * call? Syncs are sorted and do not overlap. */
	size_t s = first_where(i, t->sync.n, t->sync.v[i].end >= gap.start - SYNC_SLACK_NS);
	bool synced = s < t->sync.n && t->sync.v[s].start <= gap.start + SYNC_SLACK_NS &&
		      t->sync.v[s].end <= call + SYNC_SLACK_NS;

	if (call == INT64_MIN)
		why = TRACE_GAP_UNKNOWN;
	else if (call < gap.start)
		why = TRACE_GAP_QUEUED;
	else if (synced)
		why = TRACE_GAP_SYNC;
	c->gap_ns[TRACE_GAP_LOADER] += wait;
	c->gap_ns[why] += ns - wait;
	c->gaps++;
}

/* ---- sums -------------------------------------------------------------------------------- */

static int by_ns(const void *pa, const void *pb)
{
	const struct trace_kernel *a = pa, *b = pb;

	if (a->ns != b->ns)
		return cmp_i64(b->ns, a->ns);
	return strcmp(a->name, b->name);
}

/* Half of the kernels are shorter: by counting in powers of 2^(1/8), within 9 %. */
static int64_t median_kernel(const struct trace *t, int device)
{
	enum { BINS = 64 * 8 };
	int64_t bin[BINS] = { 0 }, n = 0, seen = 0;

	for (size_t i = 0; i < t->span.n; i++) {
		const struct span *s = &t->span.v[i];
		if (s->device != device || !is_kernel(s->kind))
			continue;
		bin[s->end > s->start ? (int)(log2((double)(s->end - s->start)) * 8) : 0]++;
		n++;
	}
	for (int b = 0; b < BINS; b++)
		if ((seen += bin[b]) * 2 >= n && n)
			return llround(exp2((b + 0.5) / 8));
	return 0;
}

static void one_gpu(struct trace *t, int device, struct range window, struct trace_gpu *c)
{
	ranges kernels = { 0 }, compute = { 0 }, other = { 0 };

	*c = (struct trace_gpu){ .device = device };
	find_ranges(t, device, 1u << TRACE_KERNEL | 1u << TRACE_COMM, window, &kernels);
	find_ranges(t, device, 1u << TRACE_KERNEL, window, &compute);
	c->busy_ns = ranges_length(&kernels);
	c->compute_ns = ranges_length(&compute);
	find_ranges(t, device, 1u << TRACE_COMM, window, &other);
	c->comm_ns = ranges_length(&other);
	c->comm_exposed_ns = c->comm_ns - ranges_overlap(&other, &compute);
	find_ranges(t, device, 1u << TRACE_H2D, window, &other);
	c->h2d_ns = ranges_length(&other);
	c->h2d_exposed_ns = c->h2d_ns - ranges_overlap(&other, &kernels);
	find_ranges(t, device, 1u << TRACE_D2H, window, &other);
	c->d2h_ns = ranges_length(&other);
	c->d2h_exposed_ns = c->d2h_ns - ranges_overlap(&other, &kernels);

	int64_t end = window.start;
	size_t at = 0;

	for (size_t i = 0; i < t->span.n; i++) {
		const struct span *s = &t->span.v[i];
		if (s->device != c->device || s->end <= window.start)
			continue;
		if (s->start >= window.end)
			break;
		if (s->start > end)
			add_gap(t, c, &at, (struct range){ end, s->start }, s->corr);
		end = max_i64(s->end, end);
	}
	if (end < window.end)
		add_gap(t, c, &at, (struct range){ end, window.end }, -1);
	for (size_t i = 0; i < t->span.n; i++) {
		const struct span *s = &t->span.v[i];
		int64_t ns = s->end - s->start;
		if (s->device != c->device || !is_kernel(s->kind))
			continue;
		c->kernels++;
		c->kernel_sum_ns += ns;
		c->tiny += ns < TINY_NS;
		if (ns < TINY_NS)
			c->tiny_sum_ns += ns;
	}
	c->median_ns = median_kernel(t, device);
	c->unfilled_ns = t->gpu[device].unfilled;
	c->h2d_bytes = t->gpu[device].h2d_bytes;
	c->blocks_known_ns = t->gpu[device].blocks_known;
	if (t->gpu[device].weight > 0)
		c->occupancy_frac = t->gpu[device].occupancy / t->gpu[device].weight;
	else
		c->occupancy_frac = NAN;
	vec_free(&kernels);
	vec_free(&compute);
	vec_free(&other);
}

static struct range window_of(struct trace *t, struct trace_report *ret)
{
	struct range w = { INT64_MAX, INT64_MIN };
	int64_t sum = 0;

	for (size_t i = 0; i < t->step.n; i++) {
		int64_t ns = t->step.v[i].end - t->step.v[i].start;
		w.start = min_i64(t->step.v[i].start, w.start);
		w.end = max_i64(t->step.v[i].end, w.end);
		sum += ns;
		ret->step_max_ns = max_i64(ns, ret->step_max_ns);
	}
	ret->steps = (int64_t)t->step.n;
	ret->step_mean_ns = t->step.n ? sum / (int64_t)t->step.n : 0;
	struct range g = { INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < t->span.n; i++) {
		g.start = min_i64(t->span.v[i].start, g.start);
		g.end = max_i64(t->span.v[i].end, g.end);
	}
	/* Steps that do not meet the work on the GPU (another clock, or work that came later) say
	 * nothing about it. */
	if (!t->step.n || (t->span.n && (g.end <= w.start || g.start >= w.end)))
		w = g;
	if (w.end > w.start)
		return w;
	return (struct range){ 0, 0 };
}

void trace_judge(struct trace *t, struct trace_report *ret)
{
	*ret = (struct trace_report){ .cut = t->cut };
	sort_by(t->span.v, t->span.n, sizeof *t->span.v, by_start_of_span);
	sort_by(t->call.v, t->call.n, sizeof *t->call.v, by_corr_of_call);
	sort_by(t->sync.v, t->sync.n, sizeof *t->sync.v, by_start_of_range);
	sort_by(t->loader.v, t->loader.n, sizeof *t->loader.v, by_start_of_range);
	ret->loader_waits = (int64_t)t->loader.n;
	melt_ranges(&t->sync);
	melt_ranges(&t->loader);
	struct range w = window_of(t, ret);
	ret->window_ns = w.end - w.start;
	ret->loader_ns = ranges_length(&t->loader);
	for (int d = 0; d < TRACE_GPUS; d++) {
		bool here = false;
		for (size_t i = 0; i < t->span.n && !here; i++)
			here = t->span.v[i].device == d;
		if (here)
			one_gpu(t, d, w, &ret->gpu[ret->ngpu++]);
	}
	ret->flops = ret->flop_bytes = NAN;
	sort_by(t->work.v, t->work.n, sizeof *t->work.v, by_external_of_work);
	for (size_t i = 0; i < t->work.n; i++) {
		const struct work *work = &t->work.v[i];
		ret->flops = known_or(ret->flops, 0) + known_or(work->flops, 0);
		if (!isnan(work->bytes))
			ret->flop_bytes = known_or(ret->flop_bytes, 0) + work->bytes;
	}
	for (size_t i = 0; i < t->used.n && t->work.n; i++) {
		struct work key = { .external = t->used.v[i].external };
		if (find_sorted(&key, t->work.v, t->work.n, sizeof key, by_external_of_work))
			ret->flop_ns += t->used.v[i].ns;
	}

	struct trace_kernel *k = xcalloc(t->name.n + 1, sizeof *k);
	size_t n = t->name.n;

	for (size_t i = 0; i < n; i++)
		k[i].name = intern_z(&t->name, (uint32_t)i);
	for (size_t i = 0; i < t->span.n; i++) {
		k[t->span.v[i].name].count++;
		k[t->span.v[i].name].ns += t->span.v[i].end - t->span.v[i].start;
	}
	sort_by(k, n, sizeof *k, by_ns);
	for (size_t i = 0; i < n && ret->ntop < TRACE_TOP; i++)
		ret->top[ret->ntop++] = k[i];
	free(k);
	trace_find(ret);
}
