// SPDX-License-Identifier: Apache-2.0
// The same as a command of `kubectl coxswain`, to paste into a shell. Values are always part of their flag, so that none
// can be another flag.

const PROGRAM = 'kubectl coxswain';
const PLAIN = /^[A-Za-z0-9_.,:@%+/=-]+$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** A word as a shell reads it; what a terminal would act on when it is pasted is written in letters. */
function quoted(word) {
  if (PLAIN.test(word)) {
    return word;
  }
  if (word.search(CONTROL) >= 0) {
    const written = word.replaceAll(/[\\']/g, '\\$&').replaceAll(CONTROL, char => '\\u' + char.charCodeAt(0).toString(16).padStart(4, '0'));
    return "$'" + written + "'";
  }
  return "'" + word.replaceAll("'", "'\\''") + "'";
}

function line(...words) {
  return [PROGRAM, ...words.flat().filter(word => word !== null).map(quoted)].join(' ');
}

const FLAGS = {
  phase: '--phase',
  failing: '--failing',
  minFailures: '--min-failures',
  name: '--name',
  olderThan: '--older-than',
  readyBefore: '--ready-before',
  errorClass: '--error-class',
  cause: '--cause',
  labelSelector: '--selector',
};

function selection(filter) {
  return [
    filter.namespace ? '--namespace=' + filter.namespace : '--all-namespaces',
    ...Object.entries(FLAGS).filter(([key]) => filter[key]).map(([key, flag]) => flag + '=' + filter[key]),
  ];
}

/** Shows the items of a filter. */
export function getItems(controller, filter) {
  return line('get', 'items', controller, selection(filter));
}

/** Explains one item. */
export function explainItem(controller, key) {
  return line('explain', controller, key.namespace + '/' + key.name);
}

/** Shows an object at all controllers. */
export function findObject(key) {
  return line('find', key.namespace + '/' + key.name);
}

/** Acts on all items of a filter; it counts them, shows them and requests a confirmation. */
export function actOnItems(controller, filter, order, reason) {
  const chosen = Object.keys(FLAGS).some(key => filter[key]);
  return line(order.action, controller, selection(filter),
    chosen ? null : '--all',
    order.then === undefined ? null : '--then=' + order.then,
    order.delay === undefined ? null : '--delay=' + order.delay,
    order.spreadOver === undefined ? null : '--spread-over=' + order.spreadOver,
    order.keepFailures ? '--keep-failures' : null,
    order.dropDirty ? '--drop-dirty' : null,
    reason ? '--reason=' + reason : null);
}
