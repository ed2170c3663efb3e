/* Value of a setting: "1 FROM UNTIL", then who, match and why, a line each. */
#include "alerts/alerts_silence.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tm.h"
#include "store/control.h"

#define PREFIX    "alerts.silence."
#define MATCH_MAX 1024

int silence_check(const char *match, struct err *err)
{
	struct alert_match m[ALERT_MATCH_MAX];
	char text[MATCH_MAX];
	int n;

	if (strlen(match) >= sizeof text)
		return err_set(err, -EINVAL, "the conditions are longer than %zu bytes",
			       sizeof text - 1);
	for (const char *p = match; *p; p++)
		if ((unsigned char)*p < 0x20)
			return err_set(err, -EINVAL, "the conditions hold a control character");
	strcpy(text, match);
	return alert_match_parse(text, m, &n, err);
}

int silence_add(const char *dir, const struct silence_new *s, char ret_id[20], struct err *err)
{
	char clean[256], who[128], key[64];
	struct str value = { 0 };
	int r = silence_check(s->match, err);

	if (r < 0)
		return r;
	alert_clean(clean, sizeof clean, sv_of(s->why));
	alert_clean(who, sizeof who, sv_of(s->by));
	str_addf(&value, "1 %" PRId64 " %" PRId64 "\n%s\n%s\n%s", s->now_ms, s->until_ms, who,
		 s->match, clean);
	uint64_t h = 0xcbf29ce484222325ULL;
	const char *z = value.p;
	for (; *z; z++)
		h = (h ^ (unsigned char)*z) * 0x100000001b3ULL;
	snprintf(ret_id, 20, "%016" PRIx64, h);
	snprintf(key, sizeof key, PREFIX "%s", ret_id);
	r = control_set(dir, key, value.p, err);
	str_free(&value);
	return r;
}

static bool parse_silence(const char *value, struct arena *a, struct alert_silence *s)
{
	struct sv rest = sv_of(value), head = sv_cut(rest, '\n', &rest), who, match;
	int64_t version;
	struct err quiet;

	if (sv_i64(sv_cut(head, ' ', &head), &version) < 0 || version != 1)
		return false;
	if (sv_i64(sv_cut(head, ' ', &head), &s->from_ms) < 0 || sv_i64(head, &s->until_ms) < 0)
		return false;
	who = sv_cut(rest, '\n', &rest);
	match = sv_cut(rest, '\n', &rest);
	if (!match.p || !rest.p)
		return false;
	s->by = arena_sv(a, who);
	s->why = arena_sv(a, rest);
	return alert_match_parse(arena_sv(a, match), s->match, &s->nmatch, &quiet) == 0;
}

int silence_list(const char *dir, int64_t now_ms, struct arena *a, struct alert_silence **ret,
		 size_t *ret_n, struct err *err)
{
	struct control_setting *v;
	size_t n;
	int r = control_settings(dir, PREFIX, a, &v, &n, err);

	*ret = NULL;
	*ret_n = 0;
	if (r < 0)
		return r;
	*ret = arena_zalloc(a, (n ? n : 1) * sizeof **ret);
	for (size_t i = 0; i < n; i++) {
		struct alert_silence s = { .id = v[i].key + strlen(PREFIX) };
		if (parse_silence(v[i].value, a, &s) && s.until_ms > now_ms)
			(*ret)[(*ret_n)++] = s;
	}
	return 0;
}

int silence_list_with(struct silences given, const char *dir, int64_t now_ms, struct arena *a,
		      struct silences *ret, struct err *err)
{
	struct alert_silence *set, *all;
	size_t nset, n = 0;
	int r = silence_list(dir, now_ms, a, &set, &nset, err);

	if (r < 0)
		return r;
	all = arena_alloc(a, (given.n + nset + 1) * sizeof *all);
	for (size_t i = 0; i < given.n; i++)
		if (given.v[i].until_ms > now_ms)
			all[n++] = given.v[i];
	for (size_t i = 0; i < nset; i++)
		all[n++] = set[i];
	*ret = (struct silences){ all, n };
	return 0;
}

int silence_remove(const char *dir, const char *id, struct err *err)
{
	struct arena a = { 0 };
	struct control_setting *v;
	size_t n;
	char key[64];

	snprintf(key, sizeof key, PREFIX "%.40s", id);
	int r = control_settings(dir, key, &a, &v, &n, err);
	bool there = r >= 0 && n == 1 && !strcmp(v[0].key, key);
	arena_free(&a);
	if (r < 0)
		return r;
	if (!there) {
		err_set(err, -ENOENT, "no silence has the id '%.40s'", id);
		err_hint(err, "See them: tare alerts silences");
		return -ENOENT;
	}
	return control_set(dir, key, NULL, err);
}

int silence_sweep(const char *dir, int64_t now_ms, struct err *err)
{
	struct arena a = { 0 };
	struct control_setting *v;
	size_t n;
	int r = control_settings(dir, PREFIX, &a, &v, &n, err);

	for (size_t i = 0; r >= 0 && i < n; i++) {
		struct alert_silence s = { 0 };
		if (!parse_silence(v[i].value, &a, &s) || s.until_ms < now_ms - MS_DAY)
			r = control_set(dir, v[i].key, NULL, err);
	}
	arena_free(&a);
	return r;
}
