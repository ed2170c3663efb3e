/*
 * Slurm's accounting as `sacct -P` prints it (`-p` and --delimiter too), columns in any order. One
 * allocation per job, attempt and node: steps lie within their job's row and are left out. Formats:
 * Slurm 22.05 observed, newer releases' names accepted.
 */
#include "feed/jobs/sacct.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/among.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "feed/feed.h"
#include "feed/jobs/hostlist.h"
#include "feed/jobs/job_words.h"
#include "feed/jobs/presences.h"
#include "base/lines.h"
#include "feed/rows.h"
#include "feed/jobs/sacct_alloc.h"
#include "feed/tags.h"

enum {
	F_JOBID,
	F_JOBIDRAW,
	F_NAME,
	F_ACCOUNT,
	F_USER,
	F_QOS,
	F_WCKEY,
	F_PARTITION,
	F_CLUSTER,
	F_STATE,
	F_SUBMIT,
	F_START,
	F_END,
	F_ELAPSED,
	F_ELAPSEDRAW,
	F_LIMIT,
	F_LIMITRAW,
	F_TRES,
	F_GRES,
	F_REQ_TRES,
	F_REQ_GRES,
	F_NODES,
	F_COMMENT,
	F_EXTRA,
	F_RESTARTS,
	F_SUSPENDED,
	F_N
};
static const char *const field_names[F_N] = {
	"JobID",      "JobIDRaw",  "JobName",      "Account",   "User",      "QOS",     "WCKey",
	"Partition",  "Cluster",   "State",        "Submit",    "Start",     "End",     "Elapsed",
	"ElapsedRaw", "Timelimit", "TimelimitRaw", "AllocTRES", "AllocGRES", "ReqTRES", "ReqGRES",
	"NodeList",   "Comment",   "Extra",        "Restarts",  "Suspended"
};
#define MAX_NODES 20000 /* of one job */
static const char *const set_names[] = {
	"cluster", "mps_per_gpu", "shards_per_gpu", "gpu_model", "usd_gpu_hour", "currency", "team",
	"project", "env",         "workload",       NULL
};

struct sacct {
	struct feed_run *r;
	struct lines lines;
	struct str header;
	struct sacct_cols cols;
	int col[F_N];
	struct sv cell[SACCT_COLS_MAX];
	int utc_offset_s;
	dec usd_gpu_hour;
	struct arena row; /* texts of the row */
	struct tags tags;
	struct intern jobs;          /* job ids seen, for attempts */
	VEC(int) attempts, restarts; /* of each: rows before the last; the most that a row says */
	VEC(int) holds;              /* of each: a row has GPUs, allocated or asked for */
	struct sacct_alloc give;
	struct presences presences;
	struct job_words words;
	int64_t nclocks; /* jobs over a change of clocks */
	int64_t nsteps, nocpu;
	int64_t nasked; /* jobs that ran and say only what they asked for */
	bool has_account, lacks_zone;
	const char *bad;
	char why[256];
};

static void set_bad(struct sacct *s, int f, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void set_bad(struct sacct *s, int f, const char *fmt, ...)
{
	va_list ap;

	if (s->bad)
		return;
	s->bad = field_names[f];
	va_start(ap, fmt);
	vsnprintf(s->why, sizeof s->why, fmt, ap);
	va_end(ap);
}

/* ---- the header -------------------------------------------------------------------------- */

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || char_among(c, "_%/");
}

static int header_columns(struct sacct *s, struct err *err)
{
	struct sv rest = str_sv(&s->header);

	for (int f = 0; f < F_N; f++)
		s->col[f] = -1;
	while (rest.p) {
		struct sv more, pct, name = sv_trim(sacct_cut(rest, s->cols.sep, &more));
		/* `sacct -p` ends every line with the separator */
		if (!more.p && !name.n && s->cols.ncol)
			break;
		if (s->cols.ncol == SACCT_COLS_MAX)
			return err_set(err, -E2BIG, "'%s': more than %d columns",
				       input_name(s->r->in), SACCT_COLS_MAX);
		name = sv_cut(name, '%', &pct);
		for (int f = 0; f < F_N; f++)
			if (s->col[f] < 0 && sv_ieq(name, sv_of(field_names[f])))
				s->col[f] = (int)s->cols.ncol;
		sacct_column(&s->cols, name);
		rest = more;
	}
	return 0;
}

static int header_check(const struct sacct *s, struct err *err)
{
	const int *c = s->col;
	const char *missing = NULL;
	if (c[F_JOBID] < 0 && c[F_JOBIDRAW] < 0)
		missing = "JobID (or JobIDRaw)";
	else if (c[F_START] < 0)
		missing = "Start";
	else if (c[F_END] < 0 && c[F_ELAPSED] < 0 && c[F_ELAPSEDRAW] < 0)
		missing = "End (or ElapsedRaw)";
	else if (c[F_TRES] < 0 && c[F_GRES] < 0)
		missing = "AllocTRES";
	if (!missing)
		return 0;
	err_set(err, -EINVAL, "'%s' has no column %s, which sacct needs", input_name(s->r->in),
		missing);
	err_hint(
		err,
		"ask for them all: TZ=UTC sacct -a -X -D -P --format=JobID,JobIDRaw,User,Account,Partition,QOS,WCKey,State,Submit,Start,End,TimelimitRaw,"
		"AllocTRES,NodeList,Cluster,Comment,JobName");
	return -EINVAL;
}

static int set_count(const struct sacct *s, const char *key, int64_t *ret, struct err *err)
{
	const char *v = feed_set_get(s->r, key);

	if (v && (sv_i64(sv_of(v), ret) < 0 || !within_i64(*ret, 1, 1000000)))
		return err_set(err, -EINVAL, "--set %s: '%s' is not a count", key, v);
	return 0;
}

static int open_settings(struct sacct *s, struct err *err)
{
	const char *price = feed_set_get(s->r, "usd_gpu_hour");
	int rc;

	for (size_t i = 0; i < s->r->nset; i++) {
		bool known = !strcmp(s->r->set[i].key, "utc_offset");
		for (const char *const *k = set_names; *k; k++)
			known |= !strcmp(*k, s->r->set[i].key);
		if (!known && feed_set_unknown(s->r, s->r->set[i].key, NULL, err) < 0)
			return -EINVAL;
	}
	if (price && dec_parse(sv_of(price), 0, &s->usd_gpu_hour) < 0)
		return err_set(err, -EINVAL, "--set usd_gpu_hour: '%s' is not a decimal", price);
	s->give.mps_per_gpu = 100; /* gres.conf's usual Count=100 a GPU: half a GPU is mps:50 */
	if ((rc = set_count(s, "mps_per_gpu", &s->give.mps_per_gpu, err)) < 0 ||
	    (rc = set_count(s, "shards_per_gpu", &s->give.shards_per_gpu, err)) < 0)
		return rc;
	return rows_utc_offset(s->r, &s->utc_offset_s, err);
}

static int read_header(struct sacct *s, struct err *err)
{
	struct sv line;
	int rc = lines_next(&s->lines, &line, err);

	if (rc < 0)
		return rc;
	if (rc == 0)
		return err_set(err, -EINVAL, "'%s' is empty", input_name(s->r->in));
	str_addsv(&s->header, line);
	/* what stands between the first two names: one or more characters of no name */
	struct sv header = str_sv(&s->header);
	size_t a = 0, b;
	while (a < header.n && is_word_char(header.p[a]))
		a++;
	for (b = a; b < header.n && !is_word_char(header.p[b]); b++)
		;
	s->cols.sep = (struct sv){ header.p + a, b - a };
	if (!s->cols.sep.n)
		s->cols.sep = SV("|");
	rc = header_columns(s, err);
	if (rc < 0)
		return rc;
	return header_check(s, err);
}

/* ---- a row ------------------------------------------------------------------------------- */

static struct sv get_field(const struct sacct *s, int f)
{
	if (s->col[f] >= 0 && s->cell[s->col[f]].n)
		return s->cell[s->col[f]];
	return SV_NULL;
}

/* "Unknown", "None", "N/A", "INVALID": no time. */
static bool get_time(struct sacct *s, int f, int64_t *ret)
{
	struct sv v = get_field(s, f);

	if (!v.n || SV_AMONG(v, "Unknown", "None", "N/A", "NONE"))
		return false;
	if (tm_parse(v, s->utc_offset_s, ret) == 0) {
		s->lacks_zone = s->lacks_zone || rows_lacks_zone(v);
		return true;
	}
	if (v.n >= 9 && tm_parse_number(v, 0, 1000, ret) == 0) /* SLURM_TIME_FORMAT=%s */
		return true;
	set_bad(s, f, "'%.*s' is not a time", (int)min_size(v.n, 60), v.p);
	return false;
}

static bool get_elapsed(struct sacct *s, int64_t *ret_ms)
{
	struct sv raw = get_field(s, F_ELAPSEDRAW), v = get_field(s, F_ELAPSED);
	int64_t n;

	if (raw.n) {
		if (sv_i64(raw, &n) == 0 && n >= 0 && n < INT64_MAX / 1000) {
			*ret_ms = n * 1000;
			return true;
		}
		set_bad(s, F_ELAPSEDRAW, "'%.*s' is not a number of seconds",
			(int)min_size(raw.n, 60), raw.p);
	}
	if (v.n && !sv_is(v, "INVALID")) {
		if (tm_parse_slurm_span(v, ret_ms) == 0)
			return true;
		set_bad(s, F_ELAPSED, "'%.*s' is not a time such as 1-02:03:04",
			(int)min_size(v.n, 60), v.p);
	}
	return false;
}

/* The booked time; UNLIMITED, Partition_Limit and nothing are not known. */
static int64_t get_limit(const struct sacct *s)
{
	struct sv raw = get_field(s, F_LIMITRAW), v = get_field(s, F_LIMIT);
	int64_t n;

	bool number = raw.n && sv_i64(raw, &n) == 0;
	if (number && n > 0 && n < INT64_MAX / MS_MINUTE)
		return n * MS_MINUTE;
	if (v.n && tm_parse_slurm_span(v, &n) == 0 && n > 0)
		return n;
	return UNKNOWN_MS;
}

/* "12_3" of an array, "12+1" of a heterogeneous job, "12"; a step has a "." behind. */
static bool is_step(struct sv id)
{
	return id.n && memchr(id.p, '.', id.n);
}

static int next_attempt(struct sacct *s, struct sv job)
{
	size_t had = s->jobs.n;
	uint32_t id = intern_add(&s->jobs, job);

	if (s->jobs.n > had) {
		*vec_push(&s->attempts) = 0;
		*vec_push(&s->restarts) = 0;
		*vec_push(&s->holds) = 0;
		return 0;
	}
	return ++s->attempts.v[id];
}

/* Slurm's own count of them. */
static void take_restarts(struct sacct *s, struct allocation *a)
{
	int64_t n, job = intern_find(&s->jobs, a->job_id);

	if (!get_field(s, F_RESTARTS).n || sv_i64(get_field(s, F_RESTARTS), &n) < 0)
		return;
	if (job < 0 || n < 0 || n >= INT32_MAX)
		return;
	a->attempt = (int)n;
	s->restarts.v[job] = (int)max_i64(n, s->restarts.v[job]);
}

static void row_tags(struct sacct *s, struct allocation *a)
{
	struct sv comment = get_field(s, F_COMMENT), wckey = get_field(s, F_WCKEY),
		  id = get_field(s, F_JOBID), raw = get_field(s, F_JOBIDRAW), task;
	const struct feed_run *r = s->r;

	tags_clear(&s->tags);
	if (!tags_add_pairs(&s->tags, comment) && comment.n)
		tags_add(&s->tags, SV("comment"), comment);
	tags_add_pairs(&s->tags, get_field(s, F_EXTRA));
	if (wckey.n && wckey.p[0] == '*') /* the default key, not chosen for this job */
		wckey = sv_from(wckey, 1);
	if (wckey.n)
		tags_add(&s->tags, SV("wckey"), wckey);
	tags_add(&s->tags, SV("qos"), get_field(s, F_QOS));
	id = sv_cut(id, '_', &task);
	if (task.n)
		tags_add(&s->tags, SV("array_job"), id);
	if (raw.n && get_field(s, F_JOBID).n && !sv_eq(raw, get_field(s, F_JOBID)))
		tags_add(&s->tags, SV("slurm_job_id"), raw);
	a->team = tags_get(&s->tags, tags_team);
	a->project = tags_get(&s->tags, tags_project);
	a->env = tags_get(&s->tags, tags_env);
	a->workload = tags_get(&s->tags, tags_workload);
	if (!a->project.n)
		a->project = sv_or(wckey, SV_NULL);
	if (!a->team.n)
		a->team = sv_of(feed_set_get(r, "team"));
	if (!a->project.n)
		a->project = sv_of(feed_set_get(r, "project"));
	if (!a->env.n)
		a->env = sv_of(feed_set_get(r, "env"));
	if (!a->workload.n)
		a->workload = sv_of(feed_set_get(r, "workload"));
	a->tags = tags_json(&s->tags);
}

#define SUNDAY_MS (3 * MS_DAY) /* 1970-01-04 was one */

/*
 * May clocks have been put forward within it? They are in spring, in the early hours of a Sunday:
 * of March in the north, of August to October in the south. (Egypt and Israel do it on a Friday:
 * there the job seems an hour longer than it was.)
 */
static bool over_spring(int64_t from_ms, int64_t to_ms)
{
	int64_t sunday = tm_floor(from_ms - SUNDAY_MS, 7 * MS_DAY) + SUNDAY_MS;

	for (; sunday < to_ms; sunday += 7 * MS_DAY) {
		int month = tm_civil(sunday).month;
		bool spring = month == 3 || within_int(month, 8, 10);

		if (spring && sunday + 4 * MS_HOUR > from_ms)
			return true;
	}
	return false;
}

/*
 * Local times without a zone: a job over the end of summer time seems an hour too short, or to end
 * before it began; over its begin an hour too long. How long it took is told beside; so it is for a
 * job that was suspended, which Elapsed leaves out.
 */
static void take_clock_change(struct sacct *s, struct allocation *a, int64_t elapsed_ms)
{
	struct sv start = get_field(s, F_START), end = get_field(s, F_END);

	if (elapsed_ms == UNKNOWN_MS || !rows_lacks_zone(start) || !rows_lacks_zone(end))
		return;
	struct sv v = get_field(s, F_SUSPENDED);
	int64_t suspended_ms = 0;
	bool told = v.n && tm_parse_slurm_span(v, &suspended_ms) == 0;
	int64_t held_ms = elapsed_ms + suspended_ms, more_ms = held_ms - (a->end_ms - a->start_ms);
	bool longer = more_ms == -MS_HOUR && (told || over_spring(a->start_ms, a->end_ms));
	if (more_ms != MS_HOUR && !longer)
		return;
	a->end_ms = a->start_ms + held_ms;
	s->nclocks++;
}

/* Start and end; false where the job never held anything. */
static bool row_times(struct sacct *s, struct allocation *a, int64_t *ret_seen_ms)
{
	int64_t elapsed;

	a->submit_ms = a->start_ms = a->end_ms = UNKNOWN_MS;
	a->limit_ms = get_limit(s);
	get_time(s, F_SUBMIT, &a->submit_ms);
	if (!get_time(s, F_START, &a->start_ms))
		return s->bad;
	bool ended = get_time(s, F_END, &a->end_ms), has_elapsed = get_elapsed(s, &elapsed);
	take_clock_change(s, a, ended && has_elapsed ? elapsed : UNKNOWN_MS);
	bool runs = SV_AMONG(a->state, "RUNNING", "SUSPENDED", "COMPLETING");
	bool may_end = !ended && s->col[F_END] < 0 && !runs;
	if ((may_end || runs) && has_elapsed && !ended)
		a->end_ms = a->start_ms + elapsed;
	a->open_end = runs && a->end_ms != UNKNOWN_MS && !ended; /* seen at least so long */
	if (a->end_ms != UNKNOWN_MS)
		*ret_seen_ms = a->end_ms;
	else if (has_elapsed)
		*ret_seen_ms = a->start_ms + elapsed;
	else
		*ret_seen_ms = a->start_ms;
	if (a->end_ms != UNKNOWN_MS && a->end_ms < a->start_ms)
		set_bad(s, F_END, "is before Start");
	return true;
}

static int reject_row(struct sacct *s, struct err *err)
{
	return feed_reject(s->r, s->lines.line, s->bad, err, "%s", s->why);
}

/* The machines of the row; where that spoils it, 0. */
static long row_nodes(struct sacct *s, struct sv **ret)
{
	struct sv list = get_field(s, F_NODES);
	long nnode = 0;

	*ret = NULL;
	if (list.n && !SV_AMONG(list, "None assigned", "None", "(null)"))
		nnode = hostlist_expand(&s->row, list, MAX_NODES, ret);
	if (nnode >= 0)
		return nnode;
	set_bad(s, F_NODES, "'%.*s' is not a list of nodes", (int)min_size(list.n, 80), list.p);
	return 0;
}

/* It is on these machines, whatever it holds of them. */
static void note_presence(struct sacct *s, const struct allocation *a, int64_t seen_ms,
			  const struct sv *node, long nnode)
{
	bool runs = a->open_end || a->end_ms == UNKNOWN_MS;
	struct presence p = { .cluster = a->cluster,
			      .from_ms = a->start_ms,
			      .to_ms = seen_ms > a->start_ms ? seen_ms : UNKNOWN_MS,
			      .goes_on = runs };

	if (!runs)
		p.to_ms = a->end_ms;
	for (long i = 0; i < nnode; i++) {
		p.node = node[i];
		presences_add(&s->presences, &p);
	}
}

static int row_give(struct sacct *s, struct allocation *a, int64_t seen_ms,
		    const struct tres_gpus *t, struct err *err)
{
	struct sv *node;
	long nnode = row_nodes(s, &node);
	int64_t unplaced = s->give.unplaced;
	int rc;

	if (s->bad)
		return reject_row(s, err);
	s->give.gpus_milli = sacct_gpus_milli(t);
	s->give.cpu = t->cpu;
	s->give.mem_mib = t->mem_mib;
	if ((rc = sacct_emit_gpus(&s->give, a, t, node, nnode, err)) < 0)
		return rc;
	if (s->give.unplaced > unplaced) /* on all of them, with GPUs on some */
		note_presence(s, a, seen_ms, node, nnode);
	presences_know(&s->presences, seen_ms);
	s->r->report->rows_kept++;
	feed_cover(s->r->report, a->start_ms, seen_ms);
	return 0;
}

/* A job without GPUs: no allocation, but its machines are not free. */
static int row_without_gpus(struct sacct *s, const struct allocation *a, int64_t seen_ms,
			    struct err *err)
{
	struct sv *node;
	long nnode = row_nodes(s, &node);

	if (s->bad)
		return reject_row(s, err);
	note_presence(s, a, seen_ms, node, nnode);
	s->nocpu++;
	s->r->report->rows_skipped++;
	return 0;
}

static struct sv read_tres(struct sacct *s, int f, struct tres_gpus *ret)
{
	struct sv text = get_field(s, f);

	if (tres_parse(text, ret) < 0)
		set_bad(s, f, "'%.*s' has a count that is none", (int)min_size(text.n, 80), text.p);
	else if (ret->unread && !sacct_holds_gpus(ret))
		set_bad(s, f, "'%.*s' names GPUs in a way that is not known",
			(int)min_size(text.n, 80), text.p);
	return text;
}

/* ReqGRES is of each node, as --gres is. */
static void on_each_node(struct tres_gpus *t, long nnode)
{
	for (size_t i = 0; i < t->ntype; i++)
		t->type[i].n *= nnode;
	if (t->all > 0)
		t->all *= nnode;
	if (t->mps > 0)
		t->mps *= nnode;
	if (t->shard > 0)
		t->shard *= nnode;
}

/*
 * A row without a word on what it holds, as of jobs that never started. One that ran (it took time,
 * on nodes) held what it asked for; *t is that then. false: it did not run.
 */
static bool ran_as_asked(struct sacct *s, const struct allocation *a, int64_t seen_ms,
			 struct tres_gpus *t)
{
	struct sv *node;
	long nnode = row_nodes(s, &node);

	if (seen_ms <= a->start_ms || (!nnode && s->col[F_NODES] >= 0))
		return false;
	for (int f = F_REQ_TRES; f <= F_REQ_GRES && !sacct_holds_gpus(t); f++) {
		if (!get_field(s, f).n)
			continue;
		read_tres(s, f, t);
		if (f == F_REQ_GRES)
			on_each_node(t, max_i64(nnode, 1));
	}
	s->nasked += sacct_holds_gpus(t);
	return true;
}

static int skip_row(struct sacct *s, const struct allocation *a, const char *why)
{
	feed_skip(s->r, s->lines.line, a->job_id, why);
	return 0;
}

static int read_row(struct sacct *s, struct err *err)
{
	struct allocation a = { .share_ppb = -1, .mig_start = -1, .checkpointable = -1 };
	struct feed_report *report = s->r->report;
	struct tres_gpus t;
	int64_t seen_ms = UNKNOWN_MS;

	if (is_step(get_field(s, F_JOBID)) || is_step(get_field(s, F_JOBIDRAW))) {
		s->nsteps++;
		report->rows_skipped++;
		return 0;
	}
	if (!get_field(s, F_JOBID).n && !get_field(s, F_JOBIDRAW).n)
		set_bad(s, s->col[F_JOBID] >= 0 ? F_JOBID : F_JOBIDRAW, "is empty");
	struct sv tres = read_tres(s, get_field(s, F_TRES).n ? F_TRES : F_GRES, &t);
	if (s->bad)
		return reject_row(s, err);
	struct sv state = get_field(s, F_STATE), by;

	a.job_id = get_field(s, F_JOBID).n ? get_field(s, F_JOBID) : get_field(s, F_JOBIDRAW);
	a.user = get_field(s, F_USER);
	a.name = get_field(s, F_NAME);
	a.account = get_field(s, F_ACCOUNT);
	a.queue = get_field(s, F_PARTITION);
	a.cluster = get_field(s, F_CLUSTER).n ? get_field(s, F_CLUSTER)
					      : sv_of(feed_set_get(s->r, "cluster"));
	a.state = sv_cut(state, ' ', &by); /* "CANCELLED by 1000" */
	if (a.state.n && a.state.p[a.state.n - 1] == '+')
		a.state.n--;
	a.currency = sv_of(feed_set_get(s->r, "currency"));
	a.has_usd_gpu_hour = feed_set_get(s->r, "usd_gpu_hour") != NULL;
	a.usd_gpu_hour = s->usd_gpu_hour;
	a.attempt = next_attempt(s, a.job_id);
	take_restarts(s, &a);
	row_tags(s, &a);
	if (sacct_holds_gpus(&t))
		s->holds.v[intern_find(&s->jobs, a.job_id)] = 1;
	bool started = row_times(s, &a, &seen_ms);
	if (s->bad)
		return reject_row(s, err);
	bool silent = !tres.n || (!sacct_holds_gpus(&t) && t.nodes < 0);
	if (!started || sv_is(a.state, "PENDING"))
		return skip_row(s, &a, "never started: holds nothing");
	if (silent && !ran_as_asked(s, &a, seen_ms, &t))
		return skip_row(s, &a, "never started: holds nothing");
	if (s->bad)
		return reject_row(s, err);
	if (!sacct_holds_gpus(&t) && !tres.n && s->col[F_TRES] >= 0)
		return skip_row(s, &a, "ran, and names nothing that it held (AllocTRES)");
	if (!sacct_holds_gpus(&t))
		return row_without_gpus(s, &a, seen_ms, err);
	job_words_see(&s->words, a.state);
	s->has_account |= a.account.n > 0;
	return row_give(s, &a, seen_ms, &t, err);
}

static int rows_all(struct sacct *s, struct err *err)
{
	struct sv line;
	int rc;

	while ((rc = lines_next(&s->lines, &line, err)) > 0) {
		/* appended outputs repeat it */
		if (!sv_trim(line).n || sv_eq(line, str_sv(&s->header)))
			continue;
		feed_tick(s->r);
		s->bad = NULL;
		arena_free(&s->row);
		if (sacct_split(&s->cols, line, s->cell) < 0)
			rc = feed_reject(s->r, s->lines.line, "", err,
					 "has not the %zu columns of the header", s->cols.ncol);
		else
			rc = read_row(s, err);
		if (rc < 0)
			return rc;
	}
	return rc;
}

static int sacct_run(struct feed_run *r, struct err *err)
{
	struct sacct *s = xcalloc(1, sizeof *s);
	struct feed_report *report = r->report;
	int rc;

	s->r = s->give.r = r;
	lines_open(&s->lines, r->in);
	if ((rc = read_header(s, err)) >= 0 && (rc = open_settings(s, err)) >= 0)
		rc = rows_all(s, err);
	if (rc >= 0)
		rc = presences_give(&s->presences, r->sink, err);
	int64_t without = 0;

	for (size_t i = 0; i < s->restarts.n; i++)
		without += s->holds.v[i] && s->restarts.v[i] > s->attempts.v[i];
	if (s->lacks_zone && !feed_set_get(s->r, "utc_offset"))
		feed_note(
			report,
			"sacct writes times without a zone: read as UTC, as TZ=UTC sacct ... writes them (--set utc_offset=+02:00 says otherwise)");
	if (without)
		feed_note(
			report,
			"%lld job%s begun again without a row for each earlier attempt, so what was lost then is not in: sacct -D (--duplicates) lists them",
			(long long)without, plural(without));
	if (s->has_account && !s->r->account_team)
		feed_note(
			report,
			"accounts of Slurm name no team by themselves; a rule of the settings makes them teams, virtual_tags: [{when: {account: \"*\"}, set: {team: \"{account}\"}}], for what is imported after it, and for the rest after tare import --repost (docs/CONFIG.md)");
	if (s->nclocks)
		feed_note(
			report,
			"%lld job%s began before a change of clocks and ended after it, in local time: the end is the start and Elapsed. All other times on one side of the change are an hour off, as one offset fits only the other: have them written in UTC, TZ=UTC sacct ...",
			(long long)s->nclocks, plural(s->nclocks));
	if (s->nasked)
		feed_note(
			report,
			"%lld job%s ran and do%s not say what %s held: what %s asked for was taken (ReqTRES; ReqGRES on each node)",
			(long long)s->nasked, plural(s->nasked), s->nasked == 1 ? "es" : "",
			s->nasked == 1 ? "it" : "they", s->nasked == 1 ? "it" : "they");
	job_words_note(&s->words, report);
	if (s->nsteps)
		feed_note(report, "%lld job steps were left out: their time is in their jobs' rows",
			  (long long)s->nsteps);
	if (s->nocpu)
		feed_note(report, "left out, as they held no GPU: %lld job%s", (long long)s->nocpu,
			  plural(s->nocpu));
	if (s->give.uneven)
		feed_note(
			report,
			"GPUs that do not divide evenly over the nodes of %lld job%s: the first nodes were taken to hold one more",
			(long long)s->give.uneven, plural(s->give.uneven));
	if (s->give.unplaced)
		feed_note(
			report,
			"%lld job%s with fewer GPUs than nodes: the GPUs are entered without a node",
			(long long)s->give.unplaced, plural(s->give.unplaced));
	lines_free(&s->lines);
	str_free(&s->header);
	arena_free(&s->row);
	tags_free(&s->tags);
	intern_free(&s->jobs);
	presences_free(&s->presences);
	job_words_free(&s->words);
	vec_free(&s->attempts);
	vec_free(&s->restarts);
	vec_free(&s->holds);
	free(s);
	return rc;
}

static int sacct_detect(struct sv head, const struct sv *col, size_t ncol)
{
	struct sv rest, line = sv_cut(head, '\n', &rest);

	bool has_id = rows_named(col, ncol, "JobID") || rows_named(col, ncol, "JobIDRaw"),
	     has_gpus = rows_named(col, ncol, "AllocTRES") || rows_named(col, ncol, "AllocGRES");
	if (has_id && has_gpus)
		return 95;
	/* a delimiter that no table has: the line is not parted into columns */
	bool id = sv_has(line, SV("JobID")),
	     time = sv_has(line, SV("Start")) || sv_has(line, SV("Elapsed"));
	if (!id || !time)
		return 0;
	if (sv_has(line, SV("Alloc")))
		return 95;
	return 60;
}

const struct feed feed_sacct = {
	.kind = "sacct",
	.group = "jobs",
	.about = "Slurm's accounting: sacct -P with AllocTRES, in any order of columns",
	.detect = sacct_detect,
	.run = sacct_run,
};
