// SPDX-License-Identifier: Apache-2.0
// Links to traces and logs elsewhere, by the templates of the host.

import * as api from './api.js';

/** The address of a template with its places filled in; null when the host has no such template. */
export function filled(name, places) {
  const template = api.links()[name];
  return template
    ? template.replaceAll(/\{(\w+)\}/g, (_, place) => encodeURIComponent(places[place] ?? ''))
    : null;
}
