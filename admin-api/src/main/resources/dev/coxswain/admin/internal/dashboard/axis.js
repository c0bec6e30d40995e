// SPDX-License-Identifier: Apache-2.0
// A time axis that several drawings share: where a time is in all of them, and the time that is read.

import { PAD } from './chart.js';
import { svg } from './dom.js';
import { clock, utc } from './format.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 48 * HOUR];
const LABEL_WIDTH = 92;

export function timeAxis() {
  const listeners = [];
  const axis = {
    from: 0,
    to: 1,
    width: 320,
    at: null, // the time that is read
    wanted: null, // the time under the pointer, or that was reached by a key
    fixed: null, // the time that is read when there is no other

    show(from, to) {
      Object.assign(axis, { from, to });
    },

    x(time) {
      return PAD.left + ((time - axis.from) / (axis.to - axis.from)) * (axis.width - PAD.left - PAD.right);
    },

    /** The time of a place, not outside of the axis. */
    timeOf(x) {
      const part = (x - PAD.left) / (axis.width - PAD.left - PAD.right);
      return axis.from + Math.max(0, Math.min(1, part)) * (axis.to - axis.from);
    },

    has(time) {
      return time >= axis.from && time <= axis.to;
    },

    /** Reads a time in all drawings, or that of what is chosen without; aloud when a key requested it. */
    read(time, aloud = false) {
      axis.wanted = time;
      axis.at = time ?? axis.fixed;
      listeners.forEach(listener => listener(aloud));
    },

    listen(listener) {
      listeners.push(listener);
    },

    /** The place of a time in a part of the whole width, which is right on paper, too. */
    left(time) {
      return ((axis.x(time) / axis.width) * 100).toFixed(3) + '%';
    },

    /** The times with a label, on whole minutes or hours of the clock that is shown. */
    ticks() {
      const most = Math.max(2, Math.floor((axis.width - PAD.left) / LABEL_WIDTH));
      const step = STEPS.find(one => (axis.to - axis.from) / one <= most) ?? STEPS.at(-1) * Math.ceil((axis.to - axis.from) / most / STEPS.at(-1));
      const zone = utc() ? 0 : new Date(axis.to).getTimezoneOffset() * MINUTE;
      const ticks = [];
      for (let time = Math.ceil((axis.from - zone) / step) * step + zone; time <= axis.to; time += step) {
        ticks.push(time);
      }
      return ticks;
    },

    /** The labels below the drawings. */
    ruler() {
      const ticks = axis.ticks();
      const seconds = ticks.length > 1 && ticks[1] - ticks[0] < MINUTE;
      return svg('svg', { class: 'ruler', viewBox: `0 0 ${axis.width} 18`, 'aria-hidden': 'true' },
        ticks.map(time => {
          const x = axis.x(time);
          const anchor = x > axis.width - 20 ? 'end' : 'middle';
          return svg('text', { class: 'axis', x: Math.min(x, axis.width - 1), y: 12, 'text-anchor': anchor }, seconds ? clock(time) : clock(time).slice(0, -3));
        }));
    },
  };
  return axis;
}
