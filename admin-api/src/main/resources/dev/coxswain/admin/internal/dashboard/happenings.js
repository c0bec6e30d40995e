// SPDX-License-Identifier: Apache-2.0
// The events of the timeline: their names, their rows, and their marks on a time axis.

import { h } from './dom.js';
import { clock, count, time } from './format.js';
import { badge } from './phases.js';
import { link } from './router.js';
import { cards } from './page.js';

export const NAMES = {
  replicaStarted: ['info', 'Replica started'],
  replicaJoined: ['info', 'Replica joined'],
  replicaLeft: ['bad', 'Replica left'],
  slotsMoved: ['info', 'Slots moved'],
  ownerChanged: ['info', 'Owner changed'],
  startFailed: ['bad', 'Start failed'],
  conditionBegan: ['bad', 'Condition began'],
  conditionEnded: ['good', 'Condition ended'],
  pauseEnded: ['info', 'Pause ended'],
  limiterDegraded: ['warn', 'Limiter degraded'],
  limiterRecovered: ['good', 'Limiter recovered'],
  pluginChanged: ['info', 'Plug-in'],
  configurationReloaded: ['info', 'Configuration'],
  causeFirstSeen: ['warn', 'Cause first seen'],
  change: ['quiet', 'Change'],
};
const TONES = ['quiet', 'info', 'good', 'warn', 'bad']; // the last one is drawn when several events have one mark
const APART = 22; // pixels between two marks
const SAME_MILLIS = 60_000;

function toneOf(event) {
  return (NAMES[event.type] ?? ['info'])[0];
}

export function nameOf(event) {
  return (NAMES[event.type] ?? ['', event.type])[1];
}

export function millis(event) {
  return Date.parse(event.at);
}

/** What identifies an event in an address. */
export function keyOf(event) {
  return [event.at, event.type, event.controller ?? '', event.subject ?? ''].join('~');
}

/** The time of the event of an address; NaN when it is none. */
export function timeOfKey(key) {
  return Date.parse((key ?? '').split('~')[0]);
}

/** The event of an address. Its time is another one once a replica has answered that saw it earlier. */
export function findEvent(events, key) {
  const [at, ...same] = (key ?? '').split('~');
  return events.find(one => keyOf(one) === key)
    ?? events.find(one => keyOf(one).split('~').slice(1).join('~') === same.join('~') && Math.abs(millis(one) - Date.parse(at)) < SAME_MILLIS);
}

/**
 * The lane of marks. Marks that would cover each other are one, with the number of events. The arrow keys go from mark to mark;
 * `choose(event)` is called when one is pressed.
 */
export function lane(axis, choose) {
  const element = h('div', { class: 'lane', role: 'group', 'aria-label': 'Events on the time axis' });
  let groups = [];

  element.addEventListener('keydown', event => {
    const now = groups.findIndex(one => one.button === document.activeElement);
    const next = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: groups.length - 1 }[event.key];
    if (now >= 0 && next !== undefined) {
      event.preventDefault();
      const { button } = groups[Math.max(0, Math.min(groups.length - 1, next))];
      reach(button);
      button.focus();
    }
  });

  /** Only one mark is in the order of the tab key. */
  function reach(button) {
    groups.forEach(one => { one.button.tabIndex = one.button === button ? 0 : -1; });
  }

  return {
    element,
    draw(events, chosen) {
      const focused = groups.find(one => one.button === document.activeElement)?.events[0];
      groups = [];
      for (const event of [...events].filter(one => axis.has(millis(one))).sort((a, b) => millis(a) - millis(b))) {
        const last = groups.at(-1);
        if (last && axis.x(millis(event)) - last.x < APART) {
          last.events.push(event);
        } else {
          groups.push({ x: axis.x(millis(event)), events: [event] });
        }
      }
      for (const group of groups) {
        const has = chosen && group.events.includes(chosen);
        group.button = mark(group, has, axis.left(millis(group.events[0])));
        group.button.addEventListener('click', () => {
          const at = group.events.indexOf(chosen);
          choose(group.events[(at + 1) % group.events.length]);
        });
        group.button.addEventListener('focus', () => {
          reach(group.button);
          axis.read(millis(has ? chosen : group.events[0]));
        });
        group.button.addEventListener('blur', () => axis.read(null));
      }
      element.replaceChildren(...groups.map(one => one.button));
      const again = focused && groups.find(one => one.events.some(event => keyOf(event) === keyOf(focused)));
      reach((again ?? groups.find(one => chosen && one.events.includes(chosen)) ?? groups.at(-1))?.button);
      again?.button.focus({ preventScroll: true });
    },
    /** Sets the focus to the mark of an event. */
    focus(event) {
      groups.find(one => one.events.includes(event))?.button.focus({ preventScroll: true });
    },
  };
}

function mark({ events }, chosen, left) {
  const tone = TONES[Math.max(...events.map(one => TONES.indexOf(toneOf(one))))];
  const many = events.length > 1;
  const label = many
    ? count(events.length) + ' events from ' + clock(events[0].at) + ': ' + events.slice(0, 5).map(nameOf).join(', ') + (events.length > 5 ? ' and more' : '')
    : nameOf(events[0]) + ', ' + clock(events[0].at) + ': ' + events[0].message;
  const button = h('button', { type: 'button', class: 'mark ' + tone, 'aria-label': label, title: label, 'aria-pressed': String(Boolean(chosen)) },
    many && h('span', {}, events.length > 99 ? '99+' : events.length));
  button.style.left = left;
  return button;
}

/** The table of events; `addressOf(event)` chooses one. */
export function eventTable(events, chosen, { addressOf, choose }) {
  const names = ['When', 'What', 'On', 'Message', 'Replicas'];
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Events' },
    cards(h('table', { class: 'grid events' },
      h('caption', { class: 'visually-hidden' }, 'Events, the youngest first'),
      h('thead', {}, h('tr', {}, names.map(name => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, events.map(one => h('tr', { 'data-event': keyOf(one), 'aria-current': one === chosen ? 'true' : null },
        h('td', { class: 'nowrap' }, h('a', { href: addressOf(one), title: 'Show it on the time axis', onclick: event => {
          if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
            event.preventDefault();
            choose(one);
          }
        } }, time(one.at, 'wall'))),
        h('td', { class: 'nowrap' }, badge(toneOf(one), nameOf(one))),
        h('td', {}, place(one)),
        h('td', { class: 'wrap' }, one.actor && h('b', {}, one.actor + ': '), one.message),
        h('td', { class: 'quiet' }, one.replicas.join(', '))))))));
}

function place(event) {
  if (!event.controller) {
    return '';
  }
  const query = event.type === 'causeFirstSeen' ? { cause: event.subject } : {};
  return h('a', { href: link(['controllers', event.controller], query) }, event.controller);
}

/** The events of a minute, in a line. */
export function minuteOf(events, at) {
  return events.filter(one => Math.floor(millis(one) / SAME_MILLIS) === Math.floor(at / SAME_MILLIS)).reverse();
}

/** What some events are and how often, the worst first. */
export function badges(events) {
  const counts = new Map();
  events.forEach(one => counts.set(one.type, [one, (counts.get(one.type)?.[1] ?? 0) + 1]));
  return [...counts.values()]
    .sort(([a], [b]) => TONES.indexOf(toneOf(b)) - TONES.indexOf(toneOf(a)))
    .map(([one, times]) => [badge(toneOf(one), nameOf(one) + (times > 1 ? ' × ' + times : '')), ' ']);
}
