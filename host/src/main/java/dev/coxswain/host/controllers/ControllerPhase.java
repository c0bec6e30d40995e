// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

/**
 * Where a controller is in this replica.
 *
 * <p>Thread rule: immutable.
 */
public enum ControllerPhase {
  /** Not looked at yet. */
  WAITING,
  /** Another replica runs it. */
  STANDBY,
  /** Started, and its sources are delivering what exists. */
  SYNCING,
  /** Reconciling. */
  RUNNING,
  /** Could not be started, and is tried again later. */
  FAILED,
  /** Over. */
  STOPPED
}
