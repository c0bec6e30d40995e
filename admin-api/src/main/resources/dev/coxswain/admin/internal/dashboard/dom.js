// SPDX-License-Identifier: Apache-2.0
// Makes elements. Whatever is not an element becomes text, so that data can never become markup.

const SVG = 'http://www.w3.org/2000/svg';
const PROPERTIES = new Set(['value', 'checked', 'disabled', 'hidden', 'selected', 'required', 'open']);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) {
      continue;
    }
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value);
    } else if (PROPERTIES.has(name)) {
      element[name] = value;
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...flat(children));
  return element;
}

function flat(children) {
  return children
    .flat(Infinity)
    .filter(child => child !== undefined && child !== null && child !== false)
    .map(child => (child instanceof Node ? child : String(child)));
}

/** Makes an element; `onclick` and the like are listeners. */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an element of an SVG picture. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Puts other children into an element. Who had the focus in it has it again when it is still there. */
export function put(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  element.replaceChildren(...flat(children));
  if (focused && focused !== element) {
    const same = [...element.querySelectorAll(focused.localName)].find(one => name(one) === name(focused));
    same?.focus({ preventScroll: true });
  }
  return element;
}

function name(element) {
  return element.getAttribute('href') ?? element.getAttribute('name') ?? element.textContent;
}

/** Sets the text of an element when it is another one. */
export function text(element, value) {
  const wanted = String(value);
  if (element.textContent !== wanted) {
    element.textContent = wanted;
  }
}

/** Sets or removes an attribute when it is another one. */
export function attribute(element, name, value) {
  if (value === null || value === undefined || value === false) {
    element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) {
    element.setAttribute(name, String(value));
  }
}

const kept = new WeakMap();

/**
 * Shows one child for each item, and keeps those it has, so that focus and selection survive an update.
 * `create(item)` makes `{element, update(item)}`. Puts at most `most` children where they are not yet, the first ones
 * first, since a browser lays out all of a table's rows in one task; returns whether all are in their place.
 */
export function keyed(parent, items, keyOf, create, most = Infinity) {
  const rows = kept.get(parent) ?? new Map();
  kept.set(parent, rows);
  const wanted = new Set(items.map(keyOf));
  for (const [key, row] of rows) {
    if (!wanted.has(key)) {
      row.element.remove();
      rows.delete(key);
    }
  }
  let place = parent.firstElementChild;
  let left = most;
  for (const item of items) {
    const key = keyOf(item);
    let row = rows.get(key);
    if (row && row.element === place?.nextElementSibling) {
      place = row.element; // the one before it belongs further down: one moves instead of all others
    }
    if (!row && left > 0) {
      row = create(item);
      rows.set(key, row);
    }
    row?.update(item);
    if (row?.element === place) {
      place = place.nextElementSibling;
    } else if (left-- > 0) {
      parent.insertBefore(row.element, place);
    }
  }
  return left >= 0;
}
