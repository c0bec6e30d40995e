// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.lifecycle;

/**
 * When something starts: the groups start in this order, each after the one before it, and stop in
 * the reverse order.
 *
 * <p>Thread rule: immutable.
 */
public enum Group {
  /** Probes, metrics and the admin API: there first, so that a hanging start can be looked at. */
  HTTP,
  /** Access to Kubernetes. */
  CACHES,
  /** What controllers share with those of other replicas. */
  LIMITER,
  /** Controllers that every replica runs, and whatever else always runs. */
  ALWAYS_ON,
  /** Controllers that only the leader runs, and the election. */
  OWNED
}
