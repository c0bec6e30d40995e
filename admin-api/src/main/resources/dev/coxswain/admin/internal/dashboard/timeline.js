// SPDX-License-Identifier: Apache-2.0
// What has happened in the cluster: the events of all replicas, the youngest first.

import * as api from './api.js';
import { field } from './dialog.js';
import { h, put } from './dom.js';
import { count, time } from './format.js';
import { emptyState, failure, head, loading, partialBanner } from './page.js';
import { badge } from './phases.js';
import { go, link } from './router.js';

const LIMIT = 200;
const REFRESH_MILLIS = 10_000;
const HOUR = 3_600_000;
const SPANS = [['1', 'the last hour'], ['6', 'the last 6 hours'], ['24', 'the last day'], ['', 'all that is kept']];
const NAMES = {
  replicaStarted: ['info', 'Replica started'],
  replicaJoined: ['info', 'Replica joined'],
  replicaLeft: ['bad', 'Replica left'],
  slotsMoved: ['info', 'Slots moved'],
  ownerChanged: ['info', 'Owner changed'],
  startFailed: ['bad', 'Start failed'],
  conditionBegan: ['bad', 'Condition began'],
  conditionEnded: ['good', 'Condition ended'],
  pauseEnded: ['info', 'Pause ended'],
  limiterDegraded: ['warn', 'Limiter degraded'],
  limiterRecovered: ['good', 'Limiter recovered'],
  pluginChanged: ['info', 'Plug-in'],
  configurationReloaded: ['info', 'Configuration'],
  causeFirstSeen: ['warn', 'Cause first seen'],
  change: ['quiet', 'Change'],
};

export function timelinePage() {
  const span = h('select', { name: 'hours' }, SPANS.map(([value, words]) => h('option', { value }, words)));
  const type = h('select', { name: 'type' }, h('option', { value: '' }, 'every type'),
    Object.entries(NAMES).map(([value, [, words]]) => h('option', { value }, words)));
  const controller = h('input', { type: 'text', name: 'controller', autocomplete: 'off', spellcheck: 'false' });
  const submit = event => {
    event.preventDefault();
    go(['timeline'], { hours: span.value, type: type.value, controller: controller.value.trim() });
  };
  const place = h('div', {}, loading(8));
  const element = h('div', {},
    head('Timeline'),
    h('p', { class: 'lead' }, 'What has happened in the cluster, also on replicas that have ended. Changes of single items are in the ',
      h('a', { href: link(['audit']) }, 'audit'), '.'),
    h('form', { class: 'filters', role: 'search', 'aria-label': 'Filter the events', onsubmit: submit, onchange: submit },
      h('div', { class: 'fields' }, field('Since', span), field('Type', type), field('Controller', controller),
        h('button', { type: 'submit', class: 'visually-hidden' }, 'Apply the filter'))),
    place);
  let asked = 0;
  let timer = 0;
  let shown = '';

  async function show(route) {
    const mine = ++asked;
    const { query } = route;
    span.value = query.hours ?? '24';
    type.value = query.type ?? '';
    if (document.activeElement !== controller) {
      controller.value = query.controller ?? '';
    }
    shown = '';
    await read(mine, query);
  }

  async function read(mine, query) {
    clearTimeout(timer);
    const hours = Number(query.hours ?? 24);
    try {
      const list = document.hidden && shown ? null : await api.call('/timeline', {
        query: {
          since: hours > 0 ? new Date(Date.now() - hours * HOUR).toISOString() : undefined,
          type: query.type || undefined, controller: query.controller || undefined, limit: LIMIT,
        },
      });
      if (mine !== asked) {
        return;
      }
      const now = list && JSON.stringify([list.items, list.partial]);
      if (now && now !== shown) {
        shown = now;
        put(place, partialBanner(list),
          list.items.length === 0 ? emptyState('Nothing has happened', 'No event matches the filter.') : events(list.items),
          list.more && h('p', { class: 'hint' }, 'The youngest ' + count(list.items.length) + ' events; a shorter time shows all of it.'));
      }
    } catch (fault) {
      if (mine === asked) {
        put(place, failure(fault, () => read(mine, query)));
        return;
      }
    }
    if (mine === asked) {
      timer = setTimeout(() => read(mine, query), REFRESH_MILLIS);
    }
  }

  return {
    title: 'Timeline', element, show,
    dispose() {
      asked++;
      clearTimeout(timer);
    },
  };
}

function events(items) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Events' },
    h('table', { class: 'grid' },
      h('caption', { class: 'visually-hidden' }, 'Events, the youngest first'),
      h('thead', {}, h('tr', {}, ['When', 'What', 'On', 'Message', 'Replicas'].map(name => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, items.map(one => {
        const [tone, words] = NAMES[one.type] ?? ['info', one.type];
        return h('tr', {},
          h('td', { class: 'nowrap' }, time(one.at, 'wall')),
          h('td', { class: 'nowrap' }, badge(tone, words)),
          h('td', {}, place(one)),
          h('td', { class: 'wrap' }, one.actor && h('b', {}, one.actor + ': '), one.message),
          h('td', { class: 'quiet' }, one.replicas.join(', ')));
      }))));
}

function place(event) {
  if (!event.controller) {
    return '';
  }
  const query = event.type === 'causeFirstSeen' ? { cause: event.subject } : {};
  return h('a', { href: link(['controllers', event.controller], query) }, event.controller);
}
