#include "feed/bill/aws_split.h"

#include "base/num.h"

#define PERIODS_MAX (UINT32_C(4) << 20) /* of machines, and parts of them: some 500 MB */
#define NEARLY      1000000             /* rows that leave less than this part leave nothing */

/* NULL: no room. */
static struct split_period *period_of(struct aws_split *s, struct sv resource, int64_t from_ms,
				      int64_t to_ms, uint32_t *ret)
{
	int64_t k[] = { intern_add(&s->resource, resource), from_ms, to_ms };
	struct sv key = { (const char *)k, sizeof k };

	if (s->key.n >= PERIODS_MAX && intern_find(&s->key, key) < 0)
		return NULL;
	*ret = intern_add(&s->key, key);
	if (*ret == s->period.n)
		*vec_push(&s->period) = (struct split_period){ .first = 0 };
	return &s->period.v[*ret];
}

void aws_split_row(struct aws_split *s, struct sv parent, const struct bill_line *row, dec amount)
{
	uint32_t at;
	struct split_period *p = NULL;

	if (s->part.n < PERIODS_MAX)
		p = period_of(s, parent, row->from_ms, row->to_ms, &at);
	if (!p) {
		s->full++;
		return;
	}
	p->rows++;
	p->told++;
	if (amount <= 0)
		return;
	uint32_t k[] = { at, intern_add(&s->tags, row->tags) },
		 i = intern_add(&s->part_key, (struct sv){ (const char *)k, sizeof k });
	if (i == s->part.n) {
		*vec_push(&s->part) = (struct split_part){ .next = p->first, .tags = k[1] };
		p->first = i + 1;
	}
	s->part.v[i].amount += amount;
	p->split += amount;
}

static uint32_t text_of(struct aws_split *s, const struct bill_line *b,
			const struct bill_evidence *e)
{
	str_clear(&s->buf);
	str_addsv(&s->buf, e->term);
	for (size_t i = 0; i < BILL_LINE_TEXTS; i++) {
		const struct sv *v = (const struct sv *)((const char *)b + bill_line_text_at[i]);
		str_addc(&s->buf, '\x1f');
		str_addsv(&s->buf, *v);
	}
	str_addf(&s->buf, "\x1f%lld", (long long)b->period_from_ms);
	uint32_t id = intern_add(&s->text_key, str_sv(&s->buf));
	if (id < s->text.n)
		return id;
	struct split_text *t = vec_push(&s->text);
	*t = (struct split_text){ .line = bill_line_copy(&s->mem, b) };
	if (e->term.n)
		t->term = (struct sv){ arena_sv(&s->mem, e->term), e->term.n };
	return id;
}

bool aws_split_hold(struct aws_split *s, const struct bill_line *b, const struct bill_evidence *e,
		    dec whole)
{
	uint32_t at;
	struct split_period *p = period_of(s, b->resource_id, b->from_ms, b->to_ms, &at);

	if (!p || s->line.n >= PERIODS_MAX)
		return false;
	p->has_line = true;
	p->whole += max_dec(whole, 0);
	struct split_line *l = vec_push(&s->line);
	*l = (struct split_line){ .period = at,
				  .text = text_of(s, b, e),
				  .from_ms = b->from_ms,
				  .to_ms = b->to_ms,
				  .quantity = b->quantity,
				  .has_quantity = b->has_quantity,
				  .rows = b->rows };
	memcpy(l->cost, b->cost, sizeof l->cost);
	memcpy(l->has_cost, b->has_cost, sizeof l->has_cost);
	return true;
}

/* The tags of a part's rows, over those of its machine. */
static struct sv tags_of(struct aws_split *s, const struct split_part *part, struct sv machine)
{
	tags_clear(&s->merged);
	/* both come from tags_json(): an object, or empty, which adds nothing */
	(void)tags_add_json(&s->merged, s->tags.text[part->tags]);
	(void)tags_add_json(&s->merged, machine);
	return tags_json(&s->merged);
}

static int give_line(struct aws_split *s, const struct split_line *h, struct bill_rows *w,
		     struct err *err)
{
	const struct split_text *t = &s->text.v[h->text];
	struct split_period *p = &s->period.v[h->period];
	struct bill_evidence e = { .term = t->term };
	struct bill_line own = t->line, b;
	dec whole = max_dec(p->whole, p->split), upto = 0, unit = 1;
	int rc = 0;

	if (whole - p->split < whole / NEARLY)
		whole = p->split;
	if (whole > INT64_MAX) /* as numerators and denominators, which are of 64 bits */
		unit = DEC_ONE / 1000;
	own.from_ms = h->from_ms;
	own.to_ms = h->to_ms;
	own.has_quantity = false;
	own.rows = h->rows + p->told;
	p->told = 0;
	memcpy(own.cost, h->cost, sizeof own.cost);
	memcpy(own.has_cost, h->has_cost, sizeof own.has_cost);
	for (uint32_t i = p->first; i && rc >= 0; i = s->part.v[i - 1].next) {
		const struct split_part *part = &s->part.v[i - 1];
		bool any = false;
		b = own;
		upto += part->amount;
		for (int k = 0; k < BASIS_N; k++) {
			dec left = h->cost[k] - dec_muldiv(h->cost[k], (int64_t)(upto / unit),
							   (int64_t)(whole / unit));
			b.cost[k] = own.cost[k] - left;
			own.cost[k] = left;
			any |= b.cost[k] != 0;
		}
		b.tags = tags_of(s, part, t->line.tags);
		if (!any)
			continue;
		own.rows = 0;
		rc = bill_give(w, &b, &e, err);
	}
	if (rc < 0)
		return rc;
	own.has_quantity = h->has_quantity;
	own.quantity = h->quantity;
	return bill_give(w, &own, &e, err);
}

int aws_split_give(struct aws_split *s, struct bill_rows *w, struct err *err)
{
	int64_t used = 0, alone = 0;
	int rc = 0;

	for (size_t i = 0; i < s->line.n && rc >= 0; i++)
		rc = give_line(s, &s->line.v[i], w, err);
	for (size_t i = 0; i < s->period.n; i++) {
		const struct split_period *p = &s->period.v[i];
		used += p->has_line ? p->rows : 0;
		alone += p->has_line ? 0 : p->rows;
	}
	if (used)
		feed_note(
			w->r->report,
			"rows of split cost allocation, which divide the cost of their machines between pods and tasks: %lld",
			(long long)used);
	if (alone)
		feed_note(
			w->r->report,
			"rows of split cost allocation whose machine has no line of their period in this file, not used: %lld; what they divide stays the machine's: put the files of the export together in one",
			(long long)alone);
	if (s->full)
		feed_note(
			w->r->report,
			"more rows of split cost allocation than fit, not used: %lld; import the export by the day",
			(long long)s->full);
	return min_int(rc, 0);
}

void aws_split_free(struct aws_split *s)
{
	intern_free(&s->resource);
	intern_free(&s->key);
	intern_free(&s->part_key);
	intern_free(&s->tags);
	intern_free(&s->text_key);
	vec_free(&s->period);
	vec_free(&s->part);
	vec_free(&s->text);
	vec_free(&s->line);
	str_free(&s->buf);
	tags_free(&s->merged);
	arena_free(&s->mem);
}
