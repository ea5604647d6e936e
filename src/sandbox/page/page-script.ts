/**
 * What the page does: plain JavaScript for browsers, as a text. It asks `/sandbox/summary` every second while
 * somebody looks. Everything that a client sent is put in as text and never as markup.
 */
export const SCRIPT = `
'use strict';
const SVG = 'http://www.w3.org/2000/svg';
const STATUSES = ['accepted', 'deduplicated', 'rejected'];
const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

function element(name, text, about) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const key in about) made.setAttribute(key, about[key]);
  return made;
}

function shape(name, about) {
  const made = document.createElementNS(SVG, name);
  for (const key in about) made.setAttribute(key, about[key]);
  return made;
}

function fill(id, items) {
  const place = byId(id);
  place.replaceChildren(...items);
  const section = place.closest('[data-when]');
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
  // At least so many places, so that one batch is not one wall.
  const places = Math.max(slots.length, 30);
  chart.setAttribute('viewBox', '0 0 ' + places * 10 + ' 100');
  const parts = [];
  slots.forEach((slot, index) => {
    let bottom = 100;
    for (const status of STATUSES) {
      if (slot[status] === 0) continue;
      const height = Math.max(1, slot[status] / most * 100);
      bottom -= height;
      parts.push(shape('rect', { x: index * 10 + 1, y: bottom, width: 8, height, class: status }));
    }
  });
  chart.replaceChildren(...parts);
  const first = slots[0].at;
  const last = slots[slots.length - 1].at;
  const format = last - first > 43200000 ? day : clock;
  const total = slots.reduce((count, slot) => count + slot.batches, 0);
  byId('chart-from').textContent = format.format(first);
  // The end of the axis, where places may still be empty, and not the last bar.
  byId('chart-to').textContent = format.format(first + (places - 1) * sum.slotMs);
  const each = 'A bar is ' + lengthOf(sum.slotMs) + '; the highest is ' + number.format(most) + ' records.';
  byId('chart-scale').textContent = each;
  chart.setAttribute('aria-label', number.format(total) + ' batches from ' + format.format(first) + ' to ' +
    format.format(last) + '. ' + each + ' The same numbers stand in the table below it.');
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
    const bar = shape('svg', { viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
    bar.append(
      shape('rect', { width: 100, height: 4, class: 'track' }),
      shape('rect', { width: count / most * 100, height: 4, class: 'accepted' }));
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
    number.format(sum.unmatched) + ' accepted ' + (sum.unmatched === 1 ? 'record belongs' : 'records belong') +
    ' to no known account.';
}

// Roles are said, because a table that is laid out as cards on a phone is none for a screen reader any more.
function cell(text, about) {
  return element('td', text, { role: 'cell', ...about });
}

function nameCell(text, about) {
  const made = cell(undefined, { class: 'name', ...about });
  if (text !== null && text !== '') made.append(element('span', text));
  return made;
}

function timeCell(time) {
  const made = cell(undefined, { class: 'time' });
  made.append(element('time', clock.format(new Date(time)), { datetime: time }));
  return made;
}

function showPromotions(sum) {
  fill('promotions', sum.promotions.slice(0, 10).map((one) => {
    const row = element('tr', undefined, { role: 'row' });
    row.append(
      timeCell(one.time),
      cell(one.deal, { class: 'became' }),
      cell(one.title, { class: 'title' }),
      nameCell(one.account ?? 'no account'),
      cell(one.about));
    return row;
  }));
}

function showLast(sum) {
  fill('last', sum.last.map((one) => {
    const row = element('tr', undefined, { role: 'row' });
    const became = cell(undefined, { class: 'became' });
    const word = one.deal === null ? one.status : 'promoted';
    became.append(element('span', word, { class: 'mark is-' + word }));
    row.append(
      timeCell(one.time),
      became,
      cell(one.title, { class: 'title' }),
      nameCell(one.company),
      cell(one.about),
      nameCell(one.account, { 'data-label': 'Account' }),
      cell(one.qualified === null ? '' : one.qualified ? 'yes' : 'no', { 'data-label': 'Qualifies' }));
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

function say(text, lost) {
  const state = byId('state');
  if (state.textContent !== text) state.textContent = text;
  state.classList.toggle('lost', lost);
}

async function look() {
  try {
    const reply = await fetch('/sandbox/summary', { cache: 'no-store' });
    if (!reply.ok) throw new Error(String(reply.status));
    show(await reply.json());
    say('Live', false);
  } catch {
    say('The sandbox does not answer. What stands here is what arrived before.', true);
  }
}

async function watch() {
  for (;;) {
    if (!document.hidden) await look();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

for (const place of document.querySelectorAll('.base')) place.textContent = location.origin;
byId('forget').addEventListener('click', async () => {
  if (!confirm('Forget everything that arrived?')) return;
  await fetch('/sandbox/reset', { method: 'POST' }).catch(() => undefined);
  await look();
});
document.addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
watch();
`;
