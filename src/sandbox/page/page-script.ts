/**
 * The page's script: plain JavaScript for browsers, as a string. It polls `/sandbox/summary` every second while the page is
 * visible. Data from clients is inserted as text, never as markup.
 */
export const SCRIPT = `
'use strict';
const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

function element(name, text, attributes) {
  const node = document.createElement(name);
  if (text !== undefined && text !== null) node.textContent = text;
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

function row(...cells) {
  const node = element('tr');
  node.append(...cells);
  return node;
}

function nameCell(name, addition) {
  const node = element('td', undefined, { class: 'name' });
  node.append(element('span', name));
  if (addition !== undefined) node.append(' ', element('span', addition, { class: 'soft' }));
  return node;
}

function numberCell(value) {
  return element('td', number.format(value));
}

function timeCell(time) {
  const node = element('td', undefined, { class: 'time' });
  node.append(element('time', clock.format(new Date(time)), { datetime: time }));
  return node;
}

function showFamilies(sum) {
  fill('families', sum.families.map(({ name, count }) => row(nameCell(name), numberCell(count))));
}

function showAccounts(sum) {
  fill('accounts', sum.accounts.map(({ name, domain, signals, events, deals }) => row(
    nameCell(name, domain === null || domain === name ? undefined : domain),
    numberCell(signals),
    numberCell(events),
    numberCell(deals))));
  byId('unmatched').textContent = sum.unmatched === 0 ? '' :
    number.format(sum.unmatched) + ' accepted ' + (sum.unmatched === 1 ? 'record matches' : 'records match') +
    ' no account.';
}

function showPromotions(sum) {
  fill('promotions', sum.promotions.slice(0, 10).map((one) => row(
    timeCell(one.time),
    element('td', one.deal),
    element('td', one.title),
    nameCell(one.account ?? 'no account'),
    element('td', one.about))));
}

function showLast(sum) {
  fill('last', sum.last.map((one) => {
    const word = one.deal === null ? one.status : 'promoted';
    const result = element('td');
    result.append(element('span', word, { class: 'mark is-' + word }));
    return row(
      timeCell(one.time),
      result,
      element('td', one.title),
      nameCell(one.company),
      element('td', one.about),
      nameCell(one.account),
      element('td', one.qualified === null ? '' : one.qualified ? 'yes' : 'no'));
  }));
}

let version;
function show(sum) {
  if (sum.version === version) return;
  version = sum.version;
  byId('empty').hidden = sum.requests > 0;
  byId('main').hidden = sum.requests === 0;
  showNumbers(sum);
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
