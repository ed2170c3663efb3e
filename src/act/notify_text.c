/* Words for people about a batch of notices: a title in one line, and lines of what is known. */
#include <math.h>
#include <string.h>

#include "act/notify.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/model.h"

static const char *label_of(const struct notice *n, const char *name)
{
	for (size_t i = 0; i < n->nlabel; i++)
		if (!strcmp(n->label[i].name, name) && n->label[i].value && *n->label[i].value)
			return n->label[i].value;
	return NULL;
}

/* At most max bytes of z on one line: control characters become blanks. Broken UTF-8 is left to
 * whoever escapes for the receiver. */
static void put_text(struct str *out, const char *z, size_t max)
{
	for (size_t i = 0; z && z[i] && i < max; i++)
		str_addc(out, (unsigned char)z[i] < 0x20 || z[i] == 0x7f ? ' ' : z[i]);
}

#define NAME_BYTES    128 /* of a node or GPU */
#define OWNER_BYTES   64
#define SUMMARY_BYTES 200
#define ADVICE_BYTES  400

static void put_place(const struct notice *n, struct str *out)
{
	const char *node = label_of(n, "node"), *gpu = label_of(n, "gpu"),
		   *mig = label_of(n, "mig");

	put_text(out, text_or(node, "-"), NAME_BYTES);
	str_addc(out, '/');
	put_text(out, text_or(gpu, "-"), NAME_BYTES);
	if (mig) {
		str_addc(out, '/');
		put_text(out, mig, NAME_BYTES);
	}
}

static void put_owner(const struct notice *n, struct str *out)
{
	static const char *const names[] = { "job", "user", "team" };
	bool first = true;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *v = label_of(n, names[i]);
		if (!v)
			continue;
		str_addf(out, "%s%s ", first ? " (" : ", ", names[i]);
		put_text(out, v, OWNER_BYTES);
		first = false;
	}
	if (!first)
		str_addc(out, ')');
}

void notify_title(const struct notice *n, size_t count, struct str *out)
{
	const char *word = n->severity;
	if (n->over)
		word = "over";
	if (n->test)
		word = "test";
	str_addf(out, "[%s] ", word);
	put_text(out, n->summary, SUMMARY_BYTES);
	str_addz(out, ": ");
	put_place(n, out);
	if (count > 1)
		str_addf(out, " and %zu more", count - 1);
	put_owner(n, out);
}

static void put_number(struct str *out, const char *signal, double v)
{
	struct sv s = sv_of(text_or(signal, ""));

	if (isnan(v))
		str_addz(out, "-");
	else if (sv_ends(s, SV("_pct")))
		str_addf(out, "%.1f %%", v);
	else if (sv_has(s, SV("_frac")))
		str_addf(out, "%.1f %%", 100 * v);
	else if (sv_ends(s, SV("_celsius")))
		str_addf(out, "%.0f C", v);
	else
		str_addf(out, "%g", v);
}

void notify_lines(const struct notice *n, size_t count, struct str *out)
{
	for (size_t i = 0; i < count; i++) {
		put_place(&n[i], out);
		put_owner(&n[i], out);
		if (n[i].signal && !isnan(n[i].value)) {
			str_addf(out, ": %s ", n[i].signal);
			put_number(out, n[i].signal, n[i].value);
			str_addf(out, " (%s ", n[i].above ? "above" : "below");
			put_number(out, n[i].signal, n[i].threshold);
			str_addz(out, " alerts)");
		}
		char t[TM_BUF], span[TM_BUF];
		str_addf(out, ", since %s", tm_format(t, n[i].starts_ms));
		if (n[i].over && n[i].ends_ms != UNKNOWN_MS)
			str_addf(out, ", over at %s after %s", tm_format(t, n[i].ends_ms),
				 tm_format_span(span, max_i64(n[i].ends_ms - n[i].starts_ms, 0)));
		if (n[i].over && n[i].why_over)
			str_addf(out, " (%s)", n[i].why_over);
		if (n[i].cost)
			str_addf(out, ", cost %s %s", n[i].cost, text_or(n[i].currency, ""));
		str_addc(out, '\n');
	}
	if (n->advice && !n->over) {
		str_addz(out, "What to do: ");
		put_text(out, n->advice, ADVICE_BYTES);
		str_addc(out, '\n');
	}
}
