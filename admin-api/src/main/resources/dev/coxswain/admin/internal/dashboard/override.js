// SPDX-License-Identifier: Apache-2.0
// Sets a limiter to another rate and burst for a while, and has what is configured hold again.

import * as api from './api.js';
import * as rights from './rights.js';
import { requestReason, field } from './dialog.js';
import { h, put } from './dom.js';
import { count, decimal, now, time } from './format.js';
import { learnLimiter } from './live.js';
import { notify } from './messages.js';
import { changed as offerUndo } from './undo.js';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;

/** The milliseconds of a duration such as `1h30m`; null when it is none. */
function millis(duration) {
  return DURATION.test(duration)
    ? [...duration.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit], 0)
    : null;
}

/** What the limiter does now, and what it would do, in words. */
function preview(limiter, rate, burst, ttl) {
  const length = millis(ttl);
  const configured = limiter.source === 'override' ? 'as configured' : null;
  const rateThen = rate ? decimal(Number(rate)) + ' per second' : configured ?? speed(limiter);
  const burstThen = burst ? 'burst ' + count(Number(burst)) : 'burst ' + (configured ?? count(limiter.capacity));
  return [
    h('p', {}, 'Now: ', h('b', {}, speed(limiter) + ', burst ' + count(limiter.capacity)),
      limiter.source === 'override' ? ', set by an override.' : ', as configured.'),
    rate || burst
      ? h('p', {}, 'Then, on all replicas: ', h('b', {}, rateThen + ', ' + burstThen),
        length ? [', until ', time(new Date(now() + length).toISOString(), 'wall'), '; then the configured values apply again.'] : '.')
      : h('p', {}, 'Enter a rate, a burst, or both.'),
  ];
}

function speed(limiter) {
  return limiter.refillPerSecond === null ? 'no limit' : decimal(limiter.refillPerSecond) + ' per second';
}

function openOverride(limiter) {
  const rate = h('input', { type: 'number', name: 'rate', min: 0.001, max: 1000000, step: 'any', autocomplete: 'off' });
  const burst = h('input', { type: 'number', name: 'burst', min: 1, max: 1000000, autocomplete: 'off' });
  const ttl = h('input', { type: 'text', name: 'ttl', value: '30m', required: true, autocomplete: 'off' });
  const shown = h('div', { class: 'preview', 'aria-live': 'polite' });
  const show = () => put(shown, preview(limiter, rate.value, burst.value, ttl.value.trim()));
  [rate, burst, ttl].forEach(input => input.addEventListener('input', show));
  show();
  requestReason({
    title: 'Change limiter ' + limiter.name,
    intro: 'It applies to all replicas and expires by itself. Empty fields keep the configured value.',
    fields: [field('Retries per second', rate), field('Burst', burst), field('For', ttl, 'such as 30m or 2h; at most 24h'), shown],
    verb: 'Change ' + limiter.name,
    submit: async reason => {
      const body = { ttl: ttl.value.trim(), reason };
      if (rate.value) {
        body.rate = Number(rate.value);
      }
      if (burst.value) {
        body.burst = Number(burst.value);
      }
      changed(limiter.name + ' is changed.', await api.change('/limiters/' + api.segment(limiter.name), { method: 'PATCH', body }));
    },
  });
}

/** Shows a limiter after a change, and why nothing was changed if so. */
function changed(words, { result: limiter, requestId }) {
  if (limiter.detail) {
    notify('info', limiter.detail);
  }
  if (limiter.result === 'applied') {
    offerUndo(requestId, words);
  }
  learnLimiter(limiter);
}

function openRemoval(limiter) {
  requestReason({
    title: 'Remove the override of ' + limiter.name,
    intro: 'The configured rate and burst apply again at once, on all replicas.',
    verb: 'Remove the override',
    submit: async reason => {
      changed('The override of ' + limiter.name + ' is removed.',
        await api.change('/limiters/' + api.segment(limiter.name) + '/override', { method: 'DELETE', body: { reason } }));
    },
  });
}

/** The buttons of a limiter; `limiterNow()` is how it is when one is pressed. */
export function overrideButtons(name, limiterNow) {
  const button = (label, open) => {
    const made = h('button', { type: 'button', onclick: () => rights.offered(made) && open(limiterNow()) }, label);
    return made;
  };
  const change = button('Change…', openOverride);
  const remove = button('Remove the override…', openRemoval);
  let shared = null;
  return {
    elements: [change, remove],
    show(limiter) {
      change.hidden = !api.has('PATCH /limiters/{l}');
      remove.hidden = limiter.source !== 'override' || !api.has('DELETE /limiters/{l}/override');
      if (shared !== (limiter.mode !== 'local')) {
        shared = limiter.mode !== 'local';
        for (const one of [change, remove]) {
          if (shared) {
            rights.guard(one, 'limiters', 'tune', { limiter: name });
          } else {
            rights.grey(one, 'This limiter is local to one replica; only shared limiters (sharedLimiter.enabled) can be changed here.');
          }
        }
      }
    },
  };
}
