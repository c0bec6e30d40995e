// SPDX-License-Identifier: Apache-2.0
// What is around every page: navigation, who and where this is, and whether what is shown is fresh.

import * as api from './api.js';
import { attribute, h, put, svg, text } from './dom.js';
import { sentence, wall } from './format.js';
import { keyboard } from './keys.js';
import { listen, live } from './live.js';
import { findBox } from './objects.js';
import { missingNames } from './page.js';
import { conditionName, OF_REPLICA } from './phases.js';
import { link } from './router.js';
import { themeSwitch, zoneSwitch } from './settings.js';
import { viewsButton } from './views.js';

const PAGES = [
  { path: '', name: 'Overview', key: 'o' },
  { path: 'health', name: 'Health', route: 'GET /replicas', key: 'h' },
  { path: 'limiters', name: 'Limiters', route: 'GET /limiters', key: 'l' },
  { path: 'replicas', name: 'Replicas', route: 'GET /replicas', key: 'r' },
  { path: 'slots', name: 'Slots', route: 'GET /slots', key: 's' },
  { path: 'caches', name: 'Caches', route: 'GET /caches', key: 'k' },
  { path: 'plugins', name: 'Plug-ins', route: 'GET /plugins', key: 'i' },
  { path: 'configuration', name: 'Configuration', route: 'GET /config', key: 'c' },
  { path: 'operations', name: 'Operations', route: 'GET /operations', key: 'p' },
  { path: 'timeline', name: 'Timeline', route: 'GET /timeline', key: 't' },
  { path: 'audit', name: 'Audit', route: 'GET /audit', key: 'a' },
];

const STATUS = {
  connecting: ['info', 'Connecting'],
  live: ['good', 'Live'],
  polling: ['info', 'Every 5 s'],
  lost: ['bad', 'Interrupted'],
};

export function logo() {
  return svg('svg', { class: 'logo', viewBox: '0 0 32 32', 'aria-hidden': true },
    svg('rect', { width: 32, height: 32, rx: 7, class: 'logo-back' }),
    svg('path', { d: 'M16 5v22M16 10h-6M16 10h6', class: 'logo-mast' }),
    svg('path', { d: 'M6 17c1 6 5 9 10 10 5-1 9-4 10-10', class: 'logo-hull' }));
}

/** Makes the frame for the caller in `discovery`; `leave` signs out. */
export function shell(discovery, leave) {
  const banner = h('div', { class: 'banners' });
  const main = h('main', { id: 'main', tabindex: -1 });
  const statusDot = h('span', { class: 'badge info', role: 'status' }, 'Connecting');
  const find = api.has('GET /objects') ? findBox() : null;
  const links = PAGES
    .filter(page => !page.route || api.has(page.route))
    .map(page => ({ ...page, element: h('a', { href: link(page.path ? [page.path] : []) }, page.name) }));
  const keys = keyboard(links, find);
  const element = h('div', { class: 'shell' },
    h('header', { class: 'top' },
      h('a', { class: 'brand', href: '#/' }, logo(), h('span', {}, 'Coxswain')),
      h('span', { class: 'where', title: 'The replica that answers, and its version' },
        discovery.replica, h('small', {}, discovery.version)),
      statusDot,
      h('span', { class: 'spacer' }),
      find?.element,
      viewsButton(),
      zoneSwitch(),
      themeSwitch(),
      keys.element,
      who(discovery, leave)),
    h('nav', { class: 'side', 'aria-label': 'Pages' }, links.map(one => one.element)),
    h('div', { class: 'content' }, banner, main));

  function update() {
    const [tone, word] = STATUS[live.status];
    attribute(statusDot, 'class', 'badge ' + tone);
    text(statusDot, word);
    showBanner(banner, discovery);
  }

  const end = listen(update);
  update();
  return {
    element,
    show(page, path) {
      put(main, page.element);
      for (const one of links) {
        const here = one.path === path || (one.path === '' && path === 'controllers');
        attribute(one.element, 'aria-current', here ? 'page' : null);
      }
    },
    dispose() {
      end();
      keys.dispose();
    },
  };
}

function showBanner(area, discovery) {
  const wanted = [];
  if (live.status === 'lost') {
    wanted.push(['bad', 'These numbers are old. ', ended(live.trouble) + ' They are from '
      + (live.receivedAt ? wall(live.receivedAt) : 'before') + '; trying again.']);
  } else if (live.status === 'polling') {
    wanted.push(['info', 'Not live. ', ended(live.trouble) + ' Everything is read every 5 s instead.']);
  }
  wanted.push(...problemsOfReplicas());
  if (live.missing.length > 0) {
    wanted.push(['warn', 'Partial: not everything is shown. ', missingNames(live.missing)]);
  }
  if (discovery.access !== 'full') {
    wanted.push(['info', 'Limited access. ', discovery.access === 'read-only'
      ? 'This host allows no changes.' : 'This host allows: ' + discovery.access + '.']);
  }
  const shown = JSON.stringify(wanted);
  if (area.dataset.shown !== shown) {
    area.dataset.shown = shown;
    put(area, wanted.map(([tone, title, rest]) =>
      h('div', { class: 'banner ' + tone, role: 'status' }, h('b', {}, title), sentence(rest))));
  }
}

/** What stops whole replicas, each once: it is a condition of all their controllers. */
function problemsOfReplicas() {
  const conditions = [...live.controllers.values()].flatMap(one => one.conditions ?? []);
  const texts = new Map(conditions.filter(one => OF_REPLICA.includes(one.type)).map(one => [one.message, one.type]));
  return [...texts].sort().map(([message, type]) => ['bad', conditionName(type) + '. ', message]);
}

/** A sentence with its full stop. */
function ended(words) {
  return words.endsWith('.') ? words : words + '.';
}

function who(discovery, leave) {
  const name = discovery.principal.name;
  return h('div', { class: 'who' },
    h('span', { class: 'name', title: 'You are ' + name + ' (' + discovery.authentication + ')' }, name),
    discovery.authentication !== 'none' && h('button', { type: 'button', class: 'plain', onclick: leave }, 'Sign out'));
}
