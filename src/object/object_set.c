#include "object/object_set.h"

#include <errno.h>
#include <stddef.h>

#include "base/among.h"
#include "base/num.h"
#include "base/str.h"

struct setting {
	const char *name;
	size_t at;          /* of a const char * in struct object_opt */
	const char *values; /* blank between, "": any */
};
static const struct setting settings[] = {
	{ "endpoint", offsetof(struct object_opt, endpoint), "" },
	{ "region", offsetof(struct object_opt, region), "" },
	{ "profile", offsetof(struct object_opt, profile), "" },
	{ "payload-signing", offsetof(struct object_opt, payload_signing), "on off" },
	{ "sse", offsetof(struct object_opt, sse), "AES256 aws:kms aws:kms:dsse" },
	{ "sse-kms-key-id", offsetof(struct object_opt, sse_kms_key_id), "" },
	/* those that are not read at once (GLACIER, DEEP_ARCHIVE) would be no place for a
	 * checkpoint */
	{ "storage-class", offsetof(struct object_opt, storage_class),
	  "STANDARD STANDARD_IA ONEZONE_IA INTELLIGENT_TIERING GLACIER_IR REDUCED_REDUNDANCY EXPRESS_ONEZONE NEARLINE COLDLINE ARCHIVE" },
	{ "request-payer", offsetof(struct object_opt, request_payer), "requester" },
};

/* %XX undone; what cannot stand in a header is refused. */
static char *value_of(struct arena *a, struct sv v)
{
	char *z = arena_alloc(a, v.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < v.n; i++) {
		unsigned char c = (unsigned char)v.p[i];
		bool escaped = c == '%' && i + 2 < v.n;
		if (escaped && hex_pair(v.p + i + 1) >= 0) {
			c = (unsigned char)hex_pair(v.p + i + 1);
			i += 2;
		}
		if (c <= ' ' || c > '~')
			return NULL;
		z[n++] = (char)c;
	}
	z[n] = 0;
	if (n && n < 2048)
		return z;
	return NULL;
}

static bool is_one_of(const char *value, const char *list)
{
	struct sv rest = sv_of(list);

	while (rest.p && rest.n)
		if (sv_is(sv_cut(rest, ' ', &rest), value))
			return true;
	return !*list;
}

static int set_option(struct sv pair, struct arena *a, struct object_opt *ret, struct err *err)
{
	struct sv value, name = sv_cut(pair, '=', &value);
	const struct setting *s = NULL;
	const char **to;
	char *z;

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (sv_is(name, settings[i].name))
			s = &settings[i];
	if (!s) {
		err_set(err, -EINVAL, "'%.*s' is not a setting of an object store's address",
			(int)min_size(name.n, 40), text_or(name.p, ""));
		if (SV_AMONG(name, "sig", "sv", "se", "sp"))
			err_hint(
				err,
				"a SAS goes into AZURE_STORAGE_SAS_TOKEN, where it is not seen in lists of processes");
		else
			err_hint(
				err,
				"there are endpoint, region, profile, payload-signing, sse, sse-kms-key-id, storage-class and request-payer");
		return -EINVAL;
	}
	z = value.n ? value_of(a, value) : NULL;
	if (!z || !is_one_of(z, s->values)) {
		err_set(err, -EINVAL, "'%.60s' is not a value of '%s' in an object store's address",
			text_or(z, ""), s->name);
		if (*s->values)
			err_hint(err, "it may be: %s", s->values);
		return -EINVAL;
	}
	to = (const char **)(void *)((char *)ret + s->at);
	if (!*to)
		*to = z;
	return 0;
}

int object_set_parse(const char *rest, const struct object_opt *opt, struct arena *a,
		     const char **ret_rest, struct object_opt *ret, struct err *err)
{
	struct sv query, path = sv_cut(sv_of(rest), '?', &query);
	int rc = 0;

	*ret = *opt;
	*ret_rest = arena_sv(a, path);
	while (rc == 0 && query.p && query.n) {
		struct sv pair = sv_cut(query, '&', &query);
		if (pair.n)
			rc = set_option(pair, a, ret, err);
	}
	if (rc == 0 && ret->sse_kms_key_id && (!ret->sse || !strcmp(ret->sse, "AES256")))
		rc = err_set(err, -EINVAL, "sse-kms-key-id wants sse=aws:kms beside it");
	return rc;
}
