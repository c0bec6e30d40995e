// SPDX-License-Identifier: Apache-2.0
// The columns of an item list, and a row of it.

import { attribute, h, put, text } from './dom.js';
import { count, exact, time } from './format.js';
import { badge, phaseBadge, PHASES } from './phases.js';

const WHEN = {
  ready: item => ['for ', item.readyAt, 'since'],
  delayed: item => ['due ', item.readyAt],
  waitingToken: item => ['for ', item.waitingSince, 'since'],
  inFlight: item => ['for ', item.startedAt, 'since'],
  terminal: item => ['for ', item.failedAt, 'since'],
};

/** When an item does what is next for it, by its phase. */
export function when(item) {
  const [word, at, how] = WHEN[item.phase]?.(item) ?? [];
  if (item.held && !item.readyAt) {
    return ['until its cause is resumed'];
  }
  return word ? [word, time(at, how)] : ['–'];
}

const TRIGGERS = { event: 'event', initialList: 'first list', resync: 'resync', retry: 'retry', requeueAfter: 'requeue after', operator: 'operator' };

export function triggerName(trigger) {
  return TRIGGERS[trigger] ?? trigger;
}

/** The columns; `of` is what a list that is whole is sorted by. */
export const COLUMNS = [
  { key: 'item', name: 'Item', words: true, of: item => (item.key.namespace ?? '') + '/' + item.key.name },
  { key: 'phase', name: 'Phase', words: true, of: item => PHASES.indexOf(item.phase) },
  { key: 'failures', name: 'Failures', number: true, of: item => item.failures },
  { key: 'when', name: 'When', words: true, of: item => Date.parse(WHEN[item.phase]?.(item)[1]) || 0 },
  { key: 'trigger', name: 'Trigger', words: true, of: item => triggerName(item.trigger) },
  { key: 'error', name: 'Last error', words: true, of: item => item.lastError ?? '' },
  { key: 'replica', name: 'Replica', words: true, of: item => item.replica ?? '' },
];

/** Compares items by the `key.up` or `key.down` of an address; null when it names no column. */
export function comparison(sort) {
  const [key, direction] = (sort ?? '').split('.');
  const column = COLUMNS.find(one => one.key === key);
  if (!column) {
    return null;
  }
  const sign = direction === 'down' ? -1 : 1;
  return (a, b) => {
    const [x, y] = [column.of(a), column.of(b)];
    return (x < y ? -sign : x > y ? sign : 0) || a.seq - b.seq;
  };
}

/** What is shown in the place of an item whose page is not kept. */
export function gapRow() {
  const element = h('tr', { class: 'gap' }, h('td'), h('th', { scope: 'row', class: 'key' }, h('span', { class: 'bar' })));
  return { element, update: () => {} };
}

/**
 * A row; `view` has `addressOf(changes)`, `cluster`, whether there are several replicas, the `selection`, and `pick(item, event)` for
 * a click on a box.
 */
export function itemRow(item, view) {
  const anchor = h('a', {},
    item.key.namespace && h('span', { class: 'namespace' }, item.key.namespace + '/'),
    h('span', {}, item.key.name));
  const phase = h('td', { class: 'col-phase' });
  const failures = h('td', { class: 'col-failures number' });
  const at = h('td', { class: 'col-when' });
  const trigger = h('td', { class: 'col-trigger quiet' });
  const error = h('td', { class: 'col-error error-cell' });
  const replica = h('td', { class: 'col-replica quiet' });
  const key = h('th', { scope: 'row', class: 'key col-item', title: (item.key.namespace ? item.key.namespace + '/' : '') + item.key.name }, anchor);
  const box = h('input', { type: 'checkbox', 'aria-label': 'Select ' + key.title, onclick: event => view.pick(item, event) });
  // Without this the words between two boxes would be selected.
  const pick = h('td', { class: 'col-pick', onmousedown: event => event.shiftKey && event.preventDefault() }, box);
  const element = h('tr', {}, pick, key, phase, failures, at, trigger, error, replica);
  let shown = '';

  function update(now) {
    item = now;
    box.checked = view.selection.has(now);
    box.disabled = view.selection.all;
    const state = view.cluster + ' ' + now.seq + ' ' + now.rev + ' ' + now.overdue;
    if (state === shown) {
      return;
    }
    shown = state;
    anchor.href = view.addressOf({ item: now.id, replica: view.cluster ? now.replica : undefined });
    put(phase, phaseBadge(now.phase), now.dirty && badge('info', 'again'), now.overdue && badge('bad', 'overdue'), now.held && badge('warn', 'held'));
    text(failures, now.failures > 0 ? count(now.failures) : '–');
    attribute(failures, 'class', 'col-failures number ' + (now.failures > 0 ? 'failing' : 'zero'));
    put(at, when(now));
    text(trigger, triggerName(now.trigger));
    text(error, now.lastError ?? '');
    attribute(error, 'title', now.lastError ? now.lastError + ' — ' + exact(now.lastErrorAt) : null);
    text(replica, now.replica ?? '');
    replica.hidden = !view.cluster;
  }
  return { element, update };
}
