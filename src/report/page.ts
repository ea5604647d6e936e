/**
 * The report of a run: one HTML page that needs nothing else. Its policy allows no network, and no script or style but its own.
 * app/report-facts.ts collects what it shows. Pure.
 */
import { pagePolicy } from '../lib/page.ts';
import { percentage, plural } from '../lib/units.ts';
import type { Example, ReasonGroup } from '../model/run-state.ts';
import type { StateRows } from './ending-text.ts';
import {
  command,
  type Html,
  html,
  htmlSection,
  htmlTable,
  paragraphs,
  preformatted,
  STYLE,
  trusted,
  utc,
} from './html.ts';
import SCRIPT from './page/index.ts?script';
import { type BatchSectionFacts, batchSection } from './page-batches.ts';
import { describeReason } from './problem-text.ts';
import { place } from './text-layout.ts';
import { type TimelineFacts, timeSection } from './timeline.ts';

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
${balanceSection(facts)}${nextSection(facts)}${timeSection(facts.timeline)}${batchSection(facts)}${reasonSection(facts)}${notesSection(facts)}${fillSection(facts)}${mappingSection(facts)}${settingsSection(facts)}</main>
<footer class="soft">
<p>Made by signals ${version} on ${utc(made)} UTC. This page has data from the input; it loads nothing from a network.</p>
</footer>
<script>${trusted(SCRIPT)}</script>
</body>
</html>
`.text;
}

function nextSection({ step }: ReportFacts): Html {
  return htmlSection(
    'next',
    'What to do next',
    html`<p>${step === undefined ? 'Nothing left to do.' : step.label}</p>\n`,
    step === undefined || step.command === null ? undefined : command(step.command),
  );
}

function reasonSection({ reasons, moreReasons, names }: ReportFacts): Html | undefined {
  if (reasons.length === 0) return undefined;
  const more = moreReasons === 0 ? undefined : html`<p class="soft">and ${plural(moreReasons, 'other problem')}</p>\n`;
  return htmlSection(
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
  const first = htmlTable(
    `The first ${examples.length === 1 ? 'row' : plural(examples.length, 'row')}`,
    columns,
    examples,
  );
  return html`<details data-print${isOpen ? html` open` : undefined}><summary>${heading}</summary>
${first}</details>
`;
}

function notesSection({ notes }: ReportFacts): Html | undefined {
  if (notes.length === 0) return undefined;
  return htmlSection('notes', 'Notes', html`<ul>${notes.map((note) => html`<li>${note}</li>\n`)}</ul>\n`);
}

function fillSection({ mapping, read }: ReportFacts): Html | undefined {
  if (mapping === undefined || read === 0) return undefined;
  const { filled, check } = mapping;
  return htmlSection(
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
  return htmlTable(`Of the first ${plural(rows, 'row')} of ${source}, valid or not`, columns, cells);
}

function mappingSection({ mapping }: ReportFacts): Html | undefined {
  if (mapping === undefined) return undefined;
  const { text, sample } = mapping;
  return htmlSection(
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
  return htmlSection(
    'settings',
    'Settings',
    html`<dl>\n${list}<dt>Command</dt><dd><code>${started}</code></dd>\n</dl>\n<p class="soft">The API key is not stored in a run.</p>\n`,
  );
}

export interface ReportFacts extends BatchSectionFacts {
  readonly run: string;
  readonly state: 'complete' | 'stopped' | 'interrupted' | 'running';
  readonly exitCode: number;
  /** What happened and what the service counted, in sentences. */
  readonly headline: readonly string[];
  /** The rows that were read, and how many are in each state. */
  readonly read: number;
  readonly states: readonly StateRows[];
  /** The next step, and its command. */
  readonly step: { readonly label: string; readonly command: string | null } | undefined;
  readonly timeline: TimelineFacts;
  readonly reasons: readonly ReasonFacts[];
  /** Problems that fit into none of the reasons. */
  readonly moreReasons: number;
  /** Changed and unusual values, in sentences. */
  readonly notes: readonly string[];
  /** Undefined if the folder has none. */
  readonly mapping: MappingFacts | undefined;
  /** The command that started the run. */
  readonly command: string;
  /** Name and value. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** When the report was made: ISO 8601, UTC. */
  readonly made: string;
  readonly version: string;
}

export interface ReasonFacts extends Pick<ReasonGroup, 'code' | 'field' | 'column' | 'rows'> {
  readonly examples: readonly (Pick<Example, 'source' | 'line'> & {
    /** What was found and what was expected. Undefined if the rejects file is gone. */
    readonly reason: string | undefined;
  })[];
}

export interface MappingFacts {
  /** The mapping document: YAML. */
  readonly text: string;
  /** A record as it was sent: JSON. Undefined if the inputs are gone or have changed. */
  readonly sample: string | undefined;
  /** Undefined like the sample. */
  readonly filled: FillRates | undefined;
  /** The command that counts how often each field has a value. */
  readonly check: string;
}

/** How often each mapped field has a value in the first rows of an input. */
export interface FillRates {
  readonly source: string;
  readonly rows: number;
  /** In the API's order. */
  readonly fields: readonly { readonly field: string; readonly required: boolean; readonly rows: number }[];
}

/** Percentage of the bar that every state with rows gets. */
const MINIMUM = 0.8;

/** Lines of an 8 by 8 tile. A state without a pattern is plain. */
const PATTERNS: Readonly<Record<string, string>> = {
  invalid: 'M-2 2L2 -2M0 8L8 0M6 10L10 6',
  skipped: 'M2 4H6',
  duplicate: 'M0 4H8',
  refused: 'M0 0L8 8M8 0L0 8',
  exhausted: 'M-2 6L2 10M0 0L8 8M6 -2L10 2',
  unknown: 'M0 4H8M4 0V8',
  pending: 'M4 0V8',
};

function balanceSection({ read, states }: ReportFacts): Html {
  if (read === 0) return htmlSection('rows', 'Rows', html`<p>The input has no rows.</p>`);
  const rows = states.map(({ state, rows: number, about }) => [
    html`${swatch(state)}${state}`,
    number,
    percentage(number, read),
    about,
  ]);
  return htmlSection(
    'rows',
    `What happened to the ${plural(read, 'row')}`,
    patterns(),
    bar(read, states),
    htmlTable(
      'Every row is in exactly one state.',
      { State: 'name', Rows: 'number', Share: 'number', Meaning: 'wide' },
      [...rows, [html`<b>all</b>`, read, '100%', 'the sum of all states']],
    ),
  );
}

function bar(read: number, states: readonly StateRows[]): Html {
  const widths = states.map(({ rows }) => Math.max(MINIMUM, (rows / read) * 100));
  const total = widths.reduce((sum, width) => sum + width, 0);
  let left = 0;
  const segments = states.map(({ state }, index) => {
    const width = ((widths[index] ?? 0) / total) * 100;
    const segment = box(state, { x: `${left.toFixed(3)}%`, width: `${width.toFixed(3)}%` });
    left += width;
    return segment;
  });
  const label = states.map(({ rows, state }) => `${plural(rows, 'row')} ${state}`).join(', ');
  return html`<svg class="bar" role="img" aria-label="${label}">${segments}</svg>
`;
}

function swatch(state: string): Html {
  return html`<svg class="swatch" aria-hidden="true">${box(state, { x: '0', width: '100%' })}</svg>`;
}

function box(state: string, { x, width }: { readonly x: string; readonly width: string }): Html {
  const place = html`x="${x}" width="${width}" height="100%"`;
  const cover = state in PATTERNS ? html`<rect ${place} fill="url(#p-${state})"/>` : undefined;
  return html`<rect ${place} class="${state}"/>${cover}`;
}

function patterns(): Html {
  const all = Object.entries(PATTERNS).map(
    ([state, lines]) =>
      html`<pattern id="p-${state}" width="8" height="8" patternUnits="userSpaceOnUse"><path d="${lines}"/></pattern>`,
  );
  return html`<svg class="defs" aria-hidden="true"><defs>${all}</defs></svg>
`;
}
