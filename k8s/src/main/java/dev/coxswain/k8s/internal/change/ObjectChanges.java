// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.change;

import com.google.gson.JsonObject;
import dev.coxswain.source.Origin.Change;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
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

  /** What is read of the metadata. */
  public static final Set<String> READ =
      Stream.concat(MEMBERS.values().stream(), Stream.of(DELETION))
          .collect(Collectors.toUnmodifiableSet());

  private ObjectChanges() {}

  /**
   * Returns what differs between two versions.
   *
   * @param before the metadata before, {@link #READ} of it at least
   * @param now the same of the present version
   * @param generation whether the generation differs
   */
  public static Set<Change> between(JsonObject before, JsonObject now, boolean generation) {
    Set<Change> found = EnumSet.noneOf(Change.class);
    if (now.has(DELETION) && !before.has(DELETION)) {
      found.add(Change.DELETING); // which changes the generation, too
    } else if (generation) {
      found.add(Change.SPEC);
    }
    MEMBERS.forEach((change, member) -> {
      if (!Objects.equals(before.get(member), now.get(member))) {
        found.add(change);
      }
    });
    if (found.isEmpty()) {
      found.add(Change.STATUS); // all else that has a version of its own
    }
    return SHARED.computeIfAbsent(found, Collections::unmodifiableSet);
  }
}
