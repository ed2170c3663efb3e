/* Retries and sweeps are one run: a disjoint-set forest over allocations, joined by job id, by
 * failure and restart, and by name. */
#include <stdlib.h>

#include <xxhash.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "ledger/infer.h"
#include "ledger/owner.h"
#include "model/job_end.h"

#define RETRY_WITHIN_MS MS_DAY
/* Trials of a sweep begin at most this long after all before them ended. */
#define SWEEP_GAP_MS MS_HOUR

struct runs {
	const struct allocation *a;
	size_t n;
	size_t *parent;
	size_t *order; /* by first_of() */
	size_t *last;
	struct sv *key; /* [n] name with digits as '#', {NULL,0} if it has none */
	int *attempt;
};

static size_t find_root(struct runs *r, size_t i)
{
	while (r->parent[i] != i)
		i = r->parent[i] = r->parent[r->parent[i]];
	return i;
}

/* The earlier begun of the two leads, so that a run is named by its first job. */
static int first_of(const struct runs *r, size_t x, size_t y)
{
	const struct allocation *a = &r->a[x], *b = &r->a[y];
	if (a->start_ms != b->start_ms) {
		if (a->start_ms == UNKNOWN_MS)
			return 1;
		if (b->start_ms == UNKNOWN_MS)
			return -1;
		if (a->start_ms < b->start_ms)
			return -1;
		return 1;
	}
	int d = sv_cmp(a->job_id, b->job_id);
	if (d)
		return d;
	return cmp_size(x, y);
}

static void join_runs(struct runs *r, size_t x, size_t y)
{
	x = find_root(r, x);
	y = find_root(r, y);
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

static int by_first(const void *pa, const void *pb, void *ctx)
{
	return first_of(ctx, *(const size_t *)pa, *(const size_t *)pb);
}

/* What tells groups apart: two texts. False: in no group. */
typedef bool group_fn(const struct runs *r, size_t i, struct sv ret[2]);

static bool of_job(const struct runs *r, size_t i, struct sv ret[2])
{
	ret[0] = r->a[i].job_id;
	ret[1] = r->a[i].cluster;
	return ret[0].n > 0;
}

static bool of_base(const struct runs *r, size_t i, struct sv ret[2])
{
	ret[0] = base_id(r->a[i].job_id);
	ret[1] = r->a[i].cluster;
	return ret[0].n > 0;
}

static bool of_name(const struct runs *r, size_t i, struct sv ret[2])
{
	ret[0] = r->a[i].user;
	ret[1] = r->a[i].name;
	return ret[1].n > 0;
}

static bool of_pattern(const struct runs *r, size_t i, struct sv ret[2])
{
	ret[0] = r->a[i].user;
	ret[1] = r->key[i];
	return ret[0].n && ret[1].n && r->a[i].start_ms != UNKNOWN_MS;
}

struct seen { /* a group, by the hash of its texts */
	XXH128_hash_t hash;
	size_t latest; /* of it, + 1; 0 = free */
};

/*
 * r->last: who came before of the same group, in the order of first_of(); SIZE_MAX: nobody. What is
 * the same group is found by hash: sorting by texts took a sixth of the time of a list of jobs.
 */
static void find_last(struct runs *r, group_fn *group)
{
	size_t nseen = 64;
	struct str key = { 0 };

	while (nseen < 2 * r->n)
		nseen *= 2;
	struct seen *seen = xcalloc(nseen, sizeof *seen);
	for (size_t k = 0; k < r->n; k++) {
		size_t i = r->order[k];
		struct sv text[2];
		r->last[i] = SIZE_MAX;
		if (!group(r, i, text))
			continue;
		str_clear(&key);
		str_add(&key, (const char *)&text[0].n, sizeof text[0].n);
		str_addsv(&key, text[0]);
		str_addsv(&key, text[1]);
		XXH128_hash_t hash = XXH3_128bits(key.p, key.n);
		size_t at = hash.low64 & (nseen - 1);
		while (seen[at].latest && !XXH128_isEqual(seen[at].hash, hash))
			at = (at + 1) & (nseen - 1);
		if (seen[at].latest)
			r->last[i] = seen[at].latest - 1;
		seen[at] = (struct seen){ hash, i + 1 };
	}
	free(seen);
	str_free(&key);
}

/* Is a job an element or a step of another? */
static bool any_part(const struct runs *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (base_id(r->a[i].job_id).n != r->a[i].job_id.n)
			return true;
	return false;
}

/* Same job: one run. A later interval of the same element is a further attempt, one beside it
 * (another node) is not. */
static void join_jobs(struct runs *r)
{
	find_last(r, of_base);
	for (size_t i = 0; i < r->n; i++)
		if (r->last[i] != SIZE_MAX)
			join_runs(r, r->last[i], i);
	if (any_part(r)) /* else these are the same groups */
		find_last(r, of_job);
	for (size_t k = 0; k < r->n; k++) {
		size_t y = r->order[k], x = r->last[y];
		if (x == SIZE_MAX || r->a[y].attempt > 0)
			continue;
		const struct allocation *a = &r->a[x], *b = &r->a[y];
		bool later = a->end_ms != UNKNOWN_MS && b->start_ms != UNKNOWN_MS &&
			     b->start_ms >= a->end_ms;
		r->attempt[y] = r->attempt[x] + later;
	}
}

/* Same user and name, begun within a day after one that failed: the last that had by then. */
static void join_retries(struct runs *r)
{
	size_t *failed = xcalloc(r->n, sizeof *failed);

	find_last(r, of_name);
	for (size_t k = 0; k < r->n; k++) {
		size_t y = r->order[k], x = r->last[y];
		const struct allocation *b = &r->a[y];
		size_t before = SIZE_MAX;
		const struct allocation *f = NULL;
		if (x != SIZE_MAX)
			before = failed[x];
		if (before != SIZE_MAX)
			f = &r->a[before];
		if (f && b->start_ms != UNKNOWN_MS && b->start_ms >= f->end_ms &&
		    b->start_ms - f->end_ms <= RETRY_WITHIN_MS && !sv_eq(f->job_id, b->job_id)) {
			join_runs(r, before, y);
			if (r->attempt[y] <= r->attempt[before])
				r->attempt[y] = r->attempt[before] + 1;
		}
		if (b->name.n && b->end_ms != UNKNOWN_MS && job_end_of(b->state) > JOB_END_WELL)
			failed[y] = y;
		else
			failed[y] = before;
	}
	free(failed);
}

static void join_sweeps(struct runs *r)
{
	int64_t *end = xcalloc(r->n, sizeof *end); /* of all of the sweep so far */

	find_last(r, of_pattern);
	for (size_t k = 0; k < r->n; k++) {
		size_t y = r->order[k], x = r->last[y];
		const struct allocation *b = &r->a[y];
		end[y] = b->end_ms == UNKNOWN_MS ? b->start_ms : b->end_ms;
		if (x == SIZE_MAX)
			continue;
		if (b->start_ms <= end[x] + SWEEP_GAP_MS)
			join_runs(r, x, y);
		end[y] = max_i64(end[x], end[y]);
	}
	free(end);
}

/* "lr0.01-seed7" and "lr0.3-seed12" are "lr#-seed#". Names without a digit are no sweep. */
static struct sv pattern_of(struct arena *mem, struct sv name)
{
	char *p = arena_strn(mem, text_or(name.p, ""), name.n);
	size_t n = 0;
	bool any = false;
	for (size_t i = 0; i < name.n; i++) {
		bool digit = name.p[i] >= '0' && name.p[i] <= '9';
		bool inside = n && p[n - 1] == '#' &&
			      (digit || (name.p[i] == '.' && i + 1 < name.n &&
					 within_int(name.p[i + 1], '0', '9')));
		any |= digit;
		if (!inside)
			p[n++] = digit ? '#' : name.p[i];
	}
	p[n] = 0;
	if (any)
		return (struct sv){ p, n };
	return SV_NULL;
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
			  .last = xcalloc(n, sizeof *r.last),
			  .key = xcalloc(n, sizeof *r.key),
			  .attempt = ret_attempt };
	for (size_t i = 0; i < n; i++) {
		r.parent[i] = r.order[i] = i;
		r.key[i] = pattern_of(mem, a[i].name);
		ret_attempt[i] = a[i].attempt;
		ret_run[i] = NULL;
	}
	/* Rows mostly come in this order. */
	bool sorted = true;
	for (size_t i = 1; i < r.n && sorted; i++)
		sorted = first_of(&r, i - 1, i) <= 0;
	if (!sorted)
		qsort_r(r.order, r.n, sizeof *r.order, by_first, &r);
	join_jobs(&r);
	join_retries(&r);
	join_sweeps(&r);
	for (size_t i = 0; i < n; i++) {
		size_t f = find_root(&r, i);
		if (!ret_run[f]) {
			struct sv name = a[f].name;
			if (a[f].job_id.n)
				name = base_id(a[f].job_id);
			ret_run[f] = arena_sv(mem, name);
		}
		ret_run[i] = ret_run[f];
	}
	free(r.parent);
	free(r.order);
	free(r.last);
	free(r.key);
}
