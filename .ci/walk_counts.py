"""What a hello world enters of the core, and how often the core uses what a reader has to be told about.

walk_counts.py CORE COVERAGE DEMANGLE LIMITS [--list]: CORE is the folder of its sources, COVERAGE an export of llvm-cov, DEMANGLE the
tool that makes names readable, and LIMITS has a line `name number` for each count. It fails above any of them; --list prints the functions as well.
"""
import json
import pathlib
import re
import subprocess
import sys

core, coverage, demangle, limits = sys.argv[1:5]
lists = sys.argv[5:] == ["--list"]
sources = {path: path.read_text() for path in sorted(pathlib.Path(core).rglob("*.swift"))}


def code(text):
    """The text without its comments."""
    return "\n".join("" if line.lstrip().startswith("//") else line for line in text.split("\n"))


def entered_functions():
    """The readable names of the functions that were entered, by file."""
    by_file = {}
    for function in json.loads(pathlib.Path(coverage).read_text())["data"][0]["functions"]:
        file = function["filenames"][0]
        if function["count"] > 0 and file.startswith(core + "/"):
            # The name of a private function begins with its file.
            by_file.setdefault(file, set()).add(function["name"].split(":")[-1])
    for file, names in by_file.items():
        process = subprocess.run(
            [demangle, "--compact", "--simplified"], input="\n".join(sorted(names)), capture_output=True, text=True,
            check=True)
        by_file[file] = process.stdout.splitlines()
    return by_file


def type_of(name, declared):
    """The type of the core that a function belongs to; None for one of another module's type, or of none."""
    owner = name.split(" in ")[-1].removeprefix("conformance ")
    owner = re.sub(r"^(.* of |static )+", "", owner)
    owner = re.sub(r"<[^()]*?>", "", owner.split("(")[0])
    path = re.match(r"(?:[A-Z]\w*\.)*[A-Z]\w*(?=\.|$)", owner)
    return path.group() if path and path.group().split(".")[0] in declared else None


def closing(text, start):
    """The index of the bracket that closes the one at an index."""
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if depth == 0:
            return index
    return len(text)


def grouped_assignments(text):
    """How many assignments of several values, one by one, are written as one."""
    count = 0
    for match in re.finditer(r"(?<!case )\([^()\n]*,[^()\n]*\) = \(", text):
        # What is called on the right side, or on its result, returns several values at once.
        rest = text[closing(text, match.end() - 1) + 1:].split("\n")[0]
        count += rest.strip(" }") == ""
    return count


declared = set()
for text in sources.values():
    declared.update(re.findall(r"\b(?:class|struct|enum|actor|protocol) ([A-Z]\w*)", code(text)))
walk = entered_functions()
names = [name for functions in walk.values() for name in functions]
everything = "\n".join(code(text) for text in sources.values())
counts = {
    "files": len(walk),
    "types": len({type_of(name, declared) for name in names} - {None}),
    "functions": len(names),
    "@inline(never)": everything.count("@inline(never)"),
    "@exclusivity": everything.count("@exclusivity"),
    "@_silgen_name": everything.count("@_silgen_name"),
    "grouped-assignments": grouped_assignments(everything),
}
at_most = dict(line.split() for line in pathlib.Path(limits).read_text().splitlines() if line and line[0] != "#")
if at_most.keys() != counts.keys():
    sys.exit(f"check-walk: {limits} has limits of {sorted(at_most)}, and there are counts of {sorted(counts)}")
failed = False
for name, count in counts.items():
    is_above = count > int(at_most[name])
    failed = failed or is_above
    print(f"{name:24}{count:8}   at most {at_most[name]:>5}" + ("   too many" if is_above else ""))
if not names:
    sys.exit("check-walk: no function of the core was entered, so the coverage is not that of a hello world")
for file in sorted(walk) if lists else []:
    print(f"\n{file.removeprefix(core + '/')}")
    for name in sorted(walk[file]):
        print(f"  {name}")
if failed:
    print("check-walk: see what is entered with --list, or say in the limits why it is worth a reader's time")
sys.exit(failed)
