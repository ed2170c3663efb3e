/* See region.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/str.h"
#include "opt/capacity/region.h"

static bool is_allowed(const struct region_job *j, const char *name)
{
	if (!j->nallow || !strcmp(name, j->home))
		return true;
	for (size_t i = 0; i < j->nallow; i++)
		if (sv_glob(sv_of(name), sv_of(j->allow[i])))
			return true;
	return false;
}

static double move_cost(const struct region_job *j, const struct region_place *p)
{
	if (!strcmp(p->name, j->home))
		return 0;
	/* nothing to move costs nothing, at whatever price */
	double in = j->in_gb > 0 || isnan(j->in_gb) ? j->in_gb * (double)p->in_nano_gb : 0, out = 0;
	bool unknown = (j->in_gb > 0 && p->in_nano_gb < 0) || (j->out_gb > 0 && p->out_nano_gb < 0);
	if (j->out_gb > 0 || isnan(j->out_gb))
		out = j->out_gb * (double)p->out_nano_gb;
	if (unknown)
		return NAN;
	return in + out;
}

static int by_cost(const void *pa, const void *pb, void *ctx)
{
	const struct region_choice *a = pa, *b = pb;
	const struct region_place *place = ctx;
	if ((a->state == REGION_OK) != (b->state == REGION_OK)) {
		if (a->state == REGION_OK)
			return -1;
		return 1;
	}
	if (a->total_nano != b->total_nano) {
		if (a->total_nano < 0)
			return 1;
		if (b->total_nano < 0)
			return -1;
		return cmp_i64(a->total_nano, b->total_nano);
	}
	return strcmp(place[a->place].name, place[b->place].name);
}

int region_rank(const struct region_job *j, size_t n, const struct region_place *place,
		struct region_choice *ret, struct err *err)
{
	if (!(j->hours > 0 && j->hours <= 1e7) || !within_i64(j->units, 1, 1000000))
		return err_set(err, -EINVAL,
			       "a job of more than 0 hours on 1 to 1,000,000 machines is wanted");
	if (j->in_gb < 0 || j->out_gb < 0 || isinf(j->in_gb) || isinf(j->out_gb) ||
	    j->in_gb > 1e12 || j->out_gb > 1e12)
		return err_set(err, -EINVAL, "the size of the data is 0 to 10^12 GB, or not known");
	for (size_t i = 0; i < n; i++) {
		const struct region_place *p = &place[i];
		double move = move_cost(j, p),
		       run = (double)p->nano_hour * j->hours * (double)j->units;
		struct region_choice choice = { i, REGION_OK, -1, -1, -1 };
		if (p->nano_hour < 0)
			choice.state = REGION_NO_PRICE;
		else if (!is_allowed(j, p->name))
			choice.state = REGION_NOT_ALLOWED;
		else if (!isnan(j->max_latency_ms) && strcmp(p->name, j->home) &&
			 !(p->latency_ms <= j->max_latency_ms))
			choice.state = REGION_TOO_FAR;
		else if (isnan(move))
			choice.state = REGION_DATA_UNKNOWN;
		if (p->nano_hour >= 0 && run < 9e18)
			choice.run_nano = llround(run);
		if (!isnan(move) && move < 9e18)
			choice.move_nano = llround(move);
		if (choice.run_nano >= 0 && choice.move_nano >= 0 && run + move < 9e18)
			choice.total_nano = choice.run_nano + choice.move_nano;
		else if (choice.state == REGION_OK)
			choice.state = REGION_DATA_UNKNOWN;
		ret[i] = choice;
	}
	if (n)
		qsort_r(ret, n, sizeof *ret, by_cost, (void *)(uintptr_t)place);
	return 0;
}

double region_break_even_gb(const struct region_job *j, const struct region_place *home,
			    const struct region_place *there)
{
	double saved = ((double)home->nano_hour - (double)there->nano_hour) * j->hours *
		       (double)j->units;
	double in = max_double(j->in_gb, 0), out = max_double(j->out_gb, 0), gb = in + out;
	/* in the proportion of the data that is stated, else what goes in */
	double usd_gb =
		gb > 0 ? (in * (double)there->in_nano_gb + out * (double)there->out_nano_gb) / gb
		       : (double)there->in_nano_gb;
	if (home->nano_hour < 0 || there->nano_hour < 0 || usd_gb < 0)
		return NAN;
	if (saved <= 0)
		return 0;
	if (usd_gb > 0)
		return saved / usd_gb;
	return INFINITY;
}

void region_shift(const int64_t profile[24], int32_t utc_offset_s, int64_t ret[24])
{
	int off = (int)(utc_offset_s / 3600 - (utc_offset_s % 3600 < 0)) % 24;
	for (int h = 0; h < 24; h++)
		ret[h] = profile[(h + off + 48) % 24];
}
