// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.share;

/** How the objects are divided, and what the API server does for that. */
enum ShareSubject {
  /** Slots by key: each replica receives everything and drops what is not its own. */
  KEY("key", false),
  /** Slots by namespace: lists are of the own namespaces, watches still bring everything. */
  NAMESPACE("namespace", false),
  /** The same, and the server sends a watch the selected namespaces only. */
  SELECTED("namespace", true);

  private final String slotsBy;
  private final boolean selects;

  ShareSubject(String slotsBy, boolean selects) {
    this.slotsBy = slotsBy;
    this.selects = selects;
  }

  /** Returns the value of {@code membership.slotsBy}. */
  String slotsBy() {
    return slotsBy;
  }

  /** Returns whether the API server has {@code ShardedListAndWatch}. */
  boolean selects() {
    return selects;
  }
}
