// SPDX-License-Identifier: Apache-2.0
// The last attempts of an item, the newest first.

import { h } from './dom.js';
import { count, span, time } from './format.js';
import { triggerName } from './itemrow.js';
import { filled } from './links.js';
import { badge } from './phases.js';
import { link } from './router.js';

const OUTCOMES = {
  success: ['good', 'done'],
  requeue_after: ['good', 'done, again later'],
  requeue: ['info', 'again with backoff'],
  error: ['bad', 'failed'],
  terminal: ['bad', 'failed, no retry can cure it'],
  timeout: ['bad', 'past its time limit'],
  lost_ownership: ['info', 'another replica became the owner'],
  dropped: ['info', 'dropped'],
  flushed: ['info', 'flushed'],
};

/** The section of an explanation with its attempts; null when none is kept. */
export function attemptsSection(controller, explanation) {
  const attempts = explanation.attempts ?? [];
  return attempts.length > 0 && h('section', {},
    h('h3', {}, attempts.length === 1 ? 'Last attempt' : 'Last ' + attempts.length + ' attempts'),
    h('ol', { class: 'attempts' }, groups(attempts).map(([newest, ...others]) =>
      entry(controller, explanation, newest, others.length > 0 && repeats(controller, explanation, others)))));
}

/** Retries in a row that failed of the same cause are one group: they say nothing new. */
function groups(attempts) {
  const found = [];
  for (const one of attempts) {
    const before = found.at(-1)?.[0];
    if (before?.cause && before.cause === one.cause && before.outcome === one.outcome && one.trigger === 'retry') {
      found.at(-1).push(one);
    } else {
      found.push([one]);
    }
  }
  return found;
}

function repeats(controller, explanation, others) {
  return h('details', {},
    h('summary', {}, count(others.length) + (others.length === 1 ? ' retry' : ' retries') + ' before with the same error, the first ',
      time(others.at(-1).endedAt)),
    h('ol', { class: 'attempts' }, others.map(one => entry(controller, explanation, { ...one, error: null }))));
}

function entry(controller, explanation, attempt, more = null) {
  const key = explanation.key;
  const [tone, text] = OUTCOMES[attempt.outcome] ?? ['info', attempt.outcome];
  // Numbers of attempts are those of one process.
  const places = { ...attempt, controller, namespace: key.namespace, name: key.name, replica: attempt.replica ?? explanation.replica };
  return h('li', {},
    h('p', { class: 'attempt-head' }, badge(tone, text), ' ', time(attempt.endedAt),
      attempt.tookSeconds !== undefined && h('span', { class: 'quiet' }, ' after ' + span(attempt.tookSeconds)),
      leads(places)),
    h('p', { class: 'hint' }, why(key, attempt).filter(Boolean).join(' · ')),
    attempt.error && h('p', { class: 'mono attempt-error' },
      attempt.cause ? h('a', { href: link(['controllers', controller], { cause: attempt.cause }) }, attempt.error) : attempt.error),
    more);
}

function leads(places) {
  const trace = places.traceId && filled('trace', places);
  const logs = places.attempt && filled('logs', places);
  return [trace && [' ', h('a', { href: trace, rel: 'noreferrer', target: '_blank' }, 'trace')],
    logs && [' ', h('a', { href: logs, rel: 'noreferrer', target: '_blank' }, 'logs')]];
}

function why(key, attempt) {
  if (attempt.attempt === undefined) {
    return [attempt.by && 'by ' + attempt.by, attempt.reason];
  }
  return [
    attempt.change ? changed(key, attempt.change) : triggerName(attempt.trigger),
    attempt.readySeconds >= 0.1 && 'ready for ' + span(attempt.readySeconds),
    attempt.tokenSeconds >= 0.1 && span(attempt.tokenSeconds) + ' for a token',
    attempt.writes > 0 && (attempt.writes === 255 ? '255 writes or more' : count(attempt.writes) + (attempt.writes === 1 ? ' write' : ' writes')),
    'attempt ' + attempt.attempt + (attempt.replica ? ' on ' + attempt.replica : ''),
  ];
}

function changed(key, change) {
  const itself = change.name === key.name && (change.namespace ?? '') === key.namespace;
  const object = change.kind + (itself ? '' : ' ' + (change.namespace ? change.namespace + '/' : '') + change.name);
  const parts = change.parts.join(', ');
  return object + (['created', 'deleted', 'deleting'].includes(parts) ? ' ' + parts : parts ? ': ' + parts + ' changed' : ' changed')
    + (change.writer ? ' by ' + change.writer : '');
}
