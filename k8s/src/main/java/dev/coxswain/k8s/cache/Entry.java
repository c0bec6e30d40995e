// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.resource.PartialObjectMetadata;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * One version of one object, as bytes without its managed fields: a quarter of the memory of a
 * decoded object, and safe from changes by its readers.
 *
 * <p>Thread rule: immutable.
 *
 * @param uid the incarnation
 * @param resourceVersion the version
 * @param generation the generation of the spec, 0 when the resource has none
 * @param json the object in UTF-8
 */
@SuppressWarnings(
    "ArrayRecordComponent") // identity is meant: entries are never compared by content
public record Entry(String uid, String resourceVersion, long generation, byte[] json) {

  /** An object under its key. */
  public record Keyed(Request key, Entry entry) {}

  /**
   * Creates the entry of an object from the server.
   *
   * @throws JsonParseException when it has no name or no metadata, or the transform fails
   */
  public static Keyed of(ReceivedObject object, CacheKey<?> cache) {
    return keyed(object, kept(object, cache));
  }

  /**
   * Creates the entry of an object that comes from no server.
   *
   * @throws JsonParseException when it has no name
   */
  static Keyed of(KubernetesObject object) {
    byte[] json = utf8(Json.encode(object));
    return keyed(ReceivedObject.of(json), json);
  }

  private static Keyed keyed(ReceivedObject object, byte[] json) {
    Entry entry = new Entry(object.uid(), object.resourceVersion(), object.generation(), json);
    return new Keyed(keyOf(object), entry);
  }

  private static byte[] utf8(JsonObject object) {
    return object.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns an object as stored in a cache. It is not decoded: that is up to its readers.
   *
   * @throws JsonParseException when it has no metadata, or the transform fails
   */
  static byte[] kept(ReceivedObject object, CacheKey<?> cache) {
    ResourceType<?> type = cache.type();
    if (!object.hasMetadata()) {
      throw new JsonParseException("the object has no metadata");
    }
    // Also reduces the objects of a server that does not support metadata-only responses.
    byte[] json =
        type.type() == PartialObjectMetadata.class
            ? object.keptMetadata(type.apiVersion(), type.kind())
            : object.kept(type.apiVersion(), type.kind());
    if (!cache.transform().equals(ObjectTransform.NONE)) {
      json = utf8(transform(ReceivedObject.of(json).tree(), cache.transform()));
    }
    return json;
  }

  private static JsonObject transform(JsonObject object, ObjectTransform transform) {
    JsonObject kept;
    try {
      kept = transform.apply(object);
    } catch (Throwable e) {
      throw new JsonParseException("the transform threw " + UserCode.text(e), e);
    }
    if (kept == null || !(kept.get("metadata") instanceof JsonObject)) {
      throw new JsonParseException("the transform returned an object without metadata");
    }
    return kept;
  }

  /**
   * Returns the key of an object that may be undecodable otherwise.
   *
   * @throws JsonParseException when it has no name
   */
  public static Request keyOf(ReceivedObject object) {
    if (object.name().isEmpty()) {
      throw new JsonParseException("the object has no name");
    }
    return new Request(object.namespace(), object.name());
  }

  /** Returns whether this is the same version of the same incarnation; no version equals none. */
  public boolean isSameVersionAs(Entry other) {
    return uid.equals(other.uid)
        && !resourceVersion.isEmpty()
        && resourceVersion.equals(other.resourceVersion);
  }

  /**
   * Returns a new copy that the caller owns.
   *
   * @param key of this object
   * @throws UndecodableObjectException when it does not fit the class, or its constructors or
   *     adapters throw
   * @throws IllegalStateException when the virtual machine failed, for want of memory for instance
   */
  public <T extends KubernetesObject> T decode(Request key, Class<T> type) {
    return decode(json, key, type);
  }

  static <T extends KubernetesObject> T decode(byte[] json, Request key, Class<T> type) {
    try {
      return Json.decode(json, type);
    } catch (Throwable e) {
      if (UserCode.isOfTheMachine(e)) {
        throw new IllegalStateException("an object could not be read: " + UserCode.text(e), e);
      }
      throw new UndecodableObjectException(key, type, e);
    }
  }

  /** Returns the labels of the stored object, reading no more of it than needed. */
  public Map<String, String> labels() {
    Map<String, String> labels = new HashMap<>();
    ReceivedObject.member(json, "metadata", "labels")
        .asMap()
        .forEach((name, label) -> {
          if (label instanceof JsonPrimitive text && text.isString()) {
            labels.put(name, text.getAsString());
          }
        });
    return labels;
  }

  /** Returns a copy of the metadata of the stored object, reading no more of it than needed. */
  public JsonObject metadata() {
    return ReceivedObject.member(json, "metadata");
  }

  /** Returns a copy of some members of the metadata, of all when none is named. */
  public JsonObject metadata(Set<String> members) {
    return members.isEmpty() ? metadata() : ReceivedObject.metadata(json, members);
  }

  /** Returns which of some members of the metadata differ from those of an earlier version. */
  Set<String> differing(Entry before, Set<String> members) {
    return ReceivedObject.differing(before.json, json, members);
  }

  /** Returns whether a text of ASCII characters is anywhere in the stored object. */
  boolean mentions(String text) {
    int last = json.length - text.length();
    for (int i = 0; i <= last; i++) {
      if (startsAt(i, text)) {
        return true;
      }
    }
    return false;
  }

  private boolean startsAt(int place, String text) {
    for (int i = 0; i < text.length(); i++) {
      if (json[place + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
