/* Many jobs on the machines of each place: jobs and prices onto slots, the plan beside its
 * bounds. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/plan/plan_schedule_in.h"
#include "base/num.h"
#include "base/tm.h"
#include "feed/planner/plan_csv.h"
#include "opt/schedule/schedule_fleet.h"

struct fleet {
	const struct schedule_fleet_ask *q;
	struct schedule_places *p;
	struct plan_jobs jobs;
	int64_t from_ms, shift_ms; /* of the slots; jobs were moved by this */
	size_t nslot;
	int64_t *price, *capacity, *move; /* [place][slot], [place][slot], [job][place] */
	struct slot_job *job;             /* [njob] */
	uint32_t *row;                    /* [njob] of jobs */
	size_t njob, outside;
	int64_t rounded_up;
	struct slot_answer answer;
	dec at_once; /* all at home as they come, without limit */
	size_t at_once_unknown;
};

/* Price of a unit for a slot, from the integral of the steps; one pass. */
static void price_slots(struct fleet *f)
{
	for (size_t p = 0; p < f->p->place.n; p++) {
		const struct price_series *s = &f->p->place.v[p].series;
		size_t i = 0;
		for (size_t t = 0; t < f->nslot; t++) {
			int64_t from = f->from_ms + (int64_t)t * f->q->a.slot_ms,
				to = from + f->q->a.slot_ms;
			__int128 sum = 0;
			bool none = from < s->step[0].at_ms || to > s->end_ms;
			while (i + 1 < s->n && s->step[i + 1].at_ms <= from)
				i++;
			for (size_t k = i; k < s->n && s->step[k].at_ms < to && !none; k++) {
				int64_t x = max_i64(s->step[k].at_ms, from), y = to;
				if (k + 1 < s->n && s->step[k + 1].at_ms < to)
					y = s->step[k + 1].at_ms;
				none |= s->step[k].nano_hour < 0;
				sum += (__int128)s->step[k].nano_hour * (y - x);
			}
			if (none)
				f->price[p * f->nslot + t] = -1;
			else
				f->price[p * f->nslot + t] = (int64_t)div_half_even(sum, MS_HOUR);
		}
	}
}

static int64_t move_nano(const struct fleet *f, const struct plan_job *j, const char *place)
{
	const struct schedule_ask *a = &f->q->a;
	double gb = j->egress_gb;
	if (isnan(j->egress_gb))
		gb = known_or(a->egress_gb, 0);
	if (!schedule_allowed(a, place))
		return -1;
	gb += known_or(a->back_gb, 0);
	if (!strcmp(place, f->p->home) || gb <= 0)
		return 0;
	double nano = gb * dec_to_double(a->egress_usd_gb) * 1e9;
	if (nano < 1e15)
		return llround(nano);
	return -1;
}

/* A job onto slots; one that cannot lie within the prices is counted and left out. */
static int lay_job(struct fleet *f, size_t i, struct err *err)
{
	const struct plan_job *j = &f->jobs.v.v[i];
	int64_t start = j->start_ms + f->shift_ms,
		end = j->deadline_ms == UNKNOWN_MS ? start + j->length_ms + f->q->slack_ms
						   : j->deadline_ms + f->shift_ms;
	int64_t release = -tm_floor(-(start - f->from_ms), f->q->a.slot_ms) / f->q->a.slot_ms,
		length = (j->length_ms + f->q->a.slot_ms - 1) / f->q->a.slot_ms,
		deadline = tm_floor(end - f->from_ms, f->q->a.slot_ms) / f->q->a.slot_ms;
	int64_t rounded = 0, units = plan_job_whole_units(j, &rounded);
	if (!units || !length)
		return 0;
	if (units > 1000000)
		return err_set(err, -EINVAL, "line %lld: more than 1,000,000 machines for a job",
			       (long long)j->line);
	/* rounding to slots took its slack: it starts in the first slot */
	if (deadline < release + length)
		deadline = release + length;
	if (release < 0 || deadline > (int64_t)f->nslot) {
		f->outside++;
		return 0;
	}
	f->rounded_up += rounded;
	f->job[f->njob] = (struct slot_job){ (uint32_t)release, (uint32_t)deadline,
					     (uint32_t)length, units,
					     f->move + f->njob * f->p->place.n };
	for (size_t p = 0; p < f->p->place.n; p++)
		f->move[f->njob * f->p->place.n + p] = move_nano(f, j, f->p->place.v[p].name);
	f->row[f->njob++] = (uint32_t)i;
	return 0;
}

static int load_prices(struct fleet *f, struct err *err)
{
	struct input *in = NULL;
	int r = 0;

	/* The slots that all prices span together. */
	for (size_t i = 0; i < f->p->place.n && r >= 0; i++)
		r = price_series_check(&f->p->place.v[i].series, err);
	if (r < 0)
		return r;
	f->from_ms = f->q->a.from_ms != UNKNOWN_MS ? f->q->a.from_ms : f->p->first_ms;
	if (f->q->a.slot_ms < MS_MINUTE || f->q->a.slot_ms > MS_DAY)
		return err_set(err, -EINVAL, "--slot: a minute to a day is wanted");
	f->nslot = 0;
	if (f->p->end_ms > f->from_ms)
		f->nslot = (size_t)((f->p->end_ms - f->from_ms) / f->q->a.slot_ms);
	if (!f->nslot)
		return err_set(err, -EINVAL, "no price lies behind --from");

	r = input_open(f->q->jobs, &in, err);
	if (r < 0)
		return r;
	r = plan_jobs_read(in, &f->jobs, err);
	input_close(in);
	if (r < 0)
		return r;
	size_t n = f->jobs.v.n;
	if (n * f->p->place.n > 100000000)
		return err_set(err, -E2BIG, "%zu jobs at %zu places are too many", n,
			       f->p->place.n);
	f->job = xmalloc((n + 1) * sizeof *f->job);
	f->row = xmalloc((n + 1) * sizeof *f->row);
	f->move = xmalloc((n * f->p->place.n + 1) * sizeof *f->move);

	/* Jobs whose times do not meet the prices' start together with them. */
	int64_t first = INT64_MAX, end = f->from_ms + (int64_t)f->nslot * f->q->a.slot_ms;
	bool any = false;
	for (size_t i = 0; i < f->jobs.v.n; i++) {
		int64_t s = f->jobs.v.v[i].start_ms;
		first = min_i64(s, first);
		any |= s >= f->from_ms && s < end;
	}
	f->shift_ms = any ? 0 : f->from_ms - first;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = lay_job(f, i, err);
	if (r >= 0 && !f->njob)
		r = err_set(err, -ENODATA,
			    "none of the %zu jobs lies within the hours of the prices", n);
	return r;
}

static int solve_fleet(struct fleet *f, struct err *err)
{
	/* Slots up to the last deadline are enough. */
	size_t need = 1;
	for (size_t k = 0; k < f->njob; k++)
		need = max_size(f->job[k].deadline, need);
	f->nslot = min_size(need, f->nslot);

	size_t cells = f->p->place.n * f->nslot;
	f->price = xmalloc((cells + 1) * sizeof *f->price);
	f->capacity = xmalloc((cells + 1) * sizeof *f->capacity);
	for (size_t i = 0; i < cells; i++)
		f->capacity[i] = f->q->capacity;
	price_slots(f);

	size_t home = 0;
	for (size_t i = 0; i < f->p->place.n; i++)
		if (!strcmp(f->p->place.v[i].name, f->p->home))
			home = i;
	for (size_t k = 0; k < f->njob; k++) {
		__int128 nano = 0;
		bool known = true;
		for (size_t t = f->job[k].release; t < f->job[k].release + f->job[k].length; t++) {
			int64_t c = f->price[home * f->nslot + t];
			known &= c >= 0;
			nano += (__int128)c * f->job[k].units;
		}
		f->at_once_unknown += !known;
		if (known)
			f->at_once += nano * 1000;
	}
	struct slot_problem p = {
		f->p->place.n, f->nslot, f->njob, f->price, f->q->capacity < 0 ? NULL : f->capacity,
		f->job
	};
	return slot_solve(&p, &f->answer, err);
}

static int64_t slot_ms(const struct fleet *f, int64_t t)
{
	return f->from_ms + t * f->q->a.slot_ms - f->shift_ms;
}

int answer_schedule_fleet(const struct schedule_fleet_ask *q, struct schedule_fleet_answer *ret,
			  struct err *err)
{
	struct schedule_places p = { 0 };
	struct fleet f = { .q = q, .p = &p };
	int r = schedule_places_read(&q->a, &p, err);

	if (r >= 0)
		r = load_prices(&f, err);
	if (r >= 0)
		r = solve_fleet(&f, err);
	if (r >= 0) {
		struct arena *mem = f.q->a.mem;

		*ret = (struct schedule_fleet_answer){
			.nplace = f.p->place.n,
			.home = f.p->home,
			.run = arena_alloc(mem, (f.njob + 1) * sizeof *ret->run),
			.n = f.njob,
			.outside = f.outside,
			.rounded_up = f.rounded_up,
			.left_out = f.answer.left_out,
			.shift_ms = f.shift_ms,
			.cost_nano = f.answer.cost_nano,
			.flow_nano = f.answer.flow_nano,
			.price_nano = f.answer.price_nano,
			.gap_frac = f.answer.gap_frac,
			.at_once = f.at_once,
			.has_at_once = !f.at_once_unknown,
		};
		for (size_t k = 0; k < f.njob; k++) {
			const struct plan_job *j = &f.jobs.v.v[f.row[k]];
			int32_t at = f.answer.place[k], s = f.answer.start[k];
			ret->run[k] = (struct schedule_run){
				.id = arena_sv(mem, sv_of(j->id)),
				.line = j->line,
				.units = f.job[k].units,
				.place = at < 0 ? NULL : f.p->place.v[at].name,
				.start_ms = slot_ms(&f, s),
				.end_ms = slot_ms(&f, s + (int64_t)f.job[k].length),
			};
		}
		slot_answer_free(&f.answer);
	}
	plan_jobs_free(&f.jobs);
	free(f.price);
	free(f.capacity);
	free(f.move);
	free(f.job);
	free(f.row);
	schedule_places_free(&p);
	return r;
}
