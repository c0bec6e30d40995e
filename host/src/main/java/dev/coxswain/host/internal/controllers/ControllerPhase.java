// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

/**
 * The phase of a controller in this replica.
 *
 * <p>Thread rule: immutable.
 */
public enum ControllerPhase {
  /** Not started yet. */
  WAITING,
  /** Another replica runs it. */
  STANDBY,
  /** Started; its sources are delivering the existing objects. */
  SYNCING,
  /** Reconciling. */
  RUNNING,
  /** Could not be started; the start is repeated later. */
  FAILED,
  /** Stopped for good. */
  STOPPED
}
