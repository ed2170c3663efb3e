#ifndef TARE_FEED_BILL_AWS_SPLIT_H
#define TARE_FEED_BILL_AWS_SPLIT_H
/*
 * Split cost allocation of AWS: rows that say what the pods and tasks on a machine have of its
 * cost, their own part and their part of what nobody used, beside the machine's own line, which
 * alone is money. The line is divided by them: each has the tags of its rows over those of the
 * machine, what they leave stays the machine's, and the sum is the line, on every basis. Rows and
 * lines meet by machine and charge period, in any order, so that all wait for the end of the file;
 * each of many hours has its amounts and times here, and the texts once.
 */
#include "feed/bill/bill_rows.h"
#include "feed/tags.h"

struct split_period {     /* a machine's charge period */
	dec whole, split; /* what it costs by its lines; what the rows divide */
	int64_t rows;
	int32_t told;   /* of them those for which no line stands yet */
	uint32_t first; /* its part, number + 1; 0: none */
	bool has_line;
};
struct split_part {
	uint32_t next, tags;
	dec amount;
};
struct split_text { /* what the lines of one machine have in common */
	struct bill_line line;
	struct sv term;
};
struct split_line { /* a line that waits */
	uint32_t period, text;
	int64_t from_ms, to_ms;
	dec cost[BASIS_N], quantity;
	bool has_cost[BASIS_N], has_quantity;
	int32_t rows;
};
struct aws_split {
	struct arena mem;
	struct intern resource, key, part_key, tags, text_key;
	VEC(struct split_period) period; /* by number in key */
	VEC(struct split_part) part;     /* by number in part_key */
	VEC(struct split_text) text;     /* by number in text_key */
	VEC(struct split_line) line;
	struct str buf;
	struct tags merged;
	int64_t full; /* rows for which there was no room */
};

/* A row of a pod or task; amount: what of its machine's cost it has. */
void aws_split_row(struct aws_split *s, struct sv parent, const struct bill_line *row, dec amount);
/* A line of a machine; whole: what of it the amounts of rows are a part of, 0 of a discount. false:
 * it cannot wait, give it. */
bool aws_split_hold(struct aws_split *s, const struct bill_line *b, const struct bill_evidence *e,
		    dec whole);
int aws_split_give(struct aws_split *s, struct bill_rows *w, struct err *err);
void aws_split_free(struct aws_split *s);

#endif
