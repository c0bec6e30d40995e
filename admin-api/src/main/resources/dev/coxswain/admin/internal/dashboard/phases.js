// SPDX-License-Identifier: Apache-2.0
// The phases of an item, the states of a controller, and how they are shown.

import { h } from './dom.js';

export const PHASES = ['ready', 'delayed', 'waitingToken', 'inFlight', 'terminal'];

export const PHASE_NAMES = {
  ready: 'Ready',
  delayed: 'Delayed',
  waitingToken: 'Waiting for token',
  inFlight: 'In flight',
  terminal: 'Terminal',
};

export const PHASE_HELP = {
  ready: 'Due; waits for a worker',
  delayed: 'Not due yet: backoff, or requeued for later',
  waitingToken: 'A retry that is due and waits for the limiter',
  inFlight: 'Being reconciled now',
  terminal: 'Out of the queue after a failure that no retry can cure, until the next event',
};

export const RESULT_NAMES = { success: 'Success', requeueAfter: 'Requeue after', requeue: 'Requeue', error: 'Error' };

const STATE_TONES = {
  running: 'good',
  syncing: 'info',
  draining: 'info',
  stopped: 'quiet',
  failed: 'bad',
  unknown: 'warn',
  unowned: 'bad',
  starting: 'warn',
  standby: 'warn',
  gone: 'bad',
  ok: 'good',
  timeout: 'warn',
  unreachable: 'bad',
  refused: 'bad',
  incompatible: 'warn',
  Running: 'info',
  Succeeded: 'good',
  PartiallySucceeded: 'warn',
  Failed: 'bad',
  Cancelled: 'quiet',
  Unknown: 'warn',
};

const STATE_NAMES = { PartiallySucceeded: 'Partially succeeded', unowned: 'no owner' };

/** A small label with a dot; the word is the information, the colour only helps. */
export function badge(tone, ...content) {
  return h('span', { class: 'badge ' + tone }, ...content);
}

export function stateBadge(state) {
  return badge(STATE_TONES[state] ?? 'quiet', STATE_NAMES[state] ?? state);
}

export function phaseBadge(phase) {
  return h('span', { class: 'phase ' + phase, title: PHASE_HELP[phase] }, PHASE_NAMES[phase] ?? phase);
}

const NO_OWNER = 'noOwner';

/** The conditions of a whole replica. */
export const OF_REPLICA = ['apiServerUnreachable', 'clusterUnreachable', 'replicaSuspended'];

const CONDITION_NAMES = {
  apiServerUnreachable: 'API server unreachable',
  clusterUnreachable: 'Cluster unreachable',
  replicaSuspended: 'Replica suspended',
  workersExhausted: 'Workers exhausted',
  sourceFailed: 'Source failed',
  syncTimedOut: 'Not synced in time',
  eventLoopBlocked: 'Event loop blocked',
  carriersBlocked: 'Carriers blocked',
  noOwner: 'No owner',
  pausesUnknown: 'Pauses unknown',
  leaseUnavailable: 'Lease unavailable',
  ownershipDiffers: 'Ownership differs',
  configurationRejected: 'Changed configuration rejected',
  namespacesUnknown: 'Namespaces unknown',
};

/** The badges of a controller: its state, and each of its standing problems once. */
export function controllerBadges(controller) {
  const types = [...new Set((controller.conditions ?? []).map(one => one.type))].filter(type => type !== NO_OWNER);
  return [
    controller.paused && controller.state === 'running' ? null : stateBadge(controller.state),
    controller.paused && badge('warn', 'paused'),
    ...types.map(type => badge('bad', conditionName(type))),
  ];
}

/** The name of a standing problem; a newer host may have more of them. */
export function conditionName(type) {
  return CONDITION_NAMES[type] ?? type;
}

/** Returns why no replica runs a controller, `{since, message}`, or undefined; its state is the badge of that. */
export function withoutOwner(controller) {
  return controller.conditions?.find(one => one.type === NO_OWNER);
}

/** Whether a controller does nothing, or its state is unknown. */
export function broken(controller) {
  return controller.state === 'failed' || controller.state === 'unknown' || withoutOwner(controller) !== undefined;
}

const STATE_ORDER = ['syncing', 'starting', 'standby', 'draining', 'stopped'];

/** Counts the controllers in each state but running, such as `2 syncing, 1 draining`; empty when all run. */
export function otherStates(controllers) {
  const counts = new Map(STATE_ORDER.map(state => [state, 0])); // a newer host may have more of them
  controllers.filter(one => one.state !== 'running').forEach(one => counts.set(one.state, (counts.get(one.state) ?? 0) + 1));
  return [...counts].filter(([, count]) => count > 0).map(([state, count]) => count + ' ' + state).join(', ');
}

/** How much attention a controller needs; more is earlier in the list. */
export function urgency(controller) {
  if (broken(controller)) {
    return 5;
  }
  if (controller.conditions?.length > 0) {
    return 5;
  }
  if (controller.paused) {
    return 4;
  }
  if (controller.failing > 0) {
    return 3;
  }
  if (controller.state !== 'running') {
    return 2;
  }
  return (controller.oldestReadySeconds ?? 0) > 60 ? 1 : 0;
}

/** The workers of all replicas; what can be changed is how many each of them has. */
export function workers(controller) {
  return controller.parts?.length > 0
    ? controller.parts.reduce((sum, one) => sum + (one.maxConcurrent ?? 0), 0)
    : controller.maxConcurrent;
}
