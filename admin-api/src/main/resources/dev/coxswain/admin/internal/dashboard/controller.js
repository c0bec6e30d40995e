// SPDX-License-Identifier: Apache-2.0
// One controller: how it does, its charts, and its items with what can be done to many of them.

import * as api from './api.js';
import * as rights from './rights.js';
import { bulkBar } from './bulk.js';
import { causesPanel } from './causes.js';
import { field, pauseDuration, requestReason } from './dialog.js';
import { h, put } from './dom.js';
import { openItem } from './drawer.js';
import { filterForm, filterOf } from './filters.js';
import { count, decimal, sentence, span, time } from './format.js';
import { itemTable } from './items.js';
import { listen, live, refresh } from './live.js';
import { notify } from './messages.js';
import { cards, emptyState, facts, failure, head, loading, section } from './page.js';
import { badge, broken, conditionName, controllerBadges, PHASE_NAMES, PHASES, stateBadge, withoutOwner, workers } from './phases.js';
import { current, go, link } from './router.js';
import { Selection } from './selection.js';
import { statistics } from './statistics.js';
import { changed } from './undo.js';

export function controllerPage(name) {
  const path = ['controllers', name];
  const state = h('span', { class: 'title' });
  const buttons = h('div', { class: 'buttons' });
  const figures = h('div');
  const trouble = h('div');
  const viewOf = () => { // what is no filter
    const { sort, cols, density } = current().query;
    return { sort, cols, density };
  };
  const showAs = changes => go(path, { ...current().query, ...changes }, { replace: true });
  const addressOf = changes =>
    link(path, changes.clear ? viewOf() : { ...current().query, item: undefined, replica: undefined, ...changes });
  // A field that is left with a change reports it, also when the whole page is left for another one.
  const isShown = () => link(current().segments) === link(path);
  const form = filterForm(filter => isShown() && go(path, { ...filter, ...viewOf() }));
  const selection = new Selection();
  const table = itemTable(name, { addressOf, selection, showAs });
  const bulk = bulkBar(name, selection, () => filterOf(current().query), () => {
    refresh();
    table.read();
  });
  const queue = h('div');
  const list = section('Items', form.element, bulk.element, table.element);
  const element = h('div', {},
    head(name, { above: h('p', { class: 'crumb' }, h('a', { href: '#/' }, 'Controllers')), beside: state, actions: buttons }),
    trouble, figures, queue);
  let stats = null; // there once the controller is known to have a queue, as its causes
  let causes = null;
  let absence = null; // why there is no such controller, once that was read
  let drawer = null;
  let shownFilter = null;
  let shownFigures = '';

  /** Reads why there is no such controller: its plug-in may have been removed. */
  async function readAbsence() {
    absence = '';
    try {
      await api.call('/controllers/' + api.segment(name));
    } catch (fault) {
      const why = api.explainFault(fault);
      absence = sentence(why.charAt(0).toUpperCase() + why.slice(1));
      update();
    }
  }

  function update() {
    const controller = live.controllers.get(name);
    form.show(filterOf(current().query), controller);
    queue.hidden = !controller;
    if (!controller) {
      put(state);
      put(buttons);
      if (live.loaded && absence === null) {
        readAbsence();
      }
      put(figures, live.loaded
        ? emptyState('No controller has this name', absence || 'It may have been stopped, or it runs on a replica that does not answer.', h('a', { class: 'button', href: '#/' }, 'All controllers'))
        : live.fault ? failure(live.fault, refresh) : loading(3));
      shownFigures = '';
      return;
    }
    if (stats === null && !broken(controller)) {
      stats = statistics(name);
      causes = causesPanel(name);
      put(queue, stats.element, causes.element, list);
      show(current());
    }
    const now = JSON.stringify([controller, current().query.namespace]);
    if (now === shownFigures) {
      return;
    }
    const namespace = filterOf(current().query).namespace;
    const settings = JSON.stringify([namespace, controller.state, controller.paused, controller.pause, controller.pausedCauses, controller.maxConcurrent, controller.error, controller.sources, controller.conditions]);
    if (element.dataset.settings !== settings) {
      element.dataset.settings = settings;
      put(state, controllerBadges(controller));
      put(buttons, (controller.state === 'failed' && !controller.counts) || withoutOwner(controller) ? null : controls(controller, namespace));
      put(trouble, troubles(controller));
    }
    shownFigures = now;
    put(figures, h('div', { class: 'panel' }, facts(figuresOf(controller)), parts(controller)));
  }

  function show({ query }) {
    update();
    if (stats !== null) {
      showItems(query);
    }
  }

  function showItems(query) {
    const filter = filterOf(query);
    bulk.show(filter);
    table.look(query.cols);
    const wanted = JSON.stringify([filter, query.sort]);
    if (wanted !== shownFilter) {
      if (shownFilter === null ? Object.keys(filter).length > 0 : filter.cause && !shownFilter.includes(filter.cause)) {
        requestAnimationFrame(() => list.scrollIntoView()); // a link that selects items leads to them, once the page is shown
      }
      shownFilter = wanted;
      table.show(filter, { sort: query.sort });
    }
    const opened = query.item && query.item + '@' + (query.replica ?? '');
    if (opened && drawer?.id !== opened) {
      const before = drawer;
      const mine = { id: opened };
      drawer = mine;
      before?.dialog.close();
      mine.dialog = openItem(name, query.item, query.replica, {
        addressOf,
        changed: () => {
          table.read();
          refresh();
        },
        onclose: () => {
          drawer = drawer === mine ? null : drawer;
          if (drawer === null && current().query.item === query.item && current().segments[1] === name) {
            location.hash = addressOf({});
          }
        },
      });
    } else if (!opened && drawer) {
      drawer.dialog.close();
    }
  }

  const end = listen(update);
  return {
    title: name,
    element,
    show,
    dispose() {
      end();
      table.dispose();
      stats?.dispose();
      causes?.dispose();
      drawer?.dialog.close();
    },
  };
}

const OWNERSHIP = {
  leader: controller => [controller.replica, ' alone'],
  sharded: controller => [h('a', { href: link(['slots']) }, 'its slots'), h('small', {}, ' on ' + replicasOf(controller))],
  everywhere: controller => ['every replica', h('small', {}, ' ' + replicasOf(controller))],
};

function replicasOf(controller) {
  const running = controller.runningReplicas ?? 1;
  return count(running) + (running === 1 ? ' replica' : ' replicas');
}

function figuresOf(controller) {
  if (controller.state === 'failed' && !controller.counts) { // with counts its sources have not synced in time
    return [
      ['Failed starts', count(controller.attempts)],
      ['Failed', time(controller.failedAt)],
      ['Next try', time(controller.nextAttemptAt)],
    ];
  }
  const unowned = withoutOwner(controller);
  if (unowned) {
    return [
      ['Without an owner since', time(unowned.since)],
      ['Last owner', controller.lastOwner ?? '–'],
    ];
  }
  const limiter = controller.options?.limiter;
  return [
    ['Items', count(controller.total)],
    ['Failing', h('span', { class: controller.failing > 0 ? 'failing' : '' }, count(controller.failing))],
    ['Oldest ready', controller.oldestReadySeconds > 0 ? span(controller.oldestReadySeconds) : '–'],
    ['Next due', time(controller.nextReadyAt)],
    ['Workers busy', count(controller.activeWorkers) + ' of ' + count(workers(controller))],
    ['Attempts/s', decimal(controller.throughput?.['1m']), h('small', {}, ' last minute')],
    controller.ownership && ['Runs on', OWNERSHIP[controller.ownership]?.(controller) ?? controller.ownership],
    controller.watchNamespaces && ['Namespaces', controller.watchNamespaces.join(', ')],
    limiter && ['Limiter', h('a', { href: link(['limiters', limiter]) }, limiter)],
  ];
}

/** What each replica runs of it, when there are several. */
function parts(controller) {
  const list = controller.parts ?? [];
  const columns = ['Replica', 'State', ...PHASES.map(phase => PHASE_NAMES[phase]), 'Failing', 'Workers'];
  const number = (...content) => h('td', { class: 'number' }, ...content);
  return list.length > 1 && cards(h('table', { class: 'grid small parts' },
    h('thead', {}, h('tr', {}, columns.map((name, i) => h('th', { scope: 'col', class: i > 1 ? 'number' : null }, name)))),
    h('tbody', {}, list.map(one => h('tr', {},
      h('th', { scope: 'row' }, one.replica),
      h('td', { title: one.error ?? null }, one.paused ? badge('warn', 'paused') : stateBadge(one.state)),
      PHASES.map(phase => number(count(one.counts?.[phase]))),
      number(count(one.failing)),
      number(count(one.activeWorkers) + ' / ' + count(one.maxConcurrent)))))));
}

function troubles(controller) {
  const pause = controller.pause;
  const waiting = (controller.sources ?? []).filter(source => source.problem || !source.synced);
  const conditions = controller.conditions ?? [];
  return [
    // That of a controller that did not sync is the text of its condition.
    controller.error && !conditions.some(one => one.type === 'syncTimedOut')
      && h('div', { class: 'banner bad', role: 'alert' }, h('b', {}, 'It did not start. '), controller.error),
    ...conditions.map(one => h('div', { class: 'banner bad', role: 'alert' },
      h('b', {}, conditionName(one.type) + ' '), 'on ', one.replica, ' since ', time(one.since, 'wall'), ': ', sentence(one.message))),
    controller.paused && h('div', { class: 'banner warn' }, h('b', {}, 'Paused'),
      pause && [': ', pause.reason, ', since ', time(pause.since, 'wall'), pause.until ? [', until ', time(pause.until, 'wall')] : ', without end'], '.'),
    ...(controller.pausedCauses ?? []).map(one => h('div', { class: 'banner warn' }, h('b', {}, 'A cause is paused'),
      ': ', h('a', { href: link(['controllers', controller.name], { cause: one.cause }) }, one.error), ', ', one.reason, ', since ', time(one.since, 'wall'),
      one.until ? [', until ', time(one.until, 'wall')] : ', without end', '. Events start attempts all the same.')),
    ...waiting.map(source => h('div', { class: 'banner warn' },
      h('b', {}, source.addedAs ? 'A source that was added is not complete: ' : 'A source is not complete: '), source.description, source.problem && ' — ' + source.problem)),
  ];
}

function controls(controller, filterNamespace) {
  const path = '/controllers/' + api.segment(controller.name);
  const settings = () => api.call(path).then(one => (one.rev ? { 'If-Match': '"' + one.rev + '"' } : {}));
  const send = async (sub, method, body, seen, done) => {
    const { result, requestId } = await api.change(path + sub, { method, body, headers: await seen });
    if (result?.detail) {
      notify('info', result.detail);
    }
    if (done && result?.result === 'applied') {
      changed(requestId, done, refresh);
    }
    refresh();
  };
  const guarded = (verb, resource, name, run, of = {}) => {
    const button = h('button', { type: 'button', onclick: () => {
      if (rights.offered(button)) {
        const seen = settings();
        seen.catch(() => {}); // reported when it is sent
        run(seen);
      }
    } }, name);
    rights.guard(button, resource, verb, { controller: controller.name, ...of });
    return button;
  };
  return [
    controller.paused
      ? guarded('resume', 'controllers', 'Resume…', seen => requestReason({
        title: 'Resume ' + controller.name, intro: 'Attempts start again at once.',
        verb: 'Resume ' + controller.name, submit: reason => send('/resume', 'POST', { reason }, seen, controller.name + ' is resumed.') }))
      : guarded('pause', 'controllers', 'Pause…', seen => {
        const duration = pauseDuration();
        requestReason({
          title: 'Pause ' + controller.name,
          intro: 'No more attempts are started; running attempts continue, and events are still accepted.',
          fields: [field('Pause it', duration)], verb: 'Pause ' + controller.name,
          submit: reason => send('/pause', 'POST', duration.value ? { reason, duration: duration.value } : { reason }, seen, controller.name + ' is paused.') });
      }),
    guarded('tune', 'controllers', 'Workers…', seen => {
      const number = h('input', { type: 'number', name: 'workers', min: 1, max: 10000, required: true, value: controller.maxConcurrent });
      requestReason({
        title: 'Workers of ' + controller.name, intro: 'The number of concurrent attempts on each replica, until the controller is started again.',
        fields: [field('Workers', number)], verb: 'Change the number',
        submit: reason => send('', 'PATCH', { reason, maxConcurrent: Number(number.value) }, seen, controller.name + ' has ' + number.value + ' workers.') });
    }),
    guarded('enqueue', 'controllers/items', 'Add…', () => {
      const namespace = h('input', { type: 'text', name: 'namespace', value: filterNamespace ?? '', autocomplete: 'off' });
      const name = h('input', { type: 'text', name: 'name', required: true, autocomplete: 'off' });
      requestReason({
        title: 'Add a request to ' + controller.name, intro: 'It is reconciled as if something had happened to this object.',
        fields: [field('Namespace', namespace, 'empty for an object without one'), field('Name', name)], verb: 'Add 1 request',
        submit: reason => send('/items', 'POST', { reason, namespace: namespace.value.trim(), name: name.value.trim() }) });
    }, { namespace: filterNamespace }),
  ];
}
