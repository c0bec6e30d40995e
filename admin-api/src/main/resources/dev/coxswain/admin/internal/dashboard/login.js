// SPDX-License-Identifier: Apache-2.0
// Asks for the bearer token.

import { faultBox, field } from './dialog.js';
import { h } from './dom.js';
import { explainFault } from './api.js';
import { logo } from './shell.js';

/** Makes the page; `enter(token)` returns a promise that fails when the token is not good. */
export function login(reason, enter) {
  const input = h('input', {
    id: 'token', type: 'password', name: 'token', required: true, autocomplete: 'off', spellcheck: 'false', maxlength: 8192,
  });
  const fault = faultBox();
  const button = h('button', { type: 'submit', class: 'primary' }, 'Sign in');
  if (reason) {
    fault.show(reason.status === 401 ? 'This token was refused; it may have expired. ' + explainFault(reason) : reason);
  }
  return h('main', { class: 'login', id: 'main', tabindex: -1 },
    h('div', { class: 'login-card' },
      logo(),
      h('h1', {}, 'Sign in to Coxswain'),
      h('form', {
        class: 'stack',
        onsubmit: async event => {
          event.preventDefault();
          fault.clear();
          button.disabled = true;
          try {
            await enter(input.value.trim());
          } catch (problem) {
            fault.show(problem.status === 401 ? 'This token was refused. ' + explainFault(problem) : problem);
            button.disabled = false;
            input.select();
          }
        },
      },
      field('Bearer token', input, 'It is kept in this tab only, until the tab is closed.'),
      fault.element,
      button),
      h('details', {},
        h('summary', {}, 'Where do I get a token?'),
        h('p', {}, 'In a cluster, for a service account that has the right roles:'),
        h('pre', {}, 'kubectl create token NAME --audience coxswain-admin'),
        h('p', {}, 'From ', h('code', {}, 'coxswain dev'), ', which prints it, and a link with it.'))));
}
