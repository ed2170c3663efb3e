/* See profile_keep.h. */
#include "agent/profile_keep.h"

#include <errno.h>

#include "agent/profile_file.h"
#include "base/tm.h"
#include "base/yaml.h"

/* Some 180 KB an hour a card and 90 KB an hour beside (docs/WATCH.md): 2 GiB are 8,000 hours of one
 * card. */
static const struct profile_keep usual = { 90 * MS_DAY, INT64_C(2) << 30 };

static int load(const struct yaml_doc *d, const struct yaml *y, struct profile_keep *ret,
		struct err *err)
{
	static const char *const keys[] = { "retention", "max_gib", NULL };
	const char *span = NULL;
	double gib = (double)usual.max_bytes / (1 << 30);
	int r = yaml_check_keys(d, y, keys, err);

	if (r >= 0)
		r = yaml_text(d, y, "retention", &span, err);
	if (r >= 0 && span &&
	    (tm_parse_span(sv_of(span), &ret->max_age_ms) < 0 || ret->max_age_ms < MS_HOUR ||
	     ret->max_age_ms > 36600 * MS_DAY))
		return err_set(
			err, -EINVAL,
			"'%s' line %d: profile: retention is no span from 1h on, such as 90d",
			yaml_name(d), yaml_get(y, "retention")->line);
	if (r >= 0)
		r = yaml_f64(d, y, "max_gib", 0, 1e6, &gib, err);
	ret->max_bytes = (int64_t)(gib * (1 << 30));
	return r < 0 ? r : 0;
}

int profile_keep_load(const char *path, struct profile_keep *ret, struct err *err)
{
	struct yaml_doc *d;
	int r;

	*ret = usual;
	if (!path)
		return 0;
	if ((r = yaml_load(path, &d, err)) < 0)
		return r;
	const struct yaml *y = yaml_get(yaml_root(d), "profile");
	if (y && y->type != YAML_NULL)
		r = load(d, y, ret, err);
	yaml_doc_free(d);
	return r;
}

int profile_keep_trim(const char *dir, const struct profile_keep *keep, int64_t now_ms,
		      struct keep_sums *ret, struct err *err)
{
	struct keep_opt o = { .ours = profile_file_is_ours,
			      .now_ms = now_ms,
			      .max_age_ms = keep->max_age_ms,
			      .max_bytes = keep->max_bytes,
			      .spare_ms = 5 * MS_MINUTE };
	struct str path = { 0 };

	str_addf(&path, "%s/profiles", dir);
	int r = keep_trim(str_z(&path), &o, ret, err);
	str_free(&path);
	return r;
}
