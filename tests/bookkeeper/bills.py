"""Random bills in every kind that `tare import` reads, and what they say: exact sums of their live lines per currency and
basis, as the makers of the formats define them (AWS: amortised cost by line item type; Azure: actual and amortised
exports; Google: cost + credits; FOCUS: its four costs)."""
import csv
import io
import json
import os
import random
from fractions import Fraction as F

from bookkeeper import HOUR, iso, time_ms

KINDS = ["focus", "focus", "cur", "cur2", "azure-actual", "azure-amortised", "azure-ea", "gcp"]
CURRENCIES = ["USD", "EUR", "GBP", "JPY", "CHF", "SEK", "INR", "AUD", "CAD", "NOK", "BRL", "PLN"]
DAY = 24 * HOUR
TYPES = {
    "aws": [("p4d.24xlarge", 8), ("g5.xlarge", 1), ("p3.2xlarge", 1)],
    "azure": [("Standard_ND96asr_v4", 8), ("Standard_NC24ads_A100_v4", 1)],
    "gcp": [("a2-highgpu-1g", 1), ("a2-highgpu-2g", 2)],
}


def money(r, lo=-3, hi=3):
    """decimal text of up to 12 fraction digits"""
    digits = r.choice([0, 2, 2, 4, 9, 10, 12])
    x = r.randrange(1, 10 ** r.randrange(2, 5 + digits))
    s = str(x).rjust(digits + 1, "0")
    return s[:-digits] + "." + s[-digits:] if digits else s


class Bill:
    """lines: [dict(account, month, currency, billed, effective, list, cells)]; a basis that the kind does not state is None"""

    def __init__(self, seed):
        self.r = r = random.Random(seed * 7 + 3)
        self.seed = seed
        self.kind = r.choice(KINDS)
        self.features = {
            f
            for f, p in dict(
                noids=0.3,
                fees=0.5,
                credits=0.4,
                tax=0.4,
                monthly=0.4,
                reversed=0.3,
                many=0.15,
                two=0.3,
                duplicates=0.3,
                shuffled=0.5,
                case=0.3,
                zones=0.3,
                mtd=0.3,
                split=0.25,
                nodes=0.3,
                jobs=0.25,
            ).items()
            if r.random() < p
        }
        self.currencies = (
            r.sample(CURRENCIES, 12)
            if self.has("many")
            else ["USD", r.choice(CURRENCIES[1:])]
            if self.has("two")
            else ["USD"]
        )
        self.accounts = ["111122223333"] if r.random() < 0.6 else ["111122223333", "444455556666"]
        y = r.choice([2025, 2026])
        m = r.choice([1, 2, 3, 10])
        self.months = [(y, m)] if not self.has("split") else [(y, m), (y, m + 1)]
        self.files, self.calls, self.live, self.listed, self.machines = {}, [], [], [], {}
        self.make()

    def has(self, f):
        return f in self.features

    def bounds(self, month):
        y, m = month
        n = (y + 1, 1) if m == 12 else (y, m + 1)
        return time_ms(f"{y}-{m:02d}-01"), time_ms(f"{n[0]}-{n[1]:02d}-01")

    def make(self):
        r = self.r
        lines = []
        for month in self.months:
            for account in self.accounts:
                lines += self.month_lines(account, month)
        if self.seed % 2:  # a tag that names no owner, on each line of the account
            self.features.add("costcode")
            for x in lines:
                self.tag(x["cells"], "costcode", x["account"])
        if self.has("duplicates"):
            lines += [dict(x) for x in r.sample(lines, min(len(lines), 3))]
        self.all = lines
        ext = "jsonl" if self.kind == "gcp" else "csv"
        if self.has("mtd"):
            # the month so far, again and again: each export replaces the one before
            lo, hi = self.bounds(self.months[0])
            first = [x for x in lines if x["t0"] < lo + 12 * DAY]
            if first:
                self.out(f"export-1.{ext}", first)
                self.calls.append(dict(files=[f"export-1.{ext}"]))
            self.out(f"export-2.{ext}", lines)
            self.calls.append(dict(files=[f"export-2.{ext}"], replace=True))
            gone = {(x["account"], x["month"]) for x in lines}
            self.live = [x for x in first if (x["account"], x["month"]) not in gone] + lines
            if self.has("split"):
                # then one file a month and account, corrected
                key = (r.choice(self.accounts), r.choice(self.months))
                again = [dict(x) for x in lines if (x["account"], x["month"]) == key]
                if again:
                    again.append(dict(again[-1]))  # a line more; a day less would be refused
                    self.features.add("duplicates")
                    self.out(f"export-3.{ext}", again)
                    self.calls.append(dict(files=[f"export-3.{ext}"], replace=True))
                    self.live = [x for x in self.live if (x["account"], x["month"]) != key] + again
        else:
            self.out(f"bill.{ext}", lines)
            self.calls.append(dict(files=[f"bill.{ext}"]))
            self.live = lines
            if r.random() < 0.3:
                self.calls.append(
                    dict(files=[f"bill.{ext}"])
                )  # the same file again changes nothing
        if self.has("nodes") or self.has("jobs"):
            self.fleet()

    def fleet(self):
        """a node list over the bill's machines, and jobs on them: money stays the bill's"""
        r, rows, jobs = self.r, [], []
        for (rid, itype, gpus), spans in sorted(self.machines.items()):
            if r.random() < 0.2:
                continue
            a, b = min(s[0] for s in spans), max(s[1] for s in spans)
            name = f"node-{rid}"
            provider = {"f": "aws", "c": "aws", "a": "azure", "g": "gcp"}[self.kind[0]]
            self.listed.append((rid, gpus, a, b))
            rows.append(
                [
                    name,
                    provider,
                    "us-east-1",
                    itype,
                    {8: "A100-SXM4-40GB"}.get(gpus, "A100-SXM4-40GB"),
                    gpus,
                    "on_demand",
                    iso(a),
                    iso(b),
                    "c1",
                    "",
                    rid,
                ]
            )
            if self.has("jobs"):
                for k in range(r.choice([1, 3])):
                    t = a + r.randrange(0, max(1, b - a), 60000)
                    jobs.append(
                        [
                            f"{rid}-{k}",
                            r.choice(["ada", "bob"]),
                            r.choice(["vision", "nlp"]),
                            1,
                            k % gpus,
                            iso(t),
                            iso(t + 3600000),
                            name,
                            "c1",
                        ]
                    )
        if rows:
            self.plain(
                "nodes.csv",
                "node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour,resource_id",
                rows,
            )
        if jobs:
            self.plain("jobs.csv", "job_id,user,team,gpus,gpu_ids,start,end,node,cluster", jobs)
        extra = [n for n in ("nodes.csv", "jobs.csv") if n in self.files]
        if extra:
            self.calls.insert(r.choice([0, len(self.calls)]), dict(files=extra))

    def plain(self, name, head, rows):
        self.files[name] = (
            head + "\n" + "".join(",".join(str(x) for x in row) + "\n" for row in rows)
        )

    # -- what is charged --

    def month_lines(self, account, month):
        r = self.r
        lo, hi = self.bounds(month)
        out = []
        cloud = "azure" if self.kind.startswith("azure") else "gcp" if self.kind == "gcp" else "aws"
        for i in range(r.choice([1, 1, 2, 3])):
            itype, gpus = r.choice(TYPES[cloud])
            rid = f"i-{account[:3]}{month[1]:02d}{i}"
            cur = r.choice(self.currencies)
            start = lo + r.randrange(0, 20) * DAY + r.choice([0, 0, 22 * HOUR])
            rate = money(r)
            step = DAY if cloud == "azure" else HOUR
            if cloud == "azure":
                start -= start % DAY
            commit = r.choice([None, None, None, "ri", "sp", "spot"])
            for k in range(r.choice([1, 3, 8, 26]) if step == HOUR else r.choice([1, 3])):
                a, b = start + k * step, start + (k + 1) * step
                if b > hi:
                    break
                out.append(
                    dict(
                        dict(machine=(rid, gpus)),
                        **self.usage(account, month, cur, a, b, rid, itype, gpus, rate, commit, step),
                    )
                )
                counts = self.counts_capacity(account, month, cur, a, b, itype)
                if self.has("reversed") and r.random() < 0.1:
                    out.append(self.neg(out[-1]))
                if counts:
                    out.append(counts)
        for _ in range(r.choice([0, 2, 5])):
            a = lo + r.randrange(0, 27) * DAY
            out.append(
                self.other(
                    account,
                    month,
                    r.choice(self.currencies),
                    a,
                    a + r.choice([HOUR, DAY]) if cloud != "azure" else a + DAY,
                    "storage",
                )
            )
        for feature, what in (
            ("fees", "fee"),
            ("credits", "credit"),
            ("tax", "tax"),
            ("monthly", "monthly"),
        ):
            if self.has(feature):
                for _ in range(r.choice([1, 2])):
                    out.append(self.other(account, month, r.choice(self.currencies), lo, hi, what))
        return [x for x in out if x]

    def usage(self, account, month, cur, a, b, rid, itype, gpus, rate, commit, step):
        raise NotImplementedError

    def counts_capacity(self, account, month, cur, a, b, itype):
        """a line of no money that counts a reservation of capacity beside what others charge, or None"""
        return None

    def tag(self, cells, key, value):
        raise NotImplementedError

    def line(self, account, month, cur, a, b, billed, effective, list_, cells):
        return dict(
            account=account,
            month=month,
            currency=cur,
            t0=a,
            t1=b,
            billed=billed,
            effective=effective,
            list=list_,
            cells=cells,
        )

    def neg(self, x):
        """the line taken back"""
        y = dict(x, cells=dict(x["cells"]))
        for basis in ("billed", "effective", "list"):
            if y[basis] is not None:
                y[basis] = -y[basis]
        self.negate(y["cells"])
        return y

    def machine(self, rid, itype, gpus, a, b):
        self.machines.setdefault((rid, itype, gpus), []).append((a, b))

    # -- writing --

    def stamp(self, ms):
        z = self.r.choice([0, 60, -300, 330]) if self.has("zones") else 0
        t = iso(ms + z * 60000)
        if not z:
            return t
        return t[:-1] + f"{'+' if z > 0 else '-'}{abs(z) // 60:02d}:{abs(z) % 60:02d}"

    def out(self, name, lines):
        lines = list(lines)
        if self.has("shuffled"):
            self.r.shuffle(lines)
        keys = []
        for x in lines:
            keys += [k for k in x["cells"] if k not in keys]
        if self.has("shuffled"):
            self.r.shuffle(keys)
        f = str
        if self.has("case"):
            f = self.r.choice([str.lower, str.upper])
        text = io.StringIO()
        w = csv.writer(text)
        w.writerow([f(k) for k in keys])
        for x in lines:
            w.writerow([x["cells"].get(k, "") for k in keys])
        self.files[name] = text.getvalue()

    def write(self, folder):
        for name, text in self.files.items():
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)

    def gpu_seconds(self):
        """What the machines of live lines ran, each moment once; None where that is not told: lines without an id or
        taken back. Machines of a node list run as the list says."""
        if {"noids", "reversed", "duplicates"} & self.features or self.kind == "gcp":
            return None
        spans = {}
        for x in self.live:
            if x.get("machine"):
                rid, gpus = x["machine"]
                spans.setdefault((rid, gpus), set()).add((x["t0"], x["t1"]))
        for rid, gpus, a, b in self.listed:
            spans[(rid, gpus)] = {(a, b)}
        return sum(
            (F((b - a) * gpus, 1000) for (rid, gpus), ss in spans.items() for a, b in ss), F(0)
        )

    def sums_by_costcode(self):
        """{(costcode, currency): {basis: exact sum}}: time that nobody held has the tags of its lines. None where jobs
        hold some of it, whose tags count then."""
        if not self.has("costcode") or "jobs.csv" in self.files:
            return None
        out = {}
        for x in self.live:
            s = out.setdefault((x["account"], x["currency"]), {"billed": F(0), "effective": F(0), "list": F(0)})
            for basis in s:
                if x[basis] is not None:
                    s[basis] += x[basis]
        return out

    def sums(self):
        """{currency: {basis: exact sum}} of the live lines"""
        out = {}
        for x in self.live:
            s = out.setdefault(x["currency"], {"billed": F(0), "effective": F(0), "list": F(0)})
            for basis in s:
                if x[basis] is not None:
                    s[basis] += x[basis]
        return out


class Focus(Bill):
    def cells(self, account, month, cur, a, b, category, billed, effective, list_, **more):
        lo, hi = self.bounds(month)
        c = {
            "BillingAccountId": account,
            "BillingPeriodStart": self.stamp(lo),
            "BillingPeriodEnd": self.stamp(hi),
            "ChargePeriodStart": self.stamp(a),
            "ChargePeriodEnd": self.stamp(b),
            "ChargeCategory": category,
            "ChargeClass": "",
            "ChargeFrequency": "Usage-Based",
            "BilledCost": billed,
            "EffectiveCost": effective,
            "ListCost": list_,
            "ContractedCost": effective,
            "BillingCurrency": cur,
            "ResourceId": "",
            "ServiceName": "Other",
            "ServiceCategory": "Other",
            "ProviderName": "AWS",
            "RegionId": "us-east-1",
            "PricingCategory": "",
            "PricingQuantity": "",
            "PricingUnit": "",
            "ConsumedQuantity": "",
            "ConsumedUnit": "",
            "Tags": "",
            "x_InstanceType": "",
            "ChargeDescription": "",
        }
        c.update(more)
        return c

    def tag(self, cells, key, value):
        cells["Tags"] = json.dumps(dict(json.loads(cells["Tags"] or "{}"), **{key: value}))

    def usage(self, account, month, cur, a, b, rid, itype, gpus, rate, commit, step):
        lst = money(self.r)
        billed, effective = (rate, rate) if commit in (None, "spot") else ("0", rate)
        capacity = {}
        if self.has("noids") and self.r.random() < 0.3:
            rid = ""
        elif commit is None and self.r.random() < 0.2:
            capacity = {"CapacityReservationId": "cr-" + rid, "CapacityReservationStatus": "Unused"}
            rid = "cr-" + rid
        else:
            self.machine(rid, itype, gpus, a, b)
        cells = self.cells(
            account,
            month,
            cur,
            a,
            b,
            "Usage",
            billed,
            effective,
            lst,
            ResourceId=rid,
            ServiceName="Amazon EC2",
            ServiceCategory="Compute",
            PricingCategory={None: "Standard", "spot": "Dynamic"}.get(commit, "Committed"),
            PricingQuantity="1",
            PricingUnit="Hours",
            ConsumedQuantity="1",
            ConsumedUnit="Hours",
            x_InstanceType=itype,
            Tags='{"team":"vision"}' if self.r.random() < 0.3 else "",
            **capacity,
        )
        x = self.line(account, month, cur, a, b, F(billed), F(effective), F(lst), cells)
        return dict(x, machine=(rid, gpus)) if capacity else x

    def negate(self, c):
        for k in (
            "BilledCost",
            "EffectiveCost",
            "ListCost",
            "ContractedCost",
            "PricingQuantity",
            "ConsumedQuantity",
        ):
            c[k] = "-" + c[k]
        c["ChargeClass"] = "Correction"

    def other(self, account, month, cur, a, b, what):
        x = money(self.r)
        if what == "storage":
            return self.line(
                account,
                month,
                cur,
                a,
                b,
                F(x),
                F(x),
                F(x),
                self.cells(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    "Usage",
                    x,
                    x,
                    x,
                    ServiceName="Amazon S3",
                    ServiceCategory="Storage",
                    ResourceId="bucket-1",
                ),
            )
        if what == "fee":
            return self.line(
                account,
                month,
                cur,
                a,
                b,
                F(x),
                F(0),
                F(x),
                self.cells(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    "Purchase",
                    x,
                    "0",
                    x,
                    ServiceName="Amazon EC2",
                    ServiceCategory="Compute",
                    ChargeFrequency="One-Time",
                    ChargeDescription="upfront fee",
                ),
            )
        if what == "credit":
            return self.line(
                account,
                month,
                cur,
                a,
                b,
                -F(x),
                -F(x),
                F(0),
                self.cells(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    "Credit",
                    "-" + x,
                    "-" + x,
                    "0",
                    ChargeDescription="promotion",
                ),
            )
        if what == "tax":
            return self.line(
                account,
                month,
                cur,
                a,
                b,
                F(x),
                F(x),
                F(0),
                self.cells(account, month, cur, a, b, "Tax", x, x, "0"),
            )
        return self.line(
            account,
            month,
            cur,
            a,
            b,
            F(x),
            F(x),
            F(x),
            self.cells(
                account,
                month,
                cur,
                a,
                b,
                "Usage",
                x,
                x,
                x,
                ChargeFrequency="Recurring",
                ChargeDescription="support, monthly",
            ),
        )


class Cur(Bill):
    """AWS cost and usage report, legacy names; Cur2 has the names of 2.0."""

    NAMES = {
        "type": "lineItem/LineItemType",
        "a": "lineItem/UsageStartDate",
        "b": "lineItem/UsageEndDate",
        "usage": "lineItem/UsageType",
        "amount": "lineItem/UsageAmount",
        "cost": "lineItem/UnblendedCost",
        "currency": "lineItem/CurrencyCode",
        "rid": "lineItem/ResourceId",
        "product": "lineItem/ProductCode",
        "account": "lineItem/UsageAccountId",
        "payer": "bill/PayerAccountId",
        "pa": "bill/BillingPeriodStartDate",
        "pb": "bill/BillingPeriodEndDate",
        "itype": "product/instanceType",
        "list": "pricing/publicOnDemandCost",
        "ri": "reservation/EffectiveCost",
        "ri_up": "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod",
        "ri_rec": "reservation/UnusedRecurringFee",
        "ri_arn": "reservation/ReservationARN",
        "sp": "savingsPlan/SavingsPlanEffectiveCost",
        "sp_arn": "savingsPlan/SavingsPlanARN",
        "sp_total": "savingsPlan/TotalCommitmentToDate",
        "sp_used": "savingsPlan/UsedCommitment",
        "id": "identity/LineItemId",
        "text": "lineItem/LineItemDescription",
        "tag": "resourceTags/user:team",
        "region": "product/regionCode",
        "term": "pricing/term",
        "op": "lineItem/Operation",
    }

    def tag(self, cells, key, value):
        cells["resourceTags/user:" + key] = value

    def cells(self, account, month, cur, a, b, type_, cost, **more):
        lo, hi = self.bounds(month)
        c = dict.fromkeys(self.NAMES, "")
        c.update(
            type=type_,
            a=self.stamp(a),
            b=self.stamp(b),
            cost=cost,
            currency=cur,
            account=account,
            payer=account,
            pa=self.stamp(lo),
            pb=self.stamp(hi),
            id=f"l{self.r.randrange(10**9)}",
            product="AmazonEC2",
            amount="1",
            region="us-east-1",
        )
        c.update(more)
        return {self.NAMES[k]: v for k, v in c.items()}

    def usage(self, account, month, cur, a, b, rid, itype, gpus, rate, commit, step):
        r = self.r
        lst, eff = money(r), money(r)
        empty = False
        if self.has("noids") and r.random() < 0.3:
            rid = ""
        elif commit is None and r.random() < 0.2:
            empty = True
        else:
            self.machine(rid, itype, gpus, a, b)
        common = dict(
            rid=self.CAPACITY + rid if empty else rid,
            itype=itype,
            list=lst,
            usage=("UnusedBox:" if empty else "BoxUsage:") + itype,
            op="RunInstances",
            tag="vision" if r.random() < 0.3 else "",
        )
        if commit == "ri":
            return self.line(
                account,
                month,
                cur,
                a,
                b,
                F(0),
                F(eff),
                F(lst),
                self.cells(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    "DiscountedUsage",
                    "0",
                    ri=eff,
                    ri_arn="arn:aws:ec2:us-east-1:1:reserved-instances/r1",
                    **common,
                ),
            )
        if empty and commit is None:
            x = self.cells(account, month, cur, a, b, "Usage", rate, **common)
            x = self.line(account, month, cur, a, b, F(rate), F(rate), F(lst), x)
            return dict(x, machine=(common["rid"], gpus))
        if commit == "sp":
            return self.line(
                account,
                month,
                cur,
                a,
                b,
                F(rate),
                F(eff),
                F(lst),
                self.cells(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    "SavingsPlanCoveredUsage",
                    rate,
                    sp=eff,
                    sp_arn="arn:aws:savingsplans::1:savingsplan/s1",
                    **common,
                ),
            )
        if commit == "spot":
            common["usage"] = "SpotUsage:" + itype
        return self.line(
            account,
            month,
            cur,
            a,
            b,
            F(rate),
            F(rate),
            F(lst),
            self.cells(account, month, cur, a, b, "Usage", rate, **common),
        )

    CAPACITY = "arn:aws:ec2:us-east-1:1:capacity-reservation/cr-"

    def counts_capacity(self, account, month, cur, a, b, itype):
        if self.r.random() < 0.7:
            return None
        more = dict(rid=self.CAPACITY + "1", itype=itype, list="0", usage="USE1-Reservation:" + itype)
        x = self.cells(account, month, cur, a, b, "Usage", "0", **more)
        return self.line(account, month, cur, a, b, F(0), F(0), F(0), x)

    def negate(self, c):
        for k in ("cost", "list", "ri", "sp", "amount"):
            v = c[self.NAMES[k]]
            c[self.NAMES[k]] = "-" + v if v and v != "0" else v

    def other(self, account, month, cur, a, b, what):
        r, x = self.r, money(self.r)
        L, C = self.line, self.cells
        if what == "storage":
            return L(
                account,
                month,
                cur,
                a,
                b,
                F(x),
                F(x),
                None,
                C(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    "Usage",
                    x,
                    product="AmazonS3",
                    usage="TimedStorage-ByteHrs",
                    rid="bucket-1",
                ),
            )
        if what == "fee":
            arn = "arn:aws:ec2:us-east-1:1:reserved-instances/r1"
            sp = "arn:aws:savingsplans::1:savingsplan/s1"
            t = r.choice(
                [
                    "RIFee",
                    "Fee",
                    "SavingsPlanUpfrontFee",
                    "SavingsPlanRecurringFee",
                    "SavingsPlanNegation",
                ]
            )
            if t == "RIFee":
                u, v = money(r), money(r)
                return L(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    F(x),
                    F(u) + F(v),
                    None,
                    C(account, month, cur, a, b, t, x, ri_up=u, ri_rec=v, ri_arn=arn),
                )
            if t == "Fee":
                return L(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    F(x),
                    F(0),
                    None,
                    C(account, month, cur, a, b, t, x, ri_arn=arn),
                )
            if t == "SavingsPlanUpfrontFee":
                return L(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    F(x),
                    F(0),
                    None,
                    C(account, month, cur, a, b, t, x, sp_arn=sp, product="ComputeSavingsPlans"),
                )
            if t == "SavingsPlanNegation":
                return L(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    -F(x),
                    F(0),
                    None,
                    C(account, month, cur, a, b, t, "-" + x, sp_arn=sp),
                )
            total, used = sorted([money(r), money(r)], key=F, reverse=True)
            return L(
                account,
                month,
                cur,
                a,
                b,
                F(x),
                F(total) - F(used),
                None,
                C(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    t,
                    x,
                    sp_arn=sp,
                    sp_total=total,
                    sp_used=used,
                    product="ComputeSavingsPlans",
                ),
            )
        if what == "credit":
            t = r.choice(
                ["Credit", "Refund", "BundledDiscount", "EdpDiscount", "PrivateRateDiscount"]
            )
            return L(
                account,
                month,
                cur,
                a,
                b,
                -F(x),
                -F(x),
                None,
                C(account, month, cur, a, b, t, "-" + x),
            )
        if what == "tax":
            return L(
                account, month, cur, a, b, F(x), F(x), None, C(account, month, cur, a, b, "Tax", x)
            )
        return L(
            account,
            month,
            cur,
            a,
            b,
            F(x),
            F(x),
            None,
            C(account, month, cur, a, b, "Usage", x, usage="Support-Monthly", product="AWSSupport"),
        )


class Cur2(Cur):
    NAMES = {
        "type": "line_item_line_item_type",
        "a": "line_item_usage_start_date",
        "b": "line_item_usage_end_date",
        "usage": "line_item_usage_type",
        "amount": "line_item_usage_amount",
        "cost": "line_item_unblended_cost",
        "currency": "line_item_currency_code",
        "rid": "line_item_resource_id",
        "product": "line_item_product_code",
        "account": "line_item_usage_account_id",
        "payer": "bill_payer_account_id",
        "pa": "bill_billing_period_start_date",
        "pb": "bill_billing_period_end_date",
        "itype": "product_instance_type",
        "list": "pricing_public_on_demand_cost",
        "ri": "reservation_effective_cost",
        "ri_up": "reservation_unused_amortized_upfront_fee_for_billing_period",
        "ri_rec": "reservation_unused_recurring_fee",
        "ri_arn": "reservation_reservation_a_r_n",
        "sp": "savings_plan_savings_plan_effective_cost",
        "sp_arn": "savings_plan_savings_plan_a_r_n",
        "sp_total": "savings_plan_total_commitment_to_date",
        "sp_used": "savings_plan_used_commitment",
        "id": "identity_line_item_id",
        "text": "line_item_line_item_description",
        "tag": "resource_tags",
        "region": "product_region_code",
        "term": "pricing_term",
        "op": "line_item_operation",
    }

    def tag(self, cells, key, value):
        tags = json.loads(cells["resource_tags"] or "{}")
        cells["resource_tags"] = json.dumps(dict(tags, **{"user_" + key: value}))

    def cells(self, *args, **more):
        c = super().cells(*args, **more)
        if c["resource_tags"]:
            c["resource_tags"] = '{"user_team":"vision"}'
        return c


class Azure(Bill):
    """Cost details: actual says what was invoiced, amortised what use cost. EA exports of old have `Cost`."""

    def cells(self, account, month, cur, a, b, charge, cost, **more):
        lo, hi = self.bounds(month)
        mdy = lambda ms: iso(ms)[5:7] + "/" + iso(ms)[8:10] + "/" + iso(ms)[:4]  # noqa: E731
        c = {
            "BillingAccountId": account,
            "SubscriptionId": "sub-1",
            "BillingPeriodStartDate": mdy(lo),
            "BillingPeriodEndDate": mdy(hi - DAY),
            "Date": mdy(a),
            "MeterCategory": "Other",
            "MeterName": "m",
            "MeterId": "1",
            "UnitOfMeasure": "1 Hour",
            "Quantity": "24",
            "ChargeType": charge,
            "Frequency": "UsageBased",
            "PricingModel": "",
            "ResourceId": "",
            "ResourceLocation": "eastus",
            "AdditionalInfo": "",
            "Tags": "",
            "ReservationId": "",
            "ConsumedService": "Microsoft.Compute",
        }
        if self.kind == "azure-ea":
            c.update({"Cost": cost, "BillingCurrency": cur})
        else:
            c.update({"CostInBillingCurrency": cost, "BillingCurrencyCode": cur})
        c.update(more)
        return c

    def tag(self, cells, key, value):
        cells["Tags"] = json.dumps({key: value})[1:-1]

    def both(self, billed, effective):
        """an export says one of the two"""
        if self.kind == "azure-amortised":
            return None, effective
        return billed, None

    def usage(self, account, month, cur, a, b, rid, itype, gpus, rate, commit, step):
        r = self.r
        path = f"/subscriptions/sub-1/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/{rid}"
        if self.has("noids") and r.random() < 0.3:
            path = ""
        else:
            self.machine(rid, itype, gpus, a, b)
        model = {"ri": "Reservation", "sp": "SavingsPlan", "spot": "Spot"}.get(commit, "OnDemand")
        cost = rate if commit in (None, "spot") or self.kind == "azure-amortised" else "0"
        cells = self.cells(
            account,
            month,
            cur,
            a,
            b,
            "Usage",
            cost,
            ResourceId=path,
            MeterCategory="Virtual Machines",
            MeterName=itype[9:].replace("_", " "),
            PricingModel=model,
            AdditionalInfo=json.dumps({"ServiceType": itype}),
            ReservationId="r-1" if commit == "ri" else "",
        )
        billed, effective = self.both(F(cost), F(cost))
        return self.line(account, month, cur, a, b, billed, effective, None, cells)

    def negate(self, c):
        for k in ("Cost", "CostInBillingCurrency", "Quantity"):
            if c.get(k) and c[k] != "0":
                c[k] = "-" + c[k]

    def other(self, account, month, cur, a, b, what):
        r, x = self.r, money(self.r)
        L, C = self.line, self.cells
        if what == "fee":
            if self.kind == "azure-amortised":
                t = r.choice(["UnusedReservation", "UnusedSavingsPlan"])
                return L(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    None,
                    F(x),
                    None,
                    C(
                        account,
                        month,
                        cur,
                        a,
                        b,
                        t,
                        x,
                        ReservationId="r-1",
                        PricingModel="Reservation",
                    ),
                )
            return L(
                account,
                month,
                cur,
                a,
                b,
                F(x),
                None,
                None,
                C(
                    account,
                    month,
                    cur,
                    a,
                    b,
                    "Purchase",
                    x,
                    ReservationId="r-1",
                    Frequency="OneTime",
                    PricingModel="Reservation",
                ),
            )
        sign = "-" if what == "credit" else ""
        t = {"credit": "Refund", "tax": "Tax"}.get(what, "Usage")
        billed, effective = self.both(F(sign + x), F(sign + x))
        more = {
            "MeterCategory": "Storage",
            "ResourceId": "/subscriptions/sub-1/resourceGroups/rg/providers/Microsoft.Storage/storageAccounts/s1",
        }
        return L(
            account,
            month,
            cur,
            a,
            b,
            billed,
            effective,
            None,
            C(
                account,
                month,
                cur,
                a,
                b,
                t,
                sign + x,
                **(more if what == "storage" else {}),
                Frequency="Recurring" if what == "monthly" else "UsageBased",
            ),
        )


class Gcp(Bill):
    def cells(self, account, month, cur, a, b, service, sku, cost, credits, amount="1", **more):
        c = {
            "billing_account_id": account,
            "service": {"id": "6F81-5844-456A", "description": service},
            "sku": {"id": "S", "description": sku},
            "usage_start_time": self.stamp(a),
            "usage_end_time": self.stamp(b),
            "project": {"id": "p1"},
            "labels": [],
            "location": {
                "location": "us-central1",
                "region": "us-central1",
                "zone": "us-central1-a",
            },
            "cost": cost,
            "currency": cur,
            "currency_conversion_rate": 1,
            "usage": {
                "amount": amount,
                "unit": "seconds",
                "amount_in_pricing_units": amount,
                "pricing_unit": "hour",
            },
            "credits": [{"name": "c", "amount": x, "type": t} for x, t in credits],
            "invoice": {"month": f"{month[0]}{month[1]:02d}"},
            "cost_type": "regular",
            "export_time": self.stamp(b),
        }
        c.update(more)
        return c

    def tag(self, cells, key, value):
        cells["labels"] = cells["labels"] + [{"key": key, "value": value}]

    def credits(self, types):
        return (
            [
                ("-" + money(self.r), self.r.choice(types))
                for _ in range(self.r.choice([0, 0, 1, 2]))
            ]
            if self.has("credits")
            else []
        )

    def usage(self, account, month, cur, a, b, rid, itype, gpus, rate, commit, step):
        cr = self.credits(["SUSTAINED_USAGE_DISCOUNT", "PROMOTION", "DISCOUNT"])
        net = F(rate) + sum((F(x) for x, _ in cr), F(0))
        res = {
            "resource": {
                "name": rid,
                "global_name": f"//compute.googleapis.com/projects/p1/zones/us-central1-a/instances/{rid}",
            }
        }
        if self.has("noids") and self.r.random() < 0.3:
            res = {}
        else:
            self.machine(rid, itype, gpus, a, b)
        return self.line(
            account,
            month,
            cur,
            a,
            b,
            net,
            None,
            None,
            self.cells(
                account,
                month,
                cur,
                a,
                b,
                "Compute Engine",
                ("Spot Preemptible " if commit == "spot" else "")
                + "Nvidia Tesla A100 GPU running in Americas",
                rate,
                cr,
                amount=str(gpus),
                system_labels=[{"key": "compute.googleapis.com/machine_spec", "value": itype}],
                **res,
            ),
        )

    def negate(self, c):
        c["cost"] = "-" + c["cost"]
        c["credits"] = [dict(x, amount=x["amount"].lstrip("-")) for x in c["credits"]]
        c["usage"] = {k: "-" + v if k.startswith("amount") else v for k, v in c["usage"].items()}

    def other(self, account, month, cur, a, b, what):
        x = money(self.r)
        sign = "-" if what == "credit" else ""
        t = {"tax": "tax", "credit": "adjustment"}.get(what, "regular")
        sku = {
            "storage": "SSD backed PD Capacity",
            "fee": "Commitment v1: A2 Cpu in Americas for 1 Year",
            "tax": "Tax",
        }.get(what, "Support")
        return self.line(
            account,
            month,
            cur,
            a,
            b,
            F(sign + x),
            None,
            None,
            self.cells(
                account,
                month,
                cur,
                a,
                b,
                "Compute Engine" if what in ("fee", "storage") else "Invoice",
                sku,
                sign + x,
                [],
                cost_type=t,
            ),
        )

    def out(self, name, lines):
        lines = list(lines)
        if self.has("shuffled"):
            self.r.shuffle(lines)
        text = []
        for x in lines:
            s = json.dumps(x["cells"])
            # numbers are numbers in an export; decimals stay as they were written
            for key in ("cost", "amount", "amount_in_pricing_units"):
                out, i = "", 0
                mark = f'"{key}": "'
                while True:
                    j = s.find(mark, i)
                    if j < 0:
                        break
                    k = s.index('"', j + len(mark))
                    out += s[i:j] + f'"{key}": ' + s[j + len(mark) : k]
                    i = k + 1
                s = out + s[i:]
            text.append(s)
        self.files[name] = "\n".join(text) + "\n"


def make(seed):
    kind = random.Random(seed * 7 + 3).choice(KINDS)
    return {"focus": Focus, "cur": Cur, "cur2": Cur2, "gcp": Gcp}.get(kind, Azure)(seed)
