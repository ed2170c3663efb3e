/* See profile_keep.h. */
#include "profile/profile_keep.h"

#include "profile/profile_file.h"
#include "base/tm.h"

/* Some 180 KB an hour a GPU and 90 KB an hour beside (docs/WATCH.md): 2 GiB are 8,000 hours of one
 * GPU. */
static const struct setting profile_rows[] = {
	{ "retention", SETTING_SPAN, offsetof(struct profile_keep, max_age_ms), .lo = MS_HOUR,
	  .hi = 36600 * MS_DAY, .def = "90d",
	  .wrong = "profile: retention is not a duration from 1h on, such as 90d",
	  .help = "how long a run is kept after its end" },
	{ "max_gib", SETTING_BYTES, offsetof(struct profile_keep, max_bytes), .hi = 1e6, .def = "2",
	  .unit = "GiB", .scale = 1 << 30,
	  .help = "of all runs together, the oldest go first; 0: no limit" },
	{ 0 },
};

const struct setting profile_section = { "profile", SETTING_SECTION, 0, .rows = profile_rows,
					 .help = "how long tare profile keeps its runs" };

int profile_keep_load(const char *path, struct profile_keep *ret, struct err *err)
{
	struct yaml_doc *d;
	int r;

	setting_defaults(profile_rows, ret);
	if (!path)
		return 0;
	if ((r = yaml_load(path, &d, err)) < 0)
		return r;
	struct setting_reader reader = { .doc = d, .section = "profile", .err = err };
	r = setting_read_member(&reader, yaml_root(d), &profile_section, ret);
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
