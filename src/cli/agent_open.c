#include "cli/agent_open.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/recover.h"
#include "base/tm.h"

static int span_opt(struct cli *c, const char *name, int64_t lo, int64_t hi, int64_t *ret,
		    struct err *err)
{
	const char *v = cli_value(c, name);
	int64_t ms;
	if (!v)
		return 0;
	if (tm_parse_span(sv_of(v), &ms) < 0)
		return err_set(err, -EINVAL, "--%s: '%s' is no span such as 1s, 100ms or 24h", name,
			       v);
	if (ms < lo || ms > hi) {
		char a[TM_BUF], b[TM_BUF];
		return err_set(err, -EINVAL, "--%s: %s is not between %s and %s", name, v,
			       tm_format_span(a, lo), tm_format_span(b, hi));
	}
	*ret = ms;
	return 0;
}

static void text_opt(struct cli *c, struct agent_conf *a, const char *name, const char **ret)
{
	const char *v = cli_value(c, name);
	if (v)
		*ret = arena_sv(&a->mem, sv_of(v));
}

static int url_opt(struct cli *c, struct agent_conf *a, const char *name, const char **ret,
		   struct err *err)
{
	const char *v = cli_value(c, name);
	if (v && !sv_starts(sv_of(v), SV("http://")) && !sv_starts(sv_of(v), SV("https://")))
		return err_set(err, -EINVAL,
			       "--%s: '%s' is no address that begins with http:// or https://",
			       name, v);
	text_opt(c, a, name, ret);
	return 0;
}

static int price_opt(struct cli *c, struct agent_conf *a, struct err *err)
{
	const char *v = cli_value(c, "usd-gpu-hour");
	dec d;
	if (!v)
		return 0;
	if (dec_parse(sv_of(v), 0, &d) < 0 || d < 0 || d > 10000000 * DEC_ONE)
		return err_set(err, -EINVAL,
			       "--usd-gpu-hour: '%s' is no price of an hour, such as 2.50", v);
	a->rate.usd_gpu_hour = d;
	a->rate.known = true;
	return 0;
}

int agent_settings(struct cli *c, struct agent_conf *a, struct err *err)
{
	int r = agent_conf_load(c->config, a, err);
	if (r < 0)
		return r;
	r = span_opt(c, "interval", 100, MS_HOUR, &a->interval_ms, err);
	if (r >= 0)
		r = span_opt(c, "flush", 1000, 600000, &a->flush_ms, err);
	if (r >= 0)
		r = span_opt(c, "retention", MS_MINUTE, 3660 * MS_DAY, &a->raw_keep_ms, err);
	if (r >= 0)
		r = span_opt(c, "send-every", 1000, MS_DAY, &a->send_every_ms, err);
	if (r >= 0)
		r = price_opt(c, a, err);
	if (r >= 0)
		r = url_opt(c, a, "server", &a->server, err);
	if (r >= 0)
		r = url_opt(c, a, "scrape", &a->scrape, err);
	if (r >= 0)
		r = url_opt(c, a, "serving", &a->serving, err);
	text_opt(c, a, "state", &a->state_dir);
	text_opt(c, a, "listen", &a->listen);
	text_opt(c, a, "hosts", &a->hosts);
	text_opt(c, a, "token-file", &a->token_file);
	a->dcgm_names |= cli_flag(c, "dcgm-names");
	if (r < 0)
		agent_conf_free(a);
	return r;
}

int agent_open(struct cli *c, struct agentdb **ret, struct err *err)
{
	struct agent_conf a;
	struct stat st;
	int r = agent_settings(c, &a, err);
	if (r < 0)
		return r;
	r = agentdb_open(agent_state_dir(&a, &c->mem), false, ret, err);
	/* Not root's: the service's folder is there (a link, where systemd made its user), but
	 * another's. */
	if (r == -ENOENT && !cli_value(c, "state") && geteuid() &&
	    lstat(AGENT_SYSTEM_DIR, &st) == 0)
		err_hint(err, "The service on this machine keeps " AGENT_SYSTEM_DIR
			      ": run this with sudo");
	if (r >= 0 && (r = recover_check(*ret, err)) < 0)
		agentdb_close(*ret);
	agent_conf_free(&a);
	return r;
}
