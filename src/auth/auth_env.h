#ifndef TARE_AUTH_AUTH_ENV_H
#define TARE_AUTH_AUTH_ENV_H
/* What the clouds' own tools take from the environment, and how one waits for a service. */
#include <stdint.h>

/* Environment variable, NULL where unset or empty. */
const char *auth_env(const char *name);
/* AWS_CA_BUNDLE, CURL_CA_BUNDLE, SSL_CERT_FILE or NULL. */
const char *auth_ca_file(void);
/* "amazonaws.com", of the Chinese regions "amazonaws.com.cn". */
const char *aws_domain(const char *region);
/* Wait; signals do not shorten it. */
void auth_sleep_ms(int64_t ms);

#endif
