/* tare doctor: what tare can and cannot see here. Reads only. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent_conf.h"
#include "agent/recover.h"
#include "base/clean.h"
#include "base/jw.h"
#include "base/tm.h"
#include "book/check.h"
#include "catalog/catalog.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "feed/gpu.h"
#include "feed/host.h"
#include "feed/place.h"
#include "feed/whose.h"
#include "ledger/rules.h"
#include "store/agentdb.h"

#define DIFFS_SHOWN 20

struct finding {
	bool ok;
	const char *what, *is, *next; /* next: what to do, or "" */
};
typedef VEC(struct finding) findings;

static void add(findings *f, bool ok, const char *what, const char *is, const char *next)
{
	*vec_push(f) = (struct finding){ ok, what, is, next };
}

static void look_at_catalog(struct cli *c, findings *f)
{
	struct catalog *cat;
	struct err err = { 0 };
	size_t n = 0;

	if (catalog_open(NULL, &cat, &err) < 0) {
		add(f, false, "catalogue", arena_printf(&c->mem, "%s", err.msg),
		    "set TARE_DATA to the folder of tables that came with tare");
		return;
	}
	while (catalog_gpu_at(cat, n))
		n++;
	add(f, n > 0, "catalogue", arena_printf(&c->mem, "%zu GPU models", n), "");
	catalog_free(cat);
}

/* Text from elsewhere, fit for a terminal. */
static const char *tame(struct cli *c, const char *text)
{
	char buf[CLEAN_MAX + 1];

	sv_clean(sv_of(text), buf, sizeof buf);
	return arena_printf(&c->mem, "%s", buf);
}

static int64_t mono_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Does the ledger close: 0, or 2 where it does not. */
static int look_at_ledger(struct cli *c, findings *f, struct store *s)
{
	struct conf conf;
	struct err err = { 0 };
	check_diffs diff = { 0 };
	int64_t began = mono_ms();
	int rules = 0;
	size_t n = 0;

	if (store_rules(s, &rules, &err) < 0 || conf_load(c->config, &conf, &err) < 0) {
		add(f, false, "ledger", arena_printf(&c->mem, "%s", err.msg),
		    arena_printf(&c->mem, "%s", err.hint));
		return 2;
	}
	bool older = rules && rules < LEDGER_RULES;
	add(f, !older, "rules of the ledger",
	    arena_printf(&c->mem, "%d%s", rules ? rules : LEDGER_RULES,
			 older ? arena_printf(&c->mem, ", this program's are %d", LEDGER_RULES)
			       : ""),
	    older ? "the next import rebuilds it from what was imported" : "");
	int rc = older ? 0 : book_check(s, &conf, DIFFS_SHOWN, &c->mem, &diff, &n, &err);
	if (rc < 0)
		add(f, false, "ledger", arena_printf(&c->mem, "%s", err.msg),
		    arena_printf(&c->mem, "%s", err.hint));
	else if (!older)
		add(f, n == 0, "ledger",
		    n ? arena_printf(&c->mem, "does not close in %zu place%s", n, n > 1 ? "s" : "")
		      : arena_printf(&c->mem, "closes, checked in %.1f s",
				     (double)(mono_ms() - began) / 1000),
		    n ? "please report it" : "");
	for (size_t i = 0; i < diff.n; i++)
		add(f, false, "does not close", tame(c, check_sentence(&diff.v[i], &c->mem)), "");
	vec_free(&diff);
	conf_free(&conf);
	return rc < 0 || n ? 2 : 0;
}

/* 0, or 2 where the store is damaged or its ledger does not close. */
static int look_at_store(struct cli *c, findings *f)
{
	struct store *s;
	struct store_fact *fact;
	struct series *series;
	struct err err = { 0 };
	size_t n = 0, nseries;
	int rc;

	rc = cli_open_store(c, STORE_READ, &s, &err);
	if (rc < 0) {
		add(f, false, "store", arena_printf(&c->mem, "%s", err.msg),
		    arena_printf(&c->mem, "%s", err.hint));
		return rc == -ENOENT ? 0 : 2; /* no store yet is no fault */
	}
	rc = store_facts(s, &c->mem, &fact, &n, &err);
	for (size_t i = 0; i < n && !rc; i++)
		add(f, true, fact[i].key, fact[i].value, "");
	/* what is asked for readings compares them with the sums in the facts */
	rc = rc ? rc : store_series(s, NULL, &c->mem, &series, &nseries, &err);
	if (rc < 0)
		add(f, false, "store", arena_printf(&c->mem, "%s", err.msg),
		    arena_printf(&c->mem, "%s", err.hint));
	int closes = look_at_ledger(c, f, s);
	store_close(s);
	return rc < 0 ? 2 : closes;
}

/* One line for all readings that are missing on as many GPUs for the same reason. */
static void tell_missing(struct cli *c, findings *f, const struct gpu_can *can, size_t n,
			 bool *told, size_t i)
{
	struct str names = { 0 };

	for (size_t k = i; k < n; k++) {
		if (told[k] || can[k].devices != can[i].devices || can[k].of != can[i].of ||
		    strcmp(can[k].why, can[i].why) != 0)
			continue;
		str_addf(&names, "%s%s", names.n ? ", " : "", can[k].reading);
		told[k] = true;
	}
	add(f, false, "not read",
	    arena_printf(&c->mem, "on %zu of %zu: %s%s%s", can[i].of - can[i].devices, can[i].of,
			 str_z(&names), *can[i].why ? ": " : "", can[i].why),
	    "");
	str_free(&names);
}

static void tell_readings(struct cli *c, findings *f, const struct gpu_feed *feed)
{
	struct gpu_can can[METRIC_N + 2];
	bool told[METRIC_N + 2] = { 0 };
	size_t n = gpu_feed_can(feed, can, METRIC_N + 2);
	struct str names = { 0 };

	for (size_t i = 0; i < n; i++)
		if (can[i].of && can[i].devices == can[i].of)
			str_addf(&names, "%s%s", names.n ? ", " : "", can[i].reading);
	add(f, names.n > 0, "read on every GPU",
	    names.n ? arena_printf(&c->mem, "%s", str_z(&names)) : "nothing", "");
	for (size_t i = 0; i < n; i++)
		if (!told[i] && can[i].of && can[i].devices < can[i].of)
			tell_missing(c, f, can, n, told, i);
	str_free(&names);
}

/* How many cards are seen. */
static size_t look_at_gpus(struct cli *c, findings *f)
{
	struct gpu_feed_opt opt = {
		.want_pcie = true, .want_gpm = true, .want_procs = true, .patience_ms = 10000
	};
	const struct gpu_view *v = NULL;
	struct gpu_feed *feed;
	struct err err = { 0 };
	size_t cards = 0;

	if (gpu_feed_open(&opt, &feed, &err) < 0) {
		add(f, false, "GPUs", arena_printf(&c->mem, "%s", tame(c, err.msg)),
		    arena_printf(&c->mem, "%s", err.hint));
		return 0;
	}
	for (int i = 0; i < 2; i++) { /* rates and activity lie between two readings */
		if (i)
			nanosleep(&(struct timespec){ .tv_nsec = 120000000 }, NULL);
		gpu_feed_poll(feed, tm_now_ms(), mono_ms(), &v, &err);
	}
	for (size_t i = 0; v && i < v->ndev; i++)
		cards += v->dev[i].card.parent < 0;
	if (v && v->stuck_ms) {
		add(f, false, "GPU driver", tame(c, v->problem ? v->problem : "it does not answer"),
		    "see dmesg for what it says; a card that fell off the bus comes back with the machine");
	} else if (!cards) {
		add(f, false, "GPUs", tame(c, v && v->problem ? v->problem : "none is seen here"),
		    "");
	} else {
		add(f, true, "GPU driver", tame(c, v->driver), "");
		add(f, true, "GPUs",
		    arena_printf(&c->mem, "%zu cards, %zu MIG instances", cards, v->ndev - cards),
		    "");
		if (v->problem)
			add(f, false, "GPU rights", tame(c, v->problem),
			    geteuid() ? "run as root, or give this user the device files" : "");
		tell_readings(c, f, feed);
	}
	gpu_feed_close(feed);
	return cards;
}

static void look_at_host(findings *f)
{
	struct host_feed *h;
	struct host_view v;
	struct err err;

	if (host_feed_open(NULL, NULL, &h, &err) < 0)
		return;
	for (int i = 0; i < 2; i++)
		host_feed_poll(h, 1000 + i * 1000, &v, &err);
	add(f, !isnan(v.nic_rx_bytes_s), "network of the machine",
	    isnan(v.nic_rx_bytes_s) ? "not seen: no link with hardware behind it (a container?)"
				    : "read",
	    "");
	add(f, !isnan(v.disk_read_bytes_s), "disks of the machine",
	    isnan(v.disk_read_bytes_s) ? "not seen" : "read", "");
	host_feed_close(h);
}

/* Whose a GPU-second is: from whom that can be found out here. */
static void look_at_owners(struct cli *c, findings *f)
{
	struct whose_opt opt = { .wait = true };
	struct whose_source s[8];
	const struct whose_hold *hold;
	struct err err;
	struct whose *w;
	size_t n;

	if (whose_open(&opt, &w, &err) < 0)
		return;
	whose_holds(w, tm_now_ms(), &hold, &n, &err);
	n = whose_sources(w, s, sizeof s / sizeof *s);
	for (size_t i = 0; i < n; i++)
		add(f, s[i].works, arena_printf(&c->mem, "owner: %s", s[i].name),
		    arena_printf(&c->mem, "%s", s[i].why), "");
	whose_close(w);
}

static void look_at_place(struct cli *c, findings *f)
{
	struct place p;
	struct err err;

	if (place_find(NULL, &p, &err) < 0)
		return;
	if (!p.known) {
		add(f, false, "machine", arena_printf(&c->mem, "%s", p.why),
		    "give instance type and price in the settings (tare agent --help)");
		return;
	}
	add(f, true, "machine",
	    arena_printf(&c->mem, "%s %s %s %s %s", p.provider, p.region, p.zone, p.instance_type,
			 p.purchase),
	    "");
}

/* Whether somebody watches this machine all the time. */
static void look_at_agent(struct cli *c, findings *f)
{
	struct agent_conf conf;
	struct agentdb *db;
	struct err err = { 0 };
	struct stat st;

	if (agent_conf_load(c->config, &conf, &err) < 0) {
		add(f, false, "agent", arena_printf(&c->mem, "%s", err.msg),
		    arena_printf(&c->mem, "%s", err.hint));
		return;
	}
	const char *dir = arena_printf(&c->mem, "%s", agent_state_dir(&conf, &c->mem));
	agent_conf_free(&conf);
	int r = agentdb_open(dir, false, &db, &err);
	if (r == 0 && (r = recover_check(db, &err)) < 0)
		agentdb_close(db);
	if (r == -ENOENT) {
		add(f, false, "agent", arena_printf(&c->mem, "none has kept anything in '%s'", dir),
		    geteuid() && lstat(AGENT_SYSTEM_DIR, &st) == 0
			    ? "the service keeps " AGENT_SYSTEM_DIR
			      ", which is its own: sudo tare doctor"
			    : "tare agent init systemd prints its unit; tare agent watches until it is ended");
	} else if (r < 0) {
		add(f, false, "agent", arena_printf(&c->mem, "%s", err.msg),
		    arena_printf(&c->mem, "%s", err.hint));
	} else {
		int runs = agentdb_watched(db);
		add(f, runs > 0, "agent",
		    arena_printf(&c->mem, "%s, '%s'",
				 runs > 0    ? "running"
				 : runs == 0 ? "not running"
					     : "whether it runs cannot be seen",
				 dir),
		    runs > 0 ? "" : "tare agent status says what it has kept");
		agentdb_close(db);
	}
}

static void print(struct cli *c, const findings *f, struct str *out)
{
	struct jw w;

	if (c->output != OUT_JSON) {
		for (size_t i = 0; i < f->n; i++) {
			str_addf(out, "%-4s %-22s %s\n", f->v[i].ok ? "ok" : "no", f->v[i].what,
				 f->v[i].is);
			if (f->v[i].next[0])
				str_addf(out, "     %-22s -> %s\n", "", f->v[i].next);
		}
		return;
	}
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.doctor/1");
	jw_key(&w, "checks");
	jw_arr(&w);
	for (size_t i = 0; i < f->n; i++) {
		jw_obj(&w);
		jw_key(&w, "check");
		jw_str(&w, f->v[i].what);
		jw_key(&w, "ok");
		jw_bool(&w, f->v[i].ok);
		jw_key(&w, "is");
		jw_str(&w, f->v[i].is);
		jw_key(&w, "next");
		jw_str(&w, f->v[i].next[0] ? f->v[i].next : NULL);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static int run(struct cli *c)
{
	findings f = { 0 };
	struct str out = { 0 };
	int rc;

	if (c->output != OUT_JSON && c->output != OUT_TABLE)
		return cli_usage_error(c, "doctor prints a table or json");
	add(&f, true, "version", TARE_VERSION, "");
	add(&f, true, "configuration", c->config ? c->config : "defaults (no file)", "");
	look_at_catalog(c, &f);
	int closes = look_at_store(c, &f);
	if (!look_at_gpus(c, &f))
		add(&f, access("/dev/nvidiactl", F_OK) == 0, "NVIDIA driver",
		    access("/dev/nvidiactl", F_OK) == 0 ? "loaded"
							: "not loaded: no GPU is seen here",
		    "");
	look_at_host(&f);
	look_at_owners(c, &f);
	look_at_place(c, &f);
	look_at_agent(c, &f);
	print(c, &f, &out);
	rc = cli_write(&out);
	str_free(&out);
	vec_free(&f);
	return rc ? rc : closes;
}

const struct cli_cmd cmd_doctor_def = {
	.name = "doctor",
	.group = "govern",
	.summary = "what tare can and cannot see here",
	.usage = "",
	.examples = "tare doctor\ntare doctor --db /srv/tare -o json",
	.common = CLI_STORE | CLI_OUTPUT,
	.run = run,
};
