// SPDX-License-Identifier: Apache-2.0
// Undoes a change: shows what would be restored, and restores it with a reason.

import * as api from './api.js';
import { requestReason } from './dialog.js';
import { h, put } from './dom.js';
import { notify } from './messages.js';

const ROUTE = 'POST /changes/{q}/undo';

/** Whether the host can undo changes. */
export function canUndo() {
  return api.has(ROUTE);
}

function path(requestId) {
  return '/changes/' + api.segment(requestId) + '/undo';
}

/** Opens the dialog for the change of a request; `done()` is called when it is undone. */
export function openUndo(requestId, done = () => {}) {
  const shown = h('div', { class: 'preview', 'aria-live': 'polite' }, h('p', {}, 'Checking what would be restored…'));
  requestReason({
    title: 'Undo a change',
    intro: 'What was before the change is restored. It is refused when it was changed since.',
    fields: [shown],
    verb: 'Undo the change',
    submit: async reason => {
      const { requestId: undone, change } = await api.call(path(requestId), { method: 'POST', body: { reason } });
      changed(undone, 'Restored: ' + change + '.', done);
      done();
    },
  });
  api.call(path(requestId), { method: 'POST', body: { reason: 'preview', dryRun: true } }).then(
    undo => put(shown, h('p', {}, 'It would restore: ', h('b', {}, undo.change)), undo.detail && h('p', { class: 'hint' }, undo.detail)),
    fault => put(shown, h('p', { class: 'fault' }, api.explainFault(fault))));
}

/** Shows a message about a change of this page that offers to undo it. */
export function changed(requestId, words, done = () => {}) {
  notify('good', words, ...(canUndo() && requestId
    ? [' ', h('button', { type: 'button', onclick: () => openUndo(requestId, done) }, 'Undo…')]
    : []));
}
