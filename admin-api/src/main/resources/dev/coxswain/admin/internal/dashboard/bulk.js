// SPDX-License-Identifier: Apache-2.0
// Acting on many items: a preview with its counts, a reason, a button with the number, and then the progress.

import * as api from './api.js';
import * as rights from './rights.js';
import { actOnItems } from './commands.js';
import { faultBox, field, openDialog, reasonField, tick } from './dialog.js';
import { h, put, text } from './dom.js';
import { describe, selectorOf } from './filters.js';
import { count, items } from './format.js';
import { notify } from './messages.js';
import { copyButton, facts, loading, partialBanner } from './page.js';
import { PHASE_NAMES } from './phases.js';
import { followOperation } from './progress.js';
import { NAMED_ACTIONS, openNamed } from './selected.js';

const NAME_FROM = 100; // more items than this, or no filter: the name of the controller is typed
const PREVIEW_AFTER_MILLIS = 300;

const ACTIONS = [
  { action: 'retry', name: 'Retry…', verb: 'Retry', intro: 'Items become due now, spread over some time. A retry that waits for the limiter starts without a token.' },
  { action: 'forget', name: 'Reset failures…', verb: 'Reset', intro: 'Failure counts become 0; delayed items keep their time.' },
  { action: 'requeue', name: 'Requeue…', verb: 'Requeue', intro: 'Items get a new time, earlier or later.' },
  { action: 'flush', name: 'Flush…', verb: 'Flush', danger: true, intro: 'Pending work is removed from the queue; running attempts continue. Objects are not changed.' },
];

/**
 * The buttons over an item list: for the items that are selected, or else for all that match `filterNow()`; `done` runs
 * afterwards.
 */
export function bulkBar(controller, selection, filterNow, done) {
  const words = h('span', { class: 'hint', role: 'status' });
  const clear = h('button', { type: 'button', class: 'plain small', onclick: () => selection.clear() }, 'Select none');
  const make = (one, open) => {
    const button = h('button', { type: 'button', class: one.danger ? 'danger quiet' : '', onclick: () => rights.offered(button) && open() }, one.name);
    return { action: one.action, button };
  };
  const ofFilter = ACTIONS.map(one => make(one, () => openBulk(controller, one, filterNow(), done)));
  const ofNamed = NAMED_ACTIONS.map(one => make(one, () => openNamed(controller, one, selection.items, changed => {
    selection.set(changed, false);
    done();
  })));
  const groups = [ofFilter, ofNamed].map(list => h('div', { class: 'buttons start' }, list.map(one => one.button)));
  const element = h('div', { class: 'bulk' }, words, groups[0], clear);
  let filter = {};

  function update() {
    const named = selection.size > 0;
    const [shown, other] = named ? [groups[1], groups[0]] : groups;
    if (other.parentElement === element) {
      other.replaceWith(shown);
    }
    clear.hidden = !named && !selection.all;
    text(words, named ? items(selection.size) + ' selected:' : selection.all ? 'All items that match are selected:' : 'All items that match:');
    if (named) {
      guard(ofNamed, 'controllers/items', selection.namespace);
    } else {
      guard(ofFilter, 'controllers/operations', filter.namespace);
    }
  }

  function guard(list, resource, namespace) {
    list.forEach(one => rights.guard(one.button, resource, one.action, { controller, namespace }));
  }

  selection.listen(update);
  return {
    element,
    /** Offers what the caller may do to the items of a filter. */
    show(now) {
      filter = now;
      update();
    },
  };
}

function options(action) {
  const then = h('select', { name: 'then' }, [
    ['relist', 'Add those again whose object still exists'],
    ['requeueAfter', 'Add all of them again later'],
    ['none', 'Nothing, until their next event'],
  ].map(([value, words]) => h('option', { value }, words)));
  const delay = h('input', { type: 'text', name: 'delay', value: '10m', size: 8, autocomplete: 'off' });
  const spread = h('input', { type: 'text', name: 'spreadOver', size: 8, placeholder: 'auto', autocomplete: 'off' });
  const keep = h('input', { type: 'checkbox', name: 'keepFailures' });
  const dirty = h('input', { type: 'checkbox', name: 'dropDirty' });
  const delayField = field('Due in', delay, 'such as 30s, 10m or 1h30m');
  const spreadField = field('Spread over', spread, 'by default 30 s for each 1,000 items of a replica');
  const parts = {
    retry: [spreadField],
    forget: [],
    requeue: [delayField],
    flush: [field('And then', then), delayField, spreadField, tick('keep their failure counts', keep), tick('also drop requests that were added again while in flight', dirty)],
  }[action];

  function read() {
    const order = {};
    const spreads = action === 'retry' || (action === 'flush' && then.value === 'relist');
    const delays = action === 'requeue' || (action === 'flush' && then.value === 'requeueAfter');
    delayField.hidden = !delays;
    spreadField.hidden = !spreads;
    if (action === 'flush') {
      order.then = then.value === 'requeueAfter' ? 'requeueAfter=' + delay.value.trim() : then.value;
      order.keepFailures = keep.checked || undefined;
      order.dropDirty = dirty.checked || undefined;
    } else if (delays) {
      order.delay = delay.value.trim();
    }
    if (spreads && spread.value.trim()) {
      order.spreadOver = spread.value.trim();
    }
    return order;
  }
  return { parts, read };
}

function openBulk(controller, what, filter, done) {
  const path = '/controllers/' + api.segment(controller) + '/operations';
  const everything = Object.keys(filter).length === 0;
  const dialog = openDialog(what.verb + ' items of ' + controller, { wide: true, onclose: () => {
    clearTimeout(timer);
    done();
  } });
  const chosen = options(what.action);
  const previewArea = h('div', { class: 'preview', 'aria-live': 'polite' });
  const reason = reasonField(what.danger);
  const typed = h('input', { type: 'text', name: 'confirm', autocomplete: 'off', spellcheck: 'false', oninput: ready });
  const typedField = field('Type ' + controller + ' to confirm', typed);
  const fault = faultBox();
  const button = h('button', { type: 'submit', class: what.danger ? 'danger' : 'primary', disabled: true }, what.verb + ' …');
  let preview = null;
  let timer = 0;
  let asked = 0;

  function order() {
    const body = { action: what.action, ...chosen.read() };
    return everything ? { ...body, all: true } : { ...body, selector: selectorOf(filter) };
  }

  function needsName() {
    return preview !== null && (everything || preview.matched > NAME_FROM);
  }

  function ready() {
    typedField.hidden = !needsName();
    button.textContent = preview ? what.verb + ' ' + items(preview.matched) : what.verb + ' …';
    button.disabled = preview === null || preview.matched === 0 || reason.input.value.trim() === ''
      || (needsName() && typed.value.trim() !== controller);
  }

  async function read() {
    const mine = ++asked;
    preview = null;
    fault.clear();
    ready();
    put(previewArea, loading(3));
    try {
      const answer = await api.call(path, { method: 'POST', body: { ...order(), dryRun: true } });
      if (mine === asked) {
        preview = answer;
        put(previewArea, previewOf(answer, what, read));
      }
    } catch (problem) {
      if (mine === asked) {
        put(previewArea);
        fault.show(problem);
      }
    }
    ready();
  }

  function readSoon() {
    clearTimeout(timer);
    preview = null;
    ready();
    timer = setTimeout(read, PREVIEW_AFTER_MILLIS);
  }

  async function submit(event) {
    event.preventDefault();
    if (button.disabled) {
      return;
    }
    button.disabled = true;
    fault.clear();
    try {
      const body = { ...order(), reason: reason.input.value.trim(), asOfSeq: preview.asOfSeq, confirmToken: preview.confirmToken };
      const operation = await api.call(path, { method: 'POST', body });
      put(dialog.foot);
      dialog.foot.append(h('div', { class: 'buttons' }, h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'Close')));
      const progress = followOperation(operation, ended => {
        notify(ended.state === 'Succeeded' ? 'good' : 'info', what.verb + ' of ' + controller + ': ' + ended.state);
        done();
      });
      put(dialog.body, progress.element);
      dialog.element.addEventListener('close', progress.dispose);
      dialog.foot.querySelector('button').focus();
    } catch (problem) {
      fault.show(problem);
      if (problem.status === 409 || problem.status === 410 || problem.status === 422) {
        await read();
        fault.show(problem);
      } else {
        ready();
      }
    }
  }

  reason.input.addEventListener('input', ready);
  put(dialog.body, h('form', { class: 'stack', onsubmit: submit },
    h('p', {}, what.intro),
    h('p', { class: 'meant' }, h('b', {}, everything ? 'Every item' : 'Items: '), everything ? ' of the controller is selected.' : describe(filter)),
    h('div', { class: 'options', onchange: readSoon }, chosen.parts),
    previewArea,
    reason.element,
    typedField,
    fault.element,
    h('div', { class: 'buttons' },
      copyButton('Copy as kubectl', () => actOnItems(controller, filter, { action: what.action, ...chosen.read() }, reason.input.value.trim())),
      h('span', { class: 'spacer' }),
      h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'), button)));
  reason.input.focus();
  read();
}

/** What a preview has counted; `again` repeats one that is partial. */
export function previewOf(preview, what, again) {
  const spaces = Object.entries(preview.byNamespace).sort((a, b) => b[1] - a[1]);
  const replicas = Object.entries(preview.byReplica ?? {});
  const more = spaces.slice(8).reduce((sum, one) => sum + one[1], 0);
  return [
    h('p', { class: 'big ' + (preview.matched > 0 && what.danger ? 'bad' : '') }, h('b', {}, count(preview.matched)), preview.matched === 1 ? ' item matches' : ' items match'),
    preview.matched > 0 && facts([
      ['By phase', Object.entries(preview.byPhase).map(([phase, number]) => (PHASE_NAMES[phase] ?? phase) + ' ' + count(number)).join(', ')],
      ['By namespace', spaces.slice(0, 8).map(([name, number]) => (name || '(none)') + ' ' + count(number)).join(', ') + (more > 0 ? ', others ' + count(more) : '')],
      replicas.length > 1 && ['By replica', replicas.map(([name, number]) => name + ' ' + count(number)).join(', ')],
      preview.willRelist !== undefined && ['Added again', count(preview.willRelist)],
      preview.notRelisted > 0 && ['Not added again', count(preview.notRelisted) + ', their object is unknown'],
    ]),
    preview.sample.length > 0 && h('details', {}, h('summary', {}, 'Some of them'), h('ul', { class: 'mono sample' }, preview.sample.map(one => h('li', {}, one)))),
    preview.partial && [partialBanner(preview), h('p', {}, 'The operation includes only items of replicas that have answered, and only items that their controllers have received.'),
      h('div', { class: 'buttons start' }, h('button', { type: 'button', onclick: again }, 'Preview again'))],
    preview.warnings.map(warning => h('p', { class: 'banner warn' }, warning)),
  ];
}
