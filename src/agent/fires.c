#include "agent/fires.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/alerts.h"
#include "agent/alerts_conf.h"
#include "base/tm.h"

#define SHOWN_MAX 10 /* lines */

struct taking {
	struct agent_fires *f;
	struct arena *mem;
};

static void nobody(void *ctx, enum alert_event ev, const struct alert *a, int64_t wall_ms)
{
}

static void take(void *ctx, const struct alert *a)
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
		struct alerts *engine = alerts_new(conf.rule.v, conf.rule.n, nobody, NULL);
		struct taking t = { ret, mem };
		ret->as_of_ms = saved;
		ret->known = alerts_load(engine, str_sv(&text), saved, saved, &damaged) >= 0;
		alerts_each(engine, take, &t);
		alerts_free(engine);
	}
	str_free(&text);
	alerts_conf_free(&conf);
	return r;
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
		str_addf(out, "alerts    %zu fire%s (%s)\n", f->v.n, f->v.n == 1 ? "s" : "",
			 tm_format(at, f->as_of_ms));
	for (size_t i = 0; i < f->v.n && i < SHOWN_MAX; i++) {
		const struct agent_fire *x = &f->v.v[i];
		str_addf(out, "          %s · %s, GPU %s%s%s%s%s since %s\n", x->rule, x->severity,
			 x->gpu, *x->mig ? "/" : "", x->mig, *x->job ? ", job " : "", x->job,
			 tm_format(at, x->since_ms));
	}
	if (f->v.n > SHOWN_MAX)
		str_addf(out, "          and %zu more: see -o json\n", f->v.n - SHOWN_MAX);
}
