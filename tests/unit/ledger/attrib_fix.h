/* Shared by the attribution tests: build inputs in a line, collect entries, look them up. */
#ifndef ATTRIB_FIX_H
#define ATTRIB_FIX_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/tm.h"
#include "ledger/attrib.h"

#define H0   (INT64_C(480000) * MS_HOUR) /* some full hour */
#define MIN_ MS_MINUTE
#define GIB  (1024.0 * 1024 * 1024)

struct fix {
	struct attrib_conf conf;
	struct attrib_gpu gpu;
	VEC(struct attrib_paid) paid;
	VEC(struct attrib_alloc) alloc;
	VEC(struct attrib_sample) sample;
	VEC(struct sample) value;
	VEC(struct attrib_seen) seen; /* of a pool */
	size_t at;
	VEC(struct attrib_entry) entry;
	struct attrib_rest rest;
	struct err err;
};

static inline void fix_init(struct fix *f)
{
	memset(f, 0, sizeof *f);
	attrib_conf_default(&f->conf);
	f->gpu = (struct attrib_gpu){ .mem_total_bytes = 80 * GIB,
				      .tdp_w = 700,
				      .geom = { .compute = 7, .memory = 8 } };
}

static inline void fix_free(struct fix *f)
{
	vec_free(&f->paid);
	vec_free(&f->alloc);
	vec_free(&f->sample);
	vec_free(&f->value);
	vec_free(&f->seen);
	vec_free(&f->entry);
}

static inline dec dec_z(const char *s)
{
	dec d;
	assert_int_equal(dec_parse(sv_of(s), 0, &d), 0);
	return d;
}

/* Paid from..to (minutes after H0) at a price per GPU-hour in all bases, or none. */
static inline struct attrib_paid *pay(struct fix *f, double from_min, double to_min,
				      const char *usd)
{
	struct attrib_paid *p = vec_push(&f->paid);
	*p = (struct attrib_paid){ .from_ms = H0 + llround(from_min * MIN_),
				   .to_ms = H0 + llround(to_min * MIN_),
				   .gpus_milli = 1000,
				   .gpus_known = true,
				   .purchase = SV("on_demand"),
				   .currency = SV("USD"),
				   .recorded = true,
				   .unheld_state = STATE_UNALLOCATED,
				   .unheld_cause = CAUSE_FREE,
				   .owner = ATTRIB_NOBODY };
	for (int b = 0; b < BASIS_N && usd; b++) {
		p->has_rate[b] = true;
		p->rate_gpu_hour[b] = dec_z(usd);
	}
	return p;
}

static inline struct attrib_alloc *hold(struct fix *f, double from_min, double to_min, size_t owner)
{
	struct attrib_alloc *a = vec_push(&f->alloc);
	*a = (struct attrib_alloc){ .from_ms = H0 + llround(from_min * MIN_),
				    .to_ms = H0 + llround(to_min * MIN_),
				    .owner = owner,
				    .gpus_milli = 1000,
				    .share_kind = SHARE_WHOLE,
				    .share_ppb = -1,
				    .mig_start = -1 };
	return a;
}

static inline struct sample *see_ms(struct fix *f, int64_t at_ms, int32_t step_ms, double util,
				    double mem_gib)
{
	struct sample *s = vec_push(&f->value);
	*s = (struct sample){ .t_ms = at_ms, .step_ms = step_ms };
	for (int m = 0; m < METRIC_N; m++)
		s->value[m] = NAN;
	s->value[METRIC_GPU_UTIL_PCT] = util;
	s->value[METRIC_MEM_USED_BYTES] = mem_gib * GIB;
	*vec_push(&f->sample) = (struct attrib_sample){ .owner = ATTRIB_NOBODY };
	return s;
}

/* A sample of the whole GPU over [from, to) minutes. */
static inline struct sample *see(struct fix *f, double from_min, double to_min, double util,
				 double mem_gib)
{
	return see_ms(f, H0 + llround(from_min * MIN_),
		      (int32_t)llround((to_min - from_min) * MIN_), util, mem_gib);
}

static inline struct attrib_sample *last_sample(struct fix *f)
{
	return &f->sample.v[f->sample.n - 1];
}

static int fix_next(void *ctx, struct attrib_sample *ret, struct err *err)
{
	struct fix *f = ctx;
	if (f->at >= f->sample.n)
		return 0;
	*ret = f->sample.v[f->at];
	ret->s = &f->value.v[f->at++];
	return 1;
}

static int fix_emit(void *ctx, const struct attrib_entry *e, struct err *err)
{
	struct fix *f = ctx;
	*vec_push(&f->entry) = *e;
	return 0;
}

static inline int fix_try(struct fix *f)
{
	f->at = 0;
	vec_clear(&f->entry);
	f->gpu.paid = f->paid.v;
	f->gpu.npaid = f->paid.n;
	f->gpu.alloc = f->alloc.v;
	f->gpu.nalloc = f->alloc.n;
	struct attrib_out out = { fix_emit, f, &f->rest };
	return attrib_gpu(&f->conf, &f->gpu, fix_next, f, &out, &f->err);
}

static inline void fix_run(struct fix *f)
{
	int r = fix_try(f);
	if (r)
		print_message("%s\n", f->err.msg);
	assert_int_equal(r, 0);
}

static inline int fix_try_pool(struct fix *f)
{
	vec_clear(&f->entry);
	struct attrib_pool of = {
		f->paid.v, f->paid.n, f->alloc.v, f->alloc.n, f->seen.v, f->seen.n
	};
	struct attrib_out out = { fix_emit, f, &f->rest };
	return attrib_pool(&f->conf, &of, &out, &f->err);
}

static inline void fix_dump(const struct fix *f)
{
	for (size_t i = 0; i < f->entry.n; i++) {
		const struct attrib_entry *e = &f->entry.v[i];
		print_message(
			"h%+lld owner %zd state %d cause %d q %d ms %lld util %lld nano %lld\n",
			(long long)((e->hour_ms - H0) / MS_HOUR), (ssize_t)e->owner, e->state,
			e->cause, e->quality, (long long)e->ms, (long long)e->util_ms,
			(long long)e->nano[BASIS_BILLED]);
	}
}

/* Sum of ms (or nano) over all hours of entries like this; cause or owner -1 = any. */
static inline int64_t total(const struct fix *f, int owner, enum state state, int cause, bool nano)
{
	int64_t sum = 0;
	for (size_t i = 0; i < f->entry.n; i++) {
		const struct attrib_entry *e = &f->entry.v[i];
		if ((owner == -1 || e->owner == (size_t)owner) && e->state == state &&
		    (cause == -1 || e->cause == (enum cause)cause))
			sum += nano ? e->nano[BASIS_BILLED] : e->ms;
	}
	return sum;
}
#define ms_of(f, owner, state, cause)   total(f, owner, state, cause, false)
#define nano_of(f, owner, state, cause) total(f, owner, state, cause, true)

static inline int64_t nobody_ms(const struct fix *f, enum state state, int cause)
{
	int64_t sum = 0;
	for (size_t i = 0; i < f->entry.n; i++)
		if (f->entry.v[i].owner == ATTRIB_NOBODY && f->entry.v[i].state == state &&
		    (cause == -1 || (int)f->entry.v[i].cause == cause))
			sum += f->entry.v[i].ms;
	return sum;
}

static inline int64_t all_ms(const struct fix *f)
{
	int64_t sum = 0;
	for (size_t i = 0; i < f->entry.n; i++)
		sum += f->entry.v[i].ms;
	return sum;
}

static inline int64_t all_nano(const struct fix *f)
{
	int64_t sum = 0;
	for (size_t i = 0; i < f->entry.n; i++)
		sum += f->entry.v[i].nano[BASIS_BILLED] == UNKNOWN_NANO
			       ? 0
			       : f->entry.v[i].nano[BASIS_BILLED];
	return sum;
}

static inline int64_t quality_ms(const struct fix *f, enum state state, enum quality quality)
{
	int64_t sum = 0;
	for (size_t i = 0; i < f->entry.n; i++)
		if (f->entry.v[i].state == state && f->entry.v[i].quality == quality)
			sum += f->entry.v[i].ms;
	return sum;
}

static inline enum quality quality_at(const struct fix *f, enum state state)
{
	for (size_t i = 0; i < f->entry.n; i++)
		if (f->entry.v[i].state == state)
			return f->entry.v[i].quality;
	fail_msg("no entry of state %d", state);
	return QUALITY_N;
}

/* Rows + rest = exact product of seconds and price, as integers: (nano * 10^3 * 3600000 + pico_ms)
 * against price x ms. */
static inline void assert_exact(const struct fix *f, dec price, int64_t ms)
{
	__int128 rows = (__int128)all_nano(f) * 1000 * 3600000;
	assert_true(rows + f->rest.pico_ms[BASIS_BILLED] == price * ms);
	assert_true(f->rest.pico_ms_part[BASIS_BILLED] == 0);
}
#endif
