// SPDX-License-Identifier: Apache-2.0
// The plug-ins of all replicas: which controllers they have, what is wrong with them, and what can be done.

import * as api from './api.js';
import * as rights from './rights.js';
import { requestReason } from './dialog.js';
import { h, put } from './dom.js';
import { count, time } from './format.js';
import { notify } from './messages.js';
import { cards, emptyState, failure, head, loading, partialBanner } from './page.js';
import { badge } from './phases.js';
import { link } from './router.js';

const REFRESH_MILLIS = 3_000;
const REFRESH_WHILE_CHANGING_MILLIS = 500;

const TONES = { running: 'good', loading: 'info', stopping: 'info', stopped: 'quiet', failed: 'bad' };
const UNDER_WAY = ['loading', 'stopping'];

const ACTIONS = {
  deploy: { name: 'Deploy', intro: 'It is loaded, and its controllers start.' },
  redeploy: { name: 'Redeploy', intro: 'Its files are loaded again, and its controllers are replaced. What cannot be loaded replaces nothing.' },
  stop: { name: 'Stop', intro: 'Its controllers stop, and it is unloaded until it is deployed or its files change.', danger: true },
};

export function pluginsPage() {
  const place = h('div', {}, loading(3));
  const element = h('div', {},
    head('Plug-ins'),
    h('p', { class: 'lead' }, 'Controllers in jars of a folder, which each replica loads, replaces and removes while it runs.'),
    place);
  let shown = '';
  let timer = 0;
  let ended = false;

  async function read() {
    clearTimeout(timer);
    let changing = false;
    try {
      const list = document.hidden ? null : await api.call('/plugins');
      if (!ended && list) {
        const now = JSON.stringify(list);
        changing = list.items.some(one => UNDER_WAY.includes(one.phase));
        if (now !== shown) { // a button that has the focus keeps it
          shown = now;
          put(place, view(list, read));
        }
      }
    } catch (fault) {
      if (!ended) {
        shown = '';
        put(place, failure(fault, read));
      }
    }
    if (!ended) {
      timer = setTimeout(read, changing ? REFRESH_WHILE_CHANGING_MILLIS : REFRESH_MILLIS);
    }
  }

  read();
  return {
    title: 'Plug-ins',
    element,
    dispose() {
      ended = true;
      clearTimeout(timer);
    },
  };
}

function view(list, changed) {
  const problems = list.folders.filter(one => one.problem);
  return [
    partialBanner(list),
    problems.map(one => h('div', { class: 'banner warn' }, h('b', {}, one.replica + ': '), one.problem)),
    list.items.length > 0 ? table(list.items, changed)
      : list.folders.some(one => one.enabled) ? emptyState('No plug-ins', 'The folder has no jar and no folder with jars.')
        : emptyState('This host has no folder for plug-ins', 'plugins.directory in the configuration names one.'),
  ];
}

function table(plugins, changed) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Plug-ins' },
    cards(h('table', { class: 'grid' },
      h('caption', { class: 'visually-hidden' }, 'Plug-ins'),
      h('thead', {}, h('tr', {}, ['Plug-in', 'Replica', 'State', 'Since', 'Controllers', 'Deployments', ''].map((name, i) =>
        h(name ? 'th' : 'td', { scope: name ? 'col' : null, class: i === 5 ? 'number' : null }, name)))),
      h('tbody', {}, plugins.map(one => row(one, changed))))));
}

function row(plugin, changed) {
  const running = plugin.phase === 'running';
  return h('tr', {},
    h('th', { scope: 'row' }, plugin.name),
    h('td', {}, plugin.replica),
    h('td', {}, badge(running && plugin.error ? 'warn' : TONES[plugin.phase] ?? 'quiet', plugin.phase), plugin.error && h('p', { class: 'hint' }, plugin.error)),
    h('td', {}, time(plugin.since)),
    h('td', {}, plugin.controllers.length === 0 ? '–' : h('ul', { class: 'chips' }, plugin.controllers.map(one =>
      h('li', {}, running ? h('a', { href: link(['controllers', one]) }, one) : one)))),
    h('td', { class: 'number' }, count(plugin.deployments)),
    h('td', {}, h('div', { class: 'buttons' }, (running ? ['redeploy', 'stop'] : ['deploy']).map(action => button(plugin, action, changed)))));
}

function button(plugin, action, changed) {
  if (!api.has('POST /plugins/{p}/' + action)) {
    return null;
  }
  const element = h('button', {
    type: 'button',
    class: 'small',
    name: action + '-' + plugin.name,
    onclick: () => rights.offered(element) && open(plugin, action, changed),
  }, ACTIONS[action].name + '…');
  rights.guard(element, 'plugins', action);
  return element;
}

function open(plugin, action, changed) {
  const { name, intro, danger } = ACTIONS[action];
  requestReason({
    title: name + ' ' + plugin.name + ' on ' + plugin.replica,
    intro,
    verb: name + ' ' + plugin.name,
    danger,
    submit: async reason => {
      const path = '/plugins/' + api.segment(plugin.name) + '/' + action;
      const done = await api.call(path, { method: 'POST', query: { replica: plugin.replica }, body: { reason } });
      notify(done.error ? 'bad' : 'good', plugin.name + ' on ' + plugin.replica + ' is ' + done.phase + '.');
      changed();
    },
  });
}
