#ifndef TARE_CLI_CLI_H
#define TARE_CLI_CLI_H
/*
 * What all sub-commands share: the table of commands and their options (the help text, the
 * completion scripts and the man-page test read it), the parser, errors, the terminal.
 *
 * A command is one file cmd_<name>.c with a `const struct cli_cmd cmd_<name>_def` and one row in
 * commands.def.
 */
#include <stdbool.h>
#include <stdint.h>
#include "answer/ask.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/opt.h"
#include "ledger/conf.h"
#include "report/col.h"
#include "report/cost/report.h"
#include "store/store.h"

enum { /* exit codes of the contract */
       EXIT_DONE = 0,
       EXIT_VIOLATED = 1,
       EXIT_ERROR = 2,
       EXIT_INCOMPLETE = 3,
};

/* Which of the options that mean the same everywhere a command takes. --help, -q and --no-color
 * always. */
enum cli_common {
	CLI_STORE = 1,   /* --db, --config, --wait */
	CLI_OUTPUT = 2,  /* -o */
	CLI_WINDOW = 4,  /* --since, --until */
	CLI_ACT = 8,     /* --dry-run, -y */
	CLI_CONFIG = 16, /* --config alone, for commands without the store */
	CLI_HOURS = 64,  /* its --since and --until are widened to the hours of the ledger */
	CLI_DEMO = 32,   /* --demo: it may read the invented fleet's store (cli/demo_store.h) */
};

struct cli;
struct cli_cmd {
	const char *name, *group; /* group of the overview: "see" "bring" "act" "govern" "" */
	const char *summary;      /* one line, lower case */
	const char *usage;        /* "[--as KIND] FILE..." */
	const char *examples;     /* "tare import bill.csv.gz\n..." one a line, "# comment" lines */
	const char *about;        /* paragraphs after the options, or NULL */
	void (*more)(struct str *out); /* a table behind about: two words and a text, folded */
	unsigned common;               /* enum cli_common bits */
	const struct cli_opt *opt;     /* ends with name == NULL; may be NULL */
	/* words that its arguments may be, a blank behind each, for completion; NULL: files */
	void (*words)(struct str *out);
	/* what it prints with -o json, for tare schema: CLI_DOCS(&x_doc, ...), or NULL */
	const struct col_doc *const *docs;
	/* Before the common options have their values: may give more options (cli_give()). 0 or the
	 * exit code; NULL: nothing is to be done. */
	int (*before)(struct cli *c);
	int (*run)(struct cli *c); /* returns the exit code */
	const char
		*if_stopped; /* what is kept and what is not after Ctrl-C; NULL: nothing to say */
};
#define CLI_DOCS(...) ((const struct col_doc *const[]){ __VA_ARGS__, NULL })
extern const struct cli_cmd *const cli_commands[]; /* NULL-terminated */
extern const struct cli_opt cli_common_opts[];     /* ends with name == NULL */
/* the cli_common bit that brings this common option, 0 = always */
unsigned cli_common_bit(const struct cli_opt *o);
const struct cli_cmd *cli_find(const char *name);
/* "mig" of "plan mig" where cmd is "plan"; NULL where it is no command below cmd. */
const char *cli_below(const struct cli_cmd *cmd, const struct cli_cmd *of);
bool cli_has_below(const struct cli_cmd *cmd);

/* The parsed command line. */
struct cli {
	const struct cli_cmd *cmd;
	char **arg; /* [narg] what is no option */
	int narg;
	/* common options; text NULL when not given (nor in TARE_...) */
	const char *db, *config, *since_text, *until_text;
	int64_t since_ms, until_ms; /* INT64_MIN, INT64_MAX = open */
	int64_t wait_ms, now_ms;
	enum out_format output;
	bool dry_run, yes, quiet, colour;
	bool demo;        /* what it reads is the invented fleet */
	bool db_unnamed;  /* db is the usual place, not one that was named */
	int width;        /* of the terminal, 80 when unknown */
	struct conf conf; /* loaded for CLI_STORE and CLI_CONFIG commands */
	struct arena mem;
	struct cli_given {
		const struct cli_opt *opt;
		const char *value;
	} * given;
	size_t ngiven;
	bool no_variables;               /* TARE_... do not count: given is of another time */
	bool pipe_ignored, xfsz_ignored; /* by our caller: a command that we run finds them so */
};

/* Values of the command's own options: the last one given (else the variable TARE_<NAME>), all of
 * them, or whether a flag was given. */
const char *cli_value(const struct cli *c, const char *name);
/* in the order given; in c->mem */
size_t cli_values(const struct cli *c, const char *name, const char ***ret);
bool cli_flag(const struct cli *c, const char *name);
/* The option of c's command by its name, its own or a common one; NULL. */
const struct cli_opt *cli_option(const struct cli *c, const char *name);
/* As if it had been given behind the others; value is borrowed. Exit code. */
int cli_give(struct cli *c, const struct cli_opt *o, const char *value);
/* "TARE_YEARS" where that variable and no argument gives the option's value; else NULL. */
const char *cli_variable(const struct cli *c, const char *name);

/* Parse and run: what main() does. */
int cli_main(int argc, char **argv);

/* "tare: sentence" and the hint on stderr; returns EXIT_ERROR. */
int cli_fail(const struct err *err);
int cli_usage_error(const struct cli *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * For the commands that the output proposes: what was asked must not be lost on the way.
 * "tare report --where env=prod --since 7d": the command with the options that were given, without
 * those named in but (NULL-terminated) and those that only say how to print; and " --db DIR --demo",
 * what was given to say which store, or "". In c->mem.
 */
const char *cli_again(struct cli *c, const char *const *but);
const char *cli_store_words(struct cli *c);

/* $XDG_CONFIG_HOME/tare/NAME, ~/.config/tare/NAME; in c->mem */
const char *cli_config_path(struct cli *c, const char *name);
/* $XDG_DATA_HOME/NAME, ~/.local/share/NAME; in c->mem */
const char *cli_data_dir(struct cli *c, const char *name);
/* The store's folder: --db, TARE_DB, $XDG_DATA_HOME/tare, ~/.local/share/tare. */
const char *cli_db(struct cli *c);
int cli_open_store(struct cli *c, enum store_mode mode, struct store **ret, struct err *err);

/* What the command's questions are asked with: its window, settings and memory. */
struct ask cli_ask(struct cli *c, struct store *store, const struct catalog *catalog);

/* Write all of it to stdout; EXIT_DONE, also where who reads has had enough (a closed pipe), or
 * EXIT_ERROR. */
int cli_write(const struct str *s);
/* The end of a command: where r < 0 the error is said, else `out` is written; it is freed. The exit
 * code. */
int cli_end(int r, const struct err *err, struct str *out);
/* For whom the command prints: -o and the terminal. */
struct out_as cli_out_as(const struct cli *c);
void cli_help(const struct cli_cmd *cmd, struct str *out);
/* A line of the books for people, on stderr; ctx is the struct cli. */
void cli_said(void *ctx, const char *line);
/*
 * Progress on stderr: on a terminal one line, at most some ten times a second; elsewhere a line
 * every ten seconds from the fifth on: what takes less says nothing. TARE_PROGRESS=1 wants a line
 * for each new label and one every few seconds there, TARE_PROGRESS=0 none. rows, bytes <= 0: not
 * known. label NULL: it is over, the line is wiped. How long yet is told once that can be told.
 */
void cli_progress(const struct cli *c, const char *label, int64_t rows, int64_t done_bytes,
		  int64_t size_bytes);
/* The same of work in steps: "label: 5 of 14 levers, about 20 s yet"; of <= 0: nobody knows. */
void cli_progress_steps(const struct cli *c, const char *label, const char *unit, int64_t done,
			int64_t of);
/* From now on an interrupt (Ctrl-C, SIGTERM) says what the command's if_stopped says, and ends
 * it. */
void cli_say_if_stopped(const struct cli *c);

#endif
