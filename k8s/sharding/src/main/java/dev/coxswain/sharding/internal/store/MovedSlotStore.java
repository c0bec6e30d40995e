// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.store;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.sharding.internal.membership.Membership;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.view.FailurePattern;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * State that replicas hand over with their slots, in one ConfigMap for each replica, with a key for each slot. What is lost here
 * equals the loss of the replica, and is logged.
 *
 * <p>Thread rule: any thread that may block.
 */
public final class MovedSlotStore {

  /**
   * The maximum sizes of one slot. Slots with much state may not fit into one ConfigMap together:
   * when it is too large, the next size is tried; without items the positions are left.
   */
  private static final int[] MAX_CHARACTERS = {200_000, 50_000, 12_500, 0};

  private static final int TOO_LARGE = 413;
  private static final int INVALID = 422;

  /** Of the size of a slot, what its past attempts may have. */
  private static final int HISTORY_SHARE = 20;

  private final OrdinalConfigMap maps;
  private final Supplier<String> replica;

  /** The ordinal under which this process has stored something; one request at a time. */
  private int cleared = -1;

  /**
   * Creates a store.
   *
   * @param transport a transport whose writes are guarded by the Lease of this replica
   * @param replica returns the name of this replica
   */
  public MovedSlotStore(ApiTransport transport, Membership settings, Supplier<String> replica) {
    this.replica = replica;
    maps = new OrdinalConfigMap(transport, settings.namespace(), settings::movedName);
  }

  /**
   * A slot in one term of ownership.
   *
   * @param map the uid of the slot map
   * @param epoch the epoch of the owner that hands the slot over
   */
  public record Term(String map, int slot, long epoch) {}

  /**
   * Stores what the replica of an ordinal, this one, hands over, or as much of it as there is room
   * for. The first time, what earlier holders of the ordinal have left is removed.
   *
   * @param states what moves with each slot, by controller
   * @return how many requests there was no room for
   */
  public synchronized int put(int ordinal, Map<Term, Map<String, MovedSlot>> states) {
    JsonObject data = new JsonObject();
    if (ordinal != cleared) {
      maps.data(ordinal).keySet().forEach(left -> data.add(left, JsonNull.INSTANCE));
    }
    for (int i = 0; ; i++) {
      int left = 0;
      for (Map.Entry<Term, Map<String, MovedSlot>> one : states.entrySet()) {
        Encoded encoded = encode(one.getKey(), one.getValue(), MAX_CHARACTERS[i], replica.get());
        data.addProperty(key(one.getKey().slot()), encoded.text());
        left += encoded.left();
      }
      try {
        maps.patch(ordinal, data, true);
        cleared = ordinal;
        return left;
      } catch (ApiStatusException e) {
        if (i == MAX_CHARACTERS.length - 1 || !isTooLarge(e)) {
          throw e;
        }
      }
    }
  }

  private static boolean isTooLarge(ApiStatusException e) {
    return e.code() == TOO_LARGE || e.code() == INVALID;
  }

  /** Removes what was handed over with slots. */
  public void remove(int ordinal, Collection<Term> terms) {
    JsonObject data = new JsonObject();
    terms.forEach(term -> data.add(key(term.slot()), JsonNull.INSTANCE));
    maps.patch(ordinal, data, false);
  }

  /** Returns what was handed over with slots, by controller; terms without anything are missing. */
  public Map<Term, Map<String, MovedSlot>> get(int ordinal, Collection<Term> terms) {
    JsonObject data = maps.data(ordinal);
    Map<Term, Map<String, MovedSlot>> found = new HashMap<>();
    for (Term term : terms) {
      JsonElement value = data.get(key(term.slot()));
      Map<String, MovedSlot> state = value == null ? Map.of() : decode(term, value.getAsString());
      if (!state.isEmpty()) {
        found.put(term, state);
      }
    }
    return found;
  }

  private static String key(int slot) {
    return Integer.toString(slot);
  }

  static String encode(Term term, Map<String, MovedSlot> state, String replica) {
    return encode(term, state, MAX_CHARACTERS[0], replica).text();
  }

  /**
   * The state of a slot as text.
   *
   * @param left how many requests are not in it
   */
  private record Encoded(String text, int left) {}

  private static Encoded encode(
      Term term, Map<String, MovedSlot> state, int limit, String replica) {
    int room = limit / HISTORY_SHARE;
    JsonObject controllers = new JsonObject();
    int characters = 0;
    int left = 0;
    for (Map.Entry<String, MovedSlot> entry : state.entrySet()) {
      JsonObject added = new JsonObject();
      entry.getValue().added().forEach(added::addProperty);
      characters += added.toString().length();
      JsonArray items = new JsonArray();
      MovedCauses causes = new MovedCauses();
      for (MovedItem item : entry.getValue().items()) {
        JsonArray row = row(item, causes);
        characters += row.toString().length() + causes.lengthOfNew();
        if (characters > limit) {
          left++; // the new owner treats it as new
        } else {
          items.add(row);
          causes.keepNew();
        }
      }
      JsonArray positions = new JsonArray();
      entry.getValue().positions().forEach(positions::add);
      JsonObject moved = new JsonObject();
      moved.add("positions", positions);
      moved.add("items", items);
      causes.addTo(moved);
      room -= MovedHistory.add(moved, entry.getValue().history(), replica, room);
      if (!added.isEmpty() && limit > 0) { // without items the new owner delivers everything
        moved.add("added", added);
      }
      controllers.add(entry.getKey(), moved);
    }
    JsonObject json = new JsonObject();
    json.addProperty("map", term.map());
    json.addProperty("epoch", term.epoch());
    json.add("controllers", controllers);
    return new Encoded(json.toString(), left);
  }

  private static JsonArray row(MovedItem item, MovedCauses causes) {
    JsonArray row = new JsonArray();
    row.add(item.namespace());
    row.add(item.name());
    row.add(item.failures());
    row.add(item.retry());
    row.add(item.due().toMillis());
    row.add(item.priority());
    row.add(item.error());
    row.add(causes.numberOf(item.cause()));
    return row;
  }

  /** Returns the state; empty for another term, and for text that a replica did not write. */
  static Map<String, MovedSlot> decode(Term term, String text) {
    try {
      JsonObject json = JsonParser.parseString(text).getAsJsonObject();
      if (!json.get("map").getAsString().equals(term.map())
          || json.get("epoch").getAsLong() != term.epoch()) {
        return Map.of();
      }
      Map<String, MovedSlot> state = new HashMap<>();
      for (Map.Entry<String, JsonElement> entry : json.getAsJsonObject("controllers").entrySet()) {
        JsonObject moved = entry.getValue().getAsJsonObject();
        List<String> positions = new ArrayList<>();
        moved.getAsJsonArray("positions").forEach(one -> positions.add(one.getAsString()));
        List<MovedItem> items = new ArrayList<>();
        List<FailurePattern> causes = MovedCauses.of(moved);
        moved.getAsJsonArray("items").forEach(one -> items.add(item(one.getAsJsonArray(), causes)));
        Map<String, String> added = new HashMap<>();
        if (moved.has("added")) {
          moved
              .getAsJsonObject("added")
              .entrySet()
              .forEach(one -> added.put(one.getKey(), one.getValue().getAsString()));
        }
        state.put(entry.getKey(), new MovedSlot(items, positions, added, MovedHistory.of(moved)));
      }
      return state;
    } catch (JsonParseException
        | IllegalStateException
        | NullPointerException
        | ClassCastException
        | UnsupportedOperationException
        | IndexOutOfBoundsException
        | IllegalArgumentException e) {
      return Map.of(); // changed by hand
    }
  }

  private static MovedItem item(JsonArray row, List<FailurePattern> causes) {
    int at = 0;
    return new MovedItem(
        row.get(at++).getAsString(),
        row.get(at++).getAsString(),
        row.get(at++).getAsInt(),
        row.get(at++).getAsBoolean(),
        Duration.ofMillis(row.get(at++).getAsLong()),
        row.get(at++).getAsInt(),
        row.get(at++).getAsString(),
        row.size() > at ? MovedCauses.get(causes, row.get(at).getAsInt()) : null);
  }
}
