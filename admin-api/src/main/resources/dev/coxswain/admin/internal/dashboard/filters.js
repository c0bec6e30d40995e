// SPDX-License-Identifier: Apache-2.0
// The filter of an item list: in the address, in a form, and as the selector of an operation.

import { h } from './dom.js';
import { field } from './dialog.js';
import { PHASE_NAMES, PHASES } from './phases.js';

const FILTERS = ['phase', 'failing', 'minFailures', 'namespace', 'name', 'olderThan', 'readyBefore', 'errorClass', 'cause', 'labelSelector'];

/** The filter in the parameters of an address. */
export function filterOf(query) {
  return Object.fromEntries(FILTERS.filter(name => query[name] !== undefined && query[name] !== '').map(name => [name, query[name]]));
}

/** The same as the selector of an operation. */
export function selectorOf(filter) {
  const selector = { ...filter };
  if (filter.phase) {
    selector.phase = filter.phase.split(',');
  }
  if (filter.failing) {
    selector.failing = filter.failing === 'true';
  }
  if (filter.minFailures) {
    selector.minFailures = Number(filter.minFailures);
  }
  return selector;
}

/** The filter in words. */
export function describe(filter) {
  const words = [];
  if (filter.phase) {
    words.push(filter.phase.split(',').map(phase => (PHASE_NAMES[phase] ?? phase).toLowerCase()).join(' or '));
  }
  if (filter.failing) {
    words.push(filter.failing === 'true' ? 'failing' : 'not failing');
  }
  if (filter.minFailures) {
    words.push('at least ' + filter.minFailures + ' failures');
  }
  if (filter.namespace) {
    words.push('namespace ' + filter.namespace);
  }
  if (filter.name) {
    words.push('name ' + filter.name);
  }
  if (filter.olderThan) {
    words.push('older than ' + filter.olderThan);
  }
  if (filter.readyBefore) {
    words.push('due before ' + filter.readyBefore);
  }
  if (filter.errorClass) {
    words.push('last error ' + filter.errorClass);
  }
  if (filter.cause) {
    words.push('cause ' + filter.cause);
  }
  if (filter.labelSelector) {
    words.push('labels ' + filter.labelSelector);
  }
  return words.join(', ');
}

const FIELDS = [
  { key: 'namespace', name: 'Namespace', hint: 'exactly', size: 16 },
  { key: 'name', name: 'Name', hint: 'with * and ?', size: 20 },
  { key: 'minFailures', name: 'Failures', hint: 'at least', size: 7, type: 'number', min: 0, max: 999999999 },
  { key: 'errorClass', name: 'Last error', hint: 'TimeoutException', size: 18 },
  { key: 'cause', name: 'Cause', hint: 'its id', size: 13 },
  { key: 'olderThan', name: 'In its phase for', hint: 'such as 5m', size: 10 },
  { key: 'labelSelector', name: 'Labels', hint: 'app=web,!tier', size: 16 },
];

/** The form; `apply(filter)` is called when something has been chosen. */
export function filterForm(apply) {
  let filter = {};
  const tabs = [null, ...PHASES].map(phase => {
    const button = h('button', { type: 'button', class: 'tab', onclick: () => apply({ ...filter, phase }) },
      phase === null ? 'All' : PHASE_NAMES[phase]);
    const number = h('span', { class: 'tab-count' });
    button.append(' ', number);
    return { phase, button, number };
  });
  const failingNumber = h('span', { class: 'tab-count' });
  const failing = h('button', {
    type: 'button', class: 'tab failing', 'aria-pressed': 'false',
    onclick: () => apply({ ...filter, failing: filter.failing === 'true' ? undefined : 'true' }),
  }, 'Failing only ', failingNumber);
  const inputs = FIELDS.map(one => ({
    key: one.key,
    input: h('input', { type: one.type ?? 'text', name: one.key, size: one.size, min: one.min, max: one.max, placeholder: one.hint, autocomplete: 'off', spellcheck: 'false' }),
    name: one.name,
  }));
  const clear = h('a', { href: '#', class: 'small', hidden: true, onclick: event => {
    event.preventDefault();
    apply({});
  } }, 'Clear the filter');
  const submit = event => {
    event?.preventDefault();
    const chosen = Object.fromEntries(inputs.map(one => [one.key, one.input.value.trim() || undefined]));
    apply({ ...filter, ...chosen });
  };
  const element = h('form', { class: 'filters', role: 'search', 'aria-label': 'Filter the items', onsubmit: submit, onchange: submit },
    h('div', { class: 'tabs', role: 'group', 'aria-label': 'Phase' }, tabs.map(one => one.button), failing),
    h('div', { class: 'fields' },
      inputs.map(one => field(one.name, one.input)),
      h('button', { type: 'submit', class: 'visually-hidden' }, 'Apply the filter'),
      clear));
  return {
    element,
    /** Shows the filter that is in force, and how many items are in each phase without it. */
    show(now, controller) {
      filter = now;
      for (const { phase, button, number } of tabs) {
        button.setAttribute('aria-pressed', String((filter.phase ?? null) === phase));
        const counted = phase === null ? controller?.total : controller?.counts?.[phase];
        number.textContent = counted === undefined ? '' : counted.toLocaleString('en');
      }
      failing.setAttribute('aria-pressed', String(filter.failing === 'true'));
      failingNumber.textContent = controller?.failing === undefined ? '' : controller.failing.toLocaleString('en');
      for (const { key, input } of inputs) {
        if (document.activeElement !== input) {
          input.value = filter[key] ?? '';
        }
      }
      clear.hidden = Object.keys(filter).length === 0;
    },
  };
}
