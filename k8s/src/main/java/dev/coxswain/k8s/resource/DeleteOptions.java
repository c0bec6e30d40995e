// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Objects;

/**
 * The options of a deletion.
 *
 * <p>Thread rule: immutable.
 *
 * @param propagation the treatment of its dependants
 * @param uid delete only this incarnation, another one is a conflict; empty for any
 * @param resourceVersion delete only this version, another one is a conflict; empty for any
 */
@RecordBuilder
public record DeleteOptions(Propagation propagation, String uid, String resourceVersion)
    implements DeleteOptionsBuilder.With {

  /** The treatment of dependants. */
  public enum Propagation {
    /** The object is deleted at once, dependants later. */
    BACKGROUND("Background"),
    /** The object is deleted after its dependants. */
    FOREGROUND("Foreground"),
    /** Dependants stay. */
    ORPHAN("Orphan");

    private final String text;

    Propagation(String text) {
      this.text = text;
    }
  }

  /** Dependants are deleted later, no preconditions. */
  public static final DeleteOptions BACKGROUND = new DeleteOptions(Propagation.BACKGROUND, "", "");

  public DeleteOptions {
    Objects.requireNonNull(propagation, "propagation");
    Objects.requireNonNull(uid, "uid");
    Objects.requireNonNull(resourceVersion, "resourceVersion");
  }

  JsonObject toJson(boolean dryRun) {
    JsonObject json = new JsonObject();
    json.addProperty("apiVersion", "v1");
    json.addProperty("kind", "DeleteOptions");
    json.addProperty("propagationPolicy", propagation.text);
    if (dryRun) {
      // The query of a request that has a body is not read.
      JsonArray all = new JsonArray();
      all.add("All");
      json.add("dryRun", all);
    }
    JsonObject preconditions = new JsonObject();
    if (!uid.isEmpty()) {
      preconditions.addProperty("uid", uid);
    }
    if (!resourceVersion.isEmpty()) {
      preconditions.addProperty("resourceVersion", resourceVersion);
    }
    if (!preconditions.isEmpty()) {
      json.add("preconditions", preconditions);
    }
    return json;
  }
}
