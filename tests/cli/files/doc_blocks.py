"""Runs what the pages tell people to type and paste, and says what does not work.

 - a block ```yaml is read as settings (tare config), or where it has `columns:` as a map;
 - a block ```sh is read by sh -n;
 - a line "$ COMMAND" in another block is run, on the demo and in a folder with a train.py, unless its output stands below it (readme.py compares that); it must
   end with less than 2. <!-- not run: REASON --> above a block says why not; such blocks are counted by reason;
 - of every `tare COMMAND --option` in the text, in such blocks and in lines indented by four, the command and its options must be known.
usage: doc_blocks.py HOME PAGE.md...
"""
import collections
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

TRAIN = "import sys, tare\nprint(tare.version(), len(sys.argv) >= 1)\n"
BLOCK = re.compile(r"^(?:<!-- not run: (.*?) -->\n+)?```(\w*)\n(.*?)^```", re.M | re.S)
bad, options = [], {}


def run(command, env, cwd):
    return subprocess.run(["bash", "-c", command], env=env, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)


def settings(place, text, env, cwd):
    path = pathlib.Path(cwd) / "page.yaml"
    path.write_text(text)
    if re.search(r"^columns:", text, re.M):  # a map: what is wrong with it names it
        p = run("echo a > a.csv; tare import --dry-run --map page.yaml a.csv", env, cwd)
        if "page.yaml" in p.stderr and "Is it the right map" not in p.stderr:
            bad.append(f"{place}: {p.stderr.strip()}")
        return
    p = run("tare config --config page.yaml", env, cwd)
    if p.returncode:
        bad.append(f"{place}: {p.stderr.strip()}")


def known_options(words, env):
    """Of the longest command that words begin with; None: there is none."""
    for n in (2, 1):
        name = " ".join(words[:n])
        if name not in options:
            p = subprocess.run(["tare", *words[:n], "--help"], env=env, capture_output=True, text=True)
            fits = p.returncode == 0 and re.search(rf"\btare {name}\b", p.stdout.split("\n")[0])
            options[name] = set(re.findall(r"--[a-z][a-z-]*", p.stdout)) if fits else None
        if options[name] is not None and len(words) >= n:
            return options[name]
    return None


def check_options(place, command, env):
    """`tare report --by team`: its command and options, up to a pipe or the command that it runs."""
    try:
        words = shlex.split(command.replace("\\|", "|"), comments=True)[1:]
    except ValueError:
        return
    ends = [i for i, w in enumerate(words) if w in ("--", "|", "&&", ">") or w.endswith(";")]
    words = words[: ends[0]] if ends else words
    names = [w for w in words if re.fullmatch(r"[a-z][a-z-]*", w)] if words and not words[0].startswith("-") else []
    known = known_options(names[:2], env) if names else None
    if not names:
        return
    if known is None:
        bad.append(f"{place}: no command: {command}")
        return
    for w in words:
        for o in re.findall(r"^--[a-z][a-z-]*", w):
            if o not in known:
                bad.append(f"{place}: no option {o}: {command}")


def main():
    home, env = sys.argv[1], dict(os.environ, TARE_NOW="2026-11-21T10:00:00Z", HOME=sys.argv[1], TARE_DEMO="1", TARE_METADATA="off")
    for name in ("TARE_DB", "TARE_CONFIG", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        env.pop(name, None)
    left, count = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as cwd:
        (pathlib.Path(cwd) / "train.py").write_text(TRAIN)
        for page in sys.argv[2:]:
            text, name = open(page).read(), os.path.basename(page)
            for m in BLOCK.finditer(text):
                place = f"{name}:{text[:m.start()].count(chr(10)) + 1}"
                reason, lang, body = m.groups()
                if lang == "yaml" and not reason:
                    settings(place, body, env, cwd)
                    count["settings and maps"] += 1
                elif lang == "sh" and not reason:
                    p = subprocess.run(["sh", "-n"], input=body, capture_output=True, text=True)
                    bad.extend([f"{place}: {p.stderr.strip()}"] if p.returncode else [])
                    count["scripts"] += 1
                for piece in re.split(r"^\$ ", body, flags=re.M)[1:] if lang in ("", "console") else []:
                    command, _, output = piece.partition("\n")
                    if command.startswith("tare "):
                        check_options(place, command, env)
                    if reason or output.strip():
                        continue
                    p = run(command, env, cwd)
                    count["commands"] += 1
                    if p.returncode >= 2:
                        bad.append(f"{place}: exit code {p.returncode}: {command}: {p.stderr.strip()}")
                if reason:
                    left[reason] += 1
            rest = BLOCK.sub("", text)
            for command in re.findall(r"`(tare [^`]+)`", rest) + re.findall(r"^ {4}(tare .*)", rest, re.M):
                check_options(name, " ".join(command.split()), env)
                count["mentions of a command"] += 1
    print(*bad, sep="\n", end="\n" if bad else "")
    print(", ".join(f"{n} {what}" for what, n in sorted(count.items()) if what != "mentions of a command"))
    for reason, n in sorted(left.items()):
        print(f"not run: {n} block{'s' * (n > 1)}: {reason}")


main()
