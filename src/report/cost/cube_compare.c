/* The rows of a cube beside those of another window. */
#include "model/known.h"
#include "report/cost/cube_build.h"

void build_compare(struct build *b)
{
	for (size_t i = 0; i < b->in->compare->nrow; i++) {
		const struct compared *r = &b->in->compare->row[i];
		const struct compare_parts *p = &r->parts;
		struct report_cell at = { .dim = r->dim, .currency = r->currency };
		struct cube_compare c = { .has_before = r->has[0],
					  .has_now = r->has[1],
					  .has_both = r->has[0] && r->has[1],
					  .before = dec_counted(r->has[0], p->before),
					  .now = dec_counted(r->has[1], p->now),
					  .booked = r->booked,
					  .booked_other = r->booked_other };

		for (int w = 0; w < 2; w++) {
			c.gpu_ms[w] = r->gpu_ms[w];
			c.unpriced_ms[w] = r->unpriced_ms[w];
			c.busy_ms[w] = r->busy_ms[w];
			c.read_ms[w] = r->read_ms[w];
		}
		if (c.has_both)
			c.difference = p->difference;
		for (int k = 0; c.has_both && k < COMPARE_PARTS; k++) {
			c.part[k] = dec_counted(p->known[k], p->part[k]);
			c.known[k] = p->known[k];
		}
		size_t id = build_row(b, &at);
		b->row.v[id].compare = c;
	}
}

void cube_compare_add(struct cube_compare *to, const struct cube_compare *x)
{
	for (int w = 0; w < 2; w++) {
		to->gpu_ms[w] += x->gpu_ms[w];
		to->unpriced_ms[w] += x->unpriced_ms[w];
		to->read_ms[w] += x->read_ms[w];
		if (to->read_ms[w])
			to->busy_ms[w] = known_i64_or(to->busy_ms[w], 0) +
					 known_i64_or(x->busy_ms[w], 0);
		else
			to->busy_ms[w] = UNKNOWN_I64;
	}
	if (!x->has_both) {
		to->nleft++;
		return;
	}
	to->has_before = to->has_now = to->has_both = true;
	to->before += x->before;
	to->now += x->now;
	to->difference += x->difference;
	to->booked += x->booked;
	to->booked_other += x->booked_other;
	for (int i = 0; i < COMPARE_PARTS; i++) {
		to->part[i] += x->part[i];
		to->known[i] |= x->known[i];
	}
}
