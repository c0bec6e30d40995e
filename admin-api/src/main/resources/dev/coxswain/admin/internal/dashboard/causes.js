// SPDX-License-Identifier: Apache-2.0
// Of what attempts fail: one entry for each cause, the one of the most items first.

import * as api from './api.js';
import * as rights from './rights.js';
import { field, pauseDuration, requestReason } from './dialog.js';
import { h, put, svg } from './dom.js';
import { count, items as counted, time } from './format.js';
import { notify } from './messages.js';
import { badge } from './phases.js';
import { link } from './router.js';
import { changed } from './undo.js';

const REFRESH_MILLIS = 5_000;
const MOST = 10;
const HEIGHT = 18;
const STEP = 5;

/**
 * The causes of a controller, or without a name of all controllers that items fail of now. It is hidden while there are
 * none, and to a caller who may not list items.
 */
export function causesPanel(controller = null) {
  const place = h('div');
  const element = h('section', { class: 'panel causes', hidden: true }, h('h2', {}, 'Causes of failures'), place);
  const path = (controller === null ? '' : '/controllers/' + api.segment(controller)) + '/causes';
  let timer = 0;
  let ended = false;
  let shown = '';

  async function read() {
    clearTimeout(timer);
    try {
      const answer = document.hidden ? null : await api.call(path, { query: { limit: MOST } });
      if (!ended && answer) {
        show(answer);
      }
    } catch (fault) {
      if (fault instanceof api.Problem && fault.status === 403) {
        element.hidden = true;
        return; // it would be refused each time
      }
    }
    if (!ended) {
      timer = setTimeout(read, REFRESH_MILLIS);
    }
  }

  function show(answer) {
    const causes = answer.items.filter(one => controller !== null || one.items > 0);
    const now = JSON.stringify([causes, answer.total, answer.partial]);
    element.hidden = causes.length === 0;
    if (now !== shown) {
      shown = now;
      put(place, list(causes, controller === null, read),
        answer.partial && h('p', { class: 'hint' }, 'Some replica or controller did not answer: there may be more.'),
        answer.total > causes.length && causes.length === MOST
          && h('p', { class: 'hint' }, 'The first ' + MOST + ' of ' + count(answer.total) + ' causes.'));
    }
  }

  if (api.has('GET /causes')) {
    read();
  }
  return {
    element,
    dispose() {
      ended = true;
      clearTimeout(timer);
    },
  };
}

function list(causes, ofAll, again) {
  return h('ol', { class: 'cause-list' }, causes.map(one => entry(one, ofAll, again)));
}

function entry(cause, ofAll, again) {
  const itemsOf = link(['controllers', cause.controller], { cause: cause.id });
  return h('li', {},
    h('p', { class: 'cause-items' + (cause.items > 0 ? ' failing' : ' quiet') },
      h('a', { href: itemsOf, 'aria-label': counted(cause.items) + ' of this cause' }, count(cause.items)),
      h('small', { class: 'quiet' }, ' ' + percent(cause))),
    h('div', { class: 'cause-error' },
      h('a', { href: itemsOf, class: 'mono' }, cause.error),
      h('p', { class: 'hint' },
        ofAll && h('a', { href: link(['controllers', cause.controller]) }, cause.controller),
        ofAll && ', ', cause.where && 'at ' + cause.where + ', ',
        cause.versions?.length > 0 && ['in ' + (cause.versions.length === 1 ? 'version ' : 'versions '), h('span', { class: 'mono' }, cause.versions.join(', ')), ', '], 'cause ', h('span', { class: 'mono' }, cause.id)),
      cause.pause && h('p', { class: 'hint' }, badge('warn', 'paused'), ' by ', cause.pause.by || 'an operator',
        cause.pause.until ? [' until ', time(cause.pause.until, 'wall')] : ', without end', ': ', cause.pause.reason)),
    h('p', { class: 'cause-when hint' }, trend(cause.trend), ' ', time(cause.lastSeen), ' ', command(cause, again)));
}

/** Pauses the retries of what fails of a cause, or ends that. */
function command(cause, again) {
  const verb = cause.pause ? 'resume' : 'pause';
  const path = '/controllers/' + api.segment(cause.controller) + '/' + verb;
  const send = async body => {
    const { result, requestId } = await api.change(path, { method: 'POST', body: { cause: cause.id, ...body } });
    if (result?.detail) {
      notify('info', result.detail);
    }
    if (result?.result === 'applied') {
      const missed = (result.results ?? []).filter(one => one.state !== 'done' && one.state !== 'skipped').map(one => one.replica);
      changed(requestId, (cause.pause ? 'The retries are resumed' : 'The retries are paused')
        + (missed.length > 0 ? '; ' + missed.join(', ') + ' did not receive it yet.' : '.'), again);
    }
    again();
  };
  const button = h('button', {
    type: 'button', name: 'pause-' + cause.controller + '-' + cause.id, 'aria-label': (cause.pause ? 'Resume the retries of ' : 'Pause the retries of ') + cause.error,
    onclick: () => rights.offered(button) && (cause.pause ? askResume(cause, send) : askPause(cause, send)),
  }, cause.pause ? 'Resume retries…' : 'Pause retries…');
  rights.guard(button, 'controllers', verb, { controller: cause.controller });
  return button;
}

function askResume(cause, send) {
  requestReason({
    title: 'Resume the retries of ' + cause.error,
    intro: 'Items whose backoff is over are retried, as fast as the limiter of ' + cause.controller + ' lets them.',
    verb: 'Resume the retries', submit: reason => send({ reason }) });
}

function askPause(cause, send) {
  const duration = pauseDuration();
  requestReason({
    title: 'Pause the retries of ' + cause.error,
    intro: counted(cause.items) + ' of ' + cause.controller + ' fail of it now. They are not retried; an event, or a retry by you, starts an attempt all the same.',
    fields: [field('Pause it', duration)], verb: 'Pause the retries',
    submit: reason => send(duration.value ? { reason, duration: duration.value } : { reason }) });
}

function percent(cause) {
  const percent = Math.round(100 * (cause.share ?? 0));
  return percent === 0 && cause.items > 0 ? '<1%' : percent + '%';
}

/** The failures of the last hour as bars, the oldest first. */
function trend(steps) {
  const most = Math.max(1, ...steps);
  const all = steps.reduce((sum, one) => sum + one, 0);
  return svg('svg', {
    class: 'trend', width: STEP * steps.length, height: HEIGHT, viewBox: '0 0 ' + STEP * steps.length + ' ' + HEIGHT,
    role: 'img', 'aria-label': count(all) + ' failed attempts in the last hour, ' + count(steps.at(-1)) + ' in the last five minutes',
  }, steps.map((value, i) => {
    const height = value === 0 ? 1 : Math.max(2, Math.round(HEIGHT * value / most));
    return svg('rect', { x: STEP * i, y: HEIGHT - height, width: STEP - 1, height });
  }));
}
