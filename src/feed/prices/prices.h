#ifndef TARE_FEED_PRICES_PRICES_H
#define TARE_FEED_PRICES_PRICES_H
/*
 * Dated prices from the providers' own interfaces, for `tare price update`. Rows go to sink->price
 * with source "prices:<provider>:<day>"; they are GPU machines only. Answers are read by pure
 * parsers (the *_parse functions, fuzzed); the *_fetch functions ask, page by page.
 */
#include <stdint.h>
#include "base/err.h"
#include "catalog/catalog.h"
#include "feed/feed.h"
#include "net/http.h"
#include "net/sigv4.h"

enum price_url {               /* where to ask; NULL = the provider's public address */
		 URL_AWS_LIST, /* https://pricing.us-east-1.amazonaws.com */
		 /* https://ec2.<region>.amazonaws.com; a given one serves every region */
		 URL_AWS_EC2,
		 /* https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json */
		 URL_AWS_ADVISOR,
		 URL_AZURE, /* https://prices.azure.com/api/retail/prices */
		 URL_GCP,   /* https://cloudbilling.googleapis.com */
		 URL_N
};

/* what to ask AWS, whose answers are big files each */
enum { PRICE_LIST = 1, PRICE_SPOT = 2, PRICE_SAVINGS = 4 };

struct price_fetch {
	struct http *http;
	const struct catalog *catalog;
	const struct feed_sink *sink; /* price is called */
	/* rows_read, rows_kept, rows_skipped, notes; report->mem holds texts */
	struct feed_report *report;
	const char *url[URL_N];
	const char *const *region; /* [nregion]; AWS and Azure need at least one */
	size_t nregion;
	int64_t now_ms, since_ms;        /* since: of spot history */
	const struct sigv4_key *aws_key; /* NULL: no spot history */
	const char *google_key;          /* NULL: Google is not asked */
	unsigned want;                   /* of AWS: PRICE_LIST | ...; 0 = list and spot */
	/* of a request that is answered 429 or 5xx or not at all; 0 = 5 */
	int max_tries;
	void (*sleep)(void *ctx, int64_t ms); /* NULL: really sleep */
	void *ctx;
	char source[48]; /* of the rows; prices_*_fetch() fill it */
};

/* f->http, with which the others ask. 0 or a negative errno. */
int price_fetch_open(struct price_fetch *f, struct err *err);
void price_fetch_close(struct price_fetch *f);

/* What AWS says of the regions: list prices and reservations, spot history when there is a key,
 * interruption bands, savings plans if asked. */
int prices_aws_fetch(struct price_fetch *f, struct err *err);
/* needs f->aws_key */
int aws_spot_fetch(struct price_fetch *f, const char *region, struct err *err);
int aws_advisor_fetch(struct price_fetch *f, struct err *err);
int aws_savings_fetch(struct price_fetch *f, const char *region, struct err *err);
int prices_azure_fetch(struct price_fetch *f, struct err *err);
int prices_gcp_fetch(struct price_fetch *f, struct err *err);

/* ---- parsers ----------------------------------------------------------------------------- */

/* AWS bulk price list of a region as a stream: push pieces, then end. Products come before terms in
 * these files. */
struct aws_list;
struct aws_list *aws_list_new(struct price_fetch *f);
int aws_list_feed(struct aws_list *a, struct sv piece, struct err *err);
int aws_list_end(struct aws_list *a, struct err *err);
void aws_list_free(struct aws_list *a);

/* AWS savings plan rates of a region, a stream likewise. */
struct aws_savings;
struct aws_savings *aws_savings_new(struct price_fetch *f);
int aws_savings_feed(struct aws_savings *a, struct sv piece, struct err *err);
int aws_savings_end(struct aws_savings *a, struct err *err);
void aws_savings_free(struct aws_savings *a);

/* Answer of DescribeSpotPriceHistory (XML): rows to the sink, *ret_next = the token of the next
 * page ("" at the end). */
int aws_spot_parse(struct price_fetch *f, const char *region, struct sv xml, struct str *ret_next,
		   struct err *err);
/* Spot advisor file (JSON): interruption bands per month of the regions asked, as rows with
 * CATALOG_BAND_TERM. */
int aws_advisor_parse(struct price_fetch *f, struct sv json, struct err *err);
/* A page of Azure's retail prices: rows to the sink, *ret_next = the next page's URL ("" at the
 * end). */
int azure_page_parse(struct price_fetch *f, struct sv json, struct str *ret_next, struct err *err);

/*
 * Pages of Google's SKUs: parts (GPU, core, GiB per hour) are gathered, and at the end put together
 * to machines of the catalogue where every part of one has a price. A GPU part alone goes to the
 * sink as a row with GCP_PART_TERM: it is not the price of a machine.
 */
#define GCP_PART_TERM CATALOG_PART_TERM
struct gcp_parts;
struct gcp_parts *gcp_parts_new(struct price_fetch *f);
int gcp_parts_page(struct gcp_parts *g, struct sv json, struct str *ret_next, struct err *err);
int gcp_parts_end(struct gcp_parts *g, struct err *err);
void gcp_parts_free(struct gcp_parts *g);

/* ---- shared by the three ----------------------------------------------------------------- */

/* Ask, again after a pause where that may help; anything but 2xx in the end is an error. */
int price_ask(struct price_fetch *f, const struct http_req *q, struct http_res *res,
	      struct err *err);
/*
 * AWS's lists of a region: an index of regions first, in which find() looks for the path of the
 * region's file, then that file in pieces to body().
 */
struct aws_index {
	const char *path;
	int (*find)(struct sv json, const char *region, struct str *ret, struct err *err);
};
int aws_region_stream(struct price_fetch *f, const struct aws_index *index, const char *region,
		      int (*body)(void *ctx, struct sv piece, struct err *err), void *ctx,
		      struct err *err);
/* Count the row, fill its source, hand it on. */
int price_emit(struct price_fetch *f, struct price *p, struct err *err);
/* asked for, or none was named */
bool price_wants_region(const struct price_fetch *f, struct sv region);

#endif
