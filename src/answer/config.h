#ifndef TARE_ANSWER_CONFIG_H
#define TARE_ANSWER_CONFIG_H
/* Which settings there are, what each is, and where that comes from: the tables of typed rows
 * (base/setting.h) beside the file as it was written. */
#include "base/setting.h"

struct config_row {
	const char *key;      /* "plan.wacc_frac", "owned[0].years"; "owned[].years": of any item */
	const char *value;    /* as one would write it in the file; NULL = not set */
	const char *unit;     /* NULL */
	const char *source;   /* "default" "file" "variable" */
	const char *at;       /* "config.yaml:12", "TARE_INTERVAL"; NULL for defaults */
	const char *def;      /* the default; NULL: not set */
	const char *none;     /* what holds where nothing is set; NULL */
	const char *kind;     /* "number", "span", "list of texts", ... */
	const char *range;    /* "0 to 100", "compute or memory"; NULL = any */
	const char *option;   /* "interval": of a command, says the same; NULL */
	const char *variable; /* "TARE_INTERVAL"; NULL */
	const char *help;
	int64_t line; /* of the file; UNKNOWN_I64 */
	bool field;   /* what an item of a list may have, and no value */
};

struct config_ask {
	const char *file;                     /* NULL: none, all is as by default */
	const struct setting *top;            /* rows of the file's top */
	const struct setting *const *section; /* [nsection] */
	size_t nsection;
	/* What a variable (TARE_...) says of this row, NULL = nothing. */
	const char *(*variable)(void *ctx, const struct setting *s);
	void *ctx;
	const char *const *want; /* [nwant] keys and sections; none: all */
	size_t nwant;
	bool changed; /* only what is not by default */
	bool fields; /* also what items of lists may have; without it only where asked for by name */
	struct arena *mem;
};
struct config_answer {
	const char *file;
	const struct config_row *row; /* [n] in the order of the tables */
	size_t n;
};
/* Everything lies in q->mem; *ret is written on success. -EINVAL: a word that is no setting, or
 * what is no YAML; else negative errno of the file. What its values have to be is the readers'
 * business. */
int answer_config(const struct config_ask *q, struct config_answer *ret, struct err *err);
/* All keys and sections, a blank behind each: for completion. */
void config_words(const struct config_ask *q, struct str *out);
#endif
