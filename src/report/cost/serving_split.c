#include "report/cost/serving_split.h"

static bool by_price(const struct serving_row *r, const struct conf *conf, __int128 weight[2])
{
	const struct token_price_conf *p = NULL;

	for (size_t i = 0; r->service && i < conf->token_prices.n && !p; i++)
		if (sv_glob(sv_of(r->service), sv_of(conf->token_prices.v[i].service_glob)))
			p = &conf->token_prices.v[i];
	if (!p || r->tokens_in == UNKNOWN_I64 || r->tokens_out == UNKNOWN_I64)
		return false;
	/* at most 10^15 tokens at 10^9: within 127 bits */
	weight[0] = p->input * r->tokens_in;
	weight[1] = p->output * r->tokens_out;
	while (weight[0] + weight[1] >= (__int128)1 << 62) {
		weight[0] >>= 1;
		weight[1] >>= 1;
	}
	return weight[0] + weight[1] > 0;
}

struct serving_split serving_split(const struct serving_row *r, const struct conf *conf,
				   bool has_cost, dec cost)
{
	struct serving_split s = { .by = NULL };
	__int128 weight[2];
	int64_t part[2];

	if (!has_cost)
		return s;
	bool timed = r->prefill_ms != UNKNOWN_I64 && r->decode_ms != UNKNOWN_I64;
	if (timed) {
		weight[0] = r->prefill_ms;
		weight[1] = r->decode_ms;
	}
	if (timed && weight[0] + weight[1] > 0)
		s.by = "phase_time";
	else if (by_price(r, conf, weight))
		s.by = "token_prices";
	else
		return s;
	split_largest_remainder(dec_to_nano(cost), 2, weight, part);
	s.in = nano_to_dec(part[0]);
	s.out = nano_to_dec(part[1]);
	return s;
}
