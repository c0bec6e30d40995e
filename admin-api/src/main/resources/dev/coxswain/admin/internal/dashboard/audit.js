// SPDX-License-Identifier: Apache-2.0
// Who changed what, and why: a row for each change, or the records that the replicas remember, a page at a time.

import * as api from './api.js';
import { changeTable } from './changes.js';
import { field } from './dialog.js';
import { h, put } from './dom.js';
import { count, time } from './format.js';
import { cards, emptyState, failure, head, loading, partialBanner } from './page.js';
import { badge } from './phases.js';
import { go, link } from './router.js';

const PAGE = 100;
const FIELDS = [['actor', 'Who'], ['action', 'Action'], ['controller', 'Controller']];

export function auditPage() {
  const inputs = FIELDS.map(([key, name]) => ({ key, name, input: h('input', { type: 'text', name: key, autocomplete: 'off', spellcheck: 'false' }) }));
  const submit = event => {
    event.preventDefault();
    go(['audit'], { ...Object.fromEntries(inputs.map(one => [one.key, one.input.value.trim()])), view: view || undefined });
  };
  let view = '';
  const place = h('div', {}, loading(8));
  const views = h('p', { class: 'lead' });
  const element = h('div', {},
    head('Audit'),
    h('p', { class: 'lead' }, 'The last 10,000 records of each replica. Each change has an intent, recorded before it is made, and an outcome. The log has all records.'),
    views,
    h('form', { class: 'filters', role: 'search', 'aria-label': 'Filter the records', onsubmit: submit, onchange: submit },
      h('div', { class: 'fields' }, inputs.map(one => field(one.name, one.input)), h('button', { type: 'submit', class: 'visually-hidden' }, 'Apply the filter'))),
    place);
  let asked = 0;

  async function show(route) {
    const mine = ++asked;
    const { query } = route;
    const isGrouped = query.view !== 'records' && api.has('GET /changes');
    view = query.view === 'records' ? 'records' : '';
    if (api.has('GET /changes')) {
      put(views, isGrouped ? 'Shown: one row for each change. ' : 'Shown: all records, with what was refused. ',
        h('a', { href: link(['audit'], { ...query, after: undefined, view: isGrouped ? 'records' : undefined }) }, isGrouped ? 'Show all records' : 'Show changes'));
    }
    inputs.forEach(one => {
      if (document.activeElement !== one.input) {
        one.input.value = query[one.key] ?? '';
      }
    });
    try {
      const list = await api.call(isGrouped ? '/changes' : '/audit', {
        query: { actor: query.actor, action: query.action, controller: query.controller, limit: PAGE, continue: query.after },
      });
      if (mine === asked) {
        put(place, partialBanner(list),
          list.items.length === 0 ? emptyState('No record', 'There were no changes, or no record matches the filter.')
            : isGrouped ? changeTable(list.items, table, () => show(route)) : table(list.items),
          h('div', { class: 'pager' }, h('span', { class: 'spacer' }),
            query.after && h('a', { class: 'button', href: link(['audit'], { ...query, after: undefined }) }, 'First page'),
            list.continue && h('a', { class: 'button', href: link(['audit'], { ...query, after: list.continue }) }, 'Next page')));
      }
    } catch (fault) {
      if (mine === asked) {
        put(place, failure(fault, () => show(route)));
      }
    }
  }

  return { title: 'Audit', element, show, dispose: () => asked++ };
}

function table(records) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Records' },
    cards(h('table', { class: 'grid' },
      h('caption', { class: 'visually-hidden' }, 'Audit records, the youngest first'),
      h('thead', {}, h('tr', {}, ['When', 'Who', 'Action', 'On', 'Outcome', 'Reason', 'Request'].map(name => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, records.map(one => h('tr', {},
        h('td', { class: 'nowrap' }, time(one.at, 'wall')),
        h('td', { title: one.groups ?? null }, one.actor, h('p', { class: 'hint' }, one.remote)),
        h('td', {}, one.action),
        h('td', {}, one.controller && h('a', { href: link(['controllers', one.controller]) }, one.controller),
          one.item && h('p', { class: 'mono' }, one.item),
          one.limiter && h('p', {}, h('span', { class: 'hint' }, 'limiter '), one.limiter),
          one.plugin && h('p', {}, h('span', { class: 'hint' }, 'plug-in '), one.plugin),
          one.operation && h('p', {}, h('a', { href: link(['operations', one.operation]) }, 'operation')),
          one.selector && h('p', { class: 'mono hint' }, one.selector),
          one.change && h('p', { class: 'mono hint' }, changed(one.change))),
        h('td', {}, one.stage === 'intent' ? badge('quiet', 'intent') : badge(tone(one), one.result ?? String(one.status)),
          one.applied !== undefined && h('p', { class: 'hint' }, count(one.applied) + ' of ' + count(one.matched))),
        h('td', { class: 'wrap' }, one.reason ?? ''),
        h('td', { class: 'mono quiet' }, one.requestId, one.replica && h('p', { class: 'hint' }, one.replica))))))));
}

/** Returns a change as "rate 10 -> 5, ttl 30m"; a text that is no JSON stays as it is. */
function changed(text) {
  let values;
  try {
    values = JSON.parse(text);
  } catch {
    return text;
  }
  if (values === null || typeof values !== 'object' || Array.isArray(values)) {
    return text;
  }
  return Object.keys(values)
    .filter(key => !key.startsWith('limit') && !(key.endsWith('Before') && key.slice(0, -'Before'.length) in values))
    .map(key => key + ' ' + (key + 'Before' in values ? plain(values[key + 'Before']) + ' -> ' : '') + plain(values[key]))
    .join(', ');
}

/** A value; of a pause its end. */
function plain(value) {
  return value === null ? 'none' : typeof value === 'object' ? (value.until ? 'until ' + value.until : 'until resumed') : String(value);
}

function tone(record) {
  return record.status >= 400 ? 'bad' : record.result === 'skipped' ? 'quiet' : 'good';
}
