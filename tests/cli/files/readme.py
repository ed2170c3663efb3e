"""Runs the commands of the unnamed blocks of pages and says which print something else than stands there.

A line "..." stands for any lines. The home is the folder given, and the demo is asked as on a terminal.
usage: readme.py DIR PAGE.md...
"""
import os
import re
import subprocess
import sys


def matches(want, got):
    """Lists of lines; "..." in want stands for any lines."""
    parts, at = [[]], 0
    for line in want:
        if line.strip() == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    for i, part in enumerate(parts):
        last = len(got) - len(part)
        if i == len(parts) - 1 and i:
            places = [last] if last >= at else []
        else:
            places = [0] if not i else range(at, last + 1)
        at = next((k + len(part) for k in places if got[k:k + len(part)] == part), -1)
        if at < 0:
            return False
    return len(parts) > 1 or at == len(got)


def commands(text):
    for block in re.findall(r"^```\n(\$ .*?)^```", text, re.M | re.S):
        for piece in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = piece.partition("\n")
            yield command, output.rstrip("\n").split("\n") if output.strip() else []


def main():
    home = sys.argv[1]
    env = dict(os.environ, TARE_NOW="2026-11-21T10:00:00Z", HOME=home, TARE_DEMO="1")
    for name in ("TARE_DB", "TARE_CONFIG", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        env.pop(name, None)
    count = 0
    for page in sys.argv[2:]:
        for command, want in commands(open(page).read()):
            if not command.startswith("tare ") or not want:
                continue
            got = subprocess.run(command, shell=True, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.rstrip("\n").split("\n")
            count += 1
            if not matches(want, got):
                print(f"{os.path.basename(page)} has something else than: {command}", *got, sep="\n  ")
    print(count, "commands with their output")


main()
