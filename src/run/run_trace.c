/* See run_trace.h. */
#include "run/run_trace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fdio.h"
#include "base/mem.h"
#include "base/str.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *const job_words[] = { "none", "restore", "commit", "push", "look" };
static const char *const notice_words[] = { "none", "rebalance", "stop", "gone" };
static const char *const ask_words[] = { "notice", "turn", "stop", "drill" };
static const char *const msg_words[RUN_KINDS] = { "hello",  "step", "saving", "safe",
						  "failed", "save", "stop",   "price" };
static const char *const why_words[RUN_WHYS] = { "none",   "done",     "failed",     "interrupted",
						 "budget", "deadline", "max-hourly", "drilled" };

static const char *const event_names[RUN_EVENTS] = {
	[RUN_EV_OPEN] = "open",         [RUN_EV_RESTORED] = "restored",
	[RUN_EV_RECALLED] = "recalled", [RUN_EV_SPAWNED] = "spawned",
	[RUN_EV_TICK] = "tick",         [RUN_EV_NOTICE] = "notice",
	[RUN_EV_SIGNAL] = "signal",     [RUN_EV_ENDED] = "ended",
	[RUN_EV_MESSAGE] = "message",   [RUN_EV_RESULT] = "result",
	[RUN_EV_PRICE] = "price",       [RUN_EV_ASKED] = "asked",
	[RUN_EV_FOLDER] = "folder",     [RUN_EV_QUIET] = "quiet",
	[RUN_EV_SOURCES] = "sources",   [RUN_EV_DRILL] = "drill",
};
static const char *const action_names[RUN_ACTIONS] = {
	[RUN_DO_JOB] = "job",
	[RUN_DO_HURRY] = "hurry",
	[RUN_DO_RECALL] = "recall",
	[RUN_DO_BEGIN] = "begin",
	[RUN_DO_SPAWN] = "spawn",
	[RUN_DO_ASK] = "ask",
	[RUN_DO_FORWARD] = "forward",
	[RUN_DO_TERM] = "term",
	[RUN_DO_KILL] = "kill",
	[RUN_DO_STOP_SELF] = "stop-self",
	[RUN_DO_SCAN] = "scan",
	[RUN_DO_CHECK_OPEN] = "check-open",
	[RUN_DO_KEEP] = "keep",
	[RUN_DO_HEAR] = "hear",
	[RUN_DO_DRILL] = "drill",
	[RUN_DO_PRICE] = "price",
	[RUN_DO_TELL_PRICE] = "tell-price",
	[RUN_DO_BEAT] = "beat",
	[RUN_DO_REMEMBER] = "remember",
	[RUN_DO_FITS] = "fits",
	[RUN_DO_SAY_START] = "say-start",
	[RUN_DO_SAY_NOTICE] = "say-notice",
	[RUN_DO_SAY_ASKED] = "say-asked",
	[RUN_DO_SAY_SAFE] = "say-safe",
	[RUN_DO_SAY_STORED] = "say-stored",
	[RUN_DO_SAY_FAILED] = "say-failed",
	[RUN_DO_SAY_ELSEWHERE] = "say-elsewhere",
	[RUN_DO_SAY_DEAF] = "say-deaf",
	[RUN_DO_SAY_STATUS] = "say-status",
	[RUN_DO_SAY_PRICE] = "say-price",
	[RUN_DO_SAY_GIVEN_UP] = "say-given-up",
	[RUN_DO_EXIT] = "exit",
};

#define ROW(of, kind, name, type, field)                                  \
	{                                                                 \
		kind, name, RUN_TRACE_##type, offsetof(struct of, field), \
			sizeof(((struct of *)0)->field), NULL, 0          \
	}
#define WORDS(of, kind, name, words, field)                                                 \
	{                                                                                   \
		kind, name, RUN_TRACE_WORD, offsetof(struct of, field), sizeof(int), words, \
			COUNT(words)                                                        \
	}
#define RULE(name, type)                ROW(run_rules, 0, #name, type, name)
#define DRILL(name, type)               ROW(run_drill, 0, #name, type, name)
#define EVENT(kind, name, type, field)  ROW(run_event, RUN_EV_##kind, name, type, field)
#define ACTION(kind, name, type, field) ROW(run_action, RUN_DO_##kind, name, type, field)

static const struct run_trace_row rule_rows[] = {
	RULE(watch, BOOL),           RULE(store, BOOL),          RULE(notice_signal, INT),
	RULE(notice_signal_ms, I64), RULE(grace_ms, I64),        RULE(every_ms, I64),
	RULE(budget_nano, I64),      RULE(max_hourly_nano, I64), RULE(usd_hour_nano, I64),
	RULE(deaf_ms, I64),          RULE(mtbi_h, REAL),
};
/* what a drill wants; of one whose end is decided meanwhile the answers tell */
static const struct run_trace_row drill_rows[] = {
	DRILL(interrupts, BOOL),
	DRILL(after_ms, I64),
	DRILL(stops, BOOL),
};
static const struct run_trace_row event_rows[] = {
	EVENT(RESTORED, "rc", INT, restored.rc),
	EVENT(RESTORED, "step", I64, restored.step),
	EVENT(RESTORED, "pulled", I64, restored.pulled),
	EVENT(RESTORED, "id", TEXT, restored.id),
	EVENT(RECALLED, "stall_ms", I64, recalled.cost.stall_ms),
	EVENT(RECALLED, "save_ms", I64, recalled.cost.save_ms),
	EVENT(RECALLED, "push_ms", I64, recalled.cost.push_ms),
	EVENT(RECALLED, "restart_ms", I64, recalled.cost.restart_ms),
	EVENT(RECALLED, "step_us", I64, recalled.step_us),
	EVENT(RECALLED, "push_bytes_s", I64, recalled.push_bytes_s),
	EVENT(RECALLED, "seen_h", REAL, recalled.seen_h),
	EVENT(RECALLED, "interruptions", INT, recalled.interruptions),
	EVENT(RECALLED, "deadline", TIME, recalled.deadline),
	EVENT(SPAWNED, "rc", INT, spawned),
	EVENT(TICK, "spent_nano", I64, spent_nano),
	WORDS(run_event, RUN_EV_NOTICE, "kind", notice_words, notice.kind),
	EVENT(NOTICE, "at", TIME, notice.at),
	EVENT(NOTICE, "source", TEXT, notice.source),
	EVENT(NOTICE, "what", TEXT, notice.what),
	EVENT(SIGNAL, "sig", INT, signal.sig),
	EVENT(SIGNAL, "terminal", BOOL, signal.terminal),
	EVENT(SIGNAL, "by_command", BOOL, signal.by_command),
	EVENT(SIGNAL, "by_tree", BOOL, signal.by_tree),
	EVENT(ENDED, "code", INT, ended.code),
	EVENT(ENDED, "exited", BOOL, ended.exited),
	WORDS(run_event, RUN_EV_MESSAGE, "kind", msg_words, msg.kind),
	EVENT(MESSAGE, "step", I64, msg.step),
	EVENT(MESSAGE, "stall_ms", I64, msg.stall_ms),
	EVENT(MESSAGE, "write_ms", I64, msg.write_ms),
	EVENT(MESSAGE, "text", CHARS, msg.text),
	WORDS(run_event, RUN_EV_RESULT, "job", job_words, result.job),
	EVENT(RESULT, "rc", INT, result.rc),
	EVENT(RESULT, "changed", BOOL, result.changed),
	EVENT(RESULT, "step", I64, result.step),
	EVENT(RESULT, "took_ms", I64, result.took_ms),
	EVENT(RESULT, "bytes", I64, result.bytes),
	EVENT(RESULT, "written_bytes", I64, result.written_bytes),
	EVENT(RESULT, "id", TEXT, result.id),
	EVENT(RESULT, "problem", TEXT, result.problem),
	EVENT(PRICE, "nano_hour", I64, price.nano_hour),
	EVENT(PRICE, "problem", TEXT, price.problem),
	WORDS(run_event, RUN_EV_ASKED, "for", ask_words, asked.ask.purpose),
	EVENT(ASKED, "end", BOOL, asked.ask.end),
	EVENT(ASKED, "until", TIME, asked.ask.until),
	EVENT(ASKED, "why", TEXT, asked.ask.why),
	EVENT(ASKED, "sock", INT, asked.sock),
	EVENT(ASKED, "told", INT, asked.told),
	EVENT(FOLDER, "at", TIME, folder.at),
	EVENT(FOLDER, "final", BOOL, folder.final),
	EVENT(FOLDER, "files", INT, folder.files),
	EVENT(FOLDER, "same_seen", BOOL, folder.same_seen),
	EVENT(FOLDER, "same_kept", BOOL, folder.same_kept),
	EVENT(FOLDER, "step", I64, folder.step),
	EVENT(FOLDER, "least", I64, folder.least),
	EVENT(FOLDER, "opened", BOOL, folder.opened),
	EVENT(FOLDER, "problem", TEXT, folder.problem),
	EVENT(QUIET, "open", BOOL, open),
	EVENT(SOURCES, "problem", TEXT, problem),
	EVENT(DRILL, "told", BOOL, told),
};
static const struct run_trace_row action_rows[] = {
	WORDS(run_action, RUN_DO_JOB, "job", job_words, job.job),
	ACTION(JOB, "step", I64, job.step),
	ACTION(JOB, "until", TIME, job.until),
	ACTION(HURRY, "until", TIME, hurry.until),
	ACTION(HURRY, "newer", BOOL, hurry.newer),
	WORDS(run_action, RUN_DO_ASK, "for", ask_words, ask.purpose),
	ACTION(ASK, "end", BOOL, ask.end),
	ACTION(ASK, "until", TIME, ask.until),
	ACTION(ASK, "why", TEXT, ask.why),
	ACTION(FORWARD, "sig", INT, sig),
	ACTION(BEAT, "step", I64, record.step),
	ACTION(BEAT, "done_at", TIME, record.done_at),
	ACTION(BEAT, "interrupts", BOOL, record.interrupts),
	ACTION(REMEMBER, "stall_ms", I64, record.cost.stall_ms),
	ACTION(REMEMBER, "save_ms", I64, record.cost.save_ms),
	ACTION(REMEMBER, "push_ms", I64, record.cost.push_ms),
	ACTION(REMEMBER, "restart_ms", I64, record.cost.restart_ms),
	ACTION(REMEMBER, "stepped", BOOL, record.stepped),
	ACTION(REMEMBER, "step_us", I64, record.step_us),
	ACTION(REMEMBER, "push_bytes_s", I64, record.push_bytes_s),
	ACTION(SCAN, "final", BOOL, final),
	ACTION(PRICE, "nano_hour", I64, price.nano_hour),
	ACTION(PRICE, "counted", BOOL, price.counted),
	ACTION(SAY_NOTICE, "at", TIME, notice.at),
	ACTION(SAY_NOTICE, "source", TEXT, notice.source),
	ACTION(SAY_NOTICE, "what", TEXT, notice.what),
	ACTION(SAY_ASKED, "end", BOOL, asked.ask.end),
	ACTION(SAY_ASKED, "until", TIME, asked.ask.until),
	ACTION(SAY_ASKED, "why", TEXT, asked.ask.why),
	ACTION(SAY_ASKED, "told", INT, asked.told),
	ACTION(SAY_FAILED, "text", TEXT, text),
	ACTION(SAY_ELSEWHERE, "step", I64, step),
	ACTION(SAY_DEAF, "text", TEXT, text),
	ACTION(SAY_PRICE, "was_nano", I64, price.was_nano),
	ACTION(SAY_GIVEN_UP, "sig", INT, sig),
	WORDS(run_action, RUN_DO_EXIT, "why", why_words, verdict.why),
	ACTION(EXIT, "code", INT, verdict.code),
	ACTION(EXIT, "child_code", INT, verdict.child_code),
	ACTION(EXIT, "lost", TEXT, verdict.lost),
	ACTION(EXIT, "ack", BOOL, verdict.ack),
	ACTION(EXIT, "step", I64, verdict.record.step),
	ACTION(EXIT, "done_at", TIME, verdict.record.done_at),
	ACTION(EXIT, "interrupts", BOOL, verdict.record.interrupts),
};

const struct run_trace_table run_trace_rules = { NULL, rule_rows, COUNT(rule_rows) };
const struct run_trace_table run_trace_drill = { NULL, drill_rows, COUNT(drill_rows) };
const struct run_trace_table run_trace_events = { event_names, event_rows, COUNT(event_rows) };
const struct run_trace_table run_trace_actions = { action_names, action_rows, COUNT(action_rows) };

/* ---- as text ----------------------------------------------------------------------------- */

static void put_text(const char *z, struct str *to)
{
	if (!z) {
		str_addc(to, '-');
		return;
	}
	str_addc(to, '"');
	for (; *z; z++) {
		char c = *z;
		if (c == '"')
			c = '\'';
		str_addc(to, (unsigned char)c < ' ' ? ' ' : c);
	}
	str_addc(to, '"');
}

static void put_value(const struct run_trace_row *row, const char *at, int64_t start,
		      struct str *to)
{
	int64_t i64 = 0;
	int i = 0;
	double real;
	bool yes;
	const char *z;

	switch (row->type) {
	case RUN_TRACE_TIME:
		memcpy(&i64, at, sizeof i64);
		if (i64 == INT64_MAX)
			str_addz(to, "never");
		else if (i64 == INT64_MIN)
			str_addz(to, "unset");
		else if (i64 == -1)
			str_addz(to, "none");
		else
			str_addf(to, "%" PRId64, i64 - start);
		break;
	case RUN_TRACE_I64:
		memcpy(&i64, at, sizeof i64);
		str_addf(to, "%" PRId64, i64);
		break;
	case RUN_TRACE_INT:
		memcpy(&i, at, sizeof i);
		str_addf(to, "%d", i);
		break;
	case RUN_TRACE_BOOL:
		memcpy(&yes, at, sizeof yes);
		str_addf(to, "%d", yes);
		break;
	case RUN_TRACE_REAL:
		memcpy(&real, at, sizeof real);
		str_addf(to, "%.17g", real);
		break;
	case RUN_TRACE_WORD:
		memcpy(&i, at, sizeof i);
		str_addz(to, row->words[i]);
		break;
	case RUN_TRACE_TEXT:
		memcpy(&z, at, sizeof z);
		put_text(z, to);
		break;
	case RUN_TRACE_CHARS: put_text(at, to); break;
	}
}

void run_trace_put(const struct run_trace_table *t, int kind, const void *of, int64_t start,
		   struct str *to)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i].kind == kind) {
			str_addf(to, " %s=", t->row[i].name);
			put_value(&t->row[i], (const char *)of + t->row[i].at, start, to);
		}
}

/* ---- into the file ----------------------------------------------------------------------- */

struct run_trace {
	int fd;
	int64_t start;
};

/* A trace that cannot be written is no reason to disturb the run. */
static void put_line(const struct run_trace *t, struct str *s)
{
	str_addc(s, '\n');
	(void)fd_write_all(t->fd, str_sv(s));
	str_free(s);
}

struct run_trace *run_trace_open(const struct run_rules *rules, const struct run_drill *drill,
				 int64_t now)
{
	const char *path = getenv("TARE_RUN_TRACE");
	struct str s = { 0 };
	int fd = -1;

	if (path && *path)
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0)
		return NULL;
	struct run_trace *t = xcalloc(1, sizeof *t);
	*t = (struct run_trace){ fd, now };
	str_addz(&s, "rules");
	run_trace_put(&run_trace_rules, 0, rules, now, &s);
	put_line(t, &s);
	if (!drill)
		return t;
	str_addz(&s, "drill");
	run_trace_put(&run_trace_drill, 0, drill, now, &s);
	str_addf(&s, " decides=%d", drill->decided != NULL);
	put_line(t, &s);
	return t;
}

void run_trace_event(struct run_trace *t, const struct run_event *e, int64_t now)
{
	struct str s = { 0 };

	if (!t)
		return;
	str_addf(&s, "@%" PRId64 " %s", now - t->start, event_names[e->kind]);
	run_trace_put(&run_trace_events, (int)e->kind, e, t->start, &s);
	put_line(t, &s);
}

void run_trace_action(struct run_trace *t, const struct run_action *a)
{
	struct str s = { 0 };

	if (!t)
		return;
	str_addf(&s, "  %s", action_names[a->kind]);
	run_trace_put(&run_trace_actions, (int)a->kind, a, t->start, &s);
	put_line(t, &s);
}

void run_trace_wait(struct run_trace *t, int ms)
{
	struct str s = { 0 };

	if (!t)
		return;
	str_addf(&s, "  wait ms=%d", ms);
	put_line(t, &s);
}

void run_trace_close(struct run_trace *t)
{
	if (!t)
		return;
	close(t->fd);
	free(t);
}
