// SPDX-License-Identifier: Apache-2.0
// Whether something is wrong: all standing problems, the worst first, and the replicas.

import { h, put } from './dom.js';
import { count, sentence, time } from './format.js';
import { listen, live, refresh } from './live.js';
import { cards, copyButton, emptyState, failure, follow, head, loading, partialBanner, section } from './page.js';
import { badge, conditionName, stateBadge } from './phases.js';
import { problemsPanel } from './problems.js';

const REFRESH_MILLIS = 5_000;

export function healthPage() {
  const unread = h('div'); // why problems of caches are not known
  const problems = problemsPanel({ most: Infinity, unread, changed: () => update() });
  const verdict = h('div', { class: 'verdict' }, loading(3));
  const replicas = h('div', {}, loading(3));
  let shown = '';

  function update() {
    problems.update();
    const now = !live.loaded ? (live.fault ? 'fault' : 'loading') : problems.count() > 0 ? 'problems'
      : unread.childElementCount > 0 ? 'unread' : problems.complete() ? 'fine' : 'loading';
    if (now !== shown) {
      shown = now;
      put(verdict, {
        fault: () => failure(live.fault, refresh),
        loading: () => loading(3),
        fine: () => emptyState('Nothing is wrong', 'No replica, controller, cache or limiter reports a problem, and nothing is paused.'),
        unread: () => emptyState('No other problem is known', 'No replica, controller or limiter reports a problem; the caches could not be read.'),
      }[now]?.());
    }
  }

  const ends = [listen(update), follow(replicas, '/replicas', REFRESH_MILLIS, list => [partialBanner(list), table(list.items)]), problems.dispose];
  update();
  return {
    title: 'Health',
    element: h('div', {},
      head('Health'),
      h('p', { class: 'lead' }, 'What stands in the way of the work now. It is what the probes of a replica report, for all replicas, and what is worth knowing besides.'),
      verdict, unread, problems.element,
      section('Replicas', replicas,
        h('div', { class: 'pager' }, h('span', { class: 'hint' }, 'The probes of one replica, with each check by name, are at its health port.'), h('span', { class: 'spacer' }),
          copyButton('Copy as curl', () => "curl -s 'localhost:8081/readyz?verbose'")))),
    dispose: () => ends.forEach(end => end()),
  };
}

function table(replicas) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Replicas' },
    cards(h('table', { class: 'grid' },
      h('caption', { class: 'visually-hidden' }, 'Replicas'),
      h('thead', {}, h('tr', {}, ['Replica', 'State', 'Controllers', 'Started', 'Version'].map((name, i) => h('th', { scope: 'col', class: i === 2 ? 'number' : null }, name)))),
      h('tbody', {}, replicas.map(row)))));
}

function row(replica) {
  const controllers = replica.controllers ?? [];
  const failed = controllers.filter(one => one.state === 'failed').length;
  return h('tr', {},
    h('th', { scope: 'row' }, replica.replica),
    h('td', { class: 'why' }, stateBadge(replica.state), replica.drained && [' ', badge('warn', 'drained')], replica.leaving && [' ', badge('info', 'leaving')],
      (replica.conditions ?? []).map(one => [' ', badge('bad', conditionName(one.type)), h('p', { class: 'hint' }, sentence(one.message))]),
      replica.error && h('p', { class: 'hint' }, replica.error)),
    h('td', { class: 'number' }, replica.controllers ? count(controllers.length) : '–', failed > 0 && h('p', { class: 'failing' }, count(failed) + ' failed')),
    h('td', { class: 'nowrap' }, time(replica.startedAt)),
    h('td', {}, replica.version ?? '–'));
}
