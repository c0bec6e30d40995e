// SPDX-License-Identifier: Apache-2.0
// One item: why it is, or is not, being reconciled, its last error, and what can be done about it.

import * as api from './api.js';
import * as rights from './rights.js';
import { attemptsSection } from './attempts.js';
import { explainItem } from './commands.js';
import { requestReason, field, openDialog } from './dialog.js';
import { h, put } from './dom.js';
import { count, sentence, time } from './format.js';
import { triggerName, when } from './itemrow.js';
import { live } from './live.js';
import { notify } from './messages.js';
import { copyButton, emptyState, facts, failure, loading, partialBanner } from './page.js';
import { badge, phaseBadge } from './phases.js';
import { link } from './router.js';
import { slotFact } from './slots.js';

const REFRESH_MILLIS = 2_000;

const REASONS = {
  apiServerUnreachable: 'The API server does not answer',
  replicaSuspended: 'The replica has not renewed its Lease in time',
  ready: 'It is the next item of the ready queue',
  workersBusy: 'All workers are busy',
  workersExhausted: 'Attempts that do not end occupy all workers',
  backoff: 'It failed and waits for the end of its backoff',
  writeDenied: 'An admission webhook denied its write',
  scheduled: 'It is due later',
  waitingToken: 'It waits for the limiter',
  inFlight: 'It is being reconciled now',
  overdue: 'Its attempt is past its time limit',
  paused: 'The controller is paused',
  causePaused: 'Its cause is paused',
  notSynced: 'The sources of the controller are not complete yet',
  stopping: 'The controller is stopping',
  terminal: 'It failed, and no retry can cure it',
  dropped: 'It was dropped',
  flushed: 'It was flushed',
  succeeded: 'It was reconciled successfully',
  deleted: 'The object was deleted',
  loading: 'The objects of its slot are being loaded',
  leftOut: 'The controller leaves it out',
  notInCache: 'The object is not in the informer of the controller',
  notOwned: 'Another replica owns its slot',
  noOwner: 'No replica owns its slot now',
  unknownName: 'The controller has no request of this name',
  notTracked: 'It is not in the queue',
  notRunning: 'The controller does not run',
  unread: 'The controller gave no explanation',
};

/** The name of a reason; a newer host may have more of them. */
export function reasonName(reason) {
  return REASONS[reason] ?? reason;
}

/**
 * Opens the item in a drawer; `onclose` runs when it has been closed, `changed` after each action, and
 * `addressOf(changes)` is the address of the view with other parameters.
 */
export function openItem(controller, id, replica, { addressOf, onclose, changed }) {
  const path = '/controllers/' + api.segment(controller) + '/items/' + api.segment(id);
  const name = keyOf(id);
  // The slot of its key decides which replica has the item, and may move while it is shown.
  const sharded = () => live.controllers.get(controller)?.ownership === 'sharded';
  const pinned = sharded() ? undefined : replica;
  let timer = 0;
  let ended = false;
  let rev = null;
  let tracker = pinned; // who tracks it, and so whom an action is for
  let shown = '';
  const dialog = openDialog(name.name, {
    className: 'drawer',
    onclose: () => {
      ended = true;
      clearTimeout(timer);
      onclose();
    },
  });
  const where = h('p', { class: 'hint' }, (name.namespace ? 'Namespace ' + name.namespace + ' · ' : '') + 'controller ' + controller);
  const state = h('div', { class: 'stack' }, loading(5));
  put(dialog.body, where, state);
  const act = actions(controller, name, () => ({ path, rev, replica: tracker }), async () => {
    changed();
    await read();
  });
  put(dialog.foot, act.element, h('div', { class: 'buttons' },
    copyButton('Copy as kubectl', () => explainItem(controller, name)),
    copyButton('Copy as curl', () => api.curl(path + '/explain', { replica: pinned }))));

  async function read() {
    clearTimeout(timer);
    try {
      const explanation = await api.call(path + '/explain', { query: { replica: pinned } });
      if (!ended) {
        rev = explanation.item?.rev ?? null;
        tracker = sharded() ? undefined : explanation.replica ?? pinned;
        const now = JSON.stringify(explanation).replaceAll(/\.\d+Z/g, 'Z'); // times waver by microseconds
        if (now !== shown) {
          shown = now;
          put(state, view(controller, explanation, addressOf));
          act.show(explanation.item);
        }
      }
    } catch (fault) {
      if (!ended && fault instanceof api.Problem) {
        shown = '';
        put(state, fault.status === 404 ? emptyState('It is not in the queue', fault.message) : failure(fault, read));
        act.show(null);
      }
    }
    if (!ended) {
      timer = setTimeout(read, REFRESH_MILLIS);
    }
  }

  read();
  return dialog;
}

/** The key in an id: the unpadded base64url form of `namespace/name`. */
export function keyOf(id) {
  try {
    const bytes = Uint8Array.from(atob(id.replaceAll('-', '+').replaceAll('_', '/')), char => char.charCodeAt(0));
    const key = new TextDecoder().decode(bytes);
    const slash = key.indexOf('/');
    return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
  } catch {
    return { namespace: '', name: id };
  }
}

function view(controller, explanation, addressOf) {
  const item = explanation.item;
  return [
    partialBanner(explanation),
    h('div', { class: 'callout ' + (item?.failing ? 'bad' : '') },
      h('p', { class: 'callout-title' }, reasonName(explanation.reason)),
      h('p', {}, sentence(explanation.message)),
      explanation.position && h('p', {}, 'Position ', h('b', {}, count(explanation.position)), ' of ', count(explanation.of)),
      explanation.expectedStart && h('p', {}, 'Expected to start ', time(explanation.expectedStart)),
      explanation.conditions.length > 0 && h('ul', {}, explanation.conditions.map(one => h('li', {}, sentence(one))))),
    item?.lastError && h('section', {},
      h('h3', {}, 'Last error'),
      h('pre', { class: 'error', tabindex: 0 }, item.lastError),
      item.lastErrorAt && h('p', { class: 'hint' }, time(item.lastErrorAt), ', at ', time(item.lastErrorAt, 'wall')),
      item.cause && h('p', {}, h('a', { href: link(['controllers', controller], { cause: item.cause }) }, 'All items that fail of the same cause')),
      item.lastErrorStack && h('details', {}, h('summary', {}, 'Stack trace'),
        h('pre', { class: 'error', tabindex: 0 }, item.lastErrorStack))),
    attemptsSection(controller, explanation),
    item && h('section', {}, h('h3', {}, 'Item'), facts([
      ['Phase', phaseBadge(item.phase), ' ', when(item)],
      ['Failures in a row', count(item.failures)],
      ['Added again while in flight', item.dirty ? 'yes' : 'no'],
      item.overdue && ['Overdue', badge('bad', 'past its time limit')],
      ['Cause of its phase', triggerName(item.trigger)],
      ['Priority', count(item.priority)],
      item.notBefore && ['Backoff ends', time(item.notBefore)],
      explanation.replica && ['Replica', explanation.replica],
      explanation.slot && ['Slot', slotFact(explanation.slot)],
      explanation.copies?.length > 0 && ['Tracked by others, too', explanation.copies.map(one => [' ',
        h('a', { href: addressOf({ item: item.id, replica: one.replica }) }, one.replica)])],
      ['Sequence number', h('span', { class: 'mono' }, item.seq)],
      ['Revision', h('span', { class: 'mono' }, item.rev)],
    ])),
  ];
}

/** The buttons; `context()` returns their present subject. */
function actions(controller, name, context, done) {
  const label = (name.namespace ? name.namespace + '/' : '') + name.name;

  async function send(method, sub, body) {
    const { path, rev, replica } = context();
    const result = await api.call(path + sub, {
      method, body, query: { replica }, headers: rev ? { 'If-Match': '"' + rev + '"' } : {},
    });
    if (result?.partial) {
      const missing = (result.results ?? []).filter(one => one.state !== 'done' && one.state !== 'skipped');
      notify('bad', label + ': not on all replicas. ', missing.map(one => one.replica + ': ' + one.state).join(', '));
    } else {
      notify(result?.result === 'skipped' ? 'info' : 'good', result?.detail ?? label + ': done');
    }
    await done();
  }

  const delay = () => h('input', { type: 'text', name: 'delay', required: true, value: '10m', autocomplete: 'off' });
  const list = [
    { verb: 'retry', name: 'Retry now', run: () => requestReason({
      title: 'Retry now', intro: label + ' becomes due now. A retry that waits for the limiter starts without a token.',
      verb: 'Retry 1 item', submit: reason => send('POST', '/retry', { reason }) }) },
    { verb: 'forget', name: 'Reset failures', run: () => {
      const due = h('input', { type: 'checkbox', name: 'reschedule' });
      requestReason({
        title: 'Reset failures', intro: 'The failure count of ' + label + ' becomes 0; its next failure waits the shortest backoff.',
        fields: [h('label', { class: 'tick' }, due, h('span', {}, 'and make it due now'))],
        verb: 'Reset 1 item', submit: reason => send('POST', '/forget', due.checked ? { reason, reschedule: true } : { reason }) });
    } },
    { verb: 'requeue', name: 'Requeue…', run: () => {
      const input = delay();
      requestReason({
        title: 'Requeue', intro: label + ' gets a new time, earlier or later.',
        fields: [field('Due in', input, 'such as 30s, 10m or 1h30m')],
        verb: 'Requeue 1 item', submit: reason => send('POST', '/requeue', { reason, delay: input.value.trim() }) });
    } },
    { verb: 'drop', name: 'Drop…', danger: true, run: () => requestReason({
      title: 'Drop', danger: true,
      intro: 'The pending work of ' + label + ' is taken out of the queue. Nothing brings it back before the next event of the object.',
      verb: 'Drop 1 item', submit: reason => send('DELETE', '', { reason }) }) },
  ];
  const buttons = list.map(one => {
    const button = h('button', {
      type: 'button', class: one.danger ? 'danger quiet' : '',
      onclick: () => rights.offered(button) && one.run(),
    }, one.name);
    rights.guard(button, 'controllers/items', one.verb, { controller, namespace: name.namespace });
    return button;
  });
  const element = h('div', { class: 'buttons start' }, buttons);
  return {
    element,
    show(item) {
      element.hidden = !item;
    },
  };
}
