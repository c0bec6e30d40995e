// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is applied for one dependant, as a tree, with its digest in an annotation.
 *
 * <p>Caches have no managed fields, so that a field that is no longer desired cannot be seen in the
 * observed object: the digest of what was applied shows it. All other differences are seen in the
 * fields themselves. Whenever the two cannot be compared exactly, they count as different: an apply
 * that changes nothing is free of events, and a missed difference would stay.
 *
 * <p>Thread rule: confined to one attempt.
 *
 * @param tree the whole object
 * @param digest of the tree, with the owner reference
 */
record AppliedState(JsonObject tree, String digest) {

  /** The annotation with the digest of what was desired. */
  static final String DIGEST = "coxswain.dev/applied-digest";

  /** The annotation of objects that have no declared key, with what declares them. */
  static final String DEPENDANT = "coxswain.dev/dependant";

  /**
   * Completes a desired object.
   *
   * @param dependant the value of the annotation {@link #DEPENDANT}; empty for none
   * @throws IllegalArgumentException when it is an object as stored, when it has a status, when it
   *     has another name or namespace than its key, or when the primary object cannot own it
   */
  static <P extends KubernetesObject> AppliedState of(
      KubernetesObject desired, Request key, ResourceType<P> owner, P primary, String dependant) {
    JsonObject tree = Json.encode(desired);
    JsonObject metadata = member(tree, "metadata");
    complete(metadata, "name", key.name());
    complete(metadata, "namespace", key.namespace());
    requireNew(tree, metadata, key);
    if (!dependant.isEmpty()) {
      member(metadata, "annotations").addProperty(DEPENDANT, dependant);
    }
    // Before the owner reference: its uid would change the digest of equal states, and is compared.
    String desiredDigest = digest(tree);
    OwnerReferences.setController(owner, primary, tree);
    member(metadata, "annotations").addProperty(DIGEST, desiredDigest);
    return new AppliedState(tree, digest(tree));
  }

  /** Returns whether an object has the annotation {@link #DEPENDANT} with a value. */
  static boolean isOf(String dependant, KubernetesObject observed) {
    @Nullable Map<String, String> annotations = observed.getMetadata().getAnnotations();
    return annotations != null && dependant.equals(annotations.get(DEPENDANT));
  }

  private static JsonObject member(JsonObject object, String name) {
    if (object.get(name) instanceof JsonObject given) {
      return given;
    }
    JsonObject added = new JsonObject();
    object.add(name, added);
    return added;
  }

  private static void complete(JsonObject metadata, String member, String value) {
    String given = Json.text(metadata, member);
    if (!given.isEmpty() && !given.equals(value)) {
      throw new IllegalArgumentException(
          "the desired object has the "
              + member
              + " \""
              + given
              + "\", but its key has \""
              + value
              + "\": declare keys with named(...) or at(...)");
    }
    if (!value.isEmpty()) {
      metadata.addProperty(member, value);
    }
  }

  /** The server ignores a status here, and versions of stored objects differ at each attempt. */
  private static void requireNew(JsonObject tree, JsonObject metadata, Request key) {
    if (tree.has("status")) {
      throw new IllegalArgumentException(
          "the desired object " + key + " has a status: leave that to the controller of its kind");
    }
    if (metadata.has("uid") || metadata.has("resourceVersion")) {
      throw new IllegalArgumentException(
          "the desired object "
              + key
              + " is one as stored: return a new one with only the fields to own");
    }
  }

  /** Returns whether all of this was applied to an object, and is still there. */
  boolean isIn(KubernetesObject observed) {
    JsonObject wanted = tree.deepCopy();
    wanted.remove("apiVersion"); // a model does not always have them
    wanted.remove("kind");
    return isIn(wanted, Json.encode(observed));
  }

  private static boolean isIn(JsonElement wanted, JsonElement observed) {
    if (wanted instanceof JsonObject object && observed instanceof JsonObject found) {
      // Others, and defaults of the server, may add members.
      return object.entrySet().stream()
          .allMatch(one ->
              found.has(one.getKey())
                  && isMemberIn(one.getKey(), one.getValue(), found.get(one.getKey())));
    }
    if (wanted instanceof JsonArray list && observed instanceof JsonArray found) {
      // Whether others may add items depends on a schema that is not known here.
      boolean same = list.size() == found.size();
      for (int i = 0; same && i < list.size(); i++) {
        same = isIn(list.get(i), found.get(i));
      }
      return same;
    }
    return wanted.equals(observed);
  }

  private static boolean isMemberIn(String name, JsonElement wanted, JsonElement observed) {
    if (isAtomic(name)) {
      return wanted.equals(observed);
    }
    if (name.equals("ownerReferences")
        && wanted instanceof JsonArray list
        && observed instanceof JsonArray found) {
      // Further owners may be added, in any order.
      return list.asList().stream()
          .allMatch(one -> found.asList().stream().anyMatch(other -> isIn(one, other)));
    }
    return isIn(wanted, observed);
  }

  /** Selectors belong to one manager as a whole: a further member changes what they select. */
  private static boolean isAtomic(String member) {
    return member.endsWith("elector") || member.equals("matchLabels");
  }

  private static String digest(JsonObject tree) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(sorted(tree).toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  /** The order of members is not part of a state; that of a {@code Map.of} differs by process. */
  private static JsonElement sorted(JsonElement value) {
    if (value instanceof JsonObject object) {
      JsonObject result = new JsonObject();
      Map<String, JsonElement> members = new TreeMap<>(object.asMap());
      members.forEach((name, member) -> result.add(name, sorted(member)));
      return result;
    }
    if (value instanceof JsonArray list) {
      JsonArray result = new JsonArray();
      list.forEach(item -> result.add(sorted(item)));
      return result;
    }
    return value;
  }
}
