"""What docs/mapping.md, docs/reference.md and the API say that becomes of each row. Shares no code with the program.

    python3 oracle.py MAPPING.json INPUT [VARIANT]

prints a line for each row: its number, its line, what it is, and the bytes sent or the issues. The mapping names `type` and
`input: {format, delimiter, quote}`. An issue is a pair of a code, None where no page fixes it, and a field.
Where no page decides, the behaviour here is a guess, marked `gap`, and the generator avoids it or a page was completed.
"""

import datetime
import json
import re
import sys
from decimal import Decimal

try:
    from zoneinfo import ZoneInfo

    ZoneInfo("Europe/Berlin")
except (ImportError, KeyError):  # Python 3.8, or no list of time zones: the generator names none
    ZoneInfo = None

# The order of the fields is that of `signals schema signals` and `signals schema social`.
SIGNALS = """company_name company_domain signal_title signal_source description notes source_url detected_at signal_family industry
    funding_amount employee_count location hotness_score""".split()
SOCIAL = """platform engagement_type engager_profile_url company_domain warmth_hint engager_name engager_title engager_company
    engagement_content post_content post_url engagement_date""".split()
ONLY_A, ONLY_B = {"source_url"}, {"notes", *SIGNALS[8:]}
NAMES_IN_A = {"signal_title": "signal_name", "signal_source": "source"}
KINDS = {"signal_source": "enum", "detected_at": "date", "funding_amount": "any", "employee_count": "any", "location": "location",
         "hotness_score": "number", "platform": "open", "engagement_type": "open", "warmth_hint": "percent", "engagement_date": "location"}  # fmt: skip
SOURCES = ["funding", "job_posting", "linkedin", "news", "review_site", "tech_install", "twitter", "web_visit", "other"]
NAMES = {"g2": "review_site", "capterra": "review_site", "trustpilot": "review_site", "indeed": "job_posting",
         "techcrunch": "news", "website": "web_visit", "x": "twitter"}  # fmt: skip
KNOWN = {"platform": "linkedin twitter facebook instagram reddit tiktok youtube".split(),
         "engagement_type": "like comment repost mention celebrate praise support love insightful funny curious".split()}  # fmt: skip
CONSUMER = {"gmail.com"}
SUFFIXES = {"com", "de", "io", "co.uk"}
UNITS = {"k": 3, "m": 6, "mio": 6, "b": 9, "bn": 9, "mrd": 9, "lakh": 5, "cr": 7}
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
}
# Unicode's White_Space, and the byte order mark (gap: no page says which characters are trimmed).
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
SAFE = 2**53 - 1


class Invalid(Exception):
    """A value or a row that is invalid, with the code of its issue if a page fixes it."""


class Absent(Invalid):
    """A value that counts as no value; if its field is required, no page fixes the code."""


def number_text(value):
    """A number as JSON.stringify writes it."""
    text = re.sub(r"\.0$", "", repr(float(value) + 0.0))
    found = re.fullmatch(r"(.*)e-0?(\d+)", text)
    return text if not found else f"{Decimal(text):f}" if int(found[2]) < 7 else f"{found[1]}e-{found[2]}"


def json_text(value):
    if not isinstance(value, str):
        return number_text(value)
    text = json.dumps(value, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


# Reading a file: (line, cells or None, code of the problem)


def decoded(data):
    """The text, and the character that makes its row invalid."""
    if data[:2] == b"\xff\xfe":
        return data.decode("utf-16"), "\ufffd"
    text = data.decode("utf-8")
    return text[1:] if text.startswith("\ufeff") else text, None


def read_csv(data, delimiter, quote):
    text, damage = decoded(data)
    at, line, end = 0, 1, len(text)
    bare = re.compile(f"[^{re.escape(delimiter)}\n]*")
    while at < end:
        cells, first, problem, begin = [], line, None, at
        while True:
            if quote and text.startswith(quote, at):
                closing = at + 1
                while True:
                    closing = text.find(quote, closing)
                    if closing < 0 or not text.startswith(quote, closing + 1):
                        break
                    closing += 2
                if closing < 0:  # only on the last line (gap: where the row ends)
                    problem, at = "quote", end
                    break
                cell = text[at + 1 : closing].replace(quote * 2, quote)
                line += text.count("\n", at, closing)
                at = closing + 1
                rest = bare.match(text, at).end()
                if text[at:rest] not in ("", "\r") or (text[at:rest] == "\r" and text[rest : rest + 1] != "\n"):
                    problem, rest = "quote", text.find("\n", at)  # gap: where the row ends
                    rest = end if rest < 0 else rest
                at = rest
            else:
                rest = bare.match(text, at).end()
                cell, at = text[at:rest], rest
            cells.append(cell)
            if problem or at >= end or text[at] == "\n":
                break
            at += 1
        at += 1
        line += 1
        if damage and not problem and damage in text[begin:at]:
            problem = "encoding"
        yield first, None if problem else [cell.strip(SPACE) for cell in cells], problem


def pairs(items):
    found = dict(items)
    if len(found) < len(items):
        raise ValueError("a key occurs twice")  # gap
    return found


def constant(text):
    raise ValueError(text)


def read_ndjson(data):
    text, damage = decoded(data)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip(" \t\r"):
            continue
        if damage and damage in line:
            yield number, None, "encoding"
            continue
        try:
            row = json.loads(line, object_pairs_hook=pairs, parse_int=float, parse_constant=constant)
        except ValueError:
            row = None
        yield number, row, None if isinstance(row, dict) else "json"


def plain(name):
    return re.sub(r"[\W_]+", "", name).lower()


def columns_of(header):
    names = []
    for index, name in enumerate(header, 1):
        name = name or f"column {index}"
        before = sum(1 for other in header[: index - 1] if other == name)
        names.append(f"{name} ({before + 1})" if before else name)
    return names


class Oracle:
    def __init__(self, mapping, variant=None):
        self.mapping, self.input = mapping, mapping["input"]
        self.variant = variant or mapping.get("variant")
        self.empty = {word.strip(SPACE) for word in mapping.get("empty", [])}
        self.fields = []
        if mapping["type"] == "social":
            self.fields = [(field, [field], field in SOCIAL[:2]) for field in SOCIAL]
            return
        for field in SIGNALS:
            names = {"a": NAMES_IN_A.get(field, field), "b": field}
            if self.variant != "both":
                names = {self.variant: names[self.variant]}
            if not (self.variant == "a" and field in ONLY_B or self.variant == "b" and field in ONLY_A):
                required = field in SIGNALS[:4] and (field != "company_domain" or self.variant != "a")
                self.fields.append((field, list(dict.fromkeys(names.values())), required))

    # Rows

    def rows(self, data, skip=0, limit=None, dedupe=False, ragged="reject"):
        """(row, line, kind, payload): a record with its bytes, invalid with its issues, skipped or duplicate."""
        number, sent, names = 0, set(), None
        csv = self.input["format"] == "csv"
        source = read_csv(data, self.input["delimiter"], self.input["quote"]) if csv else read_ndjson(data)
        for line, cells, problem in source:
            if csv and names is None:
                names = columns_of(cells)
                self.exact = {name: name for name in names}
                self.loose = {plain(name): name for name in names}
                continue
            if csv and not problem and not any(cells):
                continue
            number += 1
            if number <= skip or (limit is not None and number > skip + limit):
                yield number, line, "skipped", None
                continue
            if csv and not problem:
                if len(cells) < len(names) and ragged == "pad":
                    cells = cells + [""] * (len(names) - len(cells))
                if len(cells) < len(names) or any(cells[len(names) :]):  # gap: more cells that are empty
                    problem = "columns"
            if problem:
                yield number, line, "invalid", [(problem, None)]
                continue
            self.row = dict(zip(names, cells)) if csv else cells
            record, issues = self.record()
            if issues:
                yield number, line, "invalid", issues
            elif dedupe and record in sent:
                yield number, line, "duplicate", None
            else:
                sent.add(record)
                yield number, line, "record", record

    def cell(self, column):
        """The trimmed text, number or other value of a column; None if it is empty."""
        if self.input["format"] == "csv":
            value = self.row[self.exact.get(column) or self.loose[plain(column)]]
        else:
            value = self.row
            for key in [column] if column in value else column.split("."):
                value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            value = value.strip(SPACE)
            return None if value == "" or value in self.empty else value
        return value

    def record(self):
        parts, issues, own = [], [], False
        for field, names, required in self.fields:
            rule = self.mapping["fields"].get(field)
            if isinstance(rule, str):
                rule = {"template": rule} if "{" in rule else {"column": rule}
            value = None
            try:
                if rule is not None:
                    value, from_row = self.value(rule, field)
                    own = own or (from_row and value is not None)
            except Invalid as problem:
                if required or not (isinstance(problem, Absent) or rule.get("invalid") == "omit"):
                    issues.append((problem.args[0], field))
                    continue
            if value is None and required:
                issues.append(("missing", field))
            elif value is not None:
                parts.extend(f"{json_text(name)}:{json_text(value)}" for name in names)
        if not issues and not own:
            issues.append(("constants", None))
        return ("{" + ",".join(parts) + "}").encode("utf-8"), issues

    # Values

    def value(self, rule, field):
        """The value of a field and whether it comes from the row."""
        if "value" in rule:
            return self.typed(rule["value"], field, constant=True), False
        if "template" in rule:
            return self.template(rule["template"]), True
        if "first" in rule:
            found = [cell for cell in map(self.cell, rule["first"]) if cell is not None]
            problems = []
            for cell in found if rule.get("as") == "domain" else []:
                try:
                    return domain(self.text(cell)), True
                except Invalid as problem:
                    problems.append(problem)
            if problems:
                raise problems[0]  # gap: which of them
            cell = found[0] if found else None
            if cell is None and "otherwise" in rule:
                return self.typed(rule["otherwise"], field, constant=True), False
        else:
            cell = self.cell(rule["column"])
        if "values" in rule:
            return self.listed(rule, cell, field)
        if cell is None:
            return None, False
        way = rule.get("as")
        if way == "domain":
            return domain(self.text(cell)), True
        if way == "number":
            return numbered(cell, rule), True
        if way == "date":
            return dated(self.text(cell), rule), True
        return self.typed(cell, field), True

    def listed(self, rule, cell, field):
        try:
            key = "" if cell is None else self.text(cell)
        except Invalid:
            key = None
        table = {name.strip(SPACE).lower(): to for name, to in rule["values"].items()}  # gap: case
        if key is not None and key.lower() in table:
            return self.typed(table[key.lower()], field, constant=True), cell is not None
        if cell is None:
            return None, False
        if "otherwise" in rule:
            return self.typed(rule["otherwise"], field, constant=True), True  # gap: comes from the row
        if KINDS.get(field) == "enum":
            try:
                return self.typed(cell, field), True
            except Invalid:
                pass
        raise Invalid("value" if key is not None else None)

    def text(self, cell):
        if isinstance(cell, float):
            if abs(cell) > SAFE:
                raise Invalid(None)
            return number_text(cell)
        if not isinstance(cell, str):
            raise Invalid("type")
        return cell

    def template(self, template):
        out, group, complete = [], None, True
        for token in re.findall(r"\{\{|\}\}|\[\[|\]\]|\{[^{}]*\}|\[|\]|[^{}\[\]]+", template):
            if token in ("{{", "}}", "[[", "]]"):
                (out if group is None else group).append(token[0])
            elif token == "[":
                group, complete = [], True
            elif token == "]":
                out.extend(group if complete else [])
                group = None
            elif token.startswith("{"):
                cell = self.cell(token[1:-1])
                if cell is None and group is None:
                    return None  # gap: also if a later column is of a wrong type
                complete = complete and cell is not None
                if complete or group is None:
                    (out if group is None else group).append(self.text(cell))
            else:
                (out if group is None else group).append(token)
        return "".join(out)

    def typed(self, cell, field, constant=False):
        """A value without `as`, by the kind of its field."""
        kind = KINDS.get(field, "text")
        if kind in ("any", "location"):
            if isinstance(cell, (int, float)) and not isinstance(cell, bool):
                self.text(float(cell))
                return cell
            text = self.text(cell)
            if kind == "any" and self.input["format"] == "csv" and not constant:
                if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?", text) and number_text(text) == text and abs(float(text)) <= SAFE:
                    return float(text)
            return text
        text = self.text(float(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell)
        if kind == "enum":
            for source in SOURCES:
                if re.sub("[ _-]", "", text).lower() == source.replace("_", ""):
                    return source
            if re.sub("[ _-]", "", text).lower() in NAMES:
                return NAMES[re.sub("[ _-]", "", text).lower()]
            raise Invalid("enum")
        if kind == "open":
            return next((word for word in KNOWN[field] if re.sub("[ _-]", "", text).lower() == word), text)
        if kind in ("number", "percent"):
            if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text):
                raise Invalid("number" if kind == "number" else "range")
            if kind == "percent" and not (float(text).is_integer() and 0 <= float(text) <= 100):
                raise Invalid("range")
            return self.text(float(text)) and float(text)
        if kind == "date":
            return date_time(text)
        return text


def date_time(text):
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d(?:\.\d+)?))?(Z|[+-]\d\d:\d\d)?)?", text, re.ASCII)
    if not found:
        raise Invalid("date")
    day, minute, second, offset = found.groups()
    try:
        datetime.date.fromisoformat(day)
        datetime.time.fromisoformat(f"{minute or '00:00'}:{(second or '00')[:2]}")
        datetime.time.fromisoformat((offset or "Z").strip("+-Z") or "00:00")
    except ValueError:
        raise Invalid("date") from None
    if minute is None:
        return f"{day}T00:00:00Z"
    return f"{day}T{minute}:{second or '00'}{offset or ''}"


def domain(text):
    first = re.split(r"[,;]", text)[0].strip(SPACE)
    host = re.sub(r"^[a-z]+://", "", first, flags=re.I)
    host = re.split(r"[/?#]", host)[0].rsplit("@")[-1]
    host = re.sub(r":\d+$", "", host).lower()
    labels = host.split(".")
    if not re.fullmatch(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]+", host):
        raise Invalid("domain")
    suffix = 2 if ".".join(labels[-2:]) in SUFFIXES else 1
    if len(labels) <= suffix or ".".join(labels[-suffix:]) not in SUFFIXES:
        raise Invalid("domain")
    found = ".".join(labels[-suffix - 1 :])
    if "@" in first and found in CONSUMER:
        raise Absent(None)
    return found


def numbered(cell, rule):
    if isinstance(cell, float):
        return float(Decimal(repr(cell)) * rule.get("scale", 1))
    if not isinstance(cell, str):
        raise Invalid("type")
    text, decimal = cell, rule.get("decimal")
    if rule.get("unit") and text.endswith(rule["unit"]):
        text = text[: -len(rule["unit"])].rstrip(" ")
    found = re.fullmatch(r"(-?)\$?([0-9][0-9.,]*) ?([a-z]*)", text, re.I)
    if not found or (found[3] and (found[3].lower() not in UNITS or "scale" in rule)):
        raise Invalid("number")
    point, mark = (",", "\\.") if decimal == "," else (".", ",")
    whole, dot, fraction = found[2].partition(point)
    western = re.fullmatch(rf"[0-9]{{1,3}}({mark}[0-9]{{3}})+", whole)
    indian = mark == "," and re.fullmatch(r"[0-9]{1,2}(,[0-9]{2})+,[0-9]{3}", whole)
    if not (re.fullmatch("[0-9]+", whole) or western or indian) or (dot and not re.fullmatch("[0-9]+", fraction)):
        raise Invalid("number")
    if decimal is None and not dot and re.fullmatch("[0-9]{1,3},[0-9]{3}", whole):
        raise Invalid("number")  # 1,234
    value = Decimal(re.sub("[.,]", "", whole) + "." + (fraction or "0"))
    value *= rule.get("scale", 1) * 10 ** UNITS.get(found[3].lower(), 0)
    if abs(value) > SAFE:
        raise Invalid("number")
    return float(-value if found[1] else value)


TOKENS = {
    "yyyy": r"(?P<year>\d{4})", "MM": r"(?P<month>\d\d)", "M": r"(?P<month>\d{1,2})", "dd": r"(?P<day>\d\d)", "d": r"(?P<day>\d{1,2})",
    "HH": r"(?P<hour>\d\d)", "H": r"(?P<hour>\d{1,2})", "hh": r"(?P<half>\d\d)", "h": r"(?P<half>\d{1,2})", "mm": r"(?P<minute>\d\d)",
    "ss": r"(?P<second>\d\d)", "SSS": r"(?P<milli>\d{3})", "a": "(?P<noon>am|pm)", "ZZ": r"(?P<offset>[+-]\d\d:\d\d)",
}  # fmt: skip
ISO = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?:%s(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<milli>\d{3}))?)?%s)?"


def read_date(text, form, zone, locale):
    """The point in time, in UTC, or None."""
    epoch = datetime.datetime(1970, 1, 1)
    if form in ("epoch", "epoch_ms", "excel"):
        if not re.fullmatch(r"-?\d+" if form == "epoch_ms" else r"-?\d+(\.\d{1,3})?", text, re.ASCII):
            return None
        millis = {"epoch": Decimal(text) * 1000, "epoch_ms": Decimal(text), "excel": (Decimal(text) - 25569) * 86_400_000}[form]
        try:
            at = epoch + datetime.timedelta(milliseconds=int(millis))
        except OverflowError:  # after the year 9999
            return None
        return local(at, zone) if form == "excel" else at
    if form == "iso" and re.fullmatch(r"\d{8}", text, re.ASCII):  # the basic form of ISO 8601
        text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
    if form in ("iso", "sql"):
        pattern = ISO % (("T", "(?P<offset>Z|[+-]\\d\\d:\\d\\d)?") if form == "iso" else (" ", ""))
    else:
        pattern = ""
        for token in re.findall(r"'[^']*'|([A-Za-z])\1*|.".replace("([A-Za-z])\\1*", "|".join(f"{c}+" for c in "yMdHhmsSaZ")), form):
            if token in ("MMM", "MMMM"):
                names = MONTHS[locale].split()
                pattern += "(?P<name>" + "|".join(name[:3] if token == "MMM" else name for name in names) + ")"
            else:
                pattern += TOKENS.get(token) or re.escape(token.strip("'"))
    found = re.fullmatch(pattern, text, re.ASCII | re.I if locale == "en" else re.I)
    if not found:
        return None
    parts = {key: value for key, value in found.groupdict().items() if value is not None}
    if "name" in parts:
        starts = [name.lower().startswith(parts["name"].lower()) for name in MONTHS[locale].split()]
        parts["month"] = starts.index(True) + 1
    hour = int(parts.get("hour", 0))
    if "half" in parts:
        if not 1 <= int(parts["half"]) <= 12:
            return None
        hour = int(parts["half"]) % 12 + (12 if parts["noon"].lower() == "pm" else 0)
    try:
        numbers = [int(parts[key]) for key in ("year", "month", "day")]
        at = datetime.datetime(*numbers, hour, int(parts.get("minute", 0)), int(parts.get("second", 0)), int(parts.get("milli", 0)) * 1000)
    except ValueError:
        return None
    offset = parts.get("offset")
    if offset:
        if offset.upper() == "Z":
            return at
        hours, minutes = offset[1:].split(":")
        shift = datetime.timedelta(hours=int(hours), minutes=int(minutes))
        return at - shift if offset[0] == "+" else at + shift
    return local(at, zone)


def local(at, zone):
    """The point in time of a local time."""
    if zone == "UTC":
        return at
    # A local time that does not exist, or exists twice, is no certain date: a date is never guessed.
    times = set()
    for fold in (0, 1):
        moment = at.replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(datetime.timezone.utc)
        if moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) == at:
            times.add(moment.replace(tzinfo=None))
    return times.pop() if len(times) == 1 else None


def dated(text, rule):
    forms = rule["format"] if isinstance(rule["format"], list) else [rule["format"]]
    found = {read_date(text, form, rule.get("zone", "UTC"), rule.get("locale", "en")) for form in forms} - {None}
    if len(found) != 1:
        raise Invalid("date")
    at = found.pop()
    milli = f".{at.microsecond // 1000:03}" if at.microsecond else ""
    return f"{at.year:04}-{at:%m-%dT%H:%M:%S}{milli}Z"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as document, open(sys.argv[2], "rb") as table:
        oracle = Oracle(json.load(document), *sys.argv[3:4])
        for number, line, kind, payload in oracle.rows(table.read()):
            print(number, line, kind, payload.decode("utf-8") if isinstance(payload, bytes) else payload or "")
