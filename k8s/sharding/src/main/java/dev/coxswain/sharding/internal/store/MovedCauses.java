// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.store;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.view.FailurePattern;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The causes of the failures of one controller that move with a slot: thousands of requests fail of a
 * few causes, so each is stored once, and requests have its number.
 *
 * <p>Thread rule: confined to one thread.
 */
final class MovedCauses {
  private static final String FIELD = "causes";
  private static final int NONE = -1;

  private final Map<FailurePattern, Integer> numbers = new LinkedHashMap<>();
  private final JsonArray stored = new JsonArray();
  private @Nullable FailurePattern latest;
  private @Nullable JsonArray latestRow;

  /** Returns the number of a cause; one that was not kept before is kept by {@link #keepNew}. */
  int numberOf(@Nullable FailurePattern cause) {
    latest = null;
    latestRow = null;
    if (cause == null) {
      return NONE;
    }
    Integer number = numbers.get(cause);
    if (number != null) {
      return number;
    }
    JsonArray row = new JsonArray();
    row.add(cause.message());
    row.add(cause.where());
    cause.types().forEach(row::add);
    latest = cause;
    latestRow = row;
    return stored.size();
  }

  /** Returns how many characters the cause of the latest number adds, 0 when it is kept already. */
  int lengthOfNew() {
    return latestRow == null ? 0 : latestRow.toString().length();
  }

  /** Keeps the cause of the latest number. */
  void keepNew() {
    if (latest != null && latestRow != null) {
      numbers.put(latest, stored.size());
      stored.add(latestRow);
    }
  }

  /** Adds the causes to the state of a controller. */
  void addTo(JsonObject controller) {
    if (!stored.isEmpty()) {
      controller.add(FIELD, stored);
    }
  }

  /** Returns the causes of the state of a controller, by number. */
  static List<FailurePattern> of(JsonObject controller) {
    List<FailurePattern> causes = new ArrayList<>();
    if (controller.has(FIELD)) {
      for (JsonElement element : controller.getAsJsonArray(FIELD)) {
        List<String> texts = new ArrayList<>();
        element.getAsJsonArray().forEach(text -> texts.add(text.getAsString()));
        causes.add(new FailurePattern(texts.subList(2, texts.size()), texts.get(0), texts.get(1)));
      }
    }
    return causes;
  }

  /** Returns the cause with a number; null when there is none. */
  static @Nullable FailurePattern get(List<FailurePattern> causes, int number) {
    return number < 0 || number >= causes.size() ? null : causes.get(number);
  }
}
