// SPDX-License-Identifier: Apache-2.0
// The events and the charts of a time on one axis.

import * as api from './api.js';
import { timeAxis } from './axis.js';
import { chart } from './chart.js';
import { h, put, text } from './dom.js';
import { clock, count, decimal, now as hostNow, wall } from './format.js';
import { badges, lane, millis, minuteOf, nameOf } from './happenings.js';
import { failure, loading, missingNames } from './page.js';
import { RESULT_NAMES } from './phases.js';

const HOUR = 3_600_000; // what the host remembers
const STEP_SHORT = 10;
const STEP_LONG = 60;
const LEAST = 120_000; // the shortest time that is shown

/**
 * Makes the panel. `choose(event)` is called when a mark is pressed, `go(from, to)` when another time is wanted, and `now()` when that is
 * the present one.
 */
export function timeCharts({ choose, go, now }) {
  const axis = timeAxis();
  const marks = lane(axis, choose);
  const backlog = chart('Backlog', { stacked: true, format: count, axis });
  const failing = chart('Failing items', { format: count, axis });
  const attempts = chart('Attempts per second', { stacked: true, format: decimal, axis });
  const tokens = chart('Waiting for tokens', { format: count, axis });
  const all = [backlog, failing, attempts, tokens];
  const title = h('h2', {});
  const whose = h('p', { class: 'hint', hidden: true });
  const reading = h('p', { class: 'reading' });
  const aloud = h('output', { class: 'visually-hidden' });
  const button = (words, label, action) => h('button', { type: 'button', class: 'small', 'aria-label': label, title: label, onclick: action }, words);
  const back = button('Now', 'Back to the present', () => now());
  const charts = h('div', { class: 'on-axis', hidden: true }, all.map(one => one.element));
  const state = h('div', {}, loading(5));
  const ruler = h('div');
  const cursor = h('div', { class: 'axis-cursor', hidden: true });
  const body = h('div', { class: 'axis-body' }, marks.element, charts, ruler, cursor);
  const element = h('section', { class: 'panel time-charts', 'aria-label': 'Time axis' },
    h('div', { class: 'panel-head' }, title, h('span', { class: 'spacer' }),
      h('div', { class: 'buttons' },
        button('‹', 'Earlier', () => shift(-0.5)), button('›', 'Later', () => shift(0.5)),
        button('+', 'Shorter time', () => zoom(0.5)), button('−', 'Longer time', () => zoom(2)), back)),
    reading, aloud, body, whose, state);
  let events = [];
  let chosen = null;
  let stats = null;

  function shift(part) {
    const by = Math.min((axis.to - axis.from) * part, Math.max(0, hostNow() - axis.to));
    go(axis.from + by, axis.to + by);
  }

  /** What is read or chosen keeps its place, otherwise the end. */
  function zoom(factor) {
    const old = axis.to - axis.from;
    const length = Math.max(LEAST, old * factor);
    const keep = axis.at !== null && axis.has(axis.at) ? axis.at : axis.to;
    const end = Math.min(hostNow(), keep + ((axis.to - keep) * length) / old);
    go(end - length, end);
  }

  function draw() {
    marks.draw(events, chosen);
    put(ruler, axis.ruler());
    if (stats) {
      drawCharts();
    }
    axis.fixed = chosen && axis.has(millis(chosen)) ? millis(chosen) : null;
    axis.read(axis.wanted); // who reads a time goes on when there are new values
  }

  function drawCharts() {
    const step = stats.step.endsWith('m') ? Number.parseInt(stats.step, 10) * 60 : Number.parseInt(stats.step, 10);
    const end = Date.parse(stats.end);
    const shown = [];
    const times = [];
    for (let i = 0; i < stats.points; i++) {
      const at = end - (stats.points - 1 - i) * step * 1000;
      if (axis.has(at)) {
        shown.push(i);
        times.push(at);
      }
    }
    const some = values => shown.map(i => values[i]);
    const phase = (name, tone) => ({ name, tone, values: some(stats.depth[tone]) });
    backlog.draw(times, [phase('Ready', 'ready'), phase('Delayed', 'delayed')]);
    failing.draw(times, [{ name: 'Failing', tone: 'terminal', values: some(stats.failing) }]);
    attempts.draw(times, Object.entries(stats.throughput).map(([result, values]) =>
      ({ name: RESULT_NAMES[result] ?? result, tone: 'result-' + result, values: some(values) })));
    tokens.draw(times, [phase('Retries', 'waitingToken')]);
  }

  axis.listen(loud => {
    const at = axis.at;
    cursor.hidden = at === null || !axis.has(at);
    if (at === null) {
      text(reading, events.length > 0 ? 'Point at a time, or use the arrow keys, to read it.' : 'Nothing has happened in this time.');
      return;
    }
    cursor.style.left = axis.left(at);
    const some = minuteOf(events, at);
    put(reading, h('b', {}, wall(at)), ' ', badges(some),
      some.length === 0 ? h('span', { class: 'quiet' }, 'nothing happened in this minute') : h('span', {}, (some.includes(chosen) ? chosen : some[0]).message));
    if (loud) {
      text(aloud, clock(at) + ': ' + all.map(one => one.wordsAt(at)).filter(Boolean).concat(some.map(nameOf)).join(', '));
    }
  });

  body.addEventListener('pointermove', event => {
    const box = body.getBoundingClientRect();
    axis.read(axis.timeOf(event.clientX - box.left));
  });
  body.addEventListener('pointerleave', () => axis.read(null));
  const sizes = new ResizeObserver(() => {
    const width = Math.floor(body.clientWidth);
    if (width > 0 && width !== axis.width) {
      axis.width = width;
      draw();
    }
  });
  sizes.observe(body);

  return {
    element,
    /** Shows events, the youngest first, of a time; it is the present one with `isNow`. */
    show(newEvents, from, to, isNow, newChosen) {
      events = newEvents;
      chosen = newChosen;
      axis.show(from, to);
      back.hidden = isNow;
      text(title, isNow ? 'Until now' : clock(from).slice(0, -3) + ' – ' + wall(to).replace(/:\d\d(?= UTC$|$)/, ''));
      draw();
    },
    /** Marks another event. */
    choose(event) {
      chosen = event;
      draw();
    },
    focusMark(event) {
      element.scrollIntoView({ block: 'nearest' });
      marks.focus(event);
    },
    /** Reads the series of a controller, or of all. */
    async read(controller, isCurrent) {
      if (axis.to < Date.now() - HOUR - STEP_LONG * 1000) {
        stats = null;
        charts.hidden = true;
        put(state, h('p', { class: 'no-data' }, 'There are no charts of this time: the host remembers the last hour.'));
        return;
      }
      try {
        const step = (axis.to - axis.from > HOUR ? STEP_LONG : STEP_SHORT) + 's';
        const found = await api.call((controller ? '/controllers/' + api.segment(controller) : '') + '/stats', { query: { window: '1h', step } });
        if (!isCurrent()) {
          return;
        }
        stats = found;
        charts.hidden = false;
        put(state);
        const missing = (found.replicas ?? []).filter(one => one.state !== 'ok');
        whose.hidden = missing.length === 0;
        text(whose, missing.length > 0 ? 'The charts are partial: ' + missingNames(missing) : '');
        draw();
      } catch (fault) {
        if (isCurrent() && (stats === null || fault instanceof api.Problem)) {
          stats = null;
          charts.hidden = true;
          put(state, failure(fault, () => this.read(controller, isCurrent)));
        }
      }
    },
    dispose() {
      sizes.disconnect();
    },
  };
}
