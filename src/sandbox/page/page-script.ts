/**
 * The page's script: plain JavaScript for browsers, as a string. It polls `/sandbox/summary` every second while the page is
 * visible. Data from clients is inserted as text, never as markup.
 */
export const SCRIPT = `
'use strict';
const SVG = 'http://www.w3.org/2000/svg';
const STATUSES = ['accepted', 'deduplicated', 'rejected'];
const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

function element(name, text, attributes) {
  const node = document.createElement(name);
  if (text !== undefined && text !== null) node.textContent = text;
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  return node;
}

function svgElement(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  return node;
}

function fill(id, items) {
  const container = byId(id);
  container.replaceChildren(...items);
  const section = container.closest('[data-when]');
  if (section !== null) section.hidden = items.length === 0;
}

function showNumbers(sum) {
  const { signals, social } = sum.records;
  const values = {
    batches: sum.batches.signals + sum.batches.social,
    accepted: signals.accepted,
    deduplicated: signals.deduplicated,
    rejected: signals.rejected,
    events: social.accepted,
    promoted: sum.promoted,
    contacts: sum.contacts,
    qualified: sum.qualified,
    refused: sum.refused,
  };
  for (const id in values) byId('n-' + id).textContent = number.format(values[id]);
  byId('n-invalid').textContent = number.format(social.rejected);
}

function lengthOf(ms) {
  const s = ms / 1000;
  if (s < 60) return s === 1 ? 'a second' : s + ' seconds';
  if (s < 3600) return s === 60 ? 'a minute' : s / 60 + ' minutes';
  if (s < 86400) return s === 3600 ? 'an hour' : s / 3600 + ' hours';
  return s === 86400 ? 'a day' : s / 86400 + ' days';
}

function showTimeline(sum) {
  const slots = sum.timeline;
  byId('timeline').hidden = slots.length === 0;
  if (slots.length === 0) return;
  const most = Math.max(1, ...slots.map((s) => s.accepted + s.deduplicated + s.rejected));
  const chart = byId('chart');
  // A minimum, so that a single batch does not fill the whole chart.
  const slotCount = Math.max(slots.length, 30);
  chart.setAttribute('viewBox', '0 0 ' + slotCount * 10 + ' 100');
  const parts = [];
  slots.forEach((slot, index) => {
    let bottom = 100;
    for (const status of STATUSES) {
      if (slot[status] === 0) continue;
      const height = Math.max(1, slot[status] / most * 100);
      bottom -= height;
      parts.push(svgElement('rect', { x: index * 10 + 1, y: bottom, width: 8, height, class: status }));
    }
  });
  chart.replaceChildren(...parts);
  const first = slots[0].at;
  const last = slots[slots.length - 1].at;
  const format = last - first > 43200000 ? day : clock;
  const total = slots.reduce((count, slot) => count + slot.batches, 0);
  byId('chart-from').textContent = format.format(first);
  // The end of the axis, not the last bar.
  byId('chart-to').textContent = format.format(first + (slotCount - 1) * sum.slotMs);
  const each = 'One bar is ' + lengthOf(sum.slotMs) + '; the highest has ' + number.format(most) + ' records.';
  byId('chart-scale').textContent = each;
  chart.setAttribute('aria-label', number.format(total) + ' batches from ' + format.format(first) + ' to ' +
    format.format(last) + '. ' + each + ' The table below has the same numbers.');
  fill('chart-rows', slots.filter((slot) => slot.batches > 0).map((slot) => {
    const row = element('tr');
    row.append(element('td', format.format(slot.at), { class: 'time' }));
    for (const key of ['batches', ...STATUSES]) {
      row.append(element('td', number.format(slot[key]), { class: 'number' }));
    }
    return row;
  }));
}

function showFamilies(sum) {
  const most = Math.max(1, ...sum.families.map((family) => family.count));
  fill('families', sum.families.map(({ name, count }) => {
    const item = element('li');
    const words = element('div');
    words.append(element('span', name), element('span', number.format(count), { class: 'number' }));
    const bar = svgElement('svg', { viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
    bar.append(
      svgElement('rect', { width: 100, height: 4, class: 'track' }),
      svgElement('rect', { width: count / most * 100, height: 4, class: 'accepted' }));
    item.append(words, bar);
    return item;
  }));
}

function showAccounts(sum) {
  fill('accounts', sum.accounts.map((account) => {
    const row = element('tr');
    const name = element('td', undefined, { class: 'name' });
    name.append(element('span', account.name));
    if (account.domain !== null && account.domain !== account.name) {
      name.append(' ', element('span', account.domain, { class: 'soft' }));
    }
    row.append(name);
    for (const key of ['signals', 'events', 'deals']) {
      row.append(element('td', number.format(account[key]), { class: 'number' }));
    }
    return row;
  }));
  byId('unmatched').textContent = sum.unmatched === 0 ? '' :
    number.format(sum.unmatched) + ' accepted ' + (sum.unmatched === 1 ? 'record matches' : 'records match') +
    ' no account.';
}

// Explicit roles: a table laid out as cards on a phone is not a table for screen readers otherwise.
function cell(text, attributes) {
  return element('td', text, { role: 'cell', ...attributes });
}

function nameCell(text, attributes) {
  const node = cell(undefined, { class: 'name', ...attributes });
  if (text !== null && text !== '') node.append(element('span', text));
  return node;
}

function timeCell(time) {
  const node = cell(undefined, { class: 'time' });
  node.append(element('time', clock.format(new Date(time)), { datetime: time }));
  return node;
}

function showPromotions(sum) {
  fill('promotions', sum.promotions.slice(0, 10).map((one) => {
    const row = element('tr', undefined, { role: 'row' });
    row.append(
      timeCell(one.time),
      cell(one.deal, { class: 'result' }),
      cell(one.title, { class: 'title' }),
      nameCell(one.account ?? 'no account'),
      cell(one.about));
    return row;
  }));
}

function showLast(sum) {
  fill('last', sum.last.map((one) => {
    const row = element('tr', undefined, { role: 'row' });
    const result = cell(undefined, { class: 'result' });
    const word = one.deal === null ? one.status : 'promoted';
    result.append(element('span', word, { class: 'mark is-' + word }));
    row.append(
      timeCell(one.time),
      result,
      cell(one.title, { class: 'title' }),
      nameCell(one.company),
      cell(one.about),
      nameCell(one.account, { 'data-label': 'Account' }),
      cell(one.qualified === null ? '' : one.qualified ? 'yes' : 'no', { 'data-label': 'ICP' }));
    return row;
  }));
}

let version;
function show(sum) {
  if (sum.version === version) return;
  version = sum.version;
  byId('empty').hidden = sum.requests > 0;
  byId('main').hidden = sum.requests === 0;
  showNumbers(sum);
  showTimeline(sum);
  showFamilies(sum);
  showAccounts(sum);
  showPromotions(sum);
  showLast(sum);
}

function setState(text, lost) {
  const state = byId('state');
  if (state.textContent !== text) state.textContent = text;
  state.classList.toggle('lost', lost);
}

async function refresh() {
  try {
    const reply = await fetch('/sandbox/summary', { cache: 'no-store' });
    if (!reply.ok) throw new Error(String(reply.status));
    show(await reply.json());
    setState('Live', false);
  } catch {
    setState('The sandbox does not answer. The page shows earlier data.', true);
  }
}

async function poll() {
  for (;;) {
    if (!document.hidden) await refresh();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

for (const place of document.querySelectorAll('.base')) place.textContent = location.origin;
byId('forget').addEventListener('click', async () => {
  if (!confirm('Delete everything that arrived?')) return;
  await fetch('/sandbox/reset', { method: 'POST' }).catch(() => undefined);
  await refresh();
});
document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
poll();
`;
