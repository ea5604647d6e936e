"""A script with nothing but Python's standard library: `python3 threads.py HOST:PORT FILE`, a CSV file.

The main thread reads and groups, eight threads post, 100 records a request.
"""
import csv
import http.client
import json
import queue
import sys
import threading

address, file = sys.argv[1:3]
batches = queue.Queue(maxsize=64)
headers = {"Authorization": "Bearer key", "Content-Type": "application/json"}
failed = []


def post():
    connection = http.client.HTTPConnection(address)
    while (batch := batches.get()) is not None:
        connection.request("POST", "/v1/signals/ingest", json.dumps({"signals": batch}), headers)
        response = connection.getresponse()
        receipt = json.loads(response.read())
        if response.status != 200 or receipt["stats"]["accepted"] != len(batch):
            failed.append(receipt)


threads = [threading.Thread(target=post) for _ in range(8)]
for thread in threads:
    thread.start()
with open(file, encoding="utf-8", newline="") as lines:
    batch = []
    for row in csv.DictReader(lines):
        batch.append(row)
        if len(batch) == 100:
            batches.put(batch)
            batch = []
    if batch:
        batches.put(batch)
for _ in threads:
    batches.put(None)
for thread in threads:
    thread.join()
sys.exit(1 if failed else 0)
