// SPDX-License-Identifier: Apache-2.0
// The item table of a controller: one page of the list at a time, however many items there are.

import * as api from './api.js';
import { attribute, h, keyed, put, text } from './dom.js';
import { count, exact, time } from './format.js';
import { getItems } from './commands.js';
import { copyButton, emptyState, failure, isSyncing, loading, partialBanner } from './page.js';
import { badge, phaseBadge } from './phases.js';

const PAGE = 100;
const REFRESH_MILLIS = 3_000;

/**
 * Makes the table. `addressOf(changes)` is the address of this view with other parameters. It shows nothing until
 * `show(filter, after)` selects them.
 */
export function itemTable(controller, addressOf) {
  const body = h('tbody');
  const replicaHead = h('th', { scope: 'col' }, 'Replica');
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Items' },
    h('table', { class: 'grid items' },
      h('caption', { class: 'visually-hidden' }, 'Items of ' + controller),
      h('thead', {}, h('tr', {},
        ['Item', 'Phase', 'Failures', 'When', 'Trigger', 'Last error'].map((name, i) =>
          h('th', { scope: 'col', class: i === 2 ? 'number' : null }, name)),
        replicaHead)),
      body));
  const place = h('div');
  const banner = h('div');
  const first = h('a', { class: 'button', hidden: true }, 'First page');
  const next = h('a', { class: 'button', hidden: true }, 'Next page');
  const note = h('span', { class: 'hint', role: 'status' });
  const element = h('div', {}, banner, place,
    h('div', { class: 'pager' }, note, h('span', { class: 'spacer' }),
      copyButton('Copy as kubectl', () => getItems(controller, filter)),
      copyButton('Copy as curl', () => api.curl(path, query())), first, next));
  const path = '/controllers/' + api.segment(controller) + '/items';
  let filter = {};
  let after = null;
  let request = new AbortController();
  let timer = 0;
  let shownOnce = false;
  let cluster = false; // whether there are several replicas

  function query() {
    return { ...filter, limit: PAGE, continue: after };
  }

  async function read() {
    clearTimeout(timer);
    request.abort();
    const mine = new AbortController();
    request = mine;
    try {
      const list = await api.call(path, { query: query(), signal: mine.signal });
      if (request === mine) {
        show(list);
      }
    } catch (fault) {
      if (request === mine && !mine.signal.aborted) {
        fail(fault);
      }
    }
    if (request === mine) {
      timer = setTimeout(refresh, REFRESH_MILLIS);
    }
  }

  function refresh() {
    if (document.hidden || getSelection()?.type === 'Range') {
      timer = setTimeout(refresh, REFRESH_MILLIS); // hidden, or a selection is being copied
    } else {
      read();
    }
  }

  function fail(fault) {
    if (fault instanceof api.Problem && fault.slug === 'cursor-expired') {
      const on = fault.body.continue; // the walk goes on with the other replicas
      put(place, emptyState('This page has expired', fault.message,
        on && h('a', { class: 'button', href: addressOf({ after: on }) }, 'Continue with the other replicas'),
        h('a', { class: 'button', href: addressOf({ after: undefined }) }, 'Start again')));
    } else if (fault instanceof api.Problem || !shownOnce) {
      put(place, failure(fault, read));
      shownOnce = false;
    }
    // Without an answer the page before stays; the banner above shows that it is old.
  }

  function show(list) {
    shownOnce = true;
    put(banner, partialBanner(list));
    cluster = (list.replicas ?? []).length > 1;
    replicaHead.hidden = !cluster;
    if (list.items.length === 0 && isSyncing(list)) {
      put(place, emptyState('Not complete yet', 'The controller has not received all objects of its sources yet. Items appear here when it has.'));
    } else if (list.items.length === 0) {
      put(place, Object.keys(filter).length > 0
        ? emptyState('No item matches', 'No item of this queue matches the filter.', h('a', { class: 'button', href: addressOf({ clear: true }) }, 'Clear the filter'))
        : emptyState('The queue is empty', 'Items appear here when something happens to the objects that this controller watches.'));
    } else if (table.parentElement !== place) {
      put(place, table);
    }
    keyed(body, list.items, keyOf, item => row(item, addressOf, () => cluster));
    first.hidden = after === null;
    first.href = addressOf({ after: undefined });
    next.hidden = list.continue === undefined;
    if (list.continue !== undefined) {
      next.href = addressOf({ after: list.continue });
    }
    text(note, count(list.items.length) + (list.continue || after ? ' items on this page, the oldest first' : list.items.length === 1 ? ' item' : ' items'));
  }

  return {
    element,
    show(newFilter, newAfter) {
      filter = newFilter;
      after = newAfter;
      if (!shownOnce) {
        put(place, loading(8));
      }
      return read();
    },
    read,
    dispose() {
      clearTimeout(timer);
      request.abort();
    },
  };
}

function keyOf(item) {
  return item.id + '@' + (item.replica ?? '');
}

/** When an item does what is next for it, by its phase. */
export function when(item) {
  switch (item.phase) {
    case 'ready':
      return ['for ', time(item.readyAt, 'since')];
    case 'delayed':
      return item.readyAt ? ['due ', time(item.readyAt)] : 'until its cause is resumed';
    case 'waitingToken':
      return ['for ', time(item.waitingSince, 'since')];
    case 'inFlight':
      return ['for ', time(item.startedAt, 'since')];
    case 'terminal':
      return ['for ', time(item.failedAt, 'since')];
    default:
      return ['–'];
  }
}

const TRIGGERS = { event: 'event', initialList: 'first list', resync: 'resync', retry: 'retry', requeueAfter: 'requeue after', operator: 'operator' };

export function triggerName(trigger) {
  return TRIGGERS[trigger] ?? trigger;
}

function row(item, addressOf, inCluster) {
  const anchor = h('a', {},
    item.key.namespace && h('span', { class: 'namespace' }, item.key.namespace + '/'),
    h('span', {}, item.key.name));
  const phase = h('td');
  const failures = h('td', { class: 'number' });
  const at = h('td', { class: 'nowrap' });
  const trigger = h('td', { class: 'nowrap quiet' });
  const error = h('td', { class: 'error-cell' });
  const replica = h('td', { class: 'nowrap quiet' });
  const element = h('tr', {}, h('th', { scope: 'row', class: 'key' }, anchor), phase, failures, at, trigger, error, replica);
  let shown = '';

  function update(now) {
    const cluster = inCluster();
    const key = cluster + ' ' + now.seq + ' ' + now.rev + ' ' + now.overdue;
    if (key === shown) {
      return;
    }
    shown = key;
    anchor.href = addressOf({ item: now.id, replica: cluster ? now.replica : undefined });
    put(phase, phaseBadge(now.phase), now.dirty && badge('info', 'again'), now.overdue && badge('bad', 'overdue'), now.held && badge('warn', 'held'));
    text(failures, now.failures > 0 ? count(now.failures) : '–');
    attribute(failures, 'class', now.failures > 0 ? 'number failing' : 'number zero');
    put(at, when(now));
    text(trigger, triggerName(now.trigger));
    text(error, now.lastError ?? '');
    attribute(error, 'title', now.lastError ? now.lastError + ' — ' + exact(now.lastErrorAt) : null);
    text(replica, now.replica ?? '');
    replica.hidden = !cluster;
  }
  return { element, update };
}
