#ifndef TARE_WATCH_WATCH_JOIN_H
#define TARE_WATCH_WATCH_JOIN_H
/*
 * The join of the watch without its feeds: readings, holds and owners of processes in, parts with
 * a state out. Pure but for the memory of what each owner did so far. For watch.c and its tests.
 */
#include "watch/watch.h"
#include "base/mem.h"
#include "ledger/share.h"

/* What is remembered of an owner on a device, for the cause of its idle time. */
struct watch_memory {
	uint64_t dev; /* hash of the device's identity */
	const struct allocation *held;
	bool was_busy, from_start; /* from_start: seen since it began */
	int64_t idle_ms, seen_ms;
};

struct watch_model { /* of the catalogue, by the driver's name; looked up once */
	char driver[96];
	const char *model;
	double tdp_w, pcie_bytes_s;  /* peak of one direction; NAN */
	const struct gpu_spec *spec; /* NULL: not in the catalogue */
	struct share_geom geom;
	struct arena mem;
};

/* A device of this poll while the shares of its GPU are worked out. */
struct watch_part {
	size_t first, nheld; /* its owners: use[first..+nheld), behind them the part nobody has */
	size_t owner_first;  /* of its processes */
	struct share_use instance;
	bool stranded; /* what nobody has of a GPU: no instance fits there */
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
	VEC(const struct allocation *) owner; /* of the processes of all devices */
	VEC(double) cpu;                      /* likewise */
	VEC(struct watch_part) part;          /* as dev */
	/* of the GPU at hand, a use of it each: how, which of use[] (SIZE_MAX: an instance without
	 * an owner), its part */
	VEC(struct share_use) share;
	VEC(size_t) share_of;
	VEC(int64_t) share_part;
};

struct watch_in {
	const struct gpu_view *gpus;
	const struct whose_hold *hold;
	size_t nhold;
	bool sees_holds; /* hold[] is all that is held, as far as a scheduler gives devices */
	int64_t now_ms, step_ms;
	/* Owner of a process, NULL = not known; its processor use in percent of one, NAN. */
	const struct allocation *(*owner)(void *ctx, const struct gpu_proc *p);
	double (*cpu)(void *ctx, const struct gpu_proc *p);
	void *ctx;
};

/* Fills j->dev for this poll; valid until the next. */
void watch_join_run(struct watch_join *j, const struct watch_in *in);
void watch_join_free(struct watch_join *j);
/* The catalogue's knowledge of a GPU, by the name its driver gives; texts live as long as the
 * join. */
const struct watch_model *watch_model_of(struct watch_join *j, const char *driver_name);

#endif
