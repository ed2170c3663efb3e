#!/usr/bin/env python3
"""What a chargeback page says, read as a browser reads it: of each section its name, amount and tables, and whether lines add up to the cent."""
import sys
from decimal import Decimal
from html.parser import HTMLParser

ALLOWED = set("html head meta title style body main h1 h2 section p br dl dt dd div table caption thead tbody tfoot tr th td".split())


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.sections, self.text, self.cell, self.style = [], None, None, ""
        self.tag = None

    def handle_starttag(self, tag, attrs):
        if tag not in ALLOWED:
            print("not allowed:", tag, attrs)
        for k, v in attrs:
            if k in ("src", "href") or k.startswith("on"):
                print("not allowed:", tag, k, v)
        self.tag = tag
        if tag == "section":
            self.sections.append({"name": "", "due": "", "id": dict(attrs).get("id"), "tables": [], "pairs": []})
        elif tag == "table":
            self.sections[-1]["tables"].append([])
        elif tag == "tr":
            self.sections[-1]["tables"][-1].append([])
        elif tag in ("th", "td"):
            self.sections[-1]["tables"][-1][-1].append("")
        elif tag == "dt":
            self.sections[-1]["pairs"].append(["", ""])
        elif tag == "p" and dict(attrs).get("class") == "due":
            self.tag = "due"

    def handle_endtag(self, tag):
        self.tag = None

    def handle_data(self, data):
        if self.tag in ("th", "td"):
            self.sections[-1]["tables"][-1][-1][-1] += data
        elif self.tag == "h2":
            self.sections[-1]["name"] += data
        elif self.tag == "due":
            self.sections[-1]["due"] += data
        elif self.tag in ("dt", "dd"):
            self.sections[-1]["pairs"][-1][self.tag == "dd"] += data
        elif self.tag == "style":
            self.style += data


def num(text):
    return Decimal(text.replace(",", "")) if text not in ("", "-") else Decimal(0)


p = Page()
p.feed(open(sys.argv[1], encoding="utf-8").read())
due = {}
for s in p.sections:
    if s["id"] is None:
        cur = {r[0]: r[-1] for r in s["tables"][0][1:]}
        body = sum(num(r[-1]) for r in s["tables"][0][1:] if r[0] not in ("total", "bill less ledger", "what was to be paid"))
        print("all:", cur["total"], "rows add up:", body == num(cur["total"]))
        for r in s["tables"][0][1:]:
            parts = [num(x) for x in r[3:6]]
            if any(r[3:6]) and sum(parts) != num(r[6]):
                print("row does not add up:", r)
        continue
    lines = s["tables"][0]
    body, total = sum(num(r[-1]) for r in lines[1:-1]), num(lines[-1][-1])
    direct = sum(num(r[-1]) for r in lines[1:-1] if r[0].startswith("direct"))
    print(f"{s['name']}: {s['due']}", "lines add up:", body == total == num(s["due"].split()[0]), end="")
    if len(s["tables"]) > 1:
        d = s["tables"][1]
        print(" details add up:", sum(num(r[-1]) for r in d[1:-1]) == num(d[-1][-1]) == direct, f"({len(d) - 2} rows)", end="")
    print()
    for r in s["tables"][1] if "-d" in sys.argv and len(s["tables"]) > 1 else []:
        print("  " + " | ".join(r))
    for k, v in s["pairs"] if "-v" in sys.argv else []:
        print(f"  {k}: {v}")
print("a page each:", "break-before:page" in p.style, "paper:", "@page" in p.style)
