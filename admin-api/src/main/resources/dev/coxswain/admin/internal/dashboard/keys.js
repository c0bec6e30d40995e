// SPDX-License-Identifier: Apache-2.0
// The keys of the dashboard. They move the focus of the browser, so that Enter and screen readers do what they always do. All of
// them can be turned off: speech input types single letters.

import { openDialog, tick } from './dialog.js';
import { h, put } from './dom.js';
import { keepShortcuts, shortcuts } from './settings.js';

const KEYS = [
  ['j', 'to the next row of the table'],
  ['k', 'to the row before'],
  ['Enter', 'opens the row'],
  ['x', 'selects the row, or does not any longer'],
  ['X', 'selects all rows from the last one to this one'],
  ['Esc', 'closes a dialog; leaves the search box'],
  ['/', 'to the search box'],
  ['?', 'shows this list'],
];
const CHORD_MILLIS = 1_500;
const TICKED = ['checkbox', 'radio', 'button', 'submit'];

/** Whether a letter is written into an element, or chooses from it. */
function isWritten(element) {
  return element.isContentEditable || ['TEXTAREA', 'SELECT'].includes(element.tagName)
    || (element.tagName === 'INPUT' && !TICKED.includes(element.type));
}

/** Moves the focus to the row `step` further, or to the first one that is seen. */
function move(step) {
  const row = document.activeElement.closest('main tr');
  const table = row?.closest('table') ?? document.querySelector('main table.items') ?? document.querySelector('main table.grid');
  const rows = [...table?.querySelectorAll('tbody:not([aria-hidden]) > tr:not(.gap)') ?? []].filter(one => one.offsetParent !== null);
  const here = rows.indexOf(row);
  const next = here >= 0 ? rows[here + step] : rows.find(isSeen) ?? rows[0];
  if (next) {
    const target = next.querySelector('th a, a:not([tabindex])') ?? next;
    if (target === next) {
      next.tabIndex = -1;
    }
    target.focus();
    next.scrollIntoView({ block: 'nearest' });
  }
}

function isSeen(row) {
  const box = row.getBoundingClientRect();
  const top = row.closest('.scroll')?.getBoundingClientRect().top ?? 0;
  return box.top >= Math.max(top, 0) && box.bottom <= innerHeight;
}

function select(shiftKey) {
  document.activeElement.closest('main tr')?.querySelector('td input[type="checkbox"]:not(:disabled)')
    ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }));
}

/** Receives the keys until it is disposed of; `pages` are links with a `key`, to be pressed after `g`, and `find` the search box. */
export function keyboard(pages, find) {
  const places = pages.filter(one => one.key);
  const acts = {
    j: () => move(1),
    k: () => move(-1),
    x: () => select(false),
    X: () => select(true),
    '/': () => find?.focus(),
    '?': help,
  };
  let chord = -Infinity; // when `g` was pressed

  function help() {
    const dialog = openDialog('Keyboard shortcuts', { className: 'keys' });
    const box = h('input', { type: 'checkbox', name: 'shortcuts', checked: shortcuts(), onchange: () => keepShortcuts(box.checked) });
    const rows = [...KEYS, ...places.map(one => ['g ' + one.key, 'to the page ' + one.name])];
    put(dialog.body,
      tick('Use these keys', box),
      h('p', { class: 'hint' }, 'Turn them off if you speak to this page, or if another program needs the keys. None of them works while a field has the focus.'),
      h('table', { class: 'grid' }, h('caption', { class: 'visually-hidden' }, 'Keys'),
        h('tbody', {}, rows.map(([key, what]) => h('tr', {},
          h('th', { scope: 'row' }, key.split(' ').map(one => [h('kbd', {}, one), ' '])), h('td', {}, what))))));
    box.focus();
  }

  function onkeydown(event) {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || !shortcuts()
        || isWritten(event.target) || document.querySelector('dialog[open]')) {
      return;
    }
    const place = event.timeStamp - chord < CHORD_MILLIS && places.find(one => one.key === event.key);
    chord = event.key === 'g' && !place ? event.timeStamp : -Infinity;
    const act = place ? () => place.element.click() : acts[event.key];
    if (act) {
      event.preventDefault(); // it would be written into the box
      act();
    }
  }

  document.addEventListener('keydown', onkeydown);
  return {
    element: h('button', { type: 'button', class: 'plain help', 'aria-label': 'Keyboard shortcuts', title: 'Keyboard shortcuts', onclick: help }, '?'),
    dispose: () => document.removeEventListener('keydown', onkeydown),
  };
}
