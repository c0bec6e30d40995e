// SPDX-License-Identifier: Apache-2.0
// Small pictures of the failing items of the last hour, from what the host remembers; of a few controllers, one request each.

import * as api from './api.js';
import { h, svg } from './dom.js';
import { count } from './format.js';

const REFRESH_MILLIS = 60_000; // a point is two minutes
const WAIT_MILLIS = 300; // the order of the controllers settles first
export const MOST_SPARKS = 8;

const WIDTH = 64;
const HEIGHT = 20;

/** Reads the series of the controllers that are wanted; `changed` is called when one has come. */
export function sparks(changed) {
  const series = new Map(); // by controller: `{at, values}`
  let wanted = [];
  let timer = 0;
  let reading = false;
  let ended = false;

  async function read() {
    if (reading || ended) {
      return;
    }
    reading = true;
    const old = name => Date.now() - (series.get(name)?.at ?? 0) > REFRESH_MILLIS;
    for (let name = wanted.find(old); name && !document.hidden && !ended; name = wanted.find(old)) {
      const before = series.get(name);
      try {
        const stats = await api.call('/controllers/' + api.segment(name) + '/stats', { query: { window: '1h', step: '2m' } });
        series.set(name, { at: Date.now(), values: stats.failing ?? [] });
      } catch {
        series.set(name, { at: Date.now(), values: before?.values ?? [] }); // one that does not run has none
      }
      if (!ended) {
        changed();
      }
    }
    reading = false;
    plan(REFRESH_MILLIS / 4);
  }

  function plan(millis) {
    clearTimeout(timer);
    if (!ended) {
      timer = setTimeout(read, millis);
    }
  }

  return {
    /** Sets the controllers, the most important first. */
    want(names) {
      const now = names.slice(0, MOST_SPARKS);
      if (now.join('\n') !== wanted.join('\n')) {
        wanted = now;
        [...series.keys()].filter(name => !wanted.includes(name)).forEach(name => series.delete(name));
        plan(WAIT_MILLIS);
      }
    },
    /** The values of a controller; undefined while they are not known. */
    of: name => series.get(name)?.values,
    dispose() {
      ended = true;
      clearTimeout(timer);
    },
  };
}

/** Draws values over time, null where nothing is known, with the words of it for those who do not see it. */
export function spark(values) {
  const known = values.filter(value => value !== null);
  if (known.length === 0) {
    return h('span', { class: 'quiet' }, '–');
  }
  const most = Math.max(...known);
  const points = values
    .map((value, i) => (value === null ? null : [(i / Math.max(1, values.length - 1)) * (WIDTH - 4) + 2, HEIGHT - 2 - (value / Math.max(1, most)) * (HEIGHT - 4)]))
    .filter(Boolean);
  const [x, y] = points.at(-1);
  return svg('svg', {
    class: 'spark' + (most > 0 ? ' failing' : ''), width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img',
    'aria-label': 'Failing items in the last hour: at most ' + count(most) + ', at least ' + count(Math.min(...known)) + ', now ' + count(known.at(-1)),
  },
  svg('polyline', { points: points.map(point => point.map(one => one.toFixed(1)).join(',')).join(' ') }),
  svg('circle', { cx: x.toFixed(1), cy: y.toFixed(1), r: 2 }));
}
