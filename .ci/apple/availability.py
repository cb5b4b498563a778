#!/usr/bin/env python3
"""Finds what sources use that is newer than the deployment targets, outside `#available` and `@available`.

    availability.py CACHE SOURCES INDEX…     the sources are in the folder, and the compiler has indexed them there

Linux checks no availability, but its modules have it: their symbol graphs say since which macOS each name exists, and the
systems of the same year belong together. What Foundation declares without that has to be in `foundation-names`, which lists
names that were looked up; `newer-names` lists newer ones that the compiler replaces by itself.
"""
import json, pathlib, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from references import references

MODULES = [
    "Swift", "_Concurrency", "_StringProcessing", "Synchronization", "Observation", "FoundationEssentials",
    "FoundationInternationalization", "Foundation",
]
# What has no availability here: what is declared by Foundation, and by what is a part of it on Apple's platforms.
UNKNOWN = re.compile(r"^s:(10Foundation|20FoundationNetworking|8Dispatch)|(10Foundation|20FoundationNetworking|8Dispatch)E")


def target():
    """The macOS that the package is for."""
    manifest = (HERE.parent.parent / "Package.swift").read_text()
    return int(re.search(r"\.macOS\(\.v(\d+)\)", manifest).group(1))


def newer_names(cache):
    """The macOS since which each newer name exists, by the name that the compiler gives it."""
    compiler = subprocess.run(["swiftc", "--version"], capture_output=True, text=True, check=True).stdout
    if cache.exists() and (kept := json.loads(cache.read_text()))["compiler"] == compiler:
        return kept["names"]
    machine = json.loads(subprocess.run(
        ["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout)["target"]["triple"]
    names = {}
    with tempfile.TemporaryDirectory() as folder:
        for module in MODULES:
            subprocess.run(
                ["swift-symbolgraph-extract", "-module-name", module, "-target", machine, "-output-dir", folder,
                 "-minimum-access-level", "public"], capture_output=True, check=True)
        for graph in pathlib.Path(folder).glob("*.json"):
            for symbol in json.loads(graph.read_text())["symbols"]:
                for fact in symbol.get("availability", []):
                    if fact.get("domain") == "macOS" and "introduced" in fact:
                        version = fact["introduced"]["major"] + fact["introduced"].get("minor", 0) / 100
                        if version > target():
                            names[symbol["identifier"]["precise"]] = version
    if len(names) < 500:
        sys.exit(f"check-apple: only {len(names)} names are newer than macOS {target()}, so the symbol graphs are not read")
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text(json.dumps({"compiler": compiler, "names": names}))
    return names


def names_in(file):
    """The first word of each line of a list."""
    lines = (HERE / file).read_text().splitlines()
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def indentation(line):
    return len(line) - len(line.lstrip(" "))


def asked_for(lines, number):
    """The newest macOS that is certain at a line: that of the conditions and attributes around it."""
    certain, margin, isAbove = target(), indentation(lines[number]) + 1, False
    for line in reversed(lines[:number + 1]):
        # What is around a line is indented less; attributes are right above what they belong to.
        isAttribute = isAbove and line.lstrip().startswith("@") and indentation(line) == margin
        isAbove = isAttribute or (bool(line.strip()) and indentation(line) < margin)
        if not isAbove:
            continue
        margin = indentation(line)
        found = re.search(r"[#@]available\(macOS (\d+(?:\.\d+)?)", line)
        if found and "guard" not in line and "else" not in line:
            certain = max(certain, float(found.group(1)))
    return certain


def complaints(cache, sources, indexes):
    newer, replaced, known = newer_names(cache), names_in("newer-names"), names_in("foundation-names")
    texts, found = {}, set()
    results = [references(index, str(sources)) for index in indexes]
    declared = set().union(*(own for _, own in results))
    for file, line, usr, name in (reference for all_of_one, _ in results for reference in all_of_one):
        path = pathlib.Path(file)
        place = f"{path.relative_to(sources)}:{line}"
        name = re.sub(r"^[gs]etter:", "", name)
        if usr in newer:
            lines = texts.setdefault(file, path.read_text().splitlines())
            if name not in replaced and asked_for(lines, line - 1) < newer[usr]:
                found.add(f"{place}: {name} exists since macOS {newer[usr]:g}: ask for it with #available")
        elif UNKNOWN.search(usr) and usr not in declared and name not in known:
            found.add(f"{place}: look up since when {name} exists, and add it to .ci/apple/foundation-names")
    return sorted(found)


if __name__ == "__main__":
    found = complaints(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:])
    if found:
        print("\n".join(found))
    sys.exit(1 if found else 0)
