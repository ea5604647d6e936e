#!/usr/bin/env python3
"""Checks the folder of a run without signals: does its journal account for every row, and do the other files agree with it?

Usage: python3 verify-run.py FOLDER [FOLDER ...]

Prints what does not hold, one line each, and exits with 1; prints one line a folder and exits with 0 if everything holds; 2 if
a folder cannot be read. Needs Python 3.8 and nothing else. It shares no code with signals: the format of the journal is
specified in docs/internals/journal.md.
"""
import csv
import io
import json
import os
import re
import sys
import zlib
from collections import Counter

# How a batch ended that was not delivered, and what sends it again.
RESENT_BY = {"refused": "resume --refused", "exhausted": "resume", "unknown": "resume --unknown"}
STATES = ("delivered", *RESENT_BY, "pending")
COUNTS = ("accepted", "deduplicated", "rejected", "promoted")
DROPPED = {"row.invalid": "invalid", "row.skipped": "skipped", "row.duplicate": "duplicate"}
IGNORED = ("throttle.changed", "source.spooled")
MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)


class Wrong(Exception):
    """A claim of a file that does not hold."""


def check(holds, message):
    if not holds:
        raise Wrong(message)


def xxh64(data):
    """XXH64 with seed 0, as 16 hexadecimal digits (the xxHash specification, version 0.1.1)."""

    def rotate(value, by):
        return ((value << by) | (value >> (64 - by))) & MASK

    def mix(sum_, lane):
        return (rotate((sum_ + lane * P2) & MASK, 31) * P1) & MASK

    at, size = 0, len(data)
    if size >= 32:
        sums = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while at + 32 <= size:
            for lane in range(4):
                sums[lane] = mix(sums[lane], int.from_bytes(data[at + 8 * lane : at + 8 * lane + 8], "little"))
            at += 32
        total = sum(rotate(value, by) for value, by in zip(sums, (1, 7, 12, 18))) & MASK
        for value in sums:
            total = ((total ^ mix(0, value)) * P1 + P4) & MASK
    else:
        total = P5
    total = (total + size) & MASK
    while at + 8 <= size:
        total = (rotate(total ^ mix(0, int.from_bytes(data[at : at + 8], "little")), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= size:
        total = (rotate(total ^ (int.from_bytes(data[at : at + 4], "little") * P1 & MASK), 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        total = (rotate(total ^ (byte * P5 & MASK), 11) * P1) & MASK
    total = ((total ^ (total >> 33)) * P2) & MASK
    total = ((total ^ (total >> 29)) * P3) & MASK
    return "%016x" % (total ^ (total >> 32))


def read_journal(path):
    """The events of the whole lines, and the number of bytes after them, which a kill can leave."""
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    events = []
    for number, line in enumerate(lines[:-1], 1):
        body, separator, tail = line.rpartition(b',"crc":"')
        check(
            separator and tail == b'%08x"}' % zlib.crc32(body),
            "journal.ndjson:%d: the checksum of the line is wrong" % number,
        )
        events.append(json.loads(body + b"}"))
    check(events, "journal.ndjson has no line")
    check(events[0].get("event") == "run.started" and events[0]["v"] == 1, "journal.ndjson does not begin with run.started")
    check(
        all(event["event"] != "run.started" for event in events[1:]),
        "journal.ndjson has a second run.started",
    )
    return events, len(lines[-1])


def rows_of(ranges):
    """(source, row, line) of each row, in order."""
    rows = []
    for one in ranges:
        count = one["lastRow"] - one["firstRow"] + 1
        spans = one.get("spans", [[one["firstRow"], one["firstLine"], count]])
        own = [(one["source"], row + n, line + n) for row, line, size in spans for n in range(size)]
        check(own and own[0][1:] == (one["firstRow"], one["firstLine"]), "a range does not begin with its first row")
        check(own[-1][1:] == (one["lastRow"], one["lastLine"]), "a range does not end with its last row")
        check(0 <= one["start"] < one["end"], "a range has no bytes")
        check("spans" in one or one["lastLine"] - one["firstLine"] == count - 1, "a range without spans has gaps")
        rows += own
    check(all(a < b for a, b in zip(rows, rows[1:])), "the rows of a batch are not in order")
    return rows


def skipped_rows(event):
    """(source, row, line) of each row; the line is None where rows have several lines or blank ones are between them."""
    rows = event["lastRow"] - event["firstRow"] + 1
    lines = event["lastLine"] - event["firstLine"] + 1
    check(0 < rows <= lines and (rows > 1 or lines == 1), "skipped rows do not have a line each")
    places = [event["firstLine"] + n if rows == lines else None for n in range(rows)]
    places[0], places[-1] = event["firstLine"], event["lastLine"]
    return [(event["source"], event["firstRow"] + n, line) for n, line in enumerate(places)]


class Batch:
    def __init__(self, event):
        self.id = event["batch"]
        self.rows = rows_of(event["ranges"])
        self.update(event)
        self.state = "pending"
        self.attempt = 0
        self.in_flight = False
        # Its attempts begin anew.
        self.is_reopened = False
        # The user has decided to send it although it may have arrived.
        self.is_wanted = False
        # Of its last attempt, in this process.
        self.status = None
        self.maybe_processed = event.get("maybeProcessed", False)

    def update(self, event):
        self.digest, self.records, self.bytes = event["digest"], event["records"], event["bytes"]
        self.ranges = event["ranges"]
        check(len(self.rows) == self.records, "batch %s has %d rows for %d records" % (self.id, len(self.rows), self.records))
        check(0 < self.records <= 100, "batch %s has %d records" % (self.id, self.records))
        check(re.fullmatch("[0-9a-f]{16}", self.digest), "batch %s has no digest" % self.id)
        if "keys" in event:
            check(len(event["keys"]) == 16 * self.records, "batch %s does not have a key for each record" % self.id)


    def texts(self):
        """Where its rows begin and end: (source, line, start, end)."""
        return [(one["source"], one["firstLine"], one["start"], one["end"]) for one in self.ranges]


class Run:
    """What the events of a journal come to. Raises Wrong at the first one that cannot be."""

    def __init__(self, started):
        self.started = started
        self.is_social = started["type"] == "social"
        self.sources = [dict(rows=0, line=0, byte=0, digest=None, total=None, size=one.get("size")) for one in started["inputs"]]
        self.counts = dict.fromkeys(("read", "invalid", "skipped", "duplicate"), 0)
        self.service = dict.fromkeys((*COUNTS, "unaccounted"), 0)
        self.totals = dict(sealed=0, split=0, requests=0, retries=0, bytesSent=0)
        self.batches = {}
        self.settled = []
        self.dropped = []
        # Where texts begin and end that the next commit accounts for: (source, line, start, end).
        self.texts = []
        self.earlier = []
        self.all_texts = []
        self.all_dropped = []
        self.rejects_marks = []
        self.ends = set()
        self.sent_before = Counter()
        self.invalid_lines = [[] for _ in self.sources]
        self.cut = 0
        self.ended = None
        self.stop = None
        self.rejects = {}
        self.handed_over = False

    def apply(self, event):
        name = event["event"]
        check(not self.handed_over or name in ("run.resumed", "run.handed_over"), "%s after the run was handed over" % name)
        check(
            self.ended is None or name in ("run.resumed", "run.handed_over"),
            "%s after run.ended" % name,
        )
        if name not in IGNORED:
            handler = getattr(self, "on_" + name.replace(".", "_"), None)
            check(handler is not None, "there is no event %s" % name)
            handler(event)

    def batch(self, event, *states):
        batch = self.batches.get(event["batch"])
        check(batch is not None, "%s of the unknown batch %s" % (event["event"], event["batch"]))
        check(not states or batch.state in states, "%s of batch %s, which is %s" % (event["event"], batch.id, batch.state))
        return batch

    def on_run_resumed(self, _event):
        self.ended, self.stop, self.handed_over = None, None, False
        self.forget()
        # Its answers can no longer be read.
        for batch in self.batches.values():
            batch.in_flight, batch.status = False, None

    def forget(self):
        """Rows after the last commit are read again."""
        self.dropped, self.texts, self.earlier = [], [], []

    def on_run_handed_over(self, _event):
        self.handed_over = True

    def on_row_invalid(self, event):
        self.drop(event, [(event["source"], event["row"], event["line"])])
        check(event["issues"], "an invalid row has no reason")
        check(event["start"] < event["end"] and event["line"] <= event["nextLine"], "an invalid row has no text")
        self.texts.append((event["source"], event["line"], event["start"], event["end"]))

    def on_row_duplicate(self, event):
        first = (event["of"]["source"], event["of"]["line"])
        check(first < (event["source"], event["line"]), "a duplicate comes before its original")
        self.drop(event, [(event["source"], event["row"], event["line"])])

    def on_row_skipped(self, event):
        check(event["why"] in ("skip", "limit", "transform", "delivered", "unknown"), "rows are skipped: %s" % event["why"])
        rows = skipped_rows(event)
        self.drop(event, rows)
        self.earlier.append((event["why"], event.get("by"), len(rows)))

    def count_earlier(self, skipped):
        """Rows that other runs have sent, by state and by run."""
        for why, by, rows in skipped:
            check((by is not None) == (why in ("delivered", "unknown")), "rows are skipped (%s) because of the run %s" % (why, by))
            if by is not None:
                self.sent_before.update({why: rows, "run " + by: rows})

    def drop(self, event, rows):
        self.dropped.append((DROPPED[event["event"]], rows))

    def on_batch_sealed(self, event):
        batch = Batch(event)
        self.texts += batch.texts()
        self.commit(event, batch.rows, event["rejects"])
        self.cut += 1
        check(batch.id == str(self.cut), "batch %s is sealed as number %d" % (batch.id, self.cut))
        self.totals["sealed"] += 1
        self.batches[batch.id] = batch

    def on_source_ended(self, event):
        source = self.source(event["source"])
        # A process that was killed before the rows at the end were accounted for has said it, too.
        is_same = (source["digest"], source["size"], source["total"]) == (event["digest"], event["bytes"], event["rows"])
        check(source["digest"] is None or (is_same and source["byte"] < source["size"]), "input %d ends twice" % event["source"])
        check(event["bytes"] >= source["byte"], "input %d ends before its cursor" % event["source"])
        source.update(digest=event["digest"], size=event["bytes"], total=event["rows"])
        if "commit" in event:
            self.commit(event["commit"], [], event["rejects"])

    def on_source_grown(self, event):
        self.source(event["source"])["size"] = event["bytes"]

    def source(self, index):
        check(0 <= index < len(self.sources), "there is no input %d" % index)
        return self.sources[index]

    def place(self, cursors):
        """Texts are between the cursors, and the last one ends at its cursor."""
        ends = {one["source"]: one["byte"] for one in cursors}
        for source, line, start, end in self.texts:
            check(self.source(source)["byte"] <= start < end <= ends.get(source, -1), "input %d: the row on line %d is not before the cursor" % (source, line))
        self.all_texts += self.texts + [(one["source"], one["line"], one["byte"], one["byte"]) for one in cursors]
        self.texts = []

    def commit(self, event, sent, rejects):
        """Every row up to the cursors is in the batch, or was dropped, or is another shard's: each exactly once."""
        excluded = event.get("excluded", dict(batches=0, rows=0))
        self.cut += excluded["batches"]
        rows = list(sent)
        found = dict(invalid=0, skipped=0, duplicate=0)
        for kind, some in self.dropped:
            rows += some
            self.all_dropped += some
            found[kind] += len(some)
            if kind == "invalid":
                for source, _row, line in some:
                    self.source(source)
                    self.invalid_lines[source].append(line)
        check(found == event["dropped"], "dropped is %s, and the lines before say %s" % (event["dropped"], found))
        self.dropped = []
        self.place(event["cursors"])
        self.count_earlier(self.earlier)
        self.earlier = []
        self.rejects_marks.append((rejects, [len(lines) for lines in self.invalid_lines]))
        covered = {}
        for source, row, line in rows:
            self.source(source)
            covered.setdefault(source, []).append((row, line))
        moved = 0
        for cursor in event["cursors"]:
            source = self.source(cursor["source"])
            own = sorted(covered.pop(cursor["source"], []), key=lambda one: one[0])
            before, after = source["rows"], cursor["rows"]
            numbers = [row for row, _line in own]
            check(len(set(numbers)) == len(numbers), "input %d: a row is accounted for twice" % cursor["source"])
            check(all(before < row <= after for row in numbers), "input %d: a row is beyond the cursor" % cursor["source"])
            lines = [line for _row, line in own if line is not None]
            check(lines == sorted(lines), "input %d: rows and lines are in different orders" % cursor["source"])
            check(
                not lines or (source["line"] <= lines[0] and lines[-1] <= cursor["line"]),
                "input %d: a row is not on the lines up to the cursor" % cursor["source"],
            )
            check(cursor["byte"] >= source["byte"] and cursor["line"] >= source["line"], "input %d: the cursor goes back" % cursor["source"])
            check(source["size"] is None or source["digest"] is None or cursor["byte"] <= source["size"], "input %d: the cursor is after the end" % cursor["source"])
            moved += after - before - len(numbers)
            source.update(rows=after, line=cursor["line"], byte=cursor["byte"])
            self.counts["read"] += after - before
        check(not covered, "rows of input %s without a cursor" % ", ".join(map(str, covered)))
        check(moved == excluded["rows"], "%d rows are in no batch and were not dropped" % (moved - excluded["rows"]))
        self.counts["read"] -= excluded["rows"]
        for kind in found:
            self.counts[kind] += found[kind]
        self.rejects = rejects

    def on_batch_reduced(self, event):
        batch = self.batch(event, "pending")
        rows = rows_of(event["ranges"]) if event["records"] else []
        taken = [row for some in event["skipped"] for row in skipped_rows(some)]
        check(sorted(row[:2] for row in rows + taken) == [row[:2] for row in batch.rows], "batch %s loses rows when it is reduced" % batch.id)
        self.counts["skipped"] += len(taken)
        self.count_earlier((some["why"], some.get("by"), len(skipped_rows(some))) for some in event["skipped"])
        batch.rows = rows
        if rows:
            batch.update(event)
            self.all_texts += batch.texts()
        else:
            del self.batches[batch.id]
            self.totals["sealed"] -= 1

    def on_batch_split(self, event):
        batch = self.batch(event, "pending")
        check(not batch.in_flight, "batch %s is split while an attempt is under way" % batch.id)
        check(len(event["parts"]) == 2, "batch %s is not split into two" % batch.id)
        parts = [Batch(part) for part in event["parts"]]
        check([part.id for part in parts] == [batch.id + ".1", batch.id + ".2"], "batch %s has parts with other numbers" % batch.id)
        check(parts[0].rows + parts[1].rows == batch.rows, "batch %s loses rows when it is split" % batch.id)
        check(event["attempts"] == batch.attempt, "batch %s had %d attempts" % (batch.id, batch.attempt))
        check(batch.status in (None, event.get("status")), "batch %s is split with another status than its last attempt" % batch.id)
        for part in parts:
            part.is_wanted = batch.is_wanted
            self.all_texts += part.texts()
        del self.batches[batch.id]
        for part in parts:
            self.batches[part.id] = part
        self.totals["split"] += 1
        self.totals["sealed"] += 2

    def on_batch_reopened(self, event):
        batch = self.batch(event, event["from"])
        needed = "resume" if batch.state == "unknown" and not self.is_social else RESENT_BY[batch.state]
        check(event["why"] == needed, "batch %s, which is %s, is sent again by %s" % (batch.id, batch.state, event["why"]))
        batch.state, batch.is_reopened, batch.is_wanted = "pending", True, event["why"] == "resume --unknown"

    def on_attempt_started(self, event):
        batch = self.batch(event, "pending")
        check(not batch.in_flight, "batch %s has two attempts at once" % batch.id)
        is_next = event["attempt"] == batch.attempt + 1 or (batch.is_reopened and event["attempt"] == 1)
        check(is_next, "batch %s: attempt %d after attempt %d" % (batch.id, event["attempt"], batch.attempt))
        check(not (self.is_social and batch.maybe_processed and not batch.is_wanted), "social batch %s is sent again although it may have arrived" % batch.id)
        check(event["bytes"] == batch.bytes, "batch %s: the request has another size" % batch.id)
        batch.attempt, batch.in_flight, batch.maybe_processed = event["attempt"], True, True
        batch.is_reopened = False
        self.totals["requests"] += 1
        self.totals["retries"] += event["attempt"] > 1
        self.totals["bytesSent"] += event["bytes"]

    def on_attempt_failed(self, event):
        batch = self.batch(event, "pending")
        check(batch.in_flight and event["attempt"] == batch.attempt, "batch %s: the failed attempt %d was not under way" % (batch.id, event["attempt"]))
        batch.in_flight, batch.maybe_processed, batch.status = False, event["maybeProcessed"], event.get("status")

    def on_batch_settled(self, event):
        batch = self.batch(event, "pending")
        outcome, receipt = event["outcome"], event.get("receipt")
        check(event["attempts"] == batch.attempt, "batch %s had %d attempts, not %d" % (batch.id, batch.attempt, event["attempts"]))
        check((outcome == "delivered") == (receipt is not None), "batch %s is %s, and its receipt says otherwise" % (batch.id, outcome))
        if outcome == "delivered":
            check(batch.in_flight, "batch %s is delivered without an attempt" % batch.id)
            check(200 <= event["status"] < 300, "batch %s is delivered with HTTP %s" % (batch.id, event["status"]))
            counted = [receipt[key] for key in ("accepted", "deduplicated", "rejected") if key in receipt]
            missing = batch.records - sum(counted) if counted else 0
            check(event["unaccounted"] == missing, "batch %s: %d records are missing from its receipt" % (batch.id, missing))
            for key in self.service:
                self.service[key] += receipt.get(key, 0)
            self.service["unaccounted"] += abs(missing)
        else:
            check(event["unaccounted"] == 0, "batch %s counts records without a receipt" % batch.id)
            check(not batch.in_flight, "batch %s is %s while an attempt is under way" % (batch.id, outcome))
            check(batch.status in (None, event.get("status")), "batch %s is %s with another status than its last attempt" % (batch.id, outcome))
            check(outcome != "refused" or event.get("status", 0) >= 300, "batch %s is refused without an answer" % batch.id)
        batch.state, batch.in_flight, batch.is_wanted = outcome, False, False
        self.settled.append((event, batch.records, batch.bytes, batch.ranges))

    def on_run_ended(self, event):
        for name in event["putBack"]:
            batch = self.batch(dict(event, batch=name), "exhausted")
            batch.state, batch.is_reopened = "pending", True
        self.forget()
        self.ends.add(event["time"])
        self.ended, self.stop = event["state"], event.get("stop")
        self.rejects = event.get("rejects", None)
        check(self.ended in ("complete", "stopped", "interrupted"), "the run ended as %s" % self.ended)
        if self.ended == "complete":
            open_ = [batch.id for batch in self.batches.values() if batch.state == "pending"]
            check(not open_, "the run is complete, and batch %s is pending" % ", ".join(open_))
            for index, source in enumerate(self.sources):
                is_read = source["digest"] is not None and source["byte"] == source["size"] and source["rows"] == source["total"]
                check(is_read, "the run is complete, and input %d was not read to its end" % index)

    def is_disk_full(self):
        """The journal has reserved space, which the other files do not have."""
        return (self.stop or {}).get("code") == "storage"

    def rows(self):
        rows = dict(self.counts, **dict.fromkeys(STATES, 0))
        for batch in self.batches.values():
            rows[batch.state] += batch.records
        return rows

    def batch_counts(self):
        counts = dict.fromkeys(STATES, 0)
        for batch in self.batches.values():
            counts[batch.state] += 1
        return dict(counts, sealed=self.totals["sealed"], split=self.totals["split"])


def check_sums(run):
    rows = run.rows()
    known = sum(count for name, count in rows.items() if name != "read")
    check(rows["read"] == known, "%d rows were read, and %d are accounted for" % (rows["read"], known))
    counts = run.batch_counts()
    known = counts["split"] + sum(counts[name] for name in STATES)
    check(counts["sealed"] == known, "%d batches were sealed, and %d have a state" % (counts["sealed"], known))


def read_text(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def check_results(run, folder):
    """Each line of results.csv is a settled batch of the journal, in its order; of a run that has ended, all are there."""
    # A process that was killed at its end has written neither the last lines nor the summary.
    has_summary = os.path.exists(os.path.join(folder, "summary.json"))
    is_whole = run.ended is not None and has_summary and not run.is_disk_full()
    text = read_text(folder, "results.csv")
    check(text is not None, "results.csv is missing")
    lines = list(csv.reader(io.StringIO(text, newline="")))
    check(lines and lines[0][:2] == ["time", "batch"], "results.csv has no header")
    head, lines = lines[0], lines[1:]
    if not is_whole:
        lines = [line for line in lines if len(line) == len(head)]
    check(len(lines) <= len(run.settled), "results.csv has %d lines, and the journal %d settled batches" % (len(lines), len(run.settled)))
    check(not is_whole or len(lines) == len(run.settled), "results.csv has %d of %d settled batches" % (len(lines), len(run.settled)))
    names = [one["name"] for one in run.started["inputs"]]
    for line, (event, records, size, ranges) in zip(lines, run.settled):
        cells = dict(zip(head, line))
        receipt = event.get("receipt", {})
        want = {
            "time": event["time"],
            "batch": event["batch"],
            "lines": "; ".join("%d to %d" % (one["firstLine"], one["lastLine"]) for one in ranges),
            "records": records,
            "bytes": size,
            "outcome": event["outcome"],
            "status": event.get("status", ""),
            "unaccounted": event["unaccounted"],
            "attempts": event["attempts"],
        }
        for key in COUNTS:
            want[key] = receipt.get(key, "")
        for key, value in want.items():
            check(cells.get(key) == str(value), 'results.csv, batch %s: %s is "%s", in the journal "%s"' % (event["batch"], key, cells.get(key), value))
        check(plain(cells["batchId"]) == plain(receipt.get("batchId", "")), "results.csv, batch %s: another batchId" % event["batch"])
        sources = "; ".join(names[one["source"]] for one in ranges)
        check(plain(cells["source"]) == plain(sources), "results.csv, batch %s: another source" % event["batch"])


def plain(text):
    """Without what makes a text safe for a spreadsheet."""
    return re.sub(r"[^0-9A-Za-z]", "", text)[:1000]


def check_summary(run, folder):
    text = read_text(folder, "summary.json")
    if run.is_disk_full() or text is None:
        return
    summary = json.loads(text)
    if run.ended is None:
        check(summary["endedAt"] in run.ends, "summary.json knows an end of the run that the journal does not have")
        return
    want = {
        "run": run.started["run"],
        "type": run.started["type"],
        "startedAt": run.started["time"],
        "shard": run.started.get("shard"),
        "state": run.ended,
        "balanced": True,
        "rows": run.rows(),
        "batches": run.batch_counts(),
        "service": run.service,
        "requests": run.totals["requests"],
        "retries": run.totals["retries"],
        "bytesSent": run.totals["bytesSent"],
    }
    for key, value in want.items():
        check(summary.get(key) == value, "summary.json: %s is %s, in the journal %s" % (key, json.dumps(summary.get(key)), json.dumps(value)))
    before = summary.get("sentBefore") or dict(delivered=0, unknown=0, runs={})
    known = Counter(delivered=before["delivered"], unknown=before["unknown"])
    known.update({"run " + name: rows for name, rows in before["runs"].items()})
    check(+known == run.sent_before, "summary.json: sentBefore is %s, in the journal %s" % (dict(+known), dict(run.sent_before)))
    check((summary["stop"] or {}).get("code") == (run.stop or {}).get("code"), "summary.json has another reason to stop")


def missing_summary(run, folder):
    if run.ended is not None and not os.path.exists(os.path.join(folder, "summary.json")):
        yield "summary.json is missing: the last process was killed at its end, or the file was deleted"


def check_undelivered(run, folder):
    """The payload of each batch that was not delivered is whole, so that it can be sent again."""
    path = os.path.join(folder, "undelivered.ndjson")
    stored = {}
    if os.path.exists(path):
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
        for line in lines[:-1]:
            facts, separator, payload = line.partition(b',"payload":')
            check(separator and line.endswith(b"}"), "undelivered.ndjson has a damaged line")
            facts, payload = json.loads(facts + b"}"), payload[:-1]
            check(xxh64(payload) == facts["digest"], "undelivered.ndjson: the payload of batch %s is damaged" % facts["batch"])
            (records,) = json.loads(payload).values()
            check(len(records) == facts["records"] == len(rows_of(facts["ranges"])), "undelivered.ndjson: batch %s has another number of records" % facts["batch"])
            stored[facts["batch"]] = facts
    for batch in run.batches.values():
        facts = stored.get(batch.id)
        if run.ended is not None and batch.state in RESENT_BY:
            check(facts is not None, "undelivered.ndjson has no payload of batch %s" % batch.id)
            check(facts["outcome"] == batch.state, "undelivered.ndjson: batch %s is %s, in the journal %s" % (batch.id, facts["outcome"], batch.state))
        if facts is not None and batch.state != "delivered":
            check(facts["digest"] == batch.digest and facts["records"] == batch.records, "undelivered.ndjson: batch %s is not the one of the journal" % batch.id)
            check(rows_of(facts["ranges"]) == batch.rows, "undelivered.ndjson: batch %s has other rows" % batch.id)


def check_rejects(run, folder):
    """Each invalid row is in a rejects file, once, with its line; the journal knows the length of the file after each commit."""
    if run.ended is None or run.rejects is None:
        return
    directory = os.path.join(folder, "rejects")
    names = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
    texts = {name: read_text(directory, name) for name in names if not name.endswith(".edited")}
    sizes = {len(text.encode("utf-8")): name for name, text in texts.items()}
    is_edited = sorted(sizes) != sorted(run.rejects.values())
    try:
        check_rejected_rows(run, texts, sizes)
        check(not is_edited, "the rejects files have %s bytes, in the journal %s" % (sorted(sizes), sorted(run.rejects.values())))
    except Wrong as error:
        if not is_edited or str(error).startswith("the rejects files have"):
            raise
        yield "the rejects files were edited since the run ended"


def check_rejected_rows(run, texts, sizes):
    refused = Counter(batch.rows[0][2] for batch in run.batches.values() if batch.state == "refused" and batch.records == 1)
    names = iter(sorted(texts))
    listed = {}
    for source in sorted(map(int, run.rejects)):
        name = sizes.get(run.rejects[str(source)]) or next(names, None)
        check(name is not None, "there is no rejects file of input %d" % source)
        lines, ends = rejected_lines(name, texts[name])
        listed[source] = ends
        invalid = run.invalid_lines[source]
        check(lines[: len(invalid)] == invalid, "rejects/%s does not begin with the invalid rows of the journal" % name)
        for line in Counter(lines[len(invalid) :]) - refused:
            raise Wrong("rejects/%s: line %d is not invalid" % (name, line))
    for source, invalid in enumerate(run.invalid_lines):
        check(not invalid or source in listed, "invalid rows of input %d are in no rejects file" % source)
    for rejects, counts in run.rejects_marks:
        want = {str(source): listed[source][count] for source, count in enumerate(counts) if str(source) in rejects or count}
        check(rejects == want, "rejects is %s in the journal, and the files say %s" % (rejects, want))


def rejected_lines(name, text):
    """The line of each row in its input, and the length of the file in bytes before and after each row."""
    rows = [part for part in re.findall(r'(?:"(?:[^"]|"")*"|[^"\n])*\n', text)]
    ends = [0]
    for row in rows:
        ends.append(ends[-1] + len(row.encode("utf-8")))
    check(ends[-1] == len(text.encode("utf-8")), "rejects/%s ends in the middle of a row" % name)
    if text.startswith("{"):
        return [json.loads(row)["_line"] for row in rows], ends
    check(rows and rows[0].startswith("\ufeff_line"), "rejects/%s has no column _line" % name)
    return [int(re.match("[0-9]+", row).group()) for row in rows[1:]], ends[1:]


def check_inputs(run, folder):
    """The inputs that are still there, as the run has read them: their bytes, and the line of each row."""
    text = read_text(folder, "run.json")
    check(text is not None, "run.json is missing")
    stored = json.loads(text)
    for index, one in enumerate(stored.get("inputs", [])):
        source, path = run.sources[index], one.get("path")
        if source["digest"] is None or not path or not os.path.isfile(path) or os.path.getsize(path) != source["size"]:
            continue
        with open(path, "rb") as file:
            data = file.read()
        if xxh64(data) != source["digest"]:
            yield "%s has changed since the run read it" % path
            continue
        # Elements of a JSON array can be on one line.
        if one.get("format") != "json":
            check_places(run, index, path, data)
        if one.get("format") == "csv" and stored.get("decode", {}).get("header"):
            check_lines(run, index, path, csv_lines(data, one.get("delimiter", ",")))


def check_places(run, index, path, data):
    line, at = 1, 0
    for first, start, end in sorted((line, start, end) for source, line, start, end in run.all_texts if source == index):
        line += len(BREAK.findall(data, at, start))
        at = start
        # After a last row without a line break, the next line would begin here.
        is_open = start == len(data) and data[-1:] not in (b"\n", b"\r")
        check(line + is_open == first, "line %d of %s begins at byte %d, which is on line %d" % (first, path, start, line))
        check(end <= len(data) and is_line_end(data, start) and is_line_end(data, end), "bytes %d to %d of %s are no rows" % (start, end, path))


def csv_lines(data, delimiter):
    """The line of each row as Python's reader sees it; None if it cannot read the file."""
    try:
        reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=delimiter, strict=True)
        lines, before = [], 0
        for cells in reader:
            if cells:
                lines.append(before + 1)
            before = reader.line_num
        return lines[1:]
    except (csv.Error, UnicodeDecodeError, TypeError):
        return None


def check_lines(run, index, path, lines):
    if lines is None or len(lines) != run.sources[index]["total"]:
        return
    rows = [row for batch in run.batches.values() for row in batch.rows] + run.all_dropped
    for source, row, line in rows:
        if source == index and line is not None:
            check(lines[row - 1] == line, "row %d of %s is on line %d, in the journal %d" % (row, path, lines[row - 1], line))


BREAK = re.compile(rb"\r\n|\n|\r")


def is_line_end(data, at):
    """Whether a row can end there; the byte order mark belongs to no row."""
    return at in (0, len(data)) or data[at - 1] in b"\r\n" or data[:at] == b"\xef\xbb\xbf"


def verify(folder):
    """Returns a line about the run and its notes. Raises Wrong."""
    events, rest = read_journal(os.path.join(folder, "journal.ndjson"))
    run = Run(events[0])
    for number, event in enumerate(events[1:], 2):
        try:
            run.apply(event)
        except Wrong as error:
            raise Wrong("journal.ndjson:%d: %s" % (number, error))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise Wrong("journal.ndjson:%d: %s is not as specified (%r)" % (number, event.get("event"), error))
    check_sums(run)
    check_results(run, folder)
    check_summary(run, folder)
    check_undelivered(run, folder)
    notes = list(missing_summary(run, folder)) + list(check_rejects(run, folder)) + list(check_inputs(run, folder))
    if rest:
        notes.append("%d bytes after the last whole line of the journal do not count" % rest)
    rows = run.rows()
    told = ", ".join("%d %s" % (count, name) for name, count in rows.items() if count and name != "read")
    return "%s: %d rows read: %s" % (run.started["run"], rows["read"], told or "none"), notes


def main(folders):
    if not folders or folders[0] in ("-h", "--help"):
        print(__doc__)
        return 2
    code = 0
    for folder in folders:
        try:
            line, notes = verify(folder)
            print("holds  " + line)
            for note in notes:
                print("       note: " + note)
        except Wrong as error:
            print("wrong  %s: %s" % (folder, error))
            code = max(code, 1)
        except OSError as error:
            print("cannot read %s: %s" % (folder, error))
            code = 2
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            print("wrong  %s: a file is not as specified (%r)" % (folder, error))
            code = max(code, 1)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
