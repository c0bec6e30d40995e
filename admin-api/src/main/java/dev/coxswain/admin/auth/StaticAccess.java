// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.auth;

import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Principals, tokens and rights of a list that can be replaced as a whole. Only the SHA-256 of a
 * token is kept, so tokens must be random, of 128 bits or more; passwords would be easy to find.
 *
 * <p>Thread rule: any thread; answers at once.
 */
public final class StaticAccess implements Authenticator, Authorizer {

  /**
   * One principal.
   *
   * <p>Thread rule: immutable.
   *
   * @param principal the principal
   * @param tokenHashes the SHA-256 of each token, in 64 hexadecimal digits of lower case
   * @param rules the rights
   */
  public record Entry(Principal principal, Set<String> tokenHashes, List<Rule> rules) {
    public Entry {
      tokenHashes = Set.copyOf(tokenHashes);
      rules = List.copyOf(rules);
    }
  }

  private record Book(Map<String, Principal> byHash, Map<String, List<Rule>> rules) {}

  private volatile Book book; // replaced as a whole

  /**
   * Creates a list.
   *
   * @throws IllegalArgumentException when two entries have the same name or the same token
   */
  public StaticAccess(List<Entry> entries) {
    book = book(entries);
  }

  /**
   * Replaces the whole list, from the next request on.
   *
   * @throws IllegalArgumentException when two entries have the same name or the same token; the
   *     list is then unchanged
   */
  public void replace(List<Entry> entries) {
    book = book(entries);
  }

  private static Book book(List<Entry> entries) {
    Map<String, Principal> byHash = new HashMap<>();
    Map<String, List<Rule>> rules = new HashMap<>();
    for (Entry entry : entries) {
      String name = entry.principal().name();
      if (rules.put(name, entry.rules()) != null) {
        throw new IllegalArgumentException("the principal \"" + name + "\" is in the list twice");
      }
      for (String hash : entry.tokenHashes()) {
        Principal other = byHash.put(hash, entry.principal());
        if (other != null) {
          throw new IllegalArgumentException(
              "\"" + other.name() + "\" and \"" + name + "\" have the same token");
        }
      }
    }
    return new Book(Map.copyOf(byHash), Map.copyOf(rules));
  }

  @Override
  public Future<Authentication> authenticate(String token) {
    Principal found = book.byHash().get(hash(token));
    return Future.succeededFuture(
        found == null ? Authentication.rejected() : Authentication.accepted(found));
  }

  @Override
  public Future<Boolean> authorize(Principal principal, AccessRequest wanted) {
    for (Rule rule : book.rules().getOrDefault(principal.name(), List.of())) {
      if (rule.covers(wanted)) {
        return Future.succeededFuture(true);
      }
    }
    return Future.succeededFuture(false);
  }

  /** Returns the SHA-256 of a token in hexadecimal digits. */
  public static String hash(String token) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK has no SHA-256", e);
    }
  }
}
