// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonObject;
import java.util.Objects;

/**
 * How to delete an object.
 *
 * <p>Thread rule: immutable.
 *
 * @param propagation what becomes of its dependants
 * @param uid delete only this incarnation; empty for any
 * @param resourceVersion delete only this version; empty for any
 */
public record DeleteOptions(Propagation propagation, String uid, String resourceVersion) {

  /** What becomes of dependants. */
  public enum Propagation {
    /** The object goes at once, dependants later. */
    BACKGROUND("Background"),
    /** The object stays until its dependants are gone. */
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

  /** Returns these options with another propagation. */
  public DeleteOptions withPropagation(Propagation value) {
    return new DeleteOptions(value, uid, resourceVersion);
  }

  /** Returns these options for one incarnation; another one is a conflict. */
  public DeleteOptions onlyUid(String value) {
    return new DeleteOptions(propagation, value, resourceVersion);
  }

  /** Returns these options for one version; another one is a conflict. */
  public DeleteOptions onlyResourceVersion(String value) {
    return new DeleteOptions(propagation, uid, value);
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("apiVersion", "v1");
    json.addProperty("kind", "DeleteOptions");
    json.addProperty("propagationPolicy", propagation.text);
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
