/**
 * The report of a run: one HTML page that needs nothing else. Its policy allows no network, and no script or style but
 * its own. A section is a file beside this one; commands/shared/report-facts.ts collects what they show. Pure.
 */
import { pagePolicy } from '../../lib/page.ts';
import { percentage, plural } from '../../lib/units.ts';
import { describeReason } from '../failure-reasons.ts';
import { place } from '../text-layout.ts';
import { balanceSection } from './balance-section.ts';
import { batchSection } from './batch-section.ts';
import SCRIPT from './browser/index.ts?script';
import { command, paragraphs, preformatted, section, table, utc } from './elements.ts';
import type { FillRates, ReasonFacts, ReportFacts } from './facts.ts';
import { type Html, html, trusted } from './html.ts';
import { STYLE } from './style.ts';
import { timeSection } from './time-section.ts';

export function reportPage(facts: ReportFacts): string {
  const { run, state, made, version } = facts;
  const [first = '', ...others] = facts.headline;
  const isGood = state === 'complete' && facts.exitCode === 0;
  const tone = isGood ? 'is-good' : state === 'complete' || state === 'running' ? 'is-odd' : 'is-bad';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${pagePolicy(STYLE, SCRIPT)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Run ${run}: ${state}</title>
<link rel="icon" href="data:,">
<style>${trusted(STYLE)}</style>
</head>
<body>
<header>
<h1>Run ${run}</h1>
<p><span class="badge ${tone}">${state}</span> <span class="soft">exit code ${facts.exitCode}</span></p>
<p class="lead">${first}</p>
${paragraphs(others)}</header>
<main>
${balanceSection(facts)}${nextSection(facts)}${timeSection(facts)}${batchSection(facts)}${reasonSection(facts)}${notesSection(facts)}${fillSection(facts)}${mappingSection(facts)}${settingsSection(facts)}</main>
<footer class="soft">
<p>Made by signals ${version} on ${utc(made)} UTC. This page has data from the input; it loads nothing from a network.</p>
</footer>
<script>${trusted(SCRIPT)}</script>
</body>
</html>
`.text;
}

function nextSection({ steps }: ReportFacts): Html {
  const items = steps.map((step) => {
    const lines = step.map((line) =>
      typeof line === 'string'
        ? html`<p>${withCode(line)}</p>\n`
        : html`<p>${withCode(line.text)}</p>\n${command(line.command)}`,
    );
    return html`<li>${lines}</li>\n`;
  });
  const list = items.length === 0 ? html`<p>Nothing left to do.</p>` : html`<ul class="steps">\n${items}</ul>\n`;
  return section('next', 'What to do next', list);
}

/** Text in backquotes as code. */
function withCode(line: string): readonly (string | Html)[] {
  return line.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));
}

function reasonSection({ reasons, moreReasons, names }: ReportFacts): Html | undefined {
  if (reasons.length === 0) return undefined;
  const more = moreReasons === 0 ? undefined : html`<p class="soft">and ${plural(moreReasons, 'other problem')}</p>\n`;
  return section(
    'invalid',
    'Invalid rows by reason',
    reasons.length > 1 ? html`<p class="soft">A row with two problems is in two groups.</p>\n` : undefined,
    ...reasons.map((reason, index) => reasonPart(reason, names, index === 0)),
    more,
  );
}

function reasonPart(reason: ReasonFacts, names: readonly string[], isOpen: boolean): Html {
  const from = reason.column === undefined ? undefined : html` <span class="soft">column ${reason.column}</span>`;
  const examples = reason.examples.map((example) => [
    html`${place(names, example)}${from}`,
    example.reason ?? 'The rejects file does not have this row any more.',
  ]);
  const columns = { Place: 'wide', 'Found and expected': 'wide' } as const;
  const heading = html`<b>${plural(reason.rows, 'row')}</b>: ${describeReason(reason)}`;
  const first = table(`The first ${examples.length === 1 ? 'row' : plural(examples.length, 'row')}`, columns, examples);
  return html`<details data-print${isOpen ? html` open` : undefined}><summary>${heading}</summary>
${first}</details>
`;
}

function notesSection({ notes }: ReportFacts): Html | undefined {
  if (notes.length === 0) return undefined;
  return section('notes', 'Notes', html`<ul>${notes.map((note) => html`<li>${note}</li>\n`)}</ul>\n`);
}

function fillSection({ mapping, read }: ReportFacts): Html | undefined {
  if (mapping === undefined || read === 0) return undefined;
  const { filled, check } = mapping;
  return section(
    'filled',
    'Fill rates',
    filled === undefined
      ? html`<p>Unknown: a run does not record them, and its input is gone or has changed.</p>\n`
      : fillTable(filled),
    html`<p>For all rows of the input:</p>\n`,
    command(check),
  );
}

function fillTable({ source, rows, fields }: FillRates): Html {
  const columns = { Field: 'name', Filled: 'number', Share: 'number', '': 'text' } as const;
  const cells = fields.map(({ field, required, rows: filled }) => {
    const gauge = html`<svg class="gauge" aria-hidden="true"><rect class="delivered" width="${(filled / rows) * 100}%" height="100%"/></svg>`;
    return [
      html`${field}${required ? html` <span class="soft">required</span>` : undefined}`,
      filled,
      percentage(filled, rows),
      gauge,
    ];
  });
  return table(`Of the first ${plural(rows, 'row')} of ${source}, valid or not`, columns, cells);
}

function mappingSection({ mapping }: ReportFacts): Html | undefined {
  if (mapping === undefined) return undefined;
  const { text, sample } = mapping;
  return section(
    'mapping',
    'Mapping',
    html`<p>How columns became fields (mapping.yaml; reuse it with -m):</p>\n`,
    preformatted(text, 'Mapping'),
    sample === undefined
      ? html`<p class="soft">No sample record: the input is gone, has changed, or has no valid row at its beginning.</p>\n`
      : html`<p>The first valid record, as it is sent:</p>\n${preformatted(sample, 'Sample record')}`,
  );
}

function settingsSection({ settings, command: started }: ReportFacts): Html {
  const list = settings.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`);
  return section(
    'settings',
    'Settings',
    html`<dl>\n${list}<dt>Command</dt><dd><code>${started}</code></dd>\n</dl>\n<p class="soft">The API key is not stored in a run.</p>\n`,
  );
}
