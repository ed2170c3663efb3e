/*
 * Which days of a scope are loaded, computed and written (docs/design/0040-windows.md).
 *
 *   touched   what the facts of the batch speak of, in whole days
 *   written   grown by the jobs and bill lines that touch it: entries of a job hang on all of its
 *             time (what it waited for, whether it came to something), those of a line on all of
 *             its period. Nothing outside can change. A reading speaks until the next of its
 *             series: where one reaches over the touched days, new ones within it may end it.
 *   computed  grown once more, by the jobs that touch what is written: each of these is seen from
 *             its beginning to its end. Of the days beyond those that are written nothing is kept.
 *   loaded    jobs alone, grown as long as one reaches over the edge or is near it: which attempts
 *             are one run, and which GPUs those hold that name none, hangs on the jobs beside them.
 *
 * Jobs that overlap like the scales of a fish reach back as far as there is history. They are read
 * so far; readings and bill lines, which are a hundred times as many, are not. Rounding has no
 * memory where whole GPUs are recorded (attrib_hour.c); elsewhere all three are as wide as what is
 * loaded.
 */
#include <string.h>

#include "base/num.h"
#include "base/tm.h"
#include "book/post/post.h"
#include "ledger/infer.h"
#include "ledger/share.h"

/* Whole days, or whole months. */
void post_set_window(struct post *p, int64_t from_ms, int64_t to_ms)
{
	p->from_ms = tm_floor(from_ms, MS_DAY);
	p->to_ms = tm_floor(to_ms + MS_DAY - 1, MS_DAY);
	if (p->by_month) {
		p->from_ms = tm_month_start(p->from_ms, 0);
		p->to_ms = tm_month_start(p->to_ms - 1, 1);
	}
}

static bool widen_window(struct post *p, int64_t from_ms, int64_t to_ms)
{
	if (from_ms >= p->from_ms && to_ms <= p->to_ms)
		return false;
	post_set_window(p, min_i64(from_ms, p->from_ms), max_i64(to_ms, p->to_ms));
	return true;
}

/* The same for days that are no months. */
static bool widen_span(struct span *s, int64_t from_ms, int64_t to_ms)
{
	if (from_ms >= s->from_ms && to_ms <= s->to_ms)
		return false;
	s->from_ms = min_i64(tm_floor(from_ms, MS_DAY), s->from_ms);
	s->to_ms = max_i64(tm_floor(to_ms + MS_DAY - 1, MS_DAY), s->to_ms);
	return true;
}

/* ---- jobs -------------------------------------------------------------------------------- */

/* As the store has it: ends and starts are half open. */
static bool job_touches(const struct allocation *a, int64_t from_ms, int64_t to_ms)
{
	bool over = a->end_ms != UNKNOWN_MS && a->end_ms <= from_ms && a->start_ms < from_ms;

	return a->start_ms != UNKNOWN_MS && a->start_ms < to_ms && !over;
}

/* The window over the jobs that were read, as long as it grows. Attempts of a run lie within a day
 * of each other: a chain goes on where one is as near as that. */
static void close_window(struct post *p, const struct allocation *a, size_t n)
{
	for (bool grew = true; grew;) {
		grew = false;
		for (size_t i = 0; i < n; i++)
			if (job_touches(&a[i], p->from_ms - MS_DAY, p->to_ms + MS_DAY))
				grew |= widen_window(p, a[i].start_ms, hold_running_end(p, &a[i]));
	}
}

/* The jobs that touch the window; it grows until each lies in it whole. They are read in steps that
 * grow too, as a chain of jobs may go back to the beginning. */
static int load_jobs(struct post *p, struct err *err)
{
	const int64_t most = INT64_MAX / 4;
	int64_t reach = 4 * MS_DAY;
	int rc = 0;

	for (bool all = false; !all && !rc; reach = min_i64(reach * 4, most)) {
		struct scope_span of = { p->key, p->from_ms - reach, p->to_ms + reach };
		rc = store_allocations(p->book->store, &of, &p->mem, &p->alloc, &p->nalloc, err);
		if (rc)
			return rc;
		close_window(p, p->alloc, p->nalloc);
		all = p->from_ms - MS_DAY >= of.from_ms && p->to_ms + MS_DAY <= of.to_ms;
	}
	share_part_models(p->alloc, p->nalloc);
	size_t keep = 0;
	for (size_t i = 0; i < p->nalloc; i++)
		if (job_touches(&p->alloc[i], p->from_ms, p->to_ms))
			p->alloc[keep++] = p->alloc[i];
	p->nalloc = keep;
	return rc;
}

/* ---- bill lines, where all that is loaded is computed ------------------------------------- */

/* The bill lines of a pool stand under the names of its nodes. */
static int widen_by_pooled(struct post *p, bool *grew, struct err *err)
{
	struct book *b = p->book;
	struct arena mem = { 0 };
	int rc = 0;

	for (size_t i = 0; i < b->pooling.node.n && !rc; i++) {
		struct bill_line *line;
		size_t n = 0;
		if (!sv_is(b->pooling.pool.text[b->pooling.of.v[i]], p->key))
			continue;
		struct scope node = scope_node(b->pooling.node.text[i]);
		struct scope_span of = { scope_key_in(&node, &mem), p->from_ms, p->to_ms };
		if (!traits_of(b->traits, sv_of(of.scope))->billed) /* asking costs 10 ms */
			continue;
		rc = sets_lines(b, &of, &mem, &line, &n, err);
		for (size_t k = 0; k < n && !rc; k++)
			*grew |= widen_window(p, line[k].from_ms, line[k].to_ms);
	}
	arena_free(&mem);
	return rc;
}

static int load_wide(struct post *p, struct err *err)
{
	int rc = 0;

	for (bool grew = true; grew && !rc;) {
		grew = false;
		rc = load_jobs(p, err);
		struct scope_span of = { p->key, p->from_ms, p->to_ms };
		if (!rc)
			rc = sets_lines(p->book, &of, &p->mem, &p->line, &p->nline, err);
		if (!rc && p->scope.kind == SCOPE_POOL)
			rc = widen_by_pooled(p, &grew, err);
		for (size_t k = 0; !rc && k < p->nline; k++)
			grew |= widen_window(p, p->line[k].from_ms, p->line[k].to_ms);
	}
	p->written = p->computed = (struct span){ p->from_ms, p->to_ms };
	return rc;
}

/* ---- bill lines of the days that are computed --------------------------------------------- */

/* Records pay for whole GPUs of this node, and what its time is does not hang on other scopes. Of
 * jobs that were taken out nothing tells what they held together. */
static bool may_be_narrow(const struct post *p)
{
	if (p->touched_by & DIRTY_TAKEN_OUT)
		return false;
	if (p->scope.kind != SCOPE_NODE || !p->trait->recorded || p->by_month)
		return false;
	if (!p->nnode || pooling_of(&p->book->pooling, p->scope.name).n)
		return false;
	for (size_t i = 0; i < p->nnode; i++)
		if (p->node[i].gpu_milli <= 0 || p->node[i].gpu_milli % 1000)
			return false;
	return true;
}

static void grow_by_jobs(const struct post *p, const struct span *touch, struct span *ret)
{
	for (size_t i = 0; i < p->nalloc; i++)
		if (job_touches(&p->alloc[i], touch->from_ms, touch->to_ms))
			widen_span(ret, p->alloc[i].start_ms, hold_running_end(p, &p->alloc[i]));
}

static void grow_by_lines(const struct post *p, struct span *ret)
{
	for (bool grew = true; grew;) {
		grew = false;
		for (size_t i = 0; i < p->nline; i++)
			if (p->line[i].from_ms < ret->to_ms && p->line[i].to_ms > ret->from_ms)
				grew |= widen_span(ret, p->line[i].from_ms, p->line[i].to_ms);
	}
}

/* The run of each job, by itself or without those that touch a time. */
static void name_runs(struct post *p, const struct span *without, const char **ret)
{
	struct allocation *a = arena_alloc(&p->mem, (p->nalloc + 1) * sizeof *a);
	const char **run = arena_zalloc(&p->mem, (p->nalloc + 1) * sizeof *run);
	int *attempt = arena_alloc(&p->mem, (p->nalloc + 1) * sizeof *attempt);
	size_t n = 0;

	for (size_t i = 0; i < p->nalloc; i++)
		if (!without || !job_touches(&p->alloc[i], without->from_ms, without->to_ms))
			a[n++] = p->alloc[i];
	runs_group(a, n, &p->mem, run, attempt);
	n = 0;
	for (size_t i = 0; i < p->nalloc; i++)
		if (!without || !job_touches(&p->alloc[i], without->from_ms, without->to_ms))
			ret[i] = run[n++];
}

/* A job may join two earlier ones that were runs of their own: then all of them have the name of
 * the first, and the entries of the second are written too. */
static void grow_by_runs(struct post *p, const struct span *touched, struct span *ret)
{
	const char **with = arena_zalloc(&p->mem, (p->nalloc + 1) * sizeof *with),
		   **without = arena_zalloc(&p->mem, (p->nalloc + 1) * sizeof *without);

	if (!(p->touched_by & DIRTY_JOBS))
		return;
	name_runs(p, NULL, with);
	name_runs(p, touched, without);
	for (size_t i = 0; i < p->nalloc; i++) {
		const struct allocation *a = &p->alloc[i];
		if (without[i] && with[i] && strcmp(without[i], with[i]) != 0)
			widen_span(ret, a->start_ms, hold_running_end(p, a));
	}
}

/* Jobs that were told, and later ones: these may have been attempts of what is told otherwise
 * now. */
static bool jobs_follow(const struct post *p, const struct span *touched)
{
	for (size_t i = 0; i < p->nalloc && p->touched_by & DIRTY_JOBS; i++)
		if (p->alloc[i].start_ms != UNKNOWN_MS && p->alloc[i].start_ms >= touched->to_ms)
			return true;
	return false;
}

/* A reading that names a job binds it to a GPU, and those beside it that name none to others. */
static bool readings_bind(const struct post *p)
{
	for (size_t i = 0; i < p->nalloc && p->touched_by & DIRTY_READS_JOB; i++)
		if (!p->alloc[i].gpu_ids.n)
			return true;
	return false;
}

/* Once a list tells a job, its readings claim nothing outside of it any more: not on other days
 * either. Returns whether they reach over ret. */
static bool grow_by_readings(const struct post *p, const struct span *touched, struct span *ret)
{
	bool grew = false;

	for (size_t i = 0; i < p->nalloc && p->touched_by & DIRTY_JOBS; i++) {
		const struct allocation *a = &p->alloc[i];
		if (!job_touches(a, touched->from_ms, touched->to_ms))
			continue;
		struct sv pod = job_pod(a->job_id, a->namespace_);
		for (size_t k = 0; k < p->nseries; k++)
			if (sv_eq(p->series[k].key.job_id, a->job_id) ||
			    (pod.n && sv_eq(p->series[k].key.job_id, pod)))
				grew |= widen_span(ret, p->series[k].from_ms, p->series[k].to_ms);
	}
	return grew;
}

static bool has_one_gpu(const struct post *p)
{
	for (size_t i = 0; i < p->nnode; i++)
		if (p->node[i].gpu_milli > 1000)
			return false;
	for (size_t i = 0; i < p->nline; i++)
		if (p->line[i].gpu_milli > 1000)
			return false;
	for (size_t i = 1; i < p->nseries; i++)
		if (!sv_eq(p->series[i].key.gpu, p->series[0].key.gpu))
			return false;
	return p->trait->ngpu <= 1;
}

/* A job that does not say which GPUs it holds; beside readings they are chosen (choice.h). */
static bool chooses_gpus(const struct allocation *a)
{
	return a->start_ms != UNKNOWN_MS && !a->gpu_ids.n;
}

/*
 * What is read or recorded of a job changes which GPUs it takes, and what those that begin before
 * it leave for it; whatever begins later than these takes others, and others are in doubt that
 * could change places with one of them, next to them or once removed.
 */
static void grow_by_choice(const struct post *p, struct span *ret)
{
	bool any = false;

	for (size_t i = 0; i < p->nalloc && !any; i++)
		any = chooses_gpus(&p->alloc[i]) &&
		      job_touches(&p->alloc[i], ret->from_ms, ret->to_ms);
	if (!any || !p->nseries || has_one_gpu(p))
		return;
	struct span now = *ret;
	grow_by_jobs(p, &now, ret);
	for (size_t i = 0; i < p->nalloc; i++) {
		const struct allocation *a = &p->alloc[i];
		if (chooses_gpus(a) && a->start_ms >= ret->from_ms)
			widen_span(ret, a->start_ms, hold_running_end(p, a));
	}
	for (int removed = 0; removed < 2; removed++) {
		now = *ret;
		grow_by_jobs(p, &now, ret);
	}
}

static void find_spans(struct post *p, const struct span *touched)
{
	p->written = *touched;
	grow_by_jobs(p, touched, &p->written);
	grow_by_choice(p, &p->written);
	grow_by_readings(p, touched, &p->written);
	grow_by_runs(p, touched, &p->written);
	grow_by_lines(p, &p->written);
	p->computed = p->written;
	grow_by_jobs(p, &p->written, &p->computed);
	grow_by_lines(p, &p->computed);
}

/* What the record does not say of the machine, its first bill line does: whichever days are looked
 * at. */
static bool lines_may_tell(const struct post *p)
{
	bool tell = p->nline > 0;

	for (size_t i = 0; i < p->nnode && !tell; i++) {
		const struct node *n = &p->node[i];
		tell = n->provider.n && n->region.n && n->zone.n && n->gpu_model.n &&
		       n->instance_type.n;
	}
	return tell || !p->trait->billed;
}

static int load_narrow(struct post *p, const struct span *touched, struct err *err)
{
	struct span read = { 0 };
	int rc = load_jobs(p, err);

	p->nline = 0;
	if (!rc)
		find_spans(p, touched);
	while (!rc && (p->computed.from_ms < read.from_ms || p->computed.to_ms > read.to_ms ||
		       read.from_ms == read.to_ms)) {
		read = p->computed;
		rc = sets_lines(p->book, &(struct scope_span){ p->key, read.from_ms, read.to_ms },
				&p->mem, &p->line, &p->nline, err);
		if (!rc && widen_window(p, p->computed.from_ms, p->computed.to_ms))
			rc = load_jobs(p, err);
		if (!rc)
			find_spans(p, touched);
	}
	return rc;
}

/* ---- all of it --------------------------------------------------------------------------- */

/* From when to when readings are that reach over t; t to t where none does. */
static int readings_over(const struct post *p, int64_t t, struct span *ret, struct err *err)
{
	struct sample_cursor *c;
	struct sample s;
	size_t i;

	*ret = (struct span){ t, t };
	if (!p->nseries)
		return 0;
	int rc = store_samples(p->book->store, p->series, p->nseries, (struct span){ t, t + 1 }, &c,
			       err);
	if (rc < 0)
		return rc;
	while ((rc = sample_cursor_next(c, &i, &s, err)) > 0) {
		ret->from_ms = min_i64(s.t_ms, ret->from_ms);
		ret->to_ms = max_i64(s.t_ms + s.step_ms, ret->to_ms);
	}
	sample_cursor_close(c);
	return rc;
}

/*
 * A reading says nothing of time after the owner under which it began. So who held when one began
 * that reaches into the window is loaded too, though that ended before it. Which GPU it held hangs
 * on the jobs beside it where none is named: then the window grows over it.
 */
static int load_before(struct post *p, bool *ret_grew, struct err *err)
{
	int64_t start = p->from_ms;
	struct span over;
	int rc = readings_over(p, start, &over, err);

	*ret_grew = false;
	if (rc || over.from_ms == start)
		return rc;
	rc = store_allocations(p->book->store,
			       &(struct scope_span){ p->key, over.from_ms, p->to_ms }, &p->mem,
			       &p->alloc, &p->nalloc, err);
	for (size_t i = 0; i < p->nalloc && !rc; i++) {
		const struct allocation *a = &p->alloc[i];
		bool before = a->start_ms != UNKNOWN_MS && hold_running_end(p, a) <= start;
		if (before && !a->gpu_ids.n && !has_one_gpu(p))
			*ret_grew |= widen_window(p, a->start_ms, start);
	}
	return rc;
}

/* The series of GPUs without a machine whose time this scope has. */
static void take_loose(struct post *p)
{
	const struct book *b = p->book;
	struct series *all = arena_alloc(&p->mem, (p->nseries + b->nloose + 1) * sizeof *all);
	size_t n = p->nseries;

	if (n)
		memcpy(all, p->series, n * sizeof *all);
	for (size_t k = 0; k < b->nloose; k++)
		if (sv_is(traits_home(b->traits, b->loose[k].key.gpu), p->key))
			all[n++] = b->loose[k];
	p->nloose = n - p->nseries;
	p->series = all;
	p->nseries = n;
}

int post_load(struct post *p, struct err *err)
{
	struct store *s = p->book->store;
	struct span over;
	int rc = 0;

	/* what is known of it whatever the window */
	if (p->scope.kind == SCOPE_NODE) {
		const char *name = arena_sv(&p->mem, p->scope.name);
		rc = store_nodes(s, name, &p->mem, &p->node, &p->nnode, err);
		if (!rc)
			rc = store_series(s, name, &p->mem, &p->series, &p->nseries, err);
	}
	if (p->scope.kind == SCOPE_GPU) {
		/* the series without a node whose GPU this is */
		const struct book *b = p->book;
		p->series = arena_alloc(&p->mem, (b->nloose + 1) * sizeof *p->series);
		for (size_t k = 0; k < b->nloose; k++)
			if (sv_eq(b->loose[k].key.gpu, p->scope.name))
				p->series[p->nseries++] = b->loose[k];
	}
	if (p->scope.kind == SCOPE_POOL) {
		/* those of its machines; by node, as all of them come */
		rc = store_series(s, NULL, &p->mem, &p->series, &p->nseries, err);
		size_t keep = 0;
		for (size_t i = 0; i < p->nseries && !rc; i++)
			if (sv_is(pooling_of(&p->book->pooling, p->series[i].key.node), p->key))
				p->series[keep++] = p->series[i];
		p->nseries = keep;
	}
	if (!rc && (p->scope.kind == SCOPE_NODE || p->scope.kind == SCOPE_POOL))
		take_loose(p);
	bool narrow = may_be_narrow(p);

	/* over the readings that new ones may have ended, whatever they said of the days behind */
	if (!rc && p->touched_by & DIRTY_READINGS) {
		rc = readings_over(p, p->to_ms, &over, err);
		if (!rc)
			widen_window(p, p->from_ms, over.to_ms);
	}
	const struct span touched = { p->from_ms, p->to_ms };

	for (bool grew = true; grew && !rc;) {
		grew = false;
		if (narrow)
			rc = load_narrow(p, &touched, err);
		narrow &= lines_may_tell(p) && !jobs_follow(p, &touched) && !readings_bind(p);
		if (!rc && !narrow)
			rc = load_wide(p, err);
		struct span all = { p->from_ms, p->to_ms };
		if (!rc && !narrow && grow_by_readings(p, &touched, &all))
			grew = widen_window(p, all.from_ms, all.to_ms);
		bool before = false;
		if (!rc && p->nseries && (p->nloose || p->scope.kind != SCOPE_POOL))
			rc = load_before(p, &before, err);
		grew |= before;
	}
	if (rc)
		return rc;
	rc = readings_over(p, p->computed.from_ms, &over, err);
	p->read_from_ms = over.from_ms;
	return rc;
}
