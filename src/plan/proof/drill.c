#include "plan/proof/drill.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fdio.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tab.h"
#include "base/tm.h"
#include "plan/fleet/fleet_in.h"
#include "plan/alone/habit_names.h"

#define DRILLS_MAX 100000
#define TEXT_MAX   1024
#define SCHEMA     "tare.run-drill/1"
#define FILE_NAME  "drills.jsonl"

/* ---- reading ----------------------------------------------------------------------------- */

enum {
	C_SCHEMA,
	C_TIME,
	C_VERDICT,
	C_PASSED,
	C_USER,
	C_NAME,
	C_CLUSTER,
	C_WHY,
	C_GPUS,
	C_MACHINES,
	C_SAVED,
	C_RESUMED,
	C_REDONE,
	C_BYTES,
	C_SAVE_S,
	C_RESTART_S,
	C_LOST_S,
	C_N
};
static const char *const column[C_N] = {
	"schema",       "time",
	"verdict",      "passed",
	"user",         "name",
	"cluster",      "why",
	"gpus",         "machines",
	"step_saved",   "step_resumed",
	"steps_redone", "checkpoint_bytes",
	"save_s",       "restart_s",
	"lost_s",
};

struct reader {
	struct drills *to;
	const struct sv *cell;
	int col[C_N];
};

static struct sv cell_of(const struct reader *r, int c)
{
	if (r->col[c] < 0)
		return SV_NULL;
	return r->cell[r->col[c]];
}

static const char *text_of(const struct reader *r, int c)
{
	struct sv v = cell_of(r, c);
	char *z = arena_strn(&r->to->mem, v.n ? v.p : "", min_size(v.n, TEXT_MAX));

	for (char *p = z; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return z;
}

/* false: something else than a whole number from 0 on, or null. */
static bool count_of(const struct reader *r, int c, int64_t other, int64_t *ret)
{
	struct sv v = cell_of(r, c);

	*ret = other;
	return !v.p || (sv_i64(v, ret) == 0 && *ret >= 0);
}

static bool span_of(const struct reader *r, int c, double *ret)
{
	struct sv v = cell_of(r, c);

	*ret = NAN;
	if (!v.p)
		return true;
	return sv_f64(v, ret) == 0 && *ret >= 0 && *ret < 1e12;
}

/* false: it is none. */
static bool read_drill(const struct reader *r, struct drill *ret)
{
	struct sv passed = cell_of(r, C_PASSED);

	*ret = (struct drill){ .user = text_of(r, C_USER),
			       .name = text_of(r, C_NAME),
			       .cluster = text_of(r, C_CLUSTER),
			       .verdict = text_of(r, C_VERDICT),
			       .why = text_of(r, C_WHY),
			       .what_to_do = "",
			       .job = "",
			       .command = "",
			       .passed = sv_is(passed, "true") };
	bool known = sv_is(cell_of(r, C_SCHEMA), SCHEMA) &&
		     (ret->passed || sv_is(passed, "false")) &&
		     ret->passed == !strcmp(ret->verdict, "passed");
	bool timed = cell_of(r, C_TIME).n && tm_parse(cell_of(r, C_TIME), 0, &ret->at_ms) >= 0;

	if (!known || !timed || !count_of(r, C_GPUS, 0, &ret->gpus))
		return false;
	if (!count_of(r, C_MACHINES, 0, &ret->machines) ||
	    !count_of(r, C_SAVED, UNKNOWN_I64, &ret->step_saved) ||
	    !count_of(r, C_RESUMED, UNKNOWN_I64, &ret->step_resumed))
		return false;
	if (!count_of(r, C_REDONE, UNKNOWN_I64, &ret->steps_redone) ||
	    !count_of(r, C_BYTES, UNKNOWN_I64, &ret->checkpoint_bytes) ||
	    !span_of(r, C_SAVE_S, &ret->save_s))
		return false;
	return span_of(r, C_RESTART_S, &ret->restart_s) && span_of(r, C_LOST_S, &ret->lost_s);
}

int drills_read(struct input *in, struct drills *ret, struct err *err)
{
	struct reader r = { .to = ret };
	struct drill d;
	struct tab *t;
	int rc;

	*ret = (struct drills){ 0 };
	rc = tab_jsonl_open(in, &t, err);
	if (rc == -ENODATA || rc == -EBADMSG) { /* empty; its first line is cut */
		ret->bad = rc == -EBADMSG;
		return 0;
	}
	if (rc < 0)
		return rc;
	for (int c = 0; c < C_N; c++)
		r.col[c] = tab_col(t, column[c]);
	while ((rc = tab_next(t, &r.cell, err)) == 1 || rc == -EDOM) {
		if (rc == -EDOM || !read_drill(&r, &d))
			ret->bad++;
		else if (ret->v.n == DRILLS_MAX) {
			rc = err_set(err, -E2BIG, "more than %d drills", DRILLS_MAX);
			break;
		} else
			*vec_push(&ret->v) = d;
	}
	tab_close(t);
	if (rc < 0) {
		err_prefix(err, "'%s'", input_name(in));
		drills_free(ret);
	}
	if (rc < 0)
		return rc;
	return 0;
}

int drills_load(const char *dir, struct drills *ret, struct err *err)
{
	char path[4096];
	struct input *in;
	int r;

	*ret = (struct drills){ 0 };
	snprintf(path, sizeof path, "%s/" FILE_NAME, dir);
	if (access(path, F_OK) < 0)
		return 0;
	if ((r = input_open(path, &in, err)) < 0)
		return r;
	r = drills_read(in, ret, err);
	input_close(in);
	return r;
}

void drills_free(struct drills *d)
{
	vec_free(&d->v);
	arena_free(&d->mem);
	*d = (struct drills){ 0 };
}

/* ---- writing ----------------------------------------------------------------------------- */

/* A line that a full disk cut stays one line, of its own. */
static int put_line(int fd, struct sv line)
{
	struct stat st;
	char last = '\n';

	if (flock(fd, LOCK_EX) < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) != 1)
		return -EIO;
	int r = 0;
	if (last != '\n')
		r = fd_write_all(fd, SV("\n"));
	if (r >= 0)
		r = fd_write_all(fd, line);
	if (r < 0)
		return r;
	if (fsync(fd) < 0)
		return -errno;
	return 0;
}

int drills_append(const char *dir, struct sv line, struct err *err)
{
	char path[4096];
	int fd, r;

	snprintf(path, sizeof path, "%s/" FILE_NAME, dir);
	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	r = fd < 0 ? -errno : put_line(fd, line);
	if (fd >= 0)
		close(fd);
	if (r < 0)
		return err_set(err, r, "cannot write '%s': %s", path, strerror(-r));
	return 0;
}

/* ---- what they say ----------------------------------------------------------------------- */

static bool speaks_for(const struct drill *d, const struct fleet *f, size_t i, const char *pattern)
{
	const struct workload *w = &f->workload.v[i];

	if (!*d->user || strcmp(d->user, w->user) != 0 || !habit_name_fits(d->name, pattern))
		return false;
	if (*d->cluster && *w->cluster && strcmp(d->cluster, w->cluster) != 0)
		return false;
	if (d->gpus * 1000 < w->gpus_milli)
		return false;

	/* its machines: the rows of one job follow each other */
	size_t from = i, to = i + 1;
	while (from && !strcmp(f->workload.v[from - 1].job, w->job))
		from--;
	while (to < f->workload.n && !strcmp(f->workload.v[to].job, w->job))
		to++;
	return d->machines >= (int64_t)(to - from);
}

void plan_apply_drills(const struct plan_conf *c, const struct drills *d, int64_t now_ms,
		       struct fleet *f)
{
	struct arena mem = { 0 };
	int64_t since = now_ms - (int64_t)(c->gates.drill_days * MS_DAY);

	if (d->bad)
		fleet_note(
			f,
			"restore drills: %lld line%s of drills.jsonl cannot be read and prove%s nothing",
			(long long)d->bad, plural(d->bad), text_if(d->bad == 1, "s"));
	if (!d->v.n)
		return;
	const char **pattern = habit_names(f, &mem);
	for (size_t i = 0; i < f->workload.n; i++) {
		struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_JOB || w->notebook || !*w->job)
			continue;
		for (size_t k = 0; k < d->v.n; k++) {
			const struct drill *x = &d->v.v[k];
			bool newer = !w->drill || x->at_ms >= w->drill->at_ms;
			if (newer && x->at_ms >= since && speaks_for(x, f, i, pattern[i]))
				w->drill = x;
		}
		if (w->drill)
			w->checkpointable = w->drill->passed;
	}
	arena_free(&mem);
}

const char *drill_says(const struct drill *d, struct arena *mem)
{
	char day[TM_BUF];

	tm_format(day, d->at_ms);
	return arena_printf(mem, "restore drill of %.10s", day);
}
