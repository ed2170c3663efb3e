#include "agent/drill.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fdio.h"
#include "base/input.h"
#include "base/num.h"
#include "base/sh.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "run/notice_priv.h"

struct making {
	struct drill_ask *a;
	struct drill_end *e;
	struct run_drill first, second;
	int64_t again_at; /* the second attempt was begun */
};

/* ---- words ------------------------------------------------------------------------------- */

#define SAVES \
	"Let it save when it is asked: with libtare (tare init python), or with --checkpoint-signal SIG and --watch DIR"
#define LOADS \
	"Let it load the newest checkpoint when it starts (TARE_RESUME_STEP is its step; tare init python writes a training that does)"
#define STEPS \
	"Let it tell its steps (libtare: step_done), or put the step into the names of the files of --watch"

static const char *what_to_do(enum run_drill_fault f)
{
	static const char *const text[DRILL_FAULTS] = {
		[DRILL_FINE] = "",
		[DRILL_NOT_MADE] = "",
		[DRILL_NOT_SAVED] = SAVES
		"; where the save takes longer than the notice, a longer --grace",
		[DRILL_LOST] = SAVES
		"; or say how much may be lost at an interruption: --max-lost SPAN",
		[DRILL_NOT_BEGUN] = LOADS,
		[DRILL_NO_STEP] = STEPS,
		[DRILL_NOT_READ] = LOADS,
		[DRILL_EARLIER] = LOADS,
		[DRILL_IGNORED] = SAVES "; and load the newest checkpoint when it starts",
		[DRILL_LATER] =
			"Let it save the number of steps that are in the state, and go on there",
		[DRILL_NOT_DONE] = "Look at what it printed at its second start",
		[DRILL_OTHER] =
			"Save all that the result depends on: random generators, position in the data, optimiser",
	};

	return text[f];
}

/* code: of the end. */
static const char *explain_end(const struct making *m, enum run_drill_fault f, int code)
{
	struct arena *mem = m->a->mem;
	const struct run_drill_part *s = &m->first.seen;
	int64_t at = run_drill_went_on(s, &m->second.seen);

	switch (f) {
	case DRILL_NOT_MADE:
		return arena_printf(mem, "it ended with code %d before %s", code,
				    m->again_at ? "it was seen to resume"
						: "the drill could interrupt it");
	case DRILL_NOT_SAVED: return "no checkpoint was safe when the machine would have gone";
	case DRILL_LOST:
		return arena_printf(mem,
				    "nothing was saved at the notice: %.1f s of work were lost",
				    (double)s->lost_ms / 1000);
	case DRILL_NOT_BEGUN:
		return arena_printf(mem, "it could not be started again (code %d)", code);
	case DRILL_NO_STEP: return "nobody can tell from which step it went on";
	case DRILL_NOT_READ: return "it opened no file of the checkpoint that was put back";
	case DRILL_IGNORED:
		return arena_printf(
			mem,
			"it ignored the notice (nothing was saved at it), and went on from step %" PRId64
			", an earlier save was of step %" PRId64,
			at, s->safe_step);
	case DRILL_EARLIER:
	case DRILL_LATER:
		return arena_printf(mem,
				    "it went on from step %" PRId64 ", saved was step %" PRId64, at,
				    s->safe_step);
	case DRILL_NOT_DONE:
		return arena_printf(
			mem, "started again it ended with code %d%s", code,
			text_if(m->second.seen.newer_at < 0, ", and nothing newer was saved"));
	case DRILL_OTHER:
		return arena_printf(mem, "--check ended with code %d: the result is another", code);
	default:
		return arena_printf(mem, "it saved step %" PRId64 " and went on from there",
				    s->safe_step);
	}
}

static const char *command_of(char *const *argv, struct arena *mem)
{
	struct str s = { 0 };

	for (char *const *z = argv; *z && s.n < 4096; z++)
		str_addf(&s, "%s%s", text_if(z != argv, " "), sh_show(mem, *z));
	const char *line = arena_strn(mem, str_z(&s), s.n);
	str_free(&s);
	return line;
}

/* ---- what is kept ------------------------------------------------------------------------ */

static const char *from_env(const char *told, const char *name)
{
	const char *z = told;

	if (!told)
		z = getenv(name);
	return text_or(z, "");
}

static double seconds_between(int64_t from, int64_t to)
{
	if (from < 0 || to < from)
		return NAN;
	return (double)(to - from) / 1000;
}

static void decide_result(struct making *m, enum run_drill_fault f, int code)
{
	const struct run_drill_part *s = &m->first.seen, *t = &m->second.seen;
	struct drill *d = &m->e->drill;
	int64_t redone = s->last_step < 0 ? -1 : s->last_step - s->safe_step, now = tm_mono_ms();
	int64_t resumed = run_drill_went_on(s, t);
	bool known_redone = s->safe_step >= 0 && redone >= 0;
	const char *user = from_env(m->a->user, "SLURM_JOB_USER");
	const struct passwd *pw = getpwuid(getuid());
	const char *nodes = getenv("SLURM_JOB_NUM_NODES");
	int64_t machines;

	if (!*user && pw)
		user = arena_printf(m->a->mem, "%s", pw->pw_name);
	if (!nodes || sv_i64(sv_of(nodes), &machines) != 0 || !within_i64(machines, 1, 99999))
		machines = 1;
	m->e->fault = f;
	*d = (struct drill){
		.user = user,
		.name = from_env(m->a->name, "SLURM_JOB_NAME"),
		.cluster = from_env(NULL, "SLURM_CLUSTER_NAME"),
		.passed = f == DRILL_FINE,
		.verdict = run_drill_word(f),
		.why = explain_end(m, f, code),
		.what_to_do = what_to_do(f),
		.job = m->first.job,
		.command = command_of(m->a->o->argv, m->a->mem),
		.at_ms = tm_steady_ms(),
		.gpus = m->first.gpus,
		.machines = machines,
		.step_saved = i64_if(s->safe_step >= 0, s->safe_step),
		.step_resumed = i64_if(resumed >= 0, resumed),
		.steps_redone = i64_if(known_redone, redone),
		.checkpoint_bytes = i64_if(s->bytes >= 0, s->bytes),
		.save_s = seconds_between(s->noticed_at, s->saved_at),
		.restart_s = seconds_between(m->again_at, t->first_at),
		.lost_s = num_if(s->noticed_at >= 0 && s->lost_ms >= 0, (double)s->lost_ms / 1000),
	};
	if (f == DRILL_NOT_MADE && !code) {
		/* One that is brought back to its last step has nothing left that could be
		 * interrupted. */
		int64_t step = m->first.seen.resumed;
		if (step < 0)
			d->what_to_do = "Interrupt it sooner: --after SPAN";
		else
			d->what_to_do = arena_printf(
				m->a->mem,
				"It went on from step %lld of an earlier run: name another --checkpoint-dir, or interrupt it sooner: --after SPAN",
				(long long)step);
	}
	if (s->noticed_at >= 0)
		d->at_ms -= now - s->noticed_at;
	d->job = arena_printf(m->a->mem, "%s", d->job);
	if (f == DRILL_NOT_MADE)
		return;

	struct drill_end *e = m->e;
	const char *dir = m->a->store_dir;
	struct str line = { 0 };
	struct err err = { 0 };
	drill_line(d, &line);
	e->kept = file_replace(arena_printf(m->a->mem, "%s/drill.json", m->a->o->dir),
			       str_sv(&line), 0600, &e->keep_err) >= 0;
	e->stored = false;
	if (access(dir, F_OK) == 0)
		e->stored = drills_append(dir, str_sv(&line), &err) >= 0;
	if (*err.msg)
		e->keep_err = err;
	str_free(&line);
}

/* ---- the two attempts -------------------------------------------------------------------- */

/* Asked while the second one runs; with a check it is decided at the end. */
static bool on_seen(void *ctx)
{
	struct making *m = ctx;
	enum run_drill_fault f;

	if (!run_drill_second(&m->first.seen, &m->second.seen, &f))
		return false;
	if (f == DRILL_FINE && m->a->check)
		return false;
	decide_result(m, f, 0);
	return true;
}

static int check_result(const char *command)
{
	int status = system(command);

	if (status < 0)
		return 127;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return 128 + WTERMSIG(status);
}

/* The second one has ended. */
static void at_end(struct making *m)
{
	const struct run_end *end = &m->e->run;
	/* Ctrl-C and the end of the terminal are no fault of the program */
	bool cancelled = end->code == 128 + SIGINT || end->code == 128 + SIGHUP ||
			 end->code == 128 + SIGQUIT;
	bool failed = !strcmp(end->why, "failed") && !cancelled,
	     done = !strcmp(end->why, "done") && !end->code;
	enum run_drill_fault f;

	m->e->interrupted = !strcmp(end->why, "interrupted");
	if (m->second.told) { /* decided; what it says now is the last word */
		if (failed && m->e->fault == DRILL_FINE)
			decide_result(m, DRILL_NOT_DONE, end->code);
		return;
	}
	/* whether it is seen by now does not matter: it has ended */
	(void)run_drill_second(&m->first.seen, &m->second.seen, &f);
	if (failed)
		f = DRILL_NOT_DONE;
	else if (!done && f == DRILL_FINE)
		f = DRILL_NOT_MADE;
	else if (!done && f == DRILL_NO_STEP)
		f = DRILL_NOT_MADE;
	int code = end->code;
	if (f == DRILL_FINE && m->a->check && (code = check_result(m->a->check)) != 0)
		f = DRILL_OTHER;
	decide_result(m, f, code);
}

static void repeat_run(struct making *m, enum run_drill_fault f)
{
	struct run_opt *o = m->a->o;
	struct err err = { 0 };

	run_drill_init(&m->second);
	m->again_at = tm_mono_ms();
	if (f == DRILL_FINE) {
		m->second.decided = on_seen;
		m->second.ctx = m;
		m->second.stops = m->a->stop;
	}
	o->drill = &m->second;
	if (run_supervise(o, &m->e->run, &err) < 0) {
		fprintf(stderr, "tare: %s\n", err.msg);
		decide_result(m, f == DRILL_FINE ? DRILL_NOT_BEGUN : f, m->e->run.code);
	} else if (f == DRILL_FINE)
		at_end(m);
	else
		m->e->interrupted = !strcmp(m->e->run.why, "interrupted");
}

int drill_make(struct drill_ask *a, struct drill_end *ret, struct err *err)
{
	struct making m = { .a = a, .e = ret };
	enum run_drill_fault f;
	int r;

	*ret = (struct drill_end){ 0 };
	run_drill_init(&m.first);
	run_drill_init(&m.second);
	m.first.interrupts = true;
	m.first.after_ms = a->after_ms > 0 ? a->after_ms : -1;
	a->o->drill = &m.first;
	r = run_supervise(a->o, &ret->run, err);
	a->o->drill = NULL;
	if (r < 0)
		return r;
	f = run_drill_first(&m.first.seen, ret->run.code, a->max_lost_ms);
	if (f != DRILL_FINE)
		decide_result(&m, f, ret->run.code);
	/* one that has failed goes on all the same: it is its owner's run; but with --stop */
	bool goes_on = f == DRILL_FINE || !a->stop;
	if (m.first.seen.noticed_at >= 0 && ret->run.code == RUN_AGAIN && goes_on)
		repeat_run(&m, f);
	else
		ret->interrupted = !strcmp(ret->run.why, "interrupted") &&
				   m.first.seen.noticed_at < 0;
	a->o->drill = NULL;
	return 0;
}

/* ---- of other machines ------------------------------------------------------------------- */

#define BYTES_MAX (64 << 20)

static int read_all(const char *path, struct str *ret, struct err *err)
{
	struct input *in;
	char buf[65536];
	int64_t n;
	int r = input_open(path, &in, err);

	if (r < 0)
		return r;
	while ((n = input_read(in, buf, sizeof buf, err)) > 0 && ret->n < BYTES_MAX)
		str_addsv(ret, (struct sv){ buf, (size_t)n });
	input_close(in);
	if (n > 0)
		return err_set(err, -E2BIG, "'%s' is too long", path);
	return (int)n;
}

/* What the store has already is not kept twice. How many lines are new; text then has these
 * alone. */
static int drop_known(const char *store_dir, struct str *text, struct err *err)
{
	struct str have = { 0 }, left = { 0 };
	struct sv rest = str_sv(text), line;
	char path[4096];
	int n = 0, r = 0;

	snprintf(path, sizeof path, "%s/drills.jsonl", store_dir);
	if (access(path, F_OK) == 0)
		r = read_all(path, &have, err);
	while (r >= 0 && rest.n) {
		line = sv_cut(rest, '\n', &rest);
		if (!sv_trim(line).n || sv_has(str_sv(&have), line))
			continue;
		str_addsv(&left, line);
		str_addc(&left, '\n');
		n++;
	}
	str_free(&have);
	str_clear(text);
	str_addsv(text, str_sv(&left));
	str_free(&left);
	if (r < 0)
		return r;
	return n;
}

int drill_bring(const char *path, const char *store_dir, struct err *err)
{
	struct str text = { 0 };
	struct drills d = { 0 };
	struct input *in;
	int r = read_all(path, &text, err);

	if (r >= 0)
		r = input_from_memory(path, text.p, text.n, &in, err);
	if (r < 0) {
		str_free(&text);
		return r;
	}
	r = drills_read(in, &d, err);
	input_close(in);
	if (r >= 0 && (d.bad || !d.v.n)) {
		r = err_set(err, -EINVAL, "'%s' is not a restore drill", path);
		err_hint(
			err,
			"It is what tare run drill -o json prints, or drill.json of a folder of checkpoints");
	}
	int n = r;
	if (r >= 0)
		n = drop_known(store_dir, &text, err);
	if (n > 0 && (r = drills_append(store_dir, str_sv(&text), err)) < 0)
		n = r;
	drills_free(&d);
	str_free(&text);
	return n;
}
