#include "net/sharedkey.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <openssl/crypto.h>
#include "base/base64.h"
#include "base/mem.h"
#include "base/sort.h"
#include "net/digest.h"

/* The value of a header of the request, "" where it has none. */
static struct sv find_header(const struct sharedkey_req *q, const char *name)
{
	for (size_t i = 0; i < q->nheader; i++) {
		struct sv value, key = sv_trim(sv_cut(sv_of(q->header[i]), ':', &value));
		if (value.p && sv_ieq(key, sv_of(name)))
			return sv_trim(value);
	}
	return SV("");
}

/* Those that start with x-ms-, in lower case, sorted by name. */
static void add_ms_headers(struct str *out, const struct sharedkey_req *q)
{
	VEC(char *) line = { 0 };

	for (size_t i = 0; i < q->nheader; i++) {
		struct sv value, name = sv_trim(sv_cut(sv_of(q->header[i]), ':', &value));
		struct str s = { 0 };
		for (size_t k = 0; k < name.n; k++)
			str_addc(&s, (char)tolower((unsigned char)name.p[k]));
		str_addc(&s, '\1'); /* below every character of a name: "a:" sorts before "a-b:" */
		str_addsv(&s, sv_trim(value));
		if (sv_starts(str_sv(&s), SV("x-ms-")))
			*vec_push(&line) = s.p;
		else
			str_free(&s);
	}
	if (line.n)
		sort_items(line.v, line.n, sizeof *line.v, rising_text);
	for (size_t i = 0; i < line.n; i++) {
		*strchr(line.v[i], '\1') = ':';
		str_addf(out, "%s\n", line.v[i]);
		free(line.v[i]);
	}
	vec_free(&line);
}

static void add_decoded(struct str *out, struct sv v, bool lower)
{
	for (size_t i = 0; i < v.n; i++) {
		char c = v.p[i];
		if (c == '%' && i + 2 < v.n && hex_pair(v.p + i + 1) >= 0) {
			c = (char)hex_pair(v.p + i + 1);
			i += 2;
		}
		str_addc(out, lower ? (char)tolower((unsigned char)c) : c);
	}
}

/* "\nname:value" of each parameter, decoded, sorted by name, then value; values of one name with
 * commas between. */
static void add_query(struct str *out, struct sv query)
{
	VEC(char *) part = { 0 };
	size_t last = 0;

	while (query.p && query.n) {
		struct sv value, p = sv_cut(query, '&', &query), name = sv_cut(p, '=', &value);
		struct str s = { 0 };
		if (!p.n)
			continue;
		add_decoded(&s, name, true);
		str_addc(&s, '\1');
		add_decoded(&s, value, false);
		*vec_push(&part) = s.p;
	}
	if (part.n)
		sort_items(part.v, part.n, sizeof *part.v, rising_text);
	for (size_t i = 0; i < part.n; i++) {
		size_t n = strcspn(part.v[i], "\1");
		if (i && n == last && !strncmp(part.v[i], part.v[i - 1], n))
			str_addf(out, ",%s", part.v[i] + n + 1);
		else
			str_addf(out, "\n%.*s:%s", (int)n, part.v[i], part.v[i] + n + 1);
		last = n;
	}
	for (size_t i = 0; i < part.n; i++)
		free(part.v[i]);
	vec_free(&part);
}

/* x-ms-date stands among the headers, so the field of Date is empty. */
static int make_text(const char *account, const struct sharedkey_req *q, struct str *out,
		     struct err *err)
{
	static const char *const fields[] = { "Content-Encoding",
					      "Content-Language",
					      NULL,
					      "Content-MD5",
					      "Content-Type",
					      NULL,
					      "If-Modified-Since",
					      "If-Match",
					      "If-None-Match",
					      "If-Unmodified-Since",
					      "Range" };
	enum { LENGTH = 2 };

	str_addf(out, "%s\n", q->method);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (i == LENGTH && q->body_bytes)
			str_addf(out, "%" PRIu64, q->body_bytes);
		if (fields[i])
			str_addsv(out, find_header(q, fields[i]));
		str_addc(out, '\n');
	}
	add_ms_headers(out, q);

	const char *host = strstr(q->url, "://"), *path = NULL;
	if (host)
		path = strchr(host + 3, '/');
	if (!path)
		return err_set(err, -EINVAL, "cannot sign a request: the URL has no path");
	struct sv query, resource = sv_cut(sv_of(path), '?', &query);
	str_addf(out, "/%s%.*s", account, SVF(resource));
	add_query(out, query);
	return 0;
}

int sharedkey_sign(const char *account, const char *key, const struct sharedkey_req *q,
		   struct str *to_sign, struct str *ret_header, struct err *err)
{
	unsigned char mac[DIGEST_HMAC_BYTES];
	struct str raw = { 0 };
	int rc = base64_read(&raw, sv_of(key));

	if (rc < 0 || !raw.n)
		rc = err_set(err, -EACCES, "the key of the storage account '%s' is not Base64",
			     account);
	if (rc == 0)
		rc = make_text(account, q, to_sign, err);
	if (rc == 0 && digest_hmac_sha256(str_sv(&raw), str_sv(to_sign), mac) < 0)
		rc = err_set(err, -EIO, "cannot sign a request to the storage account '%s'",
			     account);
	if (rc == 0) {
		str_addf(ret_header, "Authorization: SharedKey %s:", account);
		base64_put(ret_header, (struct sv){ (const char *)mac, sizeof mac });
	}
	if (raw.p)
		OPENSSL_cleanse(raw.p, raw.n);
	str_free(&raw);
	return rc;
}
