/* Keeps the readings of a run. See profile_file.h; profile_load.c reads them. */
#include "profile/profile_file.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/jw.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "base/zfile.h"

#define FLUSH_MS          MS_MINUTE
#define FLUSH_BYTES       262144
#define RUNS_A_SECOND_MAX 1000

struct profile_file {
	char *base;
	int fd[2]; /* samples, host */
	struct str buf[2];
	int64_t flushed_ms, host_ms; /* of the last row written */
	VEC(int64_t) dev_ms;         /* [device] likewise */
};
static const char *const ending[] = { ".samples.csv.zst", ".host.csv.zst", ".json" };

static const char *path_of(const struct profile_file *f, int i, char buf[4096])
{
	snprintf(buf, 4096, "%s%s", f->base, ending[i]);
	return buf;
}

static int make_dir(const char *dir, struct err *err)
{
	char path[4096];
	if (snprintf(path, sizeof path, "%s/profiles", dir) >= (int)sizeof path)
		return err_set(err, -ENAMETOOLONG, "the folder's name is too long: '%.200s'", dir);
	for (char *s = path + 1; *s; s++)
		if (*s == '/') {
			*s = 0;
			if (mkdir(path, 0777) < 0 && errno != EEXIST)
				return err_set(err, -errno, "cannot make the folder '%s': %s", path,
					       strerror(errno));
			*s = '/';
		}
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return err_set(err, -errno, "cannot make the folder '%s': %s", path,
			       strerror(errno));
	return 0;
}

/* "20261121-155123", then nothing or "-2" to "-1000"; returns where it ends, or NULL. */
static const char *past_id(const char *z)
{
	char iso[24];
	int64_t ms, again = 0;
	size_t n = 0;

	if (strspn(z, "0123456789") != 8 || z[8] != '-' || strspn(z + 9, "0123456789") != 6)
		return NULL;
	snprintf(iso, sizeof iso, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", z, z + 4, z + 6, z + 9, z + 11,
		 z + 13);
	if (tm_parse(sv_of(iso), 0, &ms) < 0)
		return NULL;
	z += 15;
	if (*z != '-')
		return z;
	n = strspn(z + 1, "0123456789");
	if (z[1] != '0' && sv_i64((struct sv){ z + 1, n }, &again) == 0 &&
	    within_i64(again, 2, RUNS_A_SECOND_MAX))
		return z + 1 + n;
	return NULL;
}

bool profile_file_is_ours(const char *name)
{
	const char *end = NULL;

	if (strncmp(name, "p-", 2) == 0)
		end = past_id(name + 2);
	for (size_t i = 0; end && i < sizeof ending / sizeof *ending; i++)
		if (!strcmp(end, ending[i]))
			return true;
	return end && !strcmp(end, ".json.new"); /* a kill left it */
}

int profile_file_create(const char *dir, struct profile *p, struct profile_file **ret,
			struct err *err)
{
	struct profile_file *f = xcalloc(1, sizeof *f);
	struct civil c = tm_civil(p->start_ms);
	char path[4096];
	int r = make_dir(dir, err);

	f->fd[0] = f->fd[1] = -1;
	for (int i = 1; r >= 0 && f->fd[0] < 0; i++) {
		char id[64], tail[16] = "";
		if (i > 1)
			snprintf(tail, sizeof tail, "-%d", i);
		snprintf(id, sizeof id, "p-%04d%02d%02d-%02d%02d%02d%s", c.year, c.month, c.day,
			 c.hour, c.minute, c.second, tail);
		snprintf(path, sizeof path, "%s/profiles/%s", dir, id);
		free(f->base);
		f->base = xstrdup(path);
		p->id = arena_sv(&p->mem, sv_of(id));
		f->fd[0] = open(path_of(f, 0, path),
				O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
		if (f->fd[0] < 0 && (errno != EEXIST || i == RUNS_A_SECOND_MAX))
			r = err_set(err, -errno, "cannot make '%s': %s", path, strerror(errno));
	}
	if (r >= 0 &&
	    (f->fd[1] = open(path_of(f, 1, path),
			     O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
			     0666)) < 0)
		r = err_set(err, -errno, "cannot make '%s': %s", path, strerror(errno));
	if (r < 0) {
		profile_file_drop(f);
		return r;
	}
	f->flushed_ms = f->host_ms = p->start_ms;
	str_addz(&f->buf[0],
		 "time,step_s,node,gpu,gpu_model,mig,job_id,user,team,project,env,workload");
	for (int m = 0; m < METRIC_N; m++)
		str_addf(&f->buf[0], ",%s", metric_name((enum metric)m));
	for (int x = 0; x < DIAG_X_N; x++)
		str_addf(&f->buf[0], ",x_%s", diag_extra_name((enum diag_extra)x));
	str_addc(&f->buf[0], '\n');
	str_addz(
		&f->buf[1],
		"time,step_s,cmd_cpu_pct,host_cpu_pct,rss_bytes,disk_read_bytes_s,disk_write_bytes_s,procs\n");
	*ret = f;
	return 0;
}

static void free_file(struct profile_file *f)
{
	for (int i = 0; i < 2; i++) {
		if (f->fd[i] >= 0)
			close(f->fd[i]);
		str_free(&f->buf[i]);
	}
	vec_free(&f->dev_ms);
	free(f->base);
	free(f);
}

void profile_file_drop(struct profile_file *f)
{
	char path[4096];
	if (!f)
		return;
	for (int i = 0; f->base && i < 2; i++)
		if (f->fd[i] >= 0)
			unlink(path_of(f, i, path));
	free_file(f);
}

/* ---- rows -------------------------------------------------------------------------------- */

static void cell_num(struct str *o, double v)
{
	str_addc(o, ',');
	if (!isnan(v))
		str_addf(o, "%.12g", v);
}

/* Quoted where it must be; what could not be printed was replaced when it came in. */
static void cell_text(struct str *o, const char *z)
{
	str_addc(o, ',');
	if (!z || !*z)
		return;
	bool quote = strpbrk(z, ",\"\r\n") != NULL;
	if (!quote) {
		str_addz(o, z);
		return;
	}
	str_addc(o, '"');
	for (; *z; z++) {
		if (*z == '"')
			str_addc(o, '"');
		str_addc(o, *z);
	}
	str_addc(o, '"');
}

static int flush_files(struct profile_file *f, struct err *err)
{
	char path[4096];
	int r = 0;
	for (int i = 0; i < 2 && r >= 0; i++) {
		r = zfile_append(f->fd[i], path_of(f, i, path), str_sv(&f->buf[i]), err);
		str_clear(&f->buf[i]);
	}
	return r;
}

/* ---- the line about it ------------------------------------------------------------------- */

/* A new file in place of the old one, so that there is always a whole one. */
static int put_meta(const struct profile_file *f, const struct profile *p, bool sync,
		    struct err *err)
{
	struct str s = { 0 };
	char path[4096], tmp[4200];
	int r = 0, fd;

	profile_meta(p, &s);
	snprintf(tmp, sizeof tmp, "%s.tmp", path_of(f, 2, path));
	if ((fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)) < 0) {
		r = err_set(err, -errno, "cannot make '%s': %s", tmp, strerror(errno));
	} else {
		errno = 0;
		bool written = write(fd, s.p, s.n) == (ssize_t)s.n;
		if (written && sync)
			written = fsync(fd) == 0 && fsync(f->fd[0]) == 0;
		if (!written || rename(tmp, path) < 0) {
			int e = errno ? errno : EIO;
			r = err_set(err, -e, "cannot write '%s': %s", path, strerror(e));
		}
		close(fd);
	}
	str_free(&s);
	return r;
}

int profile_file_tick(struct profile_file *f, struct profile *p, struct err *err)
{
	for (size_t i = 0; i < p->ndev; i++) {
		if (i >= f->dev_ms.n)
			*vec_push(&f->dev_ms) = UNKNOWN_MS;
		if (p->dev[i].last.t_ms == UNKNOWN_MS || p->dev[i].last.t_ms == f->dev_ms.v[i])
			continue;

		struct str *o = &f->buf[0];
		const struct profile_dev *d = &p->dev[i];
		const struct diag_step *s = &d->last;
		char t[TM_BUF];
		bool ours = d->how != PROFILE_NOT && d->last_ms == s->t_ms + s->step_ms;

		str_addf(o, "%s,%.3f", tm_format(t, s->t_ms), s->step_ms / 1e3);
		cell_text(o, p->node);
		if (*d->uuid && !d->is_mig)
			cell_text(o, d->uuid);
		else
			/* an instance: the GPU by its index, itself in the column mig */
			cell_num(o, d->index);
		cell_text(o, filled_or(d->model, d->name));
		cell_text(o, text_if(d->is_mig, d->uuid));
		cell_text(o, text_if(ours, text_or(p->job, p->id)));
		cell_text(o, text_if(ours, p->user));
		cell_text(o, text_if(ours, p->team));
		cell_text(o, text_if(ours, p->project));
		cell_text(o, text_if(ours, p->env));
		cell_text(o, text_if(ours, p->workload));
		for (int m = 0; m < METRIC_N; m++)
			cell_num(o, s->value[m]);
		for (int x = 0; x < DIAG_X_N; x++)
			cell_num(o, s->extra[x]);
		str_addc(o, '\n');
		f->dev_ms.v[i] = p->dev[i].last.t_ms;
	}
	if (p->host.n) {
		struct str *o = &f->buf[1];
		const struct profile_host_step *s = &p->host_last;
		const float v[] = { s->cmd_cpu_pct,       s->host_cpu_pct,       s->rss_bytes,
				    s->disk_read_bytes_s, s->disk_write_bytes_s, s->procs };
		char t[TM_BUF];
		str_addf(o, "%s,%.3f", tm_format(t, s->t_ms), s->step_ms / 1e3);
		for (size_t i = 0; i < sizeof v / sizeof *v; i++)
			cell_num(o, (double)v[i]);
		str_addc(o, '\n');
	}
	if (p->end_ms - f->flushed_ms < FLUSH_MS && f->buf[0].n < FLUSH_BYTES)
		return 0;
	f->flushed_ms = p->end_ms;
	int r = flush_files(f, err);
	if (r < 0)
		return r;
	return put_meta(f, p, false, err);
}

int profile_file_end(struct profile_file *f, const struct profile *p, struct err *err)
{
	int r = flush_files(f, err);

	if (r >= 0)
		r = put_meta(f, p, true, err);
	free_file(f);
	return r;
}
