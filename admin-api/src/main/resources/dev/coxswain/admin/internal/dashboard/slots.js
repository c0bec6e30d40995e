// SPDX-License-Identifier: Apache-2.0
// The slot map: which replica owns each slot, what is moving, and how many each replica has.

import * as api from './api.js';
import * as rights from './rights.js';
import { requestReason, field, tick } from './dialog.js';
import { h, put, svg } from './dom.js';
import { count } from './format.js';
import { notify } from './messages.js';
import { cards, emptyState, failure, head, loading, partialBanner, section } from './page.js';
import { badge } from './phases.js';
import { go, link } from './router.js';

const REFRESH_MILLIS = 5_000;
const REFRESH_WHILE_MOVING_MILLIS = 1_000;
const ROWS = 100;
const COLOURS = 10;
const CELL = 20;
const FEW = 256; // up to so many have their number in the map
const STATES = ['owned', 'draining', 'free', 'orphaned'];

const BY_NUMBER = new Intl.Collator('en', { numeric: true }); // coxswain-2 before coxswain-10

const STATE_TONES = { owned: 'good', draining: 'info', free: 'warn', orphaned: 'bad' };
const PHASE_TONES = { holding: 'good', joining: 'info', leaving: 'info', suspended: 'warn', lost: 'bad' };
const STAGES = {
  incoming: 'keeps requests, starts none',
  open: 'starts attempts',
  preparing: 'starts attempts until the target has loaded',
  closing: 'lets running attempts end',
};

export function slotsPage() {
  const place = h('div', {}, loading(5));
  const element = h('div', {},
    head('Slots'),
    h('p', { class: 'lead' }, 'All keys are divided into slots. One replica owns a slot at a time and works on its keys, for every sharded controller.'),
    place);
  let list = null;
  let shown = '';
  let timer = 0;
  let ended = false;
  let filter = {};
  const view = slotsView(() => read(), query => go(['slots'], query, { replace: true }));

  function paint() {
    const now = JSON.stringify([list, filter]);
    if (now !== shown) {
      shown = now;
      put(place, list.count === 0 ? unread(list) : view.show(list, filter));
    }
  }

  async function read() {
    clearTimeout(timer);
    try {
      const answer = document.hidden ? null : await api.call('/slots');
      if (!ended && answer) {
        list = { ...answer, shares: answer.shares.toSorted((a, b) => BY_NUMBER.compare(a.replica, b.replica)) };
        paint();
      }
    } catch (fault) {
      if (!ended) {
        shown = '';
        put(place, fault.slug === 'slots-not-used' ? unused() : failure(fault, read));
      }
    }
    if (!ended) {
      const moving = list && (list.counts.draining > 0 || list.counts.free > 0 || list.counts.orphaned > 0);
      timer = setTimeout(read, moving ? REFRESH_WHILE_MOVING_MILLIS : REFRESH_MILLIS);
    }
  }

  read();
  return {
    title: 'Slots',
    element,
    show({ query }) {
      filter = { owner: query.owner ?? '', state: query.state ?? '', from: Number(query.from) || 0 };
      if (list) {
        paint();
      }
    },
    dispose() {
      ended = true;
      clearTimeout(timer);
    },
  };
}

function unused() {
  return emptyState('This host has no slots', 'Each controller runs on one replica or on every replica, so no work is divided between them.');
}

function unread(list) {
  const own = list.shares.find(one => one.replica === list.replica);
  return [partialBanner(list), emptyState('The slot map has not been read yet', own?.problem ?? 'It is made by the first replica that holds a Lease.')];
}

/** The colour of each replica: that of its place in the list of all, so that it stays while replicas come and go. */
function colours(shares) {
  return new Map(shares.map((one, i) => [one.replica, 'owner-' + i % COLOURS]));
}

function slotsView(changed, filtered) {
  const text = h('p', { class: 'slot-text hint' });

  function show(list, filter) {
    const colour = colours(list.shares);
    const moves = list.items.filter(one => one.state === 'draining');
    return [
      partialBanner(list),
      tiles(list),
      section('Slot map', map(list, colour, slot => put(text, sentence(slot))), text, legend(list, colour)),
      section('Replicas', shares(list, colour, changed)),
      section('Moves under way', moves.length === 0 ? h('p', { class: 'hint' }, 'No slot is moving.') : movesTable(list, moves)),
      section('All slots', table(list, filter, filtered)),
    ];
  }

  return { show };
}

function tiles(list) {
  const tile = (name, value, tone, below) => h('div', { class: 'tile ' + (value > 0 ? tone : '') },
    h('span', { class: 'tile-name' }, name), h('b', {}, count(value)), h('span', { class: 'tile-below' }, below));
  const replicas = list.shares.filter(one => one.live).length;
  return h('div', { class: 'tiles' },
    tile('Slots', list.count, '', 'on ' + replicas + (replicas === 1 ? ' replica' : ' replicas')),
    tile('Moving', list.counts.draining, '', 'their owners hand them over'),
    tile('Without an owner', list.counts.free, 'bad', 'nothing of them is reconciled'),
    tile('Orphaned', list.counts.orphaned, 'bad', 'their owners have ended'));
}

/** One slot in a sentence. */
function sentence(slot) {
  const owner = slot.owner ? 'owned by ' + slot.owner : 'without an owner';
  const state = slot.state === 'draining' ? owner + ', moving to ' + slot.target
    : slot.state === 'orphaned' ? 'orphaned: ' + slot.owner + ' has ended' : owner;
  return 'Slot ' + slot.slot + ': ' + state + ', epoch ' + slot.epoch + (slot.stage ? ', ' + slot.stage : '') + '.';
}

function map(list, colour, tellOf) {
  const few = list.count <= FEW;
  const columns = few ? 16 : 64;
  const rows = Math.ceil(list.count / columns);
  const cells = list.items.map(slot => {
    const x = slot.slot % columns * CELL;
    const y = Math.floor(slot.slot / columns) * CELL;
    const tone = slot.state === 'free' || slot.state === 'orphaned' ? slot.state : colour.get(slot.owner);
    return svg('g', { 'data-slot': slot.slot },
      svg('title', {}, sentence(slot)),
      svg('rect', { x: x + 0.5, y: y + 0.5, width: CELL - 1, height: CELL - 1, rx: 3, class: 'cell ' + tone }),
      slot.target && svg('path', { d: 'M' + (x + CELL - 0.5) + ' ' + (y + 5) + 'V' + (y + CELL - 0.5) + 'H' + (x + 5) + 'Z', class: 'corner ' + colour.get(slot.target) }),
      few && svg('text', { x: x + CELL / 2, y: y + CELL / 2, class: tone === slot.state ? 'plain' : null }, slot.slot));
  });
  return svg('svg', {
    class: 'slot-map' + (few ? ' few' : ''),
    viewBox: '0 0 ' + columns * CELL + ' ' + rows * CELL,
    role: 'img',
    'aria-label': list.count + ' slots by owner; the table below has each of them',
    onpointerover: event => {
      const slot = list.items[Number(event.target.closest('[data-slot]')?.dataset.slot)];
      if (slot) {
        tellOf(slot);
      }
    },
  }, cells);
}

function legend(list, colour) {
  const entry = (swatch, words) => h('li', {}, h('span', { class: 'swatch ' + swatch }), words);
  return h('ul', { class: 'slot-legend', 'aria-label': 'Legend' },
    list.shares.map(one => entry(colour.get(one.replica), one.replica)),
    list.counts.draining > 0 && h('li', {}, 'a corner is the next owner'),
    list.counts.free > 0 && entry('free', 'no owner'),
    list.counts.orphaned > 0 && entry('orphaned', 'its owner has ended'));
}

function grid(label, columns, rows) {
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    cards(h('table', { class: 'grid' },
      h('caption', { class: 'visually-hidden' }, label),
      h('thead', {}, h('tr', {}, columns.map(([name, number]) =>
        h(name ? 'th' : 'td', { scope: name ? 'col' : null, class: number ? 'number' : null }, name)))),
      h('tbody', {}, rows))));
}

function shares(list, colour, changed) {
  return grid('Replicas by slots',
    [['Replica'], ['Slots', true], ['Moving here', true], ['Weight', true], ['State'], ['']],
    list.shares.map(one => h('tr', {},
      h('th', { scope: 'row', class: 'nowrap' }, h('span', { class: 'swatch ' + colour.get(one.replica) }), one.replica),
      h('td', { class: 'number' }, h('a', { href: link(['slots'], { owner: one.replica }) }, count(one.slots))),
      h('td', { class: 'number' }, count(one.incoming)),
      h('td', { class: 'number' }, one.weight ?? '–'),
      h('td', {}, states(one), one.problem && h('p', { class: 'hint' }, one.problem)),
      h('td', {}, one.live && drainButton(one, changed)))));
}

function states(share) {
  return [
    share.live ? null : badge('bad', 'gone'),
    share.live && !share.phase && badge('quiet', 'did not answer'),
    share.phase && badge(PHASE_TONES[share.phase] ?? 'quiet', share.phase),
    share.drained && [' ', badge('warn', share.slots > 0 ? 'draining' : 'drained')],
    share.leaving && [' ', badge('info', 'leaving')],
  ];
}

function drainButton(share, changed) {
  const route = (share.drained ? 'DELETE' : 'POST') + ' /replicas/{r}/drain';
  if (!api.has(route)) {
    return null;
  }
  const button = h('button', {
    type: 'button',
    class: 'small',
    name: 'drain-' + share.replica,
    onclick: () => rights.offered(button) && (share.drained ? openUndo(share, changed) : openDrain(share, changed)),
  }, share.drained ? 'Undo the drain…' : 'Drain…');
  rights.guard(button, 'replicas', 'drain');
  return button;
}

function openDrain(share, changed) {
  const force = h('input', { type: 'checkbox', name: 'force' });
  requestReason({
    title: 'Drain ' + share.replica,
    intro: 'Its ' + count(share.slots) + ' slots move to the other replicas, a few at a time. It gets none until the drain is undone or its process ends.',
    fields: [tick('even if no other replica can take them now', force)],
    verb: 'Drain ' + share.replica,
    submit: async reason => {
      const done = await api.call(path(share), { method: 'POST', body: force.checked ? { reason, force: true } : { reason } });
      drained(done, share.replica + ' is draining.', share.replica + ' is drained already.');
      changed();
    },
  });
}

function drained(done, text, skipped) {
  notify(done?.result === 'skipped' ? 'info' : 'good', done?.result === 'skipped' ? skipped : text);
}

function openUndo(share, changed) {
  requestReason({
    title: 'Undo the drain of ' + share.replica,
    intro: 'It gets its share of the slots again.',
    verb: 'Undo the drain',
    submit: async reason => {
      const done = await api.call(path(share), { method: 'DELETE', body: { reason } });
      drained(done, share.replica + ' may have slots again.', share.replica + ' is not drained.');
      changed();
    },
  });
}

function path(share) {
  return '/replicas/' + api.segment(share.replica) + '/drain';
}

function movesTable(list, moves) {
  const answered = new Set(list.shares.filter(one => one.phase).map(one => one.replica));
  return grid('Moves under way', [['Slot', true], ['From'], ['To'], ['Epoch', true], ['The owner'], ['The target']],
    moves.slice(0, ROWS).map(one => h('tr', {},
      h('th', { scope: 'row', class: 'number' }, one.slot),
      h('td', {}, one.owner),
      h('td', {}, one.target),
      h('td', { class: 'number' }, one.epoch),
      h('td', {}, answered.has(one.owner) ? STAGES[one.stage] ?? STAGES.open : 'did not answer'),
      h('td', {}, answered.has(one.target) ? STAGES[one.targetStage] ?? 'does not keep requests yet' : 'did not answer'))));
}

function table(list, filter, filtered) {
  const chosen = list.items.filter(one => (!filter.owner || one.owner === filter.owner) && (!filter.state || one.state === filter.state));
  const from = Math.min(filter.from, Math.max(0, chosen.length - 1));
  const page = chosen.slice(from, from + ROWS);
  const set = changes => filtered({ ...filter, from: null, ...changes });
  const owner = select('owner', list.shares.map(one => one.replica), filter.owner, value => set({ owner: value }));
  const state = select('state', STATES, filter.state, value => set({ state: value }));
  return [
    h('div', { class: 'filters' }, h('div', { class: 'fields' }, field('Owner', owner), field('State', state))),
    page.length === 0
      ? h('p', { class: 'hint' }, 'No slot matches.')
      : grid('Slots', [['Slot', true], ['State'], ['Owner'], ['Epoch', true], ['Moving to']], page.map(one => h('tr', {},
        h('th', { scope: 'row', class: 'number' }, one.slot),
        h('td', {}, badge(STATE_TONES[one.state] ?? 'quiet', one.state)),
        h('td', { title: one.ownerIdentity }, one.owner ?? '–'),
        h('td', { class: 'number' }, one.epoch),
        h('td', {}, one.target ?? '')))),
    chosen.length > ROWS && h('div', { class: 'pager' },
      h('span', { class: 'hint' }, (from + 1) + ' to ' + (from + page.length) + ' of ' + chosen.length),
      h('button', { type: 'button', name: 'earlier', disabled: from === 0, onclick: () => set({ from: Math.max(0, from - ROWS) || null }) }, 'Earlier'),
      h('button', { type: 'button', name: 'later', disabled: from + ROWS >= chosen.length, onclick: () => set({ from: from + ROWS }) }, 'Later')),
  ];
}

function select(name, values, chosen, onchosen) {
  return h('select', { name, id: 'slots-' + name, onchange: event => onchosen(event.target.value || null) },
    h('option', { value: '' }, 'any'),
    values.map(value => h('option', { value, selected: value === chosen }, value)));
}

/** The owner of the slot of an item, from its explanation, with a link to the slot map. */
export function slotFact(slot) {
  const at = h('a', { href: link(['slots'], slot.owner ? { owner: slot.owner } : {}) }, 'Slot ' + slot.slot);
  return [at, ' ', badge(STATE_TONES[slot.state] ?? 'quiet', slot.state), ' epoch ' + slot.epoch,
    slot.owner ? ', owner ' + slot.owner : '', slot.target ? ', moving to ' + slot.target : ''];
}
