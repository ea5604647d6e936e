/**
 * Frames of a terminal, as tmux captures them, to one animated SVG: small, sharp, and readable in light and dark. It
 * needs no script and no font file. Where motion is not wanted, it shows the last frame.
 */

const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;

/** @typedef {{ readonly bold: boolean, readonly dim: boolean, readonly colour: number }} Style */

/** @type {Style} */
const PLAIN = { bold: false, dim: false, colour: 0 };

const ESCAPE = String.fromCharCode(27);
/** Sets colour and weight of the text after it: `ESC[1;32m`. */
const SEQUENCE = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`);

/** Colours by the number of SGR 30 to 37 and 90 to 97, for a light and a dark page. */
const COLOURS = {
  text: ['#1f2328', '#e6edf3'],
  ground: ['#f6f8fa', '#0d1117'],
  1: ['#cf222e', '#ff7b72'],
  2: ['#1a7f37', '#3fb950'],
  3: ['#7d4e00', '#d29922'],
  4: ['#0969da', '#58a6ff'],
  5: ['#8250df', '#bc8cff'],
  6: ['#1b7c83', '#39c5cf'],
  dim: ['#59636e', '#9198a1'],
};

/**
 * @param {readonly { readonly ms: number, readonly rows: readonly string[] }[]} frames rows with escape sequences; ms
 * is how long the frame is shown
 * @param {{ readonly columns: number, readonly rows: number, readonly title: string }} size
 * @returns {string}
 */
export function terminalSvg(frames, { columns, rows, title }) {
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = rows * CELL.height + 2 * MARGIN;
  /** @type {Map<string, string>} drawing of a row -> its id */
  const drawn = new Map();
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  let begin = 0;
  const keyframes = [];
  const groups = frames.map((frame, index) => {
    const isLast = index === frames.length - 1;
    keyframes.push(keyframesOf(index, (begin / total) * 100, isLast ? 100 : ((begin + frame.ms) / total) * 100));
    begin += frame.ms;
    // tmux carries a style over the ends of lines.
    let style = PLAIN;
    const uses = frame.rows.flatMap((row, y) => {
      const { drawing, style: after } = drawRow(row, style);
      style = after;
      if (drawing === '') return [];
      const id = drawn.get(drawing) ?? `r${drawn.size}`;
      drawn.set(drawing, id);
      return [`<use href="#${id}" y="${y * CELL.height}"/>`];
    });
    return `<g class="f" style="animation-name:k${index}"${isLast ? ' id="last"' : ''}>${uses.join('')}</g>`;
  });
  const rowsOnce = [...drawn].map(([drawing, id]) => `<g id="${id}">${drawing}</g>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<style>${styleOf(total)}${keyframes.join('')}</style>`,
    `<defs>${rowsOnce.join('\n')}</defs>`,
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">${groups.join('\n')}</g>`,
    '</svg>\n',
  ].join('\n');
}

/** @param {number} ms */
function styleOf(ms) {
  const colours = (/** @type {0 | 1} */ scheme) =>
    Object.entries(COLOURS)
      .map(([name, pair]) => `.${/^\d/.test(name) ? 'c' : ''}${name}{fill:${pair[scheme]}}`)
      .join('');
  return [
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}.b{font-weight:700}',
    colours(0),
    `@media(prefers-color-scheme:dark){${colours(1)}}`,
    `.f{opacity:0;animation:${ms}ms step-end infinite}#last{opacity:1}`,
    '@media(prefers-reduced-motion:reduce){.f{animation:none}}',
  ].join('');
}

/** @param {number} index @param {number} from @param {number} to percent of the whole */
function keyframesOf(index, from, to) {
  const before = from > 0 ? '0%{opacity:0}' : '';
  const after = to < 100 ? `${to.toFixed(2)}%{opacity:0}` : '';
  return `@keyframes k${index}{${before}${from.toFixed(2)}%{opacity:1}${after}${to < 100 ? '' : '100%{opacity:1}'}}`;
}

/**
 * Texts of a row, one for each run of equal style. Blank parts need none.
 *
 * @param {string} row
 * @param {Style} before style of the row's beginning
 */
function drawRow(row, before) {
  let column = 0;
  let drawing = '';
  let style = before;
  for (const piece of row.split(SEQUENCE)) {
    if (piece.startsWith(ESCAPE)) {
      style = piece
        .slice(2, -1)
        .split(';')
        .reduce((before, code) => afterCode(before, Number(code)), style);
      continue;
    }
    // Only words are drawn, so that a font of another width does not move what follows.
    for (const { 0: words, index } of piece.matchAll(/\S+(?: \S+)*/g)) {
      const names = [style.colour > 0 ? `c${style.colour}` : style.dim ? 'dim' : 'text', ...(style.bold ? ['b'] : [])];
      const x = ((column + index) * CELL.width).toFixed(1);
      const length = ([...words].length * CELL.width).toFixed(1);
      drawing += `<text class="${names.join(' ')}" x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escaped(words)}</text>`;
    }
    column += [...piece].length;
  }
  return { drawing, style };
}

/** @param {Style} style @param {number} code of SGR @returns {Style} */
function afterCode(style, code) {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2 || code === 90) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, colour: 0, dim: false };
  if ((code > 30 && code < 37) || (code > 90 && code < 97)) return { ...style, colour: code % 10 };
  return style;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
