#include "net/jwt.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include "base/base64.h"
#include "base/mem.h"
#include "net/digest.h"

enum { LEAST_BITS = 2048, KEY_MAX = 65536 };

/* A key with a passphrase is not asked for one at a terminal. */
static int no_passphrase(char *buf, int size, int writing, void *ctx)
{
	(void)buf;
	(void)size;
	(void)writing;
	(void)ctx;
	return -1;
}

static int add_signature(EVP_PKEY *key, struct str *out)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	size_t n = (size_t)EVP_PKEY_size(key);
	unsigned char *sig = xmalloc(n);
	bool ok = c && EVP_DigestSignInit(c, NULL, EVP_sha256(), NULL, key) == 1 &&
		  EVP_DigestSign(c, sig, &n, (const unsigned char *)out->p, out->n) == 1;

	if (ok) {
		str_addc(out, '.');
		base64url_put(out, (struct sv){ (const char *)sig, n });
	}
	EVP_MD_CTX_free(c);
	free(sig);
	ERR_clear_error();
	if (ok)
		return 0;
	return -EIO;
}

int jwt_rs256(struct sv pem, struct sv header_json, struct sv claims_json, struct str *ret,
	      struct err *err)
{
	BIO *b = pem.n && pem.n < KEY_MAX ? BIO_new_mem_buf(pem.p, (int)pem.n) : NULL;
	EVP_PKEY *key = NULL;
	struct str t = { 0 };
	int rc;

	if (b)
		key = PEM_read_bio_PrivateKey(b, NULL, no_passphrase, NULL);
	BIO_free(b);
	if (key && (EVP_PKEY_base_id(key) != EVP_PKEY_RSA || EVP_PKEY_bits(key) < LEAST_BITS)) {
		EVP_PKEY_free(key);
		key = NULL;
	}
	ERR_clear_error();
	if (!key)
		return err_set(
			err, -EACCES,
			"the private key cannot be read: it is no RSA key of 2048 bits or more in PEM");
	base64url_put(&t, header_json);
	str_addc(&t, '.');
	base64url_put(&t, claims_json);
	rc = add_signature(key, &t);
	EVP_PKEY_free(key);
	if (rc == 0)
		str_addsv(ret, str_sv(&t));
	str_free(&t);
	if (rc < 0)
		return err_set(err, rc, "OpenSSL cannot sign with the private key");
	return 0;
}
