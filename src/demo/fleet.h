#ifndef TARE_DEMO_FLEET_H
#define TARE_DEMO_FLEET_H
/*
 * An invented fleet and the files its owner would have: a FOCUS bill, a node list, a job list,
 * minute telemetry, a request log, settings. Pure: everything follows from the kind and the seed,
 * with no clock, file, network or floating point; equal seeds give equal bytes.
 *
 * Wasteful: 730 hours for exactly 200,000.00 USD.
 *   95,000.00    training on p3.8xlarge, most jobs on one of the four GPUs they book
 *   80,145.3933  40 A100 (5 x p4d.24xlarge) serving at about 20 %
 *   15,000.00    weekly evaluations on p3.16xlarge that need 8 of the 24 hours they book
 *    9,854.6067  a forgotten cluster, and storage, egress, cross-zone traffic, network
 * Tidy: as many serving and training GPUs, right-sized, on spot where work may be interrupted and
 * on a savings plan where it may not.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define DEMO_HOURS  730
#define DEMO_FROM_S 1790812800LL /* 2026-10-01T00:00:00Z, a Thursday */
#define DEMO_TO_S   (DEMO_FROM_S + DEMO_HOURS * 3600LL)

enum demo_kind { DEMO_WASTEFUL, DEMO_TIDY };

enum demo_cluster { DEMO_TRAINING, DEMO_SERVING, DEMO_EVALUATION, DEMO_LEGACY, DEMO_CLUSTERS };

struct demo_machine { /* an instance type and what it costs here */
	const char *type, *gpu_model, *purchase;
	int gpus;
	/* on demand, and as paid; nano-dollars per hour of the instance */
	int64_t list_nano_h, rate_nano_h;
	int64_t mem_bytes; /* of each GPU */
	int idle_w, busy_w;
};

struct demo_node {
	char name[48], id[24]; /* id "i-0..." as the bill has it */
	const struct demo_machine *machine;
	enum demo_cluster cluster;
	const char *zone, *team; /* team: the tag of the instance, NULL = none */
	int64_t from_s, to_s;
	int64_t last_nano; /* cost of the last hour where the sum must be exact, else -1 */
};

enum demo_work { DEMO_TRAIN, DEMO_INPUT_BOUND, DEMO_NOTEBOOK, DEMO_SERVE, DEMO_EVAL };

struct demo_job {
	char id[32], name[40];
	const char *user, *team, *project, *env, *workload, *state; /* NULL: not said */
	size_t node;
	int gpu, gpus; /* GPUs of the node: gpu .. gpu + gpus - 1 */
	int used;      /* of these, how many ever get work */
	int64_t submit_s, start_s, end_s, limit_s;
	bool checkpointable;
	enum demo_work work;
	int level_pct; /* utilisation while it works */
	int mem_pct;   /* of the GPU, while it runs */
};

struct demo_fleet {
	enum demo_kind kind;
	uint64_t seed;
	VEC(struct demo_node) node;
	VEC(struct demo_job) job; /* of one node: in time order */
};

void demo_fleet_make(struct demo_fleet *f, enum demo_kind kind, uint64_t seed);
void demo_fleet_free(struct demo_fleet *f);
const char *demo_cluster_name(enum demo_cluster c);

/* A reading; the same for the same (fleet, node, GPU, minute). job NULL: nobody holds the GPU.
 * False: the reading is missing. */
struct demo_reading {
	int util_pct, sm_permille, power_w;
	int64_t mem_bytes;
};
bool demo_read(const struct demo_fleet *f, size_t node, int gpu, const struct demo_job *job,
	       int64_t t_s, struct demo_reading *ret);
/* Percent of its mean load that a service has in this minute. */
int demo_load_pct(int64_t t_s);

/* 64 mixed bits of the seed and up to three numbers. */
uint64_t demo_bits(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);

/* Where bytes go; 0 or a negative errno. */
struct demo_out {
	int (*put)(void *ctx, const char *p, size_t n, struct err *err);
	void *ctx;
};
struct demo_file {
	const char *name, *about; /* a name that ends in .zst is to be packed by the writer */
	bool import;              /* else it is for people or for --config */
	int (*write)(const struct demo_fleet *f, const struct demo_out *out, struct err *err);
	bool wasteful_only;
};
/* Is this file part of a fleet of this kind? */
static inline bool demo_file_is_of(const struct demo_file *file, enum demo_kind kind)
{
	return kind == DEMO_WASTEFUL || !file->wasteful_only;
}
extern const struct demo_file demo_files[]; /* name NULL ends it */

#endif
