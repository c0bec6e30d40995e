// SPDX-License-Identifier: Apache-2.0
// The configuration of all replicas: which is in use, and why a changed file is not. Values are not shown.

import { h } from './dom.js';
import { count, time } from './format.js';
import { cards, emptyState, follow, head, loading, partialBanner } from './page.js';
import { badge } from './phases.js';

const REFRESH_MILLIS = 5_000;
const STATES = {
  current: ['good', 'current'],
  restartNeeded: ['warn', 'needs a restart'],
  rejected: ['bad', 'rejected'],
};
const ORDER = ['current', 'restartNeeded', 'rejected'];

export function configurationPage() {
  const place = h('div', {}, loading(3));
  const end = follow(place, '/config', REFRESH_MILLIS, list => [
    partialBanner(list),
    list.items.length === 0 ? emptyState('No configuration', 'No replica has answered.') : table(list.items)]);
  return {
    title: 'Configuration',
    element: h('div', {},
      head('Configuration'),
      h('p', { class: 'lead' }, 'Each replica reloads its file when it changes. A faulty file is rejected as a whole, and the configuration before stays in use. Values are not shown.'),
      place),
    dispose: end,
  };
}

function table(replicas) {
  const sorted = [...replicas].sort((a, b) => ORDER.indexOf(b.state) - ORDER.indexOf(a.state));
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Configurations' },
    cards(h('table', { class: 'grid' },
      h('caption', { class: 'visually-hidden' }, 'Configurations by replica'),
      h('thead', {}, h('tr', {}, ['Replica', 'State', 'Loaded', 'Last change', 'Reloads', 'File'].map((name, i) =>
        h('th', { scope: 'col', class: i === 4 ? 'number' : null }, name)))),
      h('tbody', {}, sorted.map(row)))));
}

function row(one) {
  return h('tr', {},
    h('th', { scope: 'row' }, one.replica),
    h('td', { class: 'why' }, badge(...(STATES[one.state] ?? ['quiet', one.state])),
      one.rejectedAt && one.state === 'rejected' && [' ', time(one.rejectedAt)],
      one.errors.map(error => h('p', { class: 'mono' }, error)),
      keys('Used after a restart: ', one.needsRestart),
      keys('Other replicas may still have the limits before, the larger ones hold: ', one.settling)),
    h('td', { class: 'nowrap' }, time(one.loadedAt)),
    h('td', { class: 'wrap' }, one.changed.length === 0 ? '–' : h('span', { class: 'mono' }, one.changed.join(', '))),
    h('td', { class: 'number' }, count(one.reloads), one.rejections > 0 && h('p', { class: 'hint' }, count(one.rejections) + ' rejected')),
    h('td', { class: 'mono wrap' }, one.file || 'none: flags and defaults'));
}

function keys(words, list) {
  return list.length > 0 && h('p', {}, words, h('span', { class: 'mono' }, list.join(', ')));
}
