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
#include "base/search.h"
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

/* So many machines from then on. */
struct crowd {
	int64_t from_ms, machines;
};

struct placing {
	struct paid_node *paid;
	spans taken;
	VEC(struct crowd) crowd; /* of a set's unnamed machines, by time */
	int64_t left_ms;         /* what found no room, of all lines */
};

static int64_t crowd_at(const struct placing *p, int64_t t, int64_t *io_until)
{
	size_t k = first_where(i, p->crowd.n, p->crowd.v[i].from_ms > t);

	if (k < p->crowd.n)
		*io_until = min_i64(p->crowd.v[k].from_ms, *io_until);
	return k ? p->crowd.v[k - 1].machines : 1;
}

/* Machines of so many GPUs each; 0 machines: as many as there are of the set then. */
struct fleet_of {
	int64_t gpu_milli, machines;
};

/* Puts machines into the room, until no machine time is left. */
static void fill_room(struct placing *p, const struct bill_line *l, const struct fleet_of *of,
		      enum quality quality, struct span room, int64_t *io_left_ms)
{
	while (room.from_ms<room.to_ms && * io_left_ms> 0) {
		int64_t to = room.to_ms, n = of->machines;
		if (!n)
			n = crowd_at(p, room.from_ms, &to);
		to = min_i64(to, room.from_ms + (*io_left_ms + n - 1) / n);
		*io_left_ms -= (to - room.from_ms) * n;
		struct paid_interval *q = vec_push(&p->paid->interval);
		*q = paid_interval_of(l, room.from_ms, to, quality);
		q->gpu_milli = of->gpu_milli * n;
		spans_put(&p->taken, (struct span){ room.from_ms, to });
		room.from_ms = to;
	}
}

/* So much machine time of the line's period was paid for, of what others have left. */
static void place_line(struct placing *p, const struct bill_line *l, const struct fleet_of *of,
		       int64_t left_ms)
{
	const struct paid_node *paid = p->paid;
	spans room = { 0 };
	int64_t most = of->machines;
	enum quality quality = QUALITY_ESTIMATED;

	for (int64_t t = l->from_ms, end; !of->machines && t < l->to_ms; t = end) {
		end = l->to_ms;
		most = max_i64(crowd_at(p, t, &end), most);
	}
	bool whole = left_ms >= (l->to_ms - l->from_ms) * most;
	if (whole)
		quality = QUALITY_MEASURED;
	for (size_t i = whole ? paid->nactive : 0; i <= paid->nactive && left_ms > 0; i++) {
		struct span s = { l->from_ms, l->to_ms };
		if (i < paid->nactive) {
			const struct span *a = &paid->active[i];
			s.from_ms = max_i64(a->from_ms, s.from_ms);
			s.to_ms = min_i64(a->to_ms, s.to_ms);
		}
		if (s.from_ms >= s.to_ms)
			continue;
		spans_free_of(&p->taken, s, &room);
		for (size_t k = 0; k < room.n; k++)
			fill_room(p, l, of, quality, room.v[k], &left_ms);
	}
	p->left_ms += left_ms;
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

/* The lines of one charge period, and what they say. */
struct period {
	const struct bill_line *const *u; /* [n] */
	size_t n;
	int64_t all_ms; /* of all machines */
	bool known;     /* a line counts hours */
};

static struct period period_of(const struct bill_line *const *u, size_t n, bool is_set)
{
	struct period p = { .u = u, .n = n };

	/* an hour of one of a set's machines is paid in one way */
	for (size_t i = 0, same = n; i < n; i += same) {
		if (is_set)
			same = paid_alike(u + i, n - i);
		p.all_ms += paid_machine_ms(u + i, same);
	}
	for (size_t i = 0; i < n && !p.known; i++)
		p.known = paid_line_ms(u[i]) != UNKNOWN_MS;
	return p;
}

static int64_t machines_of(const struct period *p)
{
	int64_t period = p->u[0]->to_ms - p->u[0]->from_ms;

	if (period > 0 && p->all_ms > period)
		return (p->all_ms - paid_slack_ms(period) + period - 1) / period;
	return 1;
}

static int check_machines(const struct bill_line *l, int64_t machines, struct err *err)
{
	if (machines <= MACHINES_MAX)
		return 0;
	err_set(err, -ERANGE,
		"resource '%.*s' has hours for %lld machines at once in one charge period",
		SVF(l->resource_id), (long long)machines);
	err_hint(err, "at most %d are taken; correct the quantity or the unit of its lines",
		 MACHINES_MAX);
	return -ERANGE;
}

/* Behind a set's id: as many at a time as must run for the hours of all periods over it. */
static int find_crowd(struct placing *p, const struct period *v, size_t n, struct err *err)
{
	const int64_t one = 1000000000, slack = one / MACHINE_SLACK;
	struct step {
		int64_t t_ms, more;
	} *step = xcalloc(2 * n + 1, sizeof *step);
	int64_t sum = 0;
	size_t k = 0;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		const struct bill_line *l = v[i].u[0];
		int64_t period = l->to_ms - l->from_ms;
		rc = check_machines(l, machines_of(&v[i]), err);
		if (rc || period <= 0)
			continue;
		int64_t more = (int64_t)((__int128)v[i].all_ms * one / period);
		step[k++] = (struct step){ l->from_ms, more };
		step[k++] = (struct step){ l->to_ms, -more };
	}
	if (k)
		sort_items(step, k, sizeof *step, rising_i64);
	for (size_t i = 0; i < k && !rc; i++) {
		sum += step[i].more;
		if (i + 1 < k && step[i + 1].t_ms == step[i].t_ms)
			continue;
		int64_t machines = max_i64((sum - slack + one - 1) / one, 1);
		if (!p->crowd.n || p->crowd.v[p->crowd.n - 1].machines != machines)
			*vec_push(&p->crowd) = (struct crowd){ step[i].t_ms, machines };
	}
	free(step);
	return rc;
}

/* gpu_milli: of one machine. */
static int place_period(struct placing *p, const struct period *v, int64_t gpu_milli,
			struct err *err)
{
	const struct bill_line *const *u = v->u;
	int64_t period = u[0]->to_ms - u[0]->from_ms, machines = machines_of(v);
	bool is_set = p->crowd.n > 0;
	const struct fleet_of of = { gpu_milli, is_set ? 0 : machines };
	int rc = check_machines(u[0], machines, err);

	if (rc)
		return rc;
	if (!v->known)
		place_line(p, u[0], &of, period * machines);
	for (size_t i = 0, same; i < v->n && v->known; i += same) {
		int64_t sum = 0;
		same = paid_alike(u + i, v->n - i);
		for (size_t k = i; k < i + same; k++)
			if (paid_line_ms(u[k]) != UNKNOWN_MS)
				sum += paid_line_ms(u[k]);
		int64_t one = min_i64(sum / machines, period);
		place_line(p, u[i], &of, is_set ? min_i64(sum, v->all_ms) : one * machines);
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
	spans taken; /* by its own lines */
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

/* The time of intervals from `first` on is this machine's. */
static void take_time(const struct placing *p, size_t first, struct machine *m)
{
	for (size_t i = first; i < p->paid->interval.n; i++) {
		const struct paid_interval *q = &p->paid->interval.v[i];
		spans_put(&m->taken, (struct span){ q->from_ms, q->to_ms });
	}
}

/* So much time more of the machine, where only others ran: from then on it ran beside them. */
static void lay_beside(struct placing *p, struct machine *m, struct span period, int64_t left_ms)
{
	struct paid_node *paid = p->paid;
	spans room = { 0 };

	/* the rest of an interval is looked at again behind the others */
	for (size_t i = 0; i < paid->interval.n && left_ms > 0; i++) {
		const struct paid_interval whole = paid->interval.v[i];
		struct span s = { max_i64(whole.from_ms, period.from_ms),
				  min_i64(whole.to_ms, period.to_ms) };
		room.n = 0;
		if (s.from_ms < s.to_ms)
			spans_free_of(&m->taken, s, &room);
		if (!room.n)
			continue;
		s = room.v[0];
		s.to_ms = min_i64(s.to_ms, s.from_ms + left_ms);
		left_ms -= s.to_ms - s.from_ms;
		spans_put(&m->taken, s);
		if (whole.from_ms < s.from_ms) {
			struct paid_interval *q = vec_push(&paid->interval);
			*q = whole;
			q->to_ms = s.from_ms;
		}
		if (s.to_ms < whole.to_ms) {
			struct paid_interval *q = vec_push(&paid->interval);
			*q = whole;
			q->from_ms = s.to_ms;
		}
		paid->interval.v[i].from_ms = s.from_ms;
		paid->interval.v[i].to_ms = s.to_ms;
		paid->interval.v[i].gpu_milli += m->gpu_milli;
	}
	vec_free(&room);
}

static int64_t free_ms(const struct placing *p, struct span period)
{
	spans room = { 0 };
	int64_t ms = 0;

	spans_free_of(&p->taken, period, &room);
	for (size_t i = 0; i < room.n; i++)
		ms += room.v[i].to_ms - room.v[i].from_ms;
	vec_free(&room);
	return ms;
}

/* One machine behind the other as far as the period has room, else together, or beside those whose
 * lines of shorter periods are there; m: [nm] of all periods. */
static int place_machines(struct placing *p, const struct period *of, struct machine *m, size_t nm,
			  struct err *err)
{
	const struct bill_line *const *u = of->u;
	int64_t period = u[0]->to_ms - u[0]->from_ms, all = 0, gpu_milli = 0;
	int rc = 0;

	for (size_t k = 0; k < nm; k++) {
		m[k].n = 0;
		for (size_t i = 0; i < of->n; i++)
			if (sv_ieq(machine_of(u[i]), m[k].id))
				m[k].line[m[k].n++] = u[i];
		m[k].ms = m[k].n ? paid_machine_ms(m[k].line, m[k].n) : 0;
		all += m[k].ms;
		if (m[k].n)
			gpu_milli += m[k].gpu_milli;
	}
	const struct span time = { u[0]->from_ms, u[0]->to_ms };
	int64_t room = free_ms(p, time);
	if (all - paid_slack_ms(period) <= room || room < period) {
		for (size_t k = 0; k < nm && !rc; k++) {
			struct period own = period_of(m[k].line, m[k].n, false);
			size_t first = p->paid->interval.n;
			p->left_ms = 0;
			if (m[k].n)
				rc = place_period(p, &own, m[k].gpu_milli, err);
			take_time(p, first, &m[k]);
			if (p->left_ms > paid_slack_ms(period))
				lay_beside(p, &m[k], time, p->left_ms);
		}
		return rc;
	}
	size_t first = p->paid->interval.n;
	/* the same GPU time as that of all GPUs together, in as much less of the period */
	__int128 gpu_ms = 0;
	for (size_t k = 0; k < nm; k++)
		gpu_ms += (__int128)m[k].ms * m[k].gpu_milli;
	const struct fleet_of together = { gpu_milli, 1 };
	place_line(p, u[0], &together, (int64_t)(gpu_ms / max_i64(gpu_milli, 1)));
	for (size_t k = 0; k < nm; k++)
		if (m[k].n)
			take_time(p, first, &m[k]);
	return 0;
}

int paid_of_lines(struct paid_node *ret, struct arena *mem, const struct bill_line *l, size_t n,
		  struct err *err)
{
	const struct bill_line **u = arena_alloc(mem, (n + 1) * sizeof *u);
	struct period *v = arena_alloc(mem, (n + 1) * sizeof *v);
	struct placing p = { .paid = ret };
	size_t nu = 0, nv = 0;
	bool is_set = ret->is_set;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		if (paid_is_usage(&l[i]) && l[i].gpu_milli > 0)
			u[nu++] = &l[i];
	for (size_t i = 0; i < nu && !is_set; i++)
		is_set = machine_id_is_set(u[i]->resource_id);
	if (nu)
		sort_items(u, nu, sizeof *u, by_period_and_purchase);
	for (size_t i = 0, same; i < nu; i += same) {
		for (same = 1; i + same < nu && !by_period(u[i], u[i + same]);)
			same++;
		v[nv++] = period_of(u + i, same, is_set);
	}
	struct machine *m;
	size_t nm = find_machines(u, nu, mem, &m);
	bool several = nm > 1 && m[0].id.n; /* no set is among them */
	if (is_set)
		rc = find_crowd(&p, v, nv, err);
	for (size_t i = 0; i < nv && !rc; i++) {
		if (several)
			rc = place_machines(&p, &v[i], m, nm, err);
		else
			rc = place_period(&p, &v[i], ret->gpu_milli, err);
	}
	for (size_t k = 0; k < nm; k++)
		vec_free(&m[k].taken);
	vec_free(&p.taken);
	vec_free(&p.crowd);
	return rc;
}
