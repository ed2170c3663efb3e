#include "answer/exchanged.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"

int report_exchange_load(const struct report_ask *q, const char *to, struct report_exchange *ret,
			 struct err *err)
{
	struct exchange_rate *v;
	char code[4] = "";
	size_t n = 0;

	for (; to[n] && n < 3 && isalpha((unsigned char)to[n]); n++)
		code[n] = (char)toupper((unsigned char)to[n]);
	if (n != 3 || to[3]) {
		err_set(err, -EINVAL, "--currency: '%.40s' is not a currency", to);
		err_hint(err, "Three letters as on the bill, such as EUR");
		return -EINVAL;
	}
	int r = store_exchange_rates(q->ask.store, q->ask.mem, &v, &n, err);
	if (r < 0)
		return r;
	*ret = (struct report_exchange){ .to = arena_printf(q->ask.mem, "%s", code) };
	exchange_take(&ret->rates, v, n);
	return 0;
}

/* ---- rates ------------------------------------------------------------------------------- */

struct day_rate { /* of a currency on a day */
	bool known;
	dec rate;
};
struct bureau {
	const struct report_ask *q;
	struct intern day; /* currency and day */
	VEC(struct day_rate) rate;
	struct intern currency;
	VEC(struct report_exchanged) sum;
};

static void widen_days(int64_t *from_ms, int64_t *to_ms, int64_t day_ms)
{
	if (*from_ms == UNKNOWN_MS || day_ms < *from_ms)
		*from_ms = day_ms;
	if (*to_ms == UNKNOWN_MS || day_ms > *to_ms)
		*to_ms = day_ms;
}

static dec times_rate(dec amount, dec rate)
{
	dec whole = amount / DEC_ONE, part = amount % DEC_ONE;

	/* in two parts: amount x rate alone may be more than 128 bits hold */
	return whole * rate + div_half_even(part * rate, DEC_ONE);
}

/* The cell in the currency asked for, or as it is where the day has no rate. */
static void convert_cell(struct bureau *b, int64_t day_ms, struct report_cell *c)
{
	const struct report_exchange *x = b->q->exchange;
	const char *to = x->to, *from = c->currency;

	if (!*from)
		from = text_or(b->q->ask.conf->currency, "USD");
	if (!c->cost && !c->unwatched_cost) { /* no amount: time alone has no currency */
		c->currency = to;
		return;
	}
	uint32_t id = intern_add(&b->currency, sv_of(from));

	if (id == b->sum.n)
		*vec_push(&b->sum) = (struct report_exchanged){
			.currency = arena_printf(b->q->ask.mem, "%s", from),
			.from_ms = UNKNOWN_MS,
			.to_ms = UNKNOWN_MS,
			.left_from_ms = UNKNOWN_MS,
			.left_to_ms = UNKNOWN_MS,
		};
	struct report_exchanged *s = &b->sum.v[id];
	s->cost += c->cost;

	char key[64];
	snprintf(key, sizeof key, "%.20s %lld", from, (long long)day_ms);
	uint32_t day = intern_add(&b->day, sv_of(key));
	if (day == b->rate.n) {
		struct day_rate *added = vec_push(&b->rate);
		struct exchange_found found = { 0 };
		added->known = exchange_at(&x->rates, from, to, day_ms, EXCHANGE_OLD_DAYS, &found);
		added->rate = found.rate;
	}
	const struct day_rate *r = &b->rate.v[day];
	if (!r->known) {
		s->left += c->cost;
		widen_days(&s->left_from_ms, &s->left_to_ms, day_ms);
		return;
	}
	c->cost = times_rate(c->cost, r->rate);
	c->unwatched_cost = times_rate(c->unwatched_cost, r->rate);
	c->currency = to;
	s->converted += c->cost;
	if (strcmp(from, to) != 0)
		widen_days(&s->from_ms, &s->to_ms, day_ms);
}

/* ---- what is alike ----------------------------------------------------------------------- */

void exchange_cells(const struct report_ask *q, size_t ndim, const int64_t *day_ms,
		    struct report_cell *cell, size_t *n, struct exchanged_sums *ret)
{
	struct bureau b = { .q = q };
	struct intern alike = { 0 };
	struct str key = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		convert_cell(&b, day_ms[i], &cell[i]);

		const struct report_cell *c = &cell[i];
		bool unpriced = q->by_price && c->unpriced_ms;

		str_clear(&key);
		str_addf(&key, "%s %d %d %d", c->currency, c->is_gpu, (int)c->state, unpriced);
		for (size_t k = 0; k < ndim; k++) {
			str_addc(&key, 0);
			str_addz(&key, c->dim[k]);
		}
		uint32_t id = intern_add(&alike, str_sv(&key));
		if (id == kept)
			cell[kept++] = cell[i];
		else {
			struct report_cell *to = &cell[id];
			const struct report_cell *x = &cell[i];
			to->ms += x->ms;
			to->measured_ms += x->measured_ms;
			to->estimated_ms += x->estimated_ms;
			to->unpriced_ms += x->unpriced_ms;
			to->cost += x->cost;
			to->unwatched_ms += x->unwatched_ms;
			to->unwatched_cost += x->unwatched_cost;
			if (x->util_ms == UNKNOWN_I64)
				continue;
			to->util_ms = x->util_ms + (to->util_ms == UNKNOWN_I64 ? 0 : to->util_ms);
		}
	}
	*n = kept;
	*ret = (struct exchanged_sums){ arena_copy(q->ask.mem, b.sum.v, b.sum.n, sizeof *b.sum.v),
					b.sum.n };
	intern_free(&alike);
	intern_free(&b.day);
	intern_free(&b.currency);
	vec_free(&b.rate);
	vec_free(&b.sum);
	str_free(&key);
}
