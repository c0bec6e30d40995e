// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.Map;

/** Computes JSON merge patches (RFC 7386). */
public final class MergePatch {

  private MergePatch() {}

  /** Returns the patch that turns {@code before} into {@code after}; empty when they are equal. */
  public static JsonObject diff(JsonObject before, JsonObject after) {
    JsonObject patch = new JsonObject();
    for (String name : before.keySet()) {
      if (!after.has(name)) {
        patch.add(name, JsonNull.INSTANCE);
      }
    }
    for (Map.Entry<String, JsonElement> member : after.entrySet()) {
      JsonElement old = before.get(member.getKey());
      if (old != null && JsonEquality.same(member.getValue(), old)) {
        continue;
      }
      if (old instanceof JsonObject from && member.getValue() instanceof JsonObject to) {
        patch.add(member.getKey(), diff(from, to));
      } else {
        patch.add(member.getKey(), member.getValue());
      }
    }
    return patch;
  }
}
