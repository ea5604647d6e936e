/** The rows that were read, as a bar and as a table. The patterns of the bar tell states apart without colours. */
import { percentage, plural } from '../../lib/units.ts';
import type { RowState } from '../summary-text.ts';
import { section, table } from './elements.ts';
import type { ReportFacts } from './facts.ts';
import { type Html, html } from './html.ts';

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

export function balanceSection({ read, states }: ReportFacts): Html {
  if (read === 0) return section('rows', 'Rows', html`<p>The input has no rows.</p>`);
  const shown = states.filter(([rows]) => rows > 0);
  const empty = states.filter(([rows]) => rows === 0).map(([, state]) => state);
  const rows = shown.map(([number, state, meaning]) => [
    html`${swatch(state)}${state}`,
    number,
    percentage(number, read),
    meaning,
  ]);
  return section(
    'rows',
    `What happened to the ${plural(read, 'row')}`,
    patterns(),
    bar(read, shown),
    table(
      `Every row that was read is in exactly one state.${empty.length === 0 ? '' : ` No rows: ${empty.join(', ')}.`}`,
      { State: 'name', Rows: 'number', Share: 'number', Meaning: 'wide' },
      [...rows, [html`<b>read</b>`, read, '100%', 'the sum of all states']],
    ),
  );
}

function bar(read: number, states: readonly RowState[]): Html {
  const widths = states.map(([rows]) => Math.max(MINIMUM, (rows / read) * 100));
  const total = widths.reduce((sum, width) => sum + width, 0);
  let left = 0;
  const segments = states.map(([, state], index) => {
    const width = ((widths[index] ?? 0) / total) * 100;
    const segment = box(state, { x: `${left.toFixed(3)}%`, width: `${width.toFixed(3)}%` });
    left += width;
    return segment;
  });
  const label = states.map(([rows, state]) => `${plural(rows, 'row')} ${state}`).join(', ');
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
