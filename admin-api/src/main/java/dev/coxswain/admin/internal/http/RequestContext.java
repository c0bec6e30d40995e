// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.internal.audit.AuditEntry;
import dev.coxswain.admin.internal.audit.AuditTrail;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ChangedValue;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.RecordedValue;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its one response, which is the first of the result of the handler, a failure and
 * the deadline. Confined to the admin event loop.
 */
public final class RequestContext {

  /** The time limit of the whole response of another replica. */
  public static final long PEER_TIMEOUT_MILLIS = 2000;

  private static final Logger log = LoggerFactory.getLogger(RequestContext.class);

  private final RoutingContext routing;
  private final String id;
  private final RequestTarget target;
  private final AuditEntry audit;
  private final JsonWork work;
  private final ResponseWriter answer;
  private @Nullable Principal principal;
  private @Nullable Endpoint endpoint;
  private @Nullable Body body;
  private boolean readingBody;
  private String accepted = "application/json";
  private final Map<Class<?>, Object> attachments = new HashMap<>();
  private final long timeoutMillis;
  private final long began = System.nanoTime();
  private long peerTimeout = PEER_TIMEOUT_MILLIS;

  /**
   * Creates the context.
   *
   * @param onAnswer runs when the response has been sent, or begins to stream
   * @param onEnd runs when nothing more will be sent
   */
  public RequestContext(
      RoutingContext routing,
      String id,
      AuditTrail trail,
      JsonWork work,
      long timeoutMillis,
      Runnable onAnswer,
      Runnable onEnd) {
    this.routing = routing;
    this.target = new RequestTarget(routing);
    this.id = id;
    this.work = work;
    this.timeoutMillis = timeoutMillis;
    this.audit =
        new AuditEntry(trail, id, String.valueOf(routing.request().connection().remoteAddress()));
    this.answer =
        new ResponseWriter(
            routing.request(), routing.vertx(), timeoutMillis, this::timedOut, onAnswer, onEnd);
  }

  public String id() {
    return id;
  }

  public HttpServerRequest request() {
    return routing.request();
  }

  /** Returns the path of the request. */
  public String path() {
    String path = request().path();
    return path == null ? "/" : path;
  }

  public AuditEntry audit() {
    return audit;
  }

  public boolean answered() {
    return answer.answered();
  }

  public void admitted(Principal caller) {
    principal = caller;
    audit.actor(caller);
  }

  /** Returns the caller. */
  public Principal principal() {
    if (principal == null) {
      throw new IllegalStateException("the request is not authenticated");
    }
    return principal;
  }

  /** Returns the name of the caller. */
  public String actor() {
    return principal().name();
  }

  /**
   * Makes the change of this request: records the intent, then runs the action. Fails with a
   * {@link Rejection} when the intent cannot be recorded, or when the request has timed out
   * meanwhile.
   */
  public <T> Future<T> change(Supplier<Future<T>> action) {
    if (answered()) {
      throw Problem.timeout(
              "the request waited too long for other requests; nothing was" + " changed")
          .rejection();
    }
    return audit
        .intent()
        .compose(recorded -> {
          if (answered()) {
            throw Problem.timeout("the audit record took too long; nothing was" + " changed")
                .rejection();
          }
          return action.get();
        });
  }

  /** Returns a variable segment of the path, decoded; empty when there is none. */
  public String param(String name) {
    return target.param(name);
  }

  /** Returns the item in the path. */
  public ItemId item() {
    ItemId id =
        ItemId.decode(param("id"))
            .orElseThrow(() ->
                Problem.invalid(
                        "invalid-item-id",
                        "the item id is the unpadded base64url form of namespace/name; take it"
                            + " from a list")
                    .rejection());
    audit.item(id);
    return id;
  }

  public Query query() {
    return Query.parse(rawQuery());
  }

  /** Returns the query as it was sent, or as it has been rewritten; empty for none. */
  public String rawQuery() {
    return target.rawQuery();
  }

  /** Replaces the query, by one for this replica only. */
  public void rewrite(String value) {
    target.rewrite(value);
  }

  /** Returns whether another replica sent the request, for the data of this one only. */
  public boolean ofReplica() {
    return endpoint != null && ApiPaths.isPeer(endpoint.path());
  }

  /** Returns the path below the root, which is the same for clients and for other replicas. */
  public String below() {
    return target.below();
  }

  /** Returns what the request is for. */
  public RequestTarget target() {
    return target;
  }

  /** Replaces the body, by one for this replica only. */
  public void rewrite(Body value) {
    body = value;
  }

  /** Stores a value with the request, under its type; replaces an earlier one. */
  public <T> void attach(Class<T> type, T value) {
    attachments.put(type, value);
  }

  /** Returns the value that is stored under a type; null if there is none. */
  public <T> @Nullable T attachment(Class<T> type) {
    return type.cast(attachments.get(type));
  }

  /**
   * Divides the remaining time of the request into equal parts, for a number of consecutive
   * requests to other replicas.
   *
   * @param most the limit of each part, in milliseconds
   */
  public void inRounds(int rounds, long most) {
    long left = timeoutMillis * 9 / 10 - (System.nanoTime() - began) / 1_000_000;
    peerTimeout = Math.max(1, Math.min(most, left / rounds));
  }

  /** Returns the time limit of a request to another replica, in milliseconds. */
  public long peerTimeout() {
    return peerTimeout;
  }

  /** Returns the body of a change. */
  public Body body() {
    if (body == null) {
      throw new IllegalStateException("this route has no body");
    }
    return body;
  }

  /** Returns the revision of an item in If-Match, or null for any revision. */
  public @Nullable Long ifMatch() {
    return Revisions.ofItem(request().getHeader("If-Match"));
  }

  /** Returns the media type of the response. */
  public String accepted() {
    return accepted;
  }

  public void matched(Endpoint value) {
    endpoint = value;
    audit.action(value.access().action(null));
    audit.controller(param("c"));
    audit.limiter(param("l"));
    audit.plugin(param("p"));
    audit.operation(param("op"));
  }

  public void readsBody() {
    readingBody = true;
  }

  /** Stores the complete body. */
  public void received(Buffer text) {
    readingBody = false;
    body = Body.parse(text.getBytes());
    if (endpoint != null) {
      audit.action(endpoint.access().action(body));
    }
  }

  /** Chooses the media type of the response. */
  public void negotiate(Endpoint route) {
    accepted = Accepts.choose(request().headers().getAll("Accept"), route.produces());
  }

  /** Runs a handler and responds with its result. */
  public void run(Endpoint.Handler handler) {
    answer.resume();
    handler.handle(this).onComplete(this::reply, this::fail);
  }

  /** Sends the result. */
  public void reply(Response reply) {
    Response.Stream stream = reply.stream();
    if (stream != null) {
      answer.stream(reply.status(), reply.headers(), stream);
      return;
    }
    Object body = reply.body();
    if (body == null) {
      send(reply, null);
      return;
    }
    TableRequest table = body instanceof TableValue ? attachment(TableRequest.class) : null;
    boolean tagged = table == null && reply.status() == 200 && isListForClients(body);
    List<String> known = request().headers().getAll("If-None-Match");
    // The outcome of a change is recorded before its response is sent.
    boolean isLong = endpoint != null && !endpoint.mutating() && JsonWork.isLong(body);
    work.run(
            isLong,
            () ->
                WrittenResponse.of(
                    table != null && body instanceof TableValue value
                        ? reply.withBody(value.table(table))
                        : reply,
                    tagged ? known : null))
        .onComplete(written -> send(written.reply(), written.text()), this::fail);
  }

  /** Other replicas merge the response into lists of their own. */
  private boolean isListForClients(Object body) {
    return endpoint != null && !endpoint.mutating() && !ofReplica() && body instanceof ListValue;
  }

  private void send(Response reply, @Nullable Buffer text) {
    send(
        reply.status(),
        reply.headers(),
        reply.status() >= 400
            ? "application/problem+json"
            : reply.body() instanceof TableResource ? TableRequest.TYPE : "application/json",
        text,
        reply.headers().containsKey(ApiHeaders.IDEMPOTENCY_REPLAYED)
            ? "replayed"
            : result(reply.body()));
  }

  /** Returns the outcome in one word: the outcome of an action, or the state of an operation. */
  private static String result(@Nullable Object body) {
    return body instanceof RecordedValue value ? value.recorded() : ChangedValue.APPLIED;
  }

  /** Sends the problem of a failure. */
  public void fail(Throwable failure) {
    if (failure instanceof Rejection rejection) {
      problem(rejection.problem());
      return;
    }
    log.atError()
        .addKeyValue("requestId", id)
        .addKeyValue("route", endpoint == null ? "none" : endpoint.path())
        .setCause(failure)
        .log("admin request failed");
    problem(Problem.internal());
  }

  public void problem(Problem problem) {
    send(
        problem.status(),
        problem.headers(),
        "application/problem+json",
        Buffer.buffer(Json.write(problem.body(path(), id))),
        problem.slug());
  }

  private void timedOut() {
    if (readingBody) {
      problem(Problem.of(408, "body-timeout", "Body too slow", "the body did not arrive in time"));
    } else {
      problem(
          Problem.timeout(
              endpoint != null && endpoint.mutating()
                  ? "the controller did not answer in time; the change may have been made, so"
                      + " check before you try again"
                  : "the controller did not answer in time; try again"));
    }
  }

  private void send(
      int status,
      Map<String, String> headers,
      String contentType,
      @Nullable Buffer text,
      String result) {
    if (endpoint != null && endpoint.mutating()) {
      if (ofReplica() && !answered()) {
        ApiHeaders.putChange(request().response(), audit.change());
      }
      // A client that timed out received an unknown outcome.
      audit.answered(answered() ? "late-" + result : result, status);
    }
    answer.send(status, headers, contentType, text);
  }

  /** Returns the key of limits per caller: the principal, or the remote address without one. */
  public String caller() {
    if (!principal().equals(Principal.ANONYMOUS)) {
      return principal().name();
    }
    var remote = request().remoteAddress();
    return remote == null ? "" : String.valueOf(remote.host());
  }

  /** Runs an action when nothing more will be sent. */
  public void atEnd(Runnable action) {
    answer.atEnd(action);
  }

  public static boolean hasBody(HttpServerRequest request) {
    String length = request.getHeader("Content-Length");
    return request.getHeader("Transfer-Encoding") != null
        || (length != null && !length.equals("0"));
  }
}
