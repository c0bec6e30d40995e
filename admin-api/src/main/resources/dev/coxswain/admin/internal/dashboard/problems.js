// SPDX-License-Identifier: Apache-2.0
// What is wrong in the cluster, the worst first: one sentence for each problem, with where to go from there.

import { attribute, h, put } from './dom.js';
import { sentence, time } from './format.js';
import { live } from './live.js';
import { follow } from './page.js';
import { conditionName, OF_REPLICA, withoutOwner } from './phases.js';
import { link } from './router.js';

const CACHES_MILLIS = 10_000;
const MOST = 8;

/**
 * The panel, hidden while nothing is wrong; the first `most` problems are shown at once, `unread` receives why those of caches are
 * not known, and `changed` is called when these have been read. `update()` shows what `live` has.
 */
export function problemsPanel({ most = MOST, unread = h('div'), changed = () => update() } = {}) {
  const title = h('h2');
  const place = h('ol', { class: 'problems' });
  const element = h('section', { class: 'panel', hidden: true, 'aria-label': 'What is wrong' }, title, place);
  let caches = null; // until they have been read
  let number = 0;
  let all = false;
  let shown = '';

  function update() {
    const problems = live.loaded ? found(caches ?? []) : [];
    number = problems.length;
    const now = JSON.stringify([problems, all]);
    if (now === shown) {
      return;
    }
    shown = now;
    element.hidden = problems.length === 0;
    attribute(element, 'class', 'panel' + (problems.some(one => one.tone === 'bad') ? ' wrong' : ''));
    put(title, problems.length === 1 ? 'One thing needs attention' : problems.length + ' things need attention');
    const visible = all ? problems : problems.slice(0, most);
    put(place, visible.map(entry), visible.length < problems.length && h('li', {}, h('button', {
      type: 'button', class: 'quiet', onclick: () => { all = true; update(); },
    }, 'Show ' + (problems.length - visible.length) + ' more')));
  }

  const end = follow(unread, '/caches', CACHES_MILLIS, list => {
    caches = list.items;
    changed();
  });
  return { element, update, count: () => number, complete: () => caches !== null, dispose: end };
}

function entry(problem) {
  return h('li', { class: problem.tone },
    h('p', {}, h('b', {}, problem.what), ' ', sentence(problem.why), problem.since && [' ', h('small', { class: 'quiet' }, time(problem.since))]),
    h('a', { class: 'button', href: problem.href, 'aria-label': problem.action + ': ' + problem.what }, problem.action));
}

/** The problems, the worst first. */
function found(caches) {
  const controllers = [...live.controllers.values()].sort((a, b) => a.name.localeCompare(b.name));
  return [
    ...ofReplicas(controllers),
    ...controllers.flatMap(ofController),
    ...ofCaches(caches),
    ...[...live.limiters.values()].flatMap(ofLimiter),
    ...controllers.filter(one => one.paused).map(paused),
    ...controllers.flatMap(one => (one.pausedCauses ?? []).map(cause => causePaused(one, cause))),
  ];
}

function ofReplicas(controllers) {
  const silent = live.missing.map(one => ({
    tone: 'bad',
    what: one.replica + (one.state === 'gone' ? ' is gone.' : ' does not answer.'),
    why: one.error ?? 'What it has is missing on all pages.',
    href: link(['replicas']),
    action: 'Replicas',
  }));
  // Each controller of a replica has the condition of the whole replica.
  const whole = new Map();
  for (const controller of controllers) {
    for (const one of controller.conditions ?? []) {
      if (OF_REPLICA.includes(one.type)) {
        whole.set(one.type + ' ' + one.replica, {
          tone: 'bad',
          what: one.replica + ': ' + conditionName(one.type) + '.',
          why: one.message,
          since: one.since,
          href: link(['replicas']),
          action: 'Replicas',
        });
      }
    }
  }
  return [...silent, ...[...whole].sort(([a], [b]) => a.localeCompare(b)).map(([, problem]) => problem)];
}

function ofController(controller) {
  const href = link(['controllers', controller.name]);
  const action = 'Open';
  const unowned = withoutOwner(controller);
  if (unowned) {
    return [{ tone: 'bad', what: controller.name + ' has no owner.', why: unowned.message, since: unowned.since, href, action }];
  }
  const types = new Map();
  for (const one of controller.conditions ?? []) {
    if (!OF_REPLICA.includes(one.type)) {
      types.set(one.type, [...types.get(one.type) ?? [], one]);
    }
  }
  const problems = [...types.values()].map(([first, ...others]) => ({
    tone: 'bad',
    what: controller.name + ': ' + conditionName(first.type) + (others.length > 0 ? ' on ' + (others.length + 1) + ' replicas.' : '.'),
    why: first.message,
    since: first.since,
    href,
    action,
  }));
  return controller.state === 'failed' && problems.length === 0
    ? [{ tone: 'bad', what: controller.name + ' has failed.', why: controller.error ?? '', href, action }]
    : problems;
}

/** A cache without contact delivers no events: what depends on it is blind. */
function ofCaches(caches) {
  return caches.filter(one => one.problem).map(one => ({
    tone: 'bad',
    what: one.name + ' on ' + one.replica + (one.synced ? ' is not current.' : ' is not complete.'),
    why: one.problem,
    since: one.lastContact,
    href: link(['caches']),
    action: 'Caches',
  }));
}

function ofLimiter(limiter) {
  const place = { href: link(['limiters', limiter.name]), action: 'Open' };
  return [
    limiter.degraded && { tone: 'warn', what: 'Limiter ' + limiter.name + ' is degraded.', why: limiter.degradedReason ?? '', ...place },
    limiter.source === 'override' && {
      tone: 'warn',
      what: 'Limiter ' + limiter.name + ' is overridden',
      why: 'with a rate of ' + limiter.refillPerSecond + '/s' + (limiter.expiresAt ? ', until ' + limiter.expiresAt + '.' : '.'),
      ...place,
    },
  ].filter(Boolean);
}

function paused(controller) {
  return {
    tone: 'warn',
    what: controller.name + ' is paused',
    why: (controller.pause?.until ? 'until ' + controller.pause.until : 'without an end') + ': ' + (controller.pause?.reason ?? ''),
    since: controller.pause?.since,
    href: link(['controllers', controller.name]),
    action: 'Open',
  };
}

function causePaused(controller, cause) {
  return {
    tone: 'warn',
    what: controller.name + ' does not retry what fails of ' + cause.error,
    why: 'Paused by ' + (cause.by || 'an operator') + (cause.until ? ' until ' + cause.until : ' without an end') + ': ' + cause.reason,
    since: cause.since,
    href: link(['controllers', controller.name], { cause: cause.cause }),
    action: 'Items',
  };
}
