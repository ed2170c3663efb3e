/*
 * min over nothing: this measures. The share of a machine's free GPUs that a given job cannot
 * take, as in "fragmentation" of Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing
 * Workloads with Fragmentation Gradient Descent", USENIX ATC 2023, section 4.1, with two changes:
 * one median job instead of the whole mix (a number that can be explained to who pays), and only
 * what the host lacks (parts of GPUs are the ledger's own matter).
 */
#include "opt/capacity/stranded.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"

#define GPU_MILLI 1000 /* a GPU, in thousandths */

struct edge {
	int64_t at_ms;
	size_t hold;
};

static int by_time(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	if (a->at_ms != b->at_ms)
		return cmp_i64(a->at_ms, b->at_ms);
	return cmp_size(a->hold, b->hold);
}

static int64_t known_or_zero(int64_t v)
{
	return max_i64(v, 0);
}

/* How many jobs of that size the rest of a resource takes; what is not known takes any number. */
static int64_t jobs_in(int64_t all, int64_t used, int64_t each)
{
	if (all <= 0 || each <= 0)
		return INT64_MAX;
	if (used >= all)
		return 0;
	return (all - used) / each;
}

struct used {
	int64_t gpus, cpu, ram;
};

struct walk { /* over the time of a machine */
	const struct strand_machine *m;
	const struct strand_hold *hold;
	const struct strand_ask *ask;
	VEC(size_t) on; /* holds that are there now */
	struct used u;  /* by them */
	struct strand_list *ret;
};

static void add_piece(const struct walk *w, int64_t from_ms, int64_t to_ms)
{
	const struct strand_machine *m = w->m;
	const struct strand_ask *ask = w->ask;
	const struct used *u = &w->u;
	const size_t *on = w->on.v, n = w->on.n;
	int64_t rest = m->gpus_milli - u->gpus, cpu = jobs_in(m->cpu_milli, u->cpu, ask->cpu_milli),
		ram = jobs_in(m->ram_mib, u->ram, ask->ram_mib);
	int64_t jobs = min_i64(cpu, ram), fit = 0;

	if (rest > 0)
		fit = rest / ask->gpus_milli;
	if (from_ms >= to_ms || !n || fit <= jobs)
		return;

	/* The hold with most of what is short beyond what goes with its GPUs. */
	bool of_cpu = cpu <= ram;
	int64_t all = of_cpu ? m->cpu_milli : m->ram_mib, best = 0;
	size_t most = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		const struct strand_hold *h = &w->hold[on[i]];
		int64_t has = known_or_zero(of_cpu ? h->cpu_milli : h->ram_mib);
		int64_t beyond = has - (int64_t)((__int128)all * known_or_zero(h->gpus_milli) /
						 m->gpus_milli);
		if (beyond > best || (beyond == best && beyond > 0 && on[i] < most)) {
			best = beyond;
			most = on[i];
		}
	}
	*vec_push(w->ret) = (struct strand_piece){ from_ms, to_ms, (fit - jobs) * ask->gpus_milli,
						   of_cpu, most };
}

void stranded_pieces(const struct strand_machine *m, size_t n, const struct strand_hold *hold,
		     const struct strand_ask *ask, struct strand_list *ret)
{
	VEC(struct edge) edge = { 0 };
	struct walk w = { .m = m, .hold = hold, .ask = ask, .ret = ret };
	int64_t at = m->from_ms;

	for (size_t i = 0; i < n; i++)
		if (hold[i].to_ms > hold[i].from_ms && hold[i].to_ms > m->from_ms &&
		    hold[i].from_ms < m->to_ms) {
			*vec_push(&edge) = (struct edge){ hold[i].from_ms, i };
			*vec_push(&edge) = (struct edge){ hold[i].to_ms, i };
		}
	if (edge.n)
		sort_items(edge.v, edge.n, sizeof *edge.v, by_time);
	for (size_t e = 0; e < edge.n; e++) {
		const struct strand_hold *h = &hold[edge.v[e].hold];
		int64_t t = min_i64(edge.v[e].at_ms, m->to_ms), sign = 1;
		if (t > at) {
			add_piece(&w, at, t);
			at = t;
		}
		for (size_t k = 0; k < w.on.n && sign > 0; k++)
			if (w.on.v[k] == edge.v[e].hold) { /* it was there: this is its end */
				w.on.v[k] = w.on.v[--w.on.n];
				sign = -1;
			}
		if (sign > 0)
			*vec_push(&w.on) = edge.v[e].hold;
		w.u.gpus += sign * known_or_zero(h->gpus_milli);
		w.u.cpu += sign * known_or_zero(h->cpu_milli);
		w.u.ram += sign * known_or_zero(h->ram_mib);
	}
	add_piece(&w, at, m->to_ms);
	vec_free(&edge);
	vec_free(&w.on);
}

/* ---- the median job ---------------------------------------------------------------------- */

static int by_gpus(const void *pa, const void *pb)
{
	const struct strand_ask *a = pa, *b = pb;

	return cmp_i64(a->gpus_milli, b->gpus_milli);
}

/* a / x against b / y */
static int by_part(int64_t a, int64_t x, int64_t b, int64_t y)
{
	__int128 p = (__int128)known_or_zero(a) * y, q = (__int128)known_or_zero(b) * x;

	return cmp_dec(p, q);
}

static int by_cpu(const void *pa, const void *pb)
{
	const struct strand_ask *a = pa, *b = pb;

	return by_part(a->cpu_milli, a->gpus_milli, b->cpu_milli, b->gpus_milli);
}

static int by_ram(const void *pa, const void *pb)
{
	const struct strand_ask *a = pa, *b = pb;

	return by_part(a->ram_mib, a->gpus_milli, b->ram_mib, b->gpus_milli);
}

/* Those that do not say it sort first, as 0; the median of the rest. */
static int64_t median_ask(size_t n, struct strand_ask *v, bool cpu, int64_t gpus_milli,
			  size_t min_jobs)
{
	size_t unknown = 0;

	sort_items(v, n, sizeof *v, cpu ? by_cpu : by_ram);
	while (unknown < n && known_or_zero(cpu ? v[unknown].cpu_milli : v[unknown].ram_mib) == 0)
		unknown++;
	if (n - unknown < min_jobs || n == unknown)
		return 0;
	const struct strand_ask *mid = &v[unknown + (n - unknown - 1) / 2];

	return (int64_t)((__int128)(cpu ? mid->cpu_milli : mid->ram_mib) * gpus_milli /
			 mid->gpus_milli);
}

bool stranded_typical(size_t n, struct strand_ask *v, size_t min_jobs, struct strand_ask *ret)
{
	struct strand_ask a = { 0 };

	if (!n || n < min_jobs)
		return false;
	sort_items(v, n, sizeof *v, by_gpus);
	a.gpus_milli = min_i64(v[(n - 1) / 2].gpus_milli, GPU_MILLI);
	a.cpu_milli = median_ask(n, v, true, a.gpus_milli, min_jobs);
	a.ram_mib = median_ask(n, v, false, a.gpus_milli, min_jobs);
	if (a.gpus_milli <= 0 || (a.cpu_milli <= 0 && a.ram_mib <= 0))
		return false;
	*ret = a;
	return true;
}
