/* See own_speed.h. */
#include "plan/lever/own_speed.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tab.h"
#include "base/tm.h"

#define SPEEDS_MAX 100000
#define TEXT_MAX   256
#define HEADER     "time,workload,gpu,gpus,speed,steps,seconds,vram_p99_bytes,run\n"

enum { C_TIME, C_WORKLOAD, C_GPU, C_GPUS, C_SPEED, C_STEPS, C_SECONDS, C_VRAM, C_RUN, C_N };
static const char *const column[C_N] = { "time",    "workload",       "gpu",
					 "gpus",    "speed",          "steps",
					 "seconds", "vram_p99_bytes", "run" };

/* ---- reading ----------------------------------------------------------------------------- */

/* Where there is none, *ret stays. */
static int read_number(const struct tab *t, const struct sv *cell, const int *col, int c,
		       double *ret, struct err *err)
{
	if (col[c] < 0 || !sv_trim(cell[col[c]]).n)
		return 0;
	if (sv_f64(sv_trim(cell[col[c]]), ret) < 0 || !(*ret > 0 && *ret < 1e18))
		return err_set(err, -EINVAL, "line %lld, column %s: '%.*s' is not a number above 0",
			       (long long)t->line, column[c], (int)min_size(cell[col[c]].n, 40),
			       cell[col[c]].p);
	return 0;
}

static const char *read_text(struct own_speeds *s, const struct sv *cell, int col)
{
	struct sv v = col < 0 ? SV_NULL : sv_trim(cell[col]);
	char *z = arena_strn(&s->mem, v.n ? v.p : "", min_size(v.n, TEXT_MAX));
	for (char *p = z; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return z;
}

static int read_row(struct own_speeds *s, const struct tab *t, const struct sv *cell,
		    const int *col, const struct catalog *cat, struct err *err)
{
	struct own_speed o = { .at_ms = UNKNOWN_MS,
			       .gpus = 1,
			       .speed = NAN,
			       .steps = NAN,
			       .seconds = NAN,
			       .vram_p99_bytes = NAN };
	struct sv gpu = sv_trim(cell[col[C_GPU]]);
	int r;

	if ((r = read_number(t, cell, col, C_GPUS, &o.gpus, err)) < 0 ||
	    (r = read_number(t, cell, col, C_SPEED, &o.speed, err)) < 0 ||
	    (r = read_number(t, cell, col, C_STEPS, &o.steps, err)) < 0)
		return r;
	if ((r = read_number(t, cell, col, C_SECONDS, &o.seconds, err)) < 0 ||
	    (r = read_number(t, cell, col, C_VRAM, &o.vram_p99_bytes, err)) < 0)
		return r;
	if (isnan(o.speed) || !sv_trim(cell[col[C_WORKLOAD]]).n)
		return err_set(err, -EINVAL, "line %lld: no workload or no speed",
			       (long long)t->line);
	if (col[C_TIME] >= 0 && cell[col[C_TIME]].n &&
	    tm_parse(sv_trim(cell[col[C_TIME]]), 0, &o.at_ms) < 0)
		return err_set(err, -EINVAL, "line %lld, column time: no time", (long long)t->line);
	o.gpu = gpu.n ? catalog_gpu(cat, gpu) : NULL;
	if (!o.gpu) {
		s->unknown_gpu++;
		return 0;
	}
	o.workload = read_text(s, cell, col[C_WORKLOAD]);
	o.run = read_text(s, cell, col[C_RUN]);
	if (s->v.n == SPEEDS_MAX)
		return err_set(err, -E2BIG, "more than %d measured speeds", SPEEDS_MAX);
	*vec_push(&s->v) = o;
	return 0;
}

int own_speeds_read(struct input *in, const struct catalog *cat, struct own_speeds *ret,
		    struct err *err)
{
	struct tab_csv_opt o = { .max_row_bytes = 1 << 16, .sep = ',' };
	struct tab *t;
	const struct sv *cell;
	int col[C_N], r;

	memset(ret, 0, sizeof *ret);
	if ((r = tab_csv_open(in, &o, &t, err)) < 0)
		return r;
	for (int c = 0; c < C_N; c++)
		col[c] = tab_col(t, column[c]);
	if (col[C_WORKLOAD] < 0 || col[C_GPU] < 0 || col[C_SPEED] < 0)
		r = err_set(err, -EINVAL,
			    "no table of own speeds: it has the columns workload, gpu, speed");
	while (r >= 0 && (r = tab_next(t, &cell, err)) == 1)
		r = read_row(ret, t, cell, col, cat, err);
	tab_close(t);
	if (r < 0) {
		err_prefix(err, "'%s'", input_name(in));
		own_speeds_free(ret);
	}
	if (r < 0)
		return r;
	return 0;
}

static void path_of(const char *dir, char *buf, size_t size)
{
	snprintf(buf, size, "%s/speeds.csv", dir);
}

int own_speeds_load(const char *dir, const struct catalog *cat, struct own_speeds *ret,
		    struct err *err)
{
	char path[4096];
	struct input *in;
	int r;

	memset(ret, 0, sizeof *ret);
	path_of(dir, path, sizeof path);
	if (access(path, F_OK) < 0)
		return 0;
	if ((r = input_open(path, &in, err)) < 0)
		return r;
	r = own_speeds_read(in, cat, ret, err);
	input_close(in);
	return r;
}

void own_speeds_free(struct own_speeds *s)
{
	vec_free(&s->v);
	arena_free(&s->mem);
	memset(s, 0, sizeof *s);
}

/* ---- writing ----------------------------------------------------------------------------- */

static void cell_text(struct str *o, const char *z)
{
	bool quote = strpbrk(z, ",\"") != NULL || *z == ' ';
	if (quote)
		str_addc(o, '"');
	for (; *z; z++) {
		if (*z == '"')
			str_addc(o, '"');
		str_addc(o, (unsigned char)*z < ' ' ? ' ' : *z);
	}
	if (quote)
		str_addc(o, '"');
}

static void cell_num(struct str *o, double v)
{
	str_addc(o, ',');
	if (!isnan(v))
		str_addf(o, "%.9g", v);
}

int own_speeds_append(const char *dir, const struct own_speed *s, struct err *err)
{
	char path[4096];
	struct str o = { 0 };
	struct stat st;
	int r = 0, fd;

	path_of(dir, path, sizeof path);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	if (flock(fd, LOCK_EX) < 0 || fstat(fd, &st) < 0)
		r = err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	if (r >= 0) {
		if (!st.st_size)
			str_addz(&o, HEADER);

		char t[TM_BUF];
		str_addf(&o, "%s,", s->at_ms == UNKNOWN_MS ? "" : tm_format(t, s->at_ms));
		cell_text(&o, s->workload);
		str_addf(&o, ",%s", s->gpu->model);
		cell_num(&o, s->gpus);
		cell_num(&o, s->speed);
		cell_num(&o, s->steps);
		cell_num(&o, s->seconds);
		str_addc(&o, ',');
		if (!isnan(s->vram_p99_bytes))
			str_addf(&o, "%.0f", s->vram_p99_bytes);
		str_addc(&o, ',');
		cell_text(&o, text_or(s->run, ""));
		str_addc(&o, '\n');
		if (write(fd, o.p, o.n) != (ssize_t)o.n || fsync(fd) < 0)
			r = err_set(err, errno ? -errno : -EIO, "cannot write '%s': %s", path,
				    strerror(errno));
	}
	close(fd);
	str_free(&o);
	return r;
}

/* ---- asking ------------------------------------------------------------------------------ */

/* The newest by time; lines without a time are as old as they stand. */
static double median_of_newest(const struct own_speeds *s, const char *workload,
			       const struct gpu_spec *gpu, double *vram)
{
	double newest[OWN_SPEED_NEWEST];
	int64_t at[OWN_SPEED_NEWEST];
	size_t n = 0;

	for (size_t i = 0; i < s->v.n; i++) {
		const struct own_speed *o = &s->v.v[i];
		size_t k = n;
		if (o->gpu != gpu || !sv_ieq(sv_of(o->workload), sv_of(workload)))
			continue;
		*vram = fmax(*vram, o->vram_p99_bytes);
		/* at is in the order of time, equal ones as they come */
		while (k > 0 && o->at_ms < at[k - 1])
			k--;
		if (n == OWN_SPEED_NEWEST) { /* the oldest goes */
			if (!k)
				continue;
			memmove(&at[0], &at[1], (--k) * sizeof *at);
			memmove(&newest[0], &newest[1], k * sizeof *newest);
		} else {
			memmove(&at[k + 1], &at[k], (n - k) * sizeof *at);
			memmove(&newest[k + 1], &newest[k], (n - k) * sizeof *newest);
			n++;
		}
		at[k] = o->at_ms;
		newest[k] = o->speed / o->gpus;
	}
	assert(n); /* at least the row of this workload and GPU */
	sort_items(newest, n, sizeof *newest, rising_double);
	if (n % 2)
		return newest[n / 2];
	return (newest[n / 2 - 1] + newest[n / 2]) / 2;
}

size_t own_speeds_of(const struct own_speeds *s, const char *workload, struct gpu_speed_own *ret,
		     double *ret_vram_bytes)
{
	size_t n = 0;

	*ret_vram_bytes = NAN;
	for (size_t i = 0; i < s->v.n && n < TRANSFER_MAX_OWN; i++) {
		const struct own_speed *o = &s->v.v[i];
		bool have = !sv_ieq(sv_of(o->workload), sv_of(workload));
		for (size_t k = 0; k < n && !have; k++)
			have = ret[k].gpu == o->gpu;
		if (!have) {
			double speed = median_of_newest(s, workload, o->gpu, ret_vram_bytes);
			ret[n++] = (struct gpu_speed_own){ o->gpu, speed };
		}
	}
	return n;
}

double own_speeds_ratio(const struct own_speeds *s, const char *workload,
			const struct gpu_spec *from, const struct gpu_spec *to)
{
	struct gpu_speed_own own[TRANSFER_MAX_OWN];
	double vram, here = NAN, there = NAN;
	size_t n = own_speeds_of(s, workload, own, &vram);

	for (size_t i = 0; i < n; i++) {
		if (own[i].gpu == from)
			here = own[i].speed;
		if (own[i].gpu == to)
			there = own[i].speed;
	}
	return there / here;
}
