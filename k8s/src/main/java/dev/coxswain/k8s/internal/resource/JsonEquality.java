// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.util.Map;

/** Equality of JSON with exact numbers; Gson's own compares numbers as they were parsed as doubles. */
public final class JsonEquality {

  private static final int COMPARED_DIGITS = 100;

  private JsonEquality() {}

  /** Returns whether two values are the same; 1 and 1.0 are. */
  public static boolean same(JsonElement one, JsonElement other) {
    if (one instanceof JsonObject left && other instanceof JsonObject right) {
      return left.size() == right.size() && members(left, right);
    }
    if (one instanceof JsonArray left && other instanceof JsonArray right) {
      return left.size() == right.size() && elements(left, right);
    }
    if (one instanceof JsonPrimitive left
        && other instanceof JsonPrimitive right
        && left.isNumber()
        && right.isNumber()) {
      return numbers(left.getAsString(), right.getAsString());
    }
    return one.equals(other);
  }

  private static boolean members(JsonObject one, JsonObject other) {
    for (Map.Entry<String, JsonElement> member : one.entrySet()) {
      JsonElement value = other.get(member.getKey());
      if (value == null || !same(member.getValue(), value)) {
        return false;
      }
    }
    return true;
  }

  private static boolean elements(JsonArray one, JsonArray other) {
    for (int i = 0; i < one.size(); i++) {
      if (!same(one.get(i), other.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean numbers(String one, String other) {
    if (one.equals(other)) {
      return true;
    }
    if (one.length() > COMPARED_DIGITS || other.length() > COMPARED_DIGITS) {
      return false; // comparing takes longer with each digit
    }
    try {
      return new BigDecimal(one).compareTo(new BigDecimal(other)) == 0;
    } catch (NumberFormatException e) {
      return false; // NaN and infinity are not JSON
    }
  }
}
