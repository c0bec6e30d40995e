// SPDX-License-Identifier: Apache-2.0
// Modal dialogs: the browser's own, which hold the focus and close by Escape.

import { h, put } from './dom.js';
import { explainFault } from './api.js';
import { leaveDialog } from './messages.js';

let made = 0;

/** Opens a dialog and returns `{element, body, foot, close}`; it is removed when it is closed. */
export function openDialog(title, { wide = false, className = '', onclose = () => {} } = {}) {
  const id = 'dialog-' + ++made;
  const body = h('div', { class: 'dialog-body' });
  const foot = h('div', { class: 'dialog-foot' });
  const element = h('dialog', { class: 'dialog ' + (wide ? 'wide ' : '') + className, 'aria-labelledby': id },
    h('header', { class: 'dialog-head' },
      h('h2', { id }, title),
      h('button', { type: 'button', class: 'plain close', 'aria-label': 'Close', onclick: () => element.close() }, '×')),
    body,
    foot);
  const back = document.activeElement;
  element.addEventListener('close', () => {
    leaveDialog(element);
    element.remove();
    onclose();
    if (back instanceof HTMLElement && back.isConnected) {
      back.focus();
    }
  });
  document.body.append(element);
  element.showModal();
  return { element, body, foot, close: () => element.close() };
}

/** A labelled field; `hint` explains it. */
export function field(label, input, hint) {
  const id = input.id || 'field-' + ++made;
  input.id = id;
  const hintId = hint ? id + '-hint' : null;
  if (hintId) {
    input.setAttribute('aria-describedby', hintId);
  }
  return h('div', { class: 'field' }, h('label', { for: id }, label), input, hint && h('p', { class: 'hint', id: hintId }, hint));
}

/** For how long to pause something; empty for a pause without an end. */
export function pauseDuration() {
  const duration = h('select', { name: 'duration' },
    [['', 'until it is resumed'], ['10m', 'for 10 minutes'], ['1h', 'for an hour'], ['8h', 'for 8 hours'], ['24h', 'for a day']]
      .map(([value, words]) => h('option', { value }, words)));
  duration.value = '1h';
  return duration;
}

/** A box to tick with its words. */
export function tick(label, input) {
  return h('label', { class: 'tick' }, input, h('span', {}, label));
}

let lastReason = '';

/** For the next person at this tab. */
export function forgetReason() {
  lastReason = '';
}

/**
 * A field with the last reason, which is the same in all of an incident: it is selected, so that another one replaces it. What is
 * dangerous begins without one, so that Enter alone does not start it.
 */
export function reasonField(danger = false) {
  const input = h('input', {
    type: 'text', name: 'reason', value: danger ? '' : lastReason, required: true, onfocus: () => input.select(),
    onchange: () => {
      lastReason = input.value.trim();
    },
    maxlength: 512, autocomplete: 'off', placeholder: 'such as INC-4211, vendor is back',
  });
  return { input, element: field('Reason', input, 'Goes to the audit log together with your name.') };
}

/** A place for faults that is read out when something is put there. */
export function faultBox() {
  const element = h('div', { class: 'fault', role: 'alert', hidden: true });
  return {
    element,
    show(fault) {
      put(element, typeof fault === 'string' ? fault : explainFault(fault));
      element.hidden = false;
    },
    clear() {
      put(element);
      element.hidden = true;
    },
  };
}

/**
 * A form for a reason and the values of `fields`, which is then submitted. `submit(reason)` returns a promise; the
 * dialog stays open with what went wrong when it fails.
 */
export function requestReason({ title, intro, fields = [], verb, danger = false, submit }) {
  const dialog = openDialog(title);
  const reason = reasonField(danger);
  const fault = faultBox();
  const button = h('button', { type: 'submit', class: danger ? 'danger' : 'primary' }, verb);
  const form = h('form', {
    class: 'stack',
    onsubmit: async event => {
      event.preventDefault();
      fault.clear();
      button.disabled = true;
      try {
        await submit(reason.input.value.trim());
        dialog.close();
      } catch (problem) {
        fault.show(problem);
        button.disabled = false;
      }
    },
  },
  intro && h('p', {}, intro),
  ...fields,
  reason.element,
  fault.element,
  h('div', { class: 'buttons' },
    h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
    button));
  put(dialog.body, form);
  (form.querySelector('input, select') ?? button).focus();
}
