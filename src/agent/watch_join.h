#ifndef TARE_AGENT_WATCH_JOIN_H
#define TARE_AGENT_WATCH_JOIN_H
/*
 * The join of the watch without its feeds: readings, holds and holders of processes in, parts with a state out. Pure but for the
 * memory of what each holder did so far. For watch.c and its tests.
 */
#include "agent/watch.h"
#include "base/mem.h"

/* What is remembered of a holder on a device, for the cause of its idle time. */
struct watch_memory {
	uint64_t dev; /* hash of the device's identity */
	const struct allocation *held;
	bool was_busy, from_start; /* from_start: seen since it began */
	int64_t idle_ms, seen_ms;
};

struct watch_model { /* of the catalogue, by the driver's name; looked up once */
	char driver[96];
	const char *model;
	double tdp_w, pcie_bytes_s; /* peak of one direction; NAN */
	int mig_slices;
	const struct mig_profile *profile[16];
	size_t nprofile;
};

struct watch_join {
	const struct conf *conf;
	const struct catalog *catalog;
	int64_t began_ms; /* first poll */
	VEC(struct watch_memory) memory;
	VEC(struct watch_model *) model;
	/* of this poll */
	VEC(struct watch_dev) dev;
	VEC(struct watch_use) use;
	VEC(struct gpu_proc) proc;
	VEC(const struct allocation *) owner; /* [proc] of the device at hand */
	VEC(double) cpu;                      /* [proc] */
};

struct watch_in {
	const struct gpu_view *gpus;
	const struct whose_hold *hold;
	size_t nhold;
	int64_t now_ms, step_ms;
	/* Holder of a process, NULL = not known; its processor use in percent of one, NAN. */
	const struct allocation *(*owner)(void *ctx, const struct gpu_proc *p);
	double (*cpu)(void *ctx, const struct gpu_proc *p);
	void *ctx;
};

/* Fills j->dev for this poll; valid until the next. */
void watch_join_run(struct watch_join *j, const struct watch_in *in);
void watch_join_free(struct watch_join *j);
/* The catalogue's knowledge of a card, by the name its driver gives; texts live as long as the join. */
const struct watch_model *watch_model_of(struct watch_join *j, const char *driver_name);

#endif
