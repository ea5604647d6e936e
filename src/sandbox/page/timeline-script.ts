/** The part of the page's script that draws the requests over time: bars, failed requests with a pattern, and a table. */
export const TIMELINE_SCRIPT = `
const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(new Date())
  .find(({ type }) => type === 'timeZoneName').value;
const units = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];

function stepText(seconds) {
  const [size, unit] = units.find(([size]) => seconds % size === 0);
  return seconds / size + ' ' + unit;
}

function shape(name, attributes) {
  const node = document.createElementNS(byId('plot').namespaceURI, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  return node;
}

function showTimeline({ stepSeconds, steps }) {
  const most = Math.max(1, ...steps.map(({ processed, failed }) => processed + failed));
  const width = 100 / Math.max(steps.length, 10);
  const bars = steps.flatMap(({ processed, failed }, index) => {
    const bar = (kind, below, count, fill) => count === 0 ? [] : [shape('rect', {
      class: kind, x: index * width + '%', width: width * 0.85 + '%',
      y: (1 - (below + count) / most) * 100 + '%', height: count / most * 100 + '%', ...fill,
    })];
    return [
      ...bar('processed', 0, processed, {}),
      ...bar('failed', processed, failed, {}),
      ...bar('', processed, failed, { fill: 'url(#hatch)' }),
    ];
  });
  byId('plot').replaceChildren(...bars);
  byId('top').textContent = number.format(most);
  byId('step').textContent = 'Requests per ' + stepText(stepSeconds) + '. Times: ' + zone + '.';
  byId('from').textContent = timeOf(steps[0]?.time ?? 0);
  const last = Date.parse(steps.at(-1)?.time ?? 0) + stepSeconds * 1000 * (Math.max(steps.length, 10) - steps.length + 1);
  byId('to').textContent = timeOf(last);
  rows('steps', steps.filter(({ processed, failed }) => processed + failed > 0).toReversed(),
    ({ time, processed, failed }) => [timeOf(time), processed, failed]);
}
`;
