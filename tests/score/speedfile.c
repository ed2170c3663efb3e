/* See speedfile.h. */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include "base/among.h"
#include "base/str.h"
#include "base/tab.h"
#include "speedfile.h"

#define MAX_ROWS       100000
#define MAX_JSON_BYTES (64 << 20) /* Gavel's are 4 MB unpacked */
#define MAX_WORDS      24

static int add(struct speed_file *f, struct speed_row row, struct err *err)
{
	if (f->row.n == MAX_ROWS)
		return err_set(err, -E2BIG, "more than %d measured speeds", MAX_ROWS);
	*vec_push(&f->row) = row;
	return 0;
}

static void unknown(struct speed_file *f, struct sv name)
{
	f->unknown_gpu++;
	if (!f->unknown_name)
		f->unknown_name = arena_sv(&f->mem, name);
}

/* "8xH100" -> "H100" and 8; else the word as it is */
static struct sv without_count(struct sv w, double *ret_count)
{
	size_t i = 0;
	double n = 0;
	while (i < w.n && i < 4 && isdigit((unsigned char)w.p[i]))
		n = n * 10 + (w.p[i++] - '0');
	if (i == 0 || i >= w.n || w.p[i] != 'x')
		return w;
	if (i + 1 < w.n && isalpha((unsigned char)w.p[i + 1]))
		*ret_count = n;
	return (struct sv){ w.p + i + 1, w.n - i - 1 };
}

/* The longest run of words of a system's name that is a GPU:
 * "LambdaOD_1x_Texas_8xH100_80GB_SXM5_192-222-52-102_v2". */
static const struct gpu_spec *gpu_in_text(const struct catalog *cat, struct sv text,
					  double *ret_count)
{
	struct sv word[MAX_WORDS];
	size_t n = 0;
	char buf[160];
	for (size_t i = 0; i < text.n && n < MAX_WORDS;) {
		size_t j = i;
		while (j < text.n && !char_among(text.p[j], " _-"))
			j++;
		if (j > i)
			word[n++] = without_count((struct sv){ text.p + i, j - i }, ret_count);
		i = j + 1;
	}
	for (size_t from = 0; from < n; from++)
		for (size_t to = n; to > from; to--) {
			size_t len = 0;
			for (size_t k = from; k < to && len + word[k].n + 2 < sizeof buf; k++)
				len += (size_t)snprintf(buf + len, sizeof buf - len, "%s%.*s",
							text_if(k > from, " "), SVF(word[k]));
			const struct gpu_spec *g = NULL;
			if (len)
				g = catalog_gpu(cat, (struct sv){ buf, len });
			if (g)
				return g;
		}
	return NULL;
}

static int number(struct tab *t, struct sv cell, size_t col, double *ret, struct err *err)
{
	*ret = 0;
	if (!sv_trim(cell).n)
		return 0;
	if (sv_f64(sv_trim(cell), ret) < 0 || !(*ret >= 0 && *ret < 1e18))
		return err_set(err, -EINVAL,
			       "line %lld, column '%.*s': '%.*s' is not a speed or count",
			       (long long)t->line, SVF(t->col[col]), SVF(cell));
	return 0;
}

/* ---- Lambda ------------------------------------------------------------------------------ */

static bool is_workload_column(struct sv name)
{
	return name.n && !SV_AMONG(name, "num_gpu", "watt", "price", "name_gpu");
}

static int lambda_row(struct speed_file *f, struct tab *t, const struct catalog *cat,
		      const struct sv *cell, const char *const *workload, struct err *err)
{
	int count_col = tab_col(t, "num_gpu"), r = 0;
	double count = 1, gpus = 0;
	const struct gpu_spec *g = gpu_in_text(cat, cell[0], &count);
	if (!g) {
		unknown(f, cell[0]);
		return 0;
	}
	if (count_col >= 0 && (r = number(t, cell[count_col], (size_t)count_col, &gpus, err)) < 0)
		return r;
	if (!(gpus > 0))
		gpus = count > 0 ? count : 1;
	for (size_t i = 1; i < t->ncol && r >= 0; i++) {
		double v;
		if (!workload[i] || (r = number(t, cell[i], i, &v, err)) < 0)
			continue;
		if (!(v > 0))
			f->not_run++;
		else
			r = add(f,
				(struct speed_row){ g, workload[i], workload[i], workload[i], "",
						    gpus, 1, 1, 0, v },
				err);
	}
	return r;
}

static int read_lambda(struct speed_file *f, struct tab *t, const struct catalog *cat,
		       struct err *err)
{
	const struct sv *cell;
	const char **workload = arena_zalloc(&f->mem, t->ncol * sizeof *workload);
	int r;
	for (size_t i = 1; i < t->ncol; i++)
		workload[i] = is_workload_column(t->col[i]) ? arena_sv(&f->mem, t->col[i]) : NULL;
	while ((r = tab_next(t, &cell, err)) == 1)
		if ((r = lambda_row(f, t, cat, cell, workload, err)) < 0)
			return r;
	return r;
}

/* ---- MLPerf and plain -------------------------------------------------------------------- */

static int need(struct tab *t, const char *name, struct err *err)
{
	int c = tab_col(t, name);
	if (c >= 0)
		return c;
	return err_set(err, -EINVAL, "no column '%s'", name);
}

static struct sv cell_of(const struct sv *cell, int col)
{
	if (col >= 0)
		return sv_trim(cell[col]);
	return SV_NULL;
}

enum {
	M_SUBMITTER,
	M_DIVISION,
	M_MODEL,
	M_SCENARIO,
	M_ACCELERATOR,
	M_PER_NODE,
	M_NODES,
	M_RESULT,
	M_VALID,
	M_N
};

static int mlperf_row(struct speed_file *f, struct tab *t, const struct catalog *cat,
		      const struct sv *cell, const int *col, struct err *err)
{
	double per_node, nodes, result, count = 1;
	int r;
	struct sv name = cell_of(cell, col[M_ACCELERATOR]);
	if ((r = number(t, cell[col[M_PER_NODE]], (size_t)col[M_PER_NODE], &per_node, err)) < 0 ||
	    (r = number(t, cell[col[M_NODES]], (size_t)col[M_NODES], &nodes, err)) < 0 ||
	    (r = number(t, cell[col[M_RESULT]], (size_t)col[M_RESULT], &result, err)) < 0)
		return r;
	if (!sv_ieq(cell_of(cell, col[M_DIVISION]), SV("closed")) ||
	    !sv_ieq(cell_of(cell, col[M_VALID]), SV("valid"))) {
		f->left_out++;
		return 0;
	}
	if (sv_starts(name, SV("Virtualized ")))
		name = sv_from(name, 12);
	/* a mixture of GPUs is not a GPU */
	const struct gpu_spec *g = NULL;
	if (!sv_has(name, SV(",")))
		g = catalog_gpu(cat, name);
	if (!g && !sv_has(name, SV(",")))
		g = gpu_in_text(cat, name, &count);
	if (!g) {
		unknown(f, name);
		return 0;
	}
	if (!(per_node * nodes > 0) || !(result > 0)) {
		f->not_run++;
		return 0;
	}
	struct sv model = cell_of(cell, col[M_MODEL]), scenario = cell_of(cell, col[M_SCENARIO]);
	const char *workload = arena_printf(&f->mem, "%.*s/%.*s", SVF(model), SVF(scenario));
	return add(f,
		   (struct speed_row){ g, workload, workload, arena_sv(&f->mem, model),
				       arena_sv(&f->mem, cell_of(cell, col[M_SUBMITTER])),
				       per_node * nodes, 1, 1, 0, result },
		   err);
}

static int read_mlperf(struct speed_file *f, struct tab *t, const struct catalog *cat,
		       struct err *err)
{
	static const char *const name[M_N] = { "submitter", "division",    "model",
					       "scenario",  "accelerator", "accelerators_per_node",
					       "nodes",     "result",      "valid" };
	int col[M_N] = { 0 }, r = 0;
	const struct sv *cell;
	for (int i = 0; i < M_N && r >= 0; i++)
		r = col[i] = need(t, name[i], err);
	while (r >= 0 && (r = tab_next(t, &cell, err)) == 1)
		r = mlperf_row(f, t, cat, cell, col, err);
	return r;
}

enum { P_GPU, P_WORKLOAD, P_SPEED, P_GPUS, P_BATCH, P_CLASS, P_SUBMITTER, P_N };

static int plain_row(struct speed_file *f, struct tab *t, const struct catalog *cat,
		     const struct sv *cell, const int *col, struct err *err)
{
	double speed, gpus = 1, batch = 1, count = 1;
	int r = number(t, cell[col[P_SPEED]], (size_t)col[P_SPEED], &speed, err);
	struct sv name = cell_of(cell, col[P_GPU]), workload = cell_of(cell, col[P_WORKLOAD]),
		  class = cell_of(cell, col[P_CLASS]);
	if (r >= 0 && cell_of(cell, col[P_GPUS]).n)
		r = number(t, cell[col[P_GPUS]], (size_t)col[P_GPUS], &gpus, err);
	if (r >= 0 && cell_of(cell, col[P_BATCH]).n)
		r = number(t, cell[col[P_BATCH]], (size_t)col[P_BATCH], &batch, err);
	if (r < 0)
		return r;
	bool counts = gpus > 0 && gpus<1e6, batches = batch> 0 && batch < 1e12;
	if (!counts || !batches)
		return err_set(err, -EINVAL, "line %lld: gpus and batch must be above 0",
			       (long long)t->line);
	const struct gpu_spec *g = NULL;
	if (name.n)
		g = catalog_gpu(cat, name);
	if (!g && name.n)
		g = gpu_in_text(cat, name, &count);
	if (!g || !workload.n) {
		unknown(f, name.p ? name : SV(""));
		return 0;
	}
	if (!(speed > 0)) {
		f->not_run++;
		return 0;
	}
	const char *family = arena_sv(&f->mem, sv_or(class, workload)),
		   *submitter = cell_of(cell, col[P_SUBMITTER]).n
					? arena_sv(&f->mem, cell_of(cell, col[P_SUBMITTER]))
					: "";
	const char *column = batch != 1
				     ? arena_printf(&f->mem, "%.*s batch %g", SVF(workload), batch)
				     : arena_sv(&f->mem, workload);
	return add(f,
		   (struct speed_row){ g, column, column, family, submitter, gpus, 1, batch, 0,
				       speed },
		   err);
}

static int read_plain(struct speed_file *f, struct tab *t, const struct catalog *cat,
		      struct err *err)
{
	static const char *const name[P_N] = { "gpu",   "workload", "speed",    "gpus",
					       "batch", "class",    "submitter" };
	int col[P_N] = { 0 }, r = 0;
	const struct sv *cell;
	for (int i = 0; i < P_N; i++)
		col[i] = tab_col(t, name[i]);
	if (col[P_GPU] < 0)
		col[P_GPU] = tab_col(t, "gpu_model");
	if (col[P_GPU] < 0 || col[P_WORKLOAD] < 0 || col[P_SPEED] < 0) {
		err_set(err, -EINVAL,
			"no table of speeds: neither Lambda's, MLPerf's nor one with the columns gpu, workload, speed");
		err_hint(
			err,
			"a row is: gpu,workload,speed and where they matter gpus,batch,class,submitter");
		return -EINVAL;
	}
	while ((r = tab_next(t, &cell, err)) == 1)
		if ((r = plain_row(f, t, cat, cell, col, err)) < 0)
			return r;
	return r;
}

static int read_csv(struct speed_file *f, struct input *in, const struct catalog *cat,
		    struct err *err)
{
	struct tab_csv_opt o = { .max_row_bytes = 1 << 20, .ragged = false };
	struct tab *t;
	int r = tab_csv_open(in, &o, &t, err);
	if (r < 0)
		return r;
	f->fp32 = sv_has(sv_of(input_name(in)), SV("fp32"));
	if (tab_col(t, "accelerators_per_node") >= 0) {
		f->kind = SPEED_MLPERF;
		r = read_mlperf(f, t, cat, err);
	} else if (t->ncol > 1 && (!t->col[0].n || sv_is(t->col[0], "name_gpu"))) {
		f->kind = SPEED_LAMBDA;
		r = read_lambda(f, t, cat, err);
	} else {
		f->kind = SPEED_PLAIN;
		r = read_plain(f, t, cat, err);
	}
	tab_close(t);
	return r;
}

/* ---- Gavel ------------------------------------------------------------------------------- */

/* "('ResNet-18 (batch size 16)', 2)" -> the name with its batch size, family, batch, GPUs */
static bool gavel_job(struct speed_file *f, struct sv key, const char **ret_name,
		      const char **family, double *batch, double *gpus)
{
	struct sv name, tail;
	if (key.n < 6 || !sv_starts(key, SV("('")) || key.p[key.n - 1] != ')')
		return false;
	key = (struct sv){ key.p + 2, key.n - 3 };
	size_t q = key.n;
	while (q > 0 && key.p[q - 1] != '\'')
		q--;
	if (q < 2)
		return false;
	name = (struct sv){ key.p, q - 1 };
	tail = sv_trim(sv_from(key, q));
	if (!tail.n || tail.p[0] != ',')
		return false;
	if (sv_f64(sv_trim(sv_from(tail, 1)), gpus) < 0 || !(*gpus >= 1 && *gpus < 1e6))
		return false;
	*batch = 1;
	*ret_name = arena_sv(&f->mem, name);
	static const char mark[] = " (batch size ";
	for (size_t i = 0; i + sizeof mark < name.n; i++)
		if (!memcmp(name.p + i, mark, sizeof mark - 1)) {
			struct sv n = { name.p + i + sizeof mark - 1, name.n - i - sizeof mark };
			if (name.p[name.n - 1] != ')' || sv_f64(n, batch) < 0)
				return false;
			if (!(*batch > 0 && *batch < 1e12))
				return false;
			name.n = i;
			break;
		}
	*family = arena_sv(&f->mem, name);
	return true;
}

static int gavel_gpu(struct speed_file *f, const struct catalog *cat, const char *key, json_t *jobs,
		     struct err *err)
{
	struct sv name = sv_of(key);
	const char *job;
	json_t *v;
	int layout = sv_ends(name, SV("_unconsolidated")), r = 0;
	if (layout)
		name.n -= strlen("_unconsolidated");
	const struct gpu_spec *g = catalog_gpu(cat, name);
	if (!g) {
		unknown(f, name);
		return 0;
	}
	json_object_foreach(jobs, job, v)
	{
		json_t *alone = json_object_get(v, "null");
		double batch, gpus;
		const char *family, *workload;
		if (!gavel_job(f, sv_of(job), &workload, &family, &batch, &gpus))
			return err_set(
				err, -EINVAL,
				"'%s', job '%.80s': this is no ('NAME (batch size N)', GPUS)", key,
				job);
		if (!json_is_number(alone))
			return err_set(
				err, -EINVAL,
				"'%s', job '%.80s': no number under \"null\" (its speed alone)",
				key, job);
		double speed = json_number_value(alone);
		if (!(speed >= 0 && speed < 1e18))
			return err_set(err, -EINVAL, "'%s', job '%.80s': %g is no speed", key, job,
				       speed);
		if (speed > 0)
			r = add(f,
				(struct speed_row){ g, arena_printf(&f->mem, "%s", job), workload,
						    family, "", 1, gpus, batch, layout, speed },
				err);
		else
			f->not_run++;
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_all(struct input *in, struct str *text, struct err *err)
{
	char buf[65536];
	int64_t n;
	while ((n = input_read(in, buf, sizeof buf, err)) > 0) {
		if (text->n + (size_t)n > MAX_JSON_BYTES)
			return err_set(err, -E2BIG, "more than %d MiB of JSON",
				       MAX_JSON_BYTES >> 20);
		str_add(text, buf, (size_t)n);
	}
	return (int)n;
}

static int read_gavel(struct speed_file *f, struct input *in, const struct catalog *cat,
		      struct err *err)
{
	struct str text = { 0 };
	json_error_t je;
	const char *key;
	json_t *jobs, *root;
	int r = read_all(in, &text, err);
	f->kind = SPEED_GAVEL;
	f->fp32 = true; /* Gavel's jobs are single precision */
	if (r < 0) {
		str_free(&text);
		return r;
	}
	root = json_loadb(str_z(&text), text.n, JSON_REJECT_DUPLICATES, &je);
	str_free(&text);
	if (!json_is_object(root)) {
		json_decref(root);
		if (root)
			return err_set(err, -EBADMSG,
				       "line 1: no JSON object of GPUs: something else");
		return err_set(err, -EBADMSG, "line %d: no JSON object of GPUs: %s", je.line,
			       je.text);
	}
	json_object_foreach(root, key, jobs)
	{
		if (json_is_object(jobs))
			r = gavel_gpu(f, cat, key, jobs, err);
		else
			r = err_set(err, -EINVAL, "'%.80s' is not an object of jobs", key);
		if (r < 0)
			break;
	}
	json_decref(root);
	return r;
}

int speed_file_read(struct input *in, const struct catalog *cat, struct speed_file *ret,
		    struct err *err)
{
	struct sv head;
	memset(ret, 0, sizeof *ret);
	int r = input_peek(in, 64, &head, err);
	if (r >= 0) {
		if (sv_starts(sv_trim(head), SV("{")))
			r = read_gavel(ret, in, cat, err);
		else
			r = read_csv(ret, in, cat, err);
	}
	if (r >= 0 && !ret->row.n) {
		if (ret->unknown_name)
			r = err_set(err, -ENODATA,
				    "no speeds: the catalogue knows none of the GPUs ('%s')",
				    ret->unknown_name);
		else
			r = err_set(err, -ENODATA, "no speeds in it");
	}
	if (r < 0) {
		err_prefix(err, "'%s'", input_name(in));
		speed_file_free(ret);
	}
	if (r < 0)
		return r;
	return 0;
}

void speed_file_free(struct speed_file *f)
{
	vec_free(&f->row);
	arena_free(&f->mem);
	memset(f, 0, sizeof *f);
}
