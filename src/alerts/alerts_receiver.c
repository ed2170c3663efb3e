/* An item of `receivers:`: where it sends, and what each kind needs. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "alerts/alerts_conf_in.h"

#define AT(member) offsetof(struct notify_target, member)
#define MAX        64

struct list {
	const char **v;
	size_t n, cap;
};

/* A string, or a list of them. */
static int read_list(const struct setting_reader *r, const struct yaml *y, struct list *ret)
{
	bool list = y->type == YAML_SEQ;

	if (!list && y->type != YAML_TEXT)
		return setting_wrong(r, y, "a string or a list of strings is wanted here");
	for (const struct yaml *i = list ? y->child : y; i; i = list ? i->next : NULL) {
		if (setting_want_text(r, i) < 0)
			return -EINVAL;
		*vec_push(ret) = setting_keep(r, i->text);
	}
	return 0;
}

static int read_to(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct notify_target *t = base;
	struct list to = { 0 };
	int rc = read_list(r, y, &to);

	t->to.v = to.v;
	t->to.n = to.n;
	t->to.cap = to.cap;
	return rc;
}

static int read_command(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct notify_target *t = base;
	struct list argv = { 0 };
	int rc = read_list(r, y, &argv);

	*vec_push(&argv) = NULL; /* as execve() wants it */
	t->argv.v = argv.v;
	t->argv.n = argv.n - 1;
	t->argv.cap = argv.cap;
	return rc;
}

static const char *const tls_words[] = { "required", "if_offered", "never", NULL };

const struct setting alerts_receiver_rows[] = {
	{ "name", SETTING_TEXT, AT(name), .lo = 1, .help = "what routes call it" },
	{ "kind", SETTING_CHOICE, AT(kind), .words = notify_kind_name, .help = "how it is told" },
	{ "timeout", SETTING_SPAN, AT(timeout_ms), .lo = 100, .hi = 5 * MS_MINUTE, .def = "10s",
	  .wrong = ALERTS_SPAN_WRONG, .outside = "'timeout' is between 100ms and 5m",
	  .help = "an attempt may take so long" },
	{ "resolved", SETTING_BOOL, AT(resolved), .def = "true",
	  .help = "true: also told when it is over" },
	{ "url", SETTING_TEXT, AT(url), .lo = 1,
	  .help = "http(s)://, of Alertmanager its root; email: smtp://host:587 or smtps://host" },
	{ "url_file", SETTING_TEXT, AT(url_file), .lo = 1,
	  .help = "instead of url: the first line of this file, where the address is a secret" },
	{ "bearer_file", SETTING_TEXT, AT(bearer_file), .lo = 1, .none = "no token",
	  .help = "alertmanager, webhook, slack: token" },
	{ "ca_file", SETTING_TEXT, AT(ca_file), .lo = 1, .none = "those of the system",
	  .help = "further roots to trust" },
	{ "from", SETTING_TEXT, AT(from), .lo = 1, .help = "email: address it comes from" },
	{ "to", SETTING_OWN, .own = read_to, .unit = "text or list",
	  .help = "email: addresses it goes to" },
	{ "user", SETTING_TEXT, AT(user), .lo = 1, .none = "no login",
	  .help = "email: login at the server, with password_file" },
	{ "password_file", SETTING_TEXT, AT(password_file), .lo = 1, .none = "no login",
	  .help = "email: the password's file" },
	{ "tls", SETTING_CHOICE, AT(tls), .words = tls_words, .def = "required",
	  .help = "email: TLS of the way there" },
	{ "command", SETTING_OWN, .own = read_command, .unit = "text or list",
	  .help = "exec: program and arguments; the JSON of a webhook is its standard input" },
	{ "resend", SETTING_SPAN, AT(resend_ms), .lo = MS_SECOND, .hi = 30 * MS_MINUTE, .def = "1m",
	  .wrong = ALERTS_SPAN_WRONG, .outside = "'resend' is between 1s and 30m",
	  .help = "alertmanager: what fires is said again after this" },
	{ 0 },
};

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
	if (k == NOTIFY_EXEC)
		return !strcmp(key, "command");
	return k == NOTIFY_ALERTMANAGER && !strcmp(key, "resend");
}

static int check_kind(const struct setting_reader *r, const struct yaml *y,
		      const struct notify_target *t)
{
	if (t->kind == NOTIFY_EMAIL) {
		if (!t->url || !t->from || !t->to.n)
			return setting_wrong(
				r, y,
				"a receiver by mail needs 'url' (smtp://host or smtps://host), 'from' and 'to'");
		if (!notify_address_ok(t->from))
			return setting_wrong(
				r, yaml_get(y, "from"),
				"this is no plain mail address such as tare@example.com");
		for (size_t i = 0; i < t->to.n; i++)
			if (!notify_address_ok(t->to.v[i]))
				return setting_wrong(
					r, yaml_get(y, "to"),
					"one of these is no plain mail address such as ops@example.com");
		if (strncasecmp(t->url, "smtp://", 7) != 0 &&
		    strncasecmp(t->url, "smtps://", 8) != 0)
			return setting_wrong(r, yaml_get(y, "url"),
					     "'url' must begin with smtp:// or smtps://");
		if (!t->user != !t->password_file)
			return setting_wrong(r, y, "'user' and 'password_file' go together");
		if (t->user && strncasecmp(t->url, "smtps://", 8) != 0 &&
		    t->tls != NOTIFY_TLS_REQUIRED)
			return setting_wrong(
				r, y,
				"with 'user', 'tls' must be required: the password would go over the wire for all to read");
		return 0;
	}
	if (t->kind != NOTIFY_EXEC) {
		if (!t->url == !t->url_file)
			return setting_wrong(
				r, y,
				"this receiver needs 'url' or, where the address is a secret, 'url_file'");
		if (t->url && strncasecmp(t->url, "http://", 7) != 0 &&
		    strncasecmp(t->url, "https://", 8) != 0)
			return setting_wrong(r, yaml_get(y, "url"),
					     "'url' must begin with http:// or https://");
		return 0;
	}
	if (!t->argv.n)
		return setting_wrong(
			r, y,
			"a receiver of the kind exec needs 'command' with a list: program, arguments");
	return 0;
}

/* Who it is and how it is told: what the other keys depend on. */
static int read_common(const struct setting_reader *r, const struct yaml *y,
		       struct notify_target *t)
{
	const struct setting *rows = alerts_receiver_rows;
	const struct alerts_conf *c = r->ctx;
	int rc = setting_check_keys(r, y, rows);

	if (rc >= 0)
		rc = setting_read_member(r, y, setting_find(rows, "name"), t);
	if (rc >= 0)
		rc = setting_read_member(r, y, setting_find(rows, "kind"), t);
	if (rc < 0)
		return rc;
	if (c->receiver.n >= MAX)
		return setting_wrong(r, y, "more than 64 receivers");
	if (!t->name || t->kind == NOTIFY_KIND_N)
		return setting_wrong(
			r, y,
			"a receiver needs 'name' and 'kind' (alertmanager, webhook, slack, email or exec)");
	if (alerts_conf_receiver(c, t->name) >= 0)
		return setting_wrong(r, y, "two receivers have this name");
	for (const struct yaml *k = y->child; k; k = k->next)
		if (!key_fits(t->kind, k->key))
			return err_set(
				r->err, -EINVAL,
				"'%s' line %d: '%s' is nothing that a receiver of the kind %s has",
				yaml_name(r->doc), k->line, k->key, notify_kind_name[t->kind]);
	return 0;
}

int alerts_read_receiver(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct alerts_conf *c = base;
	struct notify_target t = { 0 };
	int rc;

	setting_defaults(alerts_receiver_rows, &t);
	t.kind = NOTIFY_KIND_N;
	if ((rc = read_common(r, y, &t)) < 0 ||
	    (rc = setting_read(r, y, alerts_receiver_rows, &t)) < 0 ||
	    (rc = check_kind(r, y, &t)) < 0) {
		vec_free(&t.to);
		vec_free(&t.argv);
		return rc;
	}
	*vec_push(&c->receiver) = t;
	return 0;
}
