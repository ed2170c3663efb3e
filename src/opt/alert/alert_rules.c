/*
 * The table of rules, and what rules and silences match.
 *
 * Source: thresholds of the seed lesson's monitoring table (docs/WATCH.md): mean utilisation < 40 %
 * for 30 min, peak > 95 % for 1 h, VRAM > 85 % sustained, temperature > 83 C, power > 90 % of TDP,
 * SM occupancy < 50 % in training. What the lesson leaves open is chosen here:
 *
 *   "mean for 30 min"   the mean over a sliding window of 30 min
 *   "peak for 1 h"      the peak of each minute, all through an hour: one burst an hour is no full
 *                       GPU
 *   "sustained"         the least value of 10 min; it is over after 15: one short dip makes the
 *                       least value low for 10
 *   clear thresholds    5 points back, 3 C for temperature (a sensor's step is 1 C), for 5 min:
 *                       longer than a checkpoint or an evaluation
 *   one cause           the order of `follows`: lost > fault; held without a process > underused >
 *                       low occupancy; full > high power
 */
#include "base/num.h"
#include "base/str.h"
#include "opt/alert/alert.h"

#include <errno.h>
#include <math.h>

#include "base/near.h"
#include "base/tm.h"

#define LEN(a) (sizeof(a) / sizeof *(a))
#define MIN    MS_MINUTE

const char *const alert_agg_name[ALERT_AGG_N + 1] = { "last", "mean", "max", "min", "p95" };
const char *const alert_cmp_name[ALERT_CMP_N] = { "above", "below" };
const char *const alert_severity_name[ALERT_SEVERITY_N + 1] = { "info", "warning", "critical" };
const char *const alert_held_name[ALERT_HELD_N + 1] = { "any", "held", "free", "not_free", NULL };
const char *const alert_state_name[ALERT_STATE_N] = { "ok", "pending", "firing", "no_data" };
const char *const alert_field_name[ALERT_FIELD_N] = { "node",    "gpu", "mig",     "gpu_model",
						      "cluster", "job", "user",    "team",
						      "project", "env", "workload" };
static const char *const derived_name[ALERT_SIGNAL_N - METRIC_N] = {
	"mem_used_frac", "power_frac_of_tdp", "power_frac_of_limit", "lost",
	"fault",         "held_no_process"
};

const struct alert_rule alert_defaults[] = {
	{ .name = "gpu_lost",
	  .summary = "GPU is gone",
	  .advice =
		  "drain the node and look at the kernel's log; the driver no longer sees the GPU",
	  .signal = ALERT_LOST,
	  .agg = ALERT_LAST,
	  .cmp = ALERT_ABOVE,
	  .threshold = 0.5,
	  .clear = 0.5,
	  .clear_for_ms = MIN,
	  .no_data_ms = 10 * MIN,
	  .severity = ALERT_CRITICAL },
	{ .name = "gpu_fault",
	  .summary = "GPU reports a hardware error",
	  .advice = "drain the node, reset the GPU and have it checked",
	  .signal = ALERT_FAULT,
	  .agg = ALERT_LAST,
	  .cmp = ALERT_ABOVE,
	  .threshold = 0.5,
	  .clear = 0.5,
	  .clear_for_ms = 60 * MIN,
	  .no_data_ms = 10 * MIN,
	  .severity = ALERT_CRITICAL,
	  .follows = { "gpu_lost" },
	  .nfollows = 1 },
	{ .name = "gpu_held_no_process",
	  .summary = "GPU is allocated and nothing runs on it",
	  .advice =
		  "end the job or let it ask for fewer GPUs; it pays for a GPU that it does not use",
	  .signal = ALERT_HELD_NO_PROCESS,
	  .agg = ALERT_LAST,
	  .cmp = ALERT_ABOVE,
	  .threshold = 0.5,
	  .clear = 0.5,
	  .for_ms = 15 * MIN,
	  .clear_for_ms = MIN,
	  .no_data_ms = 10 * MIN,
	  .severity = ALERT_WARNING,
	  .per_owner = true,
	  .follows = { "gpu_lost" },
	  .nfollows = 1 },
	{ .name = "gpu_underused",
	  .summary = "GPU utilisation is low",
	  .advice = "a smaller GPU, a part of one, or more work per GPU would do",
	  .signal = METRIC_GPU_UTIL_PCT,
	  .agg = ALERT_MEAN,
	  .window_ms = 30 * MIN,
	  .cmp = ALERT_BELOW,
	  .threshold = 40,
	  .clear = 45,
	  .clear_for_ms = 5 * MIN,
	  .no_data_ms = 10 * MIN,
	  .severity = ALERT_WARNING,
	  .held = ALERT_HELD_NOT_FREE, /* a free one is no job's fault: report, plan */
	  .per_owner = true,
	  .follows = { "gpu_lost", "gpu_fault", "gpu_held_no_process" },
	  .nfollows = 3 },
	{ .name = "gpu_at_capacity",
	  .summary = "GPU is at capacity",
	  .advice = "scale out, or the next request waits",
	  .signal = METRIC_GPU_UTIL_PCT,
	  .agg = ALERT_MAX,
	  .window_ms = MIN,
	  .cmp = ALERT_ABOVE,
	  .threshold = 95,
	  .clear = 90,
	  .for_ms = 60 * MIN,
	  .clear_for_ms = 5 * MIN,
	  .no_data_ms = 10 * MIN,
	  .severity = ALERT_INFO,
	  .per_owner = true },
	{ .name = "gpu_memory_high",
	  .summary = "GPU memory is nearly full",
	  .advice = "a spike of traffic or a longer batch runs out of memory",
	  .signal = ALERT_MEM_USED_FRAC,
	  .agg = ALERT_MIN,
	  .window_ms = 10 * MIN,
	  .cmp = ALERT_ABOVE,
	  .threshold = 0.85,
	  .clear = 0.80,
	  .clear_for_ms = 15 * MIN,
	  .no_data_ms = 10 * MIN,
	  .severity = ALERT_WARNING,
	  .per_owner = true },
	{ .name = "gpu_hot",
	  .summary = "GPU is hot",
	  .advice = "look at fans, air flow and the neighbours; clocks fall soon",
	  .signal = METRIC_TEMP_CELSIUS,
	  .agg = ALERT_MEAN,
	  .window_ms = MIN,
	  .cmp = ALERT_ABOVE,
	  .threshold = 83,
	  .clear = 80,
	  .for_ms = MIN,
	  .clear_for_ms = 5 * MIN,
	  .no_data_ms = 10 * MIN,
	  .severity = ALERT_WARNING },
	{ .name = "gpu_power_high",
	  .summary = "GPU power is near its limit",
	  .advice = "a power limit 10 to 20 % lower often costs little speed",
	  .signal = ALERT_POWER_FRAC_OF_TDP,
	  .agg = ALERT_MEAN,
	  .window_ms = 5 * MIN,
	  .cmp = ALERT_ABOVE,
	  .threshold = 0.90,
	  .clear = 0.85,
	  .for_ms = 10 * MIN,
	  .clear_for_ms = 5 * MIN,
	  .no_data_ms = 10 * MIN,
	  .severity = ALERT_INFO,
	  .follows = { "gpu_at_capacity" },
	  .nfollows = 1 },
	{ .name = "gpu_low_occupancy",
	  .summary = "kernels fill less than half of the SMs",
	  .advice = "larger batches or fused kernels: tare explain --trace",
	  .signal = METRIC_OCCUPANCY_FRAC,
	  .agg = ALERT_MEAN,
	  .window_ms = 30 * MIN,
	  .cmp = ALERT_BELOW,
	  .threshold = 0.50,
	  .clear = 0.55,
	  .clear_for_ms = 5 * MIN,
	  .no_data_ms = 10 * MIN,
	  .severity = ALERT_INFO,
	  .per_owner = true,
	  .match = { { "workload", "training", false } },
	  .nmatch = 1,
	  .follows = { "gpu_lost", "gpu_fault", "gpu_held_no_process", "gpu_underused" },
	  .nfollows = 4 },
};
const size_t alert_defaults_n = LEN(alert_defaults);

const char *alert_signal_name(int signal)
{
	if (signal < METRIC_N)
		return metric_name((enum metric)signal);
	return derived_name[signal - METRIC_N];
}

int alert_signal_of(struct sv name)
{
	for (size_t i = 0; i < LEN(derived_name); i++)
		if (sv_is(name, derived_name[i]))
			return METRIC_N + (int)i;
	return metric_of(name);
}

/*
 * Errors for which NVIDIA's table of XIDs (docs.nvidia.com/deploy/xid-errors) asks to reset, drain
 * or check the GPU: memory (48 63 64 92 94 95 140), the GPU's processors (62 110 119 120 143),
 * NVLink (74), off the bus (79). Others (13, 31, 43, 45, 68, ...) are mostly the program's.
 */
bool alert_xid_is_fault(int64_t xid)
{
	static const short fault[] = {
		48, 62, 63, 64, 74, 79, 92, 94, 95, 110, 119, 120, 140, 143
	};

	for (size_t i = 0; i < LEN(fault); i++)
		if (xid == fault[i])
			return true;
	return false;
}

/* ---- one rule ---------------------------------------------------------------------------- */

int alert_rule_check(const struct alert_rule *r, struct err *err)
{
	if (r->window_ms < 0 || r->for_ms < 0 || r->clear_for_ms < 0 || r->no_data_ms <= 0)
		return err_set(err, -EINVAL,
			       "rule '%s': durations cannot be negative, and no_data not zero",
			       r->name);
	if (r->window_ms > 7 * MS_DAY || r->for_ms > 30 * MS_DAY || r->clear_for_ms > 30 * MS_DAY ||
	    r->no_data_ms > 30 * MS_DAY)
		return err_set(err, -EINVAL, "rule '%s': a window is at most 7d, other spans 30d",
			       r->name);
	if ((r->agg == ALERT_LAST) != (r->window_ms == 0))
		return err_set(err, -EINVAL, "rule '%s': %s", r->name,
			       r->agg == ALERT_LAST ? "'last' has no window"
						    : "an aggregate needs a window of time");
	if (isnan(r->threshold) || isnan(r->clear))
		return err_set(err, -EINVAL, "rule '%s': the threshold is no number", r->name);
	if (r->cmp == ALERT_ABOVE && r->clear > r->threshold)
		return err_set(err, -EINVAL,
			       "rule '%s': 'clear' (%g) must not be above the threshold (%g)",
			       r->name, r->clear, r->threshold);
	if (r->cmp != ALERT_ABOVE && r->clear < r->threshold)
		return err_set(err, -EINVAL,
			       "rule '%s': 'clear' (%g) must not be below the threshold (%g)",
			       r->name, r->clear, r->threshold);
	if (r->agg == ALERT_P95 && !sv_ends(sv_of(alert_signal_name(r->signal)), SV("_pct")) &&
	    !sv_has(sv_of(alert_signal_name(r->signal)), SV("_frac")))
		return err_set(err, -EINVAL,
			       "rule '%s': p95 goes with percentages and shares, not with '%s'",
			       r->name, alert_signal_name(r->signal));
	for (int i = 0; i < r->nfollows; i++)
		if (!strcmp(r->follows[i], r->name))
			return err_set(err, -EINVAL, "rule '%s' cannot follow from itself",
				       r->name);
	return 0;
}

/* ---- matching ---------------------------------------------------------------------------- */

static const char *field_value(const char *name, const char *rule, const char *severity,
			       const char *const *field)
{
	if (!strcmp(name, "rule"))
		return rule;
	if (!strcmp(name, "severity"))
		return severity;
	for (int f = 0; f < ALERT_FIELD_N; f++)
		if (!strcmp(name, alert_field_name[f]))
			return field[f];
	return "";
}

bool alert_matches(const struct alert_match *m, int n, const char *rule, const char *severity,
		   const char *const field[ALERT_FIELD_N])
{
	for (int i = 0; i < n; i++) {
		const char *v = field_value(m[i].field, rule, severity, field);
		bool hit = *v && sv_glob(sv_of(v), sv_of(m[i].glob));
		if (hit == m[i].negate)
			return false;
	}
	return true;
}

static int match_one(char *p, struct alert_match *ret, struct err *err)
{
	char *eq = strchr(p, '=');

	if (!eq || eq == p || !eq[1])
		return err_set(
			err, -EINVAL,
			"'%.100s' is not a FIELD=PATTERN or FIELD!=PATTERN, such as team=vision",
			p);
	ret->negate = eq[-1] == '!';
	eq[ret->negate ? -1 : 0] = 0;
	ret->field = p;
	ret->glob = eq + 1;

	const char *words[ALERT_FIELD_N + 2] = { "rule", "severity" };
	const char *near;

	for (int i = 0; i < ALERT_FIELD_N; i++)
		words[i + 2] = alert_field_name[i];
	for (size_t i = 0; i < LEN(words); i++)
		if (!strcmp(words[i], p))
			return 0;
	err_set(err, -EINVAL, "'%.60s' is nothing that an alert can be told by", p);
	near = near_word(p, words, LEN(words));
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(
			err,
			"it can be rule, severity, node, gpu, mig, gpu_model, cluster, job, user, team, project, env or workload");
	return -EINVAL;
}

int alert_match_parse(char *buf, struct alert_match ret[ALERT_MATCH_MAX], int *ret_n,
		      struct err *err)
{
	char *p = buf;

	*ret_n = 0;
	while (p) {
		char *comma = strchr(p, ',');
		if (comma)
			*comma++ = 0;
		if (*ret_n == ALERT_MATCH_MAX)
			return err_set(err, -EINVAL, "more than %d conditions", ALERT_MATCH_MAX);
		if (match_one(p, &ret[*ret_n], err) < 0)
			return -EINVAL;
		++*ret_n;
		p = comma;
	}
	return 0;
}

/* ---- texts ------------------------------------------------------------------------------- */

/* Length of the well-formed UTF-8 character at p that is no control character, else 0. */
static size_t good_char(const unsigned char *p, size_t n)
{
	size_t len = 0;

	if (*p < 0x80)
		len = 1;
	else if (*p >= 0xc2 && *p < 0xe0)
		len = 2;
	else if ((*p & 0xf0) == 0xe0)
		len = 3;
	else if (*p >= 0xf0 && *p < 0xf5)
		len = 4;
	if (!len || len > n)
		return 0;
	if (*p < 0x20 || *p == 0x7f)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((*p == 0xc2 && p[1] < 0xa0) || (*p == 0xe0 && p[1] < 0xa0) ||
	    (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
	    (*p == 0xf4 && p[1] > 0x8f)) /* C1 controls, overlong, surrogates, beyond Unicode */
		return 0;
	if (*p == 0xe2 && ((p[1] == 0x80 && within_int(p[2], 0xa8, 0xae)) ||
			   (p[1] == 0x81 && within_int(p[2], 0xa6, 0xa9))))
		return 0; /* line separators and marks that turn the direction of text */
	return len;
}

void alert_clean(char *to, size_t n, struct sv text)
{
	const unsigned char *p = (const unsigned char *)text.p;
	size_t at = 0;

	for (size_t i = 0; i < text.n;) {
		size_t len = good_char(p + i, text.n - i);
		if (at + (len ? len : 1) >= n)
			break;
		if (len)
			memcpy(to + at, p + i, len);
		else
			to[at] = '?';
		at += len ? len : 1;
		i += len ? len : 1;
	}
	to[at] = 0;
}

void alert_match_text(const struct alert_match *m, int n, struct str *out)
{
	for (int i = 0; i < n; i++)
		str_addf(out, "%s%s%s=%s", text_if(i, ","), m[i].field, text_if(m[i].negate, "!"),
			 m[i].glob);
}
