// SPDX-License-Identifier: Apache-2.0
// What a user chooses for this browser: the theme, in which time zone times are written, how dense tables are, and whether keys are
// shortcuts.

import { h } from './dom.js';
import { tick, utc, writeInUtc } from './format.js';

const ZONE = 'coxswain.zone';
const KEYS = 'coxswain.keys';
const DENSITY = 'coxswain.density';

let keys = true;

/** Stores a value; returns whether it lasts longer than this page. */
export function write(key, value) {
  try {
    localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

/** Returns what is stored; null without it, and without storage. */
export function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Takes over what was chosen before; `theme.js` does so for the theme. */
export function open() {
  writeInUtc(read(ZONE) === 'utc');
  keys = read(KEYS) !== 'off';
}

/** How dense tables are: as the address has it, or as chosen in this browser. */
export function density() {
  return document.documentElement.dataset.density ?? 'comfortable';
}

export function showDensity(inAddress) {
  document.documentElement.dataset.density = (inAddress ?? read(DENSITY)) === 'compact' ? 'compact' : 'comfortable';
}

export function keepDensity(wanted) {
  write(DENSITY, wanted);
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
    write(ZONE, zone);
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
    write('coxswain.theme', theme);
  });
}

/** Whether single keys are shortcuts. */
export function shortcuts() {
  return keys;
}

export function keepShortcuts(wanted) {
  keys = wanted;
  write(KEYS, wanted ? 'on' : 'off');
}
