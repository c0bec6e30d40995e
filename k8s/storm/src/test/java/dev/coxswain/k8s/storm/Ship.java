// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.k8s.resource.CustomObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the storm blows at. */
final class Ship extends CustomObject {

  @Nullable Spec spec;
  @Nullable Status status;

  /**
   * What the writers want.
   *
   * @param value different after each change
   * @param guarded whether the status controller keeps a finalizer on it
   */
  record Spec(long value, boolean guarded) {}

  /**
   * What has been seen.
   *
   * @param observedGeneration the generation that the status controller has seen last
   * @param value the value of that generation
   * @param note what writers put here; changes no generation
   */
  record Status(@Nullable Long observedGeneration, @Nullable Long value, @Nullable String note) {}

  static Ship of(Slot slot, long value, boolean hot) {
    Ship ship = new Ship();
    ship.setMetadata(
        new V1ObjectMeta()
            .namespace(slot.key().namespace())
            .name(slot.key().name())
            .labels(
                Map.of(
                    Fleet.HOT, Boolean.toString(hot), Fleet.CREW, Boolean.toString(slot.crew()))));
    ship.spec = new Spec(value, slot.guarded());
    return ship;
  }

  Spec wanted() {
    return Objects.requireNonNull(spec, "the server requires a spec");
  }

  String uid() {
    return Objects.requireNonNull(getMetadata().getUid(), "every stored object has a uid");
  }

  long generation() {
    Long generation = getMetadata().getGeneration();
    return generation == null ? 0 : generation;
  }

  boolean hot() {
    return "true".equals(label(Fleet.HOT));
  }

  boolean crew() {
    return "true".equals(label(Fleet.CREW));
  }

  private @Nullable String label(String name) {
    Map<String, String> labels = getMetadata().getLabels();
    return labels == null ? null : labels.get(name);
  }

  /** Everything that a cache must have right, for comparing. */
  String content() {
    V1ObjectMeta meta = getMetadata();
    return "uid=%s version=%s generation=%s labels=%s finalizers=%s deleting=%s %s %s"
        .formatted(
            meta.getUid(),
            meta.getResourceVersion(),
            meta.getGeneration(),
            meta.getLabels(),
            meta.getFinalizers(),
            meta.getDeletionTimestamp() != null,
            spec,
            status);
  }
}
