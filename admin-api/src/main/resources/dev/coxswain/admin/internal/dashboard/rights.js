// SPDX-License-Identifier: Apache-2.0
// What the caller may do, so that a button which would be refused is not offered. The host decides anew each time.

import * as api from './api.js';

const HELD_MILLIS = 20_000;
const MAX_ENTRIES = 256;
const known = new Map();
const asked = new WeakMap(); // by button: what it was guarded for last

/** Forgets everything: another caller may be signed in. */
export function forget() {
  known.clear();
}

/** Reads the rights to what `of` names, `{controller, namespace, limiter}`; what it leaves out means all of them. */
function rightsTo(of) {
  const key = JSON.stringify([of.controller, of.namespace, of.limiter]);
  const present = known.get(key);
  if (present && Date.now() - present.at < HELD_MILLIS) {
    return present.rights;
  }
  if (known.size >= MAX_ENTRIES) {
    known.clear();
  }
  const rights = fetchRights(of);
  known.set(key, { at: Date.now(), rights });
  rights.catch(() => known.delete(key));
  return rights;
}

async function fetchRights(of) {
  if (!api.has('GET /rights')) {
    return () => true;
  }
  const answer = await api.call('/rights', { query: of });
  const allowed = new Set(answer.items.filter(one => one.allowed).map(one => one.resource + ' ' + one.verb));
  return (resource, verb) => allowed.has(resource + ' ' + verb);
}

/**
 * Greys a button out while the caller lacks the right to what it does, and not any longer when it is asked again for
 * something that they may do. Without an answer it is offered: the host refuses it.
 */
export async function guard(button, resource, verb, of = {}) {
  const mine = {};
  asked.set(button, mine);
  const allowed = await rightsTo(of).then(may => may(resource, verb), () => true);
  if (asked.get(button) === mine) {
    grey(button, allowed ? null : 'You have no right to ' + verb + ' ' + resource + (of.namespace ? ' in ' + of.namespace : '') + '.');
  }
}

/** Greys a button out and shows the reason; with null it can be used. */
export function grey(button, why) {
  if (why === null) {
    button.removeAttribute('aria-disabled');
    button.removeAttribute('title');
  } else {
    button.setAttribute('aria-disabled', 'true');
    button.title = why;
  }
}

/** Whether a button can be used. */
export function offered(button) {
  return button.getAttribute('aria-disabled') !== 'true';
}
