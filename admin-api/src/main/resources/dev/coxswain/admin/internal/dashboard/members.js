// SPDX-License-Identifier: Apache-2.0
// The replicas of the cluster: who answers, which seat each has, and what it runs.

import * as api from './api.js';
import { h, put } from './dom.js';
import { time } from './format.js';
import { emptyState, failure, head, loading } from './page.js';
import { badge, stateBadge } from './phases.js';
import { link } from './router.js';

const REFRESH_MILLIS = 5_000;

export function membersPage() {
  const place = h('div', {}, loading(3));
  const element = h('div', {},
    head('Members'),
    h('p', { class: 'lead' }, 'Replicas that work together. A seat is a share of the limiters that a replica may use alone when it cannot reach the others.'),
    place);
  let timer = 0;
  let ended = false;

  async function read() {
    clearTimeout(timer);
    try {
      const whole = api.has('GET /members');
      const list = document.hidden ? null : await api.call(whole ? '/members' : '/replicas');
      if (!ended && list) {
        put(place, list.items.length === 0 ? alone(list) : table(whole ? list.items : list.items.map(one => fromSeat(one, list.replica))));
      }
    } catch (fault) {
      if (!ended) {
        put(place, failure(fault, read));
      }
    }
    if (!ended) {
      timer = setTimeout(read, REFRESH_MILLIS);
    }
  }

  read();
  return {
    title: 'Members',
    element,
    dispose() {
      ended = true;
      clearTimeout(timer);
    },
  };
}

function alone(list) {
  return emptyState(list.replica + ' works alone', 'Replicas find each other through the shared limiter, which is not switched on (sharedLimiter.enabled).');
}

function fromSeat(seat, self) {
  return { ...seat, replica: seat.name, self: seat.name === self, address: seat.addresses?.admin };
}

function table(members) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Members' },
    h('table', { class: 'grid' },
      h('caption', { class: 'visually-hidden' }, 'Replicas'),
      h('thead', {}, h('tr', {}, ['Replica', 'State', 'Seat', 'Seated', 'Started', 'Version', 'Controllers', 'Address'].map((name, i) =>
        h('th', { scope: 'col', class: i === 2 ? 'number' : null }, name)))),
      h('tbody', {}, members.map(row))));
}

function row(member) {
  const controllers = member.controllers ?? [];
  return h('tr', {},
    h('th', { scope: 'row' }, member.replica, member.self && [' ', badge('info', 'answers you')]),
    h('td', {}, member.state ? stateBadge(member.state) : badge('good', 'seated'), member.error && h('p', { class: 'hint' }, member.error)),
    h('td', { class: 'number' }, member.seat ?? '–'),
    h('td', {}, time(member.since)),
    h('td', {}, time(member.startedAt)),
    h('td', {}, member.version ?? '–', member.generation && h('p', { class: 'hint' }, member.generation)),
    h('td', {}, controllers.length === 0 ? '–' : h('ul', { class: 'chips' }, controllers.slice(0, 12).map(one =>
      h('li', {}, h('a', { href: link(['controllers', one.name]) }, one.name))),
    controllers.length > 12 && h('li', {}, 'and ' + (controllers.length - 12) + ' more'))),
    h('td', { class: 'mono' }, member.address ?? '–'));
}
