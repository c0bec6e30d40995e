// SPDX-License-Identifier: Apache-2.0
// The reports of the replicas about their controllers, one by one, and their sum. A list of the host has more
// of a controller, but only when it is asked; so the sum is put into what the last list has said.

const SUMS = ['total', 'failing', 'dirty', 'overdue', 'activeWorkers'];
const STATES = ['syncing', 'draining', 'stopped', 'running', 'failed']; // the first of these is that of the whole

export class Parts {
  #byController = new Map(); // of maps by replica
  #silent = new Set(); // replicas of which what they have told is old

  clear() {
    this.#byController.clear();
    this.#silent.clear();
  }

  /**
   * Takes over which replicas there are, `{replica, state}`. What one that is not heard has told counts again when it
   * is heard again, since it goes on from there.
   */
  hear(replicas) {
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

  /** Forgets what replicas have told of which `which(replica)` is true. */
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
    const told = (listed.parts ?? []).map(one => parts.get(one.replica));
    if (parts.size === 0 || told.length !== parts.size || told.some(one => !one?.counts)) {
      return null; // it runs somewhere else now, or does not start there
    }
    const whole = { ...listed, counts: { ...listed.counts } };
    for (const field of SUMS) {
      whole[field] = sum(told, one => one[field]);
    }
    for (const phase of Object.keys(whole.counts)) {
      whole.counts[phase] = sum(told, one => one.counts[phase]);
    }
    whole.paused = told.some(one => one.paused);
    whole.conditions = told.flatMap(one => one.conditions ?? []);
    whole.state = STATES.find(state => told.some(one => one.state === state)) ?? listed.state;
    if (whole.state !== 'failed') {
      delete whole.error; // of a part that has synced since
    }
    whole.oldestReadySeconds = Math.max(...told.map(one => one.oldestReadySeconds));
    whole.nextReadyAt = earliest(told.map(one => one.nextReadyAt));
    whole.asOf = earliest(told.map(one => one.asOf));
    whole.maxConcurrent = told.find(one => one.replica === listed.replica)?.maxConcurrent ?? listed.maxConcurrent;
    whole.parts = listed.parts.map((part, i) => ({ ...part, ...of(told[i], part) }));
    return whole;
  }
}

/** Returns those fields that a part has. */
function of(told, part) {
  return Object.fromEntries(Object.entries(told).filter(([field]) => field in part));
}

function sum(parts, of) {
  return parts.reduce((total, one) => total + (of(one) ?? 0), 0);
}

function earliest(times) {
  return times.filter(Boolean).sort((a, b) => Date.parse(a) - Date.parse(b))[0];
}
