// SPDX-License-Identifier: Apache-2.0
// What the caller may do, so that a button which would be refused is not offered. The host decides anew each time.

import * as api from './api.js';

const HELD_MILLIS = 20_000;
const MAX_ENTRIES = 256;
const known = new Map();

/** Forgets everything: somebody else may be signed in. */
export function forget() {
  known.clear();
}

/** Reads the rights to a controller, in a namespace or in all of them. */
export function of(controller = '', namespace = '') {
  const key = controller + '\n' + namespace;
  const present = known.get(key);
  if (present && Date.now() - present.at < HELD_MILLIS) {
    return present.rights;
  }
  if (known.size >= MAX_ENTRIES) {
    known.clear();
  }
  const rights = fetchRights(controller, namespace);
  known.set(key, { at: Date.now(), rights });
  rights.catch(() => known.delete(key));
  return rights;
}

async function fetchRights(controller, namespace) {
  if (!api.has('GET /rights')) {
    return () => true;
  }
  const answer = await api.call('/rights', { query: { controller, namespace } });
  const allowed = new Set(answer.items.filter(one => one.allowed).map(one => one.resource + ' ' + one.verb));
  return (resource, verb) => allowed.has(resource + ' ' + verb);
}

/** Greys a button out when the caller may not do what it does; without an answer it is left as it is. */
export async function guard(button, resource, verb, controller, namespace) {
  try {
    const may = await of(controller, namespace);
    if (!may(resource, verb)) {
      button.setAttribute('aria-disabled', 'true');
      button.title = 'You have no right to ' + verb + ' ' + resource + (namespace ? ' in ' + namespace : '') + '.';
    }
  } catch {
    // The host will say so when it is asked.
  }
  return button;
}
