/**
 * The script of the report: copies commands, and draws the two charts with uPlot, in the colours of the page's style. The page is
 * complete without it.
 */
import uPlot from 'uplot';
import style from 'uplot/dist/uPlot.min.css';
import type { ChartData, ChartMark } from '../chart-data.ts';

function enableCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const code = button.parentElement?.querySelector('code');
    if (code === null || code === undefined) continue;
    button.hidden = false;
    button.addEventListener('click', async () => {
      const isCopied = await copy(code);
      button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
  }
}

/** Without access to the clipboard, the text is selected. */
async function copy(code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return false;
  }
}

/** Paper shows what is folded on a screen, except for long tables. */
function unfoldToPrint(): void {
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('details[data-print]')) details.open = true;
  });
}

enableCopying();
unfoldToPrint();
drawCharts();

const HEIGHT = 240;
/** In the legend, while the pointer is elsewhere. */
const NONE = '–';
/** The letters of the marks, as in the table below the charts. */
const LETTERS: Readonly<Record<ChartMark['kind'], string>> = { throttled: 'T', outage: 'O', slower: 'S', resumed: 'R' };

type Colour = (name: string) => string;

function drawCharts(): void {
  const text = document.getElementById('chart-data')?.textContent;
  const holders = [...document.querySelectorAll<HTMLElement>('[data-chart]')];
  if (text === undefined || text === null || holders.length === 0) return;
  document.querySelector('[data-without-script]')?.remove();
  // A sheet made by a script needs no permission of the content security policy.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets.push(sheet);
  const data: ChartData = JSON.parse(text);
  const draw = (): void => {
    for (const holder of holders) drawChart(holder, data);
  };
  draw();
  for (const query of ['(prefers-color-scheme: dark)', 'print']) matchMedia(query).addEventListener('change', draw);
  let width = innerWidth;
  addEventListener('resize', () => {
    if (width !== innerWidth) draw();
    width = innerWidth;
  });
}

function drawChart(holder: HTMLElement, data: ChartData): void {
  const computed = getComputedStyle(holder);
  const colour: Colour = (name) => computed.getPropertyValue(name).trim();
  const isLatency = holder.dataset['chart'] === 'latency';
  const series = isLatency ? latencySeries(colour) : requestSeries(colour);
  const values = isLatency ? [data.median, data.p95] : [data.delivered, data.throttled, data.failed];
  const axis = { stroke: computed.color, font: '13px system-ui, sans-serif', grid: grid(colour), ticks: grid(colour) };
  holder.replaceChildren();
  new uPlot(
    {
      width: holder.clientWidth,
      height: HEIGHT,
      padding: [8, 32, 0, 0],
      series: [{ label: 'Time', value: (_chart, value) => duration(value) || NONE }, ...series],
      scales: { x: { time: false }, y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.15 : 1] } },
      axes: [
        { ...axis, values: (_chart, splits) => splits.map(duration), space: 70 },
        { ...axis, size: 70, values: (_chart, splits) => splits.map(isLatency ? duration : String) },
      ],
      legend: { markers: { width: 2, dash: (_chart, index) => ['', 'solid', 'dashed', 'dotted'][index] ?? '' } },
      cursor: { y: false, drag: { x: false, y: false }, sync: { key: 'report' } },
      hooks: { drawAxes: [(chart) => drawMarks(chart, data.marks, computed.color, colour)] },
    },
    [[...data.seconds], ...values.map((numbers) => [...numbers])],
    holder,
  );
}

function grid(colour: Colour): uPlot.Axis.Grid {
  return { stroke: colour('--line'), width: 1 };
}

function requestSeries(colour: Colour): uPlot.Series[] {
  const paths = uPlot.paths.stepped?.({ align: 1 });
  const value = (_chart: uPlot, rate: number | null): string => (rate === null ? NONE : `${rate}/s`);
  const line = (label: string, name: string, dash: number[]): uPlot.Series => {
    const series = { label, stroke: colour(name), width: 2, dash, value, points: { show: false } };
    return paths === undefined ? series : { ...series, paths };
  };
  return [line('Delivered', '--good', []), line('Throttled', '--odd', [8, 4]), line('Failed', '--bad', [2, 3])];
}

function latencySeries(colour: Colour): uPlot.Series[] {
  const value = (_chart: uPlot, seconds: number | null): string => (seconds === null ? NONE : duration(seconds));
  const line = (label: string, name: string, dash: number[]): uPlot.Series => {
    return { label, stroke: colour(name), width: 2, dash, value, spanGaps: false };
  };
  return [line('Median', '--good', []), line('95th percentile', '--odd', [8, 4])];
}

/** Bands for pauses, lines for moments, each with its letter. */
function drawMarks({ ctx, bbox, valToPos }: uPlot, marks: readonly ChartMark[], text: string, colour: Colour): void {
  ctx.save();
  ctx.font = `bold ${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  let free = bbox.left;
  for (const { kind, from, to } of marks) {
    const left = valToPos(from, 'x', true);
    const right = to === undefined ? left : valToPos(to, 'x', true);
    ctx.fillStyle = colour(kind === 'outage' ? '--bad' : '--odd');
    ctx.globalAlpha = 0.2;
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, bbox.top, devicePixelRatio, bbox.height);
    // Letters that would cover each other are left out; the table has all marks.
    if (left < free) continue;
    ctx.fillStyle = text;
    ctx.fillText(LETTERS[kind], left + 3 * devicePixelRatio, bbox.top + 2 * devicePixelRatio);
    free = left + 14 * devicePixelRatio;
  }
  ctx.restore();
}

/** `250 ms`, `1.5 s`, `2 min`, `1 h 5 min`. */
function duration(seconds: number | null): string {
  if (seconds === null) return '';
  if (seconds > 0 && seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds % 60);
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
