#ifndef TARE_AGENT_CONF_H
#define TARE_AGENT_CONF_H
/*
 * The section `agent:` of the configuration file (docs/CONFIG.md): how a node is watched, where it
 * is kept, who may read it, and what is known of the machine. What stands outside of the section is
 * read by ledger/conf.h.
 */
#include "watch/watch.h"
#include "base/mem.h"
#include "base/setting.h"

#define AGENT_LISTEN_DEFAULT "127.0.0.1:9757"
#define AGENT_SYSTEM_DIR     "/var/lib/tare-agent" /* the service's */

struct agent_conf {
	struct arena mem;
	int64_t interval_ms;   /* 100 ms to 1 h, default 1 s */
	int64_t flush_ms;      /* a kill loses at most so much: 1 s to 10 min, default 5 s */
	int64_t raw_keep_ms;   /* default 24 h */
	int64_t roll_keep_ms;  /* default 90 d */
	int64_t send_every_ms; /* default 60 s */
	const char *state_dir; /* NULL = the usual one, agent_state_dir() */
	const char *listen;    /* "ADDRESS:PORT", "" or "none" = nobody may ask */
	/* "name,address": a Host may be one of these too, NULL */
	const char *hosts;
	const char *server, *token_file, *ca_file; /* NULL */
	const char *scrape;   /* URL of an exporter to be watched instead of a driver, NULL */
	const char *serving;  /* URL of the metrics of vLLM or Triton, NULL */
	const char *silences; /* folder of a store whose silences hold too, NULL */
	bool dcgm_names, pcie, gpm;
	const char *cluster;    /* NULL */
	struct watch_rate rate; /* what is said of the machine; known: usd_gpu_hour is given */
};
extern const struct setting agent_section;
/* path NULL: defaults. Errors name file, line and key. */
int agent_conf_load(const char *path, struct agent_conf *ret, struct err *err);
int agent_conf_parse(const char *name, struct sv text, struct agent_conf *ret, struct err *err);
void agent_conf_free(struct agent_conf *c);

/* Where an agent keeps its files: TARE_STATE, STATE_DIRECTORY (systemd), /var/lib/tare-agent where
 * that may be written, else $XDG_STATE_HOME/tare-agent. In a. */
const char *agent_state_dir(const struct agent_conf *c, struct arena *a);

#endif
