#ifndef TARE_CATALOG_CATALOG_H
#define TARE_CATALOG_CATALOG_H
/*
 * GPUs, instance types, MIG geometry, prices over time and place. The tables are data/ (CSV, one
 * fact a row with source and date), found in the data folder (TARE_DATA, else beside the program,
 * else the install prefix) and read on first use. User price files and `tare price update` come in
 * as further struct price rows and win over the shipped ones where they cover the same time and
 * place.
 */
#include <stddef.h>
#include "base/err.h"
#include "model/model.h"

struct gpu_spec {
	/* canonical: "A100-SXM4-80GB", "H100-SXM5-80GB", "V100-SXM2-16GB", "T4", "L4", "A10G",
	 * ... */
	const char *model;
	const char *vendor, *arch;
	double memory_gib, bandwidth_gb_s, tdp_w; /* NAN = not known */
	/* dense, NAN */
	double fp64_tflops, fp32_tflops, tf32_tflops, fp16_tflops, bf16_tflops, fp8_tflops,
		int8_tops;
	int mig_compute_slices, mig_memory_slices; /* 0 = no MIG */
	const char *source;
};

struct mig_profile {
	const char *gpu_model, *name; /* "3g.40gb" */
	int compute_slices, memory_slices, max_instances;
	double memory_gib;
	int start[8], nstart; /* memory slices where it may start; nstart 0 = not known */
};

struct instance_type {
	/* gpu_model NULL: no GPU (or an accelerator that is none: see accelerator) */
	const char *provider, *name, *gpu_model;
	const char *accelerator; /* "trainium", "fpga", ... or NULL */
	int64_t gpu_milli;       /* 0 = no GPU, or how many is not known */
	double gpu_memory_gib;   /* per GPU (or fraction), NAN */
	double vcpu, ram_gib, network_gbps, local_nvme_gb;
	const char *source;
};

/* How fast one GPU does a class of work against the reference GPU of its group; from published
 * measurements, see data/README.md. */
struct speed_fact {
	/* "training" (half precision), "training_fp32", "serving": speeds of different groups are
	 * not learned from together */
	const char *group;
	const char *workload, *work_class; /* "resnet50", "vision" */
	const struct gpu_spec *gpu;
	double speed; /* above 0 */
	const char *source;
};

struct catalog;

/*
 * The data folder: TARE_DATA, else share/tare or data beside the program or above its folder, else
 * the install prefix. The text is static. NULL with err when there is none.
 */
const char *catalog_data_dir(struct err *err);

/* Load the shipped tables. data_dir NULL = find it. Prices are read when first asked for, a
 * provider at a time. Not for several threads. */
int catalog_open(const char *data_dir, struct catalog **ret, struct err *err);
void catalog_free(struct catalog *c);

/* "AWS", "Amazon Web Services", "Microsoft", "Google Cloud" ... -> "aws", "azure", "gcp"; others in
 * lower case as they are. In the catalogue. */
const char *catalog_provider(const struct catalog *c, struct sv name);

/*
 * Add a price (copied). Rows added later win over earlier ones; a user's over what `tare price
 * update` fetched (source "prices:..."), and both over shipped ones, at the same provider, region,
 * zone, type, purchase, and while they are in force. A row without an instance type is the price of
 * one GPU (or of gpu_milli) of its model, whatever it sits in. Region "" or "*" or "global" =
 * everywhere. A row whose term is CATALOG_BAND_TERM carries no price, only an interruption band.
 */
#define CATALOG_BAND_TERM "interruption-band"
/* term of the price of a GPU without the machine around it: listed only when parts are asked for */
#define CATALOG_PART_TERM "gpu-only"
/*
 * Terms of a row whose own source says that its number is no price to be had: one that an interface
 * gives where nothing is offered, and one "starting from" ("from", or a term and " from": "1y
 * from"). Kept as facts; nothing is priced or chosen by them.
 */
#define CATALOG_PLACEHOLDER_TERM "placeholder"
#define CATALOG_FROM_TERM        "from"
int catalog_add_price(struct catalog *c, const struct price *p, struct err *err);

/*
 * Any spelling of a GPU ("NVIDIA A100-SXM4-80GB", "nvidia-tesla-v100", "Tesla V100-SXM2-16GB",
 * "a100", "A100 80GB") to its canonical spec; NULL if unknown. A name that could be several (plain
 * "A100") gives the most common one. "... MIG 1g.34gb" gives NULL: it is a slice.
 */
const struct gpu_spec *catalog_gpu(const struct catalog *c, struct sv name);
/* All models that a name may mean ("A100": four of them), the usual one first; returns how many, at
 * most max are written. */
size_t catalog_gpu_family(const struct catalog *c, struct sv name, const struct gpu_spec **ret,
			  size_t max);
const struct gpu_spec *catalog_gpu_at(const struct catalog *c, size_t i); /* NULL past the end */
/* by group, workload, model; NULL past the end */
const struct speed_fact *catalog_speed_at(const struct catalog *c, size_t i);
const struct mig_profile *catalog_mig(const struct catalog *c, const char *gpu_model,
				      struct sv profile);
const struct mig_profile *catalog_mig_at(const struct catalog *c, const char *gpu_model, size_t i);
/* provider {NULL,0}: any */
const struct instance_type *catalog_instance(const struct catalog *c, struct sv provider,
					     struct sv name);

/* by name; NULL past the end */
const struct instance_type *catalog_instance_at(const struct catalog *c, size_t i);

/* A price found. Texts are NULL where there is none. A slice sold by the hour has a model of its
 * own ("B300-MIG-1g.34gb"). */
struct price_row {
	const char *provider, *region, *zone, *instance_type, *gpu_model, *purchase, *term,
		*currency, *source;
	int64_t gpu_milli; /* 0 = not known: then gpu_hour is not either */
	dec hour;          /* per instance, what is paid by the hour */
	dec upfront;       /* once, for the term */
	/* hour, and upfront over the hours of the term where its length is known (8,760 a year) */
	dec effective_hour;
	dec gpu_hour; /* effective, per whole GPU, from the exact count (1/6, not 0.167) */
	int64_t from_ms, to_ms; /* in force; to UNKNOWN_MS = still */
	/* the last day the source is known to speak for, not after the instant asked; UNKNOWN_MS */
	int64_t as_of_ms;
	/* spot: band per month, -1 = not known, hi 100 = open */
	int interruption_lo_pct, interruption_hi_pct;
	int64_t interruption_as_of_ms; /* day of the band, UNKNOWN_MS */
	bool no_quote;                 /* marked by its source: see CATALOG_PLACEHOLDER_TERM */
	bool own;                      /* of a price file of the user's: no list price */
};
struct price_query {
	const char *gpu;     /* any spelling, or NULL */
	double min_vram_gib; /* 0 = any */
	int64_t count_milli; /* GPUs wanted: rows with exactly this many; 0 = any */
	/* NULL = any; currency NULL = USD, "*" = any */
	const char *provider, *region_glob, *instance_type, *currency;
	const char *const *purchase;
	size_t npurchase;  /* 0 = any */
	int64_t at_ms;     /* instant; UNKNOWN_MS = newest */
	bool history;      /* every row over time instead of the one in force */
	bool parts;        /* also GPUs priced without their machine (CATALOG_PART_TERM) */
	bool accelerators; /* also types without a GPU (trainium, fpga, ...) */
	bool no_quotes;    /* also rows that are no quotes, after those that are */
};
/*
 * Rows cheapest per GPU-hour first, unknown last (history: by place, then time); *ret is malloc'ed,
 * texts belong to the catalogue. Rows that ended before the instant are not in force and do not
 * come.
 */
int catalog_prices(const struct catalog *c, const struct price_query *q, struct price_row **ret,
		   size_t *ret_n, struct err *err);

/* Years that a price binds for, by its way to buy ("reserved_1y") or its term ("3y no upfront"); 0:
 * not said. Texts may be NULL. */
int catalog_term_years(const char *purchase, const char *term);
/* The ways to buy that bind, as price_query.purchase: those of a year, or of what the price's term
 * says, come first. */
#define CATALOG_BINDING_YEAR 3
#define CATALOG_BINDING      5
extern const char *const catalog_binding[CATALOG_BINDING];

/*
 * The price of one instance type (or, if NULL, one GPU model) at a place over [from, to): rows in
 * time order, cut to the window, with gaps where none is known. region or zone NULL = any place is
 * not allowed here: pass what the node says; region NULL gives nothing unless rows are global.
 * Purchase words as in the contract; spot falls back to nothing, never to on-demand. Without an
 * instance type: rows without one, else the one type at that place which holds this model; several
 * such types give nothing. Of several terms (no upfront, all upfront) the most expensive is given.
 */
struct price_over {
	const char *provider, *region, *zone, *instance_type, *gpu_model, *purchase; /* or NULL */
	int64_t from_ms, to_ms;
};
int catalog_price_over(const struct catalog *c, const struct price_over *q, struct price_row **ret,
		       size_t *ret_n, struct err *err);

/* A source that lists every way to buy a machine lacks one: it is not sold, and no other price says
 * what it would cost. */
struct not_offered {
	const char *provider, *region; /* region "global": nowhere that the source lists */
	const char *instance_type, *source;
	const char
		*purchase; /* "reserved": of any length; "committed", "savings_plan", "on_demand" */
	int64_t from_ms;   /* the day the source speaks for */
};
/* NULL past the end */
const struct not_offered *catalog_not_offered_at(const struct catalog *c, size_t i);
/* What the source says at that instant (UNKNOWN_MS: newest); NULL: nothing. region NULL: only what
 * is sold nowhere. A later price of a file or an update may know better: ask for prices first. */
const struct not_offered *catalog_not_offered(const struct catalog *c, const char *provider,
					      const char *region, const char *instance_type,
					      const char *purchase, int64_t at_ms);
/* The same of reservations and commitments of any length. */
const struct not_offered *catalog_not_committed(const struct catalog *c, const char *provider,
						const char *region, const char *instance_type,
						int64_t at_ms);
/* Is this way to buy among what it speaks of? */
bool not_offered_covers(const struct not_offered *x, const char *purchase);

/* On what terms a provider commits; a ceiling of the discount is no price. Texts NULL: not said. */
struct commitment_terms {
	const char *provider, *mechanism, *terms, *payment, *discount, *source;
	double max_discount_pct; /* NAN */
	int64_t as_of_ms;        /* UNKNOWN_MS: the page has no date */
};
/* NULL past the end */
const struct commitment_terms *catalog_terms_at(const struct catalog *c, size_t i);

/* What a kWh weighs where a region is: the yearly mean of its country's generation, gCO2e. */
struct carbon {
	const char *provider, *region, *country, *source;
	double g_kwh;
	int year;
};
/* All regions that have a figure, *ret of the catalogue. Negative: the table is damaged or
 * missing. */
int catalog_carbons(struct catalog *c, const struct carbon **ret, size_t *ret_n, struct err *err);

/* What owned hardware costs per GPU-hour: (price - residual) / life + energy + space and staff. */
struct owned_terms {
	dec purchase, residual;               /* per GPU */
	double years, utilisation_hours_year; /* hours_year 0 = 8760 */
	double power_w, pue;
	dec usd_kwh, other_usd_month;
};
dec catalog_owned_gpu_hour(const struct owned_terms *t);

#endif
