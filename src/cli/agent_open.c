#include "cli/agent_open.h"

#include <errno.h>

#include "base/tm.h"

/* The sentence of a value of an option that its setting refused with rc. */
static int wrong_value(const struct setting *s, const char *v, int rc, struct err *err)
{
	char a[TM_BUF], b[TM_BUF];
	const char *o = s->option;

	switch (s->type) {
	case SETTING_SPAN:
		if (rc == -EINVAL)
			return err_set(err, -EINVAL,
				       "--%s: '%s' is not a duration such as 1s, 100ms or 24h", o,
				       v);
		return err_set(err, -EINVAL, "--%s: %s is not between %s and %s", o, v,
			       tm_format_span(a, (int64_t)s->lo),
			       tm_format_span(b, (int64_t)s->hi));
	case SETTING_URL:
		return err_set(err, -EINVAL,
			       "--%s: '%s' is not an address that begins with http:// or https://",
			       o, v);
	case SETTING_MONEY:
		return err_set(err, -EINVAL, "--%s: '%s' is not a price of an hour, such as 2.50",
			       o, v);
	default: return err_set(err, -EINVAL, "--%s does not take '%s'", o, v);
	}
}

/* Rows that name an option: it, or its variable, over what the file says. */
static int options_over(struct cli *c, const struct setting *rows, struct arena *mem, void *base,
			struct err *err)
{
	int r = 0;

	for (const struct setting *s = rows; s->name && r >= 0; s++) {
		const char *v = NULL;
		if (s->option)
			v = cli_value(c, s->option);
		if (s->option && s->type == SETTING_BOOL)
			v = cli_flag(c, s->option) ? "yes" : NULL;
		if (s->type == SETTING_SECTION)
			r = options_over(c, s->rows, mem, (char *)base + s->at, err);
		else if (v && (r = setting_set(s, mem, v, base)) < 0)
			r = wrong_value(s, v, r, err);
	}
	return r;
}

int agent_settings(struct cli *c, struct agent_conf *a, struct err *err)
{
	int r = agent_conf_load(c->config, a, err);

	if (r < 0)
		return r;
	r = options_over(c, agent_section.rows, &a->mem, a, err);
	if (r < 0)
		agent_conf_free(a);
	return r;
}

int agent_open(struct cli *c, struct agentdb **ret, struct err *err)
{
	struct agent_conf a;
	int r = agent_settings(c, &a, err);

	if (r < 0)
		return r;
	r = agent_open_state(agent_state_dir(&a, &c->mem), ret, err);
	if (r == -ENOENT && !cli_value(c, "state") && agent_service_is_anothers())
		err_hint(err, "The service on this machine keeps " AGENT_SYSTEM_DIR
			      ": run this with sudo");
	agent_conf_free(&a);
	return r;
}
