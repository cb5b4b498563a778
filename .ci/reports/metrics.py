"""Reads metrics with Prometheus's client, and checks that the buckets of each histogram grow up to its count.

    metrics.py FILE...
"""

import sys

from prometheus_client.parser import text_string_to_metric_families

count = 0
for file in sys.argv[1:]:
    for family in text_string_to_metric_families(open(file, encoding="utf-8", newline="").read()):
        assert family.documentation and family.type in ("counter", "histogram"), f"{file}: {family.name}"
        series = {}
        for sample in family.samples:
            count += 1
            if sample.name.endswith("_bucket"):
                labels = tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le"))
                series.setdefault(labels, []).append((float(sample.labels["le"]), sample.value))
            if sample.name.endswith("_count"):
                labels = tuple(sorted(sample.labels.items()))
                assert series[labels][-1] == (float("inf"), sample.value), f"{file}: {sample}"
        for buckets in series.values():
            assert buckets == sorted(buckets) and buckets[-1][0] == float("inf"), f"{file}: {family.name}"
            assert [v for _, v in buckets] == sorted(v for _, v in buckets), f"{file}: {family.name}"
assert count > 0
print(f"Prometheus: {count} samples are read")
