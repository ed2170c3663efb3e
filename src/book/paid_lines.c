/*
 * Paid time of a machine that no record tells of: what the usage lines of its bill say, the
 * quantity in hours of each charge period. Which hours of the period those were, a bill does not
 * say: first those in which a job held the machine or it was read, then from the start. Behind one
 * id (a scale set's) may be several machines, in each charge period another number of them. Behind
 * one name of a node may be several ids: a later machine that has the name again, or one of another
 * network at the same time; each has the GPUs of its own lines.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "book/in.h"
#include "model/machine_id.h"

/* A quantity rounded up by its source, or an hour of a leap second, is no further machine. */
#define MACHINE_SLACK 100   /* one part in so many of a period */
#define MACHINES_MAX  10000 /* behind one id: more is a quantity in other units than it says */

bool paid_is_usage(const struct bill_line *l)
{
	return sv_is(l->charge_category, "Usage") && !sv_is(l->charge_class, "Correction") &&
	       !sv_is(l->commitment_status, "Unused");
}

struct paid_interval paid_interval_of(const struct bill_line *l, int64_t from_ms, int64_t to_ms,
				      enum quality quality)
{
	return (struct paid_interval){ .from_ms = from_ms,
				       .to_ms = to_ms,
				       .purchase = l->purchase,
				       .currency = l->currency,
				       .provider = l->provider,
				       .region = l->region,
				       .zone = l->zone,
				       .charge = charge_of_line(l),
				       .quality = quality,
				       .counted = l->has_quantity,
				       .recorded = true };
}

int64_t paid_line_ms(const struct bill_line *l)
{
	if (!l->has_quantity || l->quantity <= 0)
		return UNKNOWN_MS;
	if (!(sv_ihas(l->unit, SV("hour")) || sv_ihas(l->unit, SV("hrs"))))
		return UNKNOWN_MS;
	if (l->quantity / DEC_ONE > 1000000) /* a century: no hours of one machine */
		return UNKNOWN_MS;
	return (int64_t)(dec_muldiv(l->quantity, MS_HOUR, 1) / DEC_ONE);
}

int64_t paid_slack_ms(int64_t period)
{
	return period / MACHINE_SLACK;
}

bool paid_counts_hours(const struct bill_line *l)
{
	int64_t ms = paid_line_ms(l), period = l->to_ms - l->from_ms;

	if (!l->purchase.n || l->gpu_milli <= 0 || !paid_is_usage(l))
		return false;
	return ms != UNKNOWN_MS && ms <= period + paid_slack_ms(period);
}

/* Short ones first: long ones lie in the time that these leave. */
static int by_period(const struct bill_line *x, const struct bill_line *y)
{
	int d = cmp_i64(x->to_ms - x->from_ms, y->to_ms - y->from_ms);

	return d ? d : cmp_i64(x->from_ms, y->from_ms);
}

static int by_period_and_purchase(const void *a, const void *b)
{
	const struct bill_line *x = *(const struct bill_line *const *)a,
			       *y = *(const struct bill_line *const *)b;
	int d = by_period(x, y);

	if (d)
		return d;
	return sv_cmp(x->purchase, y->purchase);
}

/* So much of the line's period was paid for these GPUs, of what others have left. */
static void place_line(struct paid_node *p, const struct bill_line *l, int64_t gpu_milli,
		       spans *taken, int64_t left_ms)
{
	spans room = { 0 };
	bool whole = left_ms >= l->to_ms - l->from_ms;
	enum quality quality = QUALITY_ESTIMATED;

	if (whole)
		quality = QUALITY_MEASURED;
	for (size_t i = whole ? p->nactive : 0; i <= p->nactive && left_ms > 0; i++) {
		struct span s = { l->from_ms, l->to_ms };
		if (i < p->nactive) {
			const struct span *a = &p->active[i];
			s.from_ms = max_i64(a->from_ms, s.from_ms);
			s.to_ms = min_i64(a->to_ms, s.to_ms);
		}
		if (s.from_ms >= s.to_ms)
			continue;
		spans_free_of(taken, s, &room);
		for (size_t k = 0; k < room.n && left_ms > 0; k++) {
			struct span r = room.v[k];
			if (r.to_ms - r.from_ms > left_ms)
				r.to_ms = r.from_ms + left_ms;
			left_ms -= r.to_ms - r.from_ms;
			struct paid_interval *q = vec_push(&p->interval);
			*q = paid_interval_of(l, r.from_ms, r.to_ms, quality);
			q->gpu_milli = gpu_milli;
			spans_put(taken, r);
		}
	}
	vec_free(&room);
}

/*
 * Lines of one charge period are parts of one machine's time (a split charge, an hour paid half on
 * demand and half by a plan): the hours of each way to pay add up, all of them to no more than the
 * period. Lines that count cores or bytes ride along with those that count hours; where none counts
 * hours, the period was paid. Where the largest line alone has hours for several machines at once,
 * there are as many as must have run for the hours of all lines.
 */
size_t paid_alike(const struct bill_line *const *u, size_t n)
{
	size_t k = 1;

	while (k < n && sv_eq(u[0]->purchase, u[k]->purchase))
		k++;
	return k;
}

int64_t paid_machine_ms(const struct bill_line *const *u, size_t n)
{
	int64_t period = u[0]->to_ms - u[0]->from_ms, largest = 0, all = 0;
	bool known = false;

	for (size_t i = 0; i < n; i++) {
		int64_t ms = paid_line_ms(u[i]);
		if (ms == UNKNOWN_MS)
			continue;
		known = true;
		largest = max_i64(ms, largest);
		all += ms;
	}
	if (!known)
		return period;
	if (period > 0 && largest - paid_slack_ms(period) > period)
		return all;
	return min_i64(all, period);
}

/* Lines of one charge period; gpu_milli: of one machine. */
static int place_period(struct paid_node *p, const struct bill_line *const *u, size_t n,
			int64_t gpu_milli, spans *taken, struct err *err)
{
	int64_t period = u[0]->to_ms - u[0]->from_ms, all = 0, machines = 1;
	bool known = false, is_set = p->is_set || machine_id_is_set(u[0]->resource_id);

	/* an hour of one of a set's machines is paid in one way */
	for (size_t i = 0, same = n; i < n; i += same) {
		if (is_set)
			same = paid_alike(u + i, n - i);
		all += paid_machine_ms(u + i, same);
	}
	for (size_t i = 0; i < n && !known; i++)
		known = paid_line_ms(u[i]) != UNKNOWN_MS;
	if (period > 0 && all > period)
		machines = (all - paid_slack_ms(period) + period - 1) / period;
	if (machines > MACHINES_MAX) {
		err_set(err, -ERANGE,
			"resource '%.*s' has hours for %lld machines at once in one charge period",
			SVF(u[0]->resource_id), (long long)machines);
		err_hint(err, "at most %d are taken; correct the quantity or the unit of its lines",
			 MACHINES_MAX);
		return -ERANGE;
	}
	if (!known)
		place_line(p, u[0], gpu_milli * machines, taken, period);
	for (size_t i = 0, same; i < n && known; i += same) {
		int64_t sum = 0;
		same = paid_alike(u + i, n - i);
		for (size_t k = i; k < i + same; k++)
			if (paid_line_ms(u[k]) != UNKNOWN_MS)
				sum += paid_line_ms(u[k]);
		place_line(p, u[i], gpu_milli * machines, taken, min_i64(sum / machines, period));
	}
	return 0;
}

/* ---- several ids behind one name ---------------------------------------------------------- */

struct machine {
	struct sv id; /* as its cloud has it; nothing: of lines whose id is no single machine's */
	int64_t gpu_milli;
	const struct bill_line **line; /* [n] of the period that is looked at */
	size_t n;
	int64_t ms;
};

static struct sv machine_of(const struct bill_line *l)
{
	struct sv id = l->resource_id;
	bool is_one = machine_id_provider(id).n || sv_ihas(id, SV("/instances/"));

	if (is_one && !machine_id_is_set(id))
		return machine_id_own(id);
	return SV_NULL;
}

static int by_id(const void *a, const void *b)
{
	const struct machine *x = a, *y = b;

	return sv_cmp(x->id, y->id);
}

/* Returns how many; few in any case. */
static size_t find_machines(const struct bill_line *const *u, size_t n, struct arena *mem,
			    struct machine **ret)
{
	VEC(struct machine) m = { 0 };
	size_t count;

	for (size_t i = 0, k; i < n; i++) {
		struct sv id = machine_of(u[i]);
		for (k = 0; k < m.n && !sv_ieq(m.v[k].id, id);)
			k++;
		if (k == m.n)
			*vec_push(&m) = (struct machine){ .id = id };
		m.v[k].gpu_milli = max_i64(u[i]->gpu_milli, m.v[k].gpu_milli);
	}
	if (m.n)
		sort_items(m.v, m.n, sizeof *m.v, by_id);
	for (size_t k = 0; k < m.n && m.n > 1; k++)
		m.v[k].line = arena_alloc(mem, (n + 1) * sizeof *m.v[k].line);
	*ret = arena_copy(mem, m.v, m.n, sizeof *m.v);
	count = m.n;
	vec_free(&m);
	return count;
}

struct period {
	const struct bill_line *const *u; /* [n] its lines */
	size_t n;
	struct machine *m; /* [nm] of all periods */
	size_t nm;
};

/* One machine behind the other as far as the period has room, else together. */
static int place_machines(struct paid_node *p, const struct period *of, spans *taken,
			  struct err *err)
{
	const struct bill_line *const *u = of->u;
	const size_t n = of->n, nm = of->nm;
	struct machine *m = of->m;
	int64_t period = u[0]->to_ms - u[0]->from_ms, all = 0, gpu_milli = 0;
	int rc = 0;

	for (size_t k = 0; k < nm; k++) {
		m[k].n = 0;
		for (size_t i = 0; i < n; i++)
			if (sv_ieq(machine_of(u[i]), m[k].id))
				m[k].line[m[k].n++] = u[i];
		m[k].ms = m[k].n ? paid_machine_ms(m[k].line, m[k].n) : 0;
		all += m[k].ms;
		if (m[k].n)
			gpu_milli += m[k].gpu_milli;
	}
	if (all - paid_slack_ms(period) <= period) {
		for (size_t k = 0; k < nm && !rc; k++)
			if (m[k].n)
				rc = place_period(p, m[k].line, m[k].n, m[k].gpu_milli, taken, err);
		return rc;
	}
	/* the same GPU time as that of all GPUs together, in as much less of the period */
	__int128 gpu_ms = 0;
	for (size_t k = 0; k < nm; k++)
		gpu_ms += (__int128)m[k].ms * m[k].gpu_milli;
	place_line(p, u[0], gpu_milli, taken, (int64_t)(gpu_ms / max_i64(gpu_milli, 1)));
	return 0;
}

int paid_of_lines(struct paid_node *p, struct arena *mem, const struct bill_line *l, size_t n,
		  struct err *err)
{
	const struct bill_line **u = arena_alloc(mem, (n + 1) * sizeof *u);
	spans taken = { 0 };
	size_t nu = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		if (paid_is_usage(&l[i]) && l[i].gpu_milli > 0)
			u[nu++] = &l[i];
	if (nu)
		sort_items(u, nu, sizeof *u, by_period_and_purchase);
	struct machine *m;
	size_t nm = find_machines(u, nu, mem, &m);
	bool several = nm > 1 && m[0].id.n; /* no set is among them */
	for (size_t i = 0, same; i < nu && !rc; i += same) {
		for (same = 1; i + same < nu && !by_period(u[i], u[i + same]);)
			same++;
		if (several)
			rc = place_machines(p, &(struct period){ u + i, same, m, nm }, &taken, err);
		else
			rc = place_period(p, u + i, same, p->gpu_milli, &taken, err);
	}
	vec_free(&taken);
	return rc;
}
