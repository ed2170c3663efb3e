/* Allocations and bill lines of several scopes, read together for who asks for one scope after
 * another. */
#include "base/num.h"
#include "base/spans.h"
#include "base/tm.h"
#include "store/inside.h"

struct part { /* of the rows of all scopes */
	size_t first, n;
};

struct ahead {
	struct arena mem;
	struct intern scope;
	const char **name;             /* [scope.n] */
	struct span of_jobs, of_lines; /* when they touch */
	struct scoped_allocation *job; /* by scope */
	struct scoped_line *line;      /* by scope */
	VEC(struct part) jobs, lines;  /* [scope.n] */
	/* of a longer time than that they are too many to be kept at a time */
	bool too_many_jobs, too_many_lines;
};

/* Rows that are kept at a time of more than what is asked for; about 700 bytes each. */
#define ROWS_MAX 100000
/* Rows are read so far beyond what is asked for: jobs and lines that touch its edges, and jobs that
 * touch those, ask for more, and a question is a look at all rows of the store however few it
 * finds. */
#define BACK_MS  (16 * MS_DAY)
#define AHEAD_MS (8 * MS_DAY)

void store_forget_ahead(struct store *s)
{
	struct ahead *h = s->ahead;

	s->ahead = NULL;
	if (!h)
		return;
	intern_free(&h->scope);
	vec_free(&h->jobs);
	vec_free(&h->lines);
	arena_free(&h->mem);
	free(h);
}

static int read_jobs(struct store *s, struct ahead *h, struct span of, struct err *err)
{
	size_t nrow;
	int r = facts_allocations_of(s->facts, &(struct scopes_span){ h->name, h->scope.n, of },
				     &h->mem, &h->job, &nrow, err);

	if (r)
		return r;
	h->of_jobs = of;
	for (size_t i = 0; i < h->jobs.n; i++)
		h->jobs.v[i] = (struct part){ 0 };
	/* Of each scope by itself what the newest file tells, as if it had been asked for alone. */
	int64_t *src = arena_alloc(&h->mem, (nrow + 1) * sizeof *src);
	for (size_t i = 0; i < nrow; i++)
		src[i] = h->job[i].src;
	for (size_t i = 0, to; i < nrow; i = to) {
		for (to = i; to < nrow && sv_eq(h->job[to].scope, h->job[i].scope);)
			to++;
		struct part *p = &h->jobs.v[intern_add(&h->scope, h->job[i].scope)];
		p->first = i;
		p->n = newest_keep(h->job + i, to - i, sizeof *h->job, src + i,
				   store_allocation_key, store_allocation_end);
	}
	return 0;
}

static int read_lines(struct store *s, struct ahead *h, struct span of, struct err *err)
{
	size_t nrow;
	int r = facts_bill_gpu_of(s->facts, &(struct scopes_span){ h->name, h->scope.n, of },
				  &h->mem, &h->line, &nrow, err);

	if (r)
		return r;
	h->of_lines = of;
	for (size_t i = 0; i < h->lines.n; i++)
		h->lines.v[i] = (struct part){ 0 };
	for (size_t i = 0; i < nrow; i++) {
		struct part *p = &h->lines.v[intern_add(&h->scope, h->line[i].scope)];
		if (!p->n)
			p->first = i;
		p->n++;
	}
	return 0;
}

static bool covers_span(const struct span *s, struct span of)
{
	return of.from_ms >= s->from_ms && of.to_ms <= s->to_ms;
}

/* What is read instead of s where it does not hold what is asked for; all time has no edge. */
static struct span widen_span(const struct span *s, struct span asked)
{
	bool read = s->from_ms < s->to_ms;
	struct span ret = read ? *s : asked;

	if (asked.from_ms > INT64_MIN / 2 && (!read || asked.from_ms < s->from_ms))
		ret.from_ms = asked.from_ms - BACK_MS;
	if (asked.to_ms < INT64_MAX / 2 && (!read || asked.to_ms > s->to_ms))
		ret.to_ms = asked.to_ms + AHEAD_MS;
	return ret;
}

static int64_t rows_of_these(const struct ahead *h, const struct scope_count *count, size_t n)
{
	int64_t rows = 0;

	for (size_t i = 0; i < n; i++)
		if (intern_find(&h->scope, count[i].scope) >= 0)
			rows += count[i].n;
	return rows;
}

/* Where one machine's jobs go back further than was foreseen, those of the others do too: they are
 * read again, of the longer time, as far as they are not too many. */
static int widen_jobs(struct store *s, struct ahead *h, struct span asked, struct err *err)
{
	struct span all = widen_span(&h->of_jobs, asked);
	struct arena mem = { 0 };
	struct scope_count *count;
	size_t n;

	if (h->too_many_jobs || covers_span(&h->of_jobs, asked))
		return 0;
	int r = facts_allocation_counts(s->facts, all, &mem, &count, &n, err);
	if (!r)
		h->too_many_jobs = rows_of_these(h, count, n) > ROWS_MAX;
	arena_free(&mem);
	if (r || h->too_many_jobs)
		return r;
	return read_jobs(s, h, all, err);
}

/* The same of their bill lines. */
static int widen_lines(struct store *s, struct ahead *h, struct span asked, struct err *err)
{
	struct span all = widen_span(&h->of_lines, asked);
	struct arena mem = { 0 };
	struct scope_count *count;
	size_t n;

	bool bounded = asked.from_ms > INT64_MIN / 2 && asked.to_ms < INT64_MAX / 2;
	if (!bounded || h->too_many_lines || covers_span(&h->of_lines, asked))
		return 0;
	int r = facts_bill_counts(s->facts, all, &mem, &count, &n, err);
	if (!r)
		h->too_many_lines = rows_of_these(h, count, n) > ROWS_MAX;
	arena_free(&mem);
	if (r || h->too_many_lines)
		return r;
	return read_lines(s, h, all, err);
}

int store_read_ahead(struct store *s, const struct scopes_span *of, struct err *err)
{
	store_forget_ahead(s);
	if (!of->n)
		return 0;
	struct ahead *h = s->ahead = xcalloc(1, sizeof *h);
	for (size_t i = 0; i < of->n; i++)
		intern_add(&h->scope, sv_of(of->scope[i]));
	h->name = arena_alloc(&h->mem, of->n * sizeof *h->name);
	for (size_t i = 0; i < h->scope.n; i++) {
		h->name[i] = intern_z(&h->scope, (uint32_t)i);
		*vec_push(&h->jobs) = *vec_push(&h->lines) = (struct part){ 0 };
	}
	int r = widen_jobs(s, h, of->time, err);
	if (r == 0 && !covers_span(&h->of_jobs, of->time))
		r = read_jobs(s, h, of->time, err);
	if (r == 0)
		r = widen_lines(s, h, of->time, err);
	if (r == 0 && !covers_span(&h->of_lines, of->time))
		r = read_lines(s, h, of->time, err);
	/* the next question may be of a few days more */
	h->too_many_jobs = h->too_many_lines = false;
	if (r)
		store_forget_ahead(s);
	return r;
}

/* Number of a scope that was read ahead, -1: it was not. */
static int64_t scope_id(const struct ahead *h, const char *scope)
{
	if (h)
		return intern_find(&h->scope, sv_of(scope));
	return -1;
}

/* What was read of the scope's jobs or lines, if it is of all the time asked for; else NULL. */
static int find_part(struct store *s, const struct scope_span *of, bool lines,
		     const struct part **ret, struct err *err)
{
	const struct span asked = { of->from_ms, of->to_ms };
	struct ahead *h = s->ahead;
	int64_t id = scope_id(h, of->scope);
	int r;

	if (id < 0)
		return 0;
	r = lines ? widen_lines(s, h, asked, err) : widen_jobs(s, h, asked, err);
	if (!r && covers_span(lines ? &h->of_lines : &h->of_jobs, asked))
		*ret = lines ? &h->lines.v[id] : &h->jobs.v[id];
	return r;
}

int store_ahead_jobs(struct store *s, const struct scope_span *of, struct arena *a,
		     struct allocation **ret, size_t *ret_n, struct err *err)
{
	struct ahead *h = s->ahead;
	const struct part *p = NULL;
	size_t k = 0;
	int r = find_part(s, of, false, &p, err);

	if (r || !p)
		return r;
	*ret = arena_alloc(a, p->n * sizeof **ret + 1);
	for (size_t i = 0; i < p->n; i++) {
		/* those of the time, as facts_allocations() has it */
		const struct allocation *x = &h->job[p->first + i].a;
		bool over = x->end_ms != UNKNOWN_MS && x->end_ms <= of->from_ms;
		if (x->start_ms == UNKNOWN_MS || x->start_ms >= of->to_ms)
			continue;
		if (!over || x->start_ms >= of->from_ms)
			(*ret)[k++] = *x;
	}
	*ret_n = k;
	return 1;
}

int store_ahead_lines(struct store *s, const struct scope_span *of, struct arena *a,
		      struct bill_line **ret, size_t *ret_n, struct err *err)
{
	struct ahead *h = s->ahead;
	const struct part *p = NULL;
	size_t k = 0;
	int r = find_part(s, of, true, &p, err);

	if (r || !p)
		return r;
	*ret = arena_alloc(a, p->n * sizeof **ret + 1);
	for (size_t i = 0; i < p->n; i++) {
		/* those of the time, as facts_bill_gpu() has it */
		const struct bill_line *x = &h->line[p->first + i].line;
		bool within = x->to_ms > of->from_ms || x->from_ms >= of->from_ms;
		if (within && x->from_ms < of->to_ms)
			(*ret)[k++] = *x;
	}
	*ret_n = k;
	return 1;
}
