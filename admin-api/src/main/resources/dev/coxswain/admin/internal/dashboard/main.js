// SPDX-License-Identifier: Apache-2.0
// The start: reads the identity of the caller, and shows the page of the address.

import * as api from './api.js';
import * as live from './live.js';
import * as rights from './rights.js';
import * as session from './session.js';
import * as settings from './settings.js';
import { put } from './dom.js';
import { forgetReason } from './dialog.js';
import { tick } from './format.js';
import { login } from './login.js';
import { current } from './router.js';
import { shell } from './shell.js';
import { auditPage } from './audit.js';
import { cachesPage } from './caches.js';
import { configurationPage } from './configuration.js';
import { controllerPage } from './controller.js';
import { healthPage } from './health.js';
import { limiterPage, limitersPage } from './limiters.js';
import { pluginsPage } from './plugins.js';
import { replicasPage } from './replicas.js';
import { slotsPage } from './slots.js';
import { timelinePage } from './timeline.js';
import { objectPage } from './objects.js';
import { operationPage, operationsPage } from './operations.js';
import { overviewPage } from './overview.js';
import { notFoundPage } from './page.js';

const app = document.getElementById('app');
let frame = null; // the shell while a caller is signed in
let page = null;
let pageKey = '';

/** Returns the page of an address: its key identifies the one that is shown. */
function find({ segments, query }) {
  const [what, name] = segments;
  switch (what) {
    case undefined:
      return { key: 'overview', make: overviewPage };
    case 'controllers':
      return name === undefined ? null : { key: 'controllers/' + name, make: () => controllerPage(name) };
    case 'limiters':
      return name === undefined
        ? { key: 'limiters', make: limitersPage }
        : { key: 'limiters/' + name, make: () => limiterPage(name) };
    case 'replicas':
      return { key: 'replicas', make: replicasPage };
    case 'slots':
      return { key: 'slots', make: slotsPage };
    case 'caches':
      return { key: 'caches', make: cachesPage };
    case 'configuration':
      return { key: 'configuration', make: configurationPage };
    case 'health':
      return { key: 'health', make: healthPage };
    case 'plugins':
      return { key: 'plugins', make: pluginsPage };
    case 'objects':
      return { key: 'objects/' + (query.namespace ?? '') + '/' + (query.name ?? '') + '/' + (query.controller ?? ''), make: () => objectPage(query) };
    case 'operations':
      return name === undefined
        ? { key: 'operations', make: operationsPage }
        : { key: 'operations/' + name, make: () => operationPage(name) };
    case 'timeline':
      return { key: 'timeline', make: timelinePage };
    case 'audit':
      return { key: 'audit', make: auditPage };
    default:
      return null;
  }
}

function show() {
  if (!frame) {
    return;
  }
  const route = current();
  settings.showDensity(route.query.density);
  const found = find(route) ?? { key: '?', make: notFoundPage };
  if (page && found.key === pageKey) {
    page.show?.(route);
    return;
  }
  const first = page === null;
  page?.dispose?.();
  page = found.make();
  pageKey = found.key;
  document.title = page.title + ' · Coxswain';
  frame.show(page, route.segments[0] ?? '');
  page.show?.(route);
  if (!first) {
    page.element.querySelector('h1')?.focus();
    scrollTo(0, 0);
  }
}

function leave(reason) {
  live.stop();
  rights.forget();
  forgetReason();
  session.forget();
  page?.dispose?.();
  page = null;
  frame?.dispose();
  frame = null;
  document.querySelectorAll('dialog').forEach(dialog => dialog.close());
  askForToken(reason);
}

function askForToken(reason) {
  document.title = 'Sign in · Coxswain';
  put(app, login(reason, async token => {
    session.keep(token);
    try {
      await enter();
    } catch (fault) {
      session.forget();
      throw fault;
    }
  }));
  app.querySelector('input')?.focus();
}

async function enter() {
  api.whenUnauthenticated(() => {});
  const discovery = await api.call('');
  api.learn(discovery);
  api.whenUnauthenticated(problem => frame && leave(problem));
  frame = shell(discovery, () => leave(null));
  put(app, frame.element);
  live.start();
  show();
}

async function begin() {
  settings.open();
  session.open();
  try {
    await enter();
  } catch (fault) {
    const refused = fault instanceof api.Problem && fault.status === 401;
    if (refused) {
      const had = session.current() !== null;
      session.forget();
      askForToken(had ? fault : null);
    } else {
      askForToken(fault);
    }
  }
}

window.addEventListener('hashchange', () => {
  if (location.hash.startsWith('#token=')) {
    location.reload(); // another token was pasted over the address of an open page
    return;
  }
  show();
});
document.getElementById('skip').addEventListener('click', event => {
  event.preventDefault(); // the fragment is an address here
  document.getElementById('main')?.focus();
});
// A page that the browser keeps for the way back must not hold a stream of events.
window.addEventListener('pagehide', live.stop);
window.addEventListener('pageshow', event => event.persisted && location.reload());
setInterval(() => tick(document.body), 1000);
begin();
