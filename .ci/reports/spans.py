"""Reads spans as OpenTelemetry's definitions say, and checks that those of a file are one tree whose times are within those
of their parents.

    spans.py FILE...
"""

import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

count = 0
for file in sys.argv[1:]:
    text = open(file, encoding="utf-8").read()
    assert text.endswith("\n") and text.count("\n") == 1, f"{file} isn't one line"
    # Identifiers are in hexadecimal digits in OTLP's JSON, and in Base64 in that of Protocol Buffers.
    data = json.loads(text)
    for resource in data["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for key in ("traceId", "spanId", "parentSpanId"):
                    if key in span:
                        span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    traces = json_format.ParseDict(data, TracesData())
    for resource in traces.resource_spans:
        assert any(a.key == "service.name" for a in resource.resource.attributes), file
        for scope in resource.scope_spans:
            byID = {span.span_id: span for span in scope.spans}
            assert len(byID) == len(scope.spans), f"{file} uses an identifier twice"
            roots = 0
            for span in scope.spans:
                count += 1
                assert len(span.trace_id) == 16 and len(span.span_id) == 8, file
                assert any(span.trace_id) and any(span.span_id) and span.name, file
                assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano, f"{file}: {span}"
                roots += not span.parent_span_id
                if span.parent_span_id:
                    parent = byID[span.parent_span_id]
                    assert parent.start_time_unix_nano <= span.start_time_unix_nano, f"{file}: {span}"
                    assert span.end_time_unix_nano <= parent.end_time_unix_nano, f"{file}: {span}"
                for event in span.events:
                    keys = {a.key for a in event.attributes}
                    assert event.name != "exception" or keys & {"exception.message", "exception.type"}, file
            assert roots == 1, f"{file} has {roots} spans without a parent"
print(f"OpenTelemetry: {count} spans are read")
