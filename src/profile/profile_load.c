/* Reads what profile_file.c kept. Everything in it is taken as bytes from outside: bounded,
 * checked, printed only after that. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "base/str.h"
#include "profile/profile_file.h"
#include "base/tab.h"
#include "base/tm.h"
#include "base/jscan.h"

#define DEVICES_MAX 256
#define ROWS_MAX    100000000
#define STEP_MS_MAX MS_DAY

/* ---- the line about it ------------------------------------------------------------------- */

struct meta {
	struct tab *t;
	const struct sv *cell;
	struct profile *p;
	const char *name;
	struct err *err;
	int r;
};

static struct sv get_cell(const struct meta *m, const char *key)
{
	int c = tab_col(m->t, key);
	if (c < 0)
		return SV_NULL;
	return m->cell[c];
}

/* Control characters become blanks: the texts end on terminals. */
static const char *read_text(const struct meta *m, const char *key)
{
	struct sv v = get_cell(m, key);
	if (!v.n)
		return NULL;
	char *z = arena_strn(&m->p->mem, v.p, min_size(v.n, 4096));
	for (char *s = z; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = ' ';
	return z;
}

static void short_text(const struct meta *m, const char *key, char *to, size_t size)
{
	const char *z = read_text(m, key);
	snprintf(to, size, "%s", text_or(z, ""));
}

static int64_t read_whole(struct meta *m, struct sv v, const char *key, int64_t lo, int64_t hi,
			  int64_t other)
{
	int64_t n;
	if (!v.p || sv_is(v, "null"))
		return other;
	if ((sv_i64(v, &n) < 0 || !within_i64(n, lo, hi)) && m->r >= 0)
		m->r = err_set(m->err, -EBADMSG, "'%s': '%s' is not a number from %lld to %lld",
			       m->name, key, (long long)lo, (long long)hi);
	if (m->r < 0)
		return other;
	return n;
}

static double read_num(struct meta *m, struct sv v, const char *key)
{
	double x;
	if (!v.p || sv_is(v, "null"))
		return NAN;
	if ((sv_f64(v, &x) < 0 || !(fabs(x) < 1e18)) && m->r >= 0)
		m->r = err_set(m->err, -EBADMSG, "'%s': '%s' is not a number", m->name, key);
	if (m->r < 0)
		return NAN;
	return x;
}

static void copy_plain(char *to, size_t size, struct sv v)
{
	size_t n = 0;
	for (size_t i = 0; i < v.n && n + 1 < size; i++)
		to[n++] = !within_int(v.p[i], ' ', '~') || v.p[i] == '"' || v.p[i] == '\\' ? '?'
											   : v.p[i];
	to[n] = 0;
}

#define FAR_MS INT64_C(253402300799999) /* the end of the year 9999 */

static struct sv dev_get(struct sv object, const char *key)
{
	return jscan_text(jscan_get(object, key));
}

static void read_dev(struct meta *m, struct sv o)
{
	char uuid[sizeof m->p->dev->uuid];
	copy_plain(uuid, sizeof uuid, dev_get(o, "uuid"));
	struct profile_dev *d = profile_dev_of(
		m->p, uuid, (int)read_whole(m, dev_get(o, "index"), "index", -1, 65535, -1));
	copy_plain(d->name, sizeof d->name, dev_get(o, "name"));
	copy_plain(d->model, sizeof d->model, dev_get(o, "gpu_model"));
	copy_plain(d->mig_profile, sizeof d->mig_profile, dev_get(o, "mig_profile"));
	d->is_mig = read_whole(m, dev_get(o, "mig"), "mig", 0, 1, 0) == 1;
	d->share_ppb = read_whole(m, dev_get(o, "share_ppb"), "share_ppb", 1, 1000000000,
				  1000000000);
	d->how = (enum profile_how)read_whole(m, dev_get(o, "how"), "how", PROFILE_NOT,
					      PROFILE_BY_CHANGE, PROFILE_NOT);
	d->first_ms = read_whole(m, dev_get(o, "first_ms"), "first_ms", 0, FAR_MS, UNKNOWN_MS);
	d->last_ms = read_whole(m, dev_get(o, "last_ms"), "last_ms", 0, FAR_MS, UNKNOWN_MS);
	d->shared_ms = read_whole(m, dev_get(o, "shared_ms"), "shared_ms", 0, FAR_MS, 0);
	d->mem_start_bytes = read_num(m, dev_get(o, "mem_start_bytes"), "mem_start_bytes");
	d->energy_start_j = read_num(m, dev_get(o, "energy_start_j"), "energy_start_j");
	d->facts.mem_total_bytes = read_num(m, dev_get(o, "mem_total_bytes"), "mem_total_bytes");
	d->facts.power_limit_w = read_num(m, dev_get(o, "power_limit_w"), "power_limit_w");
	d->facts.tdp_w = read_num(m, dev_get(o, "tdp_w"), "tdp_w");
	d->facts.pcie_bytes_s = read_num(m, dev_get(o, "pcie_bytes_s"), "pcie_bytes_s");
	d->facts.temp_slowdown_celsius = read_num(m, dev_get(o, "temp_slowdown_celsius"),
						  "temp_slowdown_celsius");
	d->facts.cpus = m->p->cpus_allowed;
	d->facts.training = m->p->workload && !strcmp(m->p->workload, "training");
	d->facts.serving = m->p->workload && !strcmp(m->p->workload, "inference");
	bool timed = d->first_ms != UNKNOWN_MS && d->last_ms != UNKNOWN_MS;
	if (d->how != PROFILE_NOT && !timed && m->r >= 0)
		m->r = err_set(m->err, -EBADMSG,
			       "'%s': a device that was used has no first_ms and last_ms", m->name);
}

static void read_all(struct meta *m)
{
	struct profile *p = m->p;
	struct {
		const char *key, **to;
	} z[] = { { "id", &p->id },           { "command", &p->command },
		  { "node", &p->node },       { "driver", &p->driver },
		  { "problem", &p->problem }, { "user", &p->user },
		  { "team", &p->team },       { "project", &p->project },
		  { "env", &p->env },         { "workload", &p->workload },
		  { "work", &p->work },       { "job", &p->job } };
	for (size_t i = 0; i < sizeof z / sizeof *z; i++)
		*z[i].to = read_text(m, z[i].key);
	p->start_ms = read_whole(m, get_cell(m, "start_ms"), "start_ms", 0, FAR_MS, 0);
	p->end_ms = read_whole(m, get_cell(m, "end_ms"), "end_ms", p->start_ms, FAR_MS,
			       p->start_ms);
	p->interval_ms = read_whole(m, get_cell(m, "interval_ms"), "interval_ms", 1, STEP_MS_MAX,
				    1000);
	p->gap_ms = read_whole(m, get_cell(m, "gap_ms"), "gap_ms", 0, FAR_MS, 0);
	p->exit_code = (int)read_whole(m, get_cell(m, "exit_code"), "exit_code", 0, 255, -1);
	p->steps = read_whole(m, get_cell(m, "steps"), "steps", 1, INT64_C(1000000000000000),
			      UNKNOWN_I64);
	p->cpus = (int)read_whole(m, get_cell(m, "cpus"), "cpus", 0, 1000000, 0);
	p->cpus_allowed = (int)read_whole(m, get_cell(m, "cpus_allowed"), "cpus_allowed", 0,
					  1000000, 0);
	p->cpu_s = read_num(m, get_cell(m, "cpu_s"), "cpu_s");
	p->rss_peak_bytes = read_num(m, get_cell(m, "rss_peak_bytes"), "rss_peak_bytes");
	p->procs_seen = read_whole(m, get_cell(m, "procs_seen"), "procs_seen", 0, INT64_MAX, 0);
	p->procs_left = read_whole(m, get_cell(m, "procs_left"), "procs_left", 0, INT64_MAX, 0);

	struct watch_rate *r = &m->p->rate;
	struct sv v = get_cell(m, "usd_gpu_hour");
	r->known = v.n && !sv_is(v, "null") && dec_parse(v, 0, &r->usd_gpu_hour) == 0;
	if (r->known && (r->usd_gpu_hour < 0 || r->usd_gpu_hour > DEC_ONE * 1000000)) {
		r->known = false;
		m->r = err_set(m->err, -EBADMSG, "'%s': '%.*s' is not a price of an hour", m->name,
			       SVF(v));
	}
	short_text(m, "currency", r->currency, sizeof r->currency);
	short_text(m, "provider", r->provider, sizeof r->provider);
	short_text(m, "region", r->region, sizeof r->region);
	short_text(m, "zone", r->zone, sizeof r->zone);
	short_text(m, "instance_type", r->instance_type, sizeof r->instance_type);
	short_text(m, "purchase", r->purchase, sizeof r->purchase);
	short_text(m, "price_source", r->source, sizeof r->source);

	struct sv all = get_cell(m, "devices"), key, value;
	size_t at = 0, n = 0;
	while (m->r >= 0 && all.n && jscan_next(all, &at, &key, &value)) {
		if (++n > DEVICES_MAX)
			m->r = err_set(m->err, -E2BIG, "'%s': more than %d devices", m->name,
				       DEVICES_MAX);
		else if (jscan_is_object(value))
			read_dev(m, value);
	}
}

static int parse_meta(struct input *in, struct profile *ret, struct err *err)
{
	struct meta m = { .p = ret, .name = input_name(in), .err = err };
	memset(ret, 0, sizeof *ret);
	m.r = tab_jsonl_open(in, &m.t, err);
	if (m.r >= 0) {
		m.r = tab_next(m.t, &m.cell, err);
		if (m.r == 0 || (m.r > 0 && !sv_is(get_cell(&m, "schema"), "tare.profile-run/1")))
			m.r = err_set(err, -EBADMSG, "'%s' is not a run that tare profile kept",
				      m.name);
		if (m.r > 0)
			read_all(&m);
		tab_close(m.t);
	}
	if (m.r < 0)
		profile_free(ret);
	return min_int(m.r, 0);
}

int profile_meta_parse(const char *name, struct sv v, struct profile *ret, struct err *err)
{
	struct input *in;
	int r = input_from_memory(name, v.p, v.n, &in, err);
	if (r < 0)
		return r;
	r = parse_meta(in, ret, err);
	input_close(in);
	return r;
}

/* ---- rows -------------------------------------------------------------------------------- */

struct rows {
	struct tab *t;
	const struct sv *cell;
	const char *name;
};

static int tell_bad(const struct rows *w, const char *column, struct err *err)
{
	return err_set(err, -EBADMSG, "'%s' line %lld: column %s", w->name, (long long)w->t->line,
		       column);
}

static int time_of(const struct rows *w, int c_time, int c_step, int64_t *ret_t, int32_t *ret_step,
		   struct err *err)
{
	double step;
	if (tm_parse(w->cell[c_time], 0, ret_t) < 0)
		return tell_bad(w, "time is no time", err);
	if (sv_f64(w->cell[c_step], &step) < 0 || !(step > 0 && step * 1000 <= STEP_MS_MAX))
		return tell_bad(w, "step_s is no number of seconds", err);
	*ret_step = (int32_t)lround(step * 1000);
	if (*ret_step > 0)
		return 0;
	return tell_bad(w, "step_s is no number of seconds", err);
}

static int read_value(const struct rows *w, int col, const char *name, double *ret, struct err *err)
{
	*ret = NAN;
	if (col < 0 || !w->cell[col].n)
		return 0;
	if (sv_f64(w->cell[col], ret) < 0 || !(fabs(*ret) < 1e18))
		return tell_bad(w, name, err);
	return 0;
}

static struct profile_dev *dev_of(struct profile *p, struct sv gpu, struct sv mig)
{
	int64_t index = -1;
	struct sv uuid = sv_or(mig, gpu);
	bool numbered = !mig.n && sv_i64(gpu, &index) == 0;
	for (size_t i = 0; i < p->ndev; i++)
		if (numbered ? !*p->dev[i].uuid && p->dev[i].index == index
			     : sv_is(uuid, p->dev[i].uuid) && *p->dev[i].uuid)
			return &p->dev[i];
	return NULL;
}

static int open_rows(struct input *in, struct rows *w, struct err *err)
{
	struct tab_csv_opt o = {
		.max_row_bytes = 1 << 16, .sep = ',', .ragged = true, .growing = true
	};
	w->name = input_name(in);
	return tab_csv_open(in, &o, &w->t, err);
}

static int find_columns(const struct rows *w, const char *const *name, size_t n, int *ret,
			struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if ((ret[i] = tab_col(w->t, name[i])) < 0)
			return err_set(err, -EBADMSG, "'%s' has no column %s", w->name, name[i]);
	return 0;
}

int profile_samples_read(struct input *in, struct profile *p, struct err *err)
{
	static const char *const need[] = { "time", "step_s", "gpu", "mig" };
	struct rows w;
	int col[4], metric[METRIC_N], extra[DIAG_X_N], r = open_rows(in, &w, err);
	char x_name[64];

	if (r < 0)
		return r;
	for (int m = 0; m < METRIC_N; m++)
		metric[m] = tab_col(w.t, metric_name((enum metric)m));
	for (int x = 0; x < DIAG_X_N; x++) {
		snprintf(x_name, sizeof x_name, "x_%s", diag_extra_name((enum diag_extra)x));
		extra[x] = tab_col(w.t, x_name);
	}
	r = find_columns(&w, need, 4, col, err);
	for (int64_t n = 0; r >= 0 && n < ROWS_MAX && (r = tab_next(w.t, &w.cell, err)) > 0; n++) {
		struct diag_step s;
		struct profile_dev *d = dev_of(p, w.cell[col[2]], w.cell[col[3]]);
		if (!d)
			continue;
		diag_step_init(&s);
		r = time_of(&w, col[0], col[1], &s.t_ms, &s.step_ms, err);
		for (int m = 0; m < METRIC_N && r >= 0; m++)
			r = read_value(&w, metric[m], metric_name((enum metric)m), &s.value[m],
				       err);
		for (int x = 0; x < DIAG_X_N && r >= 0; x++)
			r = read_value(&w, extra[x], diag_extra_name((enum diag_extra)x),
				       &s.extra[x], err);
		if (r >= 0)
			profile_add_step(p, d, &s);
	}
	tab_close(w.t);
	if (r < 0)
		return r;
	return 0;
}

int profile_host_read(struct input *in, struct profile *p, struct err *err)
{
	static const char *const need[] = { "time",
					    "step_s",
					    "cmd_cpu_pct",
					    "host_cpu_pct",
					    "rss_bytes",
					    "disk_read_bytes_s",
					    "disk_write_bytes_s",
					    "procs" };
	struct rows w;
	int col[8], r = open_rows(in, &w, err);

	if (r < 0)
		return r;
	r = find_columns(&w, need, 8, col, err);
	for (int64_t n = 0; r >= 0 && n < ROWS_MAX && (r = tab_next(w.t, &w.cell, err)) > 0; n++) {
		struct profile_host_step s;
		double v[6];
		r = time_of(&w, col[0], col[1], &s.t_ms, &s.step_ms, err);
		for (int k = 0; k < 6 && r >= 0; k++)
			r = read_value(&w, col[k + 2], need[k + 2], &v[k], err);
		if (r < 0)
			break;
		s.cmd_cpu_pct = (float)v[0];
		s.host_cpu_pct = (float)v[1];
		s.rss_bytes = (float)v[2];
		s.disk_read_bytes_s = (float)v[3];
		s.disk_write_bytes_s = (float)v[4];
		s.procs = (float)v[5];
		profile_add_host(p, &s);
	}
	tab_close(w.t);
	if (r < 0)
		return r;
	return 0;
}

/* ---- files ------------------------------------------------------------------------------- */

static const char *const endings[] = { ".samples.csv.zst", ".host.csv.zst", ".json" };

/* A missing file of readings is a run of which none were kept: the line about it is still an
 * answer. */
static int read_rows(const char *path, struct profile *p,
		     int (*read)(struct input *, struct profile *, struct err *), struct err *err)
{
	struct input *in;
	int r = input_open(path, &in, err);
	if (r < 0) {
		if (r == -ENOENT)
			return 0;
		return r;
	}
	r = read(in, p, err);
	input_close(in);
	return r;
}

int profile_file_read(const char *path, struct profile *ret, struct err *err)
{
	char base[4000], file[4096];
	struct input *in;
	int r;

	if (snprintf(base, sizeof base, "%s", path) >= (int)sizeof base)
		return err_set(err, -ENAMETOOLONG, "'%.100s...' is too long a name", path);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (sv_ends(sv_of(base), sv_of(endings[i])))
			base[strlen(base) - strlen(endings[i])] = 0;
	snprintf(file, sizeof file, "%s.json", base);
	if ((r = input_open(file, &in, err)) < 0)
		return r;
	r = parse_meta(in, ret, err);
	input_close(in);
	if (r < 0)
		return r;
	snprintf(file, sizeof file, "%s.samples.csv.zst", base);
	r = read_rows(file, ret, profile_samples_read, err);
	snprintf(file, sizeof file, "%s.host.csv.zst", base);
	if (r >= 0)
		r = read_rows(file, ret, profile_host_read, err);
	if (r < 0) {
		profile_free(ret);
		return r;
	}
	return 0;
}

/* "p-20261121-155123" comes before its "-2", and that before "-10". */
static bool is_newer(const char *a, const char *b)
{
	size_t n = strlen("p-20261121-155123");
	int c = strncmp(a, b, n);
	if (c)
		return c > 0;
	if (strlen(a) != strlen(b))
		return strlen(a) > strlen(b);
	return strcmp(a, b) > 0;
}

static const char *find_newest(const char *folder, struct arena *a)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	char best[256] = "";
	while (d && (e = readdir(d))) {
		struct sv v = sv_of(e->d_name);
		if (!sv_starts(v, SV("p-")) || !sv_ends(v, SV(".json")) || v.n >= sizeof best)
			continue;
		char id[256];
		snprintf(id, sizeof id, "%.*s", (int)(v.n - 5), v.p);
		if (!*best || is_newer(id, best))
			memcpy(best, id, sizeof best);
	}
	if (d)
		closedir(d);
	if (*best)
		return arena_printf(a, "%s/%s.json", folder, best);
	return NULL;
}

const char *profile_file_path(const char *dir, const char *id, struct arena *a)
{
	const char *folder = arena_printf(a, "%s/profiles", dir);
	if (!strcmp(id, "last"))
		return find_newest(folder, a);
	if (strncmp(id, "p-", 2) || strspn(id, "p-0123456789") != strlen(id))
		return NULL;
	const char *path = arena_printf(a, "%s/%s.json", folder, id);
	FILE *f = fopen(path, "re");
	if (f)
		fclose(f);
	if (f)
		return path;
	return NULL;
}
