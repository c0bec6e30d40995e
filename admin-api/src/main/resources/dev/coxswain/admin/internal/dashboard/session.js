// SPDX-License-Identifier: Apache-2.0
// The bearer token: in the storage of this tab and nowhere else.

const KEY = 'coxswain.token';

let token = null;

/**
 * Takes a token out of the address (`#token=...`, which a browser never sends) and out of the history at
 * once, or else the one that this tab has.
 */
export function open() {
  const fragment = location.hash;
  if (fragment.startsWith('#token=')) {
    history.replaceState(null, '', location.pathname + location.search + '#/');
    let given = fragment.slice('#token='.length);
    try {
      given = decodeURIComponent(given);
    } catch {
      // It is taken as it is.
    }
    keep(given);
    return;
  }
  try {
    token = sessionStorage.getItem(KEY);
  } catch {
    token = null;
  }
}

export function current() {
  return token;
}

export function keep(value) {
  token = value;
  try {
    sessionStorage.setItem(KEY, value);
  } catch {
    // Without storage it lives as long as this page.
  }
}

export function forget() {
  token = null;
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // There was none to remove.
  }
}
