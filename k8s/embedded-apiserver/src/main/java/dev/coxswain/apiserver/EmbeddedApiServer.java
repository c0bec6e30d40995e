// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import dev.coxswain.apiserver.internal.json.Yaml;
import dev.coxswain.apiserver.internal.webhook.WebhookClient;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A Kubernetes API server in memory, <b>for development and tests only</b>: it keeps nothing when
 * it stops, unless it has a data directory, it has no encryption, and everyone who reaches its port
 * may do everything unless tokens are configured. It binds to loopback by default.
 *
 * <p>It speaks the HTTP API well enough for {@code kubectl} and the official clients: discovery,
 * built-in and custom resources, lists, watches, patches, server-side apply, deletion with
 * finalizers and garbage collection. {@link #faults()} breaks it on purpose.
 *
 * <p>Any thread. All state lives on one event loop; the blocking methods must not be called on an
 * event loop.
 */
public final class EmbeddedApiServer implements AutoCloseable {
  /** The beginning of URLs of webhooks that this process answers, see {@link #serveWebhooks}. */
  public static final String LOCAL_WEBHOOKS = WebhookClient.LOCAL;

  private final Vertx vertx;
  private final boolean ownVertx;
  private final String deployment;
  private final ServerVerticle verticle;
  private final LoopAccess loop;
  private final Faults faults;
  private final ServerState state;
  private final String host;
  private final int port;
  private final int resumed;
  private final Duration patience;
  private final @Nullable String token;
  private final Promise<Void> stopped = Promise.promise();

  /** Several threads may stop a server at once; one does it. */
  private final AtomicBoolean stopping = new AtomicBoolean();

  private EmbeddedApiServer(
      Vertx vertx,
      boolean ownVertx,
      String deployment,
      ServerVerticle verticle,
      EmbeddedApiServerOptions options) {
    this.vertx = vertx;
    this.ownVertx = ownVertx;
    this.deployment = deployment;
    this.verticle = verticle;
    this.loop = new LoopAccess(verticle.loop(), options.patience());
    this.faults = verticle.faults(loop);
    this.state = verticle.state(loop);
    this.host = options.host();
    this.port = verticle.port();
    this.resumed = verticle.resumed();
    this.patience = options.patience();
    this.token = options.tokens().isEmpty() ? null : options.tokens().getFirst().token();
  }

  /**
   * Starts a server on an existing Vert.x.
   *
   * @param vertx who runs it; closing that closes the server, too
   * @param options settings
   * @return the running server, or the reason why it does not run (as in a port that is taken)
   */
  public static Future<EmbeddedApiServer> start(Vertx vertx, EmbeddedApiServerOptions options) {
    return start(vertx, false, options);
  }

  private static Future<EmbeddedApiServer> start(
      Vertx vertx, boolean own, EmbeddedApiServerOptions options) {
    ServerVerticle verticle = new ServerVerticle(options);
    return vertx
        .deployVerticle(verticle)
        .map(id -> new EmbeddedApiServer(vertx, own, id, verticle, options));
  }

  /**
   * Starts a server with a small Vert.x of its own, for tests and programs that use none.
   *
   * @throws IllegalStateException when it does not start; the message has the cause
   */
  public static EmbeddedApiServer startBlocking(EmbeddedApiServerOptions options) {
    requireBlockable();
    VertxOptions small =
        new VertxOptions()
            .setEventLoopPoolSize(1)
            .setWorkerPoolSize(2)
            .setInternalBlockingPoolSize(1);
    // No files are served, and a folder for them would stay when the process is stopped.
    small.getFileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    Vertx vertx = Vertx.vertx(small);
    try {
      return start(vertx, true, options)
          .toCompletionStage()
          .toCompletableFuture()
          .get(options.patience().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(vertx, options, e);
    } catch (ExecutionException e) {
      throw failed(vertx, options, e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      throw failed(
          vertx, options, new TimeoutException("not within " + waited(options.patience())));
    }
  }

  /** Returns a limit, and what sets another one. */
  static String waited(Duration patience) {
    return "%s s; withPatience of the options or %s sets another limit"
        .formatted(
            BigDecimal.valueOf(patience.toMillis(), 3).stripTrailingZeros().toPlainString(),
            EmbeddedApiServerOptions.PATIENCE_VARIABLE);
  }

  private static IllegalStateException failed(
      Vertx vertx, EmbeddedApiServerOptions options, Throwable cause) {
    vertx.close();
    return new IllegalStateException(
        "embedded API server did not start on %s:%s: %s"
            .formatted(options.host(), options.port(), cause.getMessage()),
        cause);
  }

  private static void requireBlockable() {
    if (Context.isOnEventLoopThread()) {
      throw new IllegalStateException(
          "this method waits and must not be called on an event-loop thread");
    }
  }

  /** The port it listens on. */
  public int port() {
    return port;
  }

  /** Base address, as in {@code http://127.0.0.1:8001}. */
  public String url() {
    return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /**
   * A kubeconfig in YAML for kubectl and the official clients; holds the first token when there are
   * tokens.
   */
  public String kubeconfig() {
    String user = token == null ? "  user: {}\n" : "  user:\n    token: \"" + token + "\"\n";
    return """
    apiVersion: v1
    kind: Config
    clusters:
    - name: coxswain
      cluster:
        server: %s
    contexts:
    - name: coxswain
      context:
        cluster: coxswain
        user: coxswain
        namespace: default
    current-context: coxswain
    users:
    - name: coxswain
    """
            .formatted(url())
        + user;
  }

  /**
   * The number of objects that an earlier server had left in the data directory; 0 without a directory, and
   * when it was empty.
   */
  public int resumedObjects() {
    return resumed;
  }

  /** The faults of the server. */
  public Faults faults() {
    return faults;
  }

  /** All objects of the server at once. */
  public ServerState state() {
    return state;
  }

  /**
   * Answers webhooks whose URL begins with {@link #LOCAL_WEBHOOKS} in this process, without
   * connections and certificates: for test kits. Before, and after null, such calls fail.
   *
   * @param reviews returns the response to a path, such as {@code /validate}, and the JSON text of a
   *     review; called on the event loop of the server, which it must not block
   */
  public void serveWebhooks(@Nullable BiFunction<String, String, Future<String>> reviews) {
    loop.run(() -> verticle.serveWebhooks(reviews));
  }

  /**
   * A decision about one request of a client; immutable.
   *
   * @param user the user or service account
   * @param verb the verb, as in a role
   * @param group the API group, empty for the core group
   * @param resource the plural, with the subresource if it is for one; or a path outside of resources, which
   *     begins with {@code /}
   * @param namespace the namespace; empty for all, and for what is in none
   * @param name the object; empty for any
   * @param roles the names of the roles that allow it, bound for the cluster or in the namespace; none
   *     when it was forbidden
   */
  public record AccessDecision(
      String user,
      String verb,
      String group,
      String resource,
      String namespace,
      String name,
      List<String> roles) {
    /** Copies the list. */
    public AccessDecision {
      roles = List.copyOf(roles);
    }

    /** Returns whether the request was allowed. */
    public boolean allowed() {
      return !roles.isEmpty();
    }
  }

  /**
   * Reports each decision about a request from now on: for tests of rights. What everybody may do, such as to
   * read the version, is not decided. Blocks; not on an event loop.
   *
   * @param decisions receives them on the event loop of the server, which it must not block; null ends it
   */
  public void observeAccess(@Nullable Consumer<AccessDecision> decisions) {
    requireBlockable();
    loop.run(() -> verticle.observeAccess(decisions));
  }

  /**
   * Creates or replaces objects. Definitions are served before later documents are read. Admission
   * webhooks are not called; objects of another version than the stored one are converted. Blocks; not
   * on an event loop.
   *
   * @param yamlDocuments one or more YAML (or JSON) documents
   * @throws IllegalArgumentException for invalid YAML, for unknown kinds and for invalid objects;
   *     the message names the object
   */
  public void apply(String yamlDocuments) {
    apply(yamlDocuments, false);
  }

  /**
   * Applies objects as a user does with {@code kubectl apply --server-side --force-conflicts}:
   * admission webhooks decide on them and change them, what an earlier call applied and this one
   * lacks is removed, and what others have added stays. Unknown fields are dropped, and definitions
   * replaced as a whole.
   *
   * @throws IllegalArgumentException also for objects that a webhook denies; the message has its
   *     reason
   */
  public void applyReviewed(String yamlDocuments) {
    apply(yamlDocuments, true);
  }

  private void apply(String yamlDocuments, boolean reviewed) {
    requireBlockable();
    try {
      for (var document : Yaml.parseAll(yamlDocuments)) {
        loop.await(() -> verticle.load(document, reviewed));
        loop.run(() -> {}); // lets the controllers act on a definition before the next document
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * Stops the server and, when it has one of its own, its Vert.x. Open watches end. Never fails; a
   * second stop is fine.
   */
  public Future<Void> stop() {
    if (stopping.compareAndSet(false, true)) {
      vertx
          .undeploy(deployment)
          .onComplete(undeployed -> {
            if (ownVertx) {
              vertx.close().onComplete(closed -> stopped.complete());
            } else {
              stopped.complete();
            }
          });
    }
    return stopped.future();
  }

  /** Stops and waits, at most for the patience of the options; on an event loop it does not wait. */
  @Override
  public void close() {
    Future<Void> done = stop();
    if (Context.isOnEventLoopThread()) {
      return;
    }
    try {
      done.toCompletionStage()
          .toCompletableFuture()
          .get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "embedded API server on port %s did not stop within %s".formatted(port, waited(patience)),
          e);
    }
  }
}
