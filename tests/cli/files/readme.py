"""Runs the commands of README.md's unnamed blocks and says which print something else than stands there.

A line "..." stands for any lines. /tmp/demo is replaced by the folder given, so that nothing outside it is written.
usage: readme.py README.md DIR
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
    env = dict(os.environ, TARE_NOW="2026-11-21T10:00:00Z")
    count = 0
    for command, want in commands(open(sys.argv[1]).read()):
        command = command.replace("/tmp/demo", sys.argv[2])
        if command.startswith("export "):
            key, _, value = command[7:].partition("=")
            env[key] = value
        elif command.startswith("tare ") and want:
            got = subprocess.run(command, shell=True, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.rstrip("\n").split("\n")
            count += 1
            if not matches([w.replace("/tmp/demo", sys.argv[2]) for w in want], got):
                print("README.md has something else than:", command, *got, sep="\n  ")
    print(count, "commands with their output")


main()
