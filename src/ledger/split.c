#include "ledger/split.h"
#include "base/num.h"
#include "base/sort.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 u128;

static const char *const mode_name[] = { "none", "proportional", "owner", "rule" };

const char *idle_split_name(enum idle_split s)
{
	return mode_name[s];
}

/* a x b / d and its remainder at 256 bits, for a <= d or whenever the quotient fits: plain shift
 * and subtract, speed does not matter here. */
static u128 muldiv_u128(u128 a, u128 b, u128 d, u128 *ret_rem)
{
	u128 q = 0, r = 0;
	assert(d >> 127 == 0);
	/* Horner over the bits of b: after each bit, q x d + r = a x (bits so far). a is first
	 * taken modulo d. */
	u128 aq = a / d, ar = a % d;
	for (int i = 127; i >= 0; i--) {
		q <<= 1;
		r <<= 1;
		if (r >= d) {
			r -= d;
			q++;
		}
		if (b >> i & 1) {
			q += aq;
			r += ar;
			if (r >= d) {
				r -= d;
				q++;
			}
		}
	}
	*ret_rem = r;
	return q;
}

struct remainder {
	u128 rem;
	size_t i;
};

static int by_remainder(const void *a, const void *b)
{
	const struct remainder *x = a, *y = b;
	if (x->rem != y->rem) {
		if (x->rem > y->rem)
			return -1;
		return 1;
	}
	return cmp_size(x->i, y->i);
}

bool split_parts(__int128 total, __int128 unit, size_t n, const __int128 *weight,
		 __int128 *ret_part)
{
	u128 sum = 0;
	size_t first = n;
	for (size_t i = 0; i < n; i++) {
		ret_part[i] = 0;
		if (weight[i] > 0)
			sum += (u128)weight[i];
		if (weight[i] > 0 && first == n)
			first = i;
	}
	if (first == n)
		return false;
	int sign = total < 0 ? -1 : 1;
	u128 whole = (u128)(total * sign) / (u128)unit, left = whole;
	struct remainder *order = xcalloc(n, sizeof *order);
	for (size_t i = 0; i < n; i++) {
		u128 q = muldiv_u128(whole, weight[i] > 0 ? (u128)weight[i] : 0, sum,
				     &order[i].rem);
		order[i].i = i;
		left -= q;
		ret_part[i] = (__int128)q * unit * sign;
	}
	sort_items(order, n, sizeof *order, by_remainder);
	assert(left <= n);
	for (size_t i = 0; i < (size_t)left; i++)
		ret_part[order[i].i] += unit * sign;
	free(order);
	ret_part[first] += total % unit;
	return true;
}

/* Add `amount` to the idle share of all lines by weight; what cannot go anywhere (no weights) is
 * returned. */
static __int128 add_by_weight(__int128 amount, __int128 unit, struct split_line *line, size_t n,
			      const __int128 *weight, __int128 *part)
{
	if (!split_parts(amount, unit, n, weight, part))
		return amount;
	for (size_t i = 0; i < n; i++)
		line[i].idle += part[i];
	return 0;
}

/* frac of the pot in steps of unit. A fraction is a setting, not money: 9 digits of it are taken
 * exactly. */
static __int128 fraction_of(__int128 amount, double frac, __int128 unit)
{
	int64_t ppb = llround(frac * 1e9);
	if (ppb >= 1000000000)
		return amount;
	u128 rem, mag = (u128)(amount < 0 ? -amount : amount);
	u128 q = muldiv_u128(mag, (u128)ppb, 1000000000, &rem);
	__int128 v = (__int128)q / unit * unit;
	if (amount < 0)
		return -v;
	return v;
}

static __int128 pot_by_rules(const struct split_by *s, struct split_line *line, size_t nline,
			     const struct split_pot *p, const __int128 *weight, __int128 *part)
{
	const struct conf *c = s->conf;
	__int128 left = p->amount;
	for (size_t i = 0; i < c->idle_rules.n && left != 0; i++) {
		const struct idle_rule *r = &c->idle_rules.v[i];
		size_t a = 0, t = 0;
		while (a < p->nattr && strcmp(p->attr[a].field, r->field) != 0)
			a++;
		const char *value = "";
		if (a < p->nattr)
			value = p->attr[a].value;
		if (!sv_glob(sv_of(value), sv_of(r->glob)))
			continue;
		const char *to = strcmp(s->by, "project") == 0 ? r->to_project : r->to_team;
		if (!to)
			continue;
		__int128 take = fraction_of(p->amount, r->frac, s->unit);
		if (p->amount < 0 ? take < left : take > left)
			take = left;
		while (t < nline && strcmp(line[t].name, to) != 0)
			t++;
		if (strcmp(to, "*") == 0)
			left -= take - add_by_weight(take, s->unit, line, nline, weight, part);
		else if (t < nline) {
			line[t].idle += take;
			left -= take;
		}
	}
	return left;
}

static __int128 split_pot(const struct split_by *s, struct split_line *line, size_t nline,
			  const struct split_pot *p, const __int128 *weight, __int128 *part)
{
	switch (s->how) {
	case SPLIT_PROPORTIONAL:
		return add_by_weight(p->amount, s->unit, line, nline, weight, part);
	case SPLIT_OWNER:
		if (p->owner == SPLIT_NOBODY)
			return p->amount;
		assert(p->owner < nline);
		line[p->owner].idle += p->amount;
		return 0;
	case SPLIT_RULE: return pot_by_rules(s, line, nline, p, weight, part);
	case SPLIT_NONE: break;
	}
	return p->amount;
}

static bool in_range(__int128 v)
{
	const __int128 limit = (__int128)100000000000000000LL * 1000000000000000000LL; /* 10^35 */
	return v < limit && v > -limit;
}

int split_lines(const struct split_by *s, struct split_line *line, size_t nline,
		const struct split_pot *pot, size_t npot, __int128 *ret_rest)
{
	const struct conf *c = s->conf;
	__int128 *weight = xcalloc(2 * nline + 1, sizeof *weight), *part = weight + nline;
	__int128 in = 0, out = 0, rest = 0;
	bool ok = true;
	assert(s->unit > 0);
	for (size_t i = 0; i < nline; i++) {
		struct split_line *l = &line[i];
		l->idle = l->shared = 0;
		l->is_shared = false;
		for (size_t k = 0; k < c->shared_teams.n; k++)
			l->is_shared |= strcmp(s->by, "team") == 0 &&
					strcmp(l->name, c->shared_teams.v[k]) == 0;
		weight[i] = l->weight > 0 && !l->is_shared ? l->weight : 0;
		ok = ok && in_range(l->direct) && in_range(weight[i]);
		in += l->direct;
	}
	for (size_t i = 0; i < npot && ok; i++) {
		ok = in_range(pot[i].amount) && in_range(in);
		in += pot[i].amount;
	}
	if (ok) {
		for (size_t i = 0; i < npot; i++)
			rest += split_pot(s, line, nline, &pot[i], weight, part);
		/* What shared teams hold goes to the others; with nobody else there it stays where
		 * it is. */
		for (size_t k = 0; k < nline; k++) {
			__int128 held = line[k].direct + line[k].idle;
			if (!line[k].is_shared || !split_parts(held, s->unit, nline, weight, part))
				continue;
			line[k].shared -= held;
			for (size_t i = 0; i < nline; i++)
				line[i].shared += part[i];
		}
		for (size_t i = 0; i < nline; i++)
			out += line[i].direct + line[i].idle + line[i].shared;
		assert(in == out + rest);
		*ret_rest = rest;
	}
	free(weight);
	if (ok)
		return 0;
	return -ERANGE;
}
