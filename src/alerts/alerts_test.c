#include "alerts/alerts_test.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/near.h"
#include "base/str.h"
#include "model/model.h"

const struct notify_target *alerts_test_receiver(const struct alerts_conf *c, const char *name,
						 const char *config, struct err *err)
{
	long at = alerts_conf_receiver(c, name);
	VEC(const char *) names = { 0 };
	const char *near;

	if (at >= 0)
		return &c->receiver.v[at];
	for (size_t i = 0; i < c->receiver.n; i++)
		*vec_push(&names) = c->receiver.v[i].name;
	near = names.n ? near_word(name, names.v, names.n) : NULL;
	err_set(err, -ENOENT, "no receiver is called '%.100s'", name);
	if (near)
		err_hint(err, "Did you mean '%s'?", near);
	else if (names.n) {
		size_t n = names.n;
		struct str all = { 0 };

		for (size_t i = 0; i < n; i++)
			str_addf(&all, "%s%s", i ? ", " : "", names.v[i]);
		err_hint(err, "There %s: %.800s", n == 1 ? "is" : "are", str_z(&all));
		str_free(&all);
	} else if (!names.n)
		err_hint(
			err,
			"There are none: name them under alerts: receivers: in the configuration%s%s.",
			text_if(config, " "), text_or(config, ""));
	vec_free(&names);
	return NULL;
}

/* label [2] */
static struct notice test_notice(struct notice_label *label, int64_t now_ms)
{
	return (struct notice){ .id = "tare-test",
				.group = "test",
				.rule = "tare_test",
				.severity = "info",
				.summary = "this is a test of tare",
				.advice = "nothing: tare alerts test sent it",
				.value = NAN,
				.worst = NAN,
				.threshold = NAN,
				.starts_ms = now_ms,
				.ends_ms = UNKNOWN_MS,
				.label = label,
				.nlabel = 2,
				.test = true };
}

int alerts_test_send(const struct notify_target *t, int64_t now_ms, struct err *err)
{
	char host[64] = "-";
	struct notice_label label[] = { { "node", host }, { "gpu", "none" } };
	struct notice n = test_notice(label, now_ms);
	int64_t after;

	gethostname(host, sizeof host - 1);
	return notify_send(t, &n, 1, now_ms, &after, err);
}

void alerts_test_show(const struct notify_target *t, int64_t now_ms, struct str *out)
{
	struct notice_label label[] = { { "node", "-" }, { "gpu", "none" } };
	struct notice n = test_notice(label, now_ms);

	notify_show(t, &n, 1, now_ms, out);
}
