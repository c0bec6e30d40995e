// SPDX-License-Identifier: Apache-2.0
// What has happened in the cluster: the events of all replicas, the youngest first, and charts of the same time.

import * as api from './api.js';
import { field } from './dialog.js';
import { h, put } from './dom.js';
import { count, now } from './format.js';
import { eventTable, findEvent, keyOf, millis, NAMES, timeOfKey } from './happenings.js';
import { timeCharts } from './timecharts.js';
import { emptyState, failure, head, loading, partialBanner } from './page.js';
import { current, go, link } from './router.js';

const LIMIT = 200;
const REFRESH_MILLIS = 10_000;
const HOUR = 3_600_000;
const SPANS = [['1', 'the last hour'], ['6', 'the last 6 hours'], ['24', 'the last day'], ['', 'all that is kept']];

export function timelinePage() {
  const span = h('select', { name: 'hours' }, SPANS.map(([value, words]) => h('option', { value }, words)),
    h('option', { value: 'range', hidden: true }, 'the time below'));
  const type = h('select', { name: 'type' }, h('option', { value: '' }, 'every type'),
    Object.entries(NAMES).map(([value, [, words]]) => h('option', { value }, words)));
  const controller = h('input', { type: 'text', name: 'controller', autocomplete: 'off', spellcheck: 'false' });
  const submit = event => {
    event.preventDefault();
    const { from, to, event: one } = current().query;
    const range = span.value === 'range' ? { from, to } : { hours: span.value || 'all' };
    go(['timeline'], { ...range, type: type.value, controller: controller.value.trim(), event: span.value === 'range' ? one : undefined });
  };
  const view = changes => ({ ...current().query, ...changes });
  const axis = timeCharts({
    choose: one => choose(one, 'row'),
    go: (from, to) => go(['timeline'], view({ hours: undefined, from: iso(from), to: iso(to) }), { replace: true }),
    now: () => go(['timeline'], view({ from: undefined, to: undefined, event: undefined }), { replace: true }),
  });
  const place = h('div', {}, loading(8));
  const element = h('div', {},
    head('Timeline'),
    h('p', { class: 'lead' }, 'What has happened in the cluster, also on replicas that have ended. Changes of single items are in the ',
      h('a', { href: link(['audit']) }, 'audit'), '.'),
    h('form', { class: 'filters', role: 'search', 'aria-label': 'Filter the events', onsubmit: submit, onchange: submit },
      h('div', { class: 'fields' }, field('Since', span), field('Type', type), field('Controller', controller),
        h('button', { type: 'submit', class: 'visually-hidden' }, 'Apply the filter'))),
    axis.element, place);
  let asked = 0;
  let timer = 0;
  let shown = '';
  let list = null;
  let read = ''; // what the list is of
  let follow = null; // where to go once the chosen event is drawn

  function choose(one, to) {
    follow = to;
    if (current().query.event === keyOf(one)) {
      draw(current().query);
      return;
    }
    go(['timeline'], view({ event: keyOf(one) }), { replace: true });
  }

  /** The time of an address: its own, that around its event, or the last hours. */
  function range(query) {
    const [from, to] = [Date.parse(query.from), Date.parse(query.to)];
    if (from < to) {
      return { from, to, isNow: false };
    }
    const end = now();
    const hours = query.hours === 'all' ? 0 : Number(query.hours ?? 1) || 1;
    const start = hours > 0 ? end - hours * HOUR : 0;
    const event = timeOfKey(query.event);
    return event < start || event > end + HOUR
      ? { from: event - HOUR / 2, to: event + HOUR / 2, isNow: false }
      : { from: start, to: end, isNow: true };
  }

  async function show(route) {
    const { query } = route;
    const time = range(query);
    span.value = time.isNow ? (query.hours === 'all' ? '' : query.hours ?? '1') : 'range';
    type.value = query.type ?? '';
    if (document.activeElement !== controller) {
      controller.value = query.controller ?? '';
    }
    const wanted = JSON.stringify([query.from, query.to, query.hours, query.type, query.controller, time.isNow || time.from]);
    if (wanted === read && list) {
      draw(query); // another event was chosen
      return;
    }
    read = wanted;
    shown = '';
    follow ??= query.event ? 'row' : null;
    await load(++asked, query);
  }

  async function load(mine, query) {
    clearTimeout(timer);
    const { from, to, isNow } = range(query);
    try {
      const found = document.hidden && shown ? null : await api.call('/timeline', {
        query: {
          since: from > 0 ? new Date(from).toISOString() : undefined, until: isNow ? undefined : new Date(to).toISOString(),
          type: query.type || undefined, controller: query.controller || undefined, limit: LIMIT,
        },
      });
      if (mine !== asked) {
        return;
      }
      list = found ?? list;
      draw(current().query);
    } catch (fault) {
      if (mine === asked) {
        put(place, failure(fault, () => load(mine, query)));
        axis.element.hidden = list === null; // it has no time yet
        shown = '';
      }
    }
    if (mine === asked && list) {
      axis.element.hidden = false;
      await axis.read(query.controller, () => mine === asked);
    }
    if (mine === asked) {
      timer = setTimeout(() => load(mine, current().query), REFRESH_MILLIS);
    }
  }

  function draw(query) {
    const { from, to, isNow } = range(query);
    const { items } = list;
    const chosen = findEvent(items, query.event) ?? null;
    const oldest = items.length > 0 ? millis(items.at(-1)) : to - HOUR;
    axis.show(items, from > 0 ? from : Math.min(oldest, to - HOUR), to, isNow, chosen);
    const state = JSON.stringify([items, list.partial, query.event]);
    if (state !== shown) {
      shown = state;
      put(place, partialBanner(list),
        query.event && !chosen && h('p', { class: 'hint', role: 'status' }, 'The event of this address is not kept any more, or the filter leaves it out.'),
        items.length === 0 ? emptyState('Nothing has happened', 'No event matches the filter.')
          : eventTable(items, chosen, { addressOf: one => link(['timeline'], view({ event: keyOf(one) })), choose: one => choose(one, 'mark') }),
        list.more && h('p', { class: 'hint' }, 'The youngest ' + count(items.length) + ' events; a shorter time shows all of it.'));
    }
    if (follow && chosen) {
      const to = follow;
      follow = null;
      if (to === 'mark') {
        axis.focusMark(chosen);
      } else {
        const row = place.querySelector('tr[aria-current]');
        row?.scrollIntoView({ block: 'center' });
        row?.querySelector('a')?.focus({ preventScroll: true });
      }
    }
  }

  return {
    title: 'Timeline', element, show,
    dispose() {
      asked++;
      clearTimeout(timer);
      axis.dispose();
    },
  };
}

function iso(time) {
  return new Date(Math.round(time / 1000) * 1000).toISOString().replace('.000', '');
}
