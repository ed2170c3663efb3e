"""narrow.py WIDTH... < COMMANDS: runs each command with COLUMNS=WIDTH and says each line that is wider.

Lines that a shell takes may be wider, as they must not be broken; so may a single word (a path).
"""
import os
import re
import subprocess
import sys
import unicodedata

PASTED = re.compile(r"^\s*[(`]?(tare|tare-agent|aws|az|gcloud|kubectl|scontrol|sacctmgr|sbatch|scancel|curl|#|\$) ?|^\s*#|^TARE_|^\s*\S+\s*$")


def width(line):
    line = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)
    none = ("Mn", "Me", "Cf")
    return sum(0 if unicodedata.category(c) in none else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


ran = 0
for command in filter(None, map(str.strip, sys.stdin)):
    for columns in map(int, sys.argv[1:]):
        run = subprocess.run(["bash", "-c", command], env={**os.environ, "COLUMNS": str(columns)}, capture_output=True, text=True)
        if run.returncode not in (0, 1, 3) or not run.stdout:
            print(f"{command}: {run.returncode}, {run.stderr.strip()}")
            break
        ran += 1
        for line in run.stdout.splitlines():
            # a label before one word that is too long for what is left
            alone = re.match(r"^\s*\S+(  +\S+)?  +\S+$", line)
            if width(line) > columns and not PASTED.match(line) and not alone:
                print(f"{columns}: {width(line)} in {command}\n  {line}")
print("outputs looked at" if ran else "nothing ran")
