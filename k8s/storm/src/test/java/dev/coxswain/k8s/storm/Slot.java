// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.reconcile.Request;

/**
 * One name, and what the server has acknowledged about it.
 *
 * <p>Thread rule: written by the one writer it belongs to; read by others only while no writer
 * runs.
 */
final class Slot {

  private final Request key;
  private final boolean guarded;
  private final boolean crew;
  private boolean present;
  private String uid = "";
  private long value;
  private boolean hot;

  Slot(Request key, boolean guarded, boolean crew) {
    this.key = key;
    this.guarded = guarded;
    this.crew = crew;
  }

  Request key() {
    return key;
  }

  /** Whether it is deleted by way of a finalizer. */
  boolean guarded() {
    return guarded;
  }

  /** Whether it has a child. */
  boolean crew() {
    return crew;
  }

  boolean present() {
    return present;
  }

  String uid() {
    return uid;
  }

  long value() {
    return value;
  }

  boolean hot() {
    return hot;
  }

  void created(Ship ship) {
    present = true;
    uid = ship.uid();
    value = ship.wanted().value();
    hot = ship.hot();
  }

  void valueIs(long newValue) {
    value = newValue;
  }

  void hotIs(boolean newHot) {
    hot = newHot;
  }

  void deleted() {
    present = false;
  }
}
