// SPDX-License-Identifier: Apache-2.0
// Addresses of views: `#/path?query`. All of them are in the fragment, so the host serves one page under any prefix.

/** Reads an address into its segments and parameters. */
export function parse(hash) {
  const [path, query = ''] = hash.replace(/^#/, '').split('?', 2);
  const segments = path.split('/').filter(Boolean).map(decode);
  return { segments, query: Object.fromEntries(new URLSearchParams(query)) };
}

function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Writes an address; parameters without a value are left out. */
export function link(segments, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '' && value !== false) {
      parameters.set(name, value);
    }
  }
  const text = parameters.toString();
  return '#/' + segments.map(encodeURIComponent).join('/') + (text ? '?' + text : '');
}

export function current() {
  return parse(location.hash);
}

/** Goes to a view; with `replace` the way back leads to the one before. */
export function go(segments, query, { replace = false } = {}) {
  const target = link(segments, query);
  if (target === location.hash) {
    return;
  }
  if (replace) {
    history.replaceState(null, '', target);
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  } else {
    location.hash = target;
  }
}
