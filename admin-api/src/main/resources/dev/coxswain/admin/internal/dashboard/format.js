// SPDX-License-Identifier: Apache-2.0
// How numbers and times are written.

import { h } from './dom.js';

const INTEGER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const DECIMAL = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const ZONES = [undefined, 'UTC'].map(timeZone => ({
  clock: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZone }),
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone }),
  full: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long', timeZone }),
}));

let zone = ZONES[0];
let offset = 0; // what the clock of the host is ahead of ours, in milliseconds

/** Computes the offset of the host's clock, from a time that has just been received. */
export function hostTime(at) {
  const time = Date.parse(at);
  if (Number.isFinite(time)) {
    offset = time - Date.now();
  }
}

/** Writes times in UTC from now on, or as clocks here show it. */
export function writeInUtc(wanted) {
  zone = ZONES[wanted ? 1 : 0];
}

export function utc() {
  return zone === ZONES[1];
}

/** The time at the host, in milliseconds. */
export function now() {
  return Date.now() + offset;
}

export function count(value) {
  return Number.isFinite(value) ? INTEGER.format(value) : '–';
}

export function decimal(value) {
  return Number.isFinite(value) ? DECIMAL.format(value) : '–';
}

export function items(value) {
  return count(value) + (value === 1 ? ' item' : ' items');
}

/** A length of time, in its two largest units. */
export function span(seconds) {
  if (!Number.isFinite(seconds)) {
    return '–';
  }
  const whole = Math.max(0, seconds);
  if (whole < 1) {
    return whole < 0.0005 ? '0 s' : Math.round(whole * 1000) + ' ms';
  }
  if (whole < 10) {
    return DECIMAL.format(whole) + ' s';
  }
  const rounded = Math.round(whole);
  const units = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const first = units.findIndex(([size]) => rounded >= size);
  const [size, name] = units[first];
  const rest = units[first + 1];
  const left = rest ? Math.floor((rounded % size) / rest[0]) : 0;
  return Math.floor(rounded / size) + ' ' + name + (left > 0 ? ' ' + left + ' ' + rest[1] : '');
}

/** A time of day, with the day when it is another one. */
export function clock(at) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) {
    return String(at);
  }
  const day = zone.day.format(date);
  return (day === zone.day.format(now()) ? '' : day + ' ') + zone.clock.format(date);
}

/** The same for a sentence, where nothing else shows that it is UTC. */
export function wall(at) {
  return clock(at) + (utc() ? ' UTC' : '');
}

/** "in 3 s" or "5 min ago". */
function relative(at) {
  const seconds = (Date.parse(at) - now()) / 1000;
  if (!Number.isFinite(seconds)) {
    return '';
  }
  if (Math.abs(seconds) < 1) {
    return 'now';
  }
  return seconds > 0 ? 'in ' + span(seconds) : span(-seconds) + ' ago';
}

/** How long ago something was, without the word. */
export function since(at) {
  return span((now() - Date.parse(at)) / 1000);
}

const HOW = { relative, since, wall };

/** An element that shows a time and goes on by itself. */
export function time(at, how = 'relative') {
  if (!at) {
    return h('span', {}, '–');
  }
  return h('time', { datetime: at, 'data-how': how, 'data-zone': String(utc()), title: exact(at) }, HOW[how](at));
}

/** The time in full, for a title. */
export function exact(at) {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : zone.full.format(date) + ' (' + date.toISOString() + ')';
}

/** Writes all shown times anew. */
export function tick(root) {
  for (const element of root.querySelectorAll('time[data-how]')) {
    const wanted = HOW[element.dataset.how](element.dateTime);
    if (element.textContent !== wanted) {
      element.textContent = wanted;
    }
    if (element.dataset.zone !== String(utc())) {
      element.dataset.zone = String(utc());
      element.title = exact(element.dateTime);
    }
  }
}

const TIME_IN_TEXT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence of the API, with the times in it as people write them. */
export function sentence(message) {
  return message
    .split(TIME_IN_TEXT)
    .map((part, i) => (i % 2 === 1 ? time(part, 'wall') : part));
}
