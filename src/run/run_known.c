/* See run_known.h. */
#include "base/tm.h"
#include "object/object.h"
#include "run/run_known.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/clean.h"
#include "base/dirfd.h"
#include "base/fdio.h"
#include "base/num.h"
#include "base/str.h"
#include "opt/spot/spot_seen.h"
#include "ckpt/ckpt.h"

#define HEAD      "tare-run-measured 1\n"
#define FILE_NAME "measured"
/* year 10000, as a time; as a duration more than anybody measures */
#define TIME_MAX_MS INT64_C(253402300800000)

struct number {
	const char *key;
	size_t at;
	int64_t most;
};
#define NUMBER(k, member, most)                             \
	{                                                   \
		k, offsetof(struct run_known, member), most \
	}
static const struct number numbers[] = {
	NUMBER("stall_ms", cost.stall_ms, MS_DAY),
	NUMBER("save_ms", cost.save_ms, INT64_C(864000000)),
	NUMBER("push_ms", cost.push_ms, INT64_C(864000000)),
	NUMBER("restart_ms", cost.restart_ms, INT64_C(864000000)),
	NUMBER("push_bytes_s", push_bytes_s, INT64_C(1000000000000)),
	NUMBER("step_us", step_us, TIME_MAX_MS),
	NUMBER("job_ms", job_ms, TIME_MAX_MS),
	NUMBER("done_ms", done_ms, TIME_MAX_MS),
	NUMBER("attempts", attempts, INT32_MAX - 1),
	NUMBER("spent_nano", spent_nano, INT64_C(1000000000000000000)),
	NUMBER("interruptions", interruptions, 1000000),
	NUMBER("seen_ms", seen_ms, TIME_MAX_MS),
	NUMBER("done_steps", done_steps, INT64_MAX),
};
#define NNUMBERS (sizeof numbers / sizeof *numbers)

static int64_t *number_member(struct run_known *k, const struct number *n)
{
	return (int64_t *)(void *)((char *)k + n->at);
}

void run_known_init(struct run_known *k)
{
	*k = (struct run_known){ 0 };
	for (size_t i = 0; i < NNUMBERS; i++)
		*number_member(k, &numbers[i]) = -1;
	k->job_ms = k->done_ms = 0;
}

void run_place_add(char place[RUN_PLACE], const char *word)
{
	char clean[80];
	size_t n = strlen(place);

	sv_clean(sv_of(text_or(word, "")), clean, sizeof clean);
	for (char *p = clean; *p; p++)
		if (*p == '/' || *p == ' ')
			*p = '_';
	if (*clean && !spot_place_has(place, sv_of(clean)) && n + strlen(clean) + 2 <= RUN_PLACE)
		snprintf(place + n, RUN_PLACE - n, "%s%s", text_if(n, "/"), clean);
}

/* Its number, a new one where it has none; -1: there is no room, or nothing to know. */
static int place_of(struct run_known *k, const char *place)
{
	int free = -1;

	if (!place || !*place || strlen(place) >= RUN_PLACE)
		return -1;
	for (int i = 0; i < RUN_PLACES; i++) {
		if (!strcmp(k->place[i], place))
			return i;
		bool used = false;
		for (int s = 0; s < k->nspell; s++)
			used |= k->spell[s].place == i;
		if (free < 0 && !used)
			free = i;
	}
	if (free >= 0)
		snprintf(k->place[free], RUN_PLACE, "%s", place);
	return free;
}

void run_known_spell(struct run_known *k, int64_t ms, bool interrupted, const char *place)
{
	if (k->nspell == RUN_SPELLS)
		memmove(k->spell, k->spell + 1, (size_t)--k->nspell * sizeof *k->spell);
	int at = place_of(k, place);
	k->spell[k->nspell++] = (struct run_spell){ clamp_i64(ms, 0, TIME_MAX_MS), interrupted,
						    at };
}

void run_known_write(const struct run_known *k, struct str *ret)
{
	size_t from = ret->n;

	str_addz(ret, HEAD);
	for (size_t i = 0; i < NNUMBERS; i++) {
		int64_t v = *number_member((struct run_known *)k, &numbers[i]);
		if (v >= 0)
			str_addf(ret, "%s %" PRId64 "\n", numbers[i].key,
				 min_i64(v, numbers[i].most));
	}
	for (int i = 0, at = -1; i < k->nspell; at = k->spell[i++].place) {
		if (k->spell[i].place != at)
			str_addf(ret, "at %s\n",
				 k->spell[i].place < 0 ? "-" : k->place[k->spell[i].place]);
		str_addf(ret, "ran %" PRId64 " %d\n", k->spell[i].ms, k->spell[i].interrupted);
	}
	str_addf(ret, "xxh3 %016" PRIx64 "\n", (uint64_t)XXH3_64bits(ret->p + from, ret->n - from));
}

/* ---- reading ----------------------------------------------------------------------------- */

static int tell_bad(struct sv line, struct err *err)
{
	char seen[60];

	sv_clean(sv_or(line, SV("")), seen, sizeof seen);
	return err_set(err, -EBADMSG, "'%s' is not a line of it", seen);
}

static int parse_line(struct sv line, struct run_known *k, char at[RUN_PLACE], struct err *err)
{
	struct sv rest, key = sv_cut(line, ' ', &rest);
	int64_t v, hit;

	if (sv_is(key, "at")) {
		/* "at WORD/WORD": of what follows. */
		char clean[RUN_PLACE];

		*at = 0;
		if (sv_is(rest, "-"))
			return 0;
		sv_clean(rest.p ? rest : SV(""), clean, sizeof clean);
		if (!rest.n || rest.n >= RUN_PLACE)
			return tell_bad(line, err);
		if (!sv_is(rest, clean) || strchr(clean, ' '))
			return tell_bad(line, err);
		memcpy(at, clean, sizeof clean);
		return 0;
	}

	if (!rest.p || sv_i64(sv_cut(rest, ' ', &rest), &v) < 0 || v < 0)
		return tell_bad(line, err);
	if (sv_is(key, "ran")) {
		if (!rest.p || sv_i64(rest, &hit) < 0)
			return tell_bad(line, err);
		if (!within_i64(hit, 0, 1) || v > TIME_MAX_MS)
			return tell_bad(line, err);
		run_known_spell(k, v, hit, at);
		return 0;
	}
	for (size_t i = 0; i < NNUMBERS; i++)
		if (sv_is(key, numbers[i].key)) {
			if (rest.p || v > numbers[i].most)
				return tell_bad(line, err);
			*number_member(k, &numbers[i]) = v;
		}
	return 0;
}

/* The text without its last line, where that has the hash of what is before it. */
static bool is_sealed(struct sv text, struct sv *ret)
{
	static const size_t tail = sizeof "xxh3 0123456789abcdef\n" - 1;
	char want[32];

	if (text.n < tail + sizeof HEAD - 1 || text.n > RUN_KNOWN_MAX)
		return false;
	*ret = (struct sv){ text.p, text.n - tail };
	snprintf(want, sizeof want, "xxh3 %016" PRIx64 "\n", (uint64_t)XXH3_64bits(ret->p, ret->n));
	return !memcmp(text.p + ret->n, want, tail) && !memcmp(text.p, HEAD, sizeof HEAD - 1) &&
	       text.p[ret->n - 1] == '\n';
}

int run_known_parse(struct sv text, struct run_known *ret, struct err *err)
{
	struct sv rest, line;
	char at[RUN_PLACE] = "";
	int r = 0;

	run_known_init(ret);
	if (!is_sealed(text, &rest))
		return err_set(
			err, -EBADMSG,
			"its hash is not that of what stands in it, or it is of another version");
	rest = sv_from(rest, sizeof HEAD - 1);
	while (r >= 0 && rest.n) {
		line = sv_cut(rest, '\n', &rest);
		r = parse_line(line, ret, at, err);
	}
	if (r < 0)
		run_known_init(ret);
	return r;
}

int run_known_load(int dir_fd, struct run_known *ret, struct err *err)
{
	char buf[RUN_KNOWN_MAX + 1];
	int fd = openat(dir_fd, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW),
	    e = errno;
	ssize_t n = -1;

	if (fd >= 0)
		n = read(fd, buf, sizeof buf);
	run_known_init(ret);
	if (fd < 0 && e == ENOENT)
		return 0;
	if (fd >= 0 && n < 0)
		e = errno;
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return err_set(err, -e, "it cannot be read: %s", strerror(e));
	int r = run_known_parse((struct sv){ buf, (size_t)n }, ret, err);
	if (r < 0)
		return r;
	return 1;
}

int run_known_save(int dir_fd, const struct run_known *k)
{
	struct str s = { 0 };

	run_known_write(k, &s);
	int r = file_replace_in(dir_fd, "", FILE_NAME, str_sv(&s), object_file_mode(), NULL);
	str_free(&s);
	return r;
}
