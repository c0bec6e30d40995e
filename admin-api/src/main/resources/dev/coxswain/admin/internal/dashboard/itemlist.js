// SPDX-License-Identifier: Apache-2.0
// The pages of an item list: their positions, and the items of those that are near the window. The host gives the list in one order
// only, by positions that lead from one page to the next.

export const PAGE = 100;
export const KEPT_PAGES = 6;
export const MOST_PAGES = 2_000;

/** What can be sorted here: a list that is read as a whole. */
export const WHOLE_PAGE = 500;
export const WHOLE_ITEMS = 2_000;
export const WHOLE_REQUESTS = 12;

export function keyOf(item) {
  return item.id + '@' + (item.replica ?? '');
}

export class ItemList {
  /** With `whole` larger pages are read, and all of them are kept. */
  constructor(whole = false) {
    this.whole = whole;
    this.limit = whole ? WHOLE_PAGE : PAGE;
    this.pages = [page(null)];
  }

  /** How many rows are known: those of pages that are not kept included. */
  get count() {
    return this.pages.reduce((sum, one) => sum + one.length, 0);
  }

  /** Whether the last page has been read. */
  get ended() {
    return this.pages.at(-1).read;
  }

  /** Whether a list to be sorted has become too long for that. */
  get tooLong() {
    return this.count > WHOLE_ITEMS || (!this.ended && (this.count === WHOLE_ITEMS || this.pages.length > WHOLE_REQUESTS));
  }

  /** Whether it has as many pages as it may have, and the host has more. */
  get full() {
    return this.pages.length >= MOST_PAGES && !this.ended;
  }

  /** Takes over the answer for a page. */
  take(one, answer) {
    const i = this.pages.indexOf(one);
    if (i < 0) {
      return; // it was left out while it was read
    }
    let items = answer.items;
    const next = this.pages[i + 1];
    if (next && one.until !== Infinity) {
      // What moved up belongs to the next page, until there is too little left of this one.
      const own = items.filter(item => item.seq <= one.until);
      if (own.length >= this.limit / 2 || own.length === items.length) {
        items = own;
      } else {
        const moved = new Set(items.map(keyOf));
        const after = (next.items ?? []).filter(item => !moved.has(keyOf(item)));
        this.pages.splice(i + 1, Infinity, ...(answer.continue ? [page(answer.continue, next.items && after)] : []));
        one.until = end(answer, this.limit);
      }
    } else {
      if (answer.continue && (!next || items.length === this.limit)) {
        this.pages.splice(i + 1, 0, page(answer.continue));
      } else if (!answer.continue) {
        this.pages.length = i + 1;
      }
      one.until = end(answer, this.limit);
    }
    Object.assign(one, { items, length: items.length, read: true, stale: false });
  }

  /** Continues a list whose position has expired at another one; without one it begins again. */
  resume(one, cursor) {
    const i = this.pages.indexOf(one);
    this.pages.splice(cursor ? Math.max(0, i) : 0, Infinity, page(cursor ?? null));
  }

  /** The pages with rows from `from` to `to`, and the first unread one when these reach the end. */
  within(from, to) {
    const found = [];
    let start = 0;
    for (const one of this.pages) {
      if ((start < to && start + one.length > from) || (!one.read && start <= to)) {
        found.push(one);
      }
      start += one.length;
    }
    return found;
  }

  /** Forgets the items of pages, those first that are farthest from the rows. */
  forgetFarFrom(from, to) {
    if (this.whole) {
      return;
    }
    let start = 0;
    const kept = [];
    for (const one of this.pages) {
      if (one.items) {
        kept.push({ one, distance: Math.max(0, start - to, from - start - one.length) });
      }
      start += one.length;
    }
    kept.sort((a, b) => a.distance - b.distance).slice(KEPT_PAGES).forEach(({ one }) => { one.items = null; });
  }

  /** The rows from `from` to `to`: items, each once, and `{gap}` where the page is not kept. */
  rows(from, to) {
    const found = new Map();
    let start = 0;
    for (const one of this.pages) {
      for (let i = Math.max(from, start); i < Math.min(to, start + one.length); i++) {
        const item = one.items?.[i - start] ?? { gap: i };
        found.set(item.gap === undefined ? keyOf(item) : 'gap ' + i, item);
      }
      start += one.length;
    }
    return [...found.values()];
  }

  /** The place of an item among all rows, -1 when no page that is kept has it. */
  indexOf(key) {
    let start = 0;
    for (const one of this.pages) {
      const i = one.items?.findIndex(item => keyOf(item) === key) ?? -1;
      if (i >= 0) {
        return start + i;
      }
      start += one.length;
    }
    return -1;
  }
}

/** A page: its position, its items while they are kept, and the youngest item that belongs to it. */
function page(cursor, items = null) {
  return { cursor, items, length: items?.length ?? 0, until: Infinity, read: false, stale: false };
}

/** A short page is the last one of its replica: all that comes there belongs to it. */
function end(answer, limit) {
  return answer.items.length < limit || !answer.continue ? Infinity : answer.items.at(-1).seq;
}
