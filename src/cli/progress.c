/* How far long work is, and what is left of it where it is stopped: on stderr. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tm.h"
#include "cli/cli.h"

#define TERMINAL_MS 100
#define ASKED_MS    5000  /* off a terminal, where TARE_PROGRESS asks for it */
#define FIRST_MS    5000  /* off a terminal: what ends sooner says nothing */
#define PLAIN_MS    10000 /* and then so often */
#define ETA_MS      3000

enum progress_how { HOW_NONE, HOW_TERMINAL, HOW_ASKED, HOW_PLAIN };

static enum progress_how how_to_tell(const struct cli *c)
{
	const char *asked = getenv("TARE_PROGRESS");

	if (c->quiet)
		return HOW_NONE;
	if (isatty(2))
		return HOW_TERMINAL;
	if (!asked || !*asked)
		return HOW_PLAIN;
	if (!strcmp(asked, "0") || !strcmp(asked, "no") || !strcmp(asked, "false"))
		return HOW_NONE;
	return HOW_ASKED;
}

/* What was told last, and since when. */
static struct {
	char label[160];
	int64_t work_ms, label_ms, line_ms; /* since when; 0: not at work */
} told;

/* Is it time for a line? Each label is one where lines are asked for. */
static bool is_due(enum progress_how how, bool new, int64_t now)
{
	switch (how) {
	case HOW_TERMINAL: return now - told.line_ms >= TERMINAL_MS;
	case HOW_ASKED: return new || now - told.line_ms >= ASKED_MS;
	case HOW_PLAIN: return now - told.work_ms >= FIRST_MS && now - told.line_ms >= PLAIN_MS;
	default: return false;
	}
}

struct progress_line {
	enum progress_how how;
	int64_t took_ms; /* of the label */
	struct str text;
};

/* True: a line of the label is due, and begun. */
static bool begin_line(const struct cli *c, const char *label, struct progress_line *ret)
{
	enum progress_how how = how_to_tell(c);
	int64_t now = tm_now_ms();

	if (how == HOW_NONE)
		return false;
	if (!label) {
		if (told.line_ms && how == HOW_TERMINAL)
			fprintf(stderr, "\r\033[K");
		told.line_ms = told.work_ms = 0;
		told.label[0] = '\0';
		return false;
	}
	bool new = strncmp(told.label, label, sizeof told.label - 1) != 0;
	if (!told.work_ms)
		told.work_ms = now;
	if (new) {
		snprintf(told.label, sizeof told.label, "%s", label);
		told.label_ms = now;
	}
	if (!is_due(how, new, now))
		return false;
	told.line_ms = now;
	*ret = (struct progress_line){ how, now - told.label_ms, { 0 } };
	str_addz(&ret->text, label);
	return true;
}

/* ", about 12 s yet", once that can be told. */
static void add_yet(int64_t took_ms, int64_t done, int64_t of, struct str *out)
{
	if (took_ms < ETA_MS || done <= 0 || done >= of)
		return;
	double left_ms = (double)took_ms / (double)done * (double)(of - done);
	str_addf(out, ", about %.0f s yet", left_ms / 1000 + 1);
}

static void end_line(const struct cli *c, struct progress_line *l, int64_t done, int64_t of)
{
	add_yet(l->took_ms, done, of, &l->text);
	if (l->how == HOW_TERMINAL)
		fprintf(stderr, "\r%.*s\033[K", c->width - 1, str_z(&l->text));
	else
		fprintf(stderr, "%s ...\n", str_z(&l->text));
	str_free(&l->text);
}

void cli_progress(const struct cli *c, const char *label, int64_t rows, int64_t done_bytes,
		  int64_t size_bytes)
{
	struct progress_line l;

	if (!begin_line(c, label, &l))
		return;
	if (rows > 0)
		str_addf(&l.text, ": %lld rows", (long long)rows);
	if (done_bytes > 0 && size_bytes <= 0)
		str_addf(&l.text, ", %lld MB", (long long)(done_bytes / 1000000));
	if (done_bytes > 0 && size_bytes > 0)
		str_addf(&l.text, ", %lld %% of %.*f MB",
			 (long long)(done_bytes * 100 / size_bytes), size_bytes < 10000000,
			 (double)size_bytes / 1e6);
	end_line(c, &l, done_bytes, size_bytes);
}

void cli_progress_steps(const struct cli *c, const char *label, const char *unit, int64_t done,
			int64_t of)
{
	struct progress_line l;

	if (!begin_line(c, label, &l))
		return;
	if (of > 0)
		str_addf(&l.text, ": %lld of %lld %s", (long long)done, (long long)of, unit);
	end_line(c, &l, done, of);
}

/* ---- stopped ----------------------------------------------------------------------------- */

/* Of the command that runs: a signal handler reads it. */
static char stopped_text[512];

/* Says it and dies of the same signal: nothing else may be called here. */
static void on_stop(int signo)
{
	if (write(2, stopped_text, strlen(stopped_text)) >= 0)
		raise(signo); /* SA_RESETHAND: as if nobody had caught it */
	else
		_exit(128 + signo);
}

void cli_say_if_stopped(const struct cli *c)
{
	struct sigaction a = { .sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND }, was;
	const char *wipe = isatty(2) ? "\r\033[K" : "";

	if (!c->cmd->if_stopped || c->quiet)
		return;
	snprintf(stopped_text, sizeof stopped_text, "%stare: interrupted: %s\n", wipe,
		 c->cmd->if_stopped);
	for (size_t i = 0; i < 2; i++) {
		int signo = i ? SIGTERM : SIGINT;
		if (sigaction(signo, NULL, &was) == 0 && was.sa_handler == SIG_DFL)
			sigaction(signo, &a, NULL);
	}
}
