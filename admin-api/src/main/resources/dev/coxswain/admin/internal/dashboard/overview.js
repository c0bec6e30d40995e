// SPDX-License-Identifier: Apache-2.0
// The first page: all controllers by phase, those that need attention first.

import { causesPanel } from './causes.js';
import { attribute, h, keyed, put, text } from './dom.js';
import { count, decimal, span, time } from './format.js';
import { listen, live, refresh } from './live.js';
import { emptyState, failure, head, loading } from './page.js';
import { broken, controllerBadges, otherStates, PHASE_HELP, PHASE_NAMES, PHASES, urgency, withoutOwner, workers as workersOf } from './phases.js';
import { problemsPanel } from './problems.js';
import { current, go, link } from './router.js';
import { MOST_SPARKS, spark, sparks } from './sparks.js';

const COLUMNS = [
  { key: 'name', name: 'Controller', of: c => c.name, words: true },
  { key: 'state', name: 'State', of: urgency },
  ...PHASES.map(phase => ({ key: phase, group: 'phases', name: PHASE_NAMES[phase], help: PHASE_HELP[phase], of: c => c.counts?.[phase] ?? -1, number: true })),
  { key: 'failing', name: 'Failing', help: 'Items whose last attempt failed; each is in one of the phases, too', of: c => c.failing ?? -1, number: true },
  { key: 'hour', name: 'Last hour', help: 'Failing items in the last hour, of the first ' + MOST_SPARKS + ' rows' },
  { key: 'oldest', name: 'Oldest ready', help: 'For how long the oldest ready item has been ready', of: c => c.oldestReadySeconds ?? -1, number: true },
  { key: 'rate', name: 'Attempts/s', help: 'Over the last minute', of: c => c.throughput?.['1m'] ?? -1, number: true },
  { key: 'workers', name: 'Workers', help: 'Busy, of all', of: c => c.activeWorkers ?? -1, number: true },
];

const ROWS_IN_A_FRAME = 30; // more than most screens show

export function overviewPage() {
  const tiles = h('div', { class: 'tiles' });
  const body = h('tbody');
  const filter = h('input', {
    type: 'search', class: 'search', 'aria-label': 'Filter controllers by name', placeholder: 'Filter by name',
    oninput: () => go([], { ...current().query, name: filter.value }, { replace: true }),
  });
  const heads = COLUMNS.map(column => {
    const button = column.of && h('button', { type: 'button', class: 'sort', title: column.help, onclick: () => sortBy(column.key) }, column.name);
    return { column, element: h('th', { scope: 'col', class: 'col-' + (column.group ?? column.key) + (column.number ? ' number' : ''), title: button ? null : column.help }, button ?? column.name) };
  });
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Controllers' },
    h('table', { class: 'grid controllers' },
      h('caption', { class: 'visually-hidden' }, 'Controllers and their items by phase'),
      h('thead', {}, h('tr', {}, heads.map(one => one.element))),
      body));
  const place = h('div', { class: 'controllers-place' });
  const found = h('span', { class: 'hint', role: 'status' });
  const causes = causesPanel();
  const problems = problemsPanel();
  const bar = h('div', { class: 'bar-row' }, filter, found);
  const element = h('div', {}, head('Overview'), problems.element);
  const narrow = matchMedia('(max-width: 760px)');
  const arrange = () => element.append(...(narrow.matches ? [bar, place, causes.element, tiles] : [tiles, causes.element, bar, place]));
  narrow.addEventListener('change', arrange);
  arrange();
  const hours = sparks(() => {
    hoursSeen++;
    update();
  });
  let query = {};
  const shownTiles = {};
  let most = {}; // items of the fullest controller, by phase
  let scale = ''; // the same, to compare
  let frame = 0; // which draws more rows
  let hoursSeen = 0; // grows with each series that has come

  function sortBy(key) {
    const [was, direction] = (query.sort ?? '').split('.');
    const column = COLUMNS.find(one => one.key === key);
    const first = column.words ? 'up' : 'down';
    const next = was === key && direction === first ? (first === 'up' ? 'down' : 'up') : first;
    go([], { ...query, sort: key + '.' + next }, { replace: true });
  }

  function update() {
    if (!live.loaded) {
      put(place, live.fault ? failure(live.fault, refresh) : loading(6));
      return;
    }
    problems.update();
    const all = [...live.controllers.values()];
    summary(all).forEach(([name, ...content]) => (shownTiles[name] ??= tile(tiles, name))(...content));
    const [key = 'state', direction = 'down'] = query.sort ? query.sort.split('.') : [];
    for (const { column, element: cell } of heads) {
      attribute(cell, 'aria-sort', column.key !== key ? null : direction === 'up' ? 'ascending' : 'descending');
    }
    const wanted = (query.name ?? '').toLowerCase();
    const shown = all.filter(one => one.name.toLowerCase().includes(wanted)).sort(order(key, direction));
    text(found, wanted ? shown.length + ' of ' + all.length + ' controllers' : '');
    if (shown.length === 0) {
      put(place, all.length === 0
        ? emptyState('No controllers', 'This host runs none, or those it has run on other replicas.')
        : emptyState('No controller has that in its name', ''));
      return;
    }
    if (table.parentElement !== place) {
      put(place, table);
    }
    most = Object.fromEntries(PHASES.map(phase => [phase, Math.max(...all.map(one => one.counts?.[phase] ?? 0))]));
    scale = JSON.stringify(most) + hoursSeen;
    hours.want(shown.map(one => one.name));
    cancelAnimationFrame(frame);
    if (!keyed(body, shown, one => one.name, one => row(one.name, () => most, () => scale, hours.of), ROWS_IN_A_FRAME)) {
      frame = requestAnimationFrame(update);
    }
  }

  const end = listen(update);
  return {
    title: 'Overview',
    element,
    show(route) {
      query = route.query;
      if (document.activeElement !== filter) {
        filter.value = query.name ?? '';
      }
      update();
    },
    dispose() {
      end();
      causes.dispose();
      problems.dispose();
      hours.dispose();
      narrow.removeEventListener('change', arrange);
      cancelAnimationFrame(frame);
    },
  };
}

function order(key, direction) {
  const column = COLUMNS.find(one => one.key === key && one.of) ?? COLUMNS[1];
  const sign = direction === 'up' ? 1 : -1;
  return (a, b) => {
    const [x, y] = [column.of(a), column.of(b)];
    // Of those that need the same attention the one with the most failing items comes first.
    return (x < y ? -sign : x > y ? sign : 0) || (column.key === 'state' ? ((a.failing ?? 0) - (b.failing ?? 0)) * sign : 0) || a.name.localeCompare(b.name);
  };
}

/** The figures above the table: `[name, value, words, tone]`. */
export function summary(all) {
  const sum = of => all.reduce((total, one) => total + (of(one) ?? 0), 0);
  const unowned = all.filter(withoutOwner).length;
  const down = all.filter(broken).length;
  const troubled = all.filter(one => one.conditions?.length > 0).length;
  const other = otherStates(all);
  const paused = all.filter(one => one.paused).length;
  const oldest = Math.max(0, ...all.map(one => one.oldestReadySeconds ?? 0));
  const waiting = [...live.limiters.values()].reduce((total, one) => total + one.waiters, 0);
  const degraded = [...live.limiters.values()].filter(one => one.degraded).length;
  return [
    ['Controllers', count(all.length),
      unowned > 0 ? unowned + ' without an owner'
        : down > 0 ? down + ' not running'
          : troubled > 0 ? troubled + ' with problems'
            : other !== '' ? other
              : live.missing.length > 0 ? 'of the replicas that answer'
                : all.length === 0 ? 'none' : paused > 0 ? paused + ' paused' : 'all running',
      down + troubled > 0 ? 'bad' : other || paused > 0 || live.missing.length > 0 ? 'warn' : ''],
    ['Items', count(sum(one => one.total)), count(sum(one => one.activeWorkers)) + ' in flight', ''],
    ['Failing', count(sum(one => one.failing)),
      'in ' + count(all.filter(one => one.failing > 0).length) + ' of ' + count(all.length) + ' controllers',
      sum(one => one.failing) > 0 ? 'bad' : ''],
    ['Oldest ready', span(oldest), oldest > 60 ? 'work waits for workers' : 'no backlog', oldest > 60 ? 'warn' : ''],
    ['Attempts/s', decimal(sum(one => one.throughput?.['1m'])), 'over the last minute', ''],
    ['Waiting for tokens', count(waiting),
      degraded > 0 ? degraded + (degraded > 1 ? ' limiters' : ' limiter') + ' degraded' : 'all limiters hold', degraded > 0 ? 'warn' : ''],
  ];
}

/** Adds a figure and returns what changes it. */
function tile(parent, name) {
  const value = h('b');
  const below = h('span', { class: 'tile-below' });
  const element = h('div', { class: 'tile' }, h('span', { class: 'tile-name' }, name), value, below);
  parent.append(element);
  return (number, words, tone) => {
    text(value, number);
    text(below, words);
    attribute(element, 'class', 'tile ' + tone);
  };
}

/** One controller; its cells link to the items that they count. */
function row(name, mostOf, scaleOf, hourOf) {
  const state = h('td');
  const cells = Object.fromEntries(PHASES.map(phase => [phase, linked(name, { phase }, 'col-phases')]));
  const failing = linked(name, { failing: 'true' }, 'col-failing');
  const hour = h('td', { class: 'col-hour' });
  const oldest = h('td', { class: 'number col-oldest' });
  const rate = h('td', { class: 'number col-rate' });
  const workers = h('td', { class: 'number col-workers' });
  const element = h('tr', {},
    h('th', { scope: 'row' }, h('a', { href: link(['controllers', name]) }, name)),
    state, PHASES.map(phase => cells[phase].element), failing.element, hour, oldest, rate, workers);
  let shownHour;
  let shownState = '';
  let shown = null;
  let shownScale = '';

  function update(controller) {
    if (controller === shown && scaleOf() === shownScale) {
      return; // most rows have not changed
    }
    shown = controller;
    shownScale = scaleOf();
    const conditions = controller.conditions ?? [];
    const now = JSON.stringify([controller.state, controller.paused, controller.error, conditions]);
    if (now !== shownState) {
      shownState = now;
      const unowned = withoutOwner(controller);
      put(state, controllerBadges(controller), unowned && h('small', {}, ' since ', time(unowned.since)));
      attribute(state, 'title', controller.error ?? (conditions.map(one => one.replica + ': ' + one.message).join('\n') || null));
    }
    for (const phase of PHASES) {
      const value = controller.counts?.[phase];
      cells[phase].show(value, heat(value, mostOf()[phase]));
    }
    failing.show(controller.failing, controller.failing > 0 ? 'failing' : '');
    const values = hourOf(name);
    if (values !== shownHour) {
      shownHour = values;
      put(hour, values && spark(values));
    }
    const waits = controller.oldestReadySeconds;
    text(oldest, waits > 0 ? span(waits) : '–');
    attribute(oldest, 'class', 'col-oldest number' + (waits > 60 ? ' warn' : ''));
    text(rate, decimal(controller.throughput?.['1m']));
    text(workers, controller.maxConcurrent ? count(controller.activeWorkers) + ' / ' + count(workersOf(controller)) : '–');
  }
  return { element, update };
}

function linked(name, query, column) {
  const anchor = h('a', { href: link(['controllers', name], query), tabindex: -1 });
  const element = h('td', { class: column + ' number' }, anchor);
  return {
    element,
    show(value, className) {
      text(anchor, value === undefined ? '–' : count(value));
      attribute(element, 'class', column + ' number ' + (value > 0 ? className : 'zero'));
    },
  };
}

/** How dark a cell is: by powers of ten, since queues differ by many of them. */
function heat(value, most) {
  if (!value) {
    return 'zero';
  }
  const part = Math.log10(value + 1) / Math.log10(Math.max(most, 9) + 1);
  return 'heat-' + Math.max(1, Math.min(5, Math.ceil(part * 5)));
}
