// SPDX-License-Identifier: Apache-2.0
// Calls of the admin API, which is found from where this page is, so that a path prefix does no harm.

import * as session from './session.js';

const BASE = new URL('../api/v1', document.baseURI);
const LIMIT_MILLIS = 20_000;

let routes = new Set();
let templates = {};
let onUnauthenticated = () => {};

/** A problem detail (RFC 9457): the refusal of a request by the API. */
export class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail || body.title || 'The answer has the status ' + status);
    this.status = status;
    this.body = body;
    this.slug = String(body.type ?? '').split('/').pop();
    this.retryAfter = retryAfter;
  }
}

/** Sets what is done when a token is no longer valid. */
export function whenUnauthenticated(action) {
  onUnauthenticated = action;
}

/** Learns which routes there are, and where other systems show attempts. */
export function learn(discovery) {
  templates = discovery.links ?? {};
  routes = new Set(discovery.routes.map(route => route.method + ' ' + route.path.replace('/api/v1', '')));
}

/** The templates of links by name. */
export function links() {
  return templates;
}

/** Whether the API has a route, such as `GET /replicas`. */
export function has(route) {
  return routes.has(route);
}

/** The address of a path below the root of the API; parameters without a value are left out. */
export function address(path, query) {
  const url = new URL(BASE.pathname.replace(/\/$/, '') + path, BASE);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== '') {
      url.searchParams.set(name, value);
    }
  }
  return url;
}

export function segment(name) {
  return encodeURIComponent(name);
}

/** Opens an answer; throws a Problem for any that is not good, and a TypeError when there is none. */
export async function send(path, { method = 'GET', query, body, headers = {}, signal } = {}) {
  const sent = { ...headers };
  const token = session.current();
  if (token) {
    sent.Authorization = 'Bearer ' + token;
  }
  if (body !== undefined) {
    sent['Content-Type'] = 'application/json';
  }
  const answer = await fetch(address(path, query), {
    method,
    headers: sent,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  });
  if (answer.ok) {
    return answer;
  }
  const problem = new Problem(
    answer.status,
    await answer.json().catch(() => ({})),
    Number(answer.headers.get('Retry-After')) || 0);
  if (answer.status === 401) {
    onUnauthenticated(problem);
  }
  throw problem;
}

/** Calls the API and returns what it answers, null when that is nothing. */
export async function call(path, options = {}) {
  const limit = AbortSignal.timeout(LIMIT_MILLIS);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  const answer = await send(path, { ...options, signal });
  return answer.status === 204 ? null : answer.json();
}

/** Makes a change, and returns what the API answers with the id of the request, `{result, requestId}`. */
export async function change(path, options) {
  const signal = AbortSignal.timeout(LIMIT_MILLIS);
  const answer = await send(path, { ...options, signal });
  return { result: answer.status === 204 ? null : await answer.json(), requestId: answer.headers.get('X-Request-Id') };
}

/** What went wrong, in a sentence for people. */
export function explainFault(fault) {
  if (fault instanceof Problem) {
    return fault.message;
  }
  if (fault.name === 'TimeoutError') {
    return 'The host did not answer within ' + LIMIT_MILLIS / 1000 + ' s.';
  }
  return fault instanceof TypeError ? 'The host cannot be reached.' : String(fault.message ?? fault);
}

/** The same call as a command line. */
export function curl(path, query) {
  return 'curl -s -H "Authorization: Bearer $ADMIN_TOKEN" \'' + String(address(path, query)).replaceAll("'", '%27') + "'";
}
