// SPDX-License-Identifier: Apache-2.0
// The item table of a controller: as many rows as are seen, and some pages around them, however many items there are.

import * as api from './api.js';
import { tick } from './dialog.js';
import { attribute, h, keyed, put, text } from './dom.js';
import { count } from './format.js';
import { getItems } from './commands.js';
import { ItemList, keyOf, WHOLE_ITEMS } from './itemlist.js';
import { COLUMNS, comparison, gapRow, itemRow } from './itemrow.js';
import { notify } from './messages.js';
import { copyButton, emptyState, failure, isSyncing, loading, partialBanner } from './page.js';
import { MOST_SELECTED } from './selection.js';

const REFRESH_MILLIS = 3_000;
const BESIDE = 12; // rows above and below the window
const MOST_ROWS = 120;

/**
 * Makes the table. `addressOf(changes)` is the address of this view with other parameters, `showAs(changes)` goes there, and `selection`
 * has the rows that are selected.
 * It shows nothing until `show(filter, options)` selects items.
 */
export function itemTable(controller, { addressOf, showAs, selection }) {
  const [above, body, below] = [h('tbody', { 'aria-hidden': 'true' }), h('tbody', { class: 'list' }), h('tbody', { 'aria-hidden': 'true' })];
  const spacers = [above, below].map(one => one.appendChild(h('tr')).appendChild(h('td')));
  const heads = COLUMNS.map(column => ({ column, element: h('th', { scope: 'col', class: 'col-' + column.key + (column.number ? ' number' : '') },
    h('button', { type: 'button', class: 'sort', onclick: () => showAs({ sort: nextSort(column) }) }, column.name)) }));
  const everything = h('input', { type: 'checkbox', 'aria-label': 'Select all items that match', title: 'Select all items that match', onclick: () => selection.selectAll(everything.checked) });
  const grid = h('table', { class: 'grid items' },
    h('caption', { class: 'visually-hidden' }, 'Items of ' + controller),
    h('thead', {}, h('tr', {}, h('td', { class: 'col-pick' }, everything), heads.map(one => one.element))), above, body, below);
  const region = h('div', { class: 'scroll rows', tabindex: 0, role: 'region', 'aria-label': 'Items', onscroll: drawSoon }, grid);
  const place = h('div');
  const banner = h('div');
  const unsorted = h('p', { class: 'hint', role: 'status', hidden: true });
  const columns = COLUMNS.slice(1).map(column => ({ key: column.key, name: column.name, box: h('input', { type: 'checkbox', name: 'col-' + column.key, checked: true, onchange: choose }) }));
  const note = h('span', { class: 'hint', role: 'status' });
  const path = '/controllers/' + api.segment(controller) + '/items';
  const element = h('div', {}, banner, unsorted, place,
    h('div', { class: 'pager' }, note, h('span', { class: 'spacer' }),
      h('details', { class: 'columns' }, h('summary', {}, 'Columns'), columns.map(one => tick(one.name, one.box))),
      copyButton('Copy as kubectl', () => getItems(controller, filter)),
      copyButton('Copy as curl', () => api.curl(path, { ...filter, limit: 100 }))));
  const view = { addressOf, selection, pick, cluster: false };
  let picked = null; // the last row that was selected, where a range begins
  let filter = {};
  let sort = null;
  let list = new ItemList();
  let order = null; // the items in their order, when it is not that of the host
  let run = { abort: new AbortController(), busy: false }; // of one filter and order
  let timer = 0;
  let frame = 0;
  let rowHeight = 32;
  let drawn = [0, 60]; // the rows that are drawn
  let anchor = null; // the first row that is seen, which keeps its place
  let shownOnce = false;

  function nextSort(column) {
    const [key, direction] = (sort ?? '').split('.');
    const first = column.words ? 'up' : 'down';
    return key !== column.key ? column.key + '.' + first
      : direction === first ? column.key + '.' + (first === 'up' ? 'down' : 'up') : undefined;
  }

  function choose() {
    const shown = columns.filter(one => one.box.checked).map(one => one.key);
    showAs({ cols: shown.length === columns.length ? undefined : shown.join() || 'none' });
  }

  /** The pages that have to be read now, the first ones first. */
  function due() {
    return (list.whole ? list.pages : list.within(...drawn)).find(one => one.stale || (one.read ? !one.items : !list.full));
  }

  async function pump(mine = run) {
    if (!mine || mine.busy) {
      return;
    }
    mine.busy = true;
    clearTimeout(timer);
    let requests = 0;
    let page;
    try {
      while (mine === run && (page = due())) {
        requests++;
        const answer = await api.call(path, {
          query: { ...filter, limit: list.limit, continue: page.cursor }, signal: mine.abort.signal,
        });
        if (mine === run) {
          list.take(page, answer);
          show(answer);
        }
      }
    } catch (fault) {
      if (mine === run && !mine.abort.signal.aborted) {
        fail(fault, page);
      }
    }
    mine.busy = false;
    if (mine === run) {
      timer = setTimeout(refresh, REFRESH_MILLIS * Math.max(1, requests));
    }
  }

  function refresh() {
    if (document.hidden || getSelection()?.type === 'Range') {
      timer = setTimeout(refresh, REFRESH_MILLIS); // hidden, or a selection is being copied
    } else {
      read();
    }
  }

  /** Reads again what is seen. */
  function read() {
    (list.whole ? list.pages : list.within(...drawn)).forEach(one => { one.stale = one.read; });
    return pump();
  }

  function fail(fault, page) {
    if (fault instanceof api.Problem && fault.slug === 'cursor-expired') {
      const on = fault.body.continue; // the walk goes on with the other replicas
      const from = cursor => () => {
        list.resume(page, cursor);
        pump();
      };
      put(banner, h('div', { class: 'banner warn', role: 'alert' }, h('b', {}, 'The list ends here. '), fault.message, ' ',
        on && h('button', { type: 'button', onclick: from(on) }, 'Continue with the other replicas'), ' ',
        h('button', { type: 'button', onclick: from(null) }, 'Start again')));
    } else if (fault instanceof api.Problem || !shownOnce) {
      put(place, failure(fault, read));
      shownOnce = false;
    }
    // Without an answer the rows before stay; the banner above shows that they are old.
  }

  function show(answer) {
    if (list.whole && list.tooLong) {
      list = new ItemList(); // it is read in the order of the host
    }
    shownOnce = true;
    put(banner, partialBanner(answer));
    view.cluster = (answer.replicas ?? []).length > 1;
    heads.at(-1).element.hidden = !view.cluster;
    const compare = comparison(sort);
    const sorted = compare && list.whole && list.ended;
    order = sorted ? list.rows(0, list.count).sort(compare) : null;
    for (const { column, element: cell } of heads) {
      attribute(cell, 'aria-sort', sorted && sort.startsWith(column.key + '.') ? (sort.endsWith('down') ? 'descending' : 'ascending') : null);
    }
    text(unsorted, compare && !list.whole
      ? 'Not sorted: more than ' + count(WHOLE_ITEMS) + ' items match, or more replicas have them than are read at once, and the host lists the oldest first. A narrower filter can be sorted.' : '');
    unsorted.hidden = unsorted.textContent === '';
    if (list.count === 0 && list.ended) {
      put(place, nothing(answer));
    } else if (list.ended || !list.whole) {
      if (region.parentElement !== place) {
        put(place, region);
      }
      stay();
      draw();
    }
    text(note, (list.ended ? '' : 'More than ') + count(list.count) + (list.count === 1 && list.ended ? ' item' : ' items')
      + (order ? '' : ', the oldest first') + (list.full ? '; a list holds no more of them, filter it' : list.ended ? '' : '; more are read as you scroll'));
  }

  function nothing(answer) {
    return isSyncing(answer)
      ? emptyState('Not complete yet', 'The controller has not received all objects of its sources yet. Items appear here when it has.')
      : Object.keys(filter).length > 0
        ? emptyState('No item matches', 'No item of this queue matches the filter.', h('a', { class: 'button', href: addressOf({ clear: true }) }, 'Clear the filter'))
        : emptyState('The queue is empty', 'Items appear here when something happens to the objects that this controller watches.');
  }

  function rowsOf(from, to) {
    return order ? order.slice(from, to) : list.rows(from, to);
  }

  /** Scrolls so that the first row that is seen stays where it is. */
  function stay() {
    if (anchor === null || region.scrollTop === 0) {
      return;
    }
    const now = order ? order.findIndex(item => keyOf(item) === anchor.key) : list.indexOf(anchor.key);
    if (now >= 0 && now !== anchor.index) {
      anchor.index = now;
      draw(); // there is nothing to scroll to before
      region.scrollTop = now * rowHeight + anchor.offset;
    }
  }

  function drawSoon() {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      draw();
      pump();
    });
  }

  /** Draws the rows in the window and a few beside it; all that are kept for a printer. */
  function draw(all = false) {
    if (!list.pages[0].read || (list.whole && !list.ended)) {
      return; // the rows before stay until there are others
    }
    const known = order?.length ?? list.count;
    const first = Math.floor(region.scrollTop / rowHeight);
    const seen = Math.ceil((region.clientHeight || 600) / rowHeight);
    const from = all ? 0 : Math.max(0, Math.min(first, known - seen) - BESIDE);
    const to = all ? known : Math.min(known, from + Math.min(MOST_ROWS, seen + 2 * BESIDE));
    drawn = [from, to];
    list.forgetFarFrom(from, to);
    const rows = rowsOf(from, to).filter(item => !all || item.gap === undefined);
    const focused = body.contains(document.activeElement);
    keyed(body, rows, item => (item.gap === undefined ? keyOf(item) : 'gap ' + item.gap),
      item => (item.gap === undefined ? itemRow(item, view) : gapRow()));
    if (focused && !body.contains(document.activeElement)) {
      region.focus({ preventScroll: true }); // the row has left the window
    }
    [...body.rows].forEach((row, i) => attribute(row, 'aria-rowindex', from + i + 2));
    attribute(grid, 'aria-rowcount', list.ended ? known + 1 : -1);
    const height = body.rows[0]?.getBoundingClientRect().height;
    rowHeight = height > 0 ? height : rowHeight;
    [from, all ? 0 : known - to].forEach((rest, i) => {
      spacers[i].style.height = rest * rowHeight + 'px';
      spacers[i].parentElement.hidden = rest === 0;
    });
    const top = rowsOf(first, first + 1)[0];
    anchor = top && top.gap === undefined ? { key: keyOf(top), index: first, offset: region.scrollTop - first * rowHeight } : null;
  }

  /** Selects a row, or with the shift key those between it and the last one. */
  function pick(item, event) {
    const on = event.target.checked;
    const place = key => (order ? order.findIndex(one => keyOf(one) === key) : list.indexOf(key));
    const ends = [picked ?? keyOf(item), keyOf(item)].map(place).sort((a, b) => a - b);
    const range = event.shiftKey && ends[0] >= 0 ? rowsOf(ends[0], ends[1] + 1).filter(one => one.gap === undefined) : [item];
    picked = keyOf(item);
    if (!selection.set(range, on)) {
      notify('info', 'At most ' + count(MOST_SELECTED) + ' rows can be selected. Filter the items, and act on all that match.');
    }
  }

  selection.listen(() => {
    everything.checked = selection.all;
    everything.indeterminate = selection.size > 0;
    draw();
  });
  const print = () => draw(true);
  const printed = () => draw();
  addEventListener('beforeprint', print);
  addEventListener('afterprint', printed);
  return {
    element,
    /** Shows the items of a filter; `sort` is `column.up` or `column.down`, which needs a list that is whole. */
    show(newFilter, options) {
      filter = newFilter;
      sort = options.sort ?? null;
      list = new ItemList(comparison(sort) !== null);
      order = null;
      anchor = null;
      picked = null;
      selection.clear();
      region.scrollTop = 0;
      drawn = [0, 60];
      run.abort.abort();
      run = { abort: new AbortController(), busy: false };
      if (!shownOnce) {
        put(place, loading(8));
      }
      return pump();
    },
    read,
    /** Shows the columns of an address, all without it. */
    look(cols) {
      const shown = cols?.split(',');
      columns.forEach(one => { one.box.checked = shown?.includes(one.key) ?? true; });
      attribute(grid, 'class', ['grid items', ...columns.filter(one => !one.box.checked).map(one => 'hide-' + one.key)].join(' '));
      draw(); // rows may have another height
    },
    dispose() {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      removeEventListener('beforeprint', print);
      removeEventListener('afterprint', printed);
      run.abort.abort();
      run = null;
    },
  };
}
