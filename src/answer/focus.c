#include "answer/focus.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "feed/bill/bill.h"

struct late {
	struct bill_line b;
	struct sv scope;
};
struct focus_walk {
	const struct report_ask *q;
	const struct focus_sink *to;
	int64_t day_to_ms;
	VEC(struct late) late; /* texts in mem */
	struct arena mem;
};

static int take_entry(void *ctx, const struct entry *e, struct err *err)
{
	const struct focus_sink *to = ((struct focus_walk *)ctx)->to;

	(void)err;
	to->entry(to->ctx, e);
	return 0;
}

static int take_line(void *ctx, const struct bill_line *b, struct sv scope, struct err *err)
{
	struct focus_walk *x = ctx;

	if (bill_is_credit(b)) /* of no time that jobs could have held */
		scope = SV("");
	if (b->to_ms <= x->day_to_ms || !scope.n)
		return x->to->line(x->to->ctx, b, scope, err);
	*vec_push(&x->late) = (struct late){ bill_line_copy(&x->mem, b),
					     { arena_strn(&x->mem, scope.p, scope.n), scope.n } };
	return 0;
}

static int cmp_late(const void *pa, const void *pb)
{
	const struct bill_line *a = &((const struct late *)pa)->b,
			       *b = &((const struct late *)pb)->b;

	if (a->from_ms != b->from_ms)
		return cmp_i64(a->from_ms, b->from_ms);
	return cmp_i64(a->to_ms, b->to_ms);
}

int answer_focus(const struct report_ask *q, const struct focus_sink *to, struct err *err)
{
	struct focus_walk x = { .q = q, .to = to };
	bool empty = q->since_ms == UNKNOWN_MS;
	int r = 0;

	for (int64_t t = q->since_ms, next; !empty && t < q->until_ms && r == 0; t = next) {
		next = tm_floor(t, MS_DAY) + MS_DAY;
		next = min_i64(next, q->until_ms);
		r = store_entries(q->ask.store, t, next, take_entry, &x, err);
		x.day_to_ms = next;
		if (r >= 0)
			r = store_bill_lines(q->ask.store, t, next, take_line, &x, err);
		if (r >= 0)
			r = to->unbilled(to->ctx, err);
		to->clear(to->ctx);
	}
	if (r >= 0) {
		r = 0;

		if (x.late.n)
			sort_items(x.late.v, x.late.n, sizeof *x.late.v, cmp_late);
		for (size_t i = 0; i < x.late.n && r == 0; i++) {
			const struct late *t = &x.late.v[i];
			if (!i || cmp_late(&x.late.v[i - 1], t)) {
				x.to->clear(x.to->ctx);
				r = store_entries(x.q->ask.store, tm_floor(t->b.from_ms, MS_HOUR),
						  t->b.to_ms, take_entry, &x, err);
			}
			if (r >= 0)
				r = x.to->line(x.to->ctx, &t->b, t->scope, err);
		}
	}
	vec_free(&x.late);
	arena_free(&x.mem);
	return r;
}
