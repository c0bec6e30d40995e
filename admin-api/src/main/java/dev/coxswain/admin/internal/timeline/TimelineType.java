// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.timeline;

import java.util.Arrays;
import java.util.List;

/** The types of events of the timeline. */
enum TimelineType {
  REPLICA_STARTED("replicaStarted"),
  REPLICA_JOINED("replicaJoined"),
  REPLICA_LEFT("replicaLeft"),
  SLOTS_MOVED("slotsMoved"),
  OWNER_CHANGED("ownerChanged"),
  START_FAILED("startFailed"),
  CONDITION_BEGAN("conditionBegan"),
  CONDITION_ENDED("conditionEnded"),
  PAUSE_ENDED("pauseEnded"),
  LIMITER_DEGRADED("limiterDegraded"),
  LIMITER_RECOVERED("limiterRecovered"),
  PLUGIN_CHANGED("pluginChanged"),
  CONFIGURATION_RELOADED("configurationReloaded"),
  CAUSE_FIRST_SEEN("causeFirstSeen"),
  CHANGE("change");

  private final String label;

  TimelineType(String label) {
    this.label = label;
  }

  /** Returns the name that the admin API shows. */
  String label() {
    return label;
  }

  /** Returns whether every replica sees it, so that one of them stores it for all. */
  boolean isSeenByAll() {
    return this == REPLICA_JOINED || this == REPLICA_LEFT || this == SLOTS_MOVED;
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(TimelineType::label).toList();
  }
}
