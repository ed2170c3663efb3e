#include "profile/profile_session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile_file.h"
#include "profile/profile_fit.h"
#include "profile/profile_run.h"
#include "report/text.h"

int profile_settings_load(const char *path, struct arena *mem, struct profile_settings *ret,
			  struct err *err)
{
	int r = rate_load(path, mem, &ret->rate, err);

	if (r < 0)
		return r;
	return profile_keep_load(path, &ret->keep, err);
}

static int read_steps(const char *path, int64_t *ret, struct err *err)
{
	char buf[4096];
	FILE *f = path ? fopen(path, "re") : NULL;
	size_t n = f ? fread(buf, 1, sizeof buf, f) : 0;
	int64_t steps;

	if (f)
		fclose(f);
	if (!path)
		return 0;
	struct sv v = sv_trim((struct sv){ buf, n }), word = v;
	for (size_t i = 0; i < v.n; i++)
		if (memchr(" \n\t\r", v.p[i], 4))
			word = (struct sv){ v.p + i + 1, v.n - i - 1 };
	if (sv_i64(word, &steps) < 0 || steps < 1 || steps > INT64_C(1000000000000000))
		return err_set(err, -EINVAL, "--steps-file: '%s' has no number of steps in it",
			       path);
	*ret = steps;
	return 0;
}

/* ---- while it runs ----------------------------------------------------------------------- */

struct watched {
	const struct profile_session *s;
	struct profile_file *file; /* NULL: nothing is kept */
};

static int on_tick(void *ctx, struct profile *p, struct err *err)
{
	struct watched *w = ctx;
	const struct profile_session_on *on = &w->s->on;
	struct str line = { 0 };

	if (on->live) {
		profile_print_live(p, &line);
		on->live(on->ctx, str_z(&line));
		str_free(&line);
	}
	if (w->file)
		return profile_file_tick(w->file, p, err);
	return 0;
}

static void pass_warning(const struct profile_session *s, const char *what, const char *why)
{
	s->on.warn(s->on.ctx, what, why);
}

/* ---- after it ---------------------------------------------------------------------------- */

static enum profile_enough tell_report(const struct profile_session *s, struct profile *p,
				       const char *kept)
{
	struct profile_report r;
	struct profile_fit fit;
	struct profile_view v = { s->after.mem, s->width, p, &r, &fit, kept };
	enum profile_enough enough;
	struct str out = { 0 };
	struct err err = { 0 };
	int res;

	profile_report_make(p, s->after.conf, &r);
	enough = profile_after_enough(&s->after, p, &r);
	res = profile_fit_make(&s->after, p, &r, &fit, &err);
	if (res >= 0)
		res = profile_after_print(&s->after, &v, enough, s->format, &out, &err);
	if (res >= 0)
		res = s->on.report(s->on.ctx, &out, &err);
	str_free(&out);
	if (res < 0)
		s->on.failed(s->on.ctx, &err);
	return enough;
}

/* keep_err: of the ticks; set: not all that was read is kept. */
static enum profile_enough end_session(struct watched *w, struct profile *p, struct err *keep_err)
{
	const struct profile_session *s = w->s;
	bool kept = w->file && !*keep_err->msg;
	enum profile_enough enough;
	struct keep_sums sums;
	struct err err = { 0 };

	if (read_steps(s->steps_file, &p->steps, &err) < 0)
		pass_warning(s, "no speed", err.msg);
	if (p->serving_why)
		pass_warning(s, "the server tells nothing of its requests",
			     text_line(&p->mem, sv_of(p->serving_why), 160));
	profile_after_price(&s->after, p);
	if (w->file && profile_file_end(w->file, p, keep_err) < 0)
		kept = false;
	if (*keep_err->msg)
		pass_warning(s, "readings are not kept", keep_err->msg);
	enough = tell_report(s, p, kept ? p->id : NULL);
	/* runs of long ago make room for this one */
	if (kept && profile_keep_trim(s->after.dir, &s->old, s->files_now_ms(), &sums, &err) < 0)
		pass_warning(s, "old runs stay", err.msg);
	else if (kept && sums.gone)
		s->on.trimmed(s->on.ctx, &sums);
	return enough;
}

int profile_session(const struct profile_session *s, struct profile_session_end *ret,
		    struct err *err)
{
	struct watched w = { .s = s };
	struct profile p = { 0 }, name = { .start_ms = s->after.now_ms };
	struct err keep_err = { 0 };
	int r;

	if (s->keep && profile_file_create(s->after.dir, &name, &w.file, &keep_err) < 0)
		pass_warning(s, "readings are not kept", keep_err.msg);
	err_clear(&keep_err);

	const char *id = name.id;
	const struct profile_session *session = w.s;
	struct profile_run_opt o = { .argv = session->argv,
				     .watch = { .conf = session->after.conf,
						.catalog = session->after.catalog,
						.serving = session->serving },
				     .interval_ms = session->interval_ms,
				     .start_ms = session->after.now_ms,
				     .work = session->after.work,
				     .steps = session->steps,
				     .id = id,
				     .command = session->command,
				     .tick = on_tick,
				     .ctx = &w };
	r = profile_run(&o, &p, &keep_err, err);

	if (session->on.live)
		session->on.live(session->on.ctx, NULL);
	if (r < 0)
		profile_file_drop(w.file);
	else
		ret->enough = end_session(&w, &p, &keep_err);
	ret->exit_code = p.exit_code;
	profile_free(&p);
	arena_free(&name.mem);
	if (r < 0)
		return r;
	return 0;
}

/* ---- one that was kept ------------------------------------------------------------------- */

const char *profile_kept(const char *dir, const char *id, struct arena *mem, struct err *err)
{
	const char *path = profile_file_path(dir, id, mem);

	if (path)
		return path;
	if (!strcmp(id, "last") || !profile_file_path(dir, "last", mem)) {
		err_set(err, -ENOENT, "no run was kept yet in '%s/profiles'", dir);
		err_hint(err, "Runs are kept by: tare profile -- CMD");
	} else {
		err_set(err, -ENOENT, "there is no run '%s' in '%s/profiles'", id, dir);
		err_hint(err,
			 "The newest is: tare explain last; runs are kept by: tare profile -- CMD");
	}
	return path;
}

int profile_kept_print(const struct profile_after *a, const char *path, enum out_format f,
		       int width, struct str *out, struct err *err)
{
	struct profile p = { 0 };
	int r = profile_file_read(path, &p, err);

	if (r >= 0) {
		struct profile_report report;
		struct profile_fit fit;
		struct profile_view v = { a->mem,  width, &p,
					  &report, &fit,  f == OUT_JSON ? p.id : NULL };

		profile_report_make(&p, a->conf, &report);
		r = profile_fit_make(a, &p, &report, &fit, err);
		if (r >= 0)
			profile_print(&v, f, out);
	}
	profile_free(&p);
	if (r < 0)
		return r;
	return 0;
}
