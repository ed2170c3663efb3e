#include "device/slurm.h"

#include <errno.h>
#include <stdio.h>

#include "base/among.h"
#include "base/num.h"
#include "base/tm.h"
#include "feed/jobs/hostlist.h"

#define NODES_MAX 20000 /* names of one line of scontrol */

static struct sv known_or_null(struct sv v)
{
	v = sv_trim(v);
	if (!v.n || SV_AMONG(v, "(null)", "N/A", "None", "Unknown"))
		return SV_NULL;
	return v;
}

static int64_t read_number(struct sv v)
{
	int64_t n;

	if (sv_i64(sv_trim(v), &n) == 0 && n >= 0 && n <= UINT32_MAX)
		return n;
	return -1;
}

static int64_t read_time(struct sv v)
{
	int64_t ms;

	v = known_or_null(v);
	if (v.n && tm_parse(v, 0, &ms) == 0)
		return ms;
	return UNKNOWN_MS;
}

static int64_t read_span(struct sv v)
{
	int64_t ms;

	v = known_or_null(v);
	if (v.n && tm_parse_slurm_span(v, &ms) == 0)
		return ms;
	return UNKNOWN_MS;
}

/* ---- squeue ------------------------------------------------------------------------------ */

enum {
	Q_ID,
	Q_ARRAY,
	Q_TASK,
	Q_UID,
	Q_USER,
	Q_ACCOUNT,
	Q_PARTITION,
	Q_STATE,
	Q_QOS,
	Q_START,
	Q_LIMIT,
	Q_N
};

static bool squeue_line(struct sv line, struct slurm_job *j)
{
	struct sv f[Q_N], rest = line;
	int n = 0;

	while (rest.p && n < Q_N)
		f[n++] = sv_cut(rest, '|', &rest);
	if (n != Q_N || rest.p)
		return false;
	*j = (struct slurm_job){ .id = read_number(f[Q_ID]),
				 .array_task = read_number(f[Q_TASK]),
				 .array_job = -1,
				 .uid = read_number(f[Q_UID]),
				 .restarts = -1,
				 .user = known_or_null(f[Q_USER]),
				 .account = known_or_null(f[Q_ACCOUNT]),
				 .partition = known_or_null(f[Q_PARTITION]),
				 .qos = known_or_null(f[Q_QOS]),
				 .state = known_or_null(f[Q_STATE]),
				 .submit_ms = UNKNOWN_MS,
				 .start_ms = read_time(f[Q_START]),
				 .limit_ms = read_span(f[Q_LIMIT]) };
	if (j->array_task >= 0)
		j->array_job = read_number(f[Q_ARRAY]);
	return j->id > 0;
}

size_t slurm_squeue_parse(struct arena *mem, struct sv text, struct slurm_job **ret)
{
	struct slurm_job one, *all = NULL;
	struct sv rest = text;
	size_t n = 0, lines = 1;

	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	lines = min_size(lines, SLURM_JOBS_MAX);
	all = arena_zalloc(mem, lines * sizeof *all);
	while (rest.p && n < lines) {
		struct sv line = sv_trim(sv_cut(rest, '\n', &rest));
		if (squeue_line(line, &one))
			all[n++] = one;
	}
	*ret = all;
	return n;
}

/* ---- GRES -------------------------------------------------------------------------------- */

/* The next element of a list whose elements may hold commas in round brackets. */
static struct sv next_element(struct sv list, struct sv *rest)
{
	int depth = 0;

	for (size_t i = 0; i < list.n; i++) {
		depth += list.p[i] == '(';
		depth -= list.p[i] == ')';
		if (list.p[i] == ',' && depth <= 0) {
			*rest = (struct sv){ list.p + i + 1, list.n - i - 1 };
			return (struct sv){ list.p, i };
		}
	}
	*rest = SV_NULL;
	return list;
}

/* "0-1,3" */
static uint64_t idx_bits(struct sv text)
{
	uint64_t bits = 0;

	while (text.n) {
		struct sv rest, b, a = sv_cut(sv_cut(text, ',', &rest), '-', &b);
		int64_t from = read_number(a), to = from;
		if (b.p)
			to = read_number(b);
		if (from < 0 || to < from || to >= SLURM_IDX_MAX)
			return 0; /* not understood: nothing rather than another GPU */
		for (int64_t i = from; i <= to; i++)
			bits |= 1ull << i;
		text = rest;
	}
	return bits;
}

/* "2/4,0/4": how much of each device in turn. */
static void read_parts(struct sv text, struct slurm_gres *g)
{
	for (int i = 0; text.n && i < SLURM_IDX_MAX; i++) {
		struct sv rest, of, part = sv_cut(sv_cut(text, ',', &rest), '/', &of);
		int64_t a = read_number(part), b = -1;
		if (of.p)
			b = read_number(of);
		if (a > 0 && b >= a && b <= INT32_MAX) {
			g->part[i] = (int32_t)a;
			g->of[i] = (int32_t)b;
			g->idx |= 1ull << i;
		}
		text = rest;
	}
}

static bool gres_one(struct sv one, struct slurm_gres *g)
{
	struct sv inside, rest, a, b;

	*g = (struct slurm_gres){ .count = 1, .kind = GRES_GPU };
	one = sv_cut(one, '(', &inside);
	struct sv kind = sv_trim(sv_cut(one, ':', &rest));
	if (sv_starts(kind, SV("gres/")))
		kind = sv_from(kind, 5);
	if (sv_is(kind, "mps"))
		g->kind = GRES_MPS;
	else if (sv_is(kind, "shard"))
		g->kind = GRES_SHARD;
	else if (!sv_is(kind, "gpu"))
		return false;
	a = rest.p ? sv_cut(rest, ':', &b) : SV_NULL;
	if (!rest.p)
		b = SV_NULL;
	if (b.p)
		g->type = known_or_null(a);
	struct sv count = b.p ? b : a;
	if (count.p && (g->count = read_number(count)) < 0) {
		if (b.p)
			return false;
		g->type = known_or_null(a); /* "gpu:a100": one of them */
		g->count = 1;
	}
	if (inside.n && inside.p[inside.n - 1] == ')')
		inside.n--;
	if (sv_starts(inside, SV("IDX:")))
		g->idx = idx_bits(sv_from(inside, 4));
	else if (sv_starts(inside, SV("CNT:")) && read_number(sv_from(inside, 4)) >= 0)
		g->count = read_number(sv_from(inside, 4));
	else if (sv_has(inside, SV("/")))
		read_parts(inside, g);
	return true;
}

size_t slurm_gres_parse(struct sv text, struct slurm_gres *ret, size_t max)
{
	size_t n = 0;

	while (text.n && n < max) {
		struct sv rest, one = next_element(text, &rest);
		if (gres_one(sv_trim(one), &ret[n]) && ret[n].count > 0)
			n++;
		text = rest;
	}
	return n;
}

/* ---- scontrol show job -d ---------------------------------------------------------------- */

/* Value of `key` where it starts a word of the line: up to the next blank, or to the end of the
 * line. {NULL,0}: not there. */
static struct sv value_of(struct sv line, const char *key, bool whole)
{
	size_t n = strlen(key);

	for (size_t i = 0; i + n < line.n; i++) {
		if ((i && line.p[i - 1] != ' ') || memcmp(line.p + i, key, n))
			continue;
		if (line.p[i + n] != '=')
			continue;
		struct sv v = { line.p + i + n + 1, line.n - i - n - 1 }, rest;
		if (whole)
			return v;
		return sv_cut(v, ' ', &rest);
	}
	return SV_NULL;
}

/* Take a value; one that came before makes it nobody's: texts that users choose may hold whole
 * lines. */
static void take_once(struct sv *field, int *seen, struct sv v)
{
	if (!v.p)
		return;
	*field = ++*seen > 1 ? SV_NULL : known_or_null(v);
}

static bool node_in(struct sv list, const char *node)
{
	struct arena mem = { 0 };
	struct sv *name;
	bool found = false;
	long n = hostlist_expand(&mem, list, NODES_MAX, &name);

	for (long i = 0; i < n && !found; i++)
		found = sv_is(name[i], node);
	arena_free(&mem);
	return found;
}

bool slurm_scontrol_parse(struct arena *mem, struct sv text, const char *node, struct slurm_job *j)
{
	struct sv rest = text, line, name = SV_NULL, comment = SV_NULL, wckey = SV_NULL,
		  restarts = SV_NULL, submit = SV_NULL, gres = SV_NULL;
	int seen[6] = { 0 };
	bool first = true;

	text = sv_trim(text);
	if (!sv_starts(text, SV("JobId=")) ||
	    read_number(value_of(sv_cut(text, '\n', &rest), "JobId", false)) != j->id)
		return false;
	rest = text;
	while (rest.p) {
		line = sv_cut(rest, '\n', &rest);
		if (first)
			take_once(&name, &seen[0], value_of(line, "JobName", true));
		else if (sv_starts(line, SV("JobId=")))
			/* nothing below belongs to this job, or a name pretends so */
			break;
		first = false;
		struct sv t = sv_trim(line);
		if (sv_starts(t, SV("Comment=")))
			take_once(&comment, &seen[1], value_of(t, "Comment", true));
		else if (sv_starts(t, SV("Priority=")))
			take_once(&wckey, &seen[2], value_of(t, "WCKey", false));
		else if (sv_starts(t, SV("Requeue=")))
			take_once(&restarts, &seen[3], value_of(t, "Restarts", false));
		else if (sv_starts(t, SV("SubmitTime=")))
			take_once(&submit, &seen[4], value_of(t, "SubmitTime", false));
		else if (sv_starts(t, SV("Nodes=")) && value_of(t, "GRES", true).p &&
			 node_in(value_of(t, "Nodes", false), node))
			take_once(&gres, &seen[5], value_of(t, "GRES", true));
	}
	j->name = name;
	j->comment = comment;
	j->wckey = wckey;
	if (read_number(restarts) >= 0 && read_number(restarts) < INT32_MAX)
		j->restarts = (int)read_number(restarts);
	else
		j->restarts = -1;
	j->submit_ms = read_time(submit);
	struct slurm_gres *g = arena_alloc(mem, 8 * sizeof *g);
	j->ngres = slurm_gres_parse(gres, g, 8);
	j->gres = g;
	j->detailed = true;
	return true;
}

/* ---- gres.conf --------------------------------------------------------------------------- */

/* ASCII without case, as Slurm reads its files; a value may be in quotes. */
static struct sv conf_value(struct sv line, const char *key)
{
	size_t n = strlen(key);

	for (size_t i = 0; i + n < line.n; i++) {
		if (i && line.p[i - 1] != ' ' && line.p[i - 1] != '\t')
			continue;
		if (line.p[i + n] != '=' || !sv_ieq((struct sv){ line.p + i, n }, sv_of(key)))
			continue;
		struct sv v = { line.p + i + n + 1, line.n - i - n - 1 };
		if (v.n && v.p[0] == '"') {
			struct sv rest;
			return sv_cut(sv_from(v, 1), '"', &rest);
		}
		for (size_t k = 0; k < v.n; k++)
			if (char_among(v.p[k], " \t#"))
				v.n = k;
		return v;
	}
	return SV_NULL;
}

/* The number at the end of a device's file; "/dev/nvidia3" 3, "/dev/nvidia-caps/nvidia-cap30"
 * 30. */
static int file_number(struct sv file, const char *stem)
{
	const char *slash = file.n ? memrchr(file.p, '/', file.n) : NULL;
	struct sv base = slash ? (struct sv){ slash + 1, file.n - (size_t)(slash + 1 - file.p) }
			       : file,
		  s = sv_of(stem);

	if (!sv_starts(base, s))
		return -1;
	int64_t n = -1;
	if (base.n > s.n)
		n = read_number(sv_from(base, s.n));
	if (n >= 0 && n < 4096)
		return (int)n;
	return -1;
}

static size_t conf_files(struct sv files, struct sv type, struct slurm_device *ret, size_t max)
{
	struct arena mem = { 0 };
	struct sv *name;
	long n = hostlist_expand(&mem, files, SLURM_IDX_MAX, &name);
	size_t k = 0;

	for (long i = 0; i < n && k < max; i++)
		ret[k++] = (struct slurm_device){ type, file_number(name[i], "nvidia"),
						  file_number(name[i], "nvidia-cap") };
	arena_free(&mem);
	return k;
}

/* MultipleFiles: one device in several files, the GPU's and those of the instance's
 * capabilities. */
static struct slurm_device conf_multiple(struct sv files, struct sv type)
{
	struct slurm_device one, d = { type, -1, -1 };

	while (files.n) {
		struct sv rest, f = sv_cut(files, ',', &rest);
		if (conf_files(f, type, &one, 1)) {
			if (d.minor < 0)
				d.minor = one.minor;
			if (d.cap < 0)
				d.cap = one.cap;
		}
		files = rest;
	}
	return d;
}

size_t slurm_gres_conf(struct sv text, const char *node, struct slurm_device *ret, size_t max)
{
	size_t n = 0;

	while (text.p && n < max) {
		struct sv line = sv_trim(sv_cut(text, '\n', &text)),
			  nodes = conf_value(line, "NodeName"), file = conf_value(line, "File"),
			  multiple = conf_value(line, "MultipleFiles"),
			  type = conf_value(line, "Type");
		if (!line.n || line.p[0] == '#')
			continue;
		if (!sv_ieq(conf_value(line, "Name"), SV("gpu")) ||
		    (nodes.n && !node_in(nodes, node)))
			continue;
		if (multiple.n)
			ret[n++] = conf_multiple(multiple, type);
		else if (file.n)
			n += conf_files(file, type, ret + n, max - n);
	}
	return n;
}

/* "gpu0/gi7/access 66" */
bool slurm_mig_minor(struct sv text, int cap, int *ret_gpu_minor, int *ret_gi)
{
	while (text.p) {
		struct sv line = sv_trim(sv_cut(text, '\n', &text)), value,
			  name = sv_cut(line, ' ', &value), gi, access, rest;
		struct sv gpu = sv_cut(name, '/', &gi);
		if (read_number(value) != cap || !sv_starts(gpu, SV("gpu")))
			continue;
		if (!gi.p || !sv_starts(gi, SV("gi")))
			continue;
		gi = sv_cut(gi, '/', &access);
		sv_cut(access, '/', &rest);
		int64_t g = read_number(sv_from(gpu, 3)), i = read_number(sv_from(gi, 2));
		if (g < 0 || i < 0)
			continue;
		if (g > 4095 || i > 4095)
			continue;
		*ret_gpu_minor = (int)g;
		*ret_gi = (int)i;
		return true;
	}
	return false;
}
