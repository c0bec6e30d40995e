// SPDX-License-Identifier: Apache-2.0
// The rows that are selected: some items by name, or all that match the filter.

import { keyOf } from './itemlist.js';

/** As many as are changed one by one in about ten seconds; for more there is the operation on all that match. */
export const MOST_SELECTED = 100;

export class Selection {
  #items = new Map();
  #listeners = new Set();
  #all = false;

  /** Calls back after each change. */
  listen(listener) {
    this.#listeners.add(listener);
  }

  #changed() {
    this.#listeners.forEach(listener => listener());
  }

  /** Whether all items that match are selected. */
  get all() {
    return this.#all;
  }

  get items() {
    return [...this.#items.values()];
  }

  get size() {
    return this.#items.size;
  }

  has(item) {
    return this.#all || this.#items.has(keyOf(item));
  }

  /** Selects items, or does not any longer; returns false when they are more than can be selected. */
  set(items, on) {
    this.#all = false;
    let fits = true;
    for (const item of items) {
      if (!on) {
        this.#items.delete(keyOf(item));
      } else if (this.#items.size < MOST_SELECTED || this.#items.has(keyOf(item))) {
        this.#items.set(keyOf(item), item);
      } else {
        fits = false;
      }
    }
    this.#changed();
    return fits;
  }

  selectAll(on) {
    this.#all = on;
    this.#items.clear();
    this.#changed();
  }

  /** Selects nothing. */
  clear() {
    if (this.#all || this.#items.size > 0) {
      this.selectAll(false);
    }
  }

  /** The namespace of all that are selected; undefined when they are of several. */
  get namespace() {
    const all = new Set(this.items.map(item => item.key.namespace ?? ''));
    return all.size === 1 ? [...all][0] : undefined;
  }
}
