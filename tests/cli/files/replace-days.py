#!/usr/bin/env python3
"""Bills replaced at random against a model: replace-days.py SEED STEPS. Exports of some accounts and months, to date or whole, of one file or several, as
FOCUS or as CUR, with GPU time, credits and month-long taxes, are imported with and without --replace, --partial and --whole; tare is in PATH. The model is a list
of lines per (account, month); after each step the ledger's sums per day and the bill must be the model's."""
import csv
import datetime
import io
import random
import subprocess
import sys
from fractions import Fraction

rnd = random.Random(int(sys.argv[1]))
MONTHS = [(2026, 8), (2026, 9), (2026, 10)]
ACCOUNTS = ["1", "2", ""]
live = {}  # (account, month) -> [(first day, days, amount)]
truth, wrong, refused, replaced, beside = {}, 0, 0, 0, 0


def month_days(m):
    a = datetime.date(*m, 1)
    return a, (datetime.date(m[0] + m[1] // 12, m[1] % 12 + 1, 1) - a).days


def amend(key):
    """The provider restates a month: lines (day, GPU?, amount, kind), a tax over the month, a credit."""
    first, n = month_days(key[1])
    lines = []
    for d in range(n):
        for _ in range(rnd.randint(0 if d else 1, 2)):
            lines.append(
                (
                    first + datetime.timedelta(d),
                    1,
                    rnd.randint(1, 999),
                    rnd.choice(["gpu", "disk", "disk"]),
                )
            )
        if rnd.random() < 0.1:
            lines.append((first + datetime.timedelta(d), 1, -rnd.randint(1, 99), "credit"))
    lines.append((first, n, n * rnd.randint(1, 9), "tax"))
    truth[key] = lines


FOCUS = (
    "BilledCost EffectiveCost BillingCurrency BillingAccountId ChargeCategory ChargePeriodStart ChargePeriodEnd BillingPeriodStart BillingPeriodEnd "
    "ProviderName ServiceCategory ServiceName ResourceId SkuPriceDetails ConsumedQuantity ConsumedUnit ChargeDescription"
).split()
CUR = (
    "lineItem/LineItemType lineItem/UnblendedCost lineItem/UsageStartDate lineItem/UsageEndDate lineItem/CurrencyCode bill/BillingPeriodStartDate "
    "bill/PayerAccountId lineItem/ProductCode lineItem/UsageType lineItem/ResourceId lineItem/UsageAmount pricing/unit product/instanceType"
).split()


def write(name, kind, lines):
    out = io.StringIO()
    w = csv.writer(out, lineterminator="\n")
    w.writerow(FOCUS if kind == "focus" else CUR)
    for (account, month), (day, n, cents, what) in lines:
        first, length = month_days(month)
        cost = f"{cents / 100:.2f}"
        start, end = f"{day}T00:00:00Z", f"{day + datetime.timedelta(n)}T00:00:00Z"
        if what == "disk":
            end = f"{day}T05:00:00Z"
        period, next_ = f"{first}T00:00:00Z", f"{first + datetime.timedelta(length)}T00:00:00Z"
        gpu = what == "gpu"
        if kind == "focus":
            w.writerow(
                [
                    cost,
                    cost,
                    "USD",
                    account,
                    {"tax": "Tax", "credit": "Credit"}.get(what, "Usage"),
                    start,
                    end,
                    period,
                    next_,
                    "AWS",
                    "Compute" if gpu else "Storage",
                    "Amazon Elastic Compute Cloud" if gpu else "S3",
                    "i-0" + (account or "x") if gpu else "b",
                    '{"InstanceType":"p3.8xlarge"}' if gpu else "",
                    24 if gpu else "",
                    "Hours" if gpu else "",
                    "p3.8xlarge hour" if gpu else what,
                ]
            )
        else:
            w.writerow(
                [
                    {"tax": "Tax", "credit": "Credit"}.get(what, "Usage"),
                    cost,
                    start,
                    end,
                    "USD",
                    period,
                    account,
                    "AmazonEC2" if gpu else "AmazonS3",
                    "BoxUsage:p3.8xlarge" if gpu else "",
                    "i-0" + (account or "x") if gpu else "b",
                    24 if gpu else "",
                    "Hrs" if gpu else "",
                    "p3.8xlarge" if gpu else "",
                ]
            )
    open(name, "w").write(out.getvalue())


def tare(*args):
    return subprocess.run(["tare", *args], capture_output=True, text=True)


def check(step, did):
    global wrong
    day = {}
    for lines in live.values():
        for d, n, cents, _ in lines:
            for i in range(n):
                at = str(d + datetime.timedelta(i))
                day[at] = day.get(at, 0) + Fraction(cents, n * 100)
    want = {d: v for d, v in day.items() if v}
    rows = list(
        csv.DictReader(
            io.StringIO(tare("report", "--by", "day", "--cost", "billed", "-o", "csv").stdout)
        )
    )
    got = {r["day"]: Fraction(r["cost"]) for r in rows if Fraction(r["cost"] or 0)}
    end = tare("report", "--cost", "billed").stdout
    bill = f"Bill {float(sum(want.values())):,.2f} · ledger {float(sum(want.values())):,.2f} · difference 0.00"
    if got != want or bill not in end:
        wrong += 1
        off = {
            d: (float(got.get(d, 0)), float(want.get(d, 0)))
            for d in sorted(got | want)
            if got.get(d, 0) != want.get(d, 0)
        }
        print(
            f"step {step}: {did}: {len(off)} days off {dict(list(off.items())[:5])}; {bill} / {end.splitlines()[-1]}"
        )


for step in range(int(sys.argv[2])):
    keys = rnd.sample([(a, m) for a in ACCOUNTS for m in MONTHS], rnd.choice([1, 1, 2, 4]))
    lines = []
    for k in keys:
        if k not in truth or rnd.random() < 0.3:
            amend(k)
        upto = rnd.choice([31, 31, 31, rnd.randint(1, 31)])
        lines += [(k, x) for x in truth[k] if x[0].day <= upto]
        if rnd.random() < 0.1:  # one day alone
            lines = [x for x in lines if x[0] != k or x[1][0].day == upto]
    if not lines:
        continue
    rnd.shuffle(lines)
    cut = rnd.choice([1, 1, 2, 3])
    files = []
    for i in range(cut):
        part = lines[i::cut]
        if part:
            files.append(f"f{step}-{i}.csv")
            write(files[-1], rnd.choice(["focus", "cur"]), part)
    mode = rnd.choice(
        [["--replace"]] * 5 + [["--replace", "--partial"], ["--replace", "--whole"], []]
    )
    new = {}
    for k, x in lines:
        new.setdefault(k, []).append(x)
    lost = any({x[0] for x in live.get(k, [])} - {x[0] for x in new[k]} for k in new)
    p = tare("import", *mode, *files)
    did = f"{' '.join(mode)} {len(files)} files {sorted(new)}"
    if mode == ["--replace"] and lost:
        refused += 1
        if p.returncode != 2 or "--partial" not in p.stderr:
            wrong += 1
            print(f"step {step}: {did}: not refused: {p.stdout}{p.stderr}")
    elif not mode and "in another format" in p.stderr:  # what was there before, told again
        again = {k: {x[0] for x in live.get(k, []) if x in new[k]} for k in new}
        refused += 1
        if p.returncode != 2 or max(len(days) for days in again.values()) < 3:
            wrong += 1
            print(f"step {step}: {did}: {p.stderr}")
    elif p.returncode:
        wrong += 1
        print(f"step {step}: {did}: {p.stderr}")
    else:
        told = {
            f"aws {a} {m[0]}-{m[1]:02}" if a else f"aws {m[0]}-{m[1]:02}"
            for a, m in new
            if {x[0] for x in live.get((a, m), [])}
            & {x[0] for x in (new[a, m] if "--partial" in mode else live.get((a, m), []))}
        }
        missing = [t for t in told if t not in p.stdout] if len(told) <= 6 else []
        if missing:
            wrong += 1
            print(f"step {step}: {did}: nothing said of {missing}: {p.stdout}")
        for k in new:
            days = {x[0] for x in new[k]}
            stay = [x for x in live.get(k, []) if x[0] not in days] if "--partial" in mode else []
            live[k] = new[k] + (stay if mode else live.get(k, []))
        replaced, beside = replaced + bool(mode), beside + (not mode)
    check(step, did)
print(f"{replaced} replaced, {beside} beside others, {refused} refused; {wrong} off")
sys.exit(wrong > 0)
