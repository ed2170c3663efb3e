/* Files in the manner of ~/.aws/config: sections in brackets, name = value, tables set in below a
 * name. */
#include "auth/cred.h"

#include <errno.h>
#include "base/mem.h"
#include "base/sh.h"
#include "auth/role.h"

static bool section_is(struct sv line, const char *profile)
{
	struct sv name = sv_trim((struct sv){ line.p + 1, line.n - 2 });

	if (sv_starts(name, SV("profile ")))
		name = sv_trim(sv_from(name, 8));
	return sv_is(name, profile);
}

int aws_hint(struct err *err, const char *before, const char *name, const char *after)
{
	struct arena a = { 0 };

	err_hint(err, "%s%s%s", before, sh_show(&a, name), after);
	arena_free(&a);
	return -EACCES;
}

struct sv cred_ini_value(struct sv text, const char *profile, const char *name)
{
	bool inside = false;

	while (text.p && text.n) {
		struct sv value, raw = sv_cut(text, '\n', &text), line = sv_trim(raw);
		if (!line.n || line.p[0] == '#' || line.p[0] == ';')
			continue;
		if (line.p[0] == '[') {
			inside = line.n > 2 && line.p[line.n - 1] == ']' &&
				 section_is(line, profile);
			continue;
		}
		struct sv key = sv_trim(sv_cut(line, '=', &value));
		/* lines that are set in belong to a nested table */
		bool set_in = raw.p[0] == ' ' || raw.p[0] == '\t';
		if (inside && value.p && !set_in && sv_ieq(key, sv_of(name)))
			return sv_trim(value);
	}
	return SV_NULL;
}

/* The lines that are set in below "NAME =", as the settings of one service are: "s3 =", "
 *         payload_signing_enabled = false". */
struct sv cred_ini_nested(struct sv text, const char *profile, const char *table, const char *name)
{
	bool inside = false, in_table = false;

	while (text.p && text.n) {
		struct sv value, raw = sv_cut(text, '\n', &text), line = sv_trim(raw);
		bool set_in = raw.n && (raw.p[0] == ' ' || raw.p[0] == '\t');
		if (!line.n || line.p[0] == '#' || line.p[0] == ';')
			continue;
		if (line.p[0] == '[') {
			inside = line.n > 2 && line.p[line.n - 1] == ']' &&
				 section_is(line, profile);
			in_table = false;
			continue;
		}
		struct sv key = sv_trim(sv_cut(line, '=', &value));
		if (!set_in)
			in_table = inside && value.p && !sv_trim(value).n &&
				   sv_ieq(key, sv_of(table));
		else if (in_table && value.p && sv_ieq(key, sv_of(name)))
			return sv_trim(value);
	}
	return SV_NULL;
}

bool cred_ini_has(struct sv text, const char *profile)
{
	while (text.p && text.n) {
		struct sv line = sv_trim(sv_cut(text, '\n', &text));
		if (line.n > 2 && line.p[0] == '[' && line.p[line.n - 1] == ']' &&
		    section_is(line, profile))
			return true;
	}
	return false;
}

int cred_ini_parse(struct sv text, const char *profile, struct cred *ret, struct err *err)
{
	struct sv id = cred_ini_value(text, profile, "aws_access_key_id"),
		  secret = cred_ini_value(text, profile, "aws_secret_access_key");
	struct sv token = cred_ini_value(text, profile, "aws_session_token");

	if (!cred_ini_has(text, profile))
		return err_set(err, -ENOENT, "the credentials file has no profile '%s'", profile);
	if (!id.p || !secret.p || !cred_value_ok(id) || !cred_value_ok(secret) ||
	    (token.p && token.n && !cred_value_ok(token)))
		return err_set(
			err, -EBADMSG,
			"the profile '%s' of the credentials file has no usable aws_access_key_id and aws_secret_access_key",
			profile);
	*ret = (struct cred){ .id = xstrsv(id),
			      .secret = xstrsv(secret),
			      .token = token.n ? xstrsv(token) : NULL,
			      .expires_ms = INT64_MAX,
			      .source = "the credentials file" };
	return 0;
}
