#include "agent/agent_conf.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/str.h"
#include "base/tm.h"

#define AT(member)  offsetof(struct agent_conf, member)
#define TEXT_OF(at) SETTING_FIXED, AT(rate.at), .size = sizeof((struct watch_rate *)0)->at

static int check_purchase(const struct setting_reader *r, const struct yaml *y, void *base)
{
	(void)base;
	if (!*y->text || purchase_is_known(sv_of(y->text)))
		return 0;
	setting_wrong(r, y, "agent: purchase is no way to buy");
	err_hint(
		r->err,
		"the words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned");
	return -EINVAL;
}

static const struct setting node_rows[] = {
	{ "provider", TEXT_OF(provider), .none = "found out", .help = "cloud the machine is in" },
	{ "region", TEXT_OF(region), .none = "found out", .help = "its region" },
	{ "zone", TEXT_OF(zone), .none = "found out", .help = "its zone" },
	{ "instance_type", TEXT_OF(instance_type), .none = "found out",
	  .help = "its instance type" },
	{ "purchase", TEXT_OF(purchase), .check = check_purchase, .none = "found out",
	  .help = "how it is paid: on_demand, spot, reserved_1y, ..., owned" },
	{ "cluster", SETTING_TEXT, AT(cluster), .none = "none",
	  .help = "cluster the machine belongs to" },
	{ "usd_gpu_hour", SETTING_MONEY, AT(rate.usd_gpu_hour), .hi = 10000000,
	  .has_at = AT(rate.known), .option = "usd-gpu-hour", .unit = "$/GPU-hour",
	  .none = "owned hardware of section owned, else the catalogue",
	  .help = "what a whole GPU costs here an hour" },
	{ "currency", TEXT_OF(currency), .none = "USD", .help = "of usd_gpu_hour" },
	{ 0 },
};

static const struct setting agent_rows[] = {
	{ "interval", SETTING_SPAN, AT(interval_ms), .lo = 100, .hi = MS_HOUR, .def = "1s",
	  .option = "interval", .help = "how often to look" },
	{ "flush", SETTING_SPAN, AT(flush_ms), .lo = 1000, .hi = 10 * MS_MINUTE, .def = "5s",
	  .option = "flush", .help = "a kill loses at most so much" },
	{ "retention_raw", SETTING_SPAN, AT(raw_keep_ms), .lo = MS_MINUTE, .hi = 3660 * MS_DAY,
	  .def = "24h", .option = "retention", .help = "how long every reading is kept" },
	{ "retention_minutes", SETTING_SPAN, AT(roll_keep_ms), .lo = MS_HOUR, .hi = 3660 * MS_DAY,
	  .def = "90d", .help = "how long minutes, owners and events are kept" },
	{ "state", SETTING_TEXT, AT(state_dir), .option = "state",
	  .none = AGENT_SYSTEM_DIR " where that may be written, else $XDG_STATE_HOME/tare-agent",
	  .help = "where the agent keeps its files" },
	{ "listen", SETTING_TEXT, AT(listen), .def = AGENT_LISTEN_DEFAULT, .option = "listen",
	  .help = "where /metrics is read; none: nobody may ask" },
	{ "hosts", SETTING_TEXT, AT(hosts), .option = "hosts", .none = "nothing else",
	  .help = "what else a request may call this machine (Host), separated by commas" },
	{ "server", SETTING_URL, AT(server), .option = "server", .none = "nothing is sent",
	  .help = "where to send what was seen" },
	{ "token_file", SETTING_TEXT, AT(token_file), .option = "token-file", .none = "no token",
	  .help = "bearer token for the server, read again for each batch" },
	{ "ca_file", SETTING_TEXT, AT(ca_file), .none = "those of the system",
	  .help = "further roots to trust of the server's certificate" },
	{ "send_every", SETTING_SPAN, AT(send_every_ms), .lo = 1000, .hi = MS_DAY, .def = "60s",
	  .option = "send-every", .help = "how often to send" },
	{ "dcgm_names", SETTING_BOOL, AT(dcgm_names), .def = "no", .option = "dcgm-names",
	  .help = "DCGM_FI_* in /metrics beside the own names" },
	{ "pcie", SETTING_BOOL, AT(pcie), .def = "no",
	  .help = "PCIe throughput: blocks for 20 ms a GPU and direction on older drivers" },
	{ "gpm", SETTING_BOOL, AT(gpm), .def = "yes",
	  .help = "SM activity and the like on Hopper and later" },
	{ "scrape", SETTING_URL, AT(scrape), .option = "scrape", .none = "the driver is asked",
	  .help = "watch this exporter's GPUs instead of the driver's" },
	{ "serving", SETTING_URL, AT(serving), .option = "serving", .none = "none",
	  .help = "metrics of vLLM or Triton here: queue, running requests and batch" },
	{ "silences", SETTING_TEXT, AT(silences), .none = "none",
	  .help = "folder of a store whose silences hold here too" },
	{ "node", SETTING_SECTION, 0, .rows = node_rows, .help = "what is known of the machine" },
	{ 0 },
};

const struct setting agent_section = { "agent", SETTING_SECTION, 0, .rows = agent_rows,
				       .help = "how tare agent watches and keeps" };

static void set_defaults(struct agent_conf *c)
{
	*c = (struct agent_conf){ 0 };
	setting_defaults(agent_rows, c);
}

static int load_doc(struct yaml_doc *d, struct agent_conf *ret, struct err *err)
{
	struct setting_reader r = { .doc = d, .mem = &ret->mem, .section = "agent", .err = err };
	int rc = setting_read_member(&r, yaml_root(d), &agent_section, ret);

	yaml_doc_free(d);
	if (rc < 0)
		agent_conf_free(ret);
	return rc;
}

int agent_conf_load(const char *path, struct agent_conf *ret, struct err *err)
{
	struct yaml_doc *d;
	set_defaults(ret);
	if (!path)
		return 0;
	int r = yaml_load(path, &d, err);
	if (r < 0)
		return r;
	return load_doc(d, ret, err);
}

int agent_conf_parse(const char *name, struct sv yaml, struct agent_conf *ret, struct err *err)
{
	struct yaml_doc *d;
	set_defaults(ret);
	int r = yaml_parse(name, yaml, &d, err);
	if (r < 0)
		return r;
	return load_doc(d, ret, err);
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
	return arena_printf(a, "%s/.local/state/tare-agent", filled_or(v, "."));
}
