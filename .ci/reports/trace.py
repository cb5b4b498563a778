"""Checks timelines by the schema of the trace-event format, and that the slices of a track are within each other or apart.

    trace.py SCHEMA FILE...
"""

import json
import sys

import jsonschema

schema = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
count = 0
for file in sys.argv[2:]:
    trace = json.load(open(file, encoding="utf-8"))
    schema.validate(trace)
    tracks = {}
    for event in trace["traceEvents"]:
        count += 1
        if event["ph"] == "X":
            tracks.setdefault(event["tid"], []).append((event["ts"], event["ts"] + event["dur"]))
    # On a track, a slice is within another one or apart from it.
    for track, slices in tracks.items():
        open_slices = []
        for begin, end in sorted(slices, key=lambda slice: (slice[0], -slice[1])):
            while open_slices and open_slices[-1] <= begin and open_slices[-1] < end:
                open_slices.pop()
            assert not open_slices or end <= open_slices[-1], f"{file}: slices overlap on track {track} at {begin}"
            open_slices.append(end)
print(f"Trace-event format: {count} events fit the schema")
