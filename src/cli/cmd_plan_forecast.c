/* tare plan forecast: demand by the hour, by team and GPU model from the store, or of one file;
 * projects entered by hand on top. */
#include <errno.h>
#include <math.h>
#include "answer/plan_demand.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/plan_forecast_view.h"

/* The first four weeks train the weights; they are not counted where a history is long enough to
 * spare them. */
#define TRAIN_HOURS 672
#define MAX_SERIES  20000

struct planned {
	const char *team, *model;
	double units;
	int64_t from_ms, to_ms;
};

struct job {
	struct cli *cli;
	struct forecast_view v;
	VEC(struct forecast_series) series;
	VEC(struct planned) planned;
	VEC(const char *) note;
};

/* ---- what is planned --------------------------------------------------------------------- */

/* "nlp:H100:16:2026-12-01:2027-01-15"; instants may hold colons themselves, so every cut between
 * FROM and TO is tried. */
static int parse_span(struct sv s, struct planned *p)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == ':' && tm_parse((struct sv){ s.p, i }, 0, &p->from_ms) >= 0 &&
		    tm_parse((struct sv){ s.p + i + 1, s.n - i - 1 }, 0, &p->to_ms) >= 0)
			return p->from_ms < p->to_ms ? 0 : -EDOM;
	return -EINVAL;
}

static int parse_planned(struct job *j, const char *text, struct err *err)
{
	struct sv rest = sv_of(text), team = sv_trim(sv_cut(rest, ':', &rest)),
		  model = sv_trim(sv_cut(rest, ':', &rest)),
		  units = sv_trim(sv_cut(rest, ':', &rest));
	struct planned p = { arena_sv(&j->cli->mem, team),
			     arena_strn(&j->cli->mem, model.n ? model.p : "", model.n), 0, 0, 0 };
	int r = rest.n && sv_f64(units, &p.units) >= 0 && p.units > 0 && p.units <= 1e6
			? parse_span(rest, &p)
			: -EINVAL;
	if (r == -EDOM)
		return err_set(err, -EINVAL, "--add: '%s' ends before it begins", text);
	if (r < 0) {
		err_set(err, -EINVAL, "--add: '%s' is no TEAM:MODEL:GPUS:FROM:TO", text);
		err_hint(err, "such as nlp:H100:16:2026-12-01:2027-01-15");
		return -EINVAL;
	}
	*vec_push(&j->planned) = p;
	return 0;
}

/* GPUs of the plan in each hour ahead; part of an hour counts as its part. */
static void lay(struct job *j, struct forecast_series *s, const struct planned *p)
{
	for (size_t i = 0; i < j->v.horizon; i++) {
		int64_t h = forecast_start_ms(&j->v) + (int64_t)i * MS_HOUR,
			from = p->from_ms > h ? p->from_ms : h,
			to = p->to_ms < h + MS_HOUR ? p->to_ms : h + MS_HOUR;
		if (to > from)
			s->planned[i] += p->units * (double)(to - from) / (double)MS_HOUR;
		s->planned_max = fmax(s->planned_max, s->planned[i]);
	}
}

static struct forecast_series *series_of(struct job *j, const char *team, const char *model)
{
	for (size_t i = 0; i < j->series.n; i++)
		if (!j->series.v[i].team ||
		    (!strcmp(j->series.v[i].team, team) && !strcmp(j->series.v[i].model, model)))
			return &j->series.v[i];
	return NULL;
}

static struct forecast_series *series_add(struct job *j, const char *team, const char *model)
{
	struct forecast_series *s = vec_push(&j->series);
	*s = (struct forecast_series){ .team = team, .model = model };
	s->y = xmalloc((j->v.n + 1) * sizeof *s->y);
	s->planned = xcalloc(j->v.horizon, sizeof *s->planned);
	return s;
}

static void lay_all(struct job *j)
{
	int64_t end = forecast_start_ms(&j->v) + (int64_t)j->v.horizon * MS_HOUR;
	for (size_t i = 0; i < j->planned.n; i++) {
		const struct planned *p = &j->planned.v[i];
		struct forecast_series *s = series_of(j, p->team, p->model);
		if (p->to_ms <= forecast_start_ms(&j->v) || p->from_ms >= end) {
			*vec_push(&j->note) = arena_printf(
				&j->cli->mem,
				"The plan of %s for %s lies outside of the hours forecast.",
				p->team, p->model);
			continue;
		}
		if (!s) {
			s = series_add(j, p->team, p->model);
			for (size_t k = 0; k < j->v.n; k++)
				/* a team that is not in the ledger: nothing is known of it but its
				 * plan */
				s->y[k] = NAN;
		}
		lay(j, s, p);
	}
}

/* ---- history ----------------------------------------------------------------------------- */

static int from_file(struct job *j, const char *path, bool jobs, struct err *err)
{
	struct demand d;
	const char *hours = cli_value(j->cli, "hours");
	int64_t n = 0;
	if (hours && (sv_i64(sv_of(hours), &n) < 0 || n < 1 || n > DEMAND_MAX_HOURS))
		return err_set(err, -EINVAL, "--hours: '%s' is no number of hours", hours);
	int r = jobs ? plan_demand_of_jobs(path, (size_t)n, &d, err)
		     : plan_demand_of_series(path, true, &d, err);
	if (r < 0)
		return r;
	j->v.source = path;
	j->v.from_ms = d.from_ms;
	j->v.n = !jobs && n && (size_t)n < d.n ? (size_t)n : d.n;
	struct forecast_series *s = series_add(j, NULL, NULL);
	for (size_t i = 0; i < j->v.n; i++)
		s->y[i] = d.units[i] < 0 ? NAN : (double)d.units[i];
	demand_free(&d);
	return 0;
}

static int window(struct job *j, struct store *s, struct err *err)
{
	int64_t from, to;
	int r = store_ledger_span(s, &from, &to, err);
	if (r < 0)
		return r;
	if (from == UNKNOWN_MS) {
		err_set(err, -ENODATA, "the ledger is empty");
		err_hint(err, "tare import FILE, or tare demo");
		return -ENODATA;
	}
	from = j->cli->since_ms > from ? j->cli->since_ms : from;
	to = j->cli->until_ms < to ? j->cli->until_ms : to;
	j->v.from_ms = tm_floor(from + MS_HOUR - 1, MS_HOUR); /* whole hours only */
	int64_t n = (tm_floor(to, MS_HOUR) - j->v.from_ms) / MS_HOUR;
	if (n < 1)
		return err_set(err, -ENODATA, "no whole hour of the ledger in this window");
	j->v.n = n > DEMAND_MAX_HOURS ? DEMAND_MAX_HOURS : (size_t)n;
	return 0;
}

/* One row of the ledger (team, model, hour): held GPUs of that hour. known marks hours in which the
 * ledger knows anything. */
static int take(struct job *j, const struct ledger_row *row, struct intern *key, bool *known,
		struct err *err)
{
	int64_t t;
	if (!row->is_gpu || tm_parse(row->dim[2], 0, &t) < 0 || t < j->v.from_ms ||
	    t >= forecast_start_ms(&j->v))
		return 0;
	size_t h = (size_t)((t - j->v.from_ms) / MS_HOUR);
	known[h] = true;
	if (row->state == STATE_UNALLOCATED)
		return 0;
	struct str k = { 0 };
	str_addf(&k, "%.*s\n%.*s", SVF(row->dim[0]), SVF(row->dim[1]));
	uint32_t id = intern_add(key, str_sv(&k));
	str_free(&k);
	if (id >= MAX_SERIES)
		return err_set(err, -E2BIG, "more than %d teams and models", MAX_SERIES);
	if (id == j->series.n) {
		struct forecast_series *s =
			series_add(j, arena_printf(&j->cli->mem, "%.*s", SVF(row->dim[0])),
				   arena_printf(&j->cli->mem, "%.*s", SVF(row->dim[1])));
		memset(s->y, 0, j->v.n * sizeof *s->y);
	}
	j->series.v[id].y[h] += (double)row->ms / (double)MS_HOUR;
	return 0;
}

static int from_ledger(struct job *j, struct store *s, struct err *err)
{
	static const enum dim dim[] = { DIM_TEAM, DIM_GPU_MODEL, DIM_HOUR };
	struct ledger_row *row;
	size_t n = 0;
	int r = window(j, s, err);
	struct ledger_query q = { .dim = dim,
				  .ndim = 3,
				  .since_ms = j->v.from_ms,
				  .until_ms = forecast_start_ms(&j->v),
				  .basis = BASIS_EFFECTIVE };
	if (r >= 0)
		r = store_ledger(s, &q, &j->cli->mem, &row, &n, err);
	if (r < 0)
		return r;
	struct intern key = { 0 };
	bool *known = xcalloc(j->v.n + 1, sizeof *known);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = take(j, &row[i], &key, known, err);
	for (size_t k = 0; k < j->series.n; k++)
		for (size_t h = 0; h < j->v.n; h++)
			if (!known[h])
				j->series.v[k].y[h] = NAN;
	free(known);
	intern_free(&key);
	return r;
}

static int from_store(struct job *j, struct err *err)
{
	struct store *s = NULL;
	int r = cli_open_store(j->cli, STORE_READ, &s, err);
	if (r >= 0)
		r = from_ledger(j, s, err);
	if (s)
		store_close(s);
	return r;
}

/* ---------------------------------------------------------------------------------------------- */

static int load(struct job *j, struct err *err)
{
	const char *horizon = cli_value(j->cli, "horizon"), *demand = cli_value(j->cli, "demand"),
		   *jobs = cli_value(j->cli, "jobs"), **add;
	int64_t ms = 7 * MS_DAY;
	if (horizon && (tm_parse_span(sv_of(horizon), &ms) < 0 || ms < MS_HOUR ||
			ms > FORECAST_MAX_HORIZON * MS_HOUR))
		return err_set(err, -EINVAL, "--horizon: '%s' is no span from 1h to 1y", horizon);
	j->v.horizon = (size_t)(ms / MS_HOUR);
	size_t nadd = cli_values(j->cli, "add", &add);
	for (size_t i = 0; i < nadd; i++)
		if (parse_planned(j, add[i], err) < 0)
			return -EINVAL;
	if (demand && jobs)
		return err_set(err, -EINVAL,
			       "--demand and --jobs are two histories: give one of them");
	int r = demand || jobs ? from_file(j, jobs ? jobs : demand, jobs != NULL, err)
			       : from_store(j, err);
	if (r >= 0)
		lay_all(j);
	return r;
}

static int by_use(const void *a, const void *b)
{
	const struct forecast_series *x = a, *y = b;
	if (!x->team || !y->team)
		return 0;
	int c = strcmp(x->team, y->team);
	return c ? c : strcmp(x->model, y->model);
}

static int forecast_all(struct job *j, struct err *err)
{
	for (size_t i = 0; i < j->series.n; i++) {
		struct forecast_series *s = &j->series.v[i];
		struct forecast_opt o = { .horizon = j->v.horizon };
		if (j->v.source) { /* one series: there is time to test at every day of it */
			o.origins = SIZE_MAX;
			o.score_from = j->v.n >= 2 * TRAIN_HOURS + o.horizon ? TRAIN_HOURS : 0;
		}
		int r = forecast_run(&o, j->v.n, s->y, &s->f, err);
		if (r < 0)
			return r;
	}
	if (j->series.n)
		qsort(j->series.v, j->series.n, sizeof *j->series.v, by_use);
	return 0;
}

static bool any_forecast(const struct job *j)
{
	for (size_t i = 0; i < j->series.n; i++)
		if (j->series.v[i].f.state == FORECAST_OK)
			return true;
	return false;
}

static void job_free(struct job *j)
{
	for (size_t i = 0; i < j->series.n; i++) {
		free(j->series.v[i].y);
		free(j->series.v[i].planned);
		forecast_free(&j->series.v[i].f);
	}
	vec_free(&j->series);
	vec_free(&j->planned);
	vec_free(&j->note);
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct job j = { .cli = c, .v = { .colour = c->colour, .width = c->width } };
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	int r = load(&j, &err), code;
	if (r >= 0)
		r = forecast_all(&j, &err);
	if (r < 0) {
		code = cli_fail(&err);
		code = r == -ENODATA ? EXIT_INCOMPLETE : code;
	} else {
		j.v.series = j.series.v;
		j.v.nseries = j.series.n;
		j.v.note = j.note.v;
		j.v.nnote = j.note.n;
		forecast_print(&j.v, c->output, &out);
		code = cli_write(&out);
		if (code == EXIT_DONE && !any_forecast(&j))
			code = EXIT_INCOMPLETE;
	}
	str_free(&out);
	job_free(&j);
	return code;
}

static const struct cli_opt opts[] = {
	{ "horizon", "SPAN", "how far ahead (default: 7d)", 0, false, NULL },
	{ "add", "PLAN", "a planned project, TEAM:MODEL:GPUS:FROM:TO", 0, true, NULL },
	{ "demand", "CSV", "no store: demand by the hour (time, units)", 0, false, "FILE" },
	{ "jobs", "CSV",
	  "no store: jobs (start, length or duration or end, gpus); an hour's demand is the GPUs of all jobs that overlap it",
	  0, false, "FILE" },
	{ "hours", "N", "of --jobs and --demand: the first N hours only", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_forecast_def = {
	.name = "plan forecast",
	.group = "",
	.summary = "demand to come, by team and GPU model, with quantiles and a back-test",
	.usage = "[--horizon SPAN] [--add PLAN]... [--demand CSV | --jobs CSV [--hours N]]",
	.examples = "tare plan forecast --horizon 7d\n"
		    "# a project that no history knows of\n"
		    "tare plan forecast --add nlp:H100:16:2026-12-01:2027-01-15\n"
		    "# a trace of jobs, without a store\n"
		    "tare plan forecast --jobs philly.csv.gz --hours 2614 --horizon 24h",
	.about =
		"Ten methods (naive, seasonal naive of a day and of a week, mean of 7 days, exponential smoothing, Holt-Winters, Theta, reversion to the mean, their\n"
		"median) are tested from origin to origin on the series itself; the forecast is their weighted combination, weights by how well each did lately.\n"
		"Nothing later than an origin enters what is forecast there. MASE below 1 is better than \"as 24 hours before\".\n\n"
		"From the store, demand is what is held (all states but unallocated); hours of which the ledger knows nothing are unknown, not 0. Planned projects are\n"
		"added to the forecast and to its quantiles as they are. Where no series has enough history the exit code is 3.",
	.common = CLI_STORE | CLI_OUTPUT | CLI_WINDOW,
	.opt = opts,
	.run = run,
};
