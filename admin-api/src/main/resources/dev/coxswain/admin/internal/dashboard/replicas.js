// SPDX-License-Identifier: Apache-2.0
// The replicas of the cluster: state, Lease and controllers of each.

import { h } from './dom.js';
import { count, sentence, time } from './format.js';
import { cards, emptyState, follow, head, loading } from './page.js';
import { badge, conditionName, stateBadge } from './phases.js';
import { link } from './router.js';

const REFRESH_MILLIS = 5_000;

export function replicasPage() {
  const place = h('div', {}, loading(3));
  const element = h('div', {},
    head('Replicas'),
    h('p', { class: 'lead' }, 'Replicas that share the work. Each holds a Lease, which gives it a floor: a share of the shared limiters that it may use alone.'),
    place);
  const end = follow(place, '/replicas', REFRESH_MILLIS, list =>
    (list.items.length === 1 && list.items[0].ordinal === undefined ? alone(list) : table(list.items)));
  return {
    title: 'Replicas',
    element,
    dispose: end,
  };
}

function alone(list) {
  return emptyState(list.replica + ' is the only replica', 'Replicas find each other by their Leases, which need the shared limiter (sharedLimiter.enabled).');
}

function table(replicas) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Replicas' },
    cards(h('table', { class: 'grid' },
      h('caption', { class: 'visually-hidden' }, 'Replicas'),
      h('thead', {}, h('tr', {}, ['Replica', 'State', 'Lease', 'Held since', 'Started', 'Version', 'Slots', 'Controllers', 'Address'].map((name, i) =>
        h('th', { scope: 'col', class: i === 2 || i === 6 ? 'number' : null }, name)))),
      h('tbody', {}, replicas.map(row)))));
}

function row(replica) {
  const controllers = replica.controllers ?? [];
  return h('tr', {},
    h('th', { scope: 'row' }, replica.replica, replica.self && [' ', badge('info', 'sent this page')]),
    h('td', {}, stateBadge(replica.state), replica.drained && [' ', badge('warn', 'drained')], replica.leaving && [' ', badge('info', 'leaving')], (replica.conditions ?? []).map(one => [' ', badge('bad', conditionName(one.type)), h('p', { class: 'hint' }, sentence(one.message))]), replica.error && h('p', { class: 'hint' }, replica.error)),
    h('td', { class: 'number' }, replica.ordinal ?? '–'),
    h('td', {}, time(replica.since)),
    h('td', {}, time(replica.startedAt)),
    h('td', {}, replica.version ?? '–', replica.generation && replica.generation !== 'none' && h('p', { class: 'hint' }, replica.generation)),
    h('td', { class: 'number' }, replica.slots === undefined ? '–' : h('a', { href: link(['slots'], { owner: replica.replica }) }, count(replica.slots))),
    h('td', {}, controllers.length === 0 ? '–' : h('ul', { class: 'chips' }, controllers.slice(0, 12).map(one =>
      h('li', {}, h('a', { href: link(['controllers', one.name]) }, one.name))),
    controllers.length > 12 && h('li', {}, 'and ' + (controllers.length - 12) + ' more'))),
    h('td', { class: 'mono break' }, replica.address ?? '–'));
}
