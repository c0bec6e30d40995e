// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;

/**
 * One route.
 *
 * @param path the path, with {@code {name}} for a variable segment
 * @param access the right that it requires; each route has one
 * @param produces the media types of its responses, the preferred one first
 */
public record Endpoint(
    HttpMethod method,
    String path,
    Kind kind,
    Access access,
    List<String> produces,
    Handler handler) {

  private static final List<String> JSON = List.of("application/json");

  public Endpoint {
    boolean reads = access.verbs().stream().allMatch(verb -> verb.effect() == Verb.Effect.READ);
    if (reads != (kind == Kind.READ) || access.verbs().isEmpty()) {
      throw new IllegalArgumentException(path + " has a method that does not fit its verb");
    }
  }

  public enum Kind {
    /** A read without a body. */
    READ,
    /** A change, with its reason in a JSON body. */
    CHANGE,
    /** A change that supports If-Match. */
    CONDITIONAL_CHANGE
  }

  /** Handles a request; throws or fails with a {@link Rejection} for an expected error. */
  @FunctionalInterface
  public interface Handler {
    Future<Response> handle(RequestContext context);
  }

  /**
   * A handler of a change that, with {@link ApiHeaders#FIND}, only finds out whether the change
   * concerns this replica.
   */
  @FunctionalInterface
  public interface FindingHandler extends Handler {}

  public static Endpoint read(String path, Access access, Handler handler) {
    return new Endpoint(HttpMethod.GET, path, Kind.READ, access, JSON, handler);
  }

  public static Endpoint change(HttpMethod method, String path, Access access, Handler handler) {
    return new Endpoint(method, path, Kind.CHANGE, access, JSON, handler);
  }

  public static Endpoint conditional(
      HttpMethod method, String path, Access access, Handler handler) {
    return new Endpoint(method, path, Kind.CONDITIONAL_CHANGE, access, JSON, handler);
  }

  /** Returns this route with other media types. */
  public Endpoint producing(String... types) {
    return new Endpoint(method, path, kind, access, List.of(types), handler);
  }

  /**
   * Returns this route with tables: it responds with the one of its value on request.
   *
   * @param clock the time that ages are relative to
   */
  public Endpoint tabular(Clock clock) {
    List<String> types = new ArrayList<>(produces);
    types.add(TableRequest.TYPE);
    types.add(TableRequest.WITH_OBJECTS);
    return new Endpoint(
        method,
        path,
        kind,
        access,
        List.copyOf(types),
        context -> {
          String accepted = context.accepted();
          boolean withObjects = accepted.equals(TableRequest.WITH_OBJECTS);
          if (withObjects || accepted.equals(TableRequest.TYPE)) {
            context.attach(TableRequest.class, new TableRequest(clock.instant(), withObjects));
          }
          return handler.handle(context);
        });
  }

  /** Returns this route below a root. */
  public Endpoint under(String root) {
    return new Endpoint(method, root + path, kind, access, produces, handler);
  }

  public boolean mutating() {
    return kind != Kind.READ;
  }
}
