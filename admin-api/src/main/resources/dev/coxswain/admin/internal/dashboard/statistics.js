// SPDX-License-Identifier: Apache-2.0
// The charts of a controller, from the hour that the host remembers.

import * as api from './api.js';
import { chart } from './chart.js';
import { h, text } from './dom.js';
import { count, decimal, span } from './format.js';
import { live } from './live.js';
import { PHASE_NAMES, PHASES, RESULT_NAMES } from './phases.js';

const REFRESH_MILLIS = 10_000;
const WINDOWS = [['10m', '10s', '10 min'], ['1h', '30s', '1 hour']];

/** Makes the charts; they go on until they are disposed of. */
export function statistics(controller) {
  const depth = chart('Items by phase', { stacked: true, format: count });
  const throughput = chart('Attempts per second', { stacked: true, format: decimal });
  const oldest = chart('Oldest ready item', { format: span });
  const limiter = chart('Waiting for the limiter', { format: count });
  const buttons = WINDOWS.map(([window, , name]) => h('button', {
    type: 'button', class: 'tab', 'aria-pressed': 'false', onclick: () => choose(window),
  }, name));
  const whose = h('span', { class: 'hint' });
  const element = h('section', { class: 'panel', 'aria-label': 'Charts' },
    h('div', { class: 'panel-head' }, h('h2', {}, 'Last'), h('div', { class: 'tabs', role: 'group', 'aria-label': 'Time shown' }, buttons), whose),
    h('div', { class: 'charts' }, depth.element, throughput.element, oldest.element, limiter.element));
  let chosen = WINDOWS[0];
  let timer = 0;
  let ended = false;

  function choose(window) {
    chosen = WINDOWS.find(one => one[0] === window);
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(WINDOWS[i] === chosen)));
    read();
  }

  async function read() {
    clearTimeout(timer);
    const [window, step] = chosen;
    try {
      const stats = document.hidden ? null
        : await api.call('/controllers/' + api.segment(controller) + '/stats', { query: { window, step } });
      if (!ended && stats && chosen[0] === window) {
        show(stats);
      }
    } catch {
      // The last values stay; a banner reports that the host does not answer, and a failed controller has none.
    }
    if (!ended) {
      timer = setTimeout(read, REFRESH_MILLIS);
    }
  }

  function show(stats) {
    const step = stats.step.endsWith('m') ? Number.parseInt(stats.step, 10) * 60 : Number.parseInt(stats.step, 10);
    const end = Date.parse(stats.end);
    const missing = (stats.replicas ?? []).filter(one => one.state !== 'ok').map(one => one.replica);
    text(whose, stats.replicas
      ? missing.length > 0 ? 'Partial: without ' + missing.join(', ') : ''
      : live.replicas > 1 ? 'Of ' + stats.replica + ' alone' : '');
    const times = Array.from({ length: stats.points }, (_, i) => end - (stats.points - 1 - i) * step * 1000);
    depth.draw(times, PHASES.filter(phase => stats.depth[phase]).map(phase => ({ name: PHASE_NAMES[phase], tone: phase, values: stats.depth[phase] })));
    throughput.draw(times, Object.entries(stats.throughput).map(([result, values]) =>
      ({ name: RESULT_NAMES[result] ?? result, tone: 'result-' + result, values })));
    oldest.draw(times, [{ name: 'Oldest ready', tone: 'ready', values: stats.oldestReadySeconds }]);
    limiter.draw(times, [{ name: 'Retries of all controllers', tone: 'waitingToken', values: stats.limiterWaiters }]);
  }

  choose('10m');
  return {
    element,
    dispose() {
      ended = true;
      clearTimeout(timer);
    },
  };
}
