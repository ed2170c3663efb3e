#ifndef TARE_CLI_OPT_H
#define TARE_CLI_OPT_H
/*
 * The options of a command are rows of a table. A typed row also says into which member of the
 * command's struct its value goes, from where to where, and what holds where nobody says anything:
 *
 *   { "years", "Y", "its life", .type = OPT_NUM, .at = offsetof(struct own_ask, years),
 *     .lo = 0, .hi = 100, .def = "4" },
 *
 * cli_read_opts() fills the struct. Help, completion, the man-page test, the TARE_... variables and
 * the errors come from the same rows. They are to the command line what base/setting.h is to the
 * file.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

enum opt_type {
	OPT_UNTYPED, /* a setting's (agent_settings()), or one of cli_common_opts */
	OPT_FLAG,    /* bool */
	OPT_TEXT,    /* const char *, NULL; one of `values` where these are words */
	OPT_FILE,    /* const char *, NULL */
	OPT_INT,     /* int64_t, 0 */
	OPT_NUM,     /* double, NAN */
	OPT_FRAC,    /* double, NAN: 0 to 1 where the row has no range of its own */
	OPT_SPAN, /* int64_t ms, 0; lo and hi in ms; "0" where lo is 0; INT64_MAX: one of `values` */
	OPT_SPANS,  /* struct opt_spans: several of them, with commas between */
	OPT_HOURS,  /* double h, NAN: "6m", or "48" */
	OPT_TIME,   /* int64_t ms, UNKNOWN_MS: a date or an instant */
	OPT_MONEY,  /* dec, 0: "30,000" too; lo and hi in whole units */
	OPT_SIGNAL, /* int, 0: "USR1", "SIGUSR1" or "10" that a program can answer */
	OPT_CHOICE, /* int: the number of the word in `values`, -1 */
	OPT_LIST,   /* struct opt_list: all of them where many, else one text cut at its commas */
};
struct opt_list {
	const char **v; /* [n] in the memory of the command line */
	size_t n;
};
struct opt_spans {
	const int64_t *ms; /* [n] */
	size_t n;
};

struct cli_opt {
	const char *name;   /* "by", without dashes */
	const char *arg;    /* "DIM[,DIM...]", or NULL for a flag */
	const char *help;   /* one or two lines, lower case */
	char letter;        /* 'o', or 0 */
	bool many;          /* may be given several times */
	const char *values; /* "a|b|c" for completion and checking, "FILE", "DIR", or NULL */
	/* The section in which a setting names this option: range and default are the setting's,
	 * and where help above is NULL, help too. */
	const struct setting *section;
	enum opt_type type;
	size_t at;       /* offsetof the value in the command's struct */
	size_t has;      /* offsetof a bool: it was given; 0: no such */
	double lo, hi;   /* both 0: any; hi INFINITY: no upper end */
	const char *def; /* as one would write it; help says it, unless help speaks of one itself */
	/* "number of machines": what an error says the value is not; NULL: its type and range */
	const char *what;
	/* words to complete with beside `values`, a blank behind each: nothing is checked by
	 * them */
	void (*words)(struct str *out);
};

struct cli;
/*
 * Values of the typed rows of c's command into the struct at asked: what was given, else the
 * variable TARE_<NAME>, else the default, else nothing as enum opt_type has it. Texts live as long
 * as c. 0, or -EINVAL: "--years: 'x' is not a number from 0 to 100".
 */
int cli_read_opts(const struct cli *c, void *asked, struct err *err);
/* False: its value is one of words, and text is none of them. */
bool cli_opt_fits(const struct cli_opt *o, const char *text);
/* "6m", or a number of hours up to a million. 0 or -EINVAL. */
int opt_hours(struct sv text, double *ret_h);
/* What --help says of the option; of a setting with its range and default. */
void cli_opt_help(const struct cli_opt *o, struct str *out);
/* "low medium high ": what its value may be, for completion; nothing where that is open. */
void cli_opt_words(const struct cli_opt *o, struct str *out);
/* It takes several words, separated by commas: "NAME[,NAME...]". */
bool cli_opt_is_list(const struct cli_opt *o);
/* It takes a name of the file system: "FILE" or "DIR", maybe beside words. */
bool cli_opt_is_path(const struct cli_opt *o);
#endif
