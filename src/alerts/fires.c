#include "alerts/fires.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alerts/alerts.h"
#include "alerts/alerts_conf.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "store/agentdb.h"

#define SHOWN_MAX 10 /* lines */

struct taking {
	struct agent_fires *f;
	struct arena *mem;
};

static void tell_nobody(void *ctx, enum alert_event ev, const struct alert *a, int64_t wall_ms)
{
}

static void take_firing(void *ctx, const struct alert *a)
{
	struct taking *t = ctx;

	if (!a->firing)
		return;
	*vec_push(&t->f->v) = (struct agent_fire){ arena_sv(t->mem, sv_of(a->rule->name)),
						   alert_severity_name[a->rule->severity],
						   arena_sv(t->mem, sv_of(a->rule->summary)),
						   arena_sv(t->mem, sv_of(a->field[ALERT_GPU])),
						   arena_sv(t->mem, sv_of(a->field[ALERT_MIG])),
						   arena_sv(t->mem, sv_of(a->field[ALERT_JOB])),
						   a->since_ms };
}

int agent_fires_load(const char *config, const char *dir, struct arena *mem,
		     struct agent_fires *ret, struct err *err)
{
	struct alerts_conf conf = { 0 };
	struct str text = { 0 };
	struct err damaged;
	long long saved;
	int r = alerts_conf_load(config, &conf, err);

	if (r >= 0 && alerts_state_read(dir, &text, &damaged) < 0)
		ret->damage = arena_sv(mem, sv_of(damaged.msg));
	if (r >= 0 && text.n && sscanf(str_z(&text), "tare-alerts 1 %lld", &saved) == 1) {
		struct alerts *engine = alerts_new(conf.rule.v, conf.rule.n, tell_nobody, NULL);
		struct taking t = { ret, mem };
		ret->as_of_ms = saved;
		ret->known = alerts_load(engine, str_sv(&text), saved, saved, &damaged) >= 0;
		alerts_each(engine, take_firing, &t);
		alerts_free(engine);
	}
	str_free(&text);
	alerts_conf_free(&conf);
	return r;
}

/* ---- as an answer ------------------------------------------------------------------------ */

struct telling {
	const struct agent_fires_ask *q;
	int64_t as_of_ms;
	VEC(struct fired) v;
};

static void tell_alert(void *ctx, const struct alert *a)
{
	struct telling *t = ctx;
	const struct agent_fires_ask *q = t->q;
	const char *severity = alert_severity_name[a->rule->severity];

	if (!a->firing || !alert_matches(q->match, q->nmatch, a->rule->name, severity, a->field))
		return;
	struct fired *f = vec_push(&t->v);
	*f = (struct fired){ .rule = a->rule,
			     .from_ms = a->since_ms,
			     .to_ms = t->as_of_ms,
			     .state = FIRED_FIRING,
			     .value = a->value,
			     .worst = a->worst,
			     .silenced = a->silenced,
			     .told = !a->silenced && !a->held_back };
	if (a->state == ALERT_NO_DATA)
		f->state = FIRED_NO_DATA;
	if (a->held_back)
		f->held_back = a->held_back->name;
	for (int i = 0; i < ALERT_FIELD_N; i++)
		f->field[i] = arena_sv(q->mem, sv_of(a->field[i]));
}

static int by_start(const void *a, const void *b)
{
	const struct fired *x = a, *y = b;
	int c = strcmp(x->rule->name, y->rule->name);

	if (x->from_ms != y->from_ms)
		return cmp_i64(x->from_ms, y->from_ms);
	if (c)
		return c;
	return strcmp(x->field[ALERT_GPU], y->field[ALERT_GPU]);
}

int agent_fires_answer(const struct agent_fires_ask *q, struct alerts_answer *ret, struct err *err)
{
	struct telling t = { .q = q };
	struct str text = { 0 };
	long long saved;
	int r = alerts_state_read(q->dir, &text, err);

	if (r >= 0 && sscanf(str_z(&text), "tare-alerts 1 %lld", &saved) != 1)
		r = err_set(err, -ENOENT, "no agent has kept alerts in '%s'", q->dir);
	if (r == -EACCES)
		err_hint(err, "The agent's files are its own user's: run this with sudo");
	if (r == -ENOENT)
		err_hint(err, "One that runs writes them once a minute: tare agent --state DIR");
	if (r >= 0) {
		t.as_of_ms = saved;
		struct alerts *engine = alerts_new(q->rule, q->nrule, tell_nobody, NULL);
		r = alerts_load(engine, str_sv(&text), saved, saved, err);
		if (r >= 0)
			alerts_each(engine, tell_alert, &t);
		*ret = (struct alerts_answer){ .since_ms = saved,
					       .until_ms = saved,
					       .end_ms = saved,
					       .nfired = t.v.n,
					       .gpus = alerts_gpus(engine) };
		struct fired *fired = arena_alloc(q->mem, (t.v.n + 1) * sizeof *fired);
		if (t.v.n) {
			sort_items(t.v.v, t.v.n, sizeof *t.v.v, by_start);
			memcpy(fired, t.v.v, t.v.n * sizeof *fired);
			ret->since_ms = fired[0].from_ms;
		}
		ret->fired = fired;
		alerts_free(engine);
		r = min_int(r, 0);
	}
	vec_free(&t.v);
	str_free(&text);
	return r;
}

int agent_fires_watched(const char *dir)
{
	struct agentdb *db;
	struct err ignored;

	if (agentdb_open(dir, false, &db, &ignored) < 0)
		return -1;
	int ret = agentdb_watched(db);
	agentdb_close(db);
	return ret;
}

void agent_fires_free(struct agent_fires *f)
{
	vec_free(&f->v);
}

void agent_fires_text(const struct agent_fires *f, struct str *out)
{
	char at[TM_BUF];

	if (!f->known)
		return;
	if (!f->v.n)
		str_addf(out, "alerts    none fires (%s)\n", tm_format(at, f->as_of_ms));
	else
		str_addf(out, "alerts    %zu fire%s (%s)\n", f->v.n, text_if(f->v.n == 1, "s"),
			 tm_format(at, f->as_of_ms));
	for (size_t i = 0; i < f->v.n && i < SHOWN_MAX; i++) {
		const struct agent_fire *x = &f->v.v[i];
		str_addf(out, "          %s · %s, GPU %s%s%s%s%s since %s\n", x->rule, x->severity,
			 x->gpu, text_if(*x->mig, "/"), x->mig, text_if(*x->job, ", job "), x->job,
			 tm_format(at, x->since_ms));
	}
	if (f->v.n > SHOWN_MAX)
		str_addf(out, "          and %zu more: see -o json\n", f->v.n - SHOWN_MAX);
}
