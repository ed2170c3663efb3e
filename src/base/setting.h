#ifndef TARE_BASE_SETTING_H
#define TARE_BASE_SETTING_H
/*
 * Typed settings: a section of the configuration file is a table of rows,
 *
 *   { "interval", SETTING_SPAN, offsetof(struct agent_conf, interval_ms), .lo = 100, .hi = MS_HOUR,
 *     .def = "1s", .option = "interval", .help = "how often to look" },
 *
 * from which a struct is filled, with errors that name file, line and key. `tare config`, the help
 * of options and the test of docs/CONFIG.md read the same rows: a new setting is one row.
 */
#include "base/mem.h"
#include "base/yaml.h"

enum setting_type {
	SETTING_BOOL,    /* bool; where there are words, the second is true */
	SETTING_MAYBE,   /* int: 1, 0; -1 where nothing is said */
	SETTING_INT,     /* int64_t */
	SETTING_NUMBER,  /* double: what is written x scale; NAN without a default */
	SETTING_BYTES,   /* int64_t: what is written x scale */
	SETTING_SPAN,    /* int64_t ms: "30m"; "0" where lo is 0 */
	SETTING_SPAN_S,  /* double s, lo and hi in ms: "30m" */
	SETTING_TIME,    /* int64_t ms: a date or an instant */
	SETTING_MONEY,   /* dec; lo and hi in whole units */
	SETTING_TEXT,    /* const char *, NULL; lo: shortest length */
	SETTING_URL,     /* const char *: http:// or https:// */
	SETTING_FIXED,   /* char[size] */
	SETTING_CHOICE,  /* int or an enum: the number of the word */
	SETTING_WORD,    /* const char *: one of the words */
	SETTING_TEXTS,   /* VEC(const char *): a list of strings */
	SETTING_SECTION, /* a mapping with rows of its own into the struct at `at` */
	SETTING_LIST, /* a list of mappings with `rows`, each read by own(); hi: at most so many */
	SETTING_OWN,  /* whatever own() reads; unit says what that looks like */
	SETTING_ELSEWHERE /* a section of the file that is read by somebody else */
};

struct setting;
/* One document being read into one struct. */
struct setting_reader {
	const struct yaml_doc *doc;
	struct arena *mem;   /* where texts are kept */
	const char *section; /* its name as errors say it, or NULL */
	void *ctx;           /* of own() and check() */
	struct err *err;
};
/* y is no null; base is the struct of the row's table. 0, or -EINVAL with its sentence. */
typedef int setting_fn(const struct setting_reader *r, const struct yaml *y, void *base);

struct setting {
	const char *name;
	enum setting_type type;
	size_t at;                /* offsetof the value in the struct */
	double lo, hi;            /* both 0: any */
	const char *def;          /* the default as one would write it; NULL: not set */
	const char *none;         /* what holds where nothing is set, "no limit" */
	const char *unit;         /* "%", "$/GPU-hour", or NULL */
	const char *help;         /* one line, lower case */
	const char *const *words; /* NULL-terminated */
	const char *option;       /* of a command: it and its TARE_... variable win over the file */
	const char *wrong;        /* said instead of the type's own sentence */
	const char *outside;      /* the same of what is out of range; NULL: as wrong */
	double scale;             /* 0 = 1 */
	size_t size;              /* SETTING_FIXED: bytes with the final NUL */
	size_t has_at;            /* offsetof a bool: it was said; 0 = no such */
	const struct setting *rows; /* end with name == NULL */
	setting_fn *own;
	/* what a value has to be beyond its type: of each text of SETTING_TEXTS, of a whole
	 * SETTING_SECTION (base is then the section's struct) */
	setting_fn *check;
};

/* The row by name, or NULL. */
const struct setting *setting_find(const struct setting *rows, const char *name);
/* Every row's default into the struct at base; what has none is 0, NULL, NAN or -1. */
void setting_defaults(const struct setting *rows, void *base);
/*
 * The members of map (NULL or null: none) into the struct at base; what is not there, or null,
 * stays as it is. 0, or -EINVAL: a key that no row has, a value that is not of the row's type or
 * range.
 */
int setting_read(const struct setting_reader *r, const struct yaml *map, const struct setting *rows,
		 void *base);
/* 0, or -EINVAL: a key of map that no row has. */
int setting_check_keys(const struct setting_reader *r, const struct yaml *map,
		       const struct setting *rows);
/* As setting_read(), for the one member of map that s names: a section of the file, for who
 * reads no other. */
int setting_read_member(const struct setting_reader *r, const struct yaml *map,
			const struct setting *s, void *base);
/*
 * One value from text, as a default or a variable has it; not for SETTING_TEXTS and what follows
 * it. Texts are kept in mem; NULL: text outlives the struct. 0, -EINVAL: not of its type, -ERANGE:
 * outside of lo to hi, or too long.
 */
int setting_set(const struct setting *s, struct arena *mem, const char *text, void *base);

/* "'FILE' line N: what"; -EINVAL. */
int setting_wrong(const struct setting_reader *r, const struct yaml *y, const char *what);
/* y is a text that is not empty, or -EINVAL with its sentence. */
int setting_want_text(const struct setting_reader *r, const struct yaml *y);
struct setting_words {
	const char *const *list; /* [n] */
	size_t n;
	const char *what; /* a word that is not in the list is */
	const char *hint; /* where no word of the list is near; or NULL */
};
/*
 * word is one of them, or -EINVAL: "'FILE' line N: 'word' is not a WHAT", with the nearest word of
 * the list as hint.
 */
int setting_want_word(const struct setting_reader *r, const struct yaml *y, const char *word,
		      const struct setting_words *of);
/* A copy of z in the reader's arena. */
const char *setting_keep(const struct setting_reader *r, const char *z);

/* What kind of value it is, in a word or two: "true or false", "number", "span", "list". */
const char *setting_kind(const struct setting *s);
/* "0 to 100", "100ms to 1h", "compute or memory", "" where anything goes. */
void setting_range(const struct setting *s, struct str *out);
/* "100ms", "36h", "90d": as one writes it. */
void setting_span_text(int64_t ms, struct str *out);

#endif
