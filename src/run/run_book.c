/*
 * What is known of the attempts of a run, in files of its folder:
 *
 *   runner         locked (flock) by the supervisor as long as it runs; its text says who
 *   attempt        the state of the attempt under way, "key value" lines, written again (durable)
 *                  every minute, sooner in the first one, and at every event
 *   attempts.csv   rows of the native kind `allocations`, appended when an attempt has ended: what
 *                  is safe as it is, what was lost as a row of its own with a state from which the
 *                  ledger knows the cause. `tare import DIR/attempts.csv` reads it
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/among.h"
#include "base/clean.h"
#include "base/dec.h"
#include "base/dirfd.h"
#include "base/fdio.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "ckpt/ckpt.h"
#include "run/run_priv.h"

#define HEADER \
	"job_id,name,user,gpus,gpu_ids,gpu_model,node,start,end,state,attempt,usd_gpu_hour,currency\n"

#define TOKEN_JOB 100 /* characters of the job's name in the token */

/* ---- the state --------------------------------------------------------------------------- */

struct state { /* of an attempt; times in ms */
	int64_t attempt, start, beat;
	int64_t saved, step; /* of the newest checkpoint; INT64_MIN and -1: there is none */
	int64_t ended, notice;
	/* of all attempts so far: nano-dollars, how often they were interrupted, how long they
	 * ran */
	int64_t spent, interruptions, seen_ms;
	int64_t nano_hour, since; /* the price of the machine, from when on; -1: not known */
	int64_t nano_gpu_hour;    /* the mean price of a GPU in the attempt; -1: not known */
	char node[256], boot[40], token[160], place[RUN_PLACE];
};

/* The lines of the file, in order. */
static const struct field {
	const char *key;
	size_t at, cap; /* cap 0: a number, else a text */
	bool optional;  /* left out where it is empty or INT64_MIN */
} fields[] = {
	{ "attempt", offsetof(struct state, attempt) },
	{ "start", offsetof(struct state, start) },
	{ "beat", offsetof(struct state, beat) },
	{ "saved", offsetof(struct state, saved), .optional = true },
	{ "step", offsetof(struct state, step) },
	{ "ended", offsetof(struct state, ended) },
	{ "notice", offsetof(struct state, notice) },
	{ "spent", offsetof(struct state, spent) },
	{ "interruptions", offsetof(struct state, interruptions) },
	{ "seen_ms", offsetof(struct state, seen_ms) },
	{ "node", offsetof(struct state, node), sizeof((struct state *)0)->node },
	{ "boot", offsetof(struct state, boot), sizeof((struct state *)0)->boot },
	{ "token", offsetof(struct state, token), sizeof((struct state *)0)->token },
	{ "nano_hour", offsetof(struct state, nano_hour) },
	{ "since", offsetof(struct state, since) },
	{ "nano_gpu_hour", offsetof(struct state, nano_gpu_hour) },
	{ "place", offsetof(struct state, place), RUN_PLACE, .optional = true },
};

static void parse_line(struct sv line, struct state *s)
{
	struct sv value, key = sv_cut(line, ' ', &value);
	int64_t v;

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const struct field *f = &fields[i];
		char *to = (char *)s + f->at;
		if (!sv_is(key, f->key))
			continue;
		if (f->cap)
			sv_clean(value.p ? value : SV(""), to, f->cap);
		else if (sv_i64(value, &v) == 0)
			memcpy(to, &v, sizeof v);
	}
}

static void format_state(const struct state *s, struct str *out)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const struct field *f = &fields[i];
		const char *from = (const char *)s + f->at;
		int64_t v = 0;
		if (!f->cap)
			memcpy(&v, from, sizeof v);
		bool is_empty = f->cap ? !*from : v == INT64_MIN;
		if (f->optional && is_empty)
			continue;
		if (f->cap)
			str_addf(out, "%s %s\n", f->key, from);
		else
			str_addf(out, "%s %" PRId64 "\n", f->key, v);
	}
}

/* False: none, or it cannot be used (then attempts are counted from 0 again). */
static bool read_state(struct run_book *b, struct state *ret)
{
	char buf[4096];
	int fd = openat(b->dir_fd, "attempt", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, sizeof buf);
	struct sv rest = { buf, n > 0 ? (size_t)n : 0 };

	if (fd >= 0)
		close(fd);
	*ret = (struct state){
		.attempt = -1, .saved = INT64_MIN, .step = -1, .nano_hour = -1, .nano_gpu_hour = -1
	};
	while (rest.n)
		parse_line(sv_cut(rest, '\n', &rest), ret);

	const struct state *s = ret;
	const int64_t most = INT64_C(253402300800000); /* year 10000 */
	if (s->attempt < 0 || s->attempt >= INT32_MAX || s->start <= 0)
		return false;
	if (s->start >= most || s->beat < s->start || s->beat >= most)
		return false;
	if (s->saved >= most || s->spent < 0 || s->spent >= INT64_C(1000000000000000000))
		return false;
	if (s->nano_hour > INT64_C(1000000000000000) || s->interruptions < 0 ||
	    s->interruptions >= 1000000)
		return false;
	return s->seen_ms >= 0 && s->seen_ms < most;
}

static int write_state(struct run_book *b, int64_t now_ms, bool ended, bool interrupted)
{
	struct state x = { .attempt = b->attempt,
			   .start = b->start_ms,
			   .beat = now_ms,
			   .saved = b->saved_ms,
			   .step = b->step,
			   .ended = ended,
			   .notice = b->notice,
			   .spent = b->spent_nano,
			   .interruptions = b->interruptions + (ended && interrupted),
			   .seen_ms = (int64_t)(b->seen_h * MS_HOUR),
			   .nano_hour = b->usd_hour_nano,
			   .since = b->since_ms,
			   .nano_gpu_hour = run_paid_gpu_hour(b, b->start_ms, now_ms) };
	struct str s = { 0 };

	if (ended) {
		int64_t spent = run_book_spent(b, now_ms);
		if (spent >= 0)
			x.spent = spent;
		x.seen_ms += now_ms - b->start_ms;
	}
	snprintf(x.node, sizeof x.node, "%s", b->node);
	snprintf(x.boot, sizeof x.boot, "%s", b->boot);
	snprintf(x.token, sizeof x.token, "%s", b->token);
	snprintf(x.place, sizeof x.place, "%s", text_or(b->o->place, ""));
	format_state(&x, &s);
	/* where it fails what is there says less, but nothing wrong */
	int r = file_replace_in(b->dir_fd, b->o->dir, "attempt", str_sv(&s), object_file_mode(),
				NULL);
	str_free(&s);
	return r;
}

int run_book_beat(struct run_book *b, int64_t now_ms)
{
	if (now_ms < b->start_ms) /* the clock was set back */
		now_ms = b->start_ms;
	if (now_ms < b->beat_ms)
		now_ms = b->beat_ms;
	b->beat_ms = now_ms;
	return write_state(b, now_ms, false, false);
}

/* ---- rows -------------------------------------------------------------------------------- */

static void add_cell(struct str *s, const char *z)
{
	bool quote = strpbrk(z, ",\"\n\r") != NULL;
	if (quote)
		str_addc(s, '"');
	for (; *z; z++) {
		if (*z == '"')
			str_addc(s, '"');
		str_addc(s, *z);
	}
	str_addz(s, quote ? "\"," : ",");
}

struct part {
	int64_t from, to;
	const char *state;
	int attempt;
	const char *node;
	int64_t nano_gpu_hour;
};

static void add_row(const struct run_book *b, const struct part *p, struct str *s)
{
	char from[TM_BUF], to[TM_BUF], usd[DEC_BUF], user[64];
	const struct passwd *pw = getpwuid(getuid());
	const char *who = getenv("SLURM_JOB_USER");

	if (p->to <= p->from)
		return;
	if (!who && pw)
		who = pw->pw_name;
	snprintf(user, sizeof user, "%s", text_or(who, ""));
	add_cell(s, b->job);
	add_cell(s, text_or(getenv("SLURM_JOB_NAME"), ""));
	add_cell(s, user);
	add_cell(s, b->gpus);
	add_cell(s, b->gpu_ids);
	add_cell(s, text_or(b->o->gpu_model, ""));
	add_cell(s, p->node);
	str_addf(s, "%s,%s,%s,%d,", tm_format(from, p->from), tm_format(to, p->to), p->state,
		 p->attempt);
	if (p->nano_gpu_hour >= 0)
		str_addf(s, "%s,%s\n", dec_format(usd, nano_to_dec(p->nano_gpu_hour)),
			 text_or(b->o->currency, "USD"));
	else
		str_addz(s, ",\n");
}

/* A row that a full disk or a kill cut is taken away first. */
static int append_row(struct run_book *b, struct sv text, struct err *err)
{
	int fd = file_open_in(b->dir_fd, b->o->dir, "attempts.csv", O_RDWR | O_CREAT,
			      object_file_mode(), err),
	    r = 0;
	struct stat st;
	off_t end;
	char c;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		r = -errno;
	for (end = r < 0 ? 0 : st.st_size; r >= 0 && end > 0; end--)
		if (pread(fd, &c, 1, end - 1) == 1 && c == '\n')
			break;
	if (r >= 0 && (ftruncate(fd, end) < 0 || lseek(fd, end, SEEK_SET) < 0))
		r = -errno;
	if (r >= 0 && !end)
		r = fd_write_all(fd, SV(HEADER));
	if (r >= 0)
		r = fd_write_all(fd, text);
	if (r >= 0 && fsync(fd) < 0)
		r = -errno;
	if (fd >= 0)
		close(fd);
	if (r < 0)
		return err_set(err, r, "cannot write '%s/attempts.csv': %s", b->o->dir,
			       strerror(-r));
	return 0;
}

/* old: the state of an attempt that another supervisor left; NULL: ours. */
static int add_attempt(struct run_book *b, const struct state *old, int64_t end, const char *state,
		       struct err *err)
{
	struct str s = { 0 };
	int64_t start = old ? old->start : b->start_ms, saved = old ? old->saved : b->saved_ms;
	int64_t kept = end; /* up to here nothing was lost */
	int attempt = old ? (int)old->attempt : b->attempt, r;
	const char *node = old ? old->node : b->node;

	if (state)
		kept = max_i64(start, min_i64(saved, end));
	add_row(b,
		&(struct part){ start, kept, "COMPLETED", attempt, node,
				old ? old->nano_gpu_hour : run_paid_gpu_hour(b, start, kept) },
		&s);
	add_row(b,
		&(struct part){ kept, end, text_or(state, "COMPLETED"), attempt, node,
				old ? old->nano_gpu_hour : run_paid_gpu_hour(b, kept, end) },
		&s);
	r = s.n ? append_row(b, str_sv(&s), err) : 0;
	str_free(&s);
	return r;
}

int run_book_end(struct run_book *b, int64_t now_ms, const char *state, struct err *err)
{
	int r;

	if (now_ms < b->start_ms)
		now_ms = b->start_ms;
	r = add_attempt(b, NULL, now_ms, state, err);
	if (r >= 0)
		r = write_state(b, now_ms, true, b->notice);
	return r;
}

/* ---- who and what ------------------------------------------------------------------------ */

static void find_gpus(struct run_book *b)
{
	static const char *const lists[] = { "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
					     "SLURM_JOB_GPUS" };
	const char *list = NULL, *slurm = getenv("SLURM_GPUS_ON_NODE");
	int64_t n = 0, given;
	char ids[512];

	for (size_t i = 0; i < sizeof lists / sizeof *lists && !list; i++)
		list = getenv(lists[i]);
	sv_clean(sv_of(text_or(list, "")), ids, sizeof ids);
	if (*ids && ids[0] != '-' && strcmp(ids, "NoDevFiles") != 0)
		for (char *p = ids, *end = p + strlen(p); p <= end; p++)
			if (p == end || *p == ',') {
				*p = p == end ? 0 : ';';
				n++;
			}
	if (!n && slurm && sv_i64(sv_of(slurm), &given) == 0 && given > 0 && given < 1000)
		n = given;
	snprintf(b->gpus, sizeof b->gpus, "%" PRId64, n);
	if (b->o->gpus)
		snprintf(b->gpus, sizeof b->gpus, "%s", b->o->gpus);
	char as[24];
	snprintf(as, sizeof as, "%" PRId64, n);
	if (n && *ids && !strcmp(as, b->gpus) && !strchr(ids, ' ') && strncmp(ids, "MIG", 3) != 0)
		snprintf(b->gpu_ids, sizeof b->gpu_ids, "%s", ids);
}

static void find_names(struct run_book *b)
{
	const char *node = getenv("SLURMD_NODENAME"), *slurm = getenv("SLURM_JOB_ID"),
		   *leaf = strrchr(b->o->dir, '/');
	char host[256] = "", raw[400];

	gethostname(host, sizeof host - 1);
	if (!node)
		node = text_or(getenv("NODE_NAME"), host);
	sv_clean(sv_of(node), b->node, sizeof b->node);
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	size_t n = 0;
	struct sv rest;
	if (f) {
		n = fread(raw, 1, sizeof raw, f);
		fclose(f);
	}
	sv_clean(sv_cut((struct sv){ raw, n }, '\n', &rest), b->boot, sizeof b->boot);
	if (b->o->job || slurm)
		snprintf(raw, sizeof raw, "%s", text_or(b->o->job, slurm));
	else
		snprintf(raw, sizeof raw, "%s-%.80s", b->node,
			 leaf && leaf[1] ? leaf + 1 : b->o->dir);
	sv_clean(sv_of(raw), b->job, sizeof b->job);
	find_gpus(b);
}

static int take_lock(struct run_book *b, struct err *err)
{
	char who[320] = "";
	ssize_t n;

	b->lock_fd = file_open_in(b->dir_fd, b->o->dir, "runner", O_RDWR | O_CREAT,
				  object_file_mode(), err);
	if (b->lock_fd < 0) {
		err_hint(err, "name another folder with --checkpoint-dir");
		return -EACCES;
	}
	if (flock(b->lock_fd, LOCK_EX | LOCK_NB) < 0) {
		n = pread(b->lock_fd, who, sizeof who - 1, 0);
		char clean[320];
		sv_clean((struct sv){ who, n > 0 ? (size_t)n : 0 }, clean, sizeof clean);
		err_set(err, -EBUSY, "another tare run has '%s' (%s)", b->o->dir,
			filled_or(clean, "no name"));
		err_hint(err, "wait for it to end, or name another folder with --checkpoint-dir");
		return -EBUSY;
	}
	snprintf(who, sizeof who, "pid %ld on %s\n", (long)getpid(), b->node);
	if (ftruncate(b->lock_fd, 0) < 0 || pwrite(b->lock_fd, who, strlen(who), 0) < 0) {
		int e = errno;
		return err_set(err, -e, "cannot write in '%s': %s", b->o->dir, strerror(e));
	}
	return 0;
}

/* By errno. */
static int tell_cannot(struct err *err, const char *what, const char *dir)
{
	int r = err_set(err, -errno, "cannot %s '%s': %s", what, dir, strerror(errno));

	err_hint(err, "name another folder with --checkpoint-dir");
	return r;
}

static int make_dir(const char *dir, struct err *err)
{
	char parent[4200];
	const char *slash = strrchr(dir, '/');

	if (mkdir(dir, object_folder_mode()) == 0 || errno == EEXIST)
		return 0;
	if (errno == ENOENT && slash && slash > dir && (size_t)(slash - dir) < sizeof parent) {
		/* of the tasks of an array: DIR/task-1 */
		snprintf(parent, sizeof parent, "%.*s", (int)(slash - dir), dir);
		bool has_parent = mkdir(parent, object_folder_mode()) == 0 || errno == EEXIST;
		if (has_parent && (mkdir(dir, object_folder_mode()) == 0 || errno == EEXIST))
			return 0;
	}
	return tell_cannot(err, "make the folder", dir);
}

/* An attempt that was never ended: the supervisor or the machine went. Of the same machine since
 * the same boot it was the supervisor, and with it the command. */
static int end_old_attempt(struct run_book *b, const struct state *s, struct err *err)
{
	bool here = !strcmp(s->node, b->node) && !strcmp(s->boot, b->boot);
	const char *how = here ? "FAILED" : "NODE_FAIL";

	if (s->notice)
		how = "PREEMPTED";
	b->interruptions += !here || s->notice;
	b->seen_h += (double)(s->beat - s->start) / MS_HOUR;
	b->old.ms = s->beat - s->start;
	b->old.interrupted = !here || s->notice;
	snprintf(b->old.place, sizeof b->old.place, "%s", s->place);
	if (s->nano_hour > 0)
		b->spent_nano += run_paid_nano(s->nano_hour, max_i64(s->since, s->start), s->beat);
	return add_attempt(b, s, s->beat, how, err);
}

/* JOB.ATTEMPT, of characters that any cloud takes. */
static void set_token(struct run_book *b)
{
	size_t n = 0;

	for (; b->job[n] && n < TOKEN_JOB; n++) {
		char c = b->job[n];
		bool letter = within_int(c, 'a', 'z') || within_int(c, 'A', 'Z');
		bool fine = letter || within_int(c, '0', '9') || char_among(c, "-_.");
		b->token[n] = fine ? c : '_';
	}
	snprintf(b->token + n, sizeof b->token - n, ".%d", b->attempt);
}

int run_book_open(struct run_book *b, const struct run_opt *o, int64_t now_ms, struct err *err)
{
	struct state s;
	int r;

	*b = (struct run_book){ .o = o,
				.lock_fd = -1,
				.dir_fd = -1,
				.saved_ms = INT64_MIN,
				.step = -1,
				.old_step = -1,
				.start_ms = now_ms,
				.since_ms = now_ms,
				.usd_hour_nano = o->usd_hour_nano,
				.old = { .ms = -1 } };
	find_names(b);
	if ((r = make_dir(o->dir, err)) < 0)
		return r;
	b->dir_fd = open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (b->dir_fd < 0)
		return tell_cannot(err, "open", o->dir);
	if ((r = take_lock(b, err)) < 0)
		return r;
	if (read_state(b, &s)) {
		b->attempt = (int)s.attempt + 1;
		b->spent_nano = s.spent;
		b->interruptions = (int)s.interruptions;
		b->seen_h = (double)s.seen_ms / MS_HOUR;
		b->old_step = s.step;
		if (!s.ended)
			r = end_old_attempt(b, &s, err);
	}
	set_token(b);
	return r;
}

int run_book_begin(struct run_book *b, int64_t now_ms, struct err *err)
{
	b->start_ms = b->beat_ms = b->since_ms = now_ms;
	int r = write_state(b, now_ms, false, false);
	if (r < 0) {
		err_set(err, r, "cannot write '%s/attempt': %s", b->o->dir, strerror(-r));
		err_hint(
			err,
			"a run whose state cannot be written cannot save either: make room, or name another folder with --checkpoint-dir");
	}
	return r;
}

void run_book_close(struct run_book *b)
{
	vec_free(&b->past);
	if (b->lock_fd >= 0)
		close(b->lock_fd);
	if (b->dir_fd >= 0)
		close(b->dir_fd);
}
