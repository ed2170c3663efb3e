/* The line about a run that is kept, from typed columns. See profile_file.h; profile_load.c reads
 * it. */
#include <limits.h>

#include "profile/docs.h"
#include "profile/profile_file.h"
#include "report/col.h"

struct dev_row {
	struct profile_dev d;
	const char *uuid, *name, *model, *mig_profile;
	int64_t mig, how;
};
struct run_doc {
	struct profile p;
	const char *currency, *provider, *region, *zone, *instance_type, *purchase, *price_source;
	int exit_code;
	const struct dev_row *dev;
};

#define WORD(S, key, member, what)                                    \
	{                                                             \
		key, COL_WORD, offsetof(struct S, member), NULL, what \
	}
#define INT(S, key, member, what)                                    \
	{                                                            \
		key, COL_INT, offsetof(struct S, member), NULL, what \
	}
#define NUM(S, key, member, what)                                                  \
	{                                                                          \
		key, COL_NUM, offsetof(struct S, member), NULL, what, .digits = 3, \
	}

static const struct col dev_cols[] = {
	WORD(dev_row, "uuid", uuid, "of the GPU or MIG instance"),
	{ "index", COL_I32, offsetof(struct dev_row, d.index), NULL, "of the driver" },
	WORD(dev_row, "name", name, "as the driver names it"),
	WORD(dev_row, "gpu_model", model, "as the catalogue names it"),
	WORD(dev_row, "mig_profile", mig_profile, "of an instance"),
	INT(dev_row, "mig", mig, "1: an instance"),
	INT(dev_row, "share_ppb", d.share_ppb, "of the physical GPU"),
	INT(dev_row, "how", how, "the command's use of it was seen; 0: it did not use it"),
	INT(dev_row, "first_ms", d.first_ms, "of the command on it"),
	INT(dev_row, "last_ms", d.last_ms, "of the command on it"),
	INT(dev_row, "shared_ms", d.shared_ms, "of that time, with another's process"),
	NUM(dev_row, "mem_start_bytes", d.mem_start_bytes, "used before the command"),
	NUM(dev_row, "energy_start_j", d.energy_start_j, "its counter at the first reading"),
	NUM(dev_row, "energy_end_j", d.energy_end_j, "its counter at the last reading"),
	NUM(dev_row, "mem_total_bytes", d.facts.mem_total_bytes, "memory"),
	NUM(dev_row, "power_limit_w", d.facts.power_limit_w, "as it is set"),
	NUM(dev_row, "tdp_w", d.facts.tdp_w, "as it was made"),
	NUM(dev_row, "pcie_bytes_s", d.facts.pcie_bytes_s, "of its link"),
	NUM(dev_row, "temp_slowdown_celsius", d.facts.temp_slowdown_celsius, "it slows down at"),
	{ 0 },
}, run_cols[] = {
	WORD(run_doc, "id", p.id, "for tare explain"),
	WORD(run_doc, "command", p.command, "as one line"),
	WORD(run_doc, "node", p.node, "the machine"),
	WORD(run_doc, "driver", p.driver, "of the GPUs"),
	WORD(run_doc, "problem", p.problem, "of the driver"),
	WORD(run_doc, "user", p.user, "who ran it"),
	WORD(run_doc, "team", p.team, "of the user"),
	WORD(run_doc, "project", p.project, "of the run"),
	WORD(run_doc, "env", p.env, "of the run"),
	WORD(run_doc, "workload", p.workload, "kind of work, as the ledger has it"),
	WORD(run_doc, "work", p.work, "as --workload names it"),
	WORD(run_doc, "job", p.job, "of the scheduler"),
	INT(run_doc, "start_ms", p.start_ms, "Unix time"),
	INT(run_doc, "end_ms", p.end_ms, "Unix time"),
	INT(run_doc, "interval_ms", p.interval_ms, "between readings"),
	INT(run_doc, "gap_ms", p.gap_ms, "that no reading covers"),
	{ "exit_code", COL_I32, offsetof(struct run_doc, exit_code), NULL,
	  "of the command; null: it ran when this was written" },
	INT(run_doc, "steps", p.steps, "that the command did"),
	{ "cpus", COL_I32, offsetof(struct run_doc, p.cpus), NULL, "of the machine" },
	{ "cpus_allowed", COL_I32, offsetof(struct run_doc, p.cpus_allowed), NULL,
	  "that the command may use" },
	NUM(run_doc, "cpu_s", p.cpu_s, "of the command"),
	NUM(run_doc, "rss_peak_bytes", p.rss_peak_bytes, "memory of the host, at most"),
	INT(run_doc, "procs_seen", p.procs_seen, "of the command"),
	INT(run_doc, "procs_left", p.procs_left, "that still ran at its end"),
	{ "usd_gpu_hour", COL_DEC, offsetof(struct run_doc, p.rate.usd_gpu_hour), "money",
	  "of a GPU", offsetof(struct run_doc, p.rate.known) },
	WORD(run_doc, "currency", currency, "of the price"),
	WORD(run_doc, "provider", provider, "of the price"),
	WORD(run_doc, "region", region, "of the price"),
	WORD(run_doc, "zone", zone, "of the price"),
	WORD(run_doc, "instance_type", instance_type, "of the price"),
	WORD(run_doc, "purchase", purchase, "of the price"),
	WORD(run_doc, "price_source", price_source, "settings, catalogue or owned"),
	{ "devices", COL_LIST(struct run_doc, dev, p.ndev, dev_cols), .help = "all that were seen" },
	{ 0 },
};
const struct col_doc profile_run_doc = { "tare.profile-run/1", "profile",
					 "what tare profile keeps of a run, in profiles/ID.json",
					 run_cols };

void profile_meta(const struct profile *p, struct str *out)
{
	const struct watch_rate *r = &p->rate;
	struct arena mem = { 0 };
	struct dev_row *dev = arena_alloc(&mem, p->ndev * sizeof *dev);

	for (size_t i = 0; i < p->ndev; i++) {
		const struct profile_dev *x = &p->dev[i];
		dev[i] = (struct dev_row){ *x,
					   x->uuid,
					   x->name,
					   x->model,
					   x->mig_profile,
					   .mig = x->is_mig,
					   .how = (int64_t)x->how };
	}
	struct run_doc d = { .p = *p,
			     .currency = r->currency,
			     .provider = r->provider,
			     .region = r->region,
			     .zone = r->zone,
			     .instance_type = r->instance_type,
			     .purchase = r->purchase,
			     .price_source = r->source,
			     .exit_code = p->exit_code < 0 ? INT_MIN : p->exit_code,
			     .dev = dev };

	cols_doc(&profile_run_doc, &d, out);
	arena_free(&mem);
}
