/* An item of `receivers:`: where it sends, and what each kind needs. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "agent/alerts_conf_in.h"
#include "base/tm.h"

/* Which keys a kind knows beside name, kind, timeout and resolved. */
static bool key_fits(enum notify_kind k, const char *key)
{
	static const char *const common[] = { "name", "kind", "timeout", "resolved" };
	static const char *const web[] = { "url", "url_file", "bearer_file", "ca_file" };
	static const char *const post[] = { "url",           "from",    "to", "user",
					    "password_file", "ca_file", "tls" };

	for (size_t i = 0; i < 4; i++)
		if (!strcmp(key, common[i]) || (k <= NOTIFY_SLACK && !strcmp(key, web[i])))
			return true;
	for (size_t i = 0; k == NOTIFY_EMAIL && i < 7; i++)
		if (!strcmp(key, post[i]))
			return true;
	return (k == NOTIFY_EXEC && !strcmp(key, "command")) ||
	       (k == NOTIFY_ALERTMANAGER && !strcmp(key, "resend"));
}

struct list {
	const char **v;
	size_t n, cap;
};

static int load_list(const struct alerts_loader *l, const struct yaml *map, const char *key,
		     struct list *ret)
{
	const struct yaml *y = yaml_get(map, key);

	if (!y || y->type == YAML_NULL)
		return 0;
	if (y->type != YAML_SEQ && y->type != YAML_TEXT)
		return conf_wrong(l, y, "a text or a list of texts is wanted here");
	for (const struct yaml *i = y->type == YAML_SEQ ? y->child : y; i;
	     i = y->type == YAML_SEQ ? i->next : NULL) {
		if (i->type != YAML_TEXT || !*i->text)
			return conf_wrong(l, i, "a text is wanted here");
		*vec_push(ret) = conf_keep(l, i->text);
	}
	return 0;
}

static int load_web(const struct alerts_loader *l, const struct yaml *y, struct notify_target *t)
{
	int r;

	if ((r = conf_text(l, y, "url", &t->url)) < 0 ||
	    (r = conf_text(l, y, "url_file", &t->url_file)) < 0 ||
	    (r = conf_text(l, y, "bearer_file", &t->bearer_file)) < 0 ||
	    (r = conf_text(l, y, "ca_file", &t->ca_file)) < 0)
		return r;
	if (!t->url == !t->url_file)
		return conf_wrong(
			l, y,
			"this receiver needs 'url' or, where the address is a secret, 'url_file'");
	if (t->url && strncasecmp(t->url, "http://", 7) != 0 &&
	    strncasecmp(t->url, "https://", 8) != 0)
		return conf_wrong(l, yaml_get(y, "url"),
				  "'url' must begin with http:// or https://");
	return conf_span(l, y, "resend", &t->resend_ms);
}

static int check_addresses(const struct alerts_loader *l, const struct yaml *y,
			   const struct notify_target *t)
{
	if (!t->url || !t->from || !t->to.n)
		return conf_wrong(
			l, y,
			"a receiver by mail needs 'url' (smtp://host or smtps://host), 'from' and 'to'");
	if (!notify_address_ok(t->from))
		return conf_wrong(l, yaml_get(y, "from"),
				  "this is no plain mail address such as tare@example.com");
	for (size_t i = 0; i < t->to.n; i++)
		if (!notify_address_ok(t->to.v[i]))
			return conf_wrong(
				l, yaml_get(y, "to"),
				"one of these is no plain mail address such as ops@example.com");
	if (strncasecmp(t->url, "smtp://", 7) != 0 && strncasecmp(t->url, "smtps://", 8) != 0)
		return conf_wrong(l, yaml_get(y, "url"),
				  "'url' must begin with smtp:// or smtps://");
	if (!t->user != !t->password_file)
		return conf_wrong(l, y, "'user' and 'password_file' go together");
	if (t->user && strncasecmp(t->url, "smtps://", 8) != 0 && t->tls != NOTIFY_TLS_REQUIRED)
		return conf_wrong(
			l, y,
			"with 'user', 'tls' must be required: the password would go over the wire for all to read");
	return 0;
}

static int load_mail(const struct alerts_loader *l, const struct yaml *y, struct notify_target *t)
{
	static const char *const words[] = { "required", "if_offered", "never" };
	struct list to = { 0 };
	int tls = NOTIFY_TLS_REQUIRED, r;

	if ((r = conf_text(l, y, "url", &t->url)) < 0 ||
	    (r = conf_text(l, y, "from", &t->from)) < 0 ||
	    (r = conf_text(l, y, "user", &t->user)) < 0 ||
	    (r = conf_text(l, y, "password_file", &t->password_file)) < 0 ||
	    (r = conf_text(l, y, "ca_file", &t->ca_file)) < 0 ||
	    (r = conf_word(l, y, "tls", words, 3, &tls)) < 0)
		return r;
	r = load_list(l, y, "to", &to);
	t->tls = (enum notify_tls)tls;
	t->to.v = to.v, t->to.n = to.n, t->to.cap = to.cap;
	return r < 0 ? r : check_addresses(l, y, t);
}

static int load_exec(const struct alerts_loader *l, const struct yaml *y, struct notify_target *t)
{
	struct list argv = { 0 };
	int r = load_list(l, y, "command", &argv);

	*vec_push(&argv) = NULL; /* as execve() wants it */
	t->argv.v = argv.v, t->argv.n = argv.n - 1, t->argv.cap = argv.cap;
	if (r >= 0 && !t->argv.n)
		return conf_wrong(
			l, y,
			"a receiver of the kind exec needs 'command' with a list: program, arguments");
	return r;
}

static int load_common(const struct alerts_loader *l, const struct yaml *y, struct notify_target *t)
{
	int kind = -1, r;

	if ((r = conf_text(l, y, "name", &t->name)) < 0 ||
	    (r = conf_word(l, y, "kind", notify_kind_name, NOTIFY_KIND_N, &kind)) < 0)
		return r;
	if (l->c->receiver.n >= 64)
		return conf_wrong(l, y, "more than 64 receivers");
	if (!t->name || kind < 0)
		return conf_wrong(
			l, y,
			"a receiver needs 'name' and 'kind' (alertmanager, webhook, slack, email or exec)");
	if (alerts_conf_receiver(l->c, t->name) >= 0)
		return conf_wrong(l, y, "two receivers have this name");
	t->kind = (enum notify_kind)kind;
	for (const struct yaml *k = y->child; k; k = k->next)
		if (!key_fits(t->kind, k->key))
			return err_set(
				l->err, -EINVAL,
				"'%s' line %d: '%s' is nothing that a receiver of the kind %s has",
				yaml_name(l->d), k->line, k->key, notify_kind_name[t->kind]);
	if ((r = conf_span(l, y, "timeout", &t->timeout_ms)) < 0 ||
	    (r = yaml_bool(l->d, y, "resolved", &t->resolved, l->err)) < 0)
		return r;
	if (t->timeout_ms < 100 || t->timeout_ms > 5 * MS_MINUTE)
		return conf_wrong(l, yaml_get(y, "timeout"), "'timeout' is between 100ms and 5m");
	return 0;
}

int conf_receiver(const struct alerts_loader *l, const struct yaml *y)
{
	static const char *const keys[] = { "name", "kind",     "timeout",     "resolved",
					    "url",  "url_file", "bearer_file", "ca_file",
					    "from", "to",       "user",        "password_file",
					    "tls",  "command",  "resend",      NULL };
	struct notify_target t = { .timeout_ms = 10 * MS_SECOND,
				   .resend_ms = MS_MINUTE,
				   .resolved = true };
	int r;

	if ((r = yaml_check_keys(l->d, y, keys, l->err)) < 0 || (r = load_common(l, y, &t)) < 0)
		return r;
	r = t.kind == NOTIFY_EMAIL  ? load_mail(l, y, &t)
	    : t.kind == NOTIFY_EXEC ? load_exec(l, y, &t)
				    : load_web(l, y, &t);
	if (r >= 0 && t.kind == NOTIFY_ALERTMANAGER &&
	    (t.resend_ms < MS_SECOND || t.resend_ms > 30 * MS_MINUTE))
		r = conf_wrong(l, y, "'resend' is between 1s and 30m");
	if (r < 0) {
		vec_free(&t.to);
		vec_free(&t.argv);
		return r;
	}
	*vec_push(&l->c->receiver) = t;
	return 0;
}
