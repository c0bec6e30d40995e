// SPDX-License-Identifier: Apache-2.0
// One object: what each controller has to report of it, and the search box that leads here.

import * as api from './api.js';
import { findObject } from './commands.js';
import { h, put, text } from './dom.js';
import { reasonName } from './drawer.js';
import { count, sentence, time } from './format.js';
import { when } from './itemrow.js';
import { cards, copyButton, emptyState, failure, head, loading, partialBanner } from './page.js';
import { badge, phaseBadge } from './phases.js';
import { go, link } from './router.js';

const REFRESH_MILLIS = 5_000;

// Reasons without an item. Those that a newer host has more of are shown without a colour.
const TONES = {
  unread: 'bad', notRunning: 'bad', noOwner: 'bad', apiServerUnreachable: 'bad', replicaSuspended: 'bad',
  paused: 'warn', causePaused: 'warn', notSynced: 'warn', stopping: 'warn', loading: 'warn', succeeded: 'good',
};
const MEANINGLESS = ['leftOut', 'notInCache', 'unknownName'];

/** The object in the text of the search box: `namespace/name`, or `name` for an object without a namespace. */
export function objectOf(words) {
  const key = words.trim();
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) };
}

/** The search box: Escape leads back to where the focus was, Enter to the page of the object. */
export function findBox() {
  const input = h('input', {
    type: 'search', name: 'object', 'aria-label': 'Find an object', 'aria-keyshortcuts': '/', autocomplete: 'off', spellcheck: 'false',
    placeholder: 'Find namespace/name', title: 'What each controller has to report of an object; press / to write here',
    onkeydown: event => {
      if (event.key === 'Escape') {
        input.blur();
        (before?.isConnected ? before : null)?.focus();
      }
    },
  });
  let before = null; // what had the focus
  const element = h('form', { class: 'find', role: 'search', 'aria-label': 'Objects', onsubmit: event => {
    event.preventDefault();
    const object = objectOf(input.value);
    if (object.name) {
      go(['objects'], object);
    }
  } }, input);
  return {
    element,
    focus() {
      before = document.activeElement;
      input.focus();
      input.select();
    },
  };
}

/** The page of an object; with `controller`, of this one only. */
export function objectPage({ namespace = '', name = '', controller }) {
  const query = controller ? { namespace, name, controller } : { namespace, name };
  const title = (namespace && namespace + '/') + name;
  const place = h('div', {}, loading(4));
  const note = h('span', { class: 'hint', role: 'status' });
  const element = h('div', {},
    head(title || 'Object'),
    h('p', { class: 'lead' }, 'What each controller has to report of this object, whether it is queued, done, deleted or unknown.'),
    place);
  const foot = h('div', { class: 'pager' }, note, h('span', { class: 'spacer' }),
    copyButton('Copy as kubectl', () => findObject(query)), copyButton('Copy as curl', () => api.curl('/objects', query)));
  let timer = 0;
  let ended = false;
  let shown = '';

  async function read() {
    clearTimeout(timer);
    try {
      const selecting = getSelection()?.type === 'Range'; // it is being copied
      const list = document.hidden || (shown && selecting) ? null : await api.call('/objects', { query });
      if (!ended && list) {
        show(list);
      }
    } catch (fault) {
      if (!ended) {
        shown = '';
        put(place, failure(fault, read));
      }
    }
    if (!ended) {
      timer = setTimeout(read, REFRESH_MILLIS);
    }
  }

  function show(list) {
    const now = JSON.stringify(list).replaceAll(/\.\d+Z/g, 'Z'); // times waver by microseconds
    if (now === shown) {
      return;
    }
    shown = now;
    put(place, partialBanner(list), table(list), foot);
    text(note, count(list.items.length) + (list.items.length === 1 ? ' controller' : ' controllers')
      + (list.hidden ? '; ' + count(list.hidden) + ' more whose items you may not see' : ''));
  }

  if (name) {
    read();
  } else {
    put(place, emptyState('Which object?', 'Write its namespace and name into the box above, such as default/web-1.'));
  }
  return {
    title: title || 'Object',
    element,
    dispose() {
      ended = true;
      clearTimeout(timer);
    },
  };
}

function table(list) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Controllers' },
    cards(h('table', { class: 'grid objects' },
      h('caption', { class: 'visually-hidden' }, 'The object at each controller'),
      h('thead', {}, h('tr', {}, ['Controller', 'Why it is, or is not, reconciled', 'Phase', 'Failures', 'When', 'Replica'].map((column, i) =>
        h('th', { scope: 'col', class: i === 3 ? 'number' : null }, column)))),
      h('tbody', {}, list.items.map(row)))));
}

function row(one) {
  const { item } = one;
  const tone = item ? (item.failing ? 'bad' : 'info') : TONES[one.reason] ?? 'quiet';
  return h('tr', { class: MEANINGLESS.includes(one.reason) && !item ? 'meaningless' : null },
    h('th', { scope: 'row' }, h('a', { href: link(['controllers', one.controller], { item: one.id }) }, one.controller)),
    h('td', { class: 'why' }, badge(tone, reasonName(one.reason)), h('p', {}, sentence(one.message)),
      item?.lastError && h('p', { class: 'mono quiet' }, item.lastError)),
    h('td', {}, item ? phaseBadge(item.phase) : '–'),
    h('td', { class: 'number ' + (item?.failures > 0 ? 'failing' : 'zero') }, item?.failures > 0 ? count(item.failures) : '–'),
    h('td', { class: 'nowrap' }, item ? when(item) : one.endedAt ? time(one.endedAt) : '–'),
    h('td', { class: 'nowrap quiet' }, one.replica ?? '–'));
}
