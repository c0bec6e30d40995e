// SPDX-License-Identifier: Apache-2.0
// Short messages at the edge of the page, read out by screen readers.

import { h } from './dom.js';

const SHOWN_MILLIS = 8_000;
const MAX_SHOWN = 4;

/** Shows a message for some seconds; `tone` is `good`, `bad` or `info`. */
export function notify(tone, ...content) {
  const area = document.getElementById('messages');
  // What is outside of an open dialog is neither seen nor read out.
  const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  if (area.parentElement !== place) {
    place.append(area);
  }
  const message = h('div', { class: 'message ' + tone },
    h('span', {}, ...content),
    h('button', { type: 'button', class: 'plain', 'aria-label': 'Close this message', onclick: () => message.remove() }, '×'));
  area.append(message);
  while (area.children.length > MAX_SHOWN) {
    area.firstElementChild.remove();
  }
  setTimeout(() => message.remove(), SHOWN_MILLIS);
}

/** Takes the messages out of a dialog that is about to go. */
export function leaveDialog(dialog) {
  const area = document.getElementById('messages');
  if (dialog.contains(area)) {
    document.body.append(area);
  }
}
