// SPDX-License-Identifier: Apache-2.0
// Small charts of series over time. Each can be read by keyboard: the arrows move a line, and its values are shown.

import { h, put, svg, text } from './dom.js';
import { clock, decimal } from './format.js';

export const PAD = { top: 8, right: 6, bottom: 18, left: 48 };
const OWN = { width: 320, height: 118, bottom: PAD.bottom };
const ON_AXIS_HEIGHT = 72;
const LABEL_WIDTH = 80;
const SECONDS_BELOW = 180_000; // in a shorter time the minutes of two labels can be equal

/**
 * Makes a chart.
 *
 * `series` is a list of `{name, tone, values}` with null where nothing is known; all are as long as `times`, which are
 * milliseconds. With `stacked` they are areas on each other, otherwise lines. `format` writes a value. With an `axis` (`timeAxis`) it
 * is one of several charts with the same axis: a time that is read in one of them is read in all, and the axis is drawn once.
 */
export function chart(title, { stacked = false, format = decimal, hint = '', axis = null } = {}) {
  const plot = svg('svg', { class: 'plot', tabindex: 0, role: 'img' });
  const legend = h('ul', { class: 'legend' });
  const when = h('span', { class: 'hint' }, hint);
  const reading = h('output', { class: 'visually-hidden' });
  const empty = h('p', { class: 'no-data', hidden: true }, axis
    ? 'No samples of this time; the host remembers the last hour.'
    : 'No samples yet; there is one every 10 s.');
  const element = h('figure', { class: 'chart' }, h('figcaption', {}, h('h3', {}, title), when), plot, empty, legend, reading);
  let times = [];
  let series = [];
  let numbers = [];
  let at = -1; // the point that is read; none: the last one is shown
  let size = OWN;

  function draw(newTimes, newSeries) {
    times = newTimes;
    series = newSeries;
    const known = series.some(one => one.values.some(value => value !== null));
    plot.toggleAttribute('hidden', !known);
    legend.hidden = !known;
    empty.hidden = known;
    const stacks = stacked ? stack(series) : series.map(one => ({ low: null, high: one.values }));
    const top = nice(Math.max(0, ...stacks.flatMap(one => one.high.map(value => value ?? 0))));
    size = axis ? { width: axis.width, height: ON_AXIS_HEIGHT, bottom: 6 } : OWN;
    const floor = size.height - size.bottom;
    const y = value => floor - (value / top) * (floor - PAD.top);
    plot.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
    put(plot,
      axis && axis.ticks().map(tick => svg('line', { class: 'grid', x1: axis.x(tick), x2: axis.x(tick), y1: PAD.top, y2: floor })),
      grid(top, format, y, size.width),
      axis ? null : timeLabels(times, x),
      series.map((one, i) => shape(one.tone, stacks[i], x, y)).reverse(),
      axis ? null : svg('line', { class: 'cursor', y1: PAD.top, y2: floor, x1: -9, x2: -9 }));
    plot.setAttribute('aria-label', title + '. ' + summary(series, format) + ' Use the arrow keys to read it.');
    numbers = series.map(() => h('b'));
    put(legend, series.map((one, i) => h('li', {}, h('span', { class: 'swatch ' + one.tone }), one.name, ' ', numbers[i])));
    move(Math.min(at, times.length - 1), false);
  }

  function x(i) {
    const width = OWN.width - PAD.left - PAD.right;
    return axis ? axis.x(times[i]) : PAD.left + (times.length < 2 ? width : (i / (times.length - 1)) * width);
  }

  function show(value) {
    return value === null || value === undefined ? '–' : format(value);
  }

  /** Reads a point, or the last one without; aloud when a key requested it. */
  function move(index, aloud) {
    at = index;
    const place = index < 0 ? -9 : x(index);
    const cursor = plot.querySelector('.cursor');
    cursor?.setAttribute('x1', place);
    cursor?.setAttribute('x2', place);
    series.forEach((one, i) => text(numbers[i], show(index < 0 ? last(one.values) : one.values[index])));
    if (axis) {
      return; // which writes the time, and reads it for all
    }
    text(when, index < 0 ? hint : clock(times[index]));
    if (aloud) {
      text(reading, clock(times[index]) + ': ' + words(index));
    }
  }

  function words(index) {
    return series.map(one => one.name + ' ' + show(one.values[index])).join(', ');
  }

  /** The point of a time, -1 for one between which and the next point nothing was sampled. */
  function pointAt(time) {
    const nearest = times.reduce((best, one, i) => (best < 0 || Math.abs(one - time) < Math.abs(times[best] - time) ? i : best), -1);
    const step = times.length > 1 ? times[1] - times[0] : 0;
    return nearest >= 0 && Math.abs(times[nearest] - time) <= step ? nearest : -1;
  }

  function choose(index, aloud) {
    if (axis) {
      axis.read(index < 0 ? null : times[index], aloud);
    } else {
      move(index, aloud);
    }
  }

  axis?.listen(() => {
    if (axis.at === null) {
      move(-1, false);
      return;
    }
    const index = pointAt(axis.at);
    if (index < 0) {
      numbers.forEach(one => text(one, '–'));
    } else {
      move(index, false);
    }
    at = index;
  });

  plot.addEventListener('keydown', event => {
    const end = times.length - 1;
    const next = { ArrowLeft: at < 0 ? end : at - 1, ArrowRight: at < 0 ? end : at + 1, Home: 0, End: end }[event.key];
    if (next !== undefined && end >= 0) {
      event.preventDefault();
      choose(Math.max(0, Math.min(end, next)), true);
    } else if (event.key === 'Escape' && at >= 0) {
      choose(-1, false);
    }
  });
  if (!axis) { // which follows the pointer over all charts
    plot.addEventListener('pointermove', event => {
      const box = plot.getBoundingClientRect();
      const part = (((event.clientX - box.left) / box.width) * OWN.width - PAD.left) / (OWN.width - PAD.left - PAD.right);
      move(Math.max(0, Math.min(times.length - 1, Math.round(part * (times.length - 1)))), false);
    });
    plot.addEventListener('pointerleave', () => move(-1, false));
  }
  plot.addEventListener('blur', () => choose(-1, false));
  element.addEventListener('redraw', () => times.length > 0 && draw(times, series));
  return {
    element, draw,
    /** The values of a time, in words. */
    wordsAt(time) {
      const index = pointAt(time);
      return index < 0 ? '' : words(index);
    },
  };
}

function last(values) {
  return values.findLast(value => value !== null);
}

function summary(series, format) {
  return series
    .map(one => {
      const known = one.values.filter(value => value !== null);
      return known.length === 0 ? '' : `${one.name}: now ${format(known.at(-1))}, at most ${format(Math.max(...known))}.`;
    })
    .join(' ');
}

function stack(series) {
  let below = series[0].values.map(() => 0);
  return series.map(one => {
    const low = below;
    const high = one.values.map((value, i) => (value === null ? null : low[i] + value));
    below = high.map((value, i) => value ?? low[i]);
    return { low, high };
  });
}

/** The next number of the form 1, 2 or 5 times a power of ten. */
function nice(value) {
  if (value <= 0) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= value * 0.999);
}

function grid(top, format, y, width) {
  const steps = format(top / 2) === format(top) ? [0, 1] : [0, 0.5, 1];
  return steps.map(part => svg('g', {},
    svg('line', { class: 'grid', x1: PAD.left, x2: width - PAD.right, y1: y(top * part), y2: y(top * part) }),
    svg('text', { class: 'axis', x: PAD.left - 5, y: y(top * part) + 3.5, 'text-anchor': 'end' }, format(top * part))));
}

function timeLabels(times, x) {
  if (times.length < 2) {
    return [];
  }
  const middle = Math.floor((times.length - 1) / 2);
  const isShort = times.at(-1) - times[0] < SECONDS_BELOW;
  const isWide = x(middle) - x(0) > LABEL_WIDTH;
  return [[0, 'start'], ...(isWide ? [[middle, 'middle']] : []), [times.length - 1, 'end']].map(([i, anchor]) =>
    svg('text', { class: 'axis', x: x(i), y: OWN.height - 3, 'text-anchor': anchor }, isShort ? clock(times[i]) : clock(times[i]).slice(0, -3)));
}

/** Draws the stretches of a series between the points where nothing is known. */
function shape(tone, { low, high }, x, y) {
  const parts = [];
  let from = -1;
  for (let i = 0; i <= high.length; i++) {
    if (i < high.length && high[i] !== null) {
      from = from < 0 ? i : from;
    } else if (from >= 0) {
      parts.push(stretch(tone, low, high, from, i, x, y));
      from = -1;
    }
  }
  return parts;
}

function stretch(tone, low, high, from, to, x, y) {
  const points = [];
  for (let i = from; i < to; i++) {
    points.push(x(i).toFixed(1) + ',' + y(high[i]).toFixed(1));
  }
  if (to - from === 1) {
    return svg('circle', { class: 'dot ' + tone, cx: x(from).toFixed(1), cy: y(high[from]).toFixed(1), r: 2.5 });
  }
  const line = svg('polyline', { class: 'line ' + tone, points: points.join(' ') });
  if (low === null) {
    return line;
  }
  for (let i = to - 1; i >= from; i--) {
    points.push(x(i).toFixed(1) + ',' + y(low[i]).toFixed(1));
  }
  return [svg('polygon', { class: 'area ' + tone, points: points.join(' ') }), line];
}
