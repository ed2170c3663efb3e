/* See habit_names.h. */
#include "plan/alone/habit_names.h"

#include <ctype.h>
#include <stdlib.h>

#define DRAWN_LETTERS "bcdfghjklmnpqrstvwxz2456789"
#define DRAWN_LEN     5
#define HASH_LEN      7
#define NAMES_LEAST   3

static bool is_drawn(struct sv part)
{
	for (size_t i = 0; i < part.n; i++)
		if (!strchr(DRAWN_LETTERS, part.p[i]))
			return false;
	return part.n == DRAWN_LEN;
}

static bool is_hash(struct sv part)
{
	bool digit = false, letter = false;

	for (size_t i = 0; i < part.n; i++) {
		unsigned char c = (unsigned char)part.p[i];
		if (!isxdigit(c) || isupper(c))
			return false;
		digit |= isdigit(c) != 0;
		letter |= isalpha(c) != 0;
	}
	return part.n >= HASH_LEN && digit && letter;
}

/* A number is one star, with the points inside it. */
static void add_part(struct str *s, struct sv part)
{
	bool inside = false;

	for (size_t i = 0; i < part.n; i++) {
		bool digit = isdigit((unsigned char)part.p[i]);
		bool point = inside && part.p[i] == '.' && i + 1 < part.n &&
			     isdigit((unsigned char)part.p[i + 1]);
		if (digit && !inside)
			str_addc(s, '*');
		else if (!digit && !point)
			str_addc(s, part.p[i]);
		inside = digit || point;
	}
}

/* The pattern of a name into s; fold: made-up parts are stars. Was there one? */
static bool add_pattern(struct str *s, const char *name, bool fold)
{
	bool any = false;

	for (const char *p = name; *p;) {
		size_t n = strcspn(p, "-");
		struct sv part = { p, n };
		bool made_up = p > name && (is_drawn(part) || is_hash(part));
		if (made_up && fold)
			str_addc(s, '*');
		else
			add_part(s, part);
		any |= made_up;
		p += n;
		if (*p == '-')
			str_addc(s, *p++);
	}
	return any;
}

struct group {
	size_t jobs, names;
};
struct groups {
	struct intern key, job, name;
	VEC(struct group) v;
	uint32_t *of; /* [workload] */
};

#define NO_GROUP UINT32_MAX

const char **habit_names(const struct fleet *f, struct arena *mem)
{
	const char **ret = arena_alloc(mem, (f->workload.n + 1) * sizeof *ret);
	struct groups g = { .of = xcalloc(f->workload.n + 1, sizeof *g.of) };
	struct str s = { 0 };

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		str_clear(&s);
		g.of[i] = NO_GROUP;
		if (w->kind == WORKLOAD_JOB && *w->job && add_pattern(&s, w->name, true)) {
			/* Counts a job and a name of its group once each. */
			const char *pattern = str_z(&s);
			struct str str = { 0 };

			str_addf(&str, "%s\x1f%s\x1f%s\x1f%s", w->cluster, w->team, w->user,
				 pattern);
			uint32_t id = intern_add(&g.key, str_sv(&str));
			if (id == g.v.n)
				*vec_push(&g.v) = (struct group){ 0 };
			g.of[i] = id;
			str_clear(&str);
			str_addf(&str, "%u\x1f%s", (unsigned)id, w->job);
			size_t known = g.job.n;
			g.v.v[id].jobs += intern_add(&g.job, str_sv(&str)) == known;
			str_clear(&str);
			str_addf(&str, "%u\x1f%s", (unsigned)id, w->name);
			known = g.name.n;
			g.v.v[id].names += intern_add(&g.name, str_sv(&str)) == known;
			str_free(&str);
		}
	}
	for (size_t i = 0; i < f->workload.n; i++) {
		bool fold = false;
		if (g.of[i] != NO_GROUP) {
			const struct group *of = &g.v.v[g.of[i]];
			fold = of->names >= NAMES_LEAST && of->names * 10 >= of->jobs * 9;
		}
		str_clear(&s);
		add_pattern(&s, f->workload.v[i].name, fold);
		ret[i] = arena_printf(mem, "%s", str_z(&s));
	}
	str_free(&s);
	intern_free(&g.key);
	intern_free(&g.job);
	intern_free(&g.name);
	vec_free(&g.v);
	free(g.of);
	return ret;
}

bool habit_name_fits(const char *name, const char *pattern)
{
	struct str s = { 0 };
	bool named = false, fits = false;

	for (const char *p = pattern; *p; p++)
		named |= isalpha((unsigned char)*p) != 0;
	for (int fold = 0; named && fold < 2 && !fits; fold++) {
		str_clear(&s);
		add_pattern(&s, name, fold);
		fits = !strcmp(str_z(&s), pattern);
	}
	str_free(&s);
	return fits;
}
