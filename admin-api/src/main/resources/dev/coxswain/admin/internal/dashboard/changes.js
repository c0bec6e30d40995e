// SPDX-License-Identifier: Apache-2.0
// What was changed: a row for each request, with its audit records on request, and a button that undoes it.

import * as api from './api.js';
import * as rights from './rights.js';
import { h, put } from './dom.js';
import { count, time } from './format.js';
import { cards, failure, loading } from './page.js';
import { badge } from './phases.js';
import { link } from './router.js';
import { canUndo, openUndo } from './undo.js';

const COLUMNS = ['Records', 'When', 'Who', 'Action', 'On', 'Change', 'Outcome', 'Reason', 'Undo'];
const TONES = { applied: 'good', Succeeded: 'good', partial: 'warn', unknown: 'bad', Failed: 'bad' };

/** The table of changes; `records(list)` makes that of audit records, `again()` reads all anew. */
export function changeTable(changes, records, again) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Changes' },
    cards(h('table', { class: 'grid changes' },
      h('caption', { class: 'visually-hidden' }, 'Changes, the youngest first'),
      h('thead', {}, h('tr', {}, COLUMNS.map(name => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, changes.flatMap(one => rows(one, records, again))))));
}

function rows(change, records, again) {
  const place = h('td', { colspan: COLUMNS.length });
  const below = h('tr', { class: 'records', hidden: true }, place);
  const what = change.action + ' by ' + change.actor;
  const expand = h('button', {
    type: 'button', class: 'plain', 'aria-expanded': 'false', 'aria-label': 'Records of ' + what + ', request ' + change.requestId,
    onclick: () => {
      below.hidden = !below.hidden;
      expand.setAttribute('aria-expanded', String(!below.hidden));
      expand.textContent = below.hidden ? '▸' : '▾';
      if (!below.hidden) {
        show(place, change, records);
      }
    },
  }, '▸');
  return [h('tr', {},
    h('td', {}, expand),
    h('td', { class: 'nowrap' }, time(change.at, 'wall')),
    h('td', {}, change.actor),
    h('td', {}, change.action, change.undoes && h('p', { class: 'hint' }, 'undoes ', h('span', { class: 'mono' }, change.undoes))),
    h('td', {}, subject(change)),
    h('td', { class: 'wrap' }, change.change ?? ''),
    h('td', {}, badge(TONES[change.result] ?? 'quiet', change.result),
      change.applied !== undefined && h('p', { class: 'hint' }, count(change.applied) + ' of ' + count(change.matched))),
    h('td', { class: 'wrap' }, change.reason ?? ''),
    h('td', { class: 'wrap' }, undo(change, what, again))), below];
}

function subject(change) {
  return [
    change.controller && h('a', { href: link(['controllers', change.controller]) }, change.controller),
    change.cause && h('p', {}, h('span', { class: 'hint' }, 'cause '), h('span', { class: 'mono' }, change.cause)),
    change.item && h('p', { class: 'mono' }, change.item),
    change.limiter && h('p', {}, h('span', { class: 'hint' }, 'limiter '), h('a', { href: link(['limiters', change.limiter]) }, change.limiter)),
    change.plugin && h('p', {}, h('span', { class: 'hint' }, 'plug-in '), change.plugin),
    change.operation && h('p', {}, h('a', { href: link(['operations', change.operation]) }, 'operation')),
  ];
}

function undo(change, what, again) {
  if (change.undo !== 'possible' || !canUndo()) {
    return h('span', { class: 'hint' }, change.undo === 'possible' ? '' : change.undo);
  }
  const button = h('button', {
    type: 'button', 'aria-label': 'Undo ' + what, onclick: () => rights.offered(button) && openUndo(change.requestId, again),
  }, 'Undo…');
  if (change.limiter) {
    rights.guard(button, 'limiters', 'tune', { limiter: change.limiter });
  } else {
    const verb = change.action === 'setConcurrency' ? 'tune' : change.action;
    rights.guard(button, 'controllers', verb, { controller: change.controller });
  }
  return button;
}

/** Reads the audit records of a change, and shows them below it. */
async function show(place, change, records) {
  put(place, loading(2));
  try {
    const list = await api.call('/audit', { query: { requestId: change.requestId, limit: 100 } });
    put(place, h('p', { class: 'hint' }, 'Request ', h('span', { class: 'mono' }, change.requestId), ', at ', change.replicas.join(', ')), records(list.items));
  } catch (fault) {
    put(place, failure(fault, () => show(place, change, records)));
  }
}
