/* One self-contained page: no script, no outside asset (a policy in the page forbids both), light and dark, printable. */
#include "base/tm.h"
#include "report/formats.h"
#include "report/plot.h"
#include "report/text.h"
#include "report/view.h"

/* Colours: the eight of Okabe and Ito (2008), told apart with any colour vision; labels say the same in words. */
static const char style[] =
	":root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--faint:#57606a;--line:#d0d7de;--head:#f6f8fa}\n"
	"@media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--faint:#9198a1;--line:#3d444d;--head:#161b22}}\n"
	"*{box-sizing:border-box}body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:62rem;margin:0 auto;"
	"padding:1.5rem 1rem}\n"
	"h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}p{margin:.4rem 0}.faint{color:var(--faint)}\n"
	".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
	"caption{text-align:left;color:var(--faint);padding:.3rem 0}th,td{padding:.3rem .6rem;text-align:left;border-bottom:1px solid var(--line);"
	"font-weight:normal}\n"
	"thead th{background:var(--head);font-weight:600}tfoot th,tfoot td{font-weight:600;border-top:2px solid var(--line)}.n{text-align:right;"
	"white-space:nowrap}\n"
	"svg{width:100%;height:auto;display:block}svg text{font-size:12px;fill:var(--fg)}.grid{stroke:var(--line);stroke-width:1}\n"
	".legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:0;margin:.5rem 0}.legend li{display:flex;align-items:center;"
	"gap:.4rem}.legend svg{width:12px}\n"
	".s-busy{fill:#009e73}.s-underused{fill:#56b4e9}.s-overhead{fill:#0072b2}.s-idle_held{fill:#e69f00}.s-idle_empty{fill:#f0e442}\n"
	".s-unallocated{fill:#d55e00}.s-lost{fill:#cc79a7}.s-unknown{fill:#8c959f}.s-other{fill:#6e5494}\n"
	"@media print{:root{--fg:#000;--bg:#fff;--faint:#444;--line:#999;--head:#eee}body{max-width:none;padding:0}.scroll{overflow:visible}"
	"section{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n"
	"@page{margin:15mm}\n";

static void put_head(struct str *out)
{
	str_addz(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>GPU cost report</title>\n<style>\n");
	str_addz(out, style);
	str_addz(out, "</style>\n</head>\n<body>\n<main>\n<h1>GPU cost report</h1>\n");
}

static void put_paragraphs(struct str *out, const char *lines, const char *class)
{
	while (*lines) {
		size_t n = strcspn(lines, "\n");
		str_addf(out, class ? "<p class=\"%s\">" : "<p>", class);
		text_html(out, (struct sv){ lines, n });
		str_addz(out, "</p>\n");
		lines += n + (lines[n] == '\n');
	}
}

static const struct cube_block *block_of(const struct cube *c, const char *currency)
{
	for (size_t i = 0; i < c->nblock; i++)
		if (!strcmp(c->block[i].currency, currency))
			return &c->block[i];
	return NULL;
}

static void put_block(const struct report_in *in, const struct cube_block *k, const struct cube_block *days, struct str *out)
{
	struct arena a = { 0 };
	struct grid g = { 0 };

	put_paragraphs(out, view_title(&a, in, k), NULL);
	put_paragraphs(out, view_hint(&a, in, k), NULL);
	if (days && days->nrow) {
		str_addz(out, "<section>\n<h2>Cost by day, ");
		text_html(out, sv_of(k->currency));
		str_addz(out, "</h2>\n");
		plot_legend(days, out);
		plot_days(days, out);
		str_addz(out, "</section>\n");
	}
	if (k->nrow) {
		str_addz(out, "<section>\n<h2>Cost by ");
		for (size_t i = 0; i < in->ndim; i++) {
			str_addz(out, i ? ", " : "");
			text_html(out, sv_of(in->dim[i]));
		}
		str_addz(out, "</h2>\n");
		plot_legend(k, out);
		plot_rows(in, k, out);
		view_grid(in, k, 0, &g);
		grid_html(&g, arena_printf(&a, "%s cost in %s, %s; shares are of the row's paid GPU time", basis_name(in->basis), k->currency,
					   text_window(&a, in->since_ms, in->until_ms)),
			  out);
		str_addz(out, "</section>\n");
	} else {
		put_paragraphs(out, "Nothing in the ledger here.", NULL);
	}
	put_paragraphs(out, view_reconcile(&a, in, k), "faint");
	grid_free(&g);
	arena_free(&a);
}

void report_html(const struct report_in *in, const struct cube *c, struct str *out)
{
	static const char *const day[] = { "day" };
	struct report_in by_day = *in;
	struct cube days = { 0 };
	char buf[TM_BUF];

	by_day.dim = day;
	by_day.ndim = 1;
	by_day.nattr = 0;
	by_day.cell = in->day;
	by_day.ncell = in->nday;
	by_day.split = SPLIT_NONE;
	by_day.limit = 0;
	by_day.sort_given = false;
	bool have = in->nday && cube_build(&by_day, false, &days, NULL) == 0;
	put_head(out);
	for (size_t i = 0; i < c->nblock; i++)
		put_block(in, &c->block[i], have ? block_of(&days, c->block[i].currency) : NULL, out);
	str_addz(out, "<p class=\"faint\">A dash is unknown, not zero.");
	if (in->now_ms != UNKNOWN_MS)
		str_addf(out, " Written by tare %s at %s.", TARE_VERSION, tm_format(buf, in->now_ms));
	str_addz(out, "</p>\n</main>\n</body>\n</html>\n");
	cube_free(&days);
}
