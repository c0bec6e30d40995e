// SPDX-License-Identifier: Apache-2.0
// How far an operation is, and the button that stops it.

import * as api from './api.js';
import * as rights from './rights.js';
import { requestReason } from './dialog.js';
import { h, put } from './dom.js';
import { count, items, span, time } from './format.js';
import { describe } from './filters.js';
import { cards, facts, partialBanner } from './page.js';
import { stateBadge } from './phases.js';

const POLL_MILLIS = 700;

/** Shows an operation until it has ended; `ended(operation)` is called then. */
export function followOperation(operation, ended = () => {}) {
  const view = h('div', { class: 'stack' });
  const stop = stopButton(operation, () => read()); // not drawn anew: the pointer may be on it
  const element = h('div', { class: 'stack' }, view, stop);
  let timer = 0;
  let over = false;
  let shown = false;

  function show(now) {
    put(view, operationView(now));
    stop.hidden = now.state !== 'Running';
    if (now.state === 'Running') {
      timer = setTimeout(read, POLL_MILLIS);
    } else if (!shown) {
      shown = true;
      ended(now);
    }
  }

  async function read() {
    clearTimeout(timer);
    try {
      const now = await api.call('/operations/' + api.segment(operation.id));
      if (!over) {
        show(now);
      }
    } catch {
      if (!over) {
        timer = setTimeout(read, POLL_MILLIS * 3);
      }
    }
  }

  show(operation);
  return {
    element,
    dispose() {
      over = true;
      clearTimeout(timer);
    },
  };
}

/** What an operation is about, how far it is and what came of it. */
function operationView(operation) {
  const total = operation.matched ?? 0;
  const done = operation.done ?? operation.changed ?? 0;
  const results = operation.byResult
    ?? [{ result: 'applied', count: operation.changed }, ...(operation.skipped ?? []).map(one => ({ result: 'skipped', ...one }))];
  return [
    partialBanner(operation),
    h('p', { class: 'title' }, stateBadge(operation.state), h('b', {}, operation.action), ' ', items(total), ' of ', operation.controller),
    h('progress', { max: Math.max(1, total), value: total === 0 ? 1 : done, 'aria-label': 'Items dealt with' }),
    h('p', { class: 'big', role: 'status' }, h('b', {}, count(done)), ' of ', count(total), ' done'),
    operation.detail && h('p', { class: 'banner warn' }, operation.detail),
    facts([
      ...results.filter(one => one.count > 0).map(one => [one.cause ? one.result + ': ' + one.cause : one.result, count(one.count)]),
      operation.relisted > 0 && ['Added again', count(operation.relisted)],
      operation.notRelisted > 0 && ['Not added again', count(operation.notRelisted)],
      operation.firstFailure && ['First failure', operation.firstFailure],
      operation.selector && ['Selector', describe(plain(operation.selector)) || 'every item'],
      operation.then && ['And then', operation.then],
      operation.itemsPerSecond && ['Pace', count(operation.itemsPerSecond) + ' items/s'],
      operation.actor && ['By', operation.actor],
      ['Reason', operation.reason],
      ['Began', time(operation.startedAt)],
      operation.expectedEnd && ['The last item is due', time(operation.expectedEnd)],
      (operation.endedAt ?? operation.finishedAt) && ['Took', span((Date.parse(operation.endedAt ?? operation.finishedAt) - Date.parse(operation.startedAt)) / 1000)],
      operation.stop && ['Stopped by', operation.stop.actor + ': ' + operation.stop.reason],
    ]),
    parts(operation),
  ];
}

function plain(selector) {
  return { ...selector, phase: [selector.phase ?? []].flat().join(',') || undefined,
    failing: selector.failing === undefined ? undefined : String(selector.failing) };
}

function parts(operation) {
  const list = operation.parts ?? [];
  return list.length > 1 && cards(h('table', { class: 'grid small' },
    h('thead', {}, h('tr', {}, ['Replica', 'State', 'Done', 'Of'].map((name, i) => h('th', { scope: 'col', class: i > 1 ? 'number' : null }, name)))),
    h('tbody', {}, list.map(one => h('tr', {},
      h('th', { scope: 'row' }, one.replica), h('td', {}, stateBadge(one.state)),
      h('td', { class: 'number' }, count(one.done)), h('td', { class: 'number' }, count(one.matched)))))));
}

function stopButton(operation, changed) {
  const button = h('button', {
    type: 'button',
    class: 'danger quiet',
    onclick: () => rights.offered(button) && requestReason({
      title: 'Stop the operation', intro: 'What was done stays done; the rest is left alone.', verb: 'Stop it', danger: true,
      submit: async reason => {
        await api.call('/operations/' + api.segment(operation.id), { method: 'DELETE', body: { reason } });
        changed();
      },
    }),
  }, 'Stop…');
  rights.guard(button, 'controllers/operations', 'stop', { controller: operation.controller, namespace: operation.selector?.namespace });
  return h('div', { class: 'buttons start' }, button);
}
