// SPDX-License-Identifier: Apache-2.0
// The caches of all replicas: what each holds of a resource, and what the API server sent it.

import { h } from './dom.js';
import { count, time } from './format.js';
import { cards, emptyState, follow, head, loading, partialBanner } from './page.js';
import { badge } from './phases.js';

const REFRESH_MILLIS = 5_000;
const SELECTED_BY = {
  all: 'everything is needed',
  here: 'this replica',
  namespacesUnknown: 'this replica: namespaces unknown',
  server: 'API server',
  ignored: 'this replica: ignored by the API server',
  refused: 'this replica: refused by the API server',
};
const PHASE_NAMES = { backingOff: 'backing off', waitingForApi: 'waiting for its API' };
const COLUMNS = ['Cache', 'Replica', 'State', 'Objects', 'Selected by', 'Namespaces', 'Events', 'Listed'];
const NUMBERS = [3, 5, 6, 7];

const opened = new Set(); // the details that stay open when the list is read again

export function cachesPage() {
  const place = h('div', {}, loading(5));
  const end = follow(place, '/caches', REFRESH_MILLIS, list => [
    partialBanner(list),
    list.items.length === 0
      ? emptyState('No caches', 'No controller watches a resource of Kubernetes, or none has started yet.')
      : table(list.items)]);
  return {
    title: 'Caches',
    element: h('div', {},
      head('Caches'),
      h('p', { class: 'lead' }, 'What each replica holds of a resource, and what the API server sent it since its start. Those with a problem come first. Events of objects that the replica does not keep are dropped.'),
      place),
    dispose: end,
  };
}

function table(caches) {
  const sorted = [...caches].sort((a, b) => (b.problem !== '') - (a.problem !== ''));
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Caches' },
    cards(h('table', { class: 'grid caches' },
      h('caption', { class: 'visually-hidden' }, 'Caches'),
      h('thead', {}, h('tr', {}, COLUMNS.map((name, i) => h('th', { scope: 'col', class: NUMBERS.includes(i) ? 'number' : null }, name)))),
      h('tbody', {}, sorted.map(row)))));
}

function row(cache) {
  const phase = PHASE_NAMES[cache.phase] ?? cache.phase;
  const key = cache.name + ' ' + cache.replica;
  const dropped = cache.events > 0 && Math.round(100 * cache.droppedEvents / cache.events) + ' % dropped';
  return h('tr', {},
    h('th', { scope: 'row', class: 'mono cache' }, cache.name),
    h('td', { class: 'nowrap' }, cache.replica),
    h('td', {}, cache.problem ? badge('bad', cache.synced ? 'not current' : 'not complete') : badge(cache.synced ? 'good' : 'info', phase),
      cache.problem && h('p', {}, cache.problem),
      h('p', { class: 'hint nowrap' }, 'contact ', time(cache.lastContact))),
    number(cache.objects, size(cache.bytes)),
    h('td', {}, SELECTED_BY[cache.selection] ?? cache.selection,
      cache.fullFor.length > 0 && h('details', { class: 'small', open: opened.has(key), ontoggle: event => (event.target.open ? opened.add(key) : opened.delete(key)) }, h('summary', {}, 'who needs it'), h('ul', { class: 'sample' }, cache.fullFor.map(one => h('li', {}, one))))),
    h('td', { class: 'number' }, cache.namespaces === 0 ? 'all' : count(cache.namespaces), cache.ranges > 0 && h('p', { class: 'hint' }, count(cache.ranges) + ' ranges')),
    number(cache.events, size(cache.eventBytes), dropped),
    number(cache.listedObjects, size(cache.listedBytes)));
}

function number(value, ...hints) {
  return h('td', { class: 'number' }, count(value), hints.filter(Boolean).map(one => h('p', { class: 'hint' }, one)));
}

function size(bytes) {
  return bytes < 1024 * 1024 ? count(Math.ceil(bytes / 1024)) + ' KiB' : count(Math.round(bytes / 1024 / 1024)) + ' MiB';
}
