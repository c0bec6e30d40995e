// SPDX-License-Identifier: Apache-2.0
// Saved views: names for addresses, in the storage of this browser. An address has the filter, the order, the columns and the
// density, so a view is a link.

import { field, faultBox, openDialog } from './dialog.js';
import { h, put } from './dom.js';
import { copyButton } from './page.js';
import { current, go, link } from './router.js';
import { density, keepDensity, read, write } from './settings.js';

const KEY = 'coxswain.views';
const MOST = 20;
const LONGEST_NAME = 60;
const LONGEST_ADDRESS = 2_000;

/** The views that are stored, `{name, address}`; what is no view is left out. */
function stored() {
  try {
    const all = JSON.parse(read(KEY) ?? '[]');
    return all.filter(one => typeof one?.name === 'string' && String(one.address).startsWith('#/')).slice(0, MOST);
  } catch {
    return [];
  }
}

/** The address of what is shown, without an item that is open. */
function addressNow() {
  const { segments, query } = current();
  return link(segments, { ...query, item: undefined, replica: segments[0] === 'controllers' ? undefined : query.replica, density: density() });
}

function whole(address) {
  return new URL(address, location.href).href;
}

/** The button that opens the views. */
export function viewsButton() {
  return h('button', { type: 'button', class: 'plain', onclick: open }, 'Views');
}

function open() {
  const dialog = openDialog('Views');
  const fault = faultBox();
  const list = h('div');
  const name = h('input', { type: 'text', name: 'view', required: true, maxlength: LONGEST_NAME, autocomplete: 'off', placeholder: 'such as failing payments' });
  const dense = h('select', { name: 'density', onchange: () => {
    keepDensity(dense.value);
    const { segments, query } = current();
    go(segments, { ...query, density: dense.value }, { replace: true });
  } }, [['comfortable', 'Comfortable'], ['compact', 'Compact']].map(([value, words]) => h('option', { value }, words)));
  dense.value = density();

  function show() {
    const views = stored();
    put(list, views.length === 0
      ? h('p', { class: 'hint' }, 'No view is stored in this browser yet.')
      : h('ul', { class: 'views' }, views.map(one => h('li', {},
        h('a', { href: one.address, onclick: () => dialog.close() }, one.name),
        h('span', { class: 'spacer' }),
        copyButton('Copy link', () => whole(one.address)),
        h('button', { type: 'button', class: 'plain small', 'aria-label': 'Remove ' + one.name, onclick: () => keep(stored().filter(other => other.name !== one.name)) }, 'Remove')))));
  }

  function keep(views) {
    fault.clear();
    if (!write(KEY, JSON.stringify(views))) {
      fault.show('This browser stores nothing for this page.');
    }
    show();
  }

  function save(event) {
    event.preventDefault();
    const wanted = name.value.trim();
    const address = addressNow();
    const others = stored().filter(one => one.name !== wanted);
    if (others.length >= MOST) {
      fault.show(MOST + ' views are stored, no more are kept. Remove one first.');
    } else if (address.length > LONGEST_ADDRESS) {
      fault.show('The filter is too long for a view.');
    } else if (wanted !== '') {
      keep([...others, { name: wanted, address }]);
      name.value = '';
    }
  }

  show();
  put(dialog.body,
    h('form', { class: 'stack', onsubmit: save },
      field('Name for this view', name, 'The address has the filter, the order, the columns and the density.'),
      fault.element,
      h('div', { class: 'buttons' }, copyButton('Copy link to this view', () => whole(addressNow())), h('button', { type: 'submit', class: 'primary' }, 'Save'))),
    h('section', {}, h('h3', {}, 'Saved views'), list),
    field('Density of tables', dense));
  name.focus();
}
