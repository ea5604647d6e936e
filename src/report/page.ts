/**
 * The report of a run: one HTML page that needs nothing else. Its policy allows no network, no script, and no style but its own.
 * commands/report.ts collects what it shows. Pure.
 */
import { createHash } from 'node:crypto';
import { contracts } from '../contract/index.ts';
import { Html, html } from '../lib/html.ts';
import { capitalised } from '../lib/text.ts';
import { count, percentage, plural } from '../lib/units.ts';
import { version } from '../lib/version.ts';
import type { RunState } from '../model/run-state.ts';
import { headline, repairedRows, type StateRows, serviceFacts, statesOf } from './ending-text.ts';
import { nextCommand, nextStep, otherSteps } from './next-step.ts';
import { describeNotes, describeSentBefore } from './problem-text.ts';
import { type RunContext, summaryOf, unreadRows } from './run-summary.ts';
import { nameList, whenText } from './text-layout.ts';

export function reportPage(facts: ReportFacts): string {
  const { runState, context, made } = facts;
  const { run, startedAt } = runState;
  const summary = summaryOf(runState, context);
  const state = context.isRunning ? 'running' : summary.state;
  const tone = state !== 'complete' ? 'is-bad' : summary.exitCode === 0 ? 'is-good' : 'is-odd';
  const names = nameList(runState.sources.map(({ name }) => name));
  const [title, ...hint] = headline(runState, context);
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${names}: ${state}</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="soft small"><b class="${tone}">${state}</b>, exit code ${summary.exitCode}. ${names}: ${recordsText(runState)} to ${serviceText(context)}, <time>${whenText(startedAt)}</time>. Run ${run}.</p>
${hint.map((sentence) => html`<p class="lead">${sentence}</p>\n`)}</header>
<main>
${rowSection(facts)}${nextSection(facts)}${reasonSection(facts)}${notesSection(runState)}${foldedSection(facts)}</main>
<footer class="soft">
<p>Made by signals ${version} on ${whenText(made)}. This page has data from the input; it loads nothing from a network.</p>
</footer>
</body>
</html>
`.text;
}

export interface ReportFacts {
  readonly runState: RunState;
  /** Its commands name the run: a page is read when it is no longer the last one. */
  readonly context: RunContext;
  readonly reasons: readonly ReasonFacts[];
  /** The mapping document: YAML. Undefined if the folder has none. */
  readonly mapping: string | undefined;
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** When the report was made: ISO 8601, UTC. */
  readonly made: string;
}

export interface ReasonFacts {
  readonly rows: number;
  readonly what: string;
  /** Places like `in.csv:12`. */
  readonly examples: readonly { readonly place: string; readonly found: string }[];
}

/** `Market signals (variant b)` */
export function recordsText({ type, variant }: Pick<RunState, 'type' | 'variant'>): string {
  return `${capitalised(contracts[type].title)}${variant === undefined ? '' : ` (variant ${variant})`}`;
}

export function serviceText({ sandbox, baseUrl }: RunContext): string {
  return sandbox ? 'the sandbox' : baseUrl;
}

/** Percentage of the bar that every state with rows gets. */
const MINIMUM = 0.8;

function rowSection({ runState, context }: ReportFacts): Html | undefined {
  const states = statesOf(runState, context);
  const total = states.reduce((sum, { rows }) => sum + rows, 0);
  if (total === 0) return undefined;
  const unknown = unreadRows(runState) === undefined ? ['How many rows were not read is unknown.'] : [];
  const isEstimate = states.some(({ state }) => state === 'unread');
  const rows = states.map(({ state, rows: number, about }) => {
    const swatch = html`<svg class="swatch" aria-hidden="true"><rect class="${state}" width="100%" height="100%"/></svg>`;
    const share = html`<td class="number">${count(number)}</td><td class="number">${percentage(number, total)}</td>`;
    return html`<tr><th scope="row" class="name">${swatch}${state}</th>${share}<td>${about}</td></tr>\n`;
  });
  return section(
    'rows',
    `What happened to ${isEstimate ? 'about' : 'the'} ${plural(total, 'row')}`,
    bar(total, states),
    html`<table aria-label="Rows by state">\n<tbody>\n${rows}</tbody>\n</table>\n`,
    html`<p class="soft">${[...serviceFacts(runState), ...unknown].join(' ')}</p>\n`,
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

function nextSection({ runState, context }: ReportFacts): Html {
  const step = nextStep(runState, context);
  if (step === undefined) return html`<section><p>Nothing left to do.</p></section>\n`;
  const steps = [step, ...otherSteps(runState, context, step)].map((each, index) => {
    const words = nextCommand(each, context.suggest);
    const head = index === 0 ? html`<b>Next step</b> ` : undefined;
    // On a terminal, another label is a word before its command.
    const sentence = words === null || each.label.endsWith(':') ? each.label : undefined;
    return html`<p>${head}${sentence}</p>\n${words === null ? undefined : html`<div class="command"><code>${words}</code></div>\n`}`;
  });
  return html`<section>\n${steps}</section>\n`;
}

const REASONS_SHOWN = 4;

function reasonSection({ reasons, context }: ReportFacts): Html | undefined {
  if (reasons.length === 0) return undefined;
  const others = reasons.slice(REASONS_SHOWN);
  return section(
    'reasons',
    `Why rows were not delivered${repairedRows(context) > 0 ? ' at first' : ''}`,
    reasonTable(reasons.slice(0, REASONS_SHOWN)),
    others.length === 0 ? undefined : fold(plural(others.length, 'more reason'), reasonTable(others)),
  );
}

function reasonTable(reasons: readonly ReasonFacts[]): Html {
  const bodies = reasons.map(({ rows, what, examples }) => {
    const cells = examples.map(({ place, found }) => html`<tr><td>${place}</td><td>${found}</td></tr>\n`);
    return html`<tbody><tr><th colspan="2" scope="rowgroup">${plural(rows, 'row')}: ${what}</th></tr>\n${cells}</tbody>\n`;
  });
  return html`<table class="reasons">\n${bodies}</table>\n`;
}

function notesSection(runState: RunState): Html | undefined {
  const names = runState.sources.map(({ name }) => name);
  const notes = [...describeSentBefore(runState.sentBefore), ...describeNotes(runState, names)];
  if (notes.length === 0) return undefined;
  return section('notes', 'Notes', html`<ul>${notes.map((note) => html`<li>${note}</li>\n`)}</ul>\n`);
}

function section(id: string, heading: string, ...content: readonly (Html | undefined)[]): Html {
  return html`<section aria-labelledby="h-${id}">
<h2 id="h-${id}">${heading}</h2>
${content}</section>
`;
}

function foldedSection({ mapping, settings }: ReportFacts): Html {
  const list = settings.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`);
  return html`<section>
${[
  mapping && fold('Mapping: how columns became fields (reuse mapping.yaml with -m)', preformatted(mapping)),
  fold('Settings', html`<dl class="settings">\n${list}</dl>\n`),
]}</section>
`;
}

function fold(summary: string, content: Html): Html {
  return html`<details><summary>${summary}</summary>
${content}</details>
`;
}

function preformatted(text: string): Html {
  const [first = '', ...others] = text.trimEnd().split('\n');
  return html`<pre>${first}${others.map((line) => html`\n${line}`)}</pre>
`;
}

const STYLE = `
:root {
  color-scheme: light dark;
  --back: #f5f6f8; --card: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #d5dae0; --link: #0a58ca;
  --good: #1a7f37; --odd: #9a6700; --bad: #c62222;
  --skipped: #6e7781; --duplicate: #8250df; --unknown: #bf3989; --pending: #0969da; --unread: #c8cfd7;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --back: #0f1318; --card: #181e25; --text: #e6eaef; --soft: #9aa5b1; --line: #313943; --link: #6cb6ff;
    --good: #56d364; --odd: #e3b341; --bad: #ff7b72;
    --skipped: #8b949e; --duplicate: #bc8cff; --unknown: #f778ba; --pending: #58a6ff; --unread: #414b57;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main, footer { max-width: 64rem; margin: 0 auto; padding: 1rem; }
main { display: grid; gap: 1rem; padding-top: 0; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 .5rem; }
h2 { font-size: 1.125rem; margin: 0 0 .75rem; }
p { margin: 0 0 .75rem; }
ul { margin: 0 0 .75rem; padding-left: 1.25rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; min-width: 0; }
section > :last-child { margin-bottom: 0; }
.soft { color: var(--soft); }
.is-good { color: var(--good); } .is-odd { color: var(--odd); } .is-bad { color: var(--bad); }
code, pre { font: .875em/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
h1, p, li, code, summary, dd, th, td { overflow-wrap: anywhere; }
pre { margin: 0 0 .75rem; overflow-x: auto; padding: .75rem; background: var(--back); border-radius: .375rem; }
.command { margin: 0 0 .75rem; padding: .5rem .75rem; background: var(--back); border-radius: .375rem; }
.command code { user-select: all; }
table { width: 100%; margin: 0 0 .75rem; border-collapse: collapse; font-size: .9375rem; }
th { text-align: left; font-weight: 600; }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child > * { border-bottom: 0; }
summary { cursor: pointer; padding: .375rem 0; }
dl { margin: 0 0 .75rem; }
dt { color: var(--soft); } dd { margin: 0; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.small { font-size: .875rem; }
.lead { font-size: 1.125rem; margin-bottom: .25rem; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.name, time { white-space: nowrap; }
.reasons th, .reasons td { border-bottom: 0; padding-top: .125rem; padding-bottom: .125rem; }
.reasons tbody + tbody th { padding-top: .75rem; }
.reasons { table-layout: fixed; }
.reasons td:first-child { color: var(--soft); padding-left: .75rem; }
.settings { display: grid; grid-template-columns: minmax(7rem, max-content) minmax(0, 1fr); gap: .25rem 1rem; }
.bar { display: block; width: 100%; height: 2rem; margin-bottom: .75rem; border-radius: .375rem; }
.bar rect { stroke: var(--card); stroke-width: 1; }
.swatch { width: 1rem; height: 1rem; vertical-align: -.125rem; margin-right: .5rem; border-radius: .1875rem; }
.delivered { fill: var(--good); } .corrected { fill: var(--link); } .invalid { fill: var(--odd); }
.rejected, .refused { fill: var(--bad); } .exhausted { fill: var(--bad); fill-opacity: .6; }
.skipped { fill: var(--skipped); } .duplicate { fill: var(--duplicate); } .unknown { fill: var(--unknown); }
.pending { fill: var(--pending); } .unread { fill: var(--unread); }
@media (max-width: 45rem) {
  header, main, footer, section { padding: .75rem; }
  main { padding-top: 0; }
  h1 { font-size: 1.25rem; }
  table { font-size: .875rem; }
  th, td { padding-right: .5rem; }
  .settings { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: .25rem; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
@media print {
  :root { color-scheme: light; }
  body { background: #fff; font-size: 11pt; }
  section { border: 0; border-top: 1px solid var(--line); border-radius: 0; padding: .75rem 0 0; }
  tr, .command { break-inside: avoid; }
  h2 { break-after: avoid; }
  * { print-color-adjust: exact; }
}
`;
