/* What the agent's alerts keep: DIR/alerts.state with the engine's states and what receivers have
 * not taken yet, and the silences they mind. */
#include "alerts/alerts_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <xxhash.h>

#include "alerts/alerts_silence.h"
#include "base/dirfd.h"
#include "base/fdio.h"

#define SILENCE_MS (15 * MS_SECOND) /* how long a new silence may take to be seen */
#define STATE_MAX  ((size_t)64 << 20)

struct waiting_text {
	struct agent_alerts *a;
	struct str *out;
};
struct waiting_line {
	struct agent_alerts *a;
	size_t target;
	struct sv id;
};

static void add_silences(struct agent_alerts *a, const char *dir, struct arena *mem,
			 struct alert_silence **all, size_t *n)
{
	struct alert_silence *v, *both;
	struct err quiet;
	size_t more;

	if (!dir || silence_list(dir, a->wall_ms, mem, &v, &more, &quiet) < 0 || !more)
		return;
	both = arena_alloc(mem, (*n + more) * sizeof *both);
	if (*n)
		memcpy(both, *all, *n * sizeof *both);
	memcpy(both + *n, v, more * sizeof *both);
	*all = both;
	*n += more;
}

void alerts_load_silences(struct agent_alerts *a)
{
	struct arena mem = { 0 };
	struct alert_silence *all = a->opt.conf->silence.v;
	size_t n = a->opt.conf->silence.n;

	add_silences(a, a->opt.dir, &mem, &all, &n);
	if (!a->opt.dir || !a->opt.db || strcmp(a->opt.dir, a->opt.db) != 0)
		add_silences(a, a->opt.db, &mem, &all, &n);
	alerts_silence(a->engine, all, n);
	arena_free(&mem);
	a->silence_ms = a->mono_ms + SILENCE_MS;
}

/* What is not delivered yet: after the engine's text, a line each: receiver, id. What is over by
 * then is not said any more. */
static void put_waiting(void *ctx, size_t target, const struct notice *n)
{
	struct waiting_text *w = ctx;

	if (!n->over)
		str_addf(w->out, "%s\t%s\n", w->a->opt.conf->receiver.v[target].name, n->id);
}

static void tell_again(void *ctx, const struct alert *al)
{
	struct waiting_line *w = ctx;
	struct arena mem = { 0 };

	if (al->firing && al->told) {
		struct notice n = agent_alerts_notice(al, false, w->a->wall_ms, &w->a->rate, &mem);
		if (sv_is(w->id, n.id))
			alerts_put(w->a, w->target, &n);
	}
	arena_free(&mem);
}

void alerts_state_text(struct agent_alerts *a, struct str *out)
{
	alerts_save(a->engine, a->mono_ms, a->wall_ms, out);

	struct waiting_text w = { a, out };

	pthread_mutex_lock(&a->lock);
	notify_each(a->queue, put_waiting, &w);
	a->delivered = false;
	pthread_mutex_unlock(&a->lock);
}

/* The first line of the file: the sum of all after it. Files of agents before have none. */
#define SUM_LINE "tare.sum/1 "

/* Where it cannot be written now it is later: the state is in memory. */
void alerts_save_state(struct agent_alerts *a)
{
	struct str text = { 0 }, path = { 0 }, file = { 0 };
	struct err ignored;

	a->save_ms = a->mono_ms + SAVE_MS;
	a->dirty = false;
	if (!a->opt.dir || a->opt.dry_run)
		return;
	alerts_state_text(a, &text);
	str_addf(&file, SUM_LINE "%016llx\n",
		 (unsigned long long)XXH3_64bits(str_z(&text), text.n));
	str_addsv(&file, str_sv(&text));
	str_addf(&path, "%s/alerts.state", a->opt.dir);
	file_replace(str_z(&path), str_sv(&file), 0600, &ignored);
	str_free(&text);
	str_free(&path);
	str_free(&file);
}

int alerts_state_parse(struct agent_alerts *a, const struct str *text, struct err *err)
{
	int r = alerts_load(a->engine, str_sv(text), a->mono_ms, a->wall_ms, err);
	struct sv rest = SV_NULL;

	/* what put_waiting() put behind the engine's text */
	const char *end = text->n ? strstr(text->p, "\nend\n") : NULL;
	if (r >= 0 && end)
		rest = sv_of(end + 5);
	for (int n = 0; rest.p && rest.n && n < NOTIFY_QUEUE_MAX * 8; n++) {
		struct sv line = sv_cut(rest, '\n', &rest), id;
		struct sv name = sv_cut(line, '\t', &id);
		for (size_t i = 0; id.p && i < a->opt.conf->receiver.n; i++)
			if (sv_is(name, a->opt.conf->receiver.v[i].name)) {
				struct waiting_line w = { a, i, id };
				alerts_each(a->engine, tell_again, &w);
			}
	}
	return r;
}

static int read_state(int fd, const char *dir, struct str *ret, struct err *err)
{
	struct str file = { 0 };
	int r = file_read_in(fd, dir, "alerts.state", STATE_MAX, &file, err);
	struct sv text = str_sv(&file);
	char want[20];
	if (r == 0 && !file.n) /* it is only ever replaced in whole */
		r = err_set(err, -EBADMSG, "'%s/alerts.state' is damaged: it is empty", dir);
	if (r == 0 && sv_starts(text, SV(SUM_LINE))) {
		struct sv rest, sum = sv_cut(text, '\n', &rest);
		snprintf(want, sizeof want, "%016llx",
			 (unsigned long long)XXH3_64bits(rest.p, rest.n));
		if (!rest.p || !sv_is(sv_from(sum, strlen(SUM_LINE)), want))
			r = err_set(err, -EBADMSG,
				    "'%s/alerts.state' is damaged: it is not as it was written",
				    dir);
		text = rest;
	}
	if (r == 0)
		str_addsv(ret, text);
	if (r == -ENOENT)
		err_clear(err);
	str_free(&file);
	if (r == -ENOENT)
		return 0;
	return r;
}

int alerts_state_read(const char *dir, struct str *ret, struct err *err)
{
	int fd = dir_open(dir, err);
	if (fd < 0)
		return fd;
	int r = read_state(fd, dir, ret, err);
	close(fd);
	return r;
}

void alerts_load_state(struct agent_alerts *a, struct err *err)
{
	struct str text = { 0 };
	int fd;

	if (!a->opt.dir || (fd = dir_open(a->opt.dir, err)) < 0)
		return;
	int r = read_state(fd, a->opt.dir, &text, err);
	if (r == 0 && text.n && alerts_state_parse(a, &text, err) < 0)
		r = -EBADMSG;
	if (r == -EBADMSG && renameat(fd, "alerts.state", fd, "alerts.state.bad") == 0)
		err_hint(err, "It is kept as '%s/alerts.state.bad'; alerts begin again.",
			 a->opt.dir);
	close(fd);
	str_free(&text);
}
