"""What an agent may book, as its export: every state and cause of every kind of holder, a minute each (or more), and what happened
beside. Writes the export to the file named, and prints the seconds of each state and cause by card, as the agent booked them.
Idle causes of holders are left out: the ledger knows how the allocation ended and decides them anew."""
import json
import sys
from collections import Counter
from datetime import datetime, timedelta, timezone

T0 = datetime(2026, 3, 2, 10, tzinfo=timezone.utc)
BUSY = {"gpu_util_pct": 80, "mem_used_bytes": 30e9, "power_w": 300}
UNDER = {"gpu_util_pct": 10, "mem_used_bytes": 30e9, "power_w": 120}
HELD = {"gpu_util_pct": 0, "mem_used_bytes": 30e9, "power_w": 70}
EMPTY = {"gpu_util_pct": 0, "mem_used_bytes": 0, "power_w": 60}
STALLED = {"gpu_util_pct": 100, "mem_used_bytes": 30e9, "sm_active_frac": 0.001}
NONE = {}
# seconds of a minute in which somebody / nobody holds the card: (state, cause, readings)
JOB = [
    [("busy", "", BUSY, 60)],
    [("underused", "unknown", UNDER, 60)],
    [("idle_held", "", HELD, 60)],
    [("idle_held", "stalled", STALLED, 60)],
    [("idle_empty", "waiting", EMPTY, 60)],
    [("unknown", "unread", NONE, 60)],
    [("busy", "", BUSY, 20), ("unknown", "unread", NONE, 15), ("idle_held", "", HELD, 25)],
]
NOBODY = [
    ([], [("unallocated", "free", EMPTY, 60)]),
    ([], [("unallocated", "free", NONE, 60)]),
    ([], [("busy", "", BUSY, 60)]),
    ([], [("underused", "unknown", UNDER, 60)]),
    ([], [("idle_held", "", HELD, 60)]),
    ([], [("idle_held", "stalled", STALLED, 60)]),
    (["lost"], [("unallocated", "down", NONE, 60)]),
    (["back", "blind"], [("unknown", "unwatched", NONE, 60)]),
    ([], [("unallocated", "free", EMPTY, 60)]),  # readings that show neither use nor memory
    ([], [("busy", "", BUSY, 60)]),
    (["sighted"], [("unallocated", "free", NONE, 60)]),
    (["driver_lost"], [("unallocated", "down", NONE, 60)]),
    (["driver_stuck"], [("unknown", "unwatched", NONE, 60)]),
    (["driver_back", "back"], [("unallocated", "free", NONE, 60)]),
    (["gap 35"], [("unknown", "unwatched", NONE, 35), ("unallocated", "free", EMPTY, 25)]),
]


def iso(minute, second=0):
    return (T0 + timedelta(minutes=minute, seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")


def main():
    sums = Counter()
    out = open(sys.argv[1], "w")

    def put(**line):
        print(json.dumps(line), file=out)

    def minute(gpu, m, states, allocation):
        use = {"share_frac": 1, "states": []}
        if allocation:
            use.update(allocation=allocation, job_id="7")
        for state, cause, values, s in states:
            row = {"state": state, "ms": s * 1000, **values}
            if cause:
                row["cause"] = cause
            use["states"].append(row)
            idle = allocation and state.startswith("idle_") and cause != "stalled"
            sums[gpu, state, "" if idle else cause] += s
        put(type="minute", gpu=gpu, **{"from": iso(m), "to": iso(m + 1)}, uses=[use], metrics={})

    put(schema="tare.agent/1", agent_id="0123456789abcdef", node="n1", version="0.1.0")
    put(
        type="node",
        node="n1",
        gpu_ids=["GPU-a", "GPU-b"],
        gpus=2,
        gpu_model="A100-SXM4-80GB",
        usd_gpu_hour="2",
        **{"from": iso(0), "to": iso(len(NOBODY))},
    )
    put(
        type="allocation",
        id="0123-1",
        job_id="7",
        user="ada",
        gpu="GPU-a",
        share_kind="whole",
        share_frac=1,
        **{"from": iso(0), "to": iso(len(JOB)), "open": False},
    )
    put(type="event", at=iso(0), event="start")
    for m, states in enumerate(JOB):
        minute("GPU-a", m, states, "0123-1")
    for m in range(len(JOB), len(NOBODY)):
        minute("GPU-a", m, NOBODY[m][1] if m >= 11 else [("unallocated", "free", EMPTY, 60)], None)
    for m, (events, states) in enumerate(NOBODY):
        for e in events:
            kind, _, length = e.partition(" ")
            of_all = kind.startswith("driver") or length
            put(
                type="event",
                at=iso(m, int(length or 0)),
                event=kind,
                **({} if of_all else {"gpu": "GPU-b"}),
                **({"code": int(length) * 1000} if length else {}),
            )
        minute("GPU-b", m, states, None)
    for (gpu, state, cause), s in sorted(sums.items()):
        print(f"{gpu},{state},{cause},{s}")


main()
