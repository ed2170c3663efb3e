#include "agent/doctor.h"

#include <errno.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "agent/open.h"
#include "base/str.h"
#include "device/gpu.h"
#include "device/host.h"
#include "device/place.h"
#include "device/whose.h"

/* One line for all readings that are missing on as many GPUs for the same reason. */
static void tell_missing(const struct doctor_ask *q, struct doctor *d, const struct gpu_can *can,
			 size_t n, bool *told, size_t i)
{
	struct str names = { 0 };

	for (size_t k = i; k < n; k++) {
		bool alike = can[k].devices == can[i].devices && can[k].of == can[i].of;
		if (told[k] || !alike || strcmp(can[k].why, can[i].why) != 0)
			continue;
		str_addf(&names, "%s%s", text_if(names.n, ", "), can[k].reading);
		told[k] = true;
	}
	doctor_add(q, d, false, "not read",
		   arena_printf(q->ask.mem, "on %zu of %zu: %s%s%s", can[i].of - can[i].devices,
				can[i].of, str_z(&names), text_if(*can[i].why, ": "), can[i].why),
		   NULL);
	str_free(&names);
}

static void tell_gpus(const struct doctor_ask *q, struct doctor *d, const struct gpu_feed *feed,
		      const struct gpu_view *v, size_t gpus)
{
	const char *problem = NULL;

	if (v && v->problem)
		problem = doctor_clean(q, v->problem);
	if (v && v->stuck_ms) {
		doctor_add(
			q, d, false, "GPU driver", text_or(problem, "it does not answer"),
			"see dmesg for what it says; a GPU that fell off the bus comes back with the machine");
		return;
	}
	if (!gpus) {
		doctor_add(q, d, false, "GPUs", text_or(problem, "none is seen here"), NULL);
		return;
	}
	doctor_add(q, d, true, "GPU driver", doctor_clean(q, v->driver), NULL);
	doctor_add(q, d, true, "GPUs",
		   arena_printf(q->ask.mem, "%zu GPUs, %zu MIG instances", gpus, v->ndev - gpus),
		   NULL);
	if (problem)
		doctor_add(q, d, false, "GPU rights", problem,
			   geteuid() ? "run as root, or give this user the device files" : NULL);

	struct gpu_can can[GPU_CAN_MAX];
	bool told[GPU_CAN_MAX] = { 0 };
	size_t n = gpu_feed_can(feed, can, GPU_CAN_MAX);
	struct str names = { 0 };

	for (size_t i = 0; i < n; i++)
		if (can[i].of && can[i].devices == can[i].of)
			str_addf(&names, "%s%s", text_if(names.n, ", "), can[i].reading);
	doctor_add(q, d, names.n > 0, "read on every GPU",
		   names.n ? arena_printf(q->ask.mem, "%s", str_z(&names)) : "nothing", NULL);
	for (size_t i = 0; i < n; i++)
		if (!told[i] && can[i].of && can[i].devices < can[i].of)
			tell_missing(q, d, can, n, told, i);
	str_free(&names);
}

/* How many GPUs are seen. */
static size_t look_at_gpus(const struct doctor_ask *q, struct doctor *d)
{
	struct gpu_feed_opt opt = {
		.want_pcie = true, .want_gpm = true, .want_procs = true, .patience_ms = 10000
	};
	const struct gpu_view *v = NULL;
	struct gpu_feed *feed;
	struct err err = { 0 };
	size_t gpus = 0;

	if (gpu_feed_open(&opt, &feed, &err) < 0) {
		doctor_add(q, d, false, "GPUs", doctor_clean(q, err.msg),
			   arena_printf(q->ask.mem, "%s", err.hint));
		return 0;
	}
	for (int i = 0; i < 2; i++) { /* rates and activity lie between two readings */
		if (i)
			nanosleep(&(struct timespec){ .tv_nsec = 120000000 }, NULL);
		gpu_feed_poll(feed, q->ask.now_ms, q->mono_ms(), &v, &err);
	}
	for (size_t i = 0; v && i < v->ndev; i++)
		gpus += v->dev[i].info.parent < 0;
	tell_gpus(q, d, feed, v, gpus);
	gpu_feed_close(feed);
	return gpus;
}

/* Whether somebody watches this machine all the time. */
static void look_at_agent(const struct doctor_ask *q, struct doctor *d)
{
	struct agent_conf conf;
	struct agentdb *db;
	struct err err = { 0 };

	if (agent_conf_load(q->config, &conf, &err) < 0) {
		doctor_add_err(q, d, "agent", &err);
		return;
	}
	if (q->state)
		conf.state_dir = q->state;
	const char *dir = arena_printf(q->ask.mem, "%s", agent_state_dir(&conf, q->ask.mem));
	agent_conf_free(&conf);
	int r = agent_open_state(dir, &db, &err);
	if (r == -ENOENT) {
		doctor_add(
			q, d, false, "agent",
			arena_printf(q->ask.mem, "none has kept anything in '%s'", dir),
			agent_service_is_anothers()
				? "the service keeps " AGENT_SYSTEM_DIR
				  ", which is its own: sudo tare doctor"
				: "tare agent init systemd prints its unit; tare agent watches until it is ended");
	} else if (r < 0) {
		doctor_add_err(q, d, "agent", &err);
	} else {
		int runs = agentdb_watched(db);
		const char *runs_text = "whether it runs cannot be seen";
		if (runs > 0)
			runs_text = "running";
		else if (runs == 0)
			runs_text = "not running";

		doctor_add(q, d, runs > 0, "agent",
			   arena_printf(q->ask.mem, "%s, '%s'", runs_text, dir),
			   runs > 0 ? NULL : "tare agent status says what it has kept");
		agentdb_close(db);
	}
}

void doctor_machine(const struct doctor_ask *q, struct doctor *d)
{
	if (!look_at_gpus(q, d)) {
		/* Where no GPU is seen: is it the driver? */
		bool loaded = access("/dev/nvidiactl", F_OK) == 0;

		doctor_add(q, d, loaded, "NVIDIA driver",
			   loaded ? "loaded" : "not loaded: no GPU is seen here", NULL);
	}

	/* A rate needs two readings. */
	struct host_feed *feed;
	struct host_view host;
	struct err err;
	if (host_feed_open(NULL, NULL, &feed, &err) >= 0) {
		for (int i = 0; i < 2; i++)
			host_feed_poll(feed, 1000 + i * 1000, &host, &err);
		doctor_add(q, d, !isnan(host.nic_rx_bytes_s), "network of the machine",
			   isnan(host.nic_rx_bytes_s)
				   ? "not seen: no link with hardware behind it (a container?)"
				   : "read",
			   NULL);
		doctor_add(q, d, !isnan(host.disk_read_bytes_s), "disks of the machine",
			   isnan(host.disk_read_bytes_s) ? "not seen" : "read", NULL);
		host_feed_close(feed);
	}

	/* Whose a GPU-second is: from whom that can be found out here. */
	struct whose_opt opt = { .wait = true };
	struct whose_source s[8];
	const struct whose_hold *hold;
	struct whose *w;
	size_t n;
	if (whose_open(&opt, &w, &err) >= 0) {
		whose_holds(w, q->ask.now_ms, &hold, &n, &err);
		n = whose_sources(w, s, sizeof s / sizeof *s);
		for (size_t i = 0; i < n; i++)
			doctor_add(q, d, s[i].works,
				   arena_printf(q->ask.mem, "owner: %s", s[i].name),
				   arena_printf(q->ask.mem, "%s", s[i].why), NULL);
		whose_close(w);
	}

	struct place p;
	bool asked = place_find(NULL, &p, &err) >= 0;
	if (asked && !p.known)
		doctor_add(
			q, d, false, "machine", arena_printf(q->ask.mem, "%s", p.why),
			"say them in the settings, agent: node: instance_type, usd_gpu_hour (man tare-agent), or tare agent --usd-gpu-hour");
	else if (asked)
		doctor_add(q, d, true, "machine",
			   arena_printf(q->ask.mem, "%s %s %s %s %s", p.provider, p.region, p.zone,
					p.instance_type, p.purchase),
			   NULL);
	look_at_agent(q, d);
}
