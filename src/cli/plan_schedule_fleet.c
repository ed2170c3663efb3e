/* Many jobs on the machines of each place: jobs and prices onto slots, the plan beside its
 * bounds. */
#include <errno.h>
#include <math.h>
#include "base/jw.h"
#include "base/tm.h"
#include "cli/plan_schedule.h"
#include "opt/schedule_fleet.h"

struct fleet {
	struct schedule_ask *a;
	struct plan_jobs jobs;
	int64_t from_ms, shift_ms; /* of the slots; jobs were moved by this */
	size_t nslot;
	int64_t *price, *capacity, *move; /* [place][slot], [place][slot], [job][place] */
	struct slot_job *job;             /* [njob] */
	uint32_t *row;                    /* [njob] of jobs */
	size_t njob, outside;
	struct slot_answer answer;
	dec at_once; /* all at home as they come, without limit */
	size_t at_once_unknown;
};

/* The slots that all prices span together. */
static int lay_slots(struct fleet *f, struct err *err)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	for (size_t i = 0; i < f->a->place.n; i++) {
		const struct price_series *s = &f->a->place.v[i].series;
		int r = price_series_check(s, err);
		if (r < 0)
			return r;
		first = s->step[0].at_ms < first ? s->step[0].at_ms : first;
		last = s->end_ms > last ? s->end_ms : last;
	}
	f->from_ms = f->a->from_ms != UNKNOWN_MS ? f->a->from_ms : first;
	if (f->a->slot_ms < MS_MINUTE || f->a->slot_ms > MS_DAY)
		return err_set(err, -EINVAL, "--slot: a minute to a day is wanted");
	f->nslot = last > f->from_ms ? (size_t)((last - f->from_ms) / f->a->slot_ms) : 0;
	if (!f->nslot)
		return err_set(err, -EINVAL, "no price lies behind --from");
	return 0;
}

/* Slots up to the last deadline are enough. */
static void cut_slots(struct fleet *f)
{
	size_t need = 1;
	for (size_t k = 0; k < f->njob; k++)
		need = f->job[k].deadline > need ? f->job[k].deadline : need;
	f->nslot = need < f->nslot ? need : f->nslot;
}

/* Price of a unit for a slot, from the integral of the steps; one pass. */
static void price_slots(struct fleet *f)
{
	for (size_t p = 0; p < f->a->place.n; p++) {
		const struct price_series *s = &f->a->place.v[p].series;
		size_t i = 0;
		for (size_t t = 0; t < f->nslot; t++) {
			int64_t from = f->from_ms + (int64_t)t * f->a->slot_ms,
				to = from + f->a->slot_ms;
			__int128 sum = 0;
			bool none = from < s->step[0].at_ms || to > s->end_ms;
			while (i + 1 < s->n && s->step[i + 1].at_ms <= from)
				i++;
			for (size_t k = i; k < s->n && s->step[k].at_ms < to && !none; k++) {
				int64_t x = s->step[k].at_ms > from ? s->step[k].at_ms : from,
					y = k + 1 < s->n && s->step[k + 1].at_ms < to
						    ? s->step[k + 1].at_ms
						    : to;
				none |= s->step[k].nano_hour < 0;
				sum += (__int128)s->step[k].nano_hour * (y - x);
			}
			f->price[p * f->nslot + t] = none ? -1
							  : (int64_t)div_half_even(sum, MS_HOUR);
		}
	}
}

static int64_t slot_up(const struct fleet *f, int64_t ms)
{
	return -tm_floor(-(ms - f->from_ms), f->a->slot_ms) / f->a->slot_ms;
}

/* Jobs whose times do not meet the prices' start together with them. */
static void align(struct fleet *f)
{
	int64_t first = INT64_MAX, end = f->from_ms + (int64_t)f->nslot * f->a->slot_ms;
	bool any = false;
	for (size_t i = 0; i < f->jobs.v.n; i++) {
		int64_t s = f->jobs.v.v[i].start_ms;
		first = s < first ? s : first;
		any |= s >= f->from_ms && s < end;
	}
	f->shift_ms = any ? 0 : f->from_ms - first;
}

static int64_t move_nano(const struct fleet *f, const struct plan_job *j, const char *place)
{
	const struct schedule_ask *a = f->a;
	double gb = !isnan(j->egress_gb) ? j->egress_gb : isnan(a->egress_gb) ? 0 : a->egress_gb;
	if (!schedule_allowed(a, place))
		return -1;
	gb += isnan(a->back_gb) ? 0 : a->back_gb;
	if (!strcmp(place, a->home) || gb <= 0)
		return 0;
	double nano = gb * dec_to_double(a->egress_usd_gb) * 1e9;
	return nano < 1e15 ? llround(nano) : -1;
}

/* A job onto slots; one that cannot lie within the prices is counted and left out. */
static int lay_job(struct fleet *f, size_t i, struct err *err)
{
	const struct plan_job *j = &f->jobs.v.v[i];
	int64_t start = j->start_ms + f->shift_ms,
		end = j->deadline_ms == UNKNOWN_MS ? start + j->length_ms + f->a->slack_ms
						   : j->deadline_ms + f->shift_ms;
	int64_t release = slot_up(f, start),
		length = (j->length_ms + f->a->slot_ms - 1) / f->a->slot_ms,
		deadline = tm_floor(end - f->from_ms, f->a->slot_ms) / f->a->slot_ms;
	if (!j->units || !length)
		return 0;
	if (j->units > 1000000)
		return err_set(err, -EINVAL, "line %lld: more than 1,000,000 machines for a job",
			       (long long)j->line);
	/* rounding to slots took its slack: it starts in the first slot */
	if (deadline < release + length)
		deadline = release + length;
	if (release < 0 || deadline > (int64_t)f->nslot) {
		f->outside++;
		return 0;
	}
	f->job[f->njob] = (struct slot_job){ (uint32_t)release, (uint32_t)deadline,
					     (uint32_t)length, j->units,
					     f->move + f->njob * f->a->place.n };
	for (size_t p = 0; p < f->a->place.n; p++)
		f->move[f->njob * f->a->place.n + p] = move_nano(f, j, f->a->place.v[p].name);
	f->row[f->njob++] = (uint32_t)i;
	return 0;
}

static void add_at_once(struct fleet *f)
{
	size_t home = 0;
	for (size_t p = 0; p < f->a->place.n; p++)
		home = !strcmp(f->a->place.v[p].name, f->a->home) ? p : home;
	for (size_t k = 0; k < f->njob; k++) {
		__int128 nano = 0;
		bool known = true;
		for (size_t t = f->job[k].release; t < f->job[k].release + f->job[k].length; t++) {
			int64_t c = f->price[home * f->nslot + t];
			known &= c >= 0;
			nano += (__int128)c * f->job[k].units;
		}
		f->at_once_unknown += !known;
		f->at_once += known ? nano * 1000 : 0;
	}
}

static int load(struct fleet *f, const char *path, struct err *err)
{
	struct input *in = NULL;
	int r = lay_slots(f, err);
	if (r >= 0)
		r = input_open(path, &in, err);
	if (r < 0)
		return r;
	r = plan_jobs_read(in, &f->jobs, err);
	input_close(in);
	if (r < 0)
		return r;
	size_t n = f->jobs.v.n;
	if (n * f->a->place.n > 100000000)
		return err_set(err, -E2BIG, "%zu jobs at %zu places are too many", n,
			       f->a->place.n);
	f->job = xmalloc((n + 1) * sizeof *f->job);
	f->row = xmalloc((n + 1) * sizeof *f->row);
	f->move = xmalloc((n * f->a->place.n + 1) * sizeof *f->move);
	align(f);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = lay_job(f, i, err);
	if (r >= 0 && !f->njob)
		r = err_set(err, -ENODATA,
			    "none of the %zu jobs lies within the hours of the prices", n);
	return r;
}

static int solve(struct fleet *f, struct err *err)
{
	cut_slots(f);
	size_t cells = f->a->place.n * f->nslot;
	f->price = xmalloc((cells + 1) * sizeof *f->price);
	f->capacity = xmalloc((cells + 1) * sizeof *f->capacity);
	for (size_t i = 0; i < cells; i++)
		f->capacity[i] = f->a->capacity;
	price_slots(f);
	add_at_once(f);
	struct slot_problem p = {
		f->a->place.n, f->nslot, f->njob, f->price, f->a->capacity < 0 ? NULL : f->capacity,
		f->job
	};
	return slot_solve(&p, &f->answer, err);
}

/* ---- printing ---------------------------------------------------------------------------- */

static void json_nano(struct jw *w, const char *key, int64_t nano)
{
	jw_key(w, key);
	if (nano < 0)
		jw_null(w);
	else
		jw_dec(w, nano_to_dec(nano));
}

static int64_t slot_ms(const struct fleet *f, int64_t t)
{
	return f->from_ms + t * f->a->slot_ms - f->shift_ms;
}

static void json_runs(struct jw *w, const struct fleet *f)
{
	jw_key(w, "schedule");
	jw_arr(w);
	for (size_t k = 0; k < f->njob; k++) {
		const struct plan_job *j = &f->jobs.v.v[f->row[k]];
		int32_t p = f->answer.place[k], s = f->answer.start[k];
		jw_obj(w);
		jw_key(w, "id");
		jw_str(w, *j->id ? j->id : NULL);
		jw_key(w, "line");
		jw_int(w, j->line);
		jw_key(w, "units");
		jw_int(w, j->units);
		jw_key(w, "place");
		jw_str(w, p < 0 ? NULL : f->a->place.v[p].name);
		jw_key(w, "start");
		p < 0 ? jw_null(w) : jw_time(w, slot_ms(f, s));
		jw_key(w, "end");
		p < 0 ? jw_null(w) : jw_time(w, slot_ms(f, s + (int64_t)f->job[k].length));
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void print_json(const struct fleet *f, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-schedule/1");
	jw_key(&w, "mode");
	jw_str(&w, "fleet");
	jw_key(&w, "currency");
	jw_str(&w, "USD");
	jw_key(&w, "jobs");
	jw_int(&w, (int64_t)f->njob);
	jw_key(&w, "outside");
	jw_int(&w, (int64_t)f->outside);
	jw_key(&w, "left_out");
	jw_int(&w, (int64_t)f->answer.left_out);
	jw_key(&w, "moved_by_s");
	jw_int(&w, f->shift_ms / 1000);
	json_nano(&w, "cost", f->answer.cost_nano);
	jw_key(&w, "at_once_cost");
	f->at_once_unknown ? jw_null(&w) : jw_dec(&w, f->at_once);
	json_nano(&w, "flow_bound", f->answer.flow_nano);
	json_nano(&w, "price_bound", f->answer.price_nano);
	jw_key(&w, "gap_frac");
	jw_num(&w, f->answer.gap_frac, 6);
	json_runs(&w, f);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static const char *people(struct arena *a, int64_t nano)
{
	char b[DEC_BUF];
	return nano < 0 ? "-" : arena_printf(a, "%s", dec_format_people(b, nano_to_dec(nano), 2));
}

static void print_text(const struct fleet *f, struct str *out)
{
	const struct slot_answer *r = &f->answer;
	struct arena *a = &f->a->cli->mem;
	char b[DEC_BUF];
	str_addf(out, "%zu job%s at %zu place%s", f->njob, f->njob == 1 ? "" : "s", f->a->place.n,
		 f->a->place.n == 1 ? "" : "s");
	if (f->a->capacity >= 0)
		str_addf(out, ", %lld machines at each", (long long)f->a->capacity);
	str_addf(out, ": %s $ in all\n", people(a, r->cost_nano));
	if (!f->at_once_unknown)
		str_addf(out, "  as they come, at %s, without limit  %s $\n",
			 *f->a->home ? f->a->home : "home", dec_format_people(b, f->at_once, 2));
	str_addf(
		out,
		"  no schedule is below               %s $ (min-cost flow %s, priced capacity %s)\n",
		people(a, r->flow_nano > r->price_nano ? r->flow_nano : r->price_nano),
		people(a, r->flow_nano), people(a, r->price_nano));
	if (!isnan(r->gap_frac))
		str_addf(out, "  above the bound                    %.3f %%\n", r->gap_frac * 100);
	if (r->left_out)
		str_addf(out, "%zu job%s without room before the deadline: not in the sums.\n",
			 r->left_out, r->left_out == 1 ? "" : "s");
	if (f->outside)
		str_addf(out, "%zu job%s outside of the hours of the prices: not in the sums.\n",
			 f->outside, f->outside == 1 ? "" : "s");
	if (f->shift_ms)
		str_addf(out,
			 "The jobs' times do not meet the prices': all were moved by %.0f hours.\n",
			 (double)f->shift_ms / (double)MS_HOUR);
	str_addz(out, "-o csv or -o json gives each job's place and start.\n");
}

static void print_csv(const struct fleet *f, struct str *out)
{
	char t[TM_BUF];
	str_addz(out, "line,id,units,place,start,end\n");
	for (size_t k = 0; k < f->njob; k++) {
		const struct plan_job *j = &f->jobs.v.v[f->row[k]];
		int32_t p = f->answer.place[k], s = f->answer.start[k];
		str_addf(out, "%lld,", (long long)j->line);
		if (*j->id) {
			str_addc(out, '"');
			for (const char *c = j->id; *c; c++)
				*c == '"' ? str_addz(out, "\"\"") : str_addc(out, *c);
			str_addc(out, '"');
		}
		str_addf(out, ",%lld,%s", (long long)j->units, p < 0 ? "" : f->a->place.v[p].name);
		str_addf(out, ",%s", p < 0 ? "" : tm_format(t, slot_ms(f, s)));
		str_addf(out, ",%s\n",
			 p < 0 ? "" : tm_format(t, slot_ms(f, s + (int64_t)f->job[k].length)));
	}
}

int schedule_fleet_run(struct schedule_ask *a, const char *jobs, struct str *out, struct err *err)
{
	struct fleet f = { .a = a };
	if (!a->home)
		a->home = a->place.v[0].name;
	int r = load(&f, jobs, err);
	if (r >= 0)
		r = solve(&f, err);
	if (r >= 0) {
		if (a->cli->output == OUT_JSON)
			print_json(&f, out);
		else if (a->cli->output == OUT_CSV)
			print_csv(&f, out);
		else
			print_text(&f, out);
		r = f.answer.left_out == f.njob ? EXIT_INCOMPLETE : EXIT_DONE;
		slot_answer_free(&f.answer);
	}
	plan_jobs_free(&f.jobs);
	free(f.price);
	free(f.capacity);
	free(f.move);
	free(f.job);
	free(f.row);
	return r;
}
