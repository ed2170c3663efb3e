/* What a run tells: JSON lines for programs, short lines for people. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "auth/cred.h"
#include "base/clean.h"
#include "base/dec.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "run/run_loop.h"

/* Only where it does not block: a terminal that is held up or a pipe that nobody reads must not
 * keep a signal from the command. */
static void put_line(int fd, const struct str *s)
{
	struct pollfd p = { fd, POLLOUT, 0 };

	if (fd >= 0 && s->n && poll(&p, 1, 0) > 0 && (p.revents & POLLOUT) &&
	    write(fd, s->p, s->n) < 0)
		return;
}

static void line_of(const char *fmt, va_list ap)
{
	struct str s = { 0 };
	char line[900];

	str_addvf(&s, fmt, ap);
	sv_clean(str_sv(&s), line, sizeof line);
	str_clear(&s);
	str_addf(&s, "tare: %s\n", line);
	put_line(2, &s);
	str_free(&s);
}

static void say_people(const struct run *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void say_people(const struct run *r, const char *fmt, ...)
{
	va_list ap;

	if (r->o->quiet)
		return;
	va_start(ap, fmt);
	line_of(fmt, ap);
	va_end(ap);
}

/* What somebody may lose by not knowing it: where it should be quiet, too. */
static void say_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say_warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line_of(fmt, ap);
	va_end(ap);
}

static void open_line(const struct run *r, struct jw *j, struct str *s, const char *event)
{
	jw_init(j, s, 0);
	jw_obj(j);
	jw_key(j, "schema");
	jw_str(j, "tare.run/1");
	jw_key(j, "event");
	jw_str(j, event);
	jw_key(j, "time");
	jw_time(j, tm_steady_ms());
	jw_key(j, "attempt");
	jw_int(j, r->book.attempt);
}

static void write_step(struct jw *j, const char *key, int64_t v)
{
	jw_key(j, key);
	if (v >= 0)
		jw_int(j, v);
	else
		jw_null(j);
}

static void write_money(struct jw *j, const char *key, int64_t nano)
{
	jw_key(j, key);
	if (nano < 0)
		jw_null(j);
	else
		jw_dec(j, nano_to_dec(nano));
}

static void close_line(const struct run *r, struct jw *j, struct str *s)
{
	jw_end_obj(j);
	str_addc(s, '\n');
	put_line(r->o->status_fd, s);
	str_free(s);
}

static void add_safe(const struct run *r, struct jw *j)
{
	write_step(j, "safe_step", run_machine_safe_step(&r->m));
	write_step(j, "local_step", r->m.safe.local_step);
	if (r->o->store)
		write_step(j, "stored_step", r->m.safe.stored_step);
}

static void add_interval(const struct run *r, struct jw *j)
{
	jw_key(j, "interval_s");
	if (r->m.ask.interval_ms == INT64_MAX)
		jw_null(j);
	else
		jw_num(j, (double)r->m.ask.interval_ms / 1000, 3);
	jw_key(j, "mtbi_h");
	jw_num(j, run_mtbi_h(&r->m.pace.hazard), 3);
	jw_key(j, "stall_s");
	jw_num(j, r->m.pace.cost.stall_ms < 0 ? NAN : (double)r->m.pace.cost.stall_ms / 1000, 3);
	jw_key(j, "expected_loss_frac");
	jw_num(j,
	       r->m.ask.interval_ms == INT64_MAX
		       ? NAN
		       : run_loss_frac(&r->m.pace.cost, &r->m.pace.hazard, r->m.ask.interval_ms),
	       6);
}

void run_say_start(struct run *r, const struct run_result *x)
{
	struct str s = { 0 };
	struct jw j;

	open_line(r, &j, &s, "start");
	jw_key(&j, "job");
	jw_str(&j, r->book.job);
	write_step(&j, "resume_step", r->m.safe.local_step);
	jw_key(&j, "damaged");
	jw_int(&j, (int64_t)x->damage.v.n);
	jw_key(&j, "put_aside");
	jw_int(&j, x->quarantined);
	const char *name[16];
	size_t n = notice_sources(r->notices, name, 16);
	jw_key(&j, "notices");
	jw_arr(&j);
	for (size_t i = 0; i < n; i++)
		jw_str(&j, name[i]);
	jw_end_arr(&j);
	add_interval(r, &j);
	jw_put_time(&j, "deadline", r->deadline_ms == INT64_MAX ? INT64_MIN : r->deadline_ms);
	close_line(r, &j, &s);
	char text[600];
	if (r->o->store && cred_warning(text, sizeof text))
		say_people(r, "%s", text);
	if (x->damage.v.n && r->m.safe.local_step < 0)
		say_warning(
			"there are checkpoints and none can be used: begun at step 0, as --from-zero says");
	if (x->quarantined)
		say_people(r,
			   "%d file%s in '%s' that never became safe: quarantined in .tare-aside",
			   x->quarantined, text_if(x->quarantined > 1, "s"), r->o->watch);
	if (r->m.safe.local_step >= 0)
		say_people(r, "attempt %d of %s resumes from step %" PRId64, r->book.attempt + 1,
			   r->book.job, r->m.safe.local_step);

	/* of a small budget the part to save and end with is most of it */
	int64_t budget = r->o->budget_nano, spent = r->book.spent_nano,
		kept = run_machine_kept_nano(&r->m);
	char budget_text[DEC_BUF], spent_text[DEC_BUF], kept_text[DEC_BUF], left_text[DEC_BUF];
	if (budget < 0 || r->book.usd_hour_nano < 0)
		return;
	say_people(
		r,
		"budget %s %s: %s spent so far, %s kept to save and end with; %s left to work with",
		dec_format_people(budget_text, nano_to_dec(budget), 2),
		text_or(r->o->currency, "USD"),
		dec_format_people(spent_text, nano_to_dec(spent), 2),
		dec_format_people(kept_text, nano_to_dec(kept), 2),
		dec_format_people(left_text, nano_to_dec(max_i64(budget - spent - kept, 0)), 2));
}

void run_say_notice(struct run *r, const struct run_notice *n)
{
	static const char *const kind[] = { "none", "rebalance", "stop", "withdrawn" };
	int64_t left = n->at - tm_mono_ms();
	struct str s = { 0 };
	struct jw j;
	char span[TM_BUF];

	open_line(r, &j, &s, "notice");
	jw_key(&j, "kind");
	jw_str(&j, kind[n->kind]);
	jw_key(&j, "source");
	jw_str(&j, n->source);
	jw_key(&j, "what");
	jw_str(&j, n->what);
	jw_key(&j, "at");
	if (n->kind == NOTICE_STOP)
		jw_time(&j, run_wall(r, n->at));
	else
		jw_null(&j);
	close_line(r, &j, &s);
	if (n->kind == NOTICE_STOP)
		say_people(r, "notice from %s: %s; %s left", n->source, n->what,
			   left > 0 ? tm_format_span(span, left) : "no time");
	else
		say_people(r, "notice from %s: %s", n->source, n->what);
}

void run_say_asked(struct run *r, const struct run_ask *a, int told)
{
	struct str s = { 0 };
	struct jw j;

	open_line(r, &j, &s, "asked");
	jw_key(&j, "for");
	jw_str(&j, a->end ? "stop" : "save");
	jw_key(&j, "why");
	jw_str(&j, a->why);
	jw_key(&j, "by");
	jw_str(&j, r->m.ask.sock ? "socket" : "signal");
	jw_key(&j, "told");
	jw_int(&j, told);
	jw_key(&j, "until");
	if (a->until == INT64_MAX)
		jw_null(&j);
	else
		jw_time(&j, run_wall(r, a->until));
	close_line(r, &j, &s);
}

void run_say_status(struct run *r)
{
	int64_t spent = run_book_spent(&r->book, run_wall(r, tm_mono_ms()));
	const char *problem = notice_problem(r->notices);
	struct str s = { 0 };
	struct jw j;

	open_line(r, &j, &s, "status");
	write_step(&j, "step", r->m.pace.step);
	add_safe(r, &j);
	add_interval(r, &j);
	write_money(&j, "spent", spent);
	write_money(&j, "usd_hour", r->book.usd_hour_nano);
	jw_key(&j, "currency");
	jw_str(&j, spent < 0 ? NULL : text_or(r->o->currency, "USD"));
	jw_key(&j, "notice_problem");
	jw_str(&j, problem);
	close_line(r, &j, &s);
}

void run_say_deaf(const struct run *r, const char *problem)
{
	struct str s = { 0 };
	struct jw j;

	if (!problem) {
		say_people(r, "who tells of notices answers again");
		return;
	}
	say_warning(
		"no notice can be heard: %s. The machine may go without a word; whom to ask: --notice",
		problem);
	open_line(r, &j, &s, "problem");
	jw_key(&j, "what");
	jw_str(&j, problem);
	close_line(r, &j, &s);
}

void run_say_safe(struct run *r)
{
	struct str s = { 0 };
	struct jw j;

	open_line(r, &j, &s, "safe");
	jw_key(&j, "step");
	jw_int(&j, r->m.safe.local_step);
	jw_key(&j, "id");
	jw_str(&j, r->m.safe.local_id);
	jw_key(&j, "where");
	jw_str(&j, "folder");
	add_interval(r, &j);
	close_line(r, &j, &s);

	/* the interval is said when it is first known and when it moved by a quarter */
	char span[TM_BUF];
	int64_t interval_ms = r->m.ask.interval_ms;
	double loss = run_loss_frac(&r->m.pace.cost, &r->m.pace.hazard, interval_ms),
	       was = (double)r->told.interval_ms;
	if (r->o->every_ms || interval_ms == INT64_MAX || r->m.pace.cost.stall_ms < 0)
		return;
	if (isnan(loss) || (was > 0 && fabs((double)interval_ms - was) < was / 4))
		return;
	r->told.interval_ms = interval_ms;
	say_people(
		r,
		"a checkpoint stops it for %.2f s; one every %s: %.2f %% of the time is expected to be lost (an interruption every %.0f h)",
		(double)r->m.pace.cost.stall_ms / 1000, tm_format_span(span, interval_ms),
		loss * 100, run_mtbi_h(&r->m.pace.hazard));
}

void run_say_stored(struct run *r)
{
	struct str s = { 0 };
	struct jw j;

	open_line(r, &j, &s, "safe");
	jw_key(&j, "step");
	jw_int(&j, r->m.safe.stored_step);
	jw_key(&j, "where");
	jw_str(&j, "store");
	jw_key(&j, "push_s");
	jw_num(&j, (double)r->m.pace.cost.push_ms / 1000, 3);
	close_line(r, &j, &s);
}

/* At the start only what is late, or must be on demand, is worth a word. */
void run_say_next(struct run *r, const struct run_next *n, bool begins)
{
	static const char *const text[] = {
		[SPOT_NONE] = "wait for spot", [SPOT_SPOT] = "spot", [SPOT_OD] = "on demand"
	};

	if (!n->known)
		return;
	if (!begins)
		say_people(r, "next attempt: %s (%s)%s%s", text[n->hold], n->why,
			   text_if(n->set, ": "), text_or(n->set, ""));
	else if (n->late)
		say_people(r, "the deadline will be missed: %s", n->why);
	else if (n->hold == SPOT_OD && r->o->plan.here == SPOT_SPOT)
		say_people(r, "on spot the deadline is at risk: %s", n->why);
}

void run_say_price(struct run *r, int64_t was_nano)
{
	struct str s = { 0 };
	struct jw j;
	char now[DEC_BUF], was[DEC_BUF];
	int64_t nano = r->book.usd_hour_nano,
		by = was_nano > nano ? was_nano - nano : nano - was_nano;

	open_line(r, &j, &s, "price");
	write_money(&j, "usd_hour", nano);
	write_money(&j, "was", was_nano);
	close_line(r, &j, &s);
	if (was_nano < 0 || by >= was_nano / 10)
		say_people(r, "the machine costs %s $ an hour now%s%s",
			   dec_format(now, nano_to_dec(nano)), text_if(was_nano >= 0, ", it was "),
			   was_nano < 0 ? "" : dec_format(was, nano_to_dec(was_nano)));
}

void run_say_not_run(struct run *r, const char *what)
{
	struct str s = { 0 };
	struct jw j;

	open_line(r, &j, &s, "problem");
	jw_key(&j, "what");
	jw_str(&j, what);
	close_line(r, &j, &s);
}

void run_say_failed(struct run *r, const char *what)
{
	run_say_not_run(r, what);
	say_people(r, "%s", what);
}

void run_say_elsewhere(struct run *r, int64_t step)
{
	char text[512];

	snprintf(
		text, sizeof text,
		"the program has saved step %" PRId64
		", but not in '%.200s': name its folder with --checkpoint-dir, or let it save in $TARE_CHECKPOINT_DIR",
		step, r->o->dir);
	run_say_failed(r, text);
}

void run_say_damage(struct run *r, const struct ckpt_damage *d)
{
	for (size_t i = 0; i < d->v.n; i++) {
		const struct ckpt_bad *b = &d->v.v[i];
		struct str s = { 0 };
		struct jw j;
		if (ckpt_damage_knows(&r->told.damage, b))
			continue;
		open_line(r, &j, &s, "damaged");
		jw_key(&j, "step");
		jw_int(&j, strtoll(b->id, NULL, 10));
		jw_key(&j, "id");
		jw_str(&j, b->id);
		jw_key(&j, "where");
		jw_str(&j, b->stored ? "store" : "folder");
		jw_key(&j, "what");
		jw_str(&j, b->why);
		jw_key(&j, "mended");
		jw_bool(&j, b->mended);
		close_line(r, &j, &s);
		say_warning("the checkpoint of step %" PRId64 " in the %s %s: %s",
			    (int64_t)strtoll(b->id, NULL, 10),
			    b->stored ? "object store" : "folder",
			    b->mended ? "could not be used and was fetched again"
				      : "cannot be used and is passed over",
			    b->why);
	}
	ckpt_damage_merge(&r->told.damage, d);
}

void run_say_given_up(struct run *r, int sig)
{
	char what[PATH_MAX + 160];

	snprintf(
		what, sizeof what,
		r->o->store
			? "SIG%s: the last upload is given up; what is in '%s' goes to the store when this is started again"
			: "SIG%s: the last save into '%s' is given up",
		sigabbrev_np(sig), r->o->dir);
	run_say_failed(r, what);
}

static const char *why_in_words(const struct run_verdict *v, char buf[64])
{
	int code = v->child_code;

	switch (v->why) {
	case RUN_WHY_FAILED:
		if (code == RUN_AGAIN)
			return "interrupted";
		if (code > 128 && sigabbrev_np(code - 128))
			snprintf(buf, 64, "ended by SIG%s", sigabbrev_np(code - 128));
		else
			snprintf(buf, 64, "failed with exit status %d", code);
		return buf;
	case RUN_WHY_DEADLINE: return "the deadline is reached";
	case RUN_WHY_BUDGET: return "the budget is reached";
	case RUN_WHY_MAX_HOURLY: return "the machine costs more than --max-hourly";
	case RUN_WHY_DRILLED: return "the restore drill is over";
	default: return run_why_word(v->why);
	}
}

void run_say_end(struct run *r, const struct run_verdict *v, int64_t now)
{
	struct str s = { 0 };
	int64_t safe = run_machine_safe_step(&r->m),
		spent = run_book_spent(&r->book, run_wall(r, now));
	struct jw j;
	char span[TM_BUF], why[64];
	int64_t lost = r->book.saved_ms == INT64_MIN ? now - r->m.start_at
						     : run_wall(r, now) - r->book.saved_ms;

	open_line(r, &j, &s, "end");
	jw_key(&j, "why");
	jw_str(&j, r->end->why);
	jw_key(&j, "code");
	jw_int(&j, r->end->code);
	jw_key(&j, "child_code");
	jw_int(&j, v->child_code);
	jw_key(&j, "start_again");
	jw_bool(&j, r->end->code == RUN_AGAIN);
	add_safe(r, &j);
	jw_key(&j, "lost_s");
	jw_num(&j, v->why != RUN_WHY_DONE ? (double)lost / 1000 : 0, 3);
	write_money(&j, "spent", spent);
	jw_key(&j, "next");
	if (v->why != RUN_WHY_DONE)
		run_next_put(&j, &r->end->next);
	else
		jw_null(&j);
	close_line(r, &j, &s);
	bool asked = r->m.pace.heard || r->o->watch || r->o->ask_signal;
	bool saves = asked || r->m.safe.local_step >= 0;
	/* a command that never saved and failed by itself says why alone */
	if (v->why == RUN_WHY_DONE || (!r->m.why && !saves))
		return;
	if (safe >= 0)
		say_people(r, "%s; step %" PRId64 " is safe%s, %s of work is not%s",
			   why_in_words(v, why), safe, text_if(r->o->store, " in the store"),
			   tm_format_span(span, max_i64(lost, 0)),
			   text_if(r->end->code == RUN_AGAIN, "; start me again"));
	else
		say_people(r, "%s; NO checkpoint is safe%s", why_in_words(v, why),
			   text_if(r->o->store && r->m.safe.local_step >= 0,
				   " in the store (one is in the folder on this machine)"));
	if (safe < 0 && r->m.safe.local_step < 0 && !asked)
		say_people(
			r,
			"nothing was heard of libtare; a program without it is asked by --checkpoint-signal SIG, and --watch DIR takes what it writes (tare run --help)");
}
