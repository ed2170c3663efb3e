/* See plan_csv.h. */
#include <errno.h>
#include <math.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tab.h"
#include "base/tm.h"
#include "feed/planner/plan_csv.h"
#include "model/model.h"

#define SHOWN_BYTES 60      /* of a cell that cannot be read, in the error */
#define HOURS_MAX   1000000 /* of a series: 114 years */

/* A table and the row being read; the first cell that cannot be read names itself in err. */
struct sheet {
	struct input *in;
	struct tab *tab;
	const struct sv *cell;
	struct err *err;
	int64_t rows;
};

static int sheet_open(struct sheet *s, struct input *in, struct err *err)
{
	struct sv head;
	*s = (struct sheet){ .in = in, .err = err };
	int r = input_peek(in, 4096, &head, err);
	if (r < 0)
		return r;
	head = sv_trim(head);
	if (head.n && head.p[0] == '{')
		return tab_jsonl_open(in, &s->tab, err);
	return tab_csv_open(in, NULL, &s->tab, err);
}

/* The first of the names (a list ended by NULL) that is a column, with its place in the list;
 * -1. */
static int sheet_col(const struct sheet *s, const char *const *name, int *ret_which)
{
	for (int i = 0; name[i]; i++) {
		int c = tab_col(s->tab, name[i]);
		if (c >= 0) {
			*ret_which = i;
			return c;
		}
	}
	return -1;
}

/* COL(s, "gpus", "units"): the first of these that is a column, -1; WHICH_COL() says which. */
#define WHICH_COL(s, ret_which, ...) \
	sheet_col(s, (const char *const[]){ __VA_ARGS__, NULL }, ret_which)
#define COL(s, ...) WHICH_COL(s, &(int){ 0 }, __VA_ARGS__)

static int sheet_next(struct sheet *s)
{
	int r = tab_next(s->tab, &s->cell, s->err);
	if (r > 0 && ++s->rows > PLAN_CSV_MAX_ROWS)
		return err_set(s->err, -E2BIG, "'%s': more than %d rows", input_name(s->in),
			       PLAN_CSV_MAX_ROWS);
	return r;
}

static struct sv sheet_text(const struct sheet *s, int col)
{
	if (col < 0)
		return SV_NULL;
	return sv_trim(s->cell[col]);
}

static int sheet_bad(struct sheet *s, int col, const char *what)
{
	struct sv v = sheet_text(s, col);
	return err_set(s->err, -EINVAL, "'%s' line %lld: %.*s: '%.*s' is %s", input_name(s->in),
		       (long long)s->tab->line, SVF(s->tab->col[col]),
		       (int)min_size(v.n, SHOWN_BYTES), text_or(v.p, ""), what);
}

static int sheet_missing(struct sheet *s, const char *want)
{
	err_set(s->err, -EINVAL, "'%s': no column %s", input_name(s->in), want);
	err_hint(s->err, "the first line must name the columns");
	return -EINVAL;
}

/* times and lengths beyond it are refused: some 6,300 years, sums of several fit int64 */
#define FAR_MS (200000000LL * 1000000)
/* plain numbers below it are hours from 0, above seconds since 1970 (plan_csv.h) */
#define HOURS_BELOW 1e8

static int sheet_time(struct sheet *s, int col, int64_t *ret)
{
	struct sv v = sheet_text(s, col);
	double n;
	int64_t ms;
	int r;
	if (sv_f64(v, &n) < 0)
		r = tm_parse(v, 0, &ms);
	else
		r = tm_parse_number(v, 0, fabs(n) < HOURS_BELOW ? MS_HOUR : MS_SECOND, &ms);
	if (r < 0 || ms > FAR_MS || ms < -FAR_MS)
		return sheet_bad(s, col,
				 "not a time such as 2026-11-20T12:00:00Z, or hours from 0");
	*ret = ms;
	return 0;
}

static int sheet_f64(struct sheet *s, int col, double lo, double hi, double *ret)
{
	double x;
	if (sv_f64(sheet_text(s, col), &x) < 0 || !(x >= lo && x <= hi))
		return sheet_bad(s, col, "not a number in the range that this can have");
	*ret = x;
	return 0;
}

static const char *sheet_word(struct sheet *s, struct intern *t, int col)
{
	struct sv v = sheet_text(s, col);
	return intern_z(t, intern_add(t, v.p ? v : SV("")));
}

/* ---- jobs -------------------------------------------------------------------------------- */

struct job_cols {
	int submit, start, length, end, units, deadline, team, model, id, preemptible, egress;
	int64_t unit_ms;
};

static int no_list(struct sheet *s, const char *want)
{
	int r = sheet_missing(s, want);

	err_hint(
		s->err,
		"A list of jobs is a CSV or JSON lines with submit (or start), length in hours (or duration in seconds, or start and end), gpus. Another table (sacct's too) becomes one so:\n"
		"tare import FILE (--map NAME|FILE where it wants one, docs/MAPS.md), then\n"
		"tare sql -o csv 'SELECT job, submit_utc AS submit, start_utc AS start, end_utc AS \"end\", gpus FROM jobs WHERE NOT running' > jobs.csv");
	return r;
}

static int job_cols(struct sheet *s, struct job_cols *c)
{
	int which_length = 0;
	*c = (struct job_cols){
		.submit = COL(s, "submit", "arrival_time"),
		.start = COL(s, "start", "timestamp", "time"),
		.length = WHICH_COL(s, &which_length, "length", "length_h", "duration",
				    "duration_s", "run_s"),
		.end = COL(s, "end"),
		.units = COL(s, "gpus", "num_gpus", "units", "cpus"),
		.deadline = COL(s, "deadline"),
		.team = COL(s, "team", "cluster"),
		.model = COL(s, "gpu_model", "model"),
		.id = COL(s, "id", "job_id", "job", "name"),
		.preemptible = COL(s, "preemptible"),
		.egress = COL(s, "egress_gb"),
	};
	/* length and length_h are hours, the others seconds */
	c->unit_ms = which_length < 2 ? MS_HOUR : MS_SECOND;
	if (c->start < 0 && c->submit < 0)
		return no_list(s, "submit or start (or timestamp, arrival_time)");
	if (c->length < 0 && c->end < 0)
		return no_list(s, "length (hours), duration (seconds) or end");
	/* from submit to end is the time in the queue too */
	if (c->length < 0 && c->start < 0)
		return no_list(s,
			       "start, length (hours) or duration (seconds) beside submit and end");
	/* one GPU each would be a guess; sacct's are in its AllocTRES */
	if (c->units < 0)
		return no_list(s, "gpus (or num_gpus, units)");
	return 0;
}

static int job_length(struct sheet *s, const struct job_cols *c, struct plan_job *j)
{
	int64_t end;
	if (c->length >= 0) {
		struct sv v = sheet_text(s, c->length);
		int64_t ms;
		if (tm_parse_number(v, 0, c->unit_ms, &ms) < 0 && tm_parse_span(v, &ms) < 0)
			return sheet_bad(s, c->length, "not a length");
		if (ms < 0 || ms > FAR_MS)
			return sheet_bad(s, c->length, "not a length that a job can have");
		j->length_ms = ms;
		return 0;
	}
	if (sheet_time(s, c->end, &end) < 0)
		return -EINVAL;
	if (end < j->start_ms)
		return sheet_bad(s, c->end, "before the start");
	j->length_ms = end - j->start_ms;
	return 0;
}

/* When it was asked for and when it began: each stands for the other where that is not told. */
static int job_begin(struct sheet *s, const struct job_cols *c, struct plan_job *j)
{
	bool told = sheet_text(s, c->submit).n > 0;

	if (c->start >= 0 && sheet_time(s, c->start, &j->start_ms) < 0)
		return -EINVAL;
	j->submit_ms = j->start_ms;
	if ((told || c->start < 0) && sheet_time(s, c->submit, &j->submit_ms) < 0)
		return -EINVAL;
	if (c->start < 0)
		j->start_ms = j->submit_ms;
	if (j->submit_ms > j->start_ms)
		return sheet_bad(s, c->submit, "after the start");
	return 0;
}

static int job_deadline(struct sheet *s, int col, struct plan_job *j)
{
	struct sv v = sheet_text(s, col);
	int64_t span;
	if (!v.n)
		return 0;
	if (tm_parse_span(v, &span) >= 0 && span <= FAR_MS) {
		j->deadline_ms = j->submit_ms + span;
		return 0;
	}
	return sheet_time(s, col, &j->deadline_ms);
}

static int job_preemptible(struct sheet *s, int col, struct plan_job *j)
{
	struct sv v = sheet_text(s, col);
	if (!v.n)
		return 0;
	bool yes = sv_ieq(v, SV("true")) || sv_is(v, "1") || sv_ieq(v, SV("yes"));
	bool no = sv_ieq(v, SV("false")) || sv_is(v, "0") || sv_ieq(v, SV("no"));
	if (!yes && !no)
		return sheet_bad(s, col, "neither true nor false");
	j->preemptible = yes;
	return 0;
}

static int job_row(struct sheet *s, const struct job_cols *c, struct plan_jobs *out)
{
	struct plan_job j = {
		.deadline_ms = UNKNOWN_MS, .egress_gb = NAN, .preemptible = -1, .line = s->tab->line
	};
	if (job_begin(s, c, &j) < 0 || job_length(s, c, &j) < 0)
		return -EINVAL;
	if (job_deadline(s, c->deadline, &j) < 0 || job_preemptible(s, c->preemptible, &j) < 0)
		return -EINVAL;
	if (sheet_f64(s, c->units, 0, 1e9, &j.units) < 0)
		return -EINVAL;
	if (sheet_text(s, c->egress).n && sheet_f64(s, c->egress, 0, 1e12, &j.egress_gb) < 0)
		return -EINVAL;
	j.id = sheet_word(s, &out->text, c->id);
	j.team = sheet_word(s, &out->text, c->team);
	j.model = sheet_word(s, &out->text, c->model);
	*vec_push(&out->v) = j;
	return 0;
}

int plan_jobs_read(struct input *in, struct plan_jobs *ret, struct err *err)
{
	struct sheet s;
	struct job_cols c;
	*ret = (struct plan_jobs){ 0 };
	int r = sheet_open(&s, in, err);
	if (r >= 0)
		r = job_cols(&s, &c);
	while (r >= 0 && (r = sheet_next(&s)) > 0)
		r = job_row(&s, &c, ret);
	tab_close(s.tab);
	if (r >= 0 && !ret->v.n)
		r = err_set(err, -ENODATA, "'%s': no job in it", input_name(in));
	if (r < 0) {
		plan_jobs_free(ret);
		return r;
	}
	return 0;
}

void plan_jobs_free(struct plan_jobs *j)
{
	vec_free(&j->v);
	intern_free(&j->text);
	*j = (struct plan_jobs){ 0 };
}

/* ---- tenants ----------------------------------------------------------------------------- */

struct tenant_cols {
	int name, owner, kind, mem, load, replicas, share_with;
	double mem_unit, load_unit; /* in bytes, of a GPU */
};

static int tenant_cols(struct sheet *s, struct tenant_cols *c)
{
	int which_mem = 0, which_load = 0;
	*c = (struct tenant_cols){
		.name = COL(s, "name", "service", "tenant", "job", "id"),
		.owner = COL(s, "owner", "team", "user"),
		.kind = COL(s, "kind"),
		.mem = WHICH_COL(s, &which_mem, "mem_gib", "mem_bytes", "mem_used_bytes"),
		.load = WHICH_COL(s, &which_load, "load_frac", "util_pct", "gpu_util_pct"),
		.replicas = COL(s, "replicas"),
		.share_with = COL(s, "share_with"),
	};
	c->mem_unit = which_mem ? 1 : 0x1p30;
	c->load_unit = which_load ? 0.01 : 1;
	if (c->name < 0)
		return sheet_missing(s, "name (or service, tenant, job)");
	if (c->mem < 0)
		return sheet_missing(s, "mem_gib or mem_bytes");
	if (c->load < 0)
		return sheet_missing(s, "load_frac or util_pct");
	return 0;
}

/* Which of the words is in the cell; an empty one or no column: the first. */
static int sheet_choice(struct sheet *s, int col, const char *const *word, const char *what,
			int *ret)
{
	struct sv v = sheet_text(s, col);
	*ret = 0;
	for (int i = 0; v.n && word[i]; i++)
		if (sv_ieq(v, sv_of(word[i]))) {
			*ret = i;
			return 0;
		}
	if (v.n)
		return sheet_bad(s, col, what);
	return 0;
}

static int tenant_row(struct sheet *s, const struct tenant_cols *c, struct plan_tenants *out)
{
	static const char *const kinds[] = { "service", "notebook", "dev", NULL };
	static const char *const with[] = { "", "team", "others", "nobody", NULL };
	struct plan_tenant t = { .mem_bytes = NAN, .load_frac = NAN };
	int kind, share;
	double n = 1;

	if (!sheet_text(s, c->name).n)
		return sheet_bad(s, c->name, "not a name");
	if (sheet_choice(s, c->kind, kinds, "none of service, notebook, dev", &kind) < 0 ||
	    sheet_choice(s, c->share_with, with, "none of team, others, nobody", &share) < 0)
		return -EINVAL;
	if (sheet_text(s, c->mem).n &&
	    sheet_f64(s, c->mem, 0, 1e15 / c->mem_unit, &t.mem_bytes) < 0)
		return -EINVAL;
	if (sheet_text(s, c->load).n &&
	    sheet_f64(s, c->load, 0, 1 / c->load_unit, &t.load_frac) < 0)
		return -EINVAL;
	if (sheet_text(s, c->replicas).n && sheet_f64(s, c->replicas, 1, 10000, &n) < 0)
		return -EINVAL;
	if (n != floor(n))
		return sheet_bad(s, c->replicas, "not a whole number");
	t.mem_bytes *= c->mem_unit;
	t.load_frac *= c->load_unit;
	t.replicas = (int64_t)n;
	t.interactive = kind > 0;
	t.share_with = with[share];
	t.name = sheet_word(s, &out->text, c->name);
	t.owner = sheet_word(s, &out->text, c->owner);
	struct str key = { 0 };
	size_t before = out->key.n;
	str_addf(&key, "%s\x1f%s", t.owner, t.name);
	bool is_second = intern_add(&out->key, str_sv(&key)) < before;
	str_free(&key);
	if (is_second)
		return sheet_bad(s, c->name, "there already; say how many with a column replicas");
	*vec_push(&out->v) = t;
	return 0;
}

int plan_tenants_read(struct input *in, struct plan_tenants *ret, struct err *err)
{
	struct sheet s;
	struct tenant_cols c;
	*ret = (struct plan_tenants){ 0 };
	int r = sheet_open(&s, in, err);
	if (r >= 0)
		r = tenant_cols(&s, &c);
	while (r >= 0 && (r = sheet_next(&s)) > 0)
		r = tenant_row(&s, &c, ret);
	tab_close(s.tab);
	if (r >= 0 && !ret->v.n)
		r = err_set(err, -ENODATA, "'%s': no tenant in it", input_name(in));
	if (r < 0) {
		plan_tenants_free(ret);
		return r;
	}
	return 0;
}

void plan_tenants_free(struct plan_tenants *t)
{
	vec_free(&t->v);
	intern_free(&t->text);
	intern_free(&t->key);
	*t = (struct plan_tenants){ 0 };
}

/* ---- a series by the hour ---------------------------------------------------------------- */

struct point {
	int64_t hour_ms;
	double v;
	int64_t line;
};

static int by_hour(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	if (x->hour_ms != y->hour_ms)
		return cmp_i64(x->hour_ms, y->hour_ms);
	return cmp_i64(x->line, y->line);
}

static int series_fill(struct sheet *s, struct point *p, size_t n, struct plan_series *ret)
{
	sort_items(p, n, sizeof *p, by_hour);
	for (size_t i = 1; i < n; i++)
		if (p[i].hour_ms == p[i - 1].hour_ms)
			return err_set(s->err, -EEXIST,
				       "'%s' line %lld: a second row for the hour of line %lld",
				       input_name(s->in), (long long)p[i].line,
				       (long long)p[i - 1].line);
	uint64_t hours = (uint64_t)(p[n - 1].hour_ms - p[0].hour_ms) / MS_HOUR + 1;
	if (hours > HOURS_MAX)
		return err_set(s->err, -E2BIG,
			       "'%s': more than 1,000,000 hours between its first and its last row",
			       input_name(s->in));
	*ret = (struct plan_series){ .from_ms = p[0].hour_ms,
				     .n = hours,
				     .v = xmalloc(hours * sizeof *ret->v) };
	for (size_t i = 0; i < hours; i++)
		ret->v[i] = NAN;
	for (size_t i = 0; i < n; i++)
		ret->v[(p[i].hour_ms - p[0].hour_ms) / MS_HOUR] = p[i].v;
	return 0;
}

int plan_series_read(struct input *in, struct plan_series *ret, struct err *err)
{
	struct sheet s;
	VEC(struct point) p = { 0 };
	*ret = (struct plan_series){ 0 };
	int r = sheet_open(&s, in, err), time = -1, units = -1;
	if (r >= 0) {
		time = COL(&s, "time", "hour", "timestamp", "from");
		units = COL(&s, "units", "gpus", "demand", "value");
		if (time < 0 || units < 0)
			r = sheet_missing(&s, time < 0 ? "time" : "units");
	}
	while (r >= 0 && (r = sheet_next(&s)) > 0) {
		struct point x = { .v = NAN, .line = s.tab->line };
		r = sheet_time(&s, time, &x.hour_ms);
		if (r >= 0 && sheet_text(&s, units).n)
			r = sheet_f64(&s, units, 0, 1e9, &x.v);
		x.hour_ms = tm_floor(x.hour_ms, MS_HOUR);
		*vec_push(&p) = x;
	}
	if (r >= 0) {
		if (p.n)
			r = series_fill(&s, p.v, p.n, ret);
		else
			r = err_set(err, -ENODATA, "'%s': no row in it", input_name(in));
	}
	tab_close(s.tab);
	vec_free(&p);
	if (r < 0)
		return r;
	return 0;
}

void plan_series_free(struct plan_series *s)
{
	free(s->v);
	*s = (struct plan_series){ 0 };
}

/* ---- prices ------------------------------------------------------------------------------ */

#define USD_HOUR_MAX (DEC_ONE * 10000000)
#define TICKS_MAX    10000000 /* of one run */

struct price_cols {
	int time, place, machine, usd, spot, gap, window;
	int rle;  /* run lengths: "price x ticks" of gap seconds each */
	int bits; /* a tick each; 1: no machine then */
};

static int price_cols(struct sheet *s, const struct plan_prices_opt *o, struct price_cols *c)
{
	*c = (struct price_cols){
		.time = COL(s, "time", "from", "snapshot_date", "start_time"),
		.place = COL(s, "zone", "region", "zone_gpu"),
		.machine = COL(s, "machine_type", "instance_type", "model"),
		.usd = COL(s, "usd_hour", "price"),
		.spot = COL(s, "usd_hour_spot"),
		.rle = COL(s, "spot_price_rle_usd_hour"),
		.gap = COL(s, "gap_seconds"),
		.window = COL(s, "window"),
		.bits = COL(s, "preempted_bits"),
	};
	if (c->time < 0)
		return sheet_missing(s, "time (or from, snapshot_date, start_time)");
	if (c->rle >= 0) {
		if (c->gap < 0)
			return sheet_missing(s, "gap_seconds");
		return 0;
	}
	if (o->spot && c->spot >= 0)
		c->usd = c->spot;
	if (c->usd < 0)
		return sheet_missing(s, "usd_hour");
	return 0;
}

static int price_of(struct sv v, dec *ret)
{
	if (dec_parse(v, 0, ret) < 0 || *ret < 0 || *ret > USD_HOUR_MAX)
		return -EINVAL;
	return 0;
}

/* n ticks at p's price from p->at_ms on, cut where machines go and come; moves p behind them.
 * Without bits for a tick there is a machine. */
static void add_run(struct sv *bits, int64_t n, int64_t gap_ms, struct plan_price *p,
		    struct plan_prices *out)
{
	dec price = p->usd_hour;
	while (n > 0) {
		bool gone = bits->n && bits->p[0] == '1';
		int64_t k = 1;
		while (k < n && (k < (int64_t)bits->n && bits->p[k] == '1') == gone)
			k++;
		p->usd_hour = gone ? -DEC_ONE : price;
		p->until_ms = p->at_ms + k * gap_ms;
		*vec_push(&out->v) = *p;
		p->at_ms = p->until_ms;
		n -= k;
		size_t cut = min_size((size_t)k, bits->n);
		if (cut) /* an empty view may have no address to add to */
			*bits = sv_from(*bits, cut);
	}
	p->usd_hour = price;
}

/* "1.5521x105 1.5271x60": each price for so many ticks. */
static int price_runs(struct sheet *s, const struct price_cols *c, struct plan_price p,
		      struct plan_prices *out)
{
	struct sv rest = sheet_text(s, c->rle), bits = sheet_text(s, c->bits);
	double gap;
	if (sheet_f64(s, c->gap, 1, 86400, &gap) < 0)
		return -EINVAL;
	while (rest.n) {
		struct sv ticks, run = sv_cut(rest, ' ', &rest), price = sv_cut(run, 'x', &ticks);
		int64_t n;
		if (!run.n)
			continue;
		if (price_of(price, &p.usd_hour) < 0 || sv_i64(ticks, &n) < 0 ||
		    !within_i64(n, 1, TICKS_MAX))
			return sheet_bad(s, c->rle,
					 "not a list of prices such as '1.55x105 1.52x60'");
		if (p.at_ms + n * (int64_t)(gap * 1000) > FAR_MS)
			return sheet_bad(s, c->rle, "longer than any calendar");
		add_run(&bits, n, (int64_t)(gap * 1000), &p, out);
	}
	return 0;
}

static int price_row(struct sheet *s, const struct price_cols *c, const struct plan_prices_opt *o,
		     struct plan_prices *out)
{
	struct plan_price p = { .until_ms = UNKNOWN_MS, .window = -1 };
	struct sv machine = sheet_text(s, c->machine);
	if (o->machine && c->machine >= 0 && !sv_is(machine, o->machine))
		return 0;
	if (c->window >= 0 && sv_i64(sheet_text(s, c->window), &p.window) < 0)
		return sheet_bad(s, c->window, "not a number of a window");
	if (o->window >= 0 && c->window >= 0 && p.window != o->window)
		return 0;
	if (sheet_time(s, c->time, &p.at_ms) < 0)
		return -EINVAL;
	p.place = sheet_word(s, &out->text, c->place);
	p.machine = sheet_word(s, &out->text, c->machine);
	if (c->rle >= 0)
		return price_runs(s, c, p, out);
	if (!sheet_text(s, c->usd).n) /* no price is known then */
		return 0;
	if (price_of(sheet_text(s, c->usd), &p.usd_hour) < 0)
		return sheet_bad(s, c->usd, "not a price per hour");
	*vec_push(&out->v) = p;
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct plan_price *x = a, *y = b;
	int r = 0;
	if (x->place != y->place)
		r = strcmp(x->place, y->place);
	if (!r && x->machine != y->machine)
		r = strcmp(x->machine, y->machine);
	if (!r)
		r = cmp_i64(x->window, y->window);
	if (r)
		return r;
	return cmp_i64(x->at_ms, y->at_ms);
}

int plan_prices_read(struct input *in, const struct plan_prices_opt *o, struct plan_prices *ret,
		     struct err *err)
{
	struct sheet s;
	struct price_cols c;
	*ret = (struct plan_prices){ 0 };
	int r = sheet_open(&s, in, err);
	if (r >= 0)
		r = price_cols(&s, o, &c);
	while (r >= 0 && (r = sheet_next(&s)) > 0)
		r = price_row(&s, &c, o, ret);
	tab_close(s.tab);
	if (r >= 0 && !ret->v.n)
		r = err_set(err, -ENODATA, "'%s': no price in it that was asked for",
			    input_name(in));
	if (r < 0) {
		plan_prices_free(ret);
		return r;
	}
	sort_items(ret->v.v, ret->v.n, sizeof *ret->v.v, by_place);
	return 0;
}

void plan_prices_free(struct plan_prices *p)
{
	vec_free(&p->v);
	intern_free(&p->text);
	*p = (struct plan_prices){ 0 };
}
