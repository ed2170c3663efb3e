/* See sigv4.h. Canonical request -> string to sign -> signature; names as in Amazon's
 * description. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "net/sigv4.h"

#define HEX_LEN 64

struct url {
	struct sv host, path, query;
};

static bool cut_url(const char *url, struct url *ret)
{
	struct sv rest = sv_of(url);
	const char *after = strstr(url, "://");
	if (!after)
		return false;
	bool tls = after - url == 5;
	rest.p = after + 3;
	rest.n = strlen(rest.p);
	size_t n = strcspn(rest.p, "/?#");
	ret->host = (struct sv){ rest.p, n };
	rest = sv_from(rest, n);
	rest.n = strcspn(rest.p, "#");
	ret->path = rest.n ? sv_cut(rest, '?', &ret->query) : SV("/");
	if (!rest.n)
		ret->query = SV_NULL;
	if (!ret->path.n)
		ret->path = SV("/");
	/* the port of the scheme is not part of the Host header */
	struct sv port = SV(":80");
	if (tls)
		port = SV(":443");
	if (sv_ends(ret->host, port))
		ret->host.n -= port.n;
	return ret->host.n > 0;
}

static void write_hex(const unsigned char *p, char out[HEX_LEN + 1])
{
	for (int i = 0; i < SHA256_DIGEST_LENGTH; i++)
		sprintf(out + 2 * i, "%02x", p[i]);
}

static void sha256_hex(struct sv s, char out[HEX_LEN + 1])
{
	unsigned char md[SHA256_DIGEST_LENGTH];
	SHA256((const unsigned char *)text_or(s.p, ""), s.n, md);
	write_hex(md, out);
}

/* Sorted by name, then value; a name alone gets its "=". */
static void add_query(struct str *out, struct sv query)
{
	VEC(char *) part = { 0 };
	while (query.p && query.n) {
		struct sv p = sv_cut(query, '&', &query);
		if (!p.n)
			continue;
		char *z = xmalloc(p.n + 2);
		memcpy(z, p.p, p.n);
		z[p.n] = 0;
		char *eq = strchr(z, '=');
		if (!eq)
			memcpy(z + p.n, "=", 2);
		else
			*eq = '\1'; /* below every character of a name: "a=1" sorts before "a-b=1" */
		if (!eq)
			z[p.n] = '\1';
		*vec_push(&part) = z;
	}
	if (part.n)
		sort_items(part.v, part.n, sizeof *part.v, rising_text);
	for (size_t i = 0; i < part.n; i++) {
		*strchr(part.v[i], '\1') = '=';
		if (i)
			str_addc(out, '&');
		str_addz(out, part.v[i]);
		free(part.v[i]);
	}
	vec_free(&part);
}

/* Lower-case names, values without surrounding blanks and with single blanks inside; sorted; the
 * list of names. */
static void add_headers(struct str *out, struct str *names, const char *const *header, size_t n)
{
	VEC(char *) line = { 0 };
	for (size_t i = 0; i < n; i++) {
		struct sv value, name = sv_cut(sv_of(header[i]), ':', &value);
		struct str s = { 0 };
		bool blank = false;
		name = sv_trim(name);
		value = sv_trim(value);
		for (size_t k = 0; k < name.n; k++)
			str_addc(&s, (char)tolower((unsigned char)name.p[k]));
		str_addc(&s, '\1'); /* below every character of a name: "a:" sorts before "a-b:" */
		for (size_t k = 0; k < value.n; k++) {
			if (value.p[k] != ' ' || !blank)
				str_addc(&s, value.p[k]);
			blank = value.p[k] == ' ';
		}
		*vec_push(&line) = s.p;
	}
	sort_items(line.v, line.n, sizeof *line.v, rising_text);
	for (size_t i = 0; i < line.n; i++) {
		line.v[i][strcspn(line.v[i], "\1")] = ':';
		str_addf(out, "%s\n", line.v[i]);
		str_addf(names, "%s%.*s", text_if(i, ";"), (int)strcspn(line.v[i], ":"), line.v[i]);
		free(line.v[i]);
	}
	vec_free(&line);
}

static void sign_hmac(const unsigned char *key, size_t nkey, struct sv text,
		      unsigned char out[SHA256_DIGEST_LENGTH])
{
	unsigned n = SHA256_DIGEST_LENGTH;
	HMAC(EVP_sha256(), key, (int)nkey, (const unsigned char *)text.p, text.n, out, &n);
}

static void make_signature(const struct sigv4_key *key, const struct sigv4_req *q, const char *day,
			   struct sv to_sign, char out[HEX_LEN + 1])
{
	unsigned char k[2][SHA256_DIGEST_LENGTH];
	struct str first = { 0 };
	str_addf(&first, "%s%s", q->google ? "GOOG4" : "AWS4", key->secret);
	sign_hmac((const unsigned char *)first.p, first.n, sv_of(day), k[0]);
	OPENSSL_cleanse(first.p, first.n);
	str_free(&first);
	sign_hmac(k[0], sizeof k[0], sv_of(q->region), k[1]);
	sign_hmac(k[1], sizeof k[1], sv_of(q->service), k[0]);
	sign_hmac(k[0], sizeof k[0], q->google ? SV("goog4_request") : SV("aws4_request"), k[1]);
	sign_hmac(k[1], sizeof k[1], to_sign, k[0]);
	write_hex(k[0], out);
	OPENSSL_cleanse(k, sizeof k);
}

/* What is between the parts: names of Amazon's or Google's, the time, the hash of the body. */
struct signing {
	const struct sigv4_req *q;
	struct url u;
	char day[16], stamp[32], own[HEX_LEN + 1];
	const char *body, *kind, *end; /* hash; "AWS4", "aws4_request" */
	bool s3;
	struct str names; /* of the signed headers */
};

static void make_canonical(struct signing *g, struct sigv4 *ret)
{
	const struct sigv4_req *q = g->q;
	const char **all = xcalloc(q->nheader + ret->nheader + 1, sizeof *all);
	struct str host = { 0 };
	size_t n = 0;

	str_addf(&host, "Host: %.*s", SVF(g->u.host));
	all[n++] = host.p;
	for (size_t i = 0; i < q->nheader; i++)
		all[n++] = q->header[i];
	for (size_t i = 0; i < ret->nheader; i++)
		all[n++] = ret->header[i].p;
	str_addf(&ret->canonical, "%s\n", q->method);
	/* S3 signs the path as sent; every other service signs it encoded once more */
	for (size_t i = 0; i < g->u.path.n; i++) {
		unsigned char ch = (unsigned char)g->u.path.p[i];
		if (g->s3 || isalnum(ch) || strchr("-._~/", ch))
			str_addc(&ret->canonical, (char)ch);
		else
			str_addf(&ret->canonical, "%%%02X", ch);
	}
	str_addc(&ret->canonical, '\n');
	add_query(&ret->canonical, g->u.query);
	str_addc(&ret->canonical, '\n');
	add_headers(&ret->canonical, &g->names, all, n);
	str_addf(&ret->canonical, "\n%s\n%s", str_z(&g->names), g->body);
	free(all);
	str_free(&host);
}

int sigv4_sign(const struct sigv4_key *key, const struct sigv4_req *q, struct sigv4 *ret,
	       struct err *err)
{
	struct signing g = { .q = q, .kind = "AWS4", .end = "aws4_request" };
	const char *x = "Amz";
	struct civil t = tm_civil(q->now_ms);
	char sum[HEX_LEN + 1], sig[HEX_LEN + 1];

	sigv4_free(ret);
	if (q->google) {
		g.kind = "GOOG4";
		g.end = "goog4_request";
		x = "Goog";
	}
	if (!cut_url(q->url, &g.u))
		return err_set(err, -EINVAL, "cannot sign a request: the URL has no host");
	snprintf(g.day, sizeof g.day, "%04d%02d%02d", t.year % 10000, t.month % 100, t.day % 100);
	snprintf(g.stamp, sizeof g.stamp, "%sT%02d%02d%02dZ", g.day, t.hour % 100, t.minute % 100,
		 t.second % 100);
	if (!q->body_sha256)
		sha256_hex(q->body, g.own);
	g.body = text_or(q->body_sha256, g.own);
	g.s3 = q->google || !strcmp(q->service, "s3");

	/* the headers that signing adds, all but the signature */
	str_addf(&ret->header[ret->nheader++], "X-%s-Date: %s", x, g.stamp);
	if (g.s3)
		str_addf(&ret->header[ret->nheader++], "X-%s-Content-SHA256: %s", x, g.body);
	if (key->token && *key->token)
		str_addf(&ret->header[ret->nheader++], "X-Amz-Security-Token: %s", key->token);
	make_canonical(&g, ret);
	sha256_hex(str_sv(&ret->canonical), sum);
	str_addf(&ret->to_sign, "%s-HMAC-SHA256\n%s\n%s/%s/%s/%s\n%s", g.kind, g.stamp, g.day,
		 q->region, q->service, g.end, sum);
	make_signature(key, q, g.day, str_sv(&ret->to_sign), sig);
	str_addf(
		&ret->header[ret->nheader++],
		"Authorization: %s-HMAC-SHA256 Credential=%s/%s/%s/%s/%s, SignedHeaders=%s, Signature=%s",
		g.kind, key->id, g.day, q->region, q->service, g.end, str_z(&g.names), sig);
	str_free(&g.names);
	return 0;
}

void sigv4_free(struct sigv4 *s)
{
	str_free(&s->canonical);
	str_free(&s->to_sign);
	for (size_t i = 0; i < sizeof s->header / sizeof *s->header; i++)
		str_free(&s->header[i]);
	s->nheader = 0;
}
