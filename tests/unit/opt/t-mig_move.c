/* The way from today's MIG layout: against exhaustive search on small GPUs, its certificates on
 * random A100 fleets, and what must not move. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "opt/mig/mig_move.h"

static uint64_t state;
static uint64_t next(void)
{
	return random_next(&state);
}

static const struct mig_gpu a30_gpu = { .compute = 4,
					.memory = 4,
					.ntype = 3,
					.type = { { "1g.6gb", 1, 1, 0xf, 4 },
						  { "2g.12gb", 2, 2, 0x5, 2 },
						  { "4g.24gb", 4, 4, 0x1, 1 } } };
static struct mig_geom a30, a100;

static int setup(void **s)
{
	struct err e;
	(void)s;
	return mig_geom_init(&a30, &a30_gpu, &e) | mig_geom_init(&a100, &mig_a100_80, &e);
}

/* A random legal layout of some GPUs; instances of random services. */
static size_t random_today(const struct mig_geom *g, int gpus, size_t nservice,
			   struct mig_today *ret)
{
	size_t n = 0;
	for (int c = 0; c < gpus; c++) {
		const struct mig_config *f = &g->config[next() % g->nmaximal];
		for (size_t i = 0; i < f->nplace; i++)
			if (next() % 4)
				ret[n++] = (struct mig_today){ c * 2 + 1, f->place[i].type,
							       f->place[i].start,
							       (int)(next() % nservice) };
	}
	return n;
}

static void random_services(const struct mig_geom *g, size_t n, struct mig_service *ret,
			    double most)
{
	memset(ret, 0, n * sizeof *ret);
	for (size_t s = 0; s < n; s++) {
		ret[s].rate = (double)(next() % 1000) / 1000 * most;
		for (size_t t = 0; t < g->gpu.ntype; t++)
			ret[s].thr[t] = (80 + (double)(next() % 40)) * g->gpu.type[t].compute;
	}
}

/* ---- exhaustive -------------------------------------------------------------------------- */

struct brute {
	const struct mig_move_in *in;
	int gpus;
	struct mig_place place[4][4];
	size_t n[4];
	double left[4];
};

/* Can the GPUs from `gpu`, memory slice `slice` on be filled so that all rates are reached? */
static bool fills(struct brute *b, int gpu, int slice)
{
	const struct mig_gpu *c = b->in->gpu;
	bool done = true;
	for (size_t s = 0; s < b->in->nservice; s++)
		done &= b->left[s] <= 1e-9;
	if (done)
		return true;
	if (gpu == b->gpus)
		return false;
	if (slice == c->memory)
		return fills(b, gpu + 1, 0);
	for (size_t t = 0; t < c->ntype; t++)
		for (size_t s = 0; s < b->in->nservice; s++) {
			if (b->n[gpu] >= 4 || b->left[s] <= 1e-9)
				continue;
			b->place[gpu][b->n[gpu]] = (struct mig_place){ (int)t, slice };
			if (!mig_placement_ok(c, b->n[gpu] + 1, b->place[gpu]))
				continue;
			b->n[gpu]++;
			b->left[s] -= b->in->service[s].thr[t];
			bool ok = fills(b, gpu, slice + c->type[t].memory);
			b->left[s] += b->in->service[s].thr[t];
			b->n[gpu]--;
			if (ok)
				return true;
		}
	return fills(b, gpu, slice + 1);
}

/* Does keeping these leave a layout on so many GPUs? */
static bool keeps(const struct mig_move_in *in, unsigned keep, int gpus)
{
	struct brute b = { .in = in, .gpus = gpus };
	int number[4], used = 0;
	for (size_t s = 0; s < in->nservice; s++)
		b.left[s] = in->service[s].rate;
	for (size_t i = 0; i < in->ntoday; i++) {
		const struct mig_today *t = &in->today[i];
		int c = 0;
		if (!(keep >> i & 1))
			continue;
		while (c < used && number[c] != t->gpu)
			c++;
		if (c == gpus)
			return false;
		if (c == used)
			number[used++] = t->gpu;
		b.place[c][b.n[c]++] = (struct mig_place){ t->type, t->start };
		b.left[t->service] -= in->service[t->service].thr[t->type];
	}
	return fills(&b, 0, 0);
}

static int least_drained(const struct mig_move_in *in, int gpus)
{
	for (int drained = 0; drained <= (int)in->ntoday; drained++)
		for (unsigned keep = 0; keep < 1u << in->ntoday; keep++)
			if ((int)in->ntoday - __builtin_popcount(keep) == drained &&
			    keeps(in, keep, gpus))
				return drained;
	return -1;
}

/* 150 small fleets: feasible exactly where exhaustive search finds one, and the drained beside the
 * least there are. */
static void against_exhaustive_search(void **s)
{
	int ours = 0, least = 0, equal = 0, cases = 0;
	(void)s;
	state = 17;
	for (int round = 0; round < 150; round++) {
		struct mig_service service[3];
		struct mig_today today[16];
		struct mig_move m;
		struct err e = { 0 };
		int gpus = 1 + (int)(next() % 3);
		random_services(&a30, 3, service, gpus * 110);
		struct mig_move_in in = { &a30, &a30.gpu, { 0, 1, 2 }, 3, service, 0, today };
		in.ntoday = random_today(&a30, 1 + (int)(next() % 2), 3, today);
		int want = least_drained(&in, gpus), r = mig_move(&in, gpus, &m, &e);
		assert_int_equal(r, want >= 0);
		if (r == 1) {
			assert_true(mig_move_ok(&in, gpus, &m));
			assert_true(m.drained >= want);
			assert_int_equal(m.kept + m.drained, in.ntoday);
			cases++;
			ours += m.drained;
			least += want;
			equal += m.drained == want;
		}
		mig_move_free(&m);
	}
	print_message("drained %d, least %d, equal in %d of %d cases\n", ours, least, equal, cases);
	assert_true(cases >= 80);
	assert_true(ours <= least * 1.05);
	assert_true(equal >= cases * 0.95);
}

/* What serves the rates as it is does not move; nor does what the packer would place elsewhere. */
static void what_serves_stays(void **s)
{
	struct err e = { 0 };
	struct mig_service v[2] = { { 200, { 100, 210, 330, 440, 800 } },
				    { 300, { 100, 210, 330, 440, 800 } } };
	/* 2 x 1g and 3g, where the packer would begin at the other end */
	const struct mig_today today[] = { { 7, 2, 0, 1 }, { 7, 0, 5, 0 }, { 7, 0, 6, 0 } };
	struct mig_move_in in = { &a100, &a100.gpu, { 0, 1, 2, 3, 4 }, 2, v, 3, today };
	struct mig_move m;
	(void)s;
	assert_int_equal(mig_move(&in, 1, &m, &e), 1);
	assert_int_equal(m.drained, 0);
	assert_int_equal(m.made, 0);
	assert_int_equal(m.gpus, 1);
	assert_int_equal(m.instance.v[0].gpu, 7);
	mig_move_free(&m);
	v[0].rate = 280; /* one more 1g: the others stay */
	assert_int_equal(mig_move(&in, 1, &m, &e), 1);
	assert_int_equal(m.drained, 0);
	assert_int_equal(m.made, 1);
	assert_true(mig_move_ok(&in, 1, &m));
	mig_move_free(&m);
	v[0].rate = 5000;
	assert_int_equal(mig_move(&in, 1, &m, &e), 0);
	mig_move_free(&m);
}

/* Random fleets of A100s: legal, rates reached, and with today's own number of GPUs it never
 * drains more than with fewer. */
static void certificates(void **s)
{
	(void)s;
	state = 5;
	for (int round = 0; round < 40; round++) {
		struct mig_service service[6];
		struct mig_today today[7 * 12];
		struct mig_packing p;
		struct err e = { 0 };
		random_services(&a100, 6, service, 700);
		struct mig_move_in in = {
			&a100, &a100.gpu, { 0, 1, 2, 3, 4 }, 6, service, 0, today
		};
		in.ntoday = random_today(&a100, 2 + (int)(next() % 6), 6, today);
		size_t bad;
		assert_true(mig_today_ok(&a100.gpu, in.ntoday, today, &bad));
		assert_int_equal(mig_pack(&a100, 6, service, 0, &p, &e), 0);
		for (int k = p.gpus; k < p.gpus + 3; k++) {
			struct mig_move m;
			assert_int_equal(mig_move(&in, k, &m, &e), 1);
			assert_true(mig_move_ok(&in, k, &m));
			mig_move_free(&m);
		}
		mig_packing_free(&p);
	}
}

static void what_cannot_run_is_found(void **s)
{
	const struct mig_today overlap[] = { { 0, 1, 0, 0 }, { 0, 0, 1, 0 } },
			       start[] = { { 0, 1, 0, 0 }, { 3, 1, 1, 0 } };
	size_t bad = 9;
	(void)s;
	assert_false(mig_today_ok(&a100.gpu, 2, overlap, &bad));
	assert_int_equal(bad, 1);
	assert_false(mig_today_ok(&a100.gpu, 2, start, &bad));
	assert_int_equal(bad, 1);
	assert_true(mig_today_ok(&a100.gpu, 1, start, &bad));
}

/* One GPU more than is worked out is refused, today's or those to move to; as many are not. */
static void too_many_gpus(void **s)
{
	struct mig_today today[MIG_MOVE_GPUS + 1];
	struct mig_service v = { 100, { 100, 210, 330, 440, 800 } };
	struct mig_move_in in = { &a100, &a100.gpu, { 0, 1, 2, 3, 4 }, 1, &v, 0, today };
	struct mig_move m;
	struct err e = { 0 };
	(void)s;
	for (int i = 0; i <= MIG_MOVE_GPUS; i++)
		today[i] = (struct mig_today){ i * 3, 0, 0, 0 };
	in.ntoday = MIG_MOVE_GPUS;
	assert_int_equal(mig_move(&in, MIG_MOVE_GPUS, &m, &e), 1);
	mig_move_free(&m);
	assert_int_equal(mig_move(&in, MIG_MOVE_GPUS + 1, &m, &e), -E2BIG);
	assert_string_not_equal(e.hint, "");
	mig_move_free(&m);
	in.ntoday = MIG_MOVE_GPUS + 1;
	assert_int_equal(mig_move(&in, 1, &m, &e), -E2BIG);
	assert_non_null(strstr(e.msg, "65 GPUs today"));
	mig_move_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_exhaustive_search),
		cmocka_unit_test(what_serves_stays),
		cmocka_unit_test(certificates),
		cmocka_unit_test(what_cannot_run_is_found),
		cmocka_unit_test(too_many_gpus),
	};
	return cmocka_run_group_tests(tests, setup, NULL);
}
