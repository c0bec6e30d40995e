// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A Lease as stored. All fields but those of the election are preserved, and missing ones have
 * defaults: a Lease is often created by hand or by another tool.
 *
 * <p>Thread rule: immutable; the tree is copied before it is changed.
 *
 * @param json the object
 */
public record LeaseRecord(JsonObject json) {

  /**
   * The annotation with the last holder that ended: it has released the Lease, or another replica
   * has observed the Lease unchanged for its whole duration and replaced it.
   */
  public static final String LAST_HOLDER = "coxswain.dev/last-holder";

  /**
   * The annotation with the last holder that has released the Lease itself, as one does that is
   * stopped. For display: a holder of an older version does not write it.
   */
  public static final String RELEASED_BY = "coxswain.dev/released-by";

  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  /** Returns a Lease without a holder. */
  public static LeaseRecord unheld(String namespace, String name) {
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

  /** Returns its name, or empty when it has none. */
  public String name() {
    return text(metadata().get("name"));
  }

  /** Returns a label, or empty. */
  public String label(String key) {
    return inMetadata("labels", key);
  }

  /** Returns an annotation, or empty. */
  public String annotation(String key) {
    return inMetadata("annotations", key);
  }

  private String inMetadata(String member, String key) {
    return metadata().get(member) instanceof JsonObject found ? text(found.get(key)) : "";
  }

  /** Returns the annotations whose keys begin with a prefix, without it. */
  public Map<String, String> annotations(String prefix) {
    Map<String, String> result = new TreeMap<>();
    if (metadata().get("annotations") instanceof JsonObject annotations) {
      annotations
          .asMap()
          .forEach((key, value) -> {
            if (key.startsWith(prefix)) {
              result.put(key.substring(prefix.length()), text(value));
            }
          });
    }
    return result;
  }

  /** Returns when it was acquired, as its holder wrote it; empty without a time. */
  public String acquireTime() {
    return text(spec().get("acquireTime"));
  }

  /** Returns when it was acquired, or null without a readable time. */
  public @Nullable Instant acquired() {
    try {
      return OffsetDateTime.parse(acquireTime()).toInstant();
    } catch (DateTimeParseException e) {
      return null; // for display only
    }
  }

  /** Returns this Lease with a label and further annotations. */
  public LeaseRecord marked(String label, String value, Map<String, String> annotations) {
    LeaseRecord next = annotated(annotations);
    put(next.metadata(), "labels", Map.of(label, value));
    return next;
  }

  private LeaseRecord annotated(Map<String, String> annotations) {
    JsonObject next = json.deepCopy();
    JsonObject metadata = new LeaseRecord(next).metadata();
    next.add("metadata", metadata);
    put(metadata, "annotations", annotations);
    return new LeaseRecord(next);
  }

  private static void put(JsonObject metadata, String member, Map<String, String> values) {
    JsonObject target =
        metadata.get(member) instanceof JsonObject present ? present : new JsonObject();
    values.forEach(target::addProperty);
    metadata.add(member, target);
  }

  /** Returns the holder; empty for none. */
  public String holder() {
    return text(spec().get("holderIdentity"));
  }

  /** Returns the lease duration, or {@code otherwise} without one. */
  public long durationSeconds(long otherwise) {
    return number("leaseDurationSeconds", otherwise);
  }

  /** Returns the number of transitions; zero without one. */
  public long transitions() {
    return number("leaseTransitions", 0);
  }

  /** Returns its uid, or empty before it is stored. */
  public String uid() {
    return text(metadata().get("uid"));
  }

  public String resourceVersion() {
    return text(metadata().get("resourceVersion"));
  }

  /**
   * Returns this Lease held by {@code identity} from now on, or renewed when it holds it already.
   * A previous holder becomes the last holder.
   */
  public LeaseRecord heldBy(String identity, long seconds, Instant now) {
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
    return renewal ? new LeaseRecord(next) : new LeaseRecord(next).ended(holder());
  }

  /** Returns this Lease released by its holder; the next one need not wait. */
  public LeaseRecord releasedByHolder(Instant now) {
    return released(now).annotated(Map.of(RELEASED_BY, holder()));
  }

  /** Returns this Lease released in the place of its holder; the next one need not wait. */
  public LeaseRecord released(Instant now) {
    JsonObject next = json.deepCopy();
    JsonObject spec = new LeaseRecord(next).spec();
    spec.addProperty("holderIdentity", "");
    spec.addProperty("leaseDurationSeconds", 1);
    spec.addProperty("renewTime", MICRO_TIME.format(now));
    next.add("spec", spec);
    return new LeaseRecord(next).ended(holder());
  }

  private LeaseRecord ended(String holder) {
    return holder.isEmpty() ? this : annotated(Map.of(LAST_HOLDER, holder));
  }

  private static String text(@Nullable JsonElement value) {
    return value != null && value.isJsonPrimitive() ? value.getAsString() : "";
  }

  private JsonObject metadata() {
    return json.get("metadata") instanceof JsonObject metadata ? metadata : new JsonObject();
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
