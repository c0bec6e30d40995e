// SPDX-License-Identifier: Apache-2.0
// Acting on selected items, each by its name: what they are now, a reason, a button with the number, and then the progress.

import * as api from './api.js';
import { previewOf } from './bulk.js';
import { faultBox, field, openDialog, reasonField, tick } from './dialog.js';
import { h, put } from './dom.js';
import { count, items as counted } from './format.js';
import { live } from './live.js';
import { notify } from './messages.js';
import { loading } from './page.js';

const AT_ONCE = 4;
const TRIES = 6;
const MOST_NAMED = 20; // of those that were not changed

export const NAMED_ACTIONS = [
  { action: 'retry', name: 'Retry…', verb: 'Retry', method: 'POST', intro: 'The selected items become due now, without a token of the limiter.' },
  { action: 'forget', name: 'Reset failures…', verb: 'Reset', method: 'POST', intro: 'Their failure counts become 0.' },
  { action: 'requeue', name: 'Requeue…', verb: 'Requeue', method: 'POST', intro: 'They get a new time, earlier or later.' },
  { action: 'drop', name: 'Drop…', verb: 'Drop', method: 'DELETE', danger: true, intro: 'Their pending work is removed from the queue. Nothing brings it back before the next event of their object.' },
];

const nameOf = item => (item.key.namespace ? item.key.namespace + '/' : '') + item.key.name;

/** Sends a request again when there were too many of them. */
async function patiently(path, options) {
  for (let tries = 1; ; tries++) {
    try {
      return await api.call(path, options);
    } catch (fault) {
      if (fault.status !== 429 || tries === TRIES) {
        throw fault;
      }
      await new Promise(resolve => setTimeout(resolve, Math.max(1, fault.retryAfter) * 1000));
    }
  }
}

/** Does something for each entry, a few at a time, until it is stopped. */
async function each(entries, stopped, act) {
  const left = [...entries];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let one = left.shift(); one && !stopped(); one = left.shift()) {
      await act(one);
    }
  }));
}

function optionsOf(action) {
  const delay = h('input', { type: 'text', name: 'delay', value: '10m', required: true, autocomplete: 'off' });
  const due = h('input', { type: 'checkbox', name: 'reschedule' });
  return {
    requeue: { part: field('Due in', delay, 'such as 30s, 10m or 1h30m'), read: () => ({ delay: delay.value.trim() }) },
    forget: { part: tick('and make them due now', due), read: () => (due.checked ? { reschedule: true } : {}) },
  }[action] ?? { part: null, read: () => ({}) };
}

/** Opens the dialog for selected items; `done(changed)` receives those that have been changed. */
export function openNamed(controller, what, chosen, done) {
  const pathOf = item => '/controllers/' + api.segment(controller) + '/items/' + api.segment(item.id);
  // The slot of its key decides which replica has the item, and may have moved since.
  const queryOf = item => ({ replica: live.controllers.get(controller)?.ownership === 'sharded' ? undefined : item.replica });
  const dialog = openDialog(what.verb + ' selected items of ' + controller, { wide: true, onclose: () => {
    const running = began && !ended;
    ended = true;
    if (running) {
      notify('info', what.verb + ' of ' + controller + ' was stopped.');
    }
    done(changed);
  } });
  const place = h('div', { class: 'preview', 'aria-live': 'polite' }, loading(3));
  const options = optionsOf(what.action);
  const reason = reasonField(what.danger);
  const fault = faultBox();
  const button = h('button', { type: 'submit', class: what.danger ? 'danger' : 'primary', disabled: true }, what.verb + ' …');
  const changed = [];
  let present = null; // what they are now
  let began = false;
  let ended = false;

  function ready() {
    button.textContent = present ? what.verb + ' ' + counted(present.length) : what.verb + ' …';
    button.disabled = !present?.length || reason.input.value.trim() === '';
  }

  async function preview() {
    const found = [];
    try {
      await each(chosen, () => ended, async item => {
        try {
          found.push(await patiently(pathOf(item), { query: queryOf(item) }));
        } catch (problem) {
          if (problem.status !== 404) {
            throw problem;
          }
        }
      });
      present = found;
      put(place, previewOf(summary(found, chosen.length), what, null));
    } catch (problem) {
      put(place);
      fault.show(problem);
    }
    ready();
  }

  async function submit(event) {
    event.preventDefault();
    if (button.disabled) {
      return;
    }
    began = true;
    const body = { reason: reason.input.value.trim(), ...options.read() };
    const counts = new Map();
    const problems = [];
    const bar = h('progress', { max: present.length, value: 0, 'aria-label': 'Progress' });
    const words = h('p', { role: 'status' });
    const faults = h('ul', { class: 'mono sample' });
    const stop = h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'Stop');
    put(dialog.body, h('p', {}, bar), words, faults);
    put(dialog.foot, h('div', { class: 'buttons' }, stop));
    stop.focus();
    await each(present, () => ended, async item => {
      const [word, why] = await change(item, body);
      counts.set(word, (counts.get(word) ?? 0) + 1);
      if (word === 'done') {
        changed.push(item);
      } else if (problems.length < MOST_NAMED) {
        problems.push(h('li', {}, nameOf(item) + ': ' + why));
      }
      bar.value += 1;
      put(words, [...counts].map(([name, number]) => count(number) + ' ' + name).join(', ') + ' of ' + counted(present.length) + '.');
      put(faults, problems);
    });
    if (!ended) {
      ended = true;
      put(stop, 'Close');
      notify(counts.get('done') === present.length ? 'good' : 'info', what.verb + ' of ' + controller + ': ' + words.textContent);
    }
  }

  async function change(item, body) {
    const path = pathOf(item) + (what.method === 'POST' ? '/' + what.action : '');
    const request = { method: what.method, query: queryOf(item), body };
    try {
      const result = await patiently(path, request).catch(problem => {
        if (problem.status !== 428) {
          throw problem;
        }
        return patiently(path, { ...request, headers: { 'If-Match': '"' + item.rev + '"' } }); // this host requires it
      });
      return result?.result === 'skipped' ? ['skipped', result.detail] : result?.partial ? ['on some replicas only', 'partly changed'] : ['done', ''];
    } catch (problem) {
      return problem instanceof api.Problem ? ['not changed', problem.message] : ['unknown', api.explainFault(problem)];
    }
  }

  reason.input.addEventListener('input', ready);
  put(dialog.body, h('form', { class: 'stack', onsubmit: submit },
    h('p', {}, what.intro), place, options.part, reason.element, fault.element,
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'), button)));
  reason.input.focus();
  preview();
}

/** The items as the preview of an operation counts them. */
function summary(found, chosen) {
  const tally = of => found.reduce((all, item) => ({ ...all, [of(item)]: (all[of(item)] ?? 0) + 1 }), {});
  const gone = chosen - found.length;
  return {
    matched: found.length,
    byPhase: tally(item => item.phase),
    byNamespace: tally(item => item.key.namespace ?? ''),
    byReplica: tally(item => item.replica ?? ''),
    sample: found.slice(0, 10).map(nameOf),
    warnings: gone > 0 ? [counted(gone) + (gone === 1 ? ' is' : ' are') + ' no longer in the queue.'] : [],
  };
}
