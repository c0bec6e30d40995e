// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.selector.LabelSelector;
import dev.coxswain.apiserver.internal.selector.Selection;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.NavigableMap;

/** Lists, whole or in pages; confined to the server's event loop. */
public final class Lists {
  private static final String CONTINUE_EXPIRED =
      "The provided continue parameter is too old to display a consistent list result. You can start a new list"
          + " without the continue parameter, or use the continue token in this response to retrieve the remainder of"
          + " the results. Continuing with the provided token results in an inconsistent list - objects that were"
          + " created, modified, or deleted between the time the first chunk was returned and now may show up in the"
          + " list.";

  private final ObjectStore store;

  public Lists(ObjectStore store) {
    this.store = store;
  }

  /**
   * One page; immutable.
   *
   * @param items objects in order
   * @param version version of the list
   * @param continueToken where the next page starts, empty = this was the last
   * @param remaining objects behind this page, -1 = unknown
   * @param shards the shard selector, normalized, empty = none
   */
  public record Page(
      List<StoredObject> items, long version, String continueToken, long remaining, String shards) {
    /** Returns the page with the same objects in another form. */
    public Page with(List<StoredObject> others) {
      return new Page(others, version, continueToken, remaining, shards);
    }
  }

  /** Lists what {@code selection} selects. */
  public Page list(ResourceType type, Selection selection, ListQuery query) {
    ObjectCollection collection = store.collection(type);
    checkNotFuture(query.version());
    long at = store.version();
    String after = "";
    if (!query.continueToken().isEmpty()) {
      if (query.version() > 0) {
        throw ApiException.badRequest(
            "specifying resource version is not allowed when using continue");
      }
      Token token = Token.parse(query.continueToken());
      after = token.key();
      if (token.version() != Token.NEWEST) {
        at = token.version();
        if (at < collection.oldest()) {
          throw ApiException.expiredList(CONTINUE_EXPIRED, new Token(Token.NEWEST, after).print());
        }
      }
    } else if (query.match().equals("Exact")
        || (query.limit() > 0 && query.version() > 0 && query.match().isEmpty())) {
      at = query.version();
      if (at < collection.oldest()) {
        throw ApiException.expired("The resourceVersion for the provided list is too old.");
      }
    }
    NavigableMap<String, StoredObject> range = collection.rangeAt(selection.namespace(), at);
    if (!after.isEmpty()) {
      range = range.tailMap(after, false);
    }
    return page(range, selection, query.limit(), at);
  }

  private static Page page(
      NavigableMap<String, StoredObject> range, Selection selection, int limit, long version) {
    List<StoredObject> items = new ArrayList<>();
    long remaining = 0;
    for (StoredObject object : range.values()) {
      if (selection.matches(object)) {
        if (limit > 0 && items.size() == limit) {
          remaining++;
        } else {
          items.add(object);
        }
      }
    }
    String token = remaining > 0 ? new Token(version, items.getLast().key()).print() : "";
    boolean filtered =
        selection.labels() != LabelSelector.ALL
            || !selection.fields().isEmpty()
            || !selection.shards().isEmpty();
    return new Page(
        items,
        version,
        token,
        remaining > 0 && !filtered ? remaining : -1,
        selection.shards().toString());
  }

  /** Refuses a version that the server has not reached. */
  public void checkNotFuture(long version) {
    if (version > store.version()) {
      throw ApiException.retryLater(
          504,
          "Timeout",
          "Timeout: Too large resource version: " + version + ", current: " + store.version(),
          1,
          new Cause("ResourceVersionTooLarge", "", "Too large resource version"));
    }
  }

  /** The contents of a continue token. */
  private record Token(long version, String key) {
    /** Instead of a version: go on with what is there now. */
    static final long NEWEST = -1;

    String print() {
      byte[] json =
          Json.bytes(Json.object().put("v", "meta.k8s.io/v1").put("rv", version).put("start", key));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(json);
    }

    static Token parse(String text) {
      try {
        JsonNode json = Json.mapper().readTree(decoded(text));
        if (json.path("rv").isNumber() && json.path("start").isTextual()) {
          return new Token(json.path("rv").longValue(), json.path("start").textValue());
        }
      } catch (IOException | IllegalArgumentException e) {
        throw invalid("it is no token of this server");
      }
      throw invalid("it has no resourceVersion or no start");
    }

    /** Like the real server, takes no padding. */
    private static byte[] decoded(String text) {
      if (text.indexOf('=') >= 0) {
        throw new IllegalArgumentException("padding");
      }
      return Base64.getUrlDecoder().decode(text);
    }

    private static ApiException invalid(String why) {
      return ApiException.badRequest("invalid continue token: continue key is not valid: " + why);
    }
  }
}
