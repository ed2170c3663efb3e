#include "answer/imported.h"

#include <string.h>

#include "answer/config.h"
#include "base/str.h"
#include "ledger/conf.h"
#include "store/control.h"

#define KEY "import.settings"

/* What acts when the ledger is written. */
static const char *const acts[] = { "mig_share",    "infer_workload", "thresholds", "tags.alias",
				    "virtual_tags", "nodes",          "owned" };

static int lines_of(const char *file, struct arena *mem, const char **ret, struct err *err)
{
	struct config_ask q = { .file = file,
				.top = conf_settings,
				.want = acts,
				.nwant = sizeof acts / sizeof *acts,
				.changed = true,
				.mem = mem };
	struct config_answer a;
	struct str s = { 0 };
	int r = answer_config(&q, &a, err);

	for (size_t i = 0; r >= 0 && i < a.n; i++)
		str_addf(&s, "%s %s\n", a.row[i].key, text_or(a.row[i].value, ""));
	*ret = arena_strn(mem, str_z(&s), s.n);
	str_free(&s);
	return r;
}

static int kept_lines(const char *dir, struct arena *mem, const char **ret, struct err *err)
{
	struct control_setting *v;
	size_t n;
	int r = control_settings(dir, KEY, mem, &v, &n, err);

	*ret = r >= 0 && n ? v[0].value : NULL;
	return r;
}

int imported_keep(const char *dir, const char *file, bool again, struct arena *mem, struct err *err)
{
	const char *now, *kept;
	int r = lines_of(file, mem, &now, err);

	if (r >= 0)
		r = kept_lines(dir, mem, &kept, err);
	if (r < 0 || (kept && !again))
		return r;
	return control_set(dir, KEY, now, err);
}

/* The sections of lines that the other text has not, each once. */
static void add_changed(struct sv lines, struct sv other, struct str *out)
{
	while (lines.n) {
		struct sv line = sv_cut(lines, '\n', &lines);
		struct sv name = { line.p, strcspn(line.p, ".[ \n") };
		bool there = memmem(str_z(out), out->n, name.p, name.n);
		for (struct sv rest = other; rest.n && !there;)
			there = sv_eq(sv_cut(rest, '\n', &rest), line);
		if (!there)
			str_addf(out, "%s%.*s", text_if(out->n, ", "), SVF(name));
	}
}

int imported_changed(const char *dir, const char *file, struct arena *mem, const char **ret,
		     struct err *err)
{
	const char *now, *kept;
	struct str s = { 0 };
	int r = lines_of(file, mem, &now, err);

	*ret = NULL;
	if (r >= 0)
		r = kept_lines(dir, mem, &kept, err);
	if (r < 0 || !kept)
		return r;
	add_changed(sv_of(now), sv_of(kept), &s);
	add_changed(sv_of(kept), sv_of(now), &s);
	if (s.n)
		*ret = arena_strn(mem, str_z(&s), s.n);
	str_free(&s);
	return 0;
}
