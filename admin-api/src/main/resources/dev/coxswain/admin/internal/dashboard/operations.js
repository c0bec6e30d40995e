// SPDX-License-Identifier: Apache-2.0
// The operations on many items: those that run, those that have ended, and one of them in full.

import * as api from './api.js';
import { h, put } from './dom.js';
import { count, time } from './format.js';
import { cards, emptyState, failure, follow, head, loading, partialBanner } from './page.js';
import { stateBadge } from './phases.js';
import { followOperation } from './progress.js';
import { link } from './router.js';

const REFRESH_MILLIS = 2_000;

export function operationsPage() {
  const place = h('div', {}, loading(4));
  const element = h('div', {},
    head('Operations'),
    h('p', { class: 'lead' }, 'Changes of many items. An operation runs on the replicas that have its parts, and ends with them.'),
    place);
  return {
    title: 'Operations',
    element,
    dispose: follow(place, '/operations', REFRESH_MILLIS, list => [partialBanner(list),
      list.items.length === 0
        ? emptyState('No operation yet', 'Choose items of a controller by a filter, then retry, reset, requeue or flush all of them.')
        : table(list.items)]),
  };
}

function table(operations) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Operations' },
    cards(h('table', { class: 'grid' },
      h('caption', { class: 'visually-hidden' }, 'Operations, the youngest first'),
      h('thead', {}, h('tr', {}, ['Operation', 'State', 'Controller', 'Progress', 'Done', 'Of', 'By', 'Began', 'Ends', 'Reason'].map((name, i) =>
        h('th', { scope: 'col', class: i === 4 || i === 5 ? 'number' : null }, name)))),
      h('tbody', {}, operations.map(one => h('tr', {},
        h('th', { scope: 'row' }, h('a', { href: link(['operations', one.id]) }, one.action)),
        h('td', {}, stateBadge(one.state)),
        h('td', {}, h('a', { href: link(['controllers', one.controller]) }, one.controller)),
        h('td', {}, h('progress', { max: Math.max(1, one.matched), value: one.matched === 0 ? 1 : one.done, 'aria-label': 'Processed items' })),
        h('td', { class: 'number' }, count(one.done)),
        h('td', { class: 'number' }, count(one.matched)),
        h('td', {}, one.actor),
        h('td', { class: 'nowrap' }, time(one.startedAt)),
        h('td', { class: 'nowrap' }, one.expectedEnd && time(one.expectedEnd)),
        h('td', {}, one.reason)))))));
}

export function operationPage(id) {
  const place = h('div', { class: 'panel' }, loading(4));
  const element = h('div', {}, head('Operation', { above: h('p', { class: 'crumb' }, h('a', { href: '#/operations' }, 'Operations')) }), place);
  let progress = null;
  let ended = false;

  async function read() {
    try {
      const operation = await api.call('/operations/' + api.segment(id));
      if (!ended) {
        progress = followOperation(operation);
        put(place, progress.element);
      }
    } catch (fault) {
      if (!ended) {
        put(place, fault.status === 404
          ? emptyState('Unknown operation', 'Each replica keeps the last 256 operations, until its process ends.')
          : failure(fault, read));
      }
    }
  }

  read();
  return {
    title: 'Operation',
    element,
    dispose() {
      ended = true;
      progress?.dispose();
    },
  };
}
