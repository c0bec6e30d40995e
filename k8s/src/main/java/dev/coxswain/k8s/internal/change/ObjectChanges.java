// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.change;

import dev.coxswain.source.Origin.Change;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The parts of an object that an update has changed, by its metadata. */
public final class ObjectChanges {

  private static final String DELETION = "deletionTimestamp";

  private static final Map<Change, String> MEMBERS =
      Map.of(
          Change.LABELS, "labels",
          Change.ANNOTATIONS, "annotations",
          Change.FINALIZERS, "finalizers",
          Change.OWNERS, "ownerReferences");

  /** One set of each combination: events that wait in a queue share them. */
  private static final Map<Set<Change>, Set<Change>> SHARED = new ConcurrentHashMap<>();

  /** The members of the metadata that are compared. */
  public static final Set<String> COMPARED =
      Stream.concat(MEMBERS.values().stream(), Stream.of(DELETION))
          .collect(Collectors.toUnmodifiableSet());

  private ObjectChanges() {}

  /**
   * Returns what an update has changed.
   *
   * @param differing which of {@link #COMPARED} differ
   * @param generation whether the generation differs
   */
  public static Set<Change> of(Set<String> differing, boolean generation) {
    Set<Change> found = EnumSet.noneOf(Change.class);
    if (differing.contains(DELETION)) {
      found.add(Change.DELETING); // which changes the generation, too
    } else if (generation) {
      found.add(Change.SPEC);
    }
    MEMBERS.forEach((change, member) -> {
      if (differing.contains(member)) {
        found.add(change);
      }
    });
    if (found.isEmpty()) {
      found.add(Change.STATUS); // all else that has a version of its own
    }
    return SHARED.computeIfAbsent(found, Collections::unmodifiableSet);
  }
}
