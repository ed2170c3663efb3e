#ifndef TARE_CATALOG_IN_H
#define TARE_CATALOG_IN_H
/*
 * Inside of the catalogue, shared by its files only.
 */
#include "base/mem.h"
#include "catalog/catalog.h"

/* ---- table.c: our own CSV files: a header, no quotes, no line breaks inside cells -------- */

struct table {
	char *text; /* the whole file; cells are terminated in place and live as long as it */
	size_t size;
	size_t at; /* next byte to read */
	const char *name;
	int64_t line;
	int ncol;
	int want;             /* columns asked for */
	int column[20];       /* [want] column number in the file */
	const char *cell[20]; /* [want] cells of the row read last, "" when empty */
};
/* Read dir/file; columns: NULL-terminated names, all of which must be there. The text stays with
 * the caller (free()). */
int table_open(struct table *t, const char *dir, const char *file, const char *const *columns,
	       struct err *err);
int table_next(struct table *t, struct err *err); /* 1, 0 at the end, -EBADMSG */
/* -EBADMSG naming file and line */
int table_bad(const struct table *t, const char *column, const char *value, struct err *err);
int table_f64(const struct table *t, int i, double *ret, struct err *err); /* "" = NAN */
int table_int(const struct table *t, int i, int *ret, struct err *err);    /* "" = 0 */

/* "1/6", "0.125", "8" -> exact fraction; 0 or -EINVAL. */
int count_parse(struct sv s, int64_t *ret_num, int64_t *ret_den);
/* num/den in thousandths, rounded half up; 0 stays 0. */
int64_t count_milli(int64_t num, int64_t den);

/* ---- the tables -------------------------------------------------------------------------- */

struct alias {
	char *key; /* as name_key() makes it */
	const struct gpu_spec *model[6];
	int nmodel;
};
struct instance {
	struct instance_type t; /* first: given out as struct instance_type */
	int64_t num, den;       /* exact number of GPUs (or accelerators) */
};
struct source {
	const char *id, *name;
	int64_t as_of_ms;
};
struct band {
	const char *provider, *region, *instance_type;
	int64_t from_ms;
	int lo_pct, hi_pct;
};

enum rank { RANK_SHIPPED, RANK_FETCHED, RANK_USER };

struct prow { /* a price as kept */
	/* "" = none */
	const char *provider, *region, *zone, *instance_type, *gpu_model, *purchase, *term,
		*currency;
	const char *source;
	int64_t num, den; /* exact GPUs; num 0 = not known */
	dec hour, upfront;
	int64_t from_ms, end_ms; /* as written; end UNKNOWN_MS = until a later row replaces it */
	int64_t to_ms;           /* end, or where the next row of the same place begins */
	int64_t as_of_ms;
	int lo_pct, hi_pct; /* -1 = not known */
	enum rank rank;
	uint32_t seq;
	bool no_gpu; /* of a type without a GPU */
	bool part;   /* a GPU without its machine */
	bool no_quote;
};
struct prices {
	struct prow *v;
	size_t n, cap;
	bool loaded, sorted;
};

enum price_file { FILE_AWS, FILE_AZURE, FILE_GCP, FILE_NEO, FILE_N };

struct catalog {
	char *dir;
	struct arena mem;
	struct intern names; /* texts of added rows */
	VEC(char *) texts;   /* files kept */
	struct gpu_spec *gpu;
	size_t ngpu;
	char **mig_set;      /* [ngpu] */
	struct alias *alias; /* [nalias] by key */
	size_t nalias;
	struct mig_profile *mig;
	size_t nmig;
	VEC(struct speed_fact) speed;
	struct instance *instance; /* [ninstance] by name without case */
	size_t ninstance;
	VEC(struct source) sources;
	VEC(struct not_offered) not_offered;
	VEC(struct commitment_terms) terms;
	struct prices shipped[FILE_N];
	struct prices added; /* by catalog_add_price */
	uint32_t seq;
	VEC(struct band) bands; /* shipped and added; by place, then time once bands_sorted */
	bool bands_loaded, bands_sorted;
	VEC(struct carbon) carbons; /* by provider and region */
	bool carbons_loaded;
};

/* gpu.c */
int gpu_load(struct catalog *c, struct err *err);
/* what people read; the id itself where there is none */
const char *source_name(const struct catalog *c, const char *id);
/* speeds.c */
int speeds_load(struct catalog *c, struct err *err);
/* offers.c */
int offers_load(struct catalog *c, struct err *err);
/* instance.c */
int instance_load(struct catalog *c, struct err *err);
const struct instance *instance_find(const struct catalog *c, const char *provider, struct sv name);
/* The rows that may concern a provider (NULL = all): shipped files are loaded, added rows put in
 * order. */
int price_ready(struct catalog *c, const char *provider, struct err *err);
bool price_file_serves(enum price_file f, const char *provider);
/* Rows [lo, hi) of a provider and instance type ("" = rows without one) in a table in order. */
void prices_range(const struct prices *p, const char *provider, const char *instance_type,
		  size_t *ret_lo, size_t *ret_hi);
/* "East US" -> "eastus" for azure, lower case, "" and "*" -> "global". In the catalogue. */
const char *region_id(const struct catalog *c, const char *provider, struct sv region);
void prow_out(const struct catalog *c, const struct prow *p, struct price_row *ret);
/* band.c */
int band_load(struct catalog *c, struct err *err);
const struct band *band_find(struct catalog *c, const char *provider, const char *region,
			     const char *instance_type, int64_t at_ms);

#endif
