// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an {@link EmbeddedApiServer}; immutable, any thread.
 *
 * @param host address to bind, loopback by default; on loopback, requests whose {@code Host} header
 *     names anything but a loopback name or address are answered with 421
 * @param port port to bind, 0 = a free one
 * @param watchHistory changes remembered per resource; resuming a watch from before them is
 *     answered with 410
 * @param watchBuffer events that may wait for a slow watcher before it is closed
 * @param bookmarkInterval time between bookmarks on watches that request them
 * @param tokens bearer tokens and who they stand for; empty = everyone may do everything without a
 *     token
 * @param faultEndpoint whether faults can be injected over HTTP at {@code /coxswain/faults}, by
 *     everyone who may do everything or has a role for that path
 * @param eventTimeToLive how long events are kept after their last write
 * @param dataDirectory directory that keeps all objects, so that a later server can go on with
 *     them; a process that is killed loses the changes of its last second; null = nothing is kept
 * @param clock clock of the time stamps of objects, read on the server's event loop; tokens, the
 *     expiry of events and the ages in tables follow that of the system
 */
@RecordBuilder
public record EmbeddedApiServerOptions(
    String host,
    int port,
    int watchHistory,
    int watchBuffer,
    Duration bookmarkInterval,
    List<Token> tokens,
    boolean faultEndpoint,
    Duration eventTimeToLive,
    @Nullable Path dataDirectory,
    InstantSource clock)
    implements EmbeddedApiServerOptionsBuilder.With {
  /** Loopback. */
  public static final String DEFAULT_HOST = "127.0.0.1";

  /** A free port. */
  public static final int DEFAULT_PORT = 0;

  public static final int DEFAULT_WATCH_HISTORY = 5_000;
  public static final int DEFAULT_WATCH_BUFFER = 10_000;
  public static final Duration DEFAULT_BOOKMARK_INTERVAL = Duration.ofSeconds(30);

  /** As the real server: an hour. */
  public static final Duration DEFAULT_EVENT_TIME_TO_LIVE = Duration.ofHours(1);

  /**
   * A bearer token and the user behind it; immutable.
   *
   * @param token secret that clients send
   * @param user user name
   * @param groups groups of the user; {@code system:masters} may do everything
   * @param audiences the audiences of the token; others must refuse it
   */
  public record Token(String token, String user, List<String> groups, List<String> audiences) {
    /** The audience of the API server itself. */
    public static final String API_AUDIENCE = "https://kubernetes.default.svc";

    public Token {
      if (token.isEmpty()) {
        throw new IllegalArgumentException("token must not be empty");
      }
      groups = List.copyOf(groups);
      audiences = List.copyOf(audiences);
    }

    /** A token for the API server. */
    public Token(String token, String user, List<String> groups) {
      this(token, user, groups, List.of(API_AUDIENCE));
    }

    @Override
    public String toString() {
      return "Token[user=" + user + ", groups=" + groups + "]"; // never the secret
    }
  }

  public EmbeddedApiServerOptions {
    Objects.requireNonNull(host, "host");
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be 0 to 65535, is " + port);
    }
    if (watchHistory < 1) {
      throw new IllegalArgumentException("watchHistory must be at least 1, is " + watchHistory);
    }
    if (watchBuffer < 1) {
      throw new IllegalArgumentException("watchBuffer must be at least 1, is " + watchBuffer);
    }
    if (bookmarkInterval.toMillis() < 1) {
      throw new IllegalArgumentException(
          "bookmarkInterval must be at least 1 ms, is " + bookmarkInterval);
    }
    tokens = List.copyOf(tokens);
    Objects.requireNonNull(clock, "clock");
    if (eventTimeToLive.toMillis() < 1) {
      throw new IllegalArgumentException(
          "eventTimeToLive must be at least 1 ms, is " + eventTimeToLive);
    }
  }

  /** Returns the defaults: loopback, a free port, no authentication, no fault endpoint. */
  public static EmbeddedApiServerOptions defaults() {
    return new EmbeddedApiServerOptions(
        DEFAULT_HOST,
        DEFAULT_PORT,
        DEFAULT_WATCH_HISTORY,
        DEFAULT_WATCH_BUFFER,
        DEFAULT_BOOKMARK_INTERVAL,
        List.of(),
        false,
        DEFAULT_EVENT_TIME_TO_LIVE,
        null,
        InstantSource.system());
  }
}
