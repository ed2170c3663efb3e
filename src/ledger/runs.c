/* Retries and sweeps are one run: a disjoint-set forest over allocations, joined by job id, by
 * failure and restart, and by name. */
#include <stdlib.h>

#include "base/tm.h"
#include "ledger/infer.h"
#include "ledger/owner.h"

#define RETRY_WITHIN_MS MS_DAY
/* Trials of a sweep begin at most this long after all before them ended. */
#define SWEEP_GAP_MS MS_HOUR

struct runs {
	const struct allocation *a;
	size_t n;
	size_t *parent;
	size_t *order;
	struct sv *key; /* [n] name with digits as '#', {NULL,0} if it has none */
	int *attempt;
};

static size_t find(struct runs *r, size_t i)
{
	while (r->parent[i] != i)
		i = r->parent[i] = r->parent[r->parent[i]];
	return i;
}

/* The earlier begun of the two leads, so that a run is named by its first job. */
static int first_of(const struct runs *r, size_t x, size_t y)
{
	const struct allocation *a = &r->a[x], *b = &r->a[y];
	if (a->start_ms != b->start_ms)
		return a->start_ms == UNKNOWN_MS   ? 1
		       : b->start_ms == UNKNOWN_MS ? -1
		       : a->start_ms < b->start_ms ? -1
						   : 1;
	int d = sv_cmp(a->job_id, b->job_id);
	return d ? d : x < y ? -1 : x > y;
}

static void join(struct runs *r, size_t x, size_t y)
{
	x = find(r, x);
	y = find(r, y);
	if (first_of(r, x, y) <= 0)
		r->parent[y] = x;
	else
		r->parent[x] = y;
}

/* Array elements and steps count as their job: "12_7" and "12.batch" are 12. */
static struct sv base_id(struct sv id)
{
	size_t n = array_base(id);
	if (n)
		return (struct sv){ id.p, n };
	for (n = 0; n < id.n && id.p[n] >= '0' && id.p[n] <= '9'; n++)
		;
	if (n && n < id.n && id.p[n] == '.')
		return (struct sv){ id.p, n };
	return id;
}

static int by_job(const void *pa, const void *pb, void *ctx)
{
	const struct runs *r = ctx;
	size_t x = *(const size_t *)pa, y = *(const size_t *)pb;
	int d = sv_cmp(base_id(r->a[x].job_id), base_id(r->a[y].job_id));
	if (!d)
		d = sv_cmp(r->a[x].cluster, r->a[y].cluster);
	if (!d)
		d = sv_cmp(r->a[x].job_id, r->a[y].job_id);
	return d ? d : first_of(r, x, y);
}

static int by_name(const void *pa, const void *pb, void *ctx)
{
	const struct runs *r = ctx;
	size_t x = *(const size_t *)pa, y = *(const size_t *)pb;
	int d = sv_cmp(r->a[x].user, r->a[y].user);
	if (!d)
		d = sv_cmp(r->a[x].name, r->a[y].name);
	return d ? d : first_of(r, x, y);
}

static int by_pattern(const void *pa, const void *pb, void *ctx)
{
	const struct runs *r = ctx;
	size_t x = *(const size_t *)pa, y = *(const size_t *)pb;
	int d = sv_cmp(r->a[x].user, r->a[y].user);
	if (!d)
		d = sv_cmp(r->key[x], r->key[y]);
	return d ? d : first_of(r, x, y);
}

static bool has_failed(struct sv state)
{
	static const char *const word[] = { "FAIL",    "CANCEL",    "TIMEOUT", "NODE_FAIL",
					    "PREEMPT", "OUT_OF_ME", "OOM",     "BOOT_FAIL",
					    "EVICT",   "KILL",      "ERROR",   "DEADLINE",
					    "LOST",    "REQUEUE" };
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		if (sv_ihas(state, sv_of(word[i])))
			return true;
	return false;
}

static void sort(struct runs *r, int (*cmp)(const void *, const void *, void *))
{
	for (size_t i = 0; i < r->n; i++)
		r->order[i] = i;
	qsort_r(r->order, r->n, sizeof *r->order, cmp, r);
}

/* Same job: one run. A later stretch of the same element is a further attempt, one beside it
 * (another node) is not. */
static void join_jobs(struct runs *r)
{
	sort(r, by_job);
	for (size_t i = 1; i < r->n; i++) {
		size_t x = r->order[i - 1], y = r->order[i];
		const struct allocation *a = &r->a[x], *b = &r->a[y];
		if (!b->job_id.n || !sv_eq(base_id(a->job_id), base_id(b->job_id)) ||
		    !sv_eq(a->cluster, b->cluster))
			continue;
		join(r, x, y);
		if (!sv_eq(a->job_id, b->job_id) || b->attempt > 0)
			continue;
		bool later = a->end_ms != UNKNOWN_MS && b->start_ms != UNKNOWN_MS &&
			     b->start_ms >= a->end_ms;
		r->attempt[y] = r->attempt[x] + later;
	}
}

/* Same user and name, begun within a day after one that failed. */
static void join_retries(struct runs *r)
{
	size_t failed = SIZE_MAX;
	sort(r, by_name);
	for (size_t i = 0; i < r->n; i++) {
		size_t y = r->order[i];
		const struct allocation *b = &r->a[y],
					*f = failed == SIZE_MAX ? NULL : &r->a[failed];
		if (f && (!sv_eq(f->user, b->user) || !sv_eq(f->name, b->name)))
			failed = SIZE_MAX, f = NULL;
		if (f && b->name.n && b->start_ms != UNKNOWN_MS && b->start_ms >= f->end_ms &&
		    b->start_ms - f->end_ms <= RETRY_WITHIN_MS && !sv_eq(f->job_id, b->job_id)) {
			join(r, failed, y);
			if (r->attempt[y] <= r->attempt[failed])
				r->attempt[y] = r->attempt[failed] + 1;
		}
		if (has_failed(b->state) && b->end_ms != UNKNOWN_MS)
			failed = y;
	}
}

static void join_sweeps(struct runs *r)
{
	int64_t last_end = INT64_MIN;
	sort(r, by_pattern);
	for (size_t i = 0; i < r->n; i++) {
		size_t y = r->order[i], x = i ? r->order[i - 1] : y;
		const struct allocation *a = &r->a[x], *b = &r->a[y];
		if (!r->key[y].n || !b->user.n || b->start_ms == UNKNOWN_MS)
			continue;
		bool same = i && sv_eq(a->user, b->user) && sv_eq(r->key[x], r->key[y]);
		if (same && last_end != INT64_MIN && b->start_ms <= last_end + SWEEP_GAP_MS)
			join(r, x, y);
		int64_t end = b->end_ms == UNKNOWN_MS ? b->start_ms : b->end_ms;
		last_end = !same || end > last_end ? end : last_end;
	}
}

/* "lr0.01-seed7" and "lr0.3-seed12" are "lr#-seed#". Names without a digit are no sweep. */
static struct sv pattern_of(struct arena *mem, struct sv name)
{
	char *p = arena_strn(mem, name.p ? name.p : "", name.n);
	size_t n = 0;
	bool any = false;
	for (size_t i = 0; i < name.n; i++) {
		bool digit = name.p[i] >= '0' && name.p[i] <= '9';
		bool inside = n && p[n - 1] == '#' &&
			      (digit || (name.p[i] == '.' && i + 1 < name.n &&
					 name.p[i + 1] >= '0' && name.p[i + 1] <= '9'));
		any |= digit;
		if (!inside)
			p[n++] = digit ? '#' : name.p[i];
	}
	p[n] = 0;
	return any ? (struct sv){ p, n } : SV_NULL;
}

static const char *name_of_run(struct arena *mem, const struct allocation *first)
{
	return arena_sv(mem, first->job_id.n ? base_id(first->job_id) : first->name);
}

void runs_group(const struct allocation *a, size_t n, struct arena *mem, const char **ret_run,
		int *ret_attempt)
{
	if (!n)
		return;
	struct runs r = { .a = a,
			  .n = n,
			  .parent = xcalloc(n, sizeof *r.parent),
			  .order = xcalloc(n, sizeof *r.order),
			  .key = xcalloc(n, sizeof *r.key),
			  .attempt = ret_attempt };
	for (size_t i = 0; i < n; i++) {
		r.parent[i] = i;
		r.key[i] = pattern_of(mem, a[i].name);
		ret_attempt[i] = a[i].attempt;
		ret_run[i] = NULL;
	}
	join_jobs(&r);
	join_retries(&r);
	join_sweeps(&r);
	for (size_t i = 0; i < n; i++) {
		size_t f = find(&r, i);
		if (!ret_run[f])
			ret_run[f] = name_of_run(mem, &a[f]);
		ret_run[i] = ret_run[f];
	}
	free(r.parent);
	free(r.order);
	free(r.key);
}
