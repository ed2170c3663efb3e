#include "agent/agent_conf.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/tm.h"
#include "base/yaml.h"

static void set_defaults(struct agent_conf *c)
{
	*c = (struct agent_conf){ .interval_ms = 1000,
				  .flush_ms = 5000,
				  .raw_keep_ms = MS_DAY,
				  .roll_keep_ms = 90 * MS_DAY,
				  .send_every_ms = 60000,
				  .listen = AGENT_LISTEN_DEFAULT,
				  .gpm = true };
}

static int wrong(const struct yaml_doc *d, const struct yaml *y, struct err *err, const char *key,
		 const char *what)
{
	return err_set(err, -EINVAL, "'%s' line %d: agent: %s %s", yaml_name(d), y->line, key,
		       what);
}

static int span(const struct yaml_doc *d, const struct yaml *map, const char *key, int64_t lo,
		int64_t hi, int64_t *ret, struct err *err)
{
	const char *text = NULL;
	int64_t v;
	int r = yaml_text(d, map, key, &text, err);
	if (r < 0 || !text)
		return r;
	if (tm_parse_span(sv_of(text), &v) < 0)
		return wrong(d, yaml_get(map, key), err, key,
			     "is no span such as 1s, 100ms or 24h");
	if (v < lo || v > hi)
		return wrong(d, yaml_get(map, key), err, key, "is out of range");
	*ret = v;
	return 0;
}

static int text(struct agent_conf *c, const struct yaml_doc *d, const struct yaml *map,
		const char *key, const char **ret, struct err *err)
{
	const char *t = NULL;
	int r = yaml_text(d, map, key, &t, err);
	if (r >= 0 && t)
		*ret = arena_sv(&c->mem, sv_of(t));
	return r;
}

static int url(struct agent_conf *c, const struct yaml_doc *d, const struct yaml *map,
	       const char *key, const char **ret, struct err *err)
{
	int r = text(c, d, map, key, ret, err);
	if (r >= 0 && *ret && strncmp(*ret, "http://", 7) != 0 && strncmp(*ret, "https://", 8) != 0)
		return wrong(d, yaml_get(map, key), err, key,
			     "must begin with http:// or https://");
	return r;
}

static int fixed(const struct yaml_doc *d, const struct yaml *map, const char *key, char *ret,
		 size_t size, struct err *err)
{
	const char *t = NULL;
	int r = yaml_text(d, map, key, &t, err);
	if (r < 0 || !t)
		return r;
	if (strlen(t) >= size)
		return wrong(d, yaml_get(map, key), err, key, "is too long");
	snprintf(ret, size, "%s", t);
	return 0;
}

static int load_node(struct agent_conf *c, const struct yaml_doc *d, const struct yaml *node,
		     struct err *err)
{
	static const char *const keys[] = { "provider",      "region",   "zone",
					    "instance_type", "purchase", "cluster",
					    "usd_gpu_hour",  "currency", NULL };
	struct watch_rate *w = &c->rate;
	int r = yaml_check_keys(d, node, keys, err);
	if (r >= 0)
		r = fixed(d, node, "provider", w->provider, sizeof w->provider, err);
	if (r >= 0)
		r = fixed(d, node, "region", w->region, sizeof w->region, err);
	if (r >= 0)
		r = fixed(d, node, "zone", w->zone, sizeof w->zone, err);
	if (r >= 0)
		r = fixed(d, node, "instance_type", w->instance_type, sizeof w->instance_type, err);
	if (r >= 0)
		r = fixed(d, node, "purchase", w->purchase, sizeof w->purchase, err);
	if (r >= 0 && *w->purchase && !purchase_is_known(sv_of(w->purchase))) {
		r = wrong(d, yaml_get(node, "purchase"), err, "purchase", "is no way to buy");
		err_hint(
			err,
			"the words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned");
	}
	if (r >= 0)
		r = fixed(d, node, "currency", w->currency, sizeof w->currency, err);
	if (r >= 0)
		r = text(c, d, node, "cluster", &c->cluster, err);
	w->known = r >= 0 && yaml_get(node, "usd_gpu_hour") &&
		   yaml_get(node, "usd_gpu_hour")->type == YAML_TEXT;
	if (r >= 0)
		r = yaml_dec(d, node, "usd_gpu_hour", &w->usd_gpu_hour, err);
	if (r >= 0 && w->known && (w->usd_gpu_hour < 0 || w->usd_gpu_hour > 10000000 * DEC_ONE))
		return wrong(d, node, err, "usd_gpu_hour", "is out of range");
	return r;
}

static int load_agent(struct agent_conf *c, const struct yaml_doc *d, const struct yaml *y,
		      struct err *err)
{
	static const char *const keys[] = { "interval",
					    "flush",
					    "retention_raw",
					    "retention_minutes",
					    "state",
					    "listen",
					    "hosts",
					    "server",
					    "token_file",
					    "ca_file",
					    "send_every",
					    "dcgm_names",
					    "pcie",
					    "gpm",
					    "scrape",
					    "serving",
					    "silences",
					    "node",
					    NULL };
	int r = yaml_check_keys(d, y, keys, err);
	if (r >= 0)
		r = span(d, y, "interval", 100, MS_HOUR, &c->interval_ms, err);
	if (r >= 0)
		r = span(d, y, "flush", 1000, 600000, &c->flush_ms, err);
	if (r >= 0)
		r = span(d, y, "retention_raw", MS_MINUTE, 3660 * MS_DAY, &c->raw_keep_ms, err);
	if (r >= 0)
		r = span(d, y, "retention_minutes", MS_HOUR, 3660 * MS_DAY, &c->roll_keep_ms, err);
	if (r >= 0)
		r = span(d, y, "send_every", 1000, MS_DAY, &c->send_every_ms, err);
	if (r >= 0)
		r = text(c, d, y, "state", &c->state_dir, err);
	if (r >= 0)
		r = text(c, d, y, "listen", &c->listen, err);
	if (r >= 0)
		r = text(c, d, y, "hosts", &c->hosts, err);
	if (r >= 0)
		r = url(c, d, y, "server", &c->server, err);
	if (r >= 0)
		r = text(c, d, y, "token_file", &c->token_file, err);
	if (r >= 0)
		r = text(c, d, y, "ca_file", &c->ca_file, err);
	if (r >= 0)
		r = url(c, d, y, "scrape", &c->scrape, err);
	if (r >= 0)
		r = url(c, d, y, "serving", &c->serving, err);
	if (r >= 0)
		r = text(c, d, y, "silences", &c->silences, err);
	if (r >= 0)
		r = yaml_bool(d, y, "dcgm_names", &c->dcgm_names, err);
	if (r >= 0)
		r = yaml_bool(d, y, "pcie", &c->pcie, err);
	if (r >= 0)
		r = yaml_bool(d, y, "gpm", &c->gpm, err);
	return r < 0 ? r : load_node(c, d, yaml_get(y, "node"), err);
}

static int load_doc(struct yaml_doc *d, struct agent_conf *ret, struct err *err)
{
	int r = load_agent(ret, d, yaml_get(yaml_root(d), "agent"), err);
	yaml_doc_free(d);
	if (r < 0)
		agent_conf_free(ret);
	return r;
}

int agent_conf_load(const char *path, struct agent_conf *ret, struct err *err)
{
	struct yaml_doc *d;
	set_defaults(ret);
	if (!path)
		return 0;
	int r = yaml_load(path, &d, err);
	return r < 0 ? r : load_doc(d, ret, err);
}

int agent_conf_parse(const char *name, struct sv yaml, struct agent_conf *ret, struct err *err)
{
	struct yaml_doc *d;
	set_defaults(ret);
	int r = yaml_parse(name, yaml, &d, err);
	return r < 0 ? r : load_doc(d, ret, err);
}

void agent_conf_free(struct agent_conf *c)
{
	arena_free(&c->mem);
}

const char *agent_state_dir(const struct agent_conf *c, struct arena *a)
{
	const char *v;
	if (c->state_dir)
		return c->state_dir;
	if ((v = getenv("TARE_STATE")) && *v)
		return v;
	if ((v = getenv("STATE_DIRECTORY")) && *v)
		return v;
	if (access(AGENT_SYSTEM_DIR, W_OK) == 0 || geteuid() == 0)
		return AGENT_SYSTEM_DIR;
	if ((v = getenv("XDG_STATE_HOME")) && *v)
		return arena_printf(a, "%s/tare-agent", v);
	v = getenv("HOME");
	return arena_printf(a, "%s/.local/state/tare-agent", v && *v ? v : ".");
}
