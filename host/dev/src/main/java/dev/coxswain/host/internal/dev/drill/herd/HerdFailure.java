// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill.herd;

/**
 * What an object of the drill fails of: one cause of failures each. The objects of all of them are
 * divided by {@link #percent}.
 *
 * <p>Thread rule: immutable.
 */
public enum HerdFailure {
  /** No more volumes for the team, until the quota is raised: the top cause. */
  QUOTA(HerdKind.WEBSITE, 60),
  /** The registry of images is down. */
  REGISTRY(HerdKind.WEBSITE, 12),
  /** A bucket was deleted. */
  BUCKET(HerdKind.BACKUP, 9),
  /** The account lacks a right. */
  DENIED(HerdKind.BACKUP, 7),
  /** A DNS record is missing. */
  RECORD(HerdKind.CERTIFICATE, 5),
  /** A fault of the program. */
  FAULT(HerdKind.CERTIFICATE, 4),
  /** The authority takes no more orders for a while. */
  THROTTLED(HerdKind.CERTIFICATE, 3);

  private final HerdKind kind;
  private final int percent;

  HerdFailure(HerdKind kind, int percent) {
    this.kind = kind;
    this.percent = percent;
  }

  /** Returns the kind of the objects that have it. */
  public HerdKind kind() {
    return kind;
  }

  /** Returns how many of 100 objects have it. */
  public int percent() {
    return percent;
  }
}
