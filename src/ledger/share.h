#ifndef TARE_LEDGER_SHARE_H
#define TARE_LEDGER_SHARE_H
/*
 * Shares of a GPU: how a GPU is divided among those who hold it together, and whether what is left
 * is of use to anybody (docs/LEDGER.md, How time is cut). The one place that decides it: history
 * (attrib*.c) and the live watch (watch/watch_join.c) call it. Pure, no allocation but in an arena
 * that is given.
 *
 * A whole GPU is SHARE_ONE, which sevenths, eighths and billionths divide. Whatever is held, the
 * parts and the rest add up to the GPU exactly, and the order of the owners does not matter but
 * for single units of SHARE_ONE that rounding leaves.
 */
#include "base/mem.h"
#include "catalog/catalog.h"

#define SHARE_ONE     INT64_C(2520000000000)
#define SHARE_PPB     INT64_C(1000000000) /* a whole GPU in the unit of declared shares */
#define SHARE_PER_PPB (SHARE_ONE / SHARE_PPB)

/* What an instance of a MIG profile takes, and at which memory slices it may begin; nstart 0 = not
 * known. */
struct share_profile {
	int compute, memory, start[8], nstart;
};
struct share_geom {                          /* of a GPU */
	int compute, memory;                 /* slices; 7 and 8 on most */
	const struct share_profile *profile; /* [nprofile], may be none */
	size_t nprofile;
	bool by_memory; /* an instance's share is its memory slices, not its compute slices */
};
/* gpu NULL: a GPU that the catalogue does not know, 7 and 8 slices without profiles. Profiles in
 * mem. */
void share_geom_of(const struct catalog *c, const struct gpu_spec *gpu, bool by_memory,
		   struct arena *mem, struct share_geom *ret);
/*
 * The MIG profile that a name ends with, and the model that stands before it ({NULL,0} = none):
 * "h100_1g.10gb" of Slurm's AutoDetect, "nvidia_a100_80gb_pcie_1g.10gb",
 * "nvidia.com/mig-1g.5gb.me", "mig_1c.3g.20gb". false: it ends with none.
 */
bool share_mig_name(struct sv text, struct sv *ret_model, struct sv *ret_profile);
/*
 * Whole GPUs of a model that is a model and a profile are instances: rows of job lists that were
 * stored before profiles were known behind a model's name, so that a list told again is the same.
 */
void share_part_models(struct allocation *v, size_t n);
/*
 * Slices of an instance: "3g.40gb" by the catalogue, else by its name; "1c.3g.40gb" is one compute
 * slice of an instance of three, on the memory of all of it. Both 0 where the name tells nothing.
 * c and gpu may be NULL.
 */
void share_slices(const struct catalog *c, const struct gpu_spec *gpu, struct sv profile,
		  int *ret_compute, int *ret_memory);

struct share_use { /* an owner's use of the GPU, or an instance that is there without an owner */
	enum share_kind kind;
	int64_t ppb; /* declared share of the GPU; -1 = none */
	/* MIG: slices, and the memory slice at which the instance begins, -1 = not known */
	int compute, memory, start;
	/* MIG: uses of equal id are on one instance; {NULL,0} = not known, then equal starts are.
	 * Known of all uses of a GPU or of none. */
	struct sv mig;
};
struct share_sum {
	int64_t rest;  /* nobody's */
	bool over;     /* they added to more than the GPU and were scaled */
	bool stranded; /* no MIG profile fits into the rest */
	/* several undeclared time slices: measured process time may decide instead, where there are
	 * readings of each */
	bool by_process;
};

/*
 * Divide a GPU.
 *
 *   GPU      what all of it is: SHARE_ONE, less for a fractional GPU; >= 0
 *   ret_part  [n], of SHARE_ONE
 *
 * A whole GPU is 1, a MIG instance its slices (equal parts for several on one instance), everything
 * else its declared share. Those who declare nothing have equal parts of what the others leave, or,
 * where that is nothing, 1/n before scaling. More than the GPU in sum is scaled to it. O(n^2).
 */
void share_split(const struct share_geom *g, int64_t gpu, size_t n, const struct share_use *use,
		 int64_t *ret_part, struct share_sum *ret);
/* What part of SHARE_ONE an instance of these slices is; 0 = not known. */
int64_t share_of_slices(const struct share_geom *g, int compute, int memory);
/* Can no MIG profile be made beside these uses of the GPU? */
bool share_strands(const struct share_geom *g, size_t n, const struct share_use *use);
/* May measured process time decide the share of this use? */
bool share_is_open(const struct share_use *u);
/* Spread `whole` over n weights, largest remainder, ties to the first; all zero: equally. */
void share_spread(int64_t whole, size_t n, const int64_t *weight, int64_t *ret);

#endif
