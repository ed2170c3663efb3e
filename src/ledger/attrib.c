/*
 * The timeline of one GPU. Time is cut at every boundary (hour, paid interval, allocation, sample,
 * end of a reading); each span is booked into the table of its hour.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "ledger/attrib_line.h"

#define AT(member) offsetof(struct attrib_conf, member)

const struct setting attrib_settings[] = {
	{ "idle_util_pct", SETTING_NUMBER, AT(idle_util_pct), .hi = 100, .def = "0", .unit = "%",
	  .help = "utilisation at or below is idle" },
	{ "underused_util_pct", SETTING_NUMBER, AT(underused_util_pct), .hi = 100, .def = "25",
	  .unit = "%", .help = "below is underused, at or above busy" },
	{ "empty_mib", SETTING_NUMBER, AT(empty_bytes), .hi = 1e9, .def = "500", .unit = "MiB",
	  .scale = 1024 * 1024,
	  .help = "idle memory at or below this, or empty_frac of the GPU, is empty" },
	{ "empty_frac", SETTING_NUMBER, AT(empty_frac), .hi = 1, .def = "0.01",
	  .help = "the same as a part of the GPU; the larger of the two counts" },
	{ "stalled_sm_frac", SETTING_NUMBER, AT(stalled_sm_frac), .hi = 1, .def = "0.01",
	  .help = "SM activity at or below contradicts busy" },
	{ "stalled_power_frac_tdp", SETTING_NUMBER, AT(stalled_power_frac_tdp), .hi = 1,
	  .def = "0.22",
	  .help = "power at or below this part of the board's contradicts fully busy" },
	{ "finished_after", SETTING_SPAN_S, AT(finished_after_s), .lo = 1, .hi = 1e15, .def = "30m",
	  .wrong = "'finished_after' must be a duration such as 30m or 2h",
	  .help = "idle this long up to the end of the allocation is finished" },
	{ 0 },
};

void attrib_conf_default(struct attrib_conf *c)
{
	*c = (struct attrib_conf){ 0 };
	setting_defaults(attrib_settings, c);
}

static void free_parts(struct timeline *t)
{
	free(t->use);
	free(t->part);
	free(t->measured);
}

struct share_use attrib_use(const struct attrib_alloc *a)
{
	return (struct share_use){ .kind = a->share_kind,
				   .ppb = a->share_ppb,
				   .compute = a->mig_compute,
				   .memory = a->mig_memory,
				   .start = a->mig_start,
				   .mig = a->mig };
}

static void refresh(struct timeline *t)
{
	if (t->active.n > t->nparts) {
		t->nparts = t->active.n * 2;
		free_parts(t);
		t->use = xcalloc(t->nparts, sizeof *t->use);
		t->part = xcalloc(t->nparts, sizeof *t->part);
		t->measured = xcalloc(3 * t->nparts, sizeof *t->measured);
	}
	for (size_t i = 0; i < t->active.n; i++)
		t->use[i] = attrib_use(&t->g->alloc[t->active.v[i]]);
	if (t->active.n)
		share_split(&t->g->geom, t->gpu, t->active.n, t->use, t->part, &t->sum);
	line_link_streams(t);
	t->stale = false;
}

/* Take in allocations that began and drop those that ended at now. */
static int step_allocs(struct timeline *t)
{
	const struct attrib_alloc *al = t->g->alloc;
	size_t keep = 0;
	int r;
	if (t->now_ms < t->alloc_change_ms)
		return 0;
	for (size_t i = 0; i < t->active.n; i++) {
		uint32_t a = t->active.v[i];
		if (al[a].to_ms > t->now_ms)
			t->active.v[keep++] = a;
		else if ((r = line_end_run(t, a, true)) < 0)
			return r;
	}
	t->active.n = keep;
	for (; t->ialloc < t->g->nalloc && al[t->ialloc].from_ms <= t->now_ms; t->ialloc++)
		if (al[t->ialloc].to_ms > t->now_ms)
			*vec_push(&t->active) = (uint32_t)t->ialloc;
	t->alloc_change_ms = t->ialloc < t->g->nalloc ? al[t->ialloc].from_ms : INT64_MAX;
	for (size_t i = 0; i < t->active.n; i++)
		if (al[t->active.v[i]].to_ms < t->alloc_change_ms)
			t->alloc_change_ms = al[t->active.v[i]].to_ms;
	t->stale = true;
	return 0;
}

#define MIN_INTO(a, b)            \
	do {                      \
		int64_t b_ = (b); \
		if (b_ < (a))     \
			(a) = b_; \
	} while (0)

static int64_t span_end(const struct timeline *t, int64_t end_ms)
{
	int64_t to = end_ms;
	MIN_INTO(to, t->alloc_change_ms);
	if (!t->paid) {
		if (t->ipaid < t->g->npaid)
			MIN_INTO(to, t->g->paid[t->ipaid].from_ms);
		return to;
	}
	if (t->itold < t->g->ntold) {
		const struct attrib_told *x = &t->g->told[t->itold];
		MIN_INTO(to, x->from_ms > t->now_ms ? x->from_ms : x->to_ms);
	}
	MIN_INTO(to, t->paid->to_ms);
	MIN_INTO(to, tm_floor(t->now_ms, MS_HOUR) + MS_HOUR);
	if (t->have_sample)
		MIN_INTO(to, t->sample.s->t_ms);
	for (size_t i = 0; i < t->stream.n; i++)
		if (line_alive(t, i))
			MIN_INTO(to, t->stream.v[i].end_ms);
	return to;
}

static int run_line(struct timeline *t, int64_t from, int64_t end)
{
	const struct attrib_gpu *g = t->g;
	int r = line_fetch_sample(t);
	t->now_ms = from;
	t->alloc_change_ms = from;
	while (r >= 0 && t->now_ms < end) {
		while (t->ipaid < g->npaid && g->paid[t->ipaid].to_ms <= t->now_ms)
			t->ipaid++;
		while (t->itold < g->ntold && g->told[t->itold].to_ms <= t->now_ms)
			t->itold++;
		if (t->ipaid < g->npaid && g->paid[t->ipaid].from_ms <= t->now_ms)
			t->paid = &g->paid[t->ipaid];
		else
			t->paid = NULL;
		int64_t gpu = t->gpu;
		if (t->paid)
			gpu = SHARE_ONE / 1000 * t->paid->gpus_milli;
		t->stale |= gpu != t->gpu;
		t->gpu = gpu;
		if ((r = step_allocs(t)) < 0 || (r = line_take_samples(t)) < 0)
			break;
		if (t->stale)
			refresh(t);
		int64_t to = span_end(t, end);
		if (t->paid)
			r = line_book(t, to);
		else if (t->active.n && t->any_recorded)
			t->rest->unpaid_alloc_ms += rest_counted(t->rest, t->now_ms, to);
		if (r >= 0 && t->paid && to == t->paid->to_ms)
			line_keep_amount(t);
		t->now_ms = to;
		if (r >= 0 && t->open && to >= t->hour.hour_ms + MS_HOUR)
			r = line_finish_hour(t);
	}
	return r;
}

static int check_gpu(const struct attrib_gpu *g, struct err *err)
{
	for (size_t i = 0; i < g->npaid; i++)
		if (g->paid[i].gpus_milli <= 0 || g->paid[i].gpus_milli > 1000)
			return err_set(err, -EINVAL, "a GPU cannot be %lld/1000 of a GPU",
				       (long long)g->paid[i].gpus_milli);
	for (size_t i = 1; i < g->nalloc; i++)
		if (g->alloc[i].from_ms < g->alloc[i - 1].from_ms)
			return err_set(err, -EINVAL,
				       "allocations of a GPU are not in the order of their start");
	if (g->nalloc >= INT32_MAX)
		return err_set(err, -E2BIG, "too many allocations of one GPU");
	return 0;
}

int attrib_gpu(const struct attrib_conf *conf, const struct attrib_gpu *g, attrib_next_fn *next,
	       void *next_ctx, attrib_emit_fn *emit, void *emit_ctx, struct attrib_rest *ret_rest,
	       struct err *err)
{
	struct timeline t = { .conf = conf,
			      .g = g,
			      .rest = ret_rest,
			      .err = err,
			      .next = next,
			      .next_ctx = next_ctx,
			      .gpu = SHARE_ONE,
			      .last_t_ms = INT64_MIN };
	int r = closer_init(&t.close, g->paid, g->npaid, emit, emit_ctx, ret_rest, err);
	if (r >= 0)
		r = check_gpu(g, err);
	if (r >= 0 && g->npaid) {
		int64_t from = g->paid[0].from_ms, end = g->paid[g->npaid - 1].to_ms;
		t.hold = xcalloc(g->nalloc + 1, sizeof *t.hold);
		*vec_push(&t.stream) = (struct stream){ .end_ms = INT64_MIN,
							.owner = ATTRIB_NOBODY };
		for (size_t i = 0; i < g->npaid; i++)
			t.any_recorded |= g->paid[i].recorded;
		for (size_t i = 0; i < g->nalloc && t.any_recorded; i++) {
			MIN_INTO(from, g->alloc[i].from_ms);
			end = max_i64(g->alloc[i].to_ms, end);
		}
		r = run_line(&t, from, end);
		if (r >= 0)
			r = line_finish_hour(&t);
		for (size_t i = 0; i < t.active.n && r >= 0; i++)
			r = line_end_run(&t, t.active.v[i], true);
		assert(r < 0 || t.wait_head == t.wait.n);
		if (r >= 0)
			closer_rest(&t.close, ret_rest);
	}
	for (size_t i = 0; i < t.stream.n; i++)
		free(t.stream.v[i].text);
	for (size_t i = t.wait_head; i < t.wait.n; i++)
		vec_free(&t.wait.v[i].slot);
	for (size_t i = 0; i < t.spare.n; i++)
		vec_free(&t.spare.v[i].slot);
	if (t.open)
		vec_free(&t.hour.slot);
	vec_free(&t.stream);
	vec_free(&t.wait);
	vec_free(&t.spare);
	vec_free(&t.active);
	intern_free(&t.names);
	free(t.hold);
	free_parts(&t);
	closer_free(&t.close);
	if (r < 0)
		return r;
	return 0;
}
