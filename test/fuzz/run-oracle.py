"""Uploads generated hostile rows with both engines to a recording server, and compares each byte with oracle.py.

    python3 run-oracle.py ROWS [SEED] [FILE]     FILE repeats one file of the seed and keeps it

Each file has its own mapping. The generator makes only values that a page decides: oracle.py says where none does.
"""

import http.server
import json
import os
import random
import shutil
import subprocess
import sys
import threading

from oracle import KINDS, KNOWN, MONTHS, SIGNALS, SOCIAL, SOURCES, Oracle, ZoneInfo

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", "..", "bin", "signals.js")
SCRATCH = os.path.join(HERE, "..", ".tmp", f"oracle-{os.getpid()}")
FILE_ROWS = 2500
SHOWN = 4
EMPTY = ["N/A", "-", "\\N", "ünbekannt "]

WORDS = ["Acme", "Zürich GmbH", "日本 株式会社", "😀", "a\u0301", "O'Neil & Co", "null", "true", "NaN", "__proto__", "{x}", "[y]", "<b>", "\\", "\\n", "\\u0041"]
ODD = ["\0", "\x1f", "\x7f", "\u2028", "\u200b", "\ufffd", "\x85", "\xa0", "\u3000", "\ufeff", "\t", "\b\f", "/", "'", '"', '""', ",", ";", "|", "=1+1", "\u180e", "\U0010ffff"]
NUMBERS = "0 1 7 42 100 -1 -5 0.5 3.25 87 1234.5 1e-7 12345678 9007199254740991 -0.001 1000000".split()
OTHER_NUMBERS = "1.0 01 007 +5 -0 1e5 1e21 .5 5. 0x10 12345678901234567890 9007199254740993 1e400 0.10".split()
DATES = "2026-01-05 2024-02-29 2026-01-05T10:00Z 2026-01-05T10:00 2026-12-31T23:59:59 2026-01-05T10:00:00.5Z 2026-01-05T10:00:00+02:00 1999-06-07T08:09-05:30".split()
NO_DATES = ["2026-02-30", "2023-02-29", "2026-13-01", "2026-1-5", "20260105", "05.01.2026", "2026-01-05T25:00", "2026-01-05T10:61:00Z", "soon", "2026-01-05 10:00", "Jan 5", "2026"]
FORMATS = ["iso", "sql", "epoch", "epoch_ms", "excel", "M/d/yyyy", "d.M.yyyy", "dd/MM/yyyy", "yyyyMMdd", "MM/dd/yyyy HH:mm", "yyyy-MM-dd h:mm a", "MMM d, yyyy", "d MMMM yyyy", "yyyy-MM-dd'T'HH:mm:ss.SSSZZ", "H:mm:ss dd.MM.yyyy"]
HOSTS = ["acme.com", "www.acme.com", "ACME.Com", "blog.acme.co.uk", "a-b.c.de", "x1.io", "acme.co.uk", "1.acme.com"]
NO_HOSTS = ["acme", "foo bar", "com", "acme..com", "-acme.com", "not a domain.", "co.uk", "a b.com"]


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bodies = []

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.bodies.append(body)
        count = sum(map(len, json.loads(body).values()))
        stats = {"accepted": count, "deduplicated": 0, "rejected": 0}
        answer = json.dumps({"success": True, "batchId": "b", "stats": stats, "promotedToPipeline": 0}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


class Generator:
    def __init__(self, seed, rows):
        self.random = random.Random(seed)
        pick = self.random
        self.csv = pick.random() < 0.6
        self.columns, self.makers, self.literals = [], [], {}
        self.harm = 0
        social = pick.random() < 0.35
        fields = SOCIAL if social else SIGNALS
        variant = None if social else pick.choice(["a", "b", "both"])
        needed, others = (fields[:2], fields[2:]) if social else (fields[:4], fields[4:])
        chosen = needed + pick.sample(others, pick.randint(len(others) // 2, len(others)))
        rules = {field: self.rule(field, KINDS.get(field, "text"), field in needed) for field in chosen}
        if pick.random() < 0.3:
            self.column(self.text, "unused")
        quote = pick.choice(['"', '"', '"', "'", ""])
        self.delimiter = pick.choice([",", ",", ";", "\t", "|"])
        self.quote, self.end = quote, pick.choice(["\n", "\r\n"])
        form = {"format": "csv", "delimiter": self.delimiter, "quote": quote, "header_line": 1} if self.csv else {"format": "ndjson"}
        self.mapping = {"type": "social" if social else "signals", "input": {**form, "encoding": "utf-8"}, "fields": rules}
        if variant:
            self.mapping["variant"] = variant
        if pick.random() < 0.6:
            self.mapping["empty"] = pick.sample(EMPTY, pick.randint(1, len(EMPTY)))
        self.options = {}
        if pick.random() < 0.2:
            self.options["skip"] = pick.randint(1, 50)
        if pick.random() < 0.1:
            self.options["limit"] = rows - pick.randint(60, 200)
        if pick.random() < 0.3:
            self.options["dedupe"] = True
        if pick.random() < 0.2:
            self.options["ragged"] = "pad"
        self.whole = (self.csv_file if self.csv else self.ndjson_file)(rows)
        wide = pick.random() < 0.1
        if wide:
            del self.mapping["input"]["encoding"]
        self.data = (pick.choice(["", "\ufeff"]) + self.whole).encode("utf-8") if not wide else self.whole.encode("utf-16")

    def column(self, maker, hint):
        """Adds a column; the name by which the mapping calls it."""
        index = len(self.columns)
        choice = self.random.randrange(6)
        name = f"{hint.replace('_', ' ').title()} {index}"
        if not self.csv:
            name = [f"k{index}", f"in.ner.k{index}", f"Größe {index}", f"a.k{index}", hint + str(index), f"x y{index}"][choice]
        elif choice == 0:
            self.columns.append("")
            self.makers.append(maker)
            return f"column {index + 1}"
        elif choice == 1 and "Same" in self.columns:
            name = f"Same ({1 + self.columns.count('Same')})"
            self.columns.append("Same")
            self.makers.append(maker)
            return name
        elif choice == 1:
            name = "Same"
        self.columns.append(name)
        self.makers.append(maker)
        if choice == 2 and self.csv:
            return name.upper().replace(" ", "-")
        return name

    def rule(self, field, kind, required):
        pick = self.random
        simple = {"enum": self.source, "open": lambda: self.word(field), "date": self.date, "number": self.hot, "percent": self.percent, "any": self.amount}
        maker = simple.get(kind, self.text)
        way = pick.randrange(10)
        textual = kind in ("text", "location")
        rule = None
        if way == 0 and (textual or field in ("platform", "signal_source")):
            return {"value": "news" if kind == "enum" else pick.choice(["constant", 'a "quoted" ünit', 'linkedin'])}
        if way == 1 and textual:
            one, two, three = (self.column(self.text, "part") for _ in range(3))
            return pick.choice([f"{{{one}}} raised {{{two}}}[ in {{{three}}}]", f'{{{one}}}{{{two}}} [[é"\\]]', f"{{{one}}}[ ({{{two}}} {{{three}}})] {{{{日本}}}}"])
        if way == 2 and textual:
            rule = {"first": [self.column(self.text, "first") for _ in range(pick.randint(1, 3))]}
            if pick.random() < 0.3:
                rule["otherwise"] = "instead"
        elif way in (3, 4) and (kind in ("enum", "text", "any", "open", "number") and field != "company_domain"):
            keys = ["Series A", "1", "x", "", "-"]
            table = {key: pick.choice(SOURCES) if kind == "enum" else pick.choice(([] if kind == "number" else ["to", "7", 'q"', "Größe"]) + [5, 2.5] * (kind in ("any", "number"))) for key in pick.sample(keys, 3)}
            rule = {"column": self.column(lambda: self.of(list(table), ["Series A", "SERIES A", "1", "x", "X", "", "-", "gossip", "b", *self.json([1.0, True, None])]), "kind"), "values": table}
            if pick.random() < 0.5:
                rule["otherwise"] = 3 if kind == "number" else "other"
        elif field == "company_domain" and way < 8:
            name = self.column(self.host, "site")
            rule = {"column": name, "as": "domain"} if way < 6 else {"first": [name, self.column(self.host, "other site")], "as": "domain"}
        elif kind in ("any", "number") and way < 7:
            rule = {"column": None, "as": "number"}
            extra = pick.randrange(5)
            if extra == 1:
                rule["decimal"] = pick.choice([".", ","])
            elif extra == 2:
                rule["scale"] = pick.choice([10, 1000, 1000000])
            elif extra == 3:
                rule["unit"] = pick.choice(["%", "employees"])
            rule["column"] = self.column(lambda: self.written(rule), "number")
        elif (kind == "date" or field in ("engagement_date", "description")) and way < 7:
            rule = {"column": None, "as": "date", "format": pick.choice(FORMATS) if pick.random() < 0.7 else pick.sample(FORMATS, 2)}
            if pick.random() < 0.4 and ZoneInfo:
                rule["zone"] = pick.choice(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"])
            if pick.random() < 0.3:
                rule.update(locale=pick.choice(["en", "de", "es", "it"]), format="d MMMM yyyy")  # gap: short names
            rule["column"] = self.column(lambda: self.moment(rule), "when")
        if rule is None:
            rule = {"column": self.column(maker, field)}
        if not required and pick.random() < 0.4:
            rule["invalid"] = "omit"
        return rule["column"] if list(rule) == ["column"] and pick.random() < 0.5 else rule

    # Cells. Texts may have blanks around them, which do not count.

    def json(self, values):
        return [] if self.csv else values

    def bad(self):
        return self.random.random() < self.harm

    def of(self, good, bad):
        return self.random.choice(bad if bad and self.bad() else good)

    def around(self, value):
        if isinstance(value, str) and self.random.random() < 0.1:
            return self.random.choice(["", " ", "\t", "\xa0", "\u3000\u2029", "\x85"]) + value + self.random.choice(["", "  ", "\ufeff", "\u2003"])
        return value

    def text(self):
        pick, chance = self.random, self.random.random()
        if self.bad():
            if chance < 0.4:
                return pick.choice(EMPTY + ["", "n/a", " ", "\u2003"])
            return pick.choice(self.json([1.0, -0.0, 0.5, 1e-7, 12345678901.0, 1e300, 2.0**53, True, False, None, [], [1.0], {}, {"z": "y"}, "\ud800", "x\udc00y\ud83d"]) or NUMBERS + OTHER_NUMBERS)
        if chance < 0.0002:
            return "x" * pick.randint(90_000, 110_000)
        return "".join(pick.choice(WORDS if pick.random() < 0.7 else ODD) for _ in range(pick.randint(1, 4)))

    def amount(self):
        if self.random.random() < 0.3:
            return self.text()
        return self.of(NUMBERS + OTHER_NUMBERS + self.json([1.0, 1e5, 2.5, -0.0]), self.json([True, 1e300]))

    def source(self):
        return self.spelled(self.of(SOURCES, ["gossip", "", "newsy", "job.posting", *self.json([5.0, False, None])]))

    def spelled(self, word):
        if not isinstance(word, str) or self.random.random() < 0.4:
            return word
        word = word.replace("_", self.random.choice(["_", " ", "-"]))
        return self.random.choice([str.upper, str.title, str.lower])(word)

    def word(self, field):
        return self.spelled(self.random.choice(KNOWN[field])) if self.random.random() < 0.6 else self.text()

    def hot(self):
        return self.of(["0", "87", "0.5", "-3", "12.25", "", *self.json([87.0, 0.5, None])], ["warm", "5%", "1;5", "a1", *self.json([True, [], {}])])

    def percent(self):
        good = ["0", "1", "50", "99", "100", "", *self.json([0.0, 100.0])]
        return self.of(good, ["101", "-1", "50.5", "warm", "9999", *self.json([101.0, 0.5, -1.0, False])])

    def date(self):
        return self.of(DATES, NO_DATES + ["", *self.json([None, True])])

    def host(self):
        pick = self.random
        host, chance = pick.choice(HOSTS), pick.random()
        if self.bad():
            return pick.choice(NO_HOSTS + ["", "joe@gmail.com", "gmail.com", *self.json([True, [], None])])
        if chance < 0.3:
            return f"jo.e+x@{host}"
        if chance < 0.4:
            return f"{host}, {pick.choice(HOSTS)}"
        scheme = pick.choice(["", "https://", "HTTP://"])
        return scheme + host + pick.choice(["", ":8080" if scheme else "", "/", "/x/y?z=a.b#c", "?q"])

    def written(self, rule):
        pick, chance = self.random, self.random.random()
        point, mark = (",", ".") if rule.get("decimal") == "," else (".", ",")
        if self.bad():
            return pick.choice(["", "abc", "1.2.3,4", "5-10", "k", "$", "1,2,3", "--5"] + self.json([5.0, 1.5, 5e-7, True, None]))
        if chance < 0.1:
            return pick.choice(["1,234", "1.234", "12,345", "123.456", "1,234,567", "13,00,000" if mark == "," else "1"])
        whole = str(pick.choice([0, 7, 42, 999, 1234, 1234567, 98765432]))
        if pick.random() < 0.3:
            whole = f"{int(whole):,}".replace(",", mark)
            if whole.count(mark) == 1 and "decimal" not in rule:
                whole += mark + "000"
        fraction = point + pick.choice(["5", "25", "005", "1"]) if pick.random() < 0.3 else ""
        unit = pick.choice(["", "k", "K", " Mio", "m", "b", "bn", " mrd", " lakh", " Cr"]) if pick.random() < 0.4 else ""
        ignored = rule.get("unit", "") if not unit and pick.random() < 0.7 else ""
        return pick.choice(["", "", "-"]) + pick.choice(["", "", "$"]) + whole + fraction + unit + ignored

    def moment(self, rule):
        pick = self.random
        if self.bad():
            return pick.choice(["", "soon", "31/31/2026", "2026-02-30", "x2026-01-05", "2026-01-05 x"] + self.json([None, True]))
        forms = rule["format"] if isinstance(rule["format"], list) else [rule["format"]]
        form = pick.choice(forms if pick.random() < 0.9 else [form for form in FORMATS if form != "yyyyMMdd" and "MMM" not in form])
        year, month, day = pick.choice([1970, 1999, 2024, 2026]), pick.randint(1, 13 if pick.random() < 0.05 else 12), pick.randint(1, 31)
        # Often in the hours when clocks change.
        if pick.random() < 0.2:
            year, month, day = pick.choice([(2026, 3, 29), (2026, 10, 25), (2026, 3, 8), (2026, 11, 1)])
        hour, minute, second = pick.randint(0, 3 if pick.random() < 0.3 else 23), pick.randint(0, 59), pick.randint(0, 59)
        time = f"{hour:02}:{minute:02}" + pick.choice(["", f":{second:02}", f":{second:02}.{second * 16:03}"])
        if form == "iso":
            return f"{year}-{month:02}-{day:02}" + pick.choice(["", f"T{time}", f"T{time}" + pick.choice(["Z", "+02:00", "-05:30"])])
        if form == "sql":
            return f"{year}-{month:02}-{day:02}" + pick.choice(["", f" {time}"])
        if form in ("epoch", "epoch_ms"):
            number = pick.randint(0, 4_000_000_000)
            return str(number * 1000 + second) if form == "epoch_ms" else pick.choice([str(number), f"{number}.5", f"{number}.125"])
        if form == "excel":
            return f"{pick.randint(61, 60_000)}" + pick.choice(["", ".5", ".25", ".125"])
        name = MONTHS[rule.get("locale", "en")].split()[min(month, 12) - 1]
        name = pick.choice([name, name.upper() if name.isascii() else name])
        half = "PM" if hour >= 12 else "AM"
        wide = pick.random() < 0.3
        out, at = "", 0
        values = {
            "yyyy": str(year), "MMMM": name, "MMM": name[:3], "MM": f"{month:02}", "M": f"{month:02}" if wide else str(month), "dd": f"{day:02}",
            "d": f"{day:02}" if wide else str(day), "HH": f"{hour:02}", "H": str(hour), "h": str(hour % 12 or 12), "mm": f"{minute:02}", "ss": f"{second:02}",
            "SSS": f"{second * 16:03}", "a": pick.choice([half, half.lower()]), "ZZ": pick.choice(["+02:00", "-05:30", "+00:00"]), "'T'": "T",
        }  # fmt: skip
        while at < len(form):
            token = next((token for token in values if form.startswith(token, at)), form[at])
            out += values.get(token, token)
            at += len(token)
        return out

    # Files

    def row(self, index):
        if index < 3:
            self.last = [self.plain_value(maker) for maker in self.makers]
            return list(self.last)
        if self.random.random() > 0.03:
            self.harm = self.random.choice([0.01, 0.01, 0.02, 0.3])
            self.last = [self.around(maker()) for maker in self.makers]
        return list(self.last)  # sometimes the row before, for --dedupe

    def plain_value(self, maker):
        """A value for the first rows, by which the file is recognised."""
        for _ in range(50):
            value = maker()
            if isinstance(value, str) and value.strip() and len(value) < 50 and value.isprintable() and not set(value) & set("\"',;|\\"):
                return value
        return "1"

    def csv_file(self, rows):
        pick, out = self.random, []
        special = set("\r\n" + self.delimiter + self.quote)
        width = len(self.columns)

        def cell(text, force=False):
            if not self.quote:
                return "".join(each for each in text if each not in special)
            if force or set(text) & special - {self.quote} or text.startswith(self.quote) or pick.random() < 0.1:
                return self.quote + text.replace(self.quote, self.quote * 2) + self.quote
            return text  # with a lone quote, if it has one

        out.append(self.delimiter.join(cell(name) for name in self.columns))
        for index in range(rows):
            cells = self.row(index)
            chance = pick.random() if index >= 3 else 1
            if self.quote and chance < 0.1 and self.text in self.makers:
                at = pick.choice([at for at in range(width) if self.makers[at] == self.text] or [0])
                cells[at] += pick.choice(["\n", "\r\n", "a\n\nb", self.delimiter + "\n" + self.quote + "z"]) + "w"
            line = [cell(text) for text in cells]
            if chance > 0.98 and index >= 3:
                harm = pick.randrange(5)
                if harm == 0:
                    line = line[: pick.randrange(width)] or [""]
                elif harm == 1:
                    line += pick.choice([["more"], ["", "x"], [" "]])
                elif harm == 2 and self.quote:
                    line = ["a"] * (width - 1) + [f"{self.quote}b{self.quote}c"]
                elif harm == 3:
                    line = pick.choice([[""], [" ", "\t" if self.delimiter != "\t" else " "], [""] * width, [" "] * width])
                else:
                    line = [text if "\n" in text else cell("", True) for text in line]
            out.append(self.delimiter.join(line))
        if self.quote and pick.random() < 0.3:
            out.append(self.delimiter.join(["a"] * (width - 1) + [self.quote + "never closed"]))
            text = self.end.join(out)
        else:
            text = self.end.join(out) + pick.choice(["", self.end, self.end * 2])
        return text

    def ndjson_file(self, rows):
        pick, out = self.random, []

        def text_of(value):
            if not isinstance(value, str):
                if isinstance(value, float):
                    return pick.choice([repr(value), f"{value:.0f}" if value.is_integer() and abs(value) < 1e20 else repr(value), f"{value:.20e}" if value.is_integer() else repr(value)])
                return json.dumps(value)
            escape = pick.random() < 0.3
            text = json.dumps(value, ensure_ascii=escape)
            text = "".join(f"\\u{ord(each):04X}" if 0xD800 <= ord(each) < 0xE000 else each for each in text)
            return text.replace("/", "\\/") if escape else text

        def written(tree, shuffle):
            items = list(tree.items())
            if shuffle:
                pick.shuffle(items)
            gap = pick.choice(["", "", "", " ", "\t"])
            return "{" + ",".join(f"{gap}{text_of(key)}{gap}:{gap}{written(value, shuffle) if type(value) is Tree else text_of(value)}" for key, value in items) + gap + "}"

        for index in range(rows):
            tree, missing = Tree(), pick.random() < 0.1 and index >= 3
            for name, value in zip(self.columns, self.row(index)):
                if missing and pick.random() < 0.3:
                    continue
                keys = [name] if index >= 3 and pick.random() < 0.02 else name.split(".")
                at = tree
                for key in keys[:-1]:
                    at = at.setdefault(key, Tree())
                at[keys[-1]] = value
            line = written(tree, index >= 3 and pick.random() < 0.3)
            if index >= 3 and pick.random() < 0.02:
                line = pick.choice([line[:-1], line + "x", "[1]", "5", "null", '"x"', "{}", "", " ", line[:-1] + ',"d":1,"d":2}', line.replace(":", ":NaN,", 1), "{'a':1}", line[:-1] + ",}", line + line, '{"a":01}', '{"a":"\t"}', "  " + line + " "])
            out.append(line)
        end = pick.choice(["\n", "\r\n"])
        return end.join(out) + pick.choice(["", end])


class Tree(dict):
    """A path of a column, which is not a value."""


def upload(folder, engine, made, name, port):
    arguments = ["upload", name, "-m", "mapping.json", "--base-url", f"http://127.0.0.1:{port}", "--run-id", engine, "--again", "--concurrency", "1", "--json", "--yes"]
    settings = {"engine": engine, "ragged": made.options.get("ragged", "reject")}
    for key in ("skip", "limit"):
        if key in made.options:
            arguments += [f"--{key}", str(made.options[key])]
    arguments += ["--dedupe"] * made.options.get("dedupe", False)
    for key, value in settings.items():
        arguments += ["--setting", f"{key}={value}"]
    environment = {**os.environ, "SIGNALS_API_KEY": "key", "HOME": folder, "SIGNALS_STATE_DIR": os.path.join(folder, "state"), "SIGNALS_CONFIG_DIR": folder}
    Server.bodies.clear()
    done = subprocess.run(["node", PROGRAM, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    results = {}
    try:
        with open(os.path.join(folder, "signals-runs", engine, "journal.ndjson"), encoding="utf-8") as journal:
            events = [json.loads(line) for line in journal if '"event":"row.' in line]
    except FileNotFoundError:
        return None, done.stdout + done.stderr
    for event in events:
        if event["event"] == "row.skipped":
            results.update({row: ("skipped", None) for row in range(event["firstRow"], event["lastRow"] + 1)})
        else:
            issues = [(issue["code"], issue.get("field")) for issue in event.get("issues", [])]
            results[event["row"]] = (event["event"][4:], (event["line"], issues) if issues else None)
    inner = [body[body.index(b"[") + 1 : -2] for body in Server.bodies]
    return results, b",".join(inner)


def differences(wanted, results, sent, lines):
    """A text for each row that is not what the oracle says."""
    found = []
    if isinstance(sent, bytes) and b",".join(payload for _, _, kind, payload in wanted if kind == "record") != sent:
        decoder, text, at, records = json.JSONDecoder(), sent.decode("utf-8"), 0, []
        while at < len(text):
            _, end = decoder.raw_decode(text, at)
            records.append(text[at:end].encode("utf-8"))
            at = end + 1
    else:
        records = None
    for number, line, kind, payload in wanted:
        what, seen = results.get(number, ("record", None))
        record = records.pop(0) if records and what == "record" else payload
        same = kind == what and (kind != "record" or record == payload)
        if same and kind == "invalid":
            same = line == seen[0] and len(payload) == len(seen[1]) and all(
                field == other and code in (None, name) for (code, field), (name, other) in zip(payload, seen[1])
            )
        if not same:
            found.append(f"row {number}, line {line}: {lines[line - 1]!r}\n    oracle {kind} {payload}\n    program {what} {record if what == 'record' else seen}")
    if len(wanted) < max(results, default=0) or records:
        found.append(f"the oracle has {len(wanted)} rows, the program more")
    return found


def main(count, seed="1", only=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    counts, failed, done, index = {}, 0, 0, int(only or 0)
    while done < int(count) and failed < 5:
        made = Generator(f"{seed}/{index}", min(FILE_ROWS, max(300, int(count) // 3)))
        wanted = list(Oracle(made.mapping).rows(made.data, **made.options))
        folder, name = os.path.join(SCRATCH, str(index)), "in.csv" if made.csv else "in.ndjson"
        os.makedirs(folder)
        with open(os.path.join(folder, name), "wb") as table, open(os.path.join(folder, "mapping.json"), "w", encoding="utf-8") as document:
            table.write(made.data)
            json.dump(made.mapping, document)
        before = []
        for engine in ("auto", "reference"):
            results, sent = upload(folder, engine, made, name, server.server_port)
            wrong = [f"no run: {sent[:1500]}"] if results is None else differences(wanted, results, sent, made.whole.split("\n"))
            if wrong and wrong != before:
                print(f"{engine}: seed {seed}, file {index}: {len(wrong)} differences; {json.dumps(made.mapping)} {made.options}", *wrong[:SHOWN], sep="\n  ")
            before = wrong or before
        failed += bool(before)
        for _, _, kind, _ in wanted:
            counts[kind] = counts.get(kind, 0) + 1
        if not before and only is None:
            shutil.rmtree(folder)
        done, index = done + len(wanted), index + 1
        if only is not None:
            break
    print(f"{done} rows in {index} files with seed {seed}: {counts}; {failed} files with differences")
    if not failed:
        shutil.rmtree(SCRATCH)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
