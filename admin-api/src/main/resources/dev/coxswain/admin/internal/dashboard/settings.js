// SPDX-License-Identifier: Apache-2.0
// What a user chooses for this browser: the theme, in which time zone times are written, and whether keys are shortcuts.

import { h } from './dom.js';
import { tick, utc, writeInUtc } from './format.js';

const ZONE = 'coxswain.zone';
const KEYS = 'coxswain.keys';

let keys = true;

function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It lasts as long as this page.
  }
}

/** Takes over what was chosen before; `theme.js` does so for the theme. */
export function open() {
  try {
    writeInUtc(localStorage.getItem(ZONE) === 'utc');
    keys = localStorage.getItem(KEYS) !== 'off';
  } catch {
    // Without storage it is the local time.
  }
}

function choice(label, options, chosen, onchange) {
  const select = h('select', { 'aria-label': label, class: 'setting', onchange: () => onchange(select.value) },
    Object.entries(options).map(([value, name]) => h('option', { value }, name)));
  select.value = chosen;
  return select;
}

export function zoneSwitch() {
  return choice('Time zone', { local: 'Local time', utc: 'UTC' }, utc() ? 'utc' : 'local', zone => {
    writeInUtc(zone === 'utc');
    keep(ZONE, zone);
    tick(document.body);
    document.querySelectorAll('.chart').forEach(chart => chart.dispatchEvent(new Event('redraw')));
  });
}

export function themeSwitch() {
  const root = document.documentElement;
  return choice('Theme', { system: 'System', light: 'Light', dark: 'Dark' }, root.dataset.theme ?? 'system', theme => {
    if (theme === 'system') {
      delete root.dataset.theme;
    } else {
      root.dataset.theme = theme;
    }
    keep('coxswain.theme', theme);
  });
}

/** Whether single keys are shortcuts. */
export function shortcuts() {
  return keys;
}

export function keepShortcuts(wanted) {
  keys = wanted;
  keep(KEYS, wanted ? 'on' : 'off');
}
