// SPDX-License-Identifier: Apache-2.0
// The reports of the replicas about their controllers, one by one, and their sum. A list of the host has more
// of a controller, but only on request; so the sum is put into the last list.

const SUMS = ['total', 'failing', 'dirty', 'overdue', 'activeWorkers'];
const STATES = ['syncing', 'draining', 'stopped', 'running', 'failed']; // the first of these is that of the whole

export class Parts {
  #byController = new Map(); // of maps by replica
  #silent = new Set(); // replicas whose parts are old

  clear() {
    this.#byController.clear();
    this.#silent.clear();
  }

  /**
   * Takes over which replicas there are, `{replica, state}`. The parts of one that does not respond count again when it
   * responds again, since it continues from there.
   */
  follow(replicas) {
    const named = new Set(replicas.map(one => one.replica));
    this.#silent = new Set(replicas.filter(one => one.state !== 'ok').map(one => one.replica));
    this.forget(replica => !named.has(replica));
  }

  /** Takes over the report of a replica; it runs the controller no longer when that is `gone`. */
  take(data) {
    const parts = this.#byController.get(data.controller) ?? new Map();
    if (data.state === 'gone' || 'owned' in data) { // it has left, or does not run here
      parts.delete(data.replica);
    } else {
      parts.set(data.replica, data);
    }
    if (parts.size > 0) {
      this.#byController.set(data.controller, parts);
    } else {
      this.#byController.delete(data.controller);
    }
  }

  /** Removes the parts of replicas for which `which(replica)` is true. */
  forget(which) {
    for (const [name, parts] of this.#byController) {
      [...parts.keys()].filter(which).forEach(replica => parts.delete(replica));
      if (parts.size === 0) {
        this.#byController.delete(name);
      }
    }
  }

  /** Returns a controller of a list with what is known now; null when the list has to be read again. */
  whole(listed) {
    const all = this.#byController.get(listed.name) ?? new Map();
    const parts = new Map([...all].filter(([replica]) => !this.#silent.has(replica)));
    const received = (listed.parts ?? []).map(one => parts.get(one.replica));
    if (parts.size === 0 || received.length !== parts.size || received.some(one => !one?.counts)) {
      return null; // it runs somewhere else now, or does not start there
    }
    const whole = { ...listed, counts: { ...listed.counts } };
    for (const field of SUMS) {
      whole[field] = sum(received, one => one[field]);
    }
    for (const phase of Object.keys(whole.counts)) {
      whole.counts[phase] = sum(received, one => one.counts[phase]);
    }
    whole.paused = received.some(one => one.paused);
    whole.conditions = received.flatMap(one => one.conditions ?? []);
    whole.state = STATES.find(state => received.some(one => one.state === state)) ?? listed.state;
    if (whole.state !== 'failed') {
      delete whole.error; // of a part that has synced since
    }
    whole.oldestReadySeconds = Math.max(...received.map(one => one.oldestReadySeconds));
    whole.nextReadyAt = earliest(received.map(one => one.nextReadyAt));
    whole.asOf = earliest(received.map(one => one.asOf));
    whole.maxConcurrent = received.find(one => one.replica === listed.replica)?.maxConcurrent ?? listed.maxConcurrent;
    whole.parts = listed.parts.map((part, i) => ({ ...part, ...of(received[i], part) }));
    return whole;
  }
}

/** Returns those fields that a part has. */
function of(received, part) {
  return Object.fromEntries(Object.entries(received).filter(([field]) => field in part));
}

function sum(parts, of) {
  return parts.reduce((total, one) => total + (of(one) ?? 0), 0);
}

function earliest(times) {
  return times.filter(Boolean).sort((a, b) => Date.parse(a) - Date.parse(b))[0];
}
