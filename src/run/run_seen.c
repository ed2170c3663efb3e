#include "run/run_seen.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/tab.h"
#include "base/tm.h"
#include "run/run_known.h"
#include "run/run_next.h"

struct cols {
	int start, end, state, attempt;
};

static void add_row(const struct sv *cell, const struct cols *k, int64_t *last, bool *hit,
		    struct spot_seen *s)
{
	int64_t from, to, attempt;
	struct sv state = cell[k->state];

	if (tm_parse(cell[k->start], 0, &from) < 0 || tm_parse(cell[k->end], 0, &to) < 0)
		return;
	if (to < from || sv_i64(cell[k->attempt], &attempt) < 0)
		return;
	if (attempt != *last) {
		*hit = false;
		*last = attempt;
		s->attempts++;
	}
	s->hours += (double)(to - from) / MS_HOUR;
	if (sv_is(state, "COMPLETED"))
		return;
	s->lost_h += (double)(to - from) / MS_HOUR;
	if (!*hit && (sv_is(state, "PREEMPTED") || sv_is(state, "NODE_FAIL"))) {
		s->interruptions++;
		*hit = true;
	}
}

static int read_attempts(struct input *in, struct spot_seen *ret, struct err *err)
{
	struct tab_csv_opt o = { .ragged = true, .growing = true };
	struct tab *t;
	const struct sv *cell;
	int64_t last = INT64_MIN;
	bool hit = false;
	int r = tab_csv_open(in, &o, &t, err);

	if (r < 0)
		return r;
	struct cols k = { tab_col(t, "start"), tab_col(t, "end"), tab_col(t, "state"),
			  tab_col(t, "attempt") };
	if (k.start < 0 || k.end < 0 || k.state < 0 || k.attempt < 0)
		r = err_set(err, -EBADMSG, "it has no columns start, end, state and attempt");
	ret->lost_h = 0;
	while (r >= 0 && (r = tab_next(t, &cell, err)) == 1)
		add_row(cell, &k, &last, &hit, ret);
	tab_close(t);
	ret->known = r >= 0;
	return r;
}

/* What was measured says more than the rows: an interruption that lost nothing has no row of its
 * own. */
static void add_measured(const struct run_known *k, struct arena *mem, struct spot_seen *s)
{
	if (k->attempts > 0 && k->seen_ms >= 0 && k->attempts >= s->attempts) {
		s->attempts = k->attempts;
		s->hours = (double)k->seen_ms / MS_HOUR;
		s->interruptions = max_i64(k->interruptions, 0);
		s->known = true;

		struct spot_spell *spell = arena_alloc(mem, RUN_SPELLS * sizeof *spell);
		s->spell = spell;
		for (int i = 0; i < k->nspell; i++) {
			const struct run_spell *x = &k->spell[i];
			if (x->place >= 0)
				spell[s->nspell++] = (struct spot_spell){
					x->ms, x->interrupted,
					arena_sv(mem, sv_of(k->place[x->place]))
				};
		}
	}
	s->stall_h = k->cost.stall_ms >= 0 ? (double)k->cost.stall_ms / MS_HOUR : NAN;
	if (k->cost.restart_ms >= 0)
		s->restart_h = (double)k->cost.restart_ms / MS_HOUR + (double)RUN_BOOT_MS / MS_HOUR;
}

static int read_rows(const char *dir, struct spot_seen *ret, struct err *err)
{
	struct str path = { 0 };
	struct input *in;

	str_addf(&path, "%s/attempts.csv", dir);
	if (access(str_z(&path), F_OK) < 0) {
		str_free(&path);
		return 0;
	}
	int r = input_open(str_z(&path), &in, err);
	if (r >= 0) {
		if ((r = read_attempts(in, ret, err)) < 0)
			err_prefix(err, "'%s'", input_name(in));
		input_close(in);
	}
	str_free(&path);
	return r;
}

int run_seen_read(const char *dir, struct arena *mem, struct spot_seen *ret, struct err *err)
{
	struct run_known k;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	*ret = (struct spot_seen){ .lost_h = NAN, .stall_h = NAN, .restart_h = NAN };
	if (fd < 0)
		return err_set(err, -errno, "--checkpoint-dir: cannot open '%s': %s", dir,
			       strerror(errno));
	r = read_rows(dir, ret, err);
	int e = r < 0 ? r : run_known_load(fd, &k, err);
	close(fd);
	if (r >= 0 && e < 0 && !ret->known) { /* else the rows will do */
		err_prefix(err, "--checkpoint-dir: '%s/measured'", dir);
		err_hint(err, "without --checkpoint-dir, --mtbf says how often it is interrupted");
	}
	if (r < 0 || (e < 0 && !ret->known)) {
		if (r < 0)
			return r;
		return e;
	}
	if (e > 0)
		add_measured(&k, mem, ret);
	if (!ret->known) {
		err_set(err, -ENOENT, "--checkpoint-dir: '%s' has no attempts of a run", dir);
		err_hint(err, "`tare run --checkpoint-dir DIR -- CMD` writes attempts.csv there");
		return -ENOENT;
	}
	return 0;
}
