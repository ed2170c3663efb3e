#include "report/page.h"

#include "base/str.h"
#include "base/tm.h"
#include "model/model.h"
#include "report/text.h"

/* Colours: the eight of Okabe and Ito (2008), told apart with any colour vision; labels say the
 * same in words. */
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
	"svg{width:100%;height:auto;display:block}svg text{font-size:12px;fill:var(--fg)}.grid{stroke:var(--line);stroke-width:1}"
	".zero,.net{stroke:var(--fg);stroke-width:1.2}.net{stroke-dasharray:3 1}\n"
	".legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:0;margin:.5rem 0}.legend li{display:flex;align-items:center;"
	"gap:.4rem}.legend svg{width:12px}\n"
	".s-busy{fill:#009e73}.s-underused{fill:#56b4e9}.s-overhead{fill:#0072b2}.s-idle_held{fill:#e69f00}.s-idle_empty{fill:#f0e442}\n"
	".s-unallocated{fill:#d55e00}.s-lost{fill:#cc79a7}.s-unknown{fill:#8c959f}.s-other{fill:#6e5494}\n"
	"@media print{:root{--fg:#000;--bg:#fff;--faint:#444;--line:#999;--head:#eee}body{max-width:none;padding:0}.scroll{overflow:visible}"
	"section{break-inside:avoid}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n"
	"@page{margin:15mm}\n";

void page_head(const char *title, const char *more_style, struct str *out)
{
	str_addz(
		out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
	str_addf(out,
		 "<title>%s</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n",
		 title, style, text_or(more_style, ""), title);
}

void page_paragraphs(struct str *out, const char *lines, const char *class)
{
	while (*lines) {
		size_t n = strcspn(lines, "\n");
		str_addf(out, class ? "<p class=\"%s\">" : "<p>", class);
		text_html(out, (struct sv){ lines, n });
		str_addz(out, "</p>\n");
		lines += n + (lines[n] == '\n');
	}
}

void page_foot(int64_t now_ms, struct str *out)
{
	char buf[TM_BUF];

	str_addz(out, "<p class=\"faint\">A dash is unknown, not zero.");
	if (now_ms != UNKNOWN_MS)
		str_addf(out, " Written by tare %s at %s.", TARE_VERSION, tm_format(buf, now_ms));
	str_addz(out, "</p>\n</main>\n</body>\n</html>\n");
}
