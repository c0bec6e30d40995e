// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
 * @param shardedListAndWatch whether lists and watches obey the parameter {@code shardSelector}, as with the
 *     feature gate {@code ShardedListAndWatch} of Kubernetes 1.36; without it they ignore the parameter
 * @param patience how long the blocking calls wait for the server: to start, to stop, and for each call from
 *     another thread. On a busy machine its event loop is late
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
    InstantSource clock,
    boolean shardedListAndWatch,
    Duration patience)
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

  /** Five minutes; {@link #PATIENCE_VARIABLE} sets another default. */
  public static final Duration DEFAULT_PATIENCE = Duration.ofMinutes(5);

  /** The environment variable with the default of {@code patience}, such as {@code 90s} or {@code 20m}. */
  public static final String PATIENCE_VARIABLE = "COXSWAIN_STALL_LIMIT";

  private static final Pattern LENGTH =
      Pattern.compile("(?:(\\d{1,4})h)?(?:(\\d{1,6})m)?(?:(\\d{1,8})s)?(?:(\\d{1,9})ms)?");

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
    if (patience.toMillis() < 1) {
      throw new IllegalArgumentException("patience must be at least 1 ms, is " + patience);
    }
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
        InstantSource.system(),
        false,
        patience(System.getenv(PATIENCE_VARIABLE), DEFAULT_PATIENCE));
  }

  /**
   * Returns a duration of the environment.
   *
   * @param text the value of {@link #PATIENCE_VARIABLE}, or null when it is not set
   * @param otherwise the result when it is not set
   * @throws IllegalArgumentException when it is not a positive duration
   */
  public static Duration patience(@Nullable String text, Duration otherwise) {
    if (text == null || text.isBlank()) {
      return otherwise;
    }
    Matcher form = LENGTH.matcher(text.strip());
    Duration length =
        form.matches()
            ? Duration.ofHours(number(form, 1))
                .plusMinutes(number(form, 2))
                .plusSeconds(number(form, 3))
                .plusMillis(number(form, 4))
            : Duration.ZERO;
    if (!length.isPositive()) {
      throw new IllegalArgumentException(
          PATIENCE_VARIABLE + ": expected a duration such as 30s or 10m, found \"" + text + "\"");
    }
    return length;
  }

  private static long number(Matcher form, int group) {
    String digits = form.group(group);
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
