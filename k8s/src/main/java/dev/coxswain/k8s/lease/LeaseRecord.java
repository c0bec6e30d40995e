// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * A Lease as it is stored. Everything but the fields of the election is carried along unchanged,
 * and whatever is missing has a meaning: a Lease is often created by hand or by another tool.
 *
 * <p>Thread rule: immutable; the tree is copied before it is changed.
 *
 * @param json the object
 */
record LeaseRecord(JsonObject json) {

  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  /** Returns a Lease that nobody holds. */
  static LeaseRecord unheld(String namespace, String name) {
    JsonObject metadata = new JsonObject();
    metadata.addProperty("namespace", namespace);
    metadata.addProperty("name", name);
    JsonObject json = new JsonObject();
    json.addProperty("apiVersion", "coordination.k8s.io/v1");
    json.addProperty("kind", "Lease");
    json.add("metadata", metadata);
    json.add("spec", new JsonObject());
    return new LeaseRecord(json);
  }

  /** Returns who holds it; empty for nobody. */
  String holder() {
    JsonElement holder = spec().get("holderIdentity");
    return holder != null && holder.isJsonPrimitive() ? holder.getAsString() : "";
  }

  /** Returns for how long it is held after a renewal, or {@code otherwise} when it does not say. */
  long durationSeconds(long otherwise) {
    return number("leaseDurationSeconds", otherwise);
  }

  /** Returns how often it has changed hands; zero when it does not say. */
  long transitions() {
    return number("leaseTransitions", 0);
  }

  String resourceVersion() {
    return json.get("metadata") instanceof JsonObject metadata
            && metadata.get("resourceVersion") != null
        ? metadata.get("resourceVersion").getAsString()
        : "";
  }

  /**
   * Returns this Lease held by {@code identity} from now on, or renewed when it holds it already.
   */
  LeaseRecord heldBy(String identity, long seconds, Instant now) {
    boolean renewal = holder().equals(identity);
    JsonObject next = json.deepCopy();
    JsonObject spec = new LeaseRecord(next).spec();
    spec.addProperty("holderIdentity", identity);
    spec.addProperty("leaseDurationSeconds", seconds);
    spec.addProperty("renewTime", MICRO_TIME.format(now));
    if (!renewal) {
      spec.addProperty("acquireTime", MICRO_TIME.format(now));
      spec.addProperty("leaseTransitions", resourceVersion().isEmpty() ? 0 : transitions() + 1);
    }
    next.add("spec", spec);
    return new LeaseRecord(next);
  }

  /** Returns this Lease given up, so that the next one need not wait. */
  LeaseRecord released(Instant now) {
    JsonObject next = json.deepCopy();
    JsonObject spec = new LeaseRecord(next).spec();
    spec.addProperty("holderIdentity", "");
    spec.addProperty("leaseDurationSeconds", 1);
    spec.addProperty("renewTime", MICRO_TIME.format(now));
    next.add("spec", spec);
    return new LeaseRecord(next);
  }

  private JsonObject spec() {
    return json.get("spec") instanceof JsonObject spec ? spec : new JsonObject();
  }

  private long number(String member, long otherwise) {
    JsonElement value = spec().get(member);
    return value != null && value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber()
        ? value.getAsLong()
        : otherwise;
  }
}
