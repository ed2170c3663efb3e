/*
 * The machine of a run (run/machine.h): what was recorded of real runs (traces/, by
 * record-traces.py) is heard again and must be answered by the same actions; and whatever happens,
 * in any order, some things never do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/random.h"
#include "base/str.h"
#include "run/machine.h"
#include "run/run.h"
#include "run/run_trace.h"

/* ---- a line of a trace, read ------------------------------------------------------------- */

static struct sv value_of(struct sv line, const char *name)
{
	char key[40];
	int n = snprintf(key, sizeof key, " %s=", name);

	for (size_t i = 0; i + (size_t)n <= line.n; i++) {
		if (memcmp(line.p + i, key, (size_t)n) != 0)
			continue;
		struct sv v = sv_from(line, i + (size_t)n);
		size_t end = 0;
		if (v.n && *v.p == '"')
			for (end = 1; end < v.n && v.p[end] != '"';)
				end++;
		while (end < v.n && v.p[end] != ' ')
			end++;
		return (struct sv){ v.p, end };
	}
	print_error("no %s in '%.*s'\n", name, (int)line.n, line.p);
	fail();
	return (struct sv){ 0 };
}

static int64_t time_of(struct sv v)
{
	int64_t at = 0;

	if (sv_is(v, "never"))
		return INT64_MAX;
	if (sv_is(v, "unset"))
		return INT64_MIN;
	if (sv_is(v, "none"))
		return -1;
	assert_int_equal(sv_i64(v, &at), 0);
	return at;
}

static void read_value(const struct run_trace_row *row, struct sv v, struct arena *mem, char *at)
{
	int64_t i64 = 0;
	double real;
	bool quoted = v.n && *v.p == '"';
	struct sv text = quoted ? (struct sv){ v.p + 1, v.n - 2 } : (struct sv){ 0 };

	switch (row->type) {
	case RUN_TRACE_TIME:
		i64 = time_of(v);
		memcpy(at, &i64, sizeof i64);
		break;
	case RUN_TRACE_I64:
		assert_int_equal(sv_i64(v, &i64), 0);
		memcpy(at, &i64, sizeof i64);
		break;
	case RUN_TRACE_INT:
		assert_int_equal(sv_i64(v, &i64), 0);
		memcpy(at, &(int){ (int)i64 }, sizeof(int));
		break;
	case RUN_TRACE_BOOL: memcpy(at, &(bool){ sv_is(v, "1") }, sizeof(bool)); break;
	case RUN_TRACE_REAL:
		real = strtod(v.p, NULL);
		memcpy(at, &real, sizeof real);
		break;
	case RUN_TRACE_WORD:
		while (i64 < (int64_t)row->nwords && !sv_is(v, row->words[i64]))
			i64++;
		assert_int_not_equal(i64, row->nwords);
		memcpy(at, &(int){ (int)i64 }, sizeof(int));
		break;
	case RUN_TRACE_TEXT:
		*(const char **)(void *)at = quoted ? arena_sv(mem, text) : NULL;
		break;
	case RUN_TRACE_CHARS: snprintf(at, row->size, "%.*s", (int)text.n, text.p); break;
	}
}

static void read_values(const struct run_trace_table *t, int kind, struct sv line,
			struct arena *mem, void *to)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i].kind == kind)
			read_value(&t->row[i], value_of(line, t->row[i].name), mem,
				   (char *)to + t->row[i].at);
}

/* ---- heard again ------------------------------------------------------------------------- */

struct replay {
	const char *path;
	int line; /* of `next` */
	struct sv rest, next;
	struct arena mem;
	struct run_machine m;
	struct run_drill drill;
	int events;
};

static bool decided(void *ctx) /* the trace says so; it is there to be asked */
{
	(void)ctx;
	return false;
}

static void advance(struct replay *p)
{
	p->next = p->rest.n ? sv_cut(p->rest, '\n', &p->rest) : (struct sv){ 0 };
	p->line++;
}

static void expect(struct replay *p, struct str *got)
{
	if (!sv_eq(p->next, str_sv(got))) {
		print_error("%s:%d: expected '%.*s', got '%s'\n", p->path, p->line, (int)p->next.n,
			    p->next.p, str_z(got));
		fail();
	}
	str_free(got);
	advance(p);
}

static bool is_event(struct sv line)
{
	return line.n && *line.p == '@';
}

static bool is_answer(int kind)
{
	return kind == RUN_EV_ASKED || kind == RUN_EV_FOLDER || kind == RUN_EV_QUIET ||
	       kind == RUN_EV_SOURCES || kind == RUN_EV_DRILL || kind == RUN_EV_RECALLED ||
	       kind == RUN_EV_SPAWNED;
}

/* The event that the next line is. */
static int64_t read_event(struct replay *p, struct run_event *e)
{
	struct sv rest, at = sv_cut(p->next, ' ', &rest), name = sv_cut(rest, ' ', &rest);
	int64_t now;

	assert_true(is_event(p->next));
	assert_int_equal(sv_i64(sv_from(at, 1), &now), 0);
	*e = (struct run_event){ 0 };
	while (e->kind < RUN_EVENTS && !sv_is(name, run_trace_events.name[e->kind]))
		e->kind++;
	assert_int_not_equal(e->kind, RUN_EVENTS);
	read_values(&run_trace_events, (int)e->kind, p->next, &p->mem, e);
	return now;
}

/* One event, what follows from it, and the answers in between; when it was. */
static int64_t hear(struct replay *p)
{
	struct run_actions todo;
	struct run_event e;
	int64_t now = read_event(p, &e);

	advance(p);
	p->events++;
	run_step(&p->m, &e, now, &todo);
	for (int i = 0; i < todo.n; i++) {
		struct str got = { 0 };
		str_addf(&got, "  %s", run_trace_actions.name[todo.v[i].kind]);
		run_trace_put(&run_trace_actions, (int)todo.v[i].kind, &todo.v[i], 0, &got);
		expect(p, &got);
		while (is_event(p->next)) { /* an answer? */
			struct run_event answer;
			read_event(p, &answer);
			if (!is_answer((int)answer.kind))
				break;
			hear(p);
		}
	}
	return now;
}

/* The loop waits from the tick on, however long the answers took. */
static void hear_and_wait(struct replay *p)
{
	int64_t now = hear(p);

	if (sv_starts(p->next, SV("  wait"))) {
		struct str got = { 0 };
		str_addf(&got, "  wait ms=%d", run_machine_wait_ms(&p->m, now));
		expect(p, &got);
	}
}

static void begin(struct replay *p)
{
	struct run_rules rules = { 0 };
	struct run_drill *drill = NULL;

	read_values(&run_trace_rules, 0, p->next, &p->mem, &rules);
	advance(p);
	if (sv_starts(p->next, SV("drill "))) {
		drill = &p->drill;
		run_drill_init(drill);
		read_values(&run_trace_drill, 0, p->next, &p->mem, drill);
		if (sv_is(value_of(p->next, "decides"), "1"))
			drill->decided = decided;
		advance(p);
	}
	run_machine_init(&p->m, &rules, drill, 0);
}

static void replay(const char *path)
{
	struct replay p = { .path = path, .line = 0 };
	FILE *f = fopen(path, "re");
	static char text[1 << 20];
	size_t n = f ? fread(text, 1, sizeof text, f) : 0;

	assert_non_null(f);
	fclose(f);
	assert_in_range(n, 100, sizeof text - 1);
	p.rest = (struct sv){ text, n };
	advance(&p);
	while (p.next.n)
		if (sv_starts(p.next, SV("rules ")))
			begin(&p);
		else if (is_event(p.next))
			hear_and_wait(&p);
		else {
			print_error("%s:%d: '%.*s' was not done\n", path, p.line, (int)p.next.n,
				    p.next.p);
			fail();
		}
	assert_int_equal(p.m.phase, RUN_OVER);
	assert_in_range(p.events, 3, 100000);
	arena_free(&p.mem);
}

static void recorded(void **state)
{
	const char *top = getenv("TARE_SRC");
	char pattern[4096];
	glob_t g;

	(void)state;
	snprintf(pattern, sizeof pattern, "%s/tests/unit/run/traces/*.txt", top ? top : ".");
	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++)
		replay(g.gl_pathv[i]);
	assert_in_range(g.gl_pathc, 15, 100);
	globfree(&g);
}

/* Ranks end their steps at different times: all are told a step that none of them has done. */
static void step_of_all_ranks(void **state)
{
	struct run_rules rules = { .budget_nano = -1, .max_hourly_nano = -1 };
	struct run_machine m;

	(void)state;
	run_machine_init(&m, &rules, NULL, 0);
	assert_int_equal(run_machine_step_for_all(&m, 2, 2), -1); /* no step was told yet */
	m.pace.step = 100;
	assert_int_equal(run_machine_step_for_all(&m, 0, 0), -1); /* one program: now */
	assert_int_equal(run_machine_step_for_all(&m, 2, 2), 102);
	m.pace.step_us = 100000; /* ten steps a second */
	assert_int_equal(run_machine_step_for_all(&m, 2, 2), 110);
	assert_int_equal(run_machine_step_for_all(&m, 2, 8), 130); /* some are elsewhere */
	m.pace.step_us = 5000000;
	assert_int_equal(run_machine_step_for_all(&m, 2, 2), 102);
}

/* ---- whatever happens -------------------------------------------------------------------- */

/* What is outside of the machine, as far as it could be seen from what it did. */
struct world {
	struct run_machine m;
	struct run_drill drill;
	uint64_t seed;
	int64_t now;
	int64_t gone_at; /* the machine that it runs on; INT64_MAX: nobody said so */
	int64_t term_by; /* the command was told that it has time until then */
	int spawns, exits, stops, idle;
	bool restoring, alive, termed, killed, save_busy, away_busy, repriced;
	enum run_job save_job;
	int64_t step, pushed;
	char id[40];
};

static uint64_t die(struct world *w, uint64_t sides)
{
	return random_below(&w->seed, sides);
}

static bool one_in(struct world *w, uint64_t n)
{
	return die(w, n) == 0;
}

static void happen(struct world *w, const struct run_event *e);

static void answer_ask(struct world *w, const struct run_action *a)
{
	int sock = (int)die(w, 3), told = sock ? sock : (int)die(w, 2);

	if (!w->alive) { /* nobody is there yet; ranks elsewhere read it later */
		assert_int_equal(w->m.phase, RUN_RESTORING);
		sock = told = 0;
	}
	happen(w, &(struct run_event){ .kind = RUN_EV_ASKED, .asked = { a->ask, sock, told } });
}

static void answer_scan(struct world *w, const struct run_action *a)
{
	struct run_event e = { .kind = RUN_EV_FOLDER,
			       .folder = { .at = w->now - (int64_t)die(w, 3),
					   .final = a->final,
					   .files = (int)die(w, 3),
					   .same_seen = !one_in(w, 3),
					   .same_kept = one_in(w, 3),
					   .step = (int64_t)die(w, 100) - 1,
					   .opened = one_in(w, 2),
					   .problem = one_in(w, 10) ? "no such folder" : NULL } };

	assert_true(w->m.rules.watch && !w->save_busy);
	assert_true(a->final ? !w->alive : w->alive);
	e.folder.least = e.folder.step;
	happen(w, &e);
}

static void begin_job(struct world *w, const struct run_action *a)
{
	bool *busy = a->job.job == RUN_JOB_PUSH ? &w->away_busy : &w->save_busy;

	assert_false(*busy); /* a thread does one thing */
	*busy = true;
	if (a->job.job == RUN_JOB_PUSH) {
		assert_true(w->m.rules.store);
		w->pushed = w->step;
		return;
	}
	w->save_job = a->job.job;
	w->restoring = a->job.job == RUN_JOB_RESTORE;
	if (a->job.job == RUN_JOB_COMMIT) {
		assert_true(a->job.step >
			    w->m.safe.local_step); /* never an older one in place of a newer */
		w->step = a->job.step;
	}
}

static void recall(struct world *w)
{
	bool deadline = one_in(w, 3);
	struct run_event e = {
		.kind = RUN_EV_RECALLED,
		.recalled = { .cost = { (int64_t)die(w, 2000) - 1, (int64_t)die(w, 20000) - 1,
					(int64_t)die(w, 20000) - 1, (int64_t)die(w, 20000) - 1 },
			      .step_us = (int64_t)die(w, 1000000) - 1,
			      .push_bytes_s = -1,
			      .deadline = deadline ? w->now + (int64_t)die(w, 200000) : INT64_MAX }
	};

	happen(w, &e);
}

static void exit_with(struct world *w, const struct run_verdict *v)
{
	bool safe = run_machine_safe_step(&w->m) >= 0;

	assert_false(w->alive);
	w->exits++;
	if (v->code == RUN_AGAIN && v->why == RUN_WHY_INTERRUPTED)
		assert_true(safe); /* start me again: nothing is lost */
	if (v->why == RUN_WHY_DONE)
		assert_null(v->lost);
	else
		assert_non_null(v->lost);
	if (v->ack)
		assert_true(safe && w->m.stop.noticed);
}

static void carry_out(struct world *w, const struct run_action *a)
{
	switch (a->kind) {
	case RUN_DO_JOB: begin_job(w, a); break;
	case RUN_DO_HURRY: assert_true(w->away_busy); break;
	case RUN_DO_RECALL: recall(w); break;
	case RUN_DO_SPAWN:
		assert_int_equal(++w->spawns, 1);
		assert_int_equal(w->stops + w->exits, 0);
		w->alive = !one_in(w, 20);
		happen(w, &(struct run_event){ .kind = RUN_EV_SPAWNED, .spawned = -!w->alive });
		break;
	case RUN_DO_ASK:
		w->stops += a->ask.end;
		assert_in_range(w->stops, 0, 1); /* it is told to end once */
		if (a->ask.end) /* one without any time gets it with the next look around */
			w->term_by = a->ask.until > w->now ? a->ask.until : w->now + 1;
		answer_ask(w, a);
		break;
	case RUN_DO_FORWARD: assert_true(w->alive); break;
	case RUN_DO_TERM:
		assert_true(w->alive && !w->termed);
		w->termed = true;
		break;
	case RUN_DO_KILL: w->killed = true; break;
	case RUN_DO_SCAN: answer_scan(w, a); break;
	case RUN_DO_CHECK_OPEN:
		happen(w, &(struct run_event){ .kind = RUN_EV_QUIET, .open = one_in(w, 3) });
		break;
	case RUN_DO_HEAR:
		happen(w, &(struct run_event){ .kind = RUN_EV_SOURCES,
					       .problem = one_in(w, 2) ? "deaf" : NULL });
		break;
	case RUN_DO_DRILL:
		assert_false(w->drill.told); /* it is asked until it is decided */
		happen(w, &(struct run_event){ .kind = RUN_EV_DRILL, .told = one_in(w, 4) });
		break;
	case RUN_DO_EXIT: exit_with(w, &a->verdict); break;
	default: break;
	}
}

static void happen(struct world *w, const struct run_event *e)
{
	enum run_phase was = w->m.phase;
	struct run_actions todo;
	bool written = false, greets = e->kind == RUN_EV_MESSAGE && e->msg.kind == RUN_HELLO;
	int told = 0, priced = 0;

	if (e->kind == RUN_EV_ENDED)
		w->alive = false;
	run_step(&w->m, e, w->now, &todo);
	assert_true(w->m.phase >= was); /* never back */
	for (int i = 0; i < todo.n; i++) {
		const struct run_action *a = &todo.v[i];
		assert_int_equal(w->exits, 0); /* nothing is done after the end */
		written |= a->kind == RUN_DO_BEAT;
		told += a->kind == RUN_DO_SAY_ASKED;
		priced += a->kind == RUN_DO_TELL_PRICE;
		if (a->kind == RUN_DO_SAY_SAFE)
			assert_true(written); /* not told before it is written down */
		carry_out(w, a);
	}
	if (greets) /* one that comes late has the price of its start in its environment */
		assert_int_equal(priced, w->repriced);
	w->repriced |= priced > 0;
	/* whoever was asked is told of, once */
	assert_int_equal(told, e->kind == RUN_EV_ASKED && e->asked.told > 0);
}

static void save_ends(struct world *w)
{
	struct run_event e = { .kind = RUN_EV_RESULT,
			       .result = { .job = w->save_job,
					   .rc = one_in(w, 4) ? -5 : 0,
					   .changed = one_in(w, 2),
					   .step = w->step,
					   .took_ms = (int64_t)die(w, 3000),
					   .id = w->id,
					   .problem = "disk full" } };
	struct run_event restored = { .kind = RUN_EV_RESTORED,
				      .restored = { one_in(w, 20) ? -5 : 0, w->step, -1, w->id } };

	if (w->save_job == RUN_JOB_LOOK && one_in(w, 2))
		e.result.step = ++w->step;
	snprintf(w->id, sizeof w->id, "%012d", (int)w->step);
	w->save_busy = false;
	bool restores = w->restoring;
	w->restoring = false;
	happen(w, restores ? &restored : &e);
}

static void away_ends(struct world *w)
{
	struct run_event e = { .kind = RUN_EV_RESULT,
			       .result = { .job = RUN_JOB_PUSH,
					   .rc = one_in(w, 4) ? -5 : 0,
					   .step = w->pushed,
					   .took_ms = (int64_t)die(w, 3000),
					   .written_bytes = 2 << 20,
					   .id = w->id,
					   .problem = "no route" } };

	w->away_busy = false;
	happen(w, &e);
}

static void say_notice(struct world *w)
{
	struct run_event e = { .kind = RUN_EV_NOTICE,
			       .notice = { (enum notice_kind)(1 + die(w, 3)),
					   w->now + (int64_t)die(w, 120000), "aws", "it goes" } };

	if (e.notice.kind == NOTICE_STOP)
		w->gone_at = e.notice.at < w->gone_at ? e.notice.at : w->gone_at;
	else if (e.notice.kind == NOTICE_GONE && w->m.phase < RUN_STOPPING)
		w->gone_at = INT64_MAX;
	happen(w, &e);
}

static void send_signal(struct world *w)
{
	static const int sigs[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGQUIT, SIGWINCH };
	struct run_event e = { .kind = RUN_EV_SIGNAL };

	e.signal.sig = sigs[die(w, sizeof sigs / sizeof *sigs)];
	e.signal.terminal = one_in(w, 2);
	e.signal.by_tree = one_in(w, 3);
	happen(w, &e);
}

static void speak(struct world *w)
{
	struct run_event e = { .kind = RUN_EV_MESSAGE };

	e.msg.kind = (enum runmsg_kind)die(w, RUN_SAVE);
	e.msg.step = (int64_t)die(w, 100);
	e.msg.stall_ms = (int64_t)die(w, 1000);
	happen(w, &e);
}

static void end_command(struct world *w)
{
	static const int codes[] = { 0, 1, 85, 130, 137, 143 };
	int code = codes[die(w, sizeof codes / sizeof *codes)];

	happen(w, &(struct run_event){ .kind = RUN_EV_ENDED, .ended = { code, code < 128 } });
}

/* One thing that can happen now. */
static void random_event(struct world *w)
{
	struct run_event price = { .kind = RUN_EV_PRICE };
	bool runs = w->m.phase != RUN_FLUSH;

	switch (die(w, 24)) {
	case 0: runs ? say_notice(w) : send_signal(w); break;
	case 1: send_signal(w); break;
	case 2:
	case 3:
	case 4:
	case 5:
	case 6: speak(w); break;
	case 7:
		price.price.nano_hour = (int64_t)die(w, 4) * 1000000000;
		price.price.problem = one_in(w, 4) ? "no price" : NULL;
		if (runs)
			happen(w, &price);
		break;
	case 8:
		if (w->alive && (w->killed || one_in(w, 4)))
			end_command(w);
		break;
	default:
		if (w->save_busy && one_in(w, 2))
			save_ends(w);
		else if (w->away_busy)
			away_ends(w);
	}
}

/* Time passes as the loop lets it: at most what nothing is due in. */
static void tick(struct world *w)
{
	int ms = run_machine_wait_ms(&w->m, w->now);

	assert_in_range(ms, 0, 60000);
	w->idle = ms ? 0 : w->idle + 1;
	assert_in_range(w->idle, 0, 5); /* what is due is done, and is not due at once again */
	w->now += one_in(w, 2) ? ms : (int)die(w, (uint64_t)ms + 1);
	happen(w,
	       &(struct run_event){ .kind = RUN_EV_TICK, .spent_nano = (w->now / 10) * 1000000 });
	if (w->alive && w->stops && w->now >= w->term_by)
		assert_true(w->termed || w->killed);
	/* one that was announced to go finds nobody at work any more */
	if (!w->alive && w->m.why && w->now >= w->gone_at)
		assert_int_equal(w->m.phase, RUN_OVER);
	if (w->alive && w->gone_at != INT64_MAX && w->now >= w->gone_at)
		assert_true(w->killed);
}

static uint64_t lives; /* this one, for whoever looks at a failure */

static void live(uint64_t seed)
{
	struct world w = { .seed = seed, .now = 1000, .gone_at = INT64_MAX, .term_by = INT64_MAX };
	bool drill = one_in(&w, 4);
	struct run_rules rules = { .watch = one_in(&w, 2),
				   .store = one_in(&w, 2),
				   .notice_signal = one_in(&w, 4) ? SIGUSR2 : 0,
				   .grace_ms = (int64_t)die(&w, 40000),
				   .every_ms = one_in(&w, 2) ? 5000 : 0,
				   .budget_nano = one_in(&w, 4) ? 900000000000 : -1,
				   .max_hourly_nano = one_in(&w, 4) ? 2000000000 : -1,
				   .usd_hour_nano = 1000000000,
				   .deaf_ms = 8000 };
	int events = 0, last = 200 + (int)die(&w, 300);

	w.step = one_in(&w, 2) ? (int64_t)die(&w, 50) : -1;
	if (w.step >= 0)
		snprintf(w.id, sizeof w.id, "%012d", (int)w.step);
	run_drill_init(&w.drill);
	w.drill.interrupts = one_in(&w, 2);
	w.drill.decided = w.drill.interrupts ? NULL : decided;
	w.drill.stops = one_in(&w, 2);
	run_machine_init(&w.m, &rules, drill ? &w.drill : NULL, w.now);
	happen(&w, &(struct run_event){ .kind = RUN_EV_OPEN });
	for (; w.m.phase != RUN_OVER && events < last + 400; events++) {
		tick(&w);
		if (w.m.phase == RUN_OVER)
			break;
		if (events < last)
			random_event(&w);
		else if (w.alive)
			end_command(&w);
		else if (w.save_busy)
			save_ends(&w);
		else if (w.away_busy)
			away_ends(&w);
	}
	assert_int_equal(w.m.phase, RUN_OVER); /* it always comes to an end */
	assert_false(w.alive);
	assert_in_range(w.exits, 0, 1);
	if (w.spawns && w.m.begun)
		assert_int_equal(w.exits, 1);
}

static void anything(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20000; seed++)
		live(lives = seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded),
		cmocka_unit_test(step_of_all_ranks),
		cmocka_unit_test(anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
