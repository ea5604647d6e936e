/** Requests and latency over time: the data of the charts that browser/charts.ts draws, and the same figures as tables. */
import { humanDuration, plural } from '../../lib/units.ts';
import type { ChartData } from './chart-data.ts';
import { fold, section, table, utc } from './elements.ts';
import type { ReportFacts } from './facts.ts';
import { type Html, html, jsonElement } from './html.ts';
import type { Mark, TimelineFacts } from './timeline.ts';

const KINDS: Readonly<Record<Mark['kind'], string>> = {
  throttled: 'T: throttled',
  outage: 'O: outage',
  slower: 'S: slowed',
  resumed: 'R: resumed',
};

export function timeSection({ timeline }: ReportFacts): Html | undefined {
  const { buckets, marks, latency, widthMs } = timeline;
  if (buckets.length === 0) return undefined;
  const start = buckets[0]?.time ?? '';
  const answered =
    latency === undefined
      ? html`<p>No request was answered.</p>`
      : html`<p>Half of the answers came within ${humanMs(latency.median)}, 95% within ${humanMs(latency.p95)}.</p>
`;
  return section(
    'time',
    'Requests over time',
    answered,
    ...charts(timeline, start),
    marks.length === 0 ? undefined : markTable(timeline),
    fold(`The figures of the charts as a table (steps of ${humanMs(widthMs)})`, figures(timeline)),
  );
}

function charts(timeline: TimelineFacts, start: string): readonly Html[] {
  if (timeline.buckets.length < 2) return [html`<p class="soft">The run was too short for a chart.</p>\n`];
  const from = `Horizontal axis: time since ${utc(start)} UTC.${legend(timeline)}`;
  return [
    html`<p class="soft" data-without-script>The charts need JavaScript. The tables have the same figures.</p>
`,
    chart('requests', 'Requests per second', `by their result. ${from}`),
    chart('latency', 'Latency', `of answered requests: median and 95th percentile. ${from}`),
    jsonElement('chart-data', chartData(timeline)),
  ];
}

/** What the letters in the charts mean. */
function legend({ marks }: TimelineFacts): string {
  const kinds = [...new Set(marks.map(({ kind }) => KINDS[kind]))];
  return kinds.length === 0 ? '' : ` Marks: ${kinds.join(', ')}.`;
}

function chart(id: string, name: string, about: string): Html {
  return html`<figure>
<figcaption><b>${name}</b> ${about}</figcaption>
<div data-chart="${id}" role="img" aria-label="${name}: chart. The table below has the figures."></div>
</figure>
`;
}

function chartData({ buckets, marks, widthMs }: TimelineFacts): ChartData {
  const perSecond = (requests: number): number => Number(((requests * 1000) / widthMs).toPrecision(4));
  const seconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1000);
  // The line of the last step needs an end.
  const last = { delivered: 0, throttled: 0, failed: 0, latency: undefined };
  const points = [...buckets, last];
  return {
    seconds: points.map((_point, index) => (index * widthMs) / 1000),
    delivered: points.map(({ delivered }) => perSecond(delivered)),
    throttled: points.map(({ throttled }) => perSecond(throttled)),
    failed: points.map(({ failed }) => perSecond(failed)),
    median: points.map(({ latency }) => seconds(latency?.median)),
    p95: points.map(({ latency }) => seconds(latency?.p95)),
    marks: marks.map(({ kind, at, end }) => ({
      kind,
      from: at / 1000,
      to: end === undefined ? undefined : end / 1000,
    })),
  };
}

function markTable({ marks, moreMarks }: TimelineFacts): Html {
  const rows = marks.map(({ kind, time, at, end, why }) => [
    utc(time),
    KINDS[kind],
    end === undefined ? '' : humanDuration(end - at),
    why,
  ]);
  const more = moreMarks === 0 ? undefined : html`<p class="soft">and ${plural(moreMarks, 'more mark')}</p>\n`;
  const columns = { 'Time (UTC)': 'time', Mark: 'name', For: 'number', Why: 'wide' } as const;
  return html`${table('Marks in the charts: pauses, outages and resumes', columns, rows, 'tall')}${more}`;
}

function figures({ buckets }: TimelineFacts): Html {
  const rows = buckets.map(({ time, delivered, throttled, failed, rows: sent, latency }) => [
    utc(time),
    delivered,
    throttled,
    failed,
    sent,
    latency === undefined ? '' : humanMs(latency.median),
    latency === undefined ? '' : humanMs(latency.p95),
  ]);
  const columns = {
    'From (UTC)': 'time',
    Delivered: 'number',
    Throttled: 'number',
    Failed: 'number',
    'Rows delivered': 'number',
    'Median latency': 'number',
    '95th percentile': 'number',
  } as const;
  return table('Requests by their result, and latency', columns, rows, 'tall');
}

/** `12 ms`, `1.5 s` */
function humanMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : humanDuration(ms);
}
