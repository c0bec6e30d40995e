// SPDX-License-Identifier: Apache-2.0
// Parts of pages.

import { h, put } from './dom.js';
import { call, explainFault, Problem } from './api.js';

/** The head of a page: its title, what is beside it, and what can be done. */
export function head(title, { beside = [], actions = [], above = null } = {}) {
  return h('header', { class: 'page-head' },
    h('div', {},
      above,
      h('div', { class: 'title' }, h('h1', { tabindex: -1 }, title), ...[beside].flat())),
    h('div', { class: 'actions' }, ...[actions].flat()));
}

/** A part of a page with a heading. */
export function section(title, ...content) {
  return h('section', { class: 'panel' }, title && h('h2', {}, title), ...content);
}

/** The message for an empty list, with a possible reason. */
export function emptyState(title, hint, ...more) {
  return h('div', { class: 'empty' }, h('p', { class: 'empty-title' }, title), hint && h('p', {}, hint), ...more);
}

/** The message of a failure, with a button to try again. */
export function failure(fault, again) {
  const denied = fault instanceof Problem && fault.status === 403;
  const required = fault.body?.required;
  return h('div', { class: 'empty bad', role: 'alert' },
    h('p', { class: 'empty-title' }, denied ? 'You may not see this' : 'This could not be read'),
    h('p', {}, explainFault(fault)),
    required && h('p', {}, 'Missing right: ', h('code', {}, required.verb + ' ' + required.resource + '.' + required.group)),
    fault.body?.requestId && h('p', { class: 'hint' }, 'Request ', h('code', {}, fault.body.requestId)),
    again && h('button', { type: 'button', onclick: again }, 'Try again'));
}

/**
 * Reads a list again and again while its page is open and not hidden, and puts into `place` what `show(list)`
 * returns. Returns a function that ends it.
 */
export function follow(place, path, millis, show) {
  let timer = 0;
  let ended = false;

  async function read() {
    clearTimeout(timer);
    try {
      const list = document.hidden ? null : await call(path);
      if (!ended && list) {
        put(place, ...[show(list)].flat());
      }
    } catch (fault) {
      if (!ended) {
        put(place, failure(fault, read));
      }
    }
    if (!ended) {
      timer = setTimeout(read, millis);
    }
  }

  read();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

/** Grey bars in the place of rows that are on their way. */
export function loading(rows = 4) {
  return h('div', { class: 'loading', role: 'status' },
    h('span', { class: 'visually-hidden' }, 'Loading'),
    Array.from({ length: rows }, () => h('span', { class: 'bar' })));
}

/** Whether a replica has not answered; one whose controller is syncing has. */
export function isMissing(replica) {
  return replica.state !== undefined && replica.state !== 'ok' && replica.state !== 'syncing';
}

/** Whether an answer may lack items because a controller has not received all objects of its sources yet. */
export function isSyncing(answer) {
  return (answer.replicas ?? []).some(one => one.state === 'syncing');
}

/** The replicas that did not answer, or not with everything, in a sentence. */
export function missingNames(missing) {
  return missing.map(one => one.replica + ' is ' + (one.state === 'timeout' ? 'too slow' : one.state)
    + (one.error ? ' (' + one.error + ')' : '')).join('; ') + '.';
}

/** The message for an answer without some replicas, with their names; null when it is whole. */
export function partialBanner(answer) {
  const missing = (answer.replicas ?? []).filter(one => one.state && one.state !== 'ok');
  if (missing.length === 0 && !answer.partial) {
    return null;
  }
  return h('div', { class: 'banner warn', role: 'status' },
    h('b', {}, 'Partial: not everything is shown. '),
    answer.historyProblem ? 'The history: ' + answer.historyProblem + '. ' : '',
    missing.length > 0 ? missingNames(missing)
      : answer.historyProblem ? ''
      : answer.unread ? 'No explanation of ' + answer.unread.join(', ') + '.'
      : answer.kind === 'ItemList' ? 'It began without a replica that did not answer then.' : 'A controller has no owner.');
}

/** Makes the rows of a table cards on a telephone, where each cell has the name of its column. */
export function cards(table) {
  const names = [...table.tHead.rows[0].cells].map(one => one.textContent.trim());
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, i) => {
      if (cell.localName === 'td' && names[i] && cell.colSpan === 1) {
        cell.dataset.name = names[i];
      }
    });
  }
  table.classList.add('cards');
  return table;
}

/** A list of names and values. */
export function facts(pairs) {
  return h('dl', { class: 'facts' }, pairs
    .filter(Boolean)
    .map(([name, ...value]) => h('div', {}, h('dt', {}, name), h('dd', {}, ...value))));
}

export function copyButton(label, textOf) {
  const button = h('button', {
    type: 'button',
    class: 'plain small',
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(textOf());
        put(button, 'Copied');
      } catch {
        put(button, 'Copying is not allowed here');
      }
      setTimeout(() => put(button, label), 2000);
    },
  }, label);
  return button;
}

export function notFoundPage() {
  return {
    title: 'Not found',
    element: h('div', {}, head('Page not found'), emptyState('There is no page with this address', '', h('a', { href: '#/' }, 'Go to the overview'))),
  };
}
