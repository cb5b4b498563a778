#!/usr/bin/env python3
"""Prints the public declarations in the symbol graphs of one module, one a line and sorted: path, two spaces, declaration.

A requirement without a default implementation begins with "requirement", what can be overridden with "open", and what a type
conforms to or inherits from has a line of its own. What begins with an underscore isn't public, and neither is the name that
a parameter has inside its function."""

import glob
import json
import sys

# What the compiler notes of nearly every type.
unwritten = {"Copyable", "Escapable", "SendableMetatype"}


def declaration(symbol):
    text, last = "", None
    for fragment in symbol.get("declarationFragments", []):
        if fragment["kind"] != "internalParam":
            text += fragment["spelling"]
        elif last == "externalParam":
            text = text.removesuffix(" ")
        else:
            # An operator's parameter has no other name.
            text += "_"
        if fragment["spelling"] != " ":
            last = fragment["kind"]
    return " ".join(text.split())


def constraints(list):
    separators = {"sameType": " == "}
    texts = {c["lhs"] + separators.get(c["kind"], ": ") + c["rhs"] for c in list or []}
    texts = {text for text in texts if text.rsplit(": ")[-1] not in unwritten}
    return " where " + ", ".join(sorted(texts)) if texts else ""


graphs = [json.load(open(file)) for file in glob.glob(sys.argv[1] + "/*.symbols.json")]
symbols = [symbol for graph in graphs for symbol in graph["symbols"]]
relations = [relation for graph in graphs for relation in graph["relationships"]]
paths = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in symbols}
defaulted = {relation["target"] for relation in relations if relation["kind"] == "defaultImplementationOf"}
required = {relation["source"] for relation in relations if relation["kind"] == "requirementOf"} - defaulted

lines = set()
for symbol in symbols:
    # A block of an extension is no declaration; its members are.
    if symbol["kind"]["identifier"] == "swift.extension":
        continue
    identifier = symbol["identifier"]["precise"]
    words = ["requirement"] if identifier in required else []
    words += ["open"] if symbol["accessLevel"] == "open" else []
    extension = constraints(symbol.get("swiftExtension", {}).get("constraints"))
    words += [declaration(symbol)] + (["in extension" + extension] if extension else [])
    lines.add(paths[identifier] + "  " + " ".join(words))
verbs = {"conformsTo": "conforms to", "inheritsFrom": "inherits from"}
for relation in relations:
    verb, source, target = verbs.get(relation["kind"]), relation["source"], relation["target"]
    # What is another module's begins with the module, which isn't the same everywhere.
    name = paths.get(target) or relation.get("targetFallback", target).split(".", 1)[-1]
    if verb and name not in unwritten:
        lines.add(f"{paths[source]}  {verb} {name}{constraints(relation.get('swiftConstraints'))}")

for line in sorted(lines):
    if not any(part.startswith("_") for part in line.split("  ")[0].split(".")):
        print(line)
