/**
 * The report of a run: one HTML page that needs nothing else. Its policy allows no network, no script, and no style but its own.
 * app/report-facts.ts collects what it shows. Pure.
 */
import { pagePolicy } from '../lib/page.ts';
import { count, humanDuration, percentage, plural } from '../lib/units.ts';
import { timeSection } from './chart.ts';
import type { StateRows } from './ending-text.ts';
import { command, fold, type Html, html, htmlSection, htmlTable, preformatted, STYLE, trusted, utc } from './html.ts';
import type { TimelineFacts } from './timeline.ts';

export function reportPage(facts: ReportFacts): string {
  const { title, state, exitCode, run, startedAt, made, version } = facts;
  const tone = state !== 'complete' ? 'is-bad' : exitCode === 0 ? 'is-good' : 'is-odd';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${pagePolicy(STYLE)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${trusted(STYLE)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="soft small"><b class="${tone}">${state === 'stopped' || state === 'interrupted' ? `${state}, not complete` : state}</b>, exit code ${exitCode}. ${facts.records} to ${facts.service}, <time>${utc(startedAt)} UTC</time>. Run ${run}.</p>
${facts.lead.map((sentence) => html`<p class="lead">${sentence}</p>\n`)}</header>
<main>
${figures(facts)}${rowSection(facts)}${nextSection(facts)}${reasonSection(facts)}${timeSection(facts.timeline, facts.requests)}${notesSection(facts)}${fieldSection(facts)}${foldedSection(facts)}</main>
<footer class="soft">
<p>Made by signals ${version} on ${utc(made)} UTC. This page has data from the input; it loads nothing from a network.</p>
</footer>
</body>
</html>
`.text;
}

export interface ReportFacts {
  readonly run: string;
  /** The files and the outcome. */
  readonly title: string;
  readonly state: 'complete' | 'stopped' | 'interrupted' | 'running';
  readonly exitCode: number;
  /** Why the run is not complete, in sentences. */
  readonly lead: readonly string[];
  /** What the rows became, and where they went. */
  readonly records: string;
  readonly service: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** The rows of the input, also those that were not read. */
  readonly total: number;
  readonly states: readonly StateRows[];
  readonly delivered: number;
  readonly rejected: number;
  readonly invalid: number;
  readonly workedMs: number;
  /** What the service counted, and what else the bar cannot show, in sentences. */
  readonly facts: readonly string[];
  /** The next step, and its command. */
  readonly step: { readonly label: string; readonly command: string | null } | undefined;
  readonly timeline: TimelineFacts;
  readonly requests: number;
  /** The most frequent first. */
  readonly reasons: readonly ReasonFacts[];
  readonly moreReasons: readonly string[];
  /** Changed and unusual values, in sentences. */
  readonly notes: readonly string[];
  /** Undefined if the folder has no mapping. */
  readonly mapping: MappingFacts | undefined;
  /** Name and value. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** When the report was made: ISO 8601, UTC. */
  readonly made: string;
  readonly version: string;
}

/** Why rows were not delivered. */
export interface ReasonFacts {
  readonly rows: number;
  readonly what: string;
  readonly examples: readonly ReasonExample[];
}

export interface ReasonExample {
  /** `in.csv:12` */
  readonly place: string;
  /** The company, or the person of an event. Undefined if the rejects file does not say. */
  readonly who: string | undefined;
  readonly found: string;
}

export interface MappingFacts {
  /** The mapping document: YAML. */
  readonly text: string;
  /** A record as it was sent: JSON. Undefined if the inputs are gone or have changed. */
  readonly sample: string | undefined;
  /** Undefined like the sample. */
  readonly filled: FillRates | undefined;
}

/** How often each mapped field has a value in the first rows of an input. */
export interface FillRates {
  readonly source: string;
  readonly rows: number;
  /** In the API's order. */
  readonly fields: readonly { readonly field: string; readonly required: boolean; readonly rows: number }[];
}

function figures({ delivered, rejected, invalid, workedMs, total, requests }: ReportFacts): Html {
  const all: readonly (readonly [string, string, string])[] = [
    ['Delivered', count(delivered), total === 0 ? 'no rows' : `${percentage(delivered, total)} of the rows`],
    ['Rejected', count(rejected), 'by the service'],
    ['Invalid', count(invalid), 'by our checks; not sent'],
    ['Time', humanDuration(workedMs), plural(requests, 'request')],
  ];
  const tiles = all.map(
    ([name, value, about]) =>
      html`<div><dt>${name}</dt><dd><b>${value}</b> <span class="soft">${about}</span></dd></div>\n`,
  );
  return html`<dl class="figures">\n${tiles}</dl>\n`;
}

/** Percentage of the bar that every state with rows gets. */
const MINIMUM = 0.8;

function rowSection({ total, states, facts }: ReportFacts): Html | undefined {
  if (total === 0) return undefined;
  const isEstimate = states.some(({ state }) => state === 'unread');
  const rows = states.map(({ state, rows: number, about }) => [
    html`<svg class="swatch" aria-hidden="true"><rect class="${state}" width="100%" height="100%"/></svg>${state}`,
    number,
    percentage(number, total),
    about,
  ]);
  return htmlSection(
    'rows',
    `What happened to ${isEstimate ? 'about' : 'the'} ${plural(total, 'row')}`,
    bar(total, states),
    htmlTable('Rows by state', ['name', 'number', 'number', 'wide'], rows),
    html`<p class="soft">${facts.join(' ')}</p>\n`,
  );
}

function bar(total: number, states: readonly StateRows[]): Html {
  const widths = states.map(({ rows }) => Math.max(MINIMUM, (rows / total) * 100));
  const sum = widths.reduce((all, width) => all + width, 0);
  let left = 0;
  const segments = states.map(({ state }, index) => {
    const width = ((widths[index] ?? 0) / sum) * 100;
    const segment = html`<rect class="${state}" x="${left.toFixed(3)}%" width="${width.toFixed(3)}%" height="100%"/>`;
    left += width;
    return segment;
  });
  const label = states.map(({ rows, state }) => `${plural(rows, 'row')} ${state}`).join(', ');
  return html`<svg class="bar" role="img" aria-label="${label}">${segments}</svg>\n`;
}

function nextSection({ step }: ReportFacts): Html {
  if (step === undefined) return html`<section><p>Nothing left to do.</p></section>\n`;
  return html`<section>
<p><b>Next step</b> ${step.label}</p>
${step.command === null ? undefined : command(step.command)}</section>
`;
}

const REASONS_SHOWN = 4;

function reasonSection({ reasons, moreReasons }: ReportFacts): Html | undefined {
  if (reasons.length === 0) return undefined;
  const others = reasons.slice(REASONS_SHOWN);
  return htmlSection(
    'reasons',
    'Why rows were not delivered',
    reasonTable(reasons.slice(0, REASONS_SHOWN)),
    others.length === 0 ? undefined : fold(plural(others.length, 'more reason'), reasonTable(others)),
    moreReasons.map((sentence) => html`<p class="soft">${sentence.trim()}</p>\n`),
  );
}

function reasonTable(reasons: readonly ReasonFacts[]): Html {
  const bodies = reasons.map(({ rows, what, examples }) => {
    const cells = examples.map(
      ({ place, who = '', found }) => html`<tr><td>${place}</td><td>${who}</td><td>${found}</td></tr>\n`,
    );
    return html`<tbody><tr><th colspan="3" scope="rowgroup">${plural(rows, 'row')}: ${what}</th></tr>\n${cells}</tbody>\n`;
  });
  return html`<table class="reasons">\n${bodies}</table>\n`;
}

function notesSection({ notes }: ReportFacts): Html | undefined {
  if (notes.length === 0) return undefined;
  return htmlSection('notes', 'Notes', html`<ul>${notes.map((note) => html`<li>${note}</li>\n`)}</ul>\n`);
}

function fieldSection({ mapping }: ReportFacts): Html | undefined {
  if (mapping?.filled === undefined) return undefined;
  const { source, rows, fields } = mapping.filled;
  const gaps = fields.filter((field) => field.rows < rows);
  if (gaps.length === 0) return undefined;
  const items = gaps.map(
    ({ field, required, rows: filled }) =>
      html`<span class="figure"><b>${field}</b>${required ? ' (required)' : ''} ${percentage(filled, rows)}</span>\n`,
  );
  const full = fields.length - gaps.length;
  const others = full === 0 ? '' : `; ${plural(full, 'other field has', 'other fields have')} one in each row`;
  return htmlSection(
    'fields',
    'Fields with gaps',
    html`<p>${items}</p>\n<p class="soft">How many of the first ${plural(rows, 'row')} of ${source} have a value${others}.</p>\n`,
  );
}

function foldedSection({ mapping, settings }: ReportFacts): Html {
  const list = settings.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`);
  return html`<section>
${[
  mapping && fold('Mapping: how columns became fields (reuse mapping.yaml with -m)', preformatted(mapping.text)),
  mapping &&
    fold(
      'The first valid record, as it is sent',
      mapping.sample === undefined
        ? html`<p>Unknown: the input is gone, has changed, or has no valid row at its beginning.</p>\n`
        : preformatted(mapping.sample),
    ),
  fold('Settings', html`<dl class="settings">\n${list}</dl>\n`),
]}</section>
`;
}
