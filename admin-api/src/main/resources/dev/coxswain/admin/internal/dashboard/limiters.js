// SPDX-License-Identifier: Apache-2.0
// The retry limiters: how much of them is used, who waits, and whether they hold for the whole cluster.

import { chart } from './chart.js';
import { h, keyed, put, text } from './dom.js';
import { count, decimal, time } from './format.js';
import { listen, live, refresh } from './live.js';
import { cards, emptyState, facts, failure, head, loading, section } from './page.js';
import { overrideButtons } from './override.js';
import { badge } from './phases.js';
import { link } from './router.js';

const byName = (a, b) => a.name.localeCompare(b.name);

function mode(limiter) {
  if (limiter.degraded) {
    return badge('warn', 'degraded');
  }
  return limiter.mode === 'local' ? badge('info', 'this replica only') : badge('good', 'whole cluster');
}

function fullness(limiter) {
  const tokens = Math.max(0, Math.min(limiter.capacity, limiter.tokens ?? 0));
  return h('meter', { min: 0, max: Math.max(1, limiter.capacity), value: tokens, 'aria-label': 'Tokens of ' + limiter.name });
}

export function limitersPage() {
  const body = h('tbody');
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Limiters' },
    h('table', { class: 'grid' },
      h('caption', { class: 'visually-hidden' }, 'Retry limiters'),
      h('thead', {}, h('tr', {}, ['Limiter', 'Holds for', 'Tokens', '', 'Rate/s', 'Burst', 'Waiting', 'Granted', 'Controllers'].map((name, i) =>
        h(name ? 'th' : 'td', { scope: name ? 'col' : null, class: [2, 4, 5, 6, 7].includes(i) ? 'number' : null }, name)))),
      body));
  const place = h('div');
  const element = h('div', {},
    head('Limiters'),
    h('p', { class: 'lead' }, 'A limiter caps how fast retries start. First attempts and new events never wait for it.'),
    place);

  function update() {
    const all = [...live.limiters.values()].sort(byName);
    if (all.length === 0) {
      put(place, live.loaded ? emptyState('No limiters', 'No controller uses one.') : live.fault ? failure(live.fault, refresh) : loading(3));
      return;
    }
    if (table.parentElement !== place) {
      put(place, table);
    }
    keyed(body, all, one => one.name, row);
    cards(table.firstElementChild);
  }
  return { title: 'Limiters', element, show: update, dispose: listen(update) };
}

function row(limiter) {
  const cells = Array.from({ length: 8 }, (_, i) => h('td', { class: [1, 3, 4, 5, 6].includes(i) ? 'number' : null }));
  const element = h('tr', {}, h('th', { scope: 'row' }, h('a', { href: link(['limiters', limiter.name]) }, limiter.name)), cells);
  let shown = '';
  return {
    element,
    update(now) {
      const key = JSON.stringify([now.degraded, now.mode, now.source, now.consumers]);
      if (key !== shown) {
        shown = key;
        put(cells[0], mode(now), now.source === 'override' && [' ', badge('warn', 'overridden')]);
        put(cells[7], now.consumers.length > 6 ? now.consumers.length + ' controllers' : now.consumers.join(', ') || '–');
      }
      text(cells[1], decimal(now.tokens));
      put(cells[2], fullness(now));
      text(cells[3], now.refillPerSecond === null ? 'no limit' : decimal(now.refillPerSecond));
      text(cells[4], count(now.capacity));
      text(cells[5], count(now.waiters));
      text(cells[6], count(now.granted));
    },
  };
}

export function limiterPage(name) {
  const state = h('span', { class: 'title' });
  const place = h('div');
  const buttons = overrideButtons(name, () => live.limiters.get(name));
  const actions = h('div', { class: 'buttons', hidden: true }, buttons.elements);
  const use = chart('Retries started per second', { format: decimal, hint: 'since the dashboard was opened' });
  const tokens = chart('Tokens', { format: decimal, hint: 'since the dashboard was opened' });
  const waiters = chart('Waiting retries', { format: count, hint: 'since the dashboard was opened' });
  const charts = section('Use', h('div', { class: 'charts' }, use.element, tokens.element, waiters.element));
  const element = h('div', {},
    head(name, { above: h('p', { class: 'crumb' }, h('a', { href: '#/limiters' }, 'Limiters')), beside: state, actions }),
    place, charts);
  let shown = '';

  function update() {
    const limiter = live.limiters.get(name);
    charts.hidden = !limiter;
    actions.hidden = !limiter;
    if (!limiter) {
      shown = '';
      put(state);
      put(place, live.loaded ? emptyState('No limiter has this name', 'No controller uses it.', h('a', { class: 'button', href: '#/limiters' }, 'All limiters'))
        : live.fault ? failure(live.fault, refresh) : loading(3));
      return;
    }
    const now = JSON.stringify(limiter);
    if (now !== shown) {
      shown = now;
      put(state, mode(limiter), limiter.source === 'override' && badge('warn', 'overridden'));
      buttons.show(limiter);
      put(place, view(limiter));
    }
    const points = live.history.of(name);
    const times = points.map(point => point.at);
    use.draw(times, [
      { name: 'Started', tone: 'inFlight', values: points.map(point => point.perSecond) },
      ...(points.every(point => point.rate === null) ? [] : [{ name: 'Rate', tone: 'limit', values: points.map(point => point.rate) }]),
    ]);
    tokens.draw(times, [{ name: 'Tokens', tone: 'ready', values: points.map(point => (point.tokens === null ? null : Math.max(0, point.tokens))) }]);
    waiters.draw(times, [{ name: 'Waiting', tone: 'waitingToken', values: points.map(point => point.waiters) }]);
  }
  return { title: name, element, show: update, dispose: listen(update) };
}

/** What a replica may use alone, when it reaches none of the others. */
function share(limiter, replica) {
  const floor = limiter.parts?.find(part => part.replica === replica)?.floor;
  return floor ? decimal(floor.refillPerSecond) + '/s' : '';
}

function view(limiter) {
  return [
    limiter.degraded && h('div', { class: 'banner warn' }, h('b', {}, 'Degraded. '), limiter.degradedReason ?? 'This replica uses its floor only.'),
    h('div', { class: 'panel' }, facts([
      ['Tokens', decimal(limiter.tokens), ' ', fullness(limiter)],
      ['Rate', limiter.refillPerSecond === null ? 'no limit' : decimal(limiter.refillPerSecond) + '/s'],
      ['Burst', count(limiter.capacity)],
      ['Waiting', count(limiter.waiters)],
      ['Granted', count(limiter.granted)],
      ['Denied', count(limiter.denied)],
      ['Set by', limiter.source === 'override' ? 'an override' : 'the configuration'],
      limiter.expiresAt && ['Override ends', time(limiter.expiresAt), ', at ', time(limiter.expiresAt, 'wall')],
    ])),
    limiter.replicas.length > 0 && section('Replicas', cards(h('table', { class: 'grid' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Replica'), ['Waiting', 'Granted', 'Own share'].map(one => h('th', { scope: 'col', class: 'number' }, one)))),
      h('tbody', {}, limiter.replicas.map(one => h('tr', {}, h('th', { scope: 'row' }, one.name),
        [count(one.waiters), count(one.granted), share(limiter, one.name)].map(cell => h('td', { class: 'number' }, cell)))))))),
    section('Controllers', limiter.consumers.length === 0 ? emptyState('None uses it', '')
      : h('ul', { class: 'chips' }, limiter.consumers.map(one => h('li', {}, h('a', { href: link(['controllers', one]) }, one))))),
  ];
}
