/* The next attempt: scontrol requeue, or a program that is told in JSON what was interrupted. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/tm.h"
#include "base/num.h"
#include "base/sh.h"
#include "act/exec.h"
#include "base/str.h"
#include "act/launch.h"

enum { LAUNCH_MS = MS_MINUTE };

/* Digits alone: it becomes an argument of scontrol, which reads lists and more. */
static int slurm_job(const char **ret, struct err *err)
{
	const char *z = getenv("SLURM_JOB_ID");

	size_t n = z ? strspn(z, "0123456789") : 0;

	if (n > 0 && n < 20 && !z[n]) {
		*ret = z;
		return 0;
	}
	err_set(err, -ENOENT,
		"this is no job of Slurm's (SLURM_JOB_ID is not set): there is nothing to put back into the queue");
	err_hint(err, "with exec:PROGRAM a program of yours starts the next attempt");
	return -ENOENT;
}

static const char **split_words(struct sv rest, struct arena *mem)
{
	const char **ret = arena_zalloc(mem, (rest.n / 2 + 2) * sizeof *ret);
	size_t n = 0;

	while (rest.n) {
		struct sv word = sv_cut(rest, ' ', &rest);
		if (word.n)
			ret[n++] = arena_sv(mem, word);
	}
	if (n)
		return ret;
	return NULL;
}

int launch_parse(const char *z, struct arena *mem, struct launch *ret, struct err *err)
{
	const char *job = NULL;
	int r;

	*ret = (struct launch){ .kind = LAUNCH_NONE };
	if (!strcmp(z, "none"))
		return 0;
	if (!strcmp(z, "requeue")) {
		if ((r = slurm_job(&job, err)) < 0)
			return r;
		*ret = (struct launch){
			LAUNCH_REQUEUE,
			split_words(sv_of(arena_printf(mem, "scontrol requeue %s", job)), mem)
		};
	} else if (!strncmp(z, "exec:", 5)) {
		*ret = (struct launch){ LAUNCH_EXEC, split_words(sv_of(z + 5), mem) };
	}
	if (ret->argv)
		return 0;
	return err_set(err, -EINVAL, "'%s' is neither requeue nor exec:PROGRAM nor none", z);
}

/* Of Slurm's names, so that none is more than one word of scontrol's. */
static bool is_plain_name(const char *z, const char *more)
{
	for (; *z; z++) {
		bool letter = within_int(*z, 'a', 'z') || within_int(*z, 'A', 'Z');
		if (!letter && !within_int(*z, '0', '9') && !strchr(more, *z))
			return false;
	}
	return true;
}

int launch_places(struct launch *l, const char *on_demand_partition,
		  const char *on_demand_constraint, const char *spot_partition, struct err *err)
{
	const char *one = on_demand_partition;

	if (!on_demand_partition)
		one = text_or(on_demand_constraint, spot_partition);
	if (one && l->kind != LAUNCH_REQUEUE) {
		err_set(err, -EINVAL,
			"a partition or constraint for the next attempt is of use only where tare puts the job back into the queue");
		err_hint(err, "--on-interrupt requeue");
		return -EINVAL;
	}
	const char *partition[] = { on_demand_partition, spot_partition };
	for (int i = 0; i < 2; i++)
		if (partition[i] && (!*partition[i] || !is_plain_name(partition[i], "_-.,")))
			return err_set(err, -EINVAL, "'%.100s' is not a name of a partition",
				       partition[i]);
	if (on_demand_constraint && !is_plain_name(on_demand_constraint, "_-.,&|()[]*:="))
		return err_set(err, -EINVAL, "'%.100s' is not a constraint of Slurm's",
			       on_demand_constraint);
	l->on_demand_partition = on_demand_partition;
	l->on_demand_constraint = on_demand_constraint;
	l->spot_partition = spot_partition;
	return 0;
}

static const char *format_setting(struct arena *a, const char *name, const char *value)
{
	if (value)
		return arena_printf(a, " %s", sh_show(a, arena_printf(a, "%s%s", name, value)));
	return "";
}

void launch_say(const struct launch *l, struct str *out)
{
	struct arena a = { 0 };

	for (size_t i = 0; l->argv && l->argv[i]; i++)
		str_addf(out, "%s%s", text_if(i, " "), sh_show(&a, l->argv[i]));
	if (l->on_demand_partition || l->on_demand_constraint) {
		assert(l->argv); /* launch_places() takes them for a requeue only */
		str_addf(
			out,
			"; when spot no longer fits the deadline also: scontrol update JobId=%s%s%s",
			l->argv[2], format_setting(&a, "Partition=", l->on_demand_partition),
			format_setting(&a, "Features=", l->on_demand_constraint));
	}
	arena_free(&a);
}

static void say_what(const struct launch_what *w, struct str *out)
{
	struct jw j;

	jw_init(&j, out, 0);
	jw_obj(&j);
	jw_put_str(&j, "schema", "tare.run.launch/1");
	jw_put_str(&j, "why", w->why);
	jw_put_str(&j, "job", w->job);
	jw_put_int(&j, "safe_step", w->step >= 0 ? w->step : INT64_MIN);
	jw_put_str(&j, "checkpoint_dir", w->dir);
	jw_put_str(&j, "store", w->store);
	jw_key(&j, "command");
	jw_arr(&j);
	for (char **a = w->argv; a && *a; a++)
		jw_str(&j, *a);
	jw_end_arr(&j);
	jw_key(&j, "next");
	if (w->next.n)
		jw_raw(&j, w->next);
	else
		jw_null(&j);
	jw_end_obj(&j);
	str_addz(out, "\n");
}

static bool is_od(const struct launch_what *w)
{
	return !strcmp(w->hold, "on_demand");
}

static bool has_guard(const struct launch *l, const struct launch_what *w)
{
	return !is_od(w) && l->on_demand_partition && w->on_demand_in_ms >= 0;
}

static bool moves_job(const struct launch *l, const struct launch_what *w)
{
	if (l->kind != LAUNCH_REQUEUE || !w->hold)
		return false;
	if (is_od(w))
		return l->on_demand_partition || l->on_demand_constraint;
	return l->spot_partition || has_guard(l, w);
}

/* $1 job, $2 seconds until it is moved or "", $3 the partition on demand, $4 its constraint or "",
 * then what is updated now. */
static const char elsewhere[] =
	"trap '' TERM; job=$1; bad=0\n"
	"scontrol requeue \"$job\"\n"
	"scancel -Q -n \"tare-move-$job\" 2>/dev/null\n"
	"if [ -n \"$2\" ]; then\n"
	"  sbatch -Q -J \"tare-move-$job\" --begin=\"now+$2\" -p \"$3\" -n 1 -t 5 --mem=16 -o /dev/null ${SLURM_JOB_ACCOUNT:+-A \"$SLURM_JOB_ACCOUNT\"} \\\n"
	"    --wrap \"scontrol update JobId=$job Partition=$3 $4\" >/dev/null || bad=3\n"
	"fi\n"
	"shift 4\n"
	"[ $# = 0 ] || scontrol update \"JobId=$job\" \"$@\" || bad=4\n"
	"exit $bad\n";

static int requeue_elsewhere(const struct launch *l, const struct launch_what *w, struct err *err)
{
	bool od = is_od(w);
	const char *partition = od ? l->on_demand_partition : l->spot_partition;
	struct str part = { 0 }, feature = { 0 }, later = { 0 }, seconds = { 0 };
	int64_t in_ms = 0;

	if (w->on_demand_in_ms > LAUNCH_EARLY_MS)
		in_ms = w->on_demand_in_ms - LAUNCH_EARLY_MS;
	if (has_guard(l, w))
		str_addf(&seconds, "%lld", (long long)(in_ms / 1000));
	if (l->on_demand_constraint)
		str_addf(&later, "'Features=%s'", l->on_demand_constraint);
	const char *argv[12] = { "/bin/sh",
				 "-c",
				 elsewhere,
				 "sh",
				 l->argv[2],
				 str_z(&seconds),
				 text_or(l->on_demand_partition, ""),
				 str_z(&later) };
	size_t n = 8;
	if (partition) {
		str_addf(&part, "Partition=%s", partition);
		argv[n++] = str_z(&part);
	}
	if (l->on_demand_constraint && (od || partition)) { /* going back it is taken away */
		str_addf(&feature, "Features=%s", text_if(od, l->on_demand_constraint));
		argv[n++] = str_z(&feature);
	}
	int r = act_exec("not started where it should be", argv, LAUNCH_MS, SV(""), err);
	str_free(&part);
	str_free(&feature);
	str_free(&later);
	str_free(&seconds);
	return r;
}

int launch_do(const struct launch *l, const struct launch_what *w, struct err *err)
{
	const char *restarts = getenv("SLURM_RESTART_COUNT");
	struct str body = { 0 };
	int64_t n = 0;
	int r;

	if (l->kind == LAUNCH_NONE)
		return 0;
	bool counted = restarts && sv_i64(sv_of(restarts), &n) == 0;
	if (l->kind == LAUNCH_REQUEUE && counted && n >= LAUNCH_RESTARTS_MAX)
		return err_set(err, -EDQUOT,
			       "not started again: the job was put back %lld times already",
			       (long long)n);
	if (moves_job(l, w))
		return requeue_elsewhere(l, w, err);
	if (l->kind == LAUNCH_EXEC)
		say_what(w, &body);
	r = act_exec("not started again", l->argv, LAUNCH_MS, str_sv(&body), err);
	str_free(&body);
	return r;
}
