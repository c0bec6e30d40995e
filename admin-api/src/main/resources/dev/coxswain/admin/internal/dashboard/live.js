// SPDX-License-Identifier: Apache-2.0
// The state that all pages share: controllers and limiters of all replicas, read once and then kept fresh by
// the stream of events. When the stream cannot be had the lists are read again and again, and the page shows that.

import * as api from './api.js';
import { read } from './events.js';
import { hostTime } from './format.js';
import { History } from './history.js';
import { isMissing } from './page.js';
import { Parts } from './parts.js';

const READ_EVERY_MILLIS = 10_000;
const READ_WITHOUT_STREAM_MILLIS = 5_000;
const READ_AFTER_EVENT_MILLIS = 1_500;
const SAMPLE_EVERY_MILLIS = 2_000;
const SILENCE_MILLIS = 40_000; // a comment comes every 15 s
const MAX_WAIT_MILLIS = 15_000;
const PAINT_EVERY_MILLIS = 250; // 200 controllers report 800 times a second

export const live = {
  /** `connecting`, `live`, `polling` (no right to the events) or `lost`. */
  status: 'connecting',
  /** Why it is not live, in a sentence. */
  trouble: '',
  /** When something was last received, in milliseconds. */
  receivedAt: 0,
  controllers: new Map(),
  limiters: new Map(),
  history: new History(),
  /** The replicas of which nothing is shown, `{replica, state, error}`. */
  missing: [],
  /** How many replicas the lists speak for. */
  replicas: 1,
  loaded: false,
  fault: null,
};

const listeners = new Set();
const parts = new Parts();
let stopped = true;
let controller = new AbortController();
let lastId = null;
let painting = false;
let paintedAt = 0;
let readTimer = 0;
let lastRead = 0;
let reading = false;
let readAgain = Infinity; // what was planned meanwhile, in milliseconds from then
let limitersTimer = 0;
let lastLimiters = 0;
let synced = false; // whether the parts are of all replicas that respond
let sampler = 0;

/** Calls back after changes, at most four times a second; returns what ends that. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed() {
  if (!painting) {
    painting = true;
    setTimeout(() => requestAnimationFrame(() => {
      painting = false;
      paintedAt = performance.now();
      for (const listener of [...listeners]) {
        listener();
      }
    }), Math.max(0, paintedAt + PAINT_EVERY_MILLIS - performance.now()));
  }
}

function status(value, trouble = '') {
  if (live.status !== value || live.trouble !== trouble) {
    live.status = value;
    live.trouble = trouble;
    changed();
  }
}

export function start() {
  stopped = false;
  controller = new AbortController();
  stream();
  readLists();
  sampler = setInterval(() => {
    live.history.sample(live.limiters.values());
    changed();
  }, SAMPLE_EVERY_MILLIS);
}

export function stop() {
  stopped = true;
  controller.abort();
  clearTimeout(readTimer);
  clearTimeout(limitersTimer);
  limitersTimer = 0;
  clearInterval(sampler);
  lastId = null;
  synced = false;
  parts.clear();
  live.controllers.clear();
  live.limiters.clear();
  live.history = new History();
  live.missing = [];
  live.loaded = false;
  live.fault = null;
  live.status = 'connecting';
}

/** Takes over what a change of a limiter has answered. */
export function learnLimiter(limiter) {
  live.limiters.set(limiter.name, limiter);
  changed();
}

/** Reads the lists soon, after a change. */
export function refresh() {
  plan(0);
}

function plan(millis) {
  if (reading) {
    readAgain = Math.min(readAgain, millis);
    return;
  }
  clearTimeout(readTimer);
  if (!stopped) {
    readTimer = setTimeout(readLists, millis);
  }
}

async function readLists() {
  if (stopped || reading) {
    return;
  }
  if (document.hidden && live.loaded) {
    plan(READ_EVERY_MILLIS);
    return;
  }
  reading = true;
  readAgain = Infinity;
  lastRead = Date.now();
  try {
    const list = await api.call('/controllers', { signal: controller.signal });
    live.controllers = new Map(list.items.map(one => [one.name, (synced && parts.whole(one)) || one]));
    live.missing = (list.replicas ?? []).filter(isMissing); // what is syncing has its badge
    live.replicas = Math.max(1, (list.replicas ?? []).length);
    const first = list.items.find(one => one.asOf);
    if (first) {
      hostTime(first.asOf);
    }
    if (live.status !== 'live' || live.replicas > 1) {
      await readLimiters();
    }
    if (live.status !== 'live') {
      live.receivedAt = Date.now();
    }
    live.loaded = true;
    live.fault = null;
  } catch (fault) {
    live.fault = stopped ? null : fault;
  } finally {
    reading = false;
  }
  if (!stopped) {
    changed();
    plan(Math.min(readAgain, live.status === 'live' ? READ_EVERY_MILLIS : READ_WITHOUT_STREAM_MILLIS));
  }
}

async function readLimiters() {
  lastLimiters = Date.now();
  try {
    const list = await api.call('/limiters', { signal: controller.signal });
    live.limiters = new Map(list.items.map(one => [one.name, one]));
  } catch (fault) {
    if (!(fault instanceof api.Problem)) {
      throw fault;
    }
    // Limiters are a right of their own; the controllers are shown without.
  }
}

/** Reads the limiters soon: the reports of replicas about one they share cannot be added up. */
function planLimiters() {
  if (limitersTimer === 0 && !stopped) {
    limitersTimer = setTimeout(async () => {
      await readLimiters().catch(() => {}); // the lists show when the host is not there
      limitersTimer = 0;
      changed();
    }, Math.max(0, READ_AFTER_EVENT_MILLIS - (Date.now() - lastLimiters)));
  }
}

async function stream() {
  let wait = 500;
  while (!stopped) {
    const began = Date.now();
    try {
      await listenOnce();
      status('lost', 'The host has ended the stream of events.');
    } catch (fault) {
      if (stopped) {
        return;
      }
      if (fault instanceof api.Problem && (fault.status === 403 || fault.status === 404)) {
        status('polling', fault.message);
        return;
      }
      status('lost', api.explainFault(fault));
      wait = Math.max(wait, (fault.retryAfter ?? 0) * 1000);
    }
    if (Date.now() - began > MAX_WAIT_MILLIS) {
      wait = 500;
    }
    await pause(wait * (0.75 + Math.random() / 2));
    wait = Math.min(MAX_WAIT_MILLIS, wait * 2);
  }
}

function pause(millis) {
  return new Promise(resolve => setTimeout(resolve, millis));
}

async function listenOnce() {
  const attempt = new AbortController();
  const end = () => attempt.abort();
  controller.signal.addEventListener('abort', end);
  let silence = setTimeout(end, SILENCE_MILLIS);
  if (!lastId) {
    synced = false;
    parts.clear();
  }
  try {
    const answer = await api.send('/events', {
      query: { topics: 'controllers,limiters' },
      headers: lastId ? { 'Last-Event-ID': lastId } : {},
      signal: attempt.signal,
    });
    if (lastId) {
      status('live');
    }
    await read(answer.body, take, () => {
      live.receivedAt = Date.now();
      clearTimeout(silence);
      silence = setTimeout(end, SILENCE_MILLIS);
    });
  } finally {
    clearTimeout(silence);
    controller.signal.removeEventListener('abort', end);
  }
}

function take(event) {
  if (stopped) {
    return;
  }
  if (event.id) {
    lastId = event.id;
  }
  const data = JSON.parse(event.data);
  switch (event.type) {
    case 'controller':
      takeController(data);
      break;
    case 'limiter':
      if (live.replicas > 1) {
        planLimiters();
      } else if (data.gone) {
        live.limiters.delete(data.name);
      } else {
        live.limiters.set(data.name, data);
      }
      break;
    case 'partial':
      takePartial(data);
      break;
    case 'synced':
      synced = true;
      status('live');
      plan(0); // events that were missed
      break;
    case 'reset':
      parts.forget(replica => replica === data.replica);
      plan(0);
      break;
    case 'unauthorized':
      lastId = null;
      break;
    default: // a newer host may report more
  }
  changed();
}

function planAfterEvent() {
  plan(Math.max(0, READ_AFTER_EVENT_MILLIS - (Date.now() - lastRead)));
}

/** Sets which replicas respond from now on. */
function takePartial(data) {
  parts.follow(data.replicas);
  live.replicas = Math.max(1, data.replicas.length);
  live.missing = data.replicas.filter(one => one.state !== 'ok');
  plan(0);
}

function takeController(data) {
  parts.take(data);
  const listed = live.controllers.get(data.controller);
  const whole = synced && listed && parts.whole(listed);
  if (!whole) {
    planAfterEvent();
    return;
  }
  if (data.replica === listed.replica) {
    hostTime(data.asOf);
  }
  if (listed.paused !== whole.paused || (listed.pausedCauses?.length ?? 0) !== (data.causesPaused ?? 0)) {
    plan(0); // the stream has no reason
  }
  live.controllers.set(data.controller, whole);
}
