/* Jobs and bill lines of scopes whose days lie near each other are read together. */
#include "base/num.h"
#include "base/tm.h"
#include "book/in.h"

#define AHEAD_ROWS 50000 /* jobs and bill lines, about 700 bytes each */
/* Both are loaded so far beyond the days that are posted (load_jobs() in post_window.c), and days
 * are whole. */
#define AHEAD_REACH_MS (6 * MS_DAY)
/* Scopes whose days lie together: what is read for one and of no use to the others stays little. */
#define ALIKE_MS (16 * MS_DAY)

static struct span join_spans(const struct span *a, const struct span *b)
{
	return (struct span){ min_i64(a->from_ms, b->from_ms), max_i64(a->to_ms, b->to_ms) };
}

static bool is_empty(const struct span *s)
{
	return s->from_ms >= s->to_ms;
}

int together_open(struct book *b, struct together *p, struct err *err)
{
	struct span all = { INT64_MAX, INT64_MIN };
	struct scope_count *jobs, *lines;
	struct intern scope = { 0 };
	size_t njobs = 0, nlines = 0, busy = 0;
	int rc = 0;

	p->next = 0;
	p->rows = arena_zalloc(&b->mem, (p->n + 1) * sizeof *p->rows);
	for (size_t i = 0; i < p->n; i++)
		if (!is_empty(&p->span[i])) {
			all = join_spans(&all, &p->span[i]);
			busy++;
		}
	const struct span reach = { all.from_ms - AHEAD_REACH_MS, all.to_ms + AHEAD_REACH_MS };
	if (busy > 1)
		rc = store_allocation_counts(b->store, reach, &b->mem, &jobs, &njobs, err);
	if (busy > 1 && !rc)
		rc = store_bill_counts(b->store, reach, &b->mem, &lines, &nlines, err);
	int64_t *rows = arena_zalloc(&b->mem, (njobs + nlines + 1) * sizeof *rows);
	for (size_t i = 0; i < njobs && !rc; i++)
		rows[intern_add(&scope, jobs[i].scope)] += jobs[i].n;
	for (size_t i = 0; i < nlines && !rc; i++)
		rows[intern_add(&scope, lines[i].scope)] += lines[i].n;
	for (size_t i = 0; i < p->n && !rc; i++) {
		int64_t at = intern_find(&scope, p->scope[i]);
		p->rows[i] = at < 0 ? 0 : rows[at];
	}
	intern_free(&scope);
	return rc;
}

int together_at(struct book *b, struct together *p, size_t i, struct err *err)
{
	const char **key;
	struct span all = p->span[i], least = p->span[i];
	int64_t rows = p->rows[i];
	size_t n = 0;

	if (i < p->next || is_empty(&p->span[i]))
		return 0;
	key = arena_alloc(&b->mem, (p->n - i) * sizeof *key);
	key[n++] = p->scope[i].p;
	for (p->next = i + 1; p->next < p->n; p->next++) {
		const struct span *s = &p->span[p->next];
		struct span with = join_spans(&all, s);
		if (is_empty(s))
			continue;
		if (s->to_ms - s->from_ms < least.to_ms - least.from_ms)
			least = *s;
		bool alike = with.to_ms - with.from_ms <=
			     2 * (least.to_ms - least.from_ms) + ALIKE_MS;
		if (rows + p->rows[p->next] > AHEAD_ROWS || !alike)
			break;
		rows += p->rows[p->next];
		all = with;
		key[n++] = p->scope[p->next].p;
	}
	if (n == 1 || !rows)
		n = 0;
	const struct scopes_span of = { .scope = key,
					.n = n,
					.time = { all.from_ms - AHEAD_REACH_MS,
						  all.to_ms + AHEAD_REACH_MS } };
	return store_read_ahead(b->store, &of, err);
}
