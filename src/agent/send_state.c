/* See send_state.h. */
#include "agent/send_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dirfd.h"
#include "base/fdio.h"
#include "base/jw.h"
#include "base/keep.h"

enum { KNOWN_EVER = 8, NUMBERS = 14, STATE_MAX = 4096 };

static void list_numbers(struct send_state *s, int64_t *ret[NUMBERS])
{
	int64_t *const all[NUMBERS] = { &s->batch,           &s->minute,
					&s->event,           &s->rev,
					&s->under_way_batch, &s->under_way_minute,
					&s->under_way_event, &s->under_way_rev,
					&s->tries,           &s->refused,
					&s->refused_in_row,  &s->refused_status,
					&s->minutes_max,     &s->cut };
	memcpy(ret, all, sizeof all);
}

static int parse_state(struct sv line, struct send_state *s)
{
	int64_t *to[NUMBERS];
	struct sv rest, word = sv_cut(sv_trim(line), ' ', &rest);
	int n = 0;

	if (!sv_is(word, "tare.sent/1"))
		return -EBADMSG;
	list_numbers(s, to);
	for (; n < NUMBERS && rest.n; n++) {
		word = sv_cut(rest, ' ', &rest);
		if (sv_i64(word, to[n]) < 0)
			return -EBADMSG;
	}
	if (n < KNOWN_EVER)
		return -EBADMSG;
	return 0;
}

int send_state_load(const char *dir, struct send_state *s, struct err *err)
{
	struct str text = { 0 };
	struct sv rest;
	*s = (struct send_state){ 0 };
	int fd = dir_open(dir, err);
	if (fd < 0) {
		if (fd == -ENOENT)
			return 0;
		return fd;
	}
	int r = file_read_in(fd, dir, "sent", STATE_MAX, &text, err);
	close(fd);
	if ((r == 0 || r == -E2BIG) && parse_state(sv_cut(str_sv(&text), '\n', &rest), s) < 0) {
		r = err_set(err, -EBADMSG, "'%s/sent' is damaged", dir);
		err_hint(err, "Remove it to send everything again: a server knows what it has");
	}
	str_free(&text);
	if (r == -ENOENT)
		return 0;
	return r;
}

int send_state_save(const char *dir, const struct send_state *s, struct err *err)
{
	struct send_state copy = *s;
	struct str path = { 0 }, line = { 0 };
	int64_t *from[NUMBERS];

	list_numbers(&copy, from);
	str_addf(&path, "%s/sent", dir);
	str_addz(&line, "tare.sent/1");
	for (int i = 0; i < NUMBERS; i++)
		str_addf(&line, " %" PRId64, *from[i]);
	str_addc(&line, '\n');
	int r = file_replace(str_z(&path), str_sv(&line), 0640, err);
	str_free(&path);
	str_free(&line);
	return r;
}

/* ---- set aside --------------------------------------------------------------------------- */

#define REFUSED "refused"

/* "12.json" "12.jsonl.zst", and what a kill left of writing them. */
static bool is_refused(const char *name)
{
	static const char *const ending[] = { ".json", ".jsonl.zst", ".json.new",
					      ".jsonl.zst.new" };
	size_t n = strspn(name, "0123456789");

	for (size_t i = 0; n && i < sizeof ending / sizeof *ending; i++)
		if (!strcmp(name + n, ending[i]))
			return true;
	return false;
}

/* The folder for them, made where it is not there. */
static int open_refused(const char *dir, struct err *err)
{
	int at = dir_open(dir, err), fd = at;
	if (at < 0)
		return at;
	if (mkdirat(at, REFUSED, 0750) < 0 && errno != EEXIST)
		fd = err_set(err, -errno, "cannot make '%s/" REFUSED "': %s", dir, strerror(errno));
	else
		fd = dir_open_in(at, dir, REFUSED, err);
	close(at);
	return fd;
}

int send_set_aside(const char *dir, const struct send_state *s, const struct send_refusal *no,
		   struct err *err)
{
	struct str folder = { 0 }, text = { 0 };
	struct keep_opt limit = { .ours = is_refused, .max_bytes = SEND_REFUSED_BYTES };
	char name[64];
	int fd = open_refused(dir, err), r = fd;

	str_addf(&folder, "%s/" REFUSED, dir);

	struct jw w;

	jw_init(&w, &text, 0);
	jw_obj(&w);
	jw_put_str(&w, "schema", "tare.refused/1");
	jw_put_str(&w, "key", no->key);
	jw_put_int(&w, "status", no->status);
	jw_put_str(&w, "why", no->why);
	jw_put_int(&w, "tries", s->tries);
	jw_put_int(&w, "minute_after", s->minute);
	jw_put_int(&w, "minute_to", s->under_way_minute);
	jw_put_int(&w, "event_after", s->event);
	jw_put_int(&w, "event_to", s->under_way_event);
	jw_end_obj(&w);
	str_addc(&text, '\n');
	snprintf(name, sizeof name, "%" PRId64 ".json", s->under_way_batch);
	if (r >= 0)
		r = file_replace_in(fd, str_z(&folder), name, str_sv(&text), 0640, err);
	snprintf(name, sizeof name, "%" PRId64 ".jsonl.zst", s->under_way_batch);
	if (r >= 0)
		r = file_replace_in(fd, str_z(&folder), name, no->body, 0640, err);
	if (r >= 0)
		r = keep_trim(str_z(&folder), &limit, NULL, err);
	if (fd >= 0)
		close(fd);
	str_free(&folder);
	str_free(&text);
	return r;
}
