// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import dev.coxswain.k8s.webhook.Webhooks;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registration of all webhooks with the API server: checked after each change of them and of the
 * certificate, and again and again from then on.
 *
 * <p>Thread rule: any thread; one check at a time.
 */
final class WebhookRegistration {

  private static final Logger LOG = LoggerFactory.getLogger(WebhookRegistration.class);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration PERIOD = Duration.ofSeconds(30);

  private final Vertx vertx;
  private final Context context;
  private final WebhookDirectory directory;
  private final ConfigurationWriter writer;
  private final Supplier<Future<?>> load;
  private final Supplier<@Nullable Target> target;
  private final BooleanSupplier known;
  private volatile Set<String> required = Set.of();

  /** By controller why its webhooks are not registered. */
  private volatile Map<String, String> faults = Map.of();

  private volatile @Nullable String problem;
  private volatile boolean registered = true;
  private volatile boolean stopped;

  // Confined to the context.
  private final List<Promise<Void>> waiting = new ArrayList<>();
  private boolean begun;
  private boolean checking;
  private boolean again;
  private long timer = -1;
  private long registeredVersion = -1;

  /**
   * Where the API server reaches webhooks.
   *
   * @param url the address of the server, used without a Service
   * @param authority the authority of its certificate, as PEM
   */
  record Target(String url, Buffer authority) {}

  /**
   * Creates a registration that has not begun.
   *
   * @param load reads the certificate again, before each check
   * @param target returns where webhooks are reached; null before there is a certificate
   * @param known whether all that is declared is known
   */
  WebhookRegistration(
      Vertx vertx,
      WebhookDirectory directory,
      ConfigurationWriter writer,
      Supplier<Future<?>> load,
      Supplier<@Nullable Target> target,
      BooleanSupplier known) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.directory = directory;
    this.writer = writer;
    this.load = load;
    this.target = target;
    this.known = known;
  }

  /** Sets the controllers whose webhooks must be registered before {@link #isComplete}. */
  void require(Set<String> controllers) {
    required = Set.copyOf(controllers);
    problem = "not registered yet";
    registered = false;
  }

  /** Returns whether the required webhooks have been registered once. */
  boolean isComplete() {
    return registered;
  }

  /** Returns what is wrong now; null for nothing. */
  @Nullable String problem() {
    return problem;
  }

  /** Completes after the next attempt to register all webhooks. */
  Future<Void> next() {
    Promise<Void> ended = Promise.promise();
    context.runOnContext(_ -> {
      waiting.add(ended);
      checkNow();
    });
    return ended.future();
  }

  /** Checks as soon as no check runs, unless none has begun. */
  void checkAgain() {
    context.runOnContext(_ -> {
      if (begun) {
        checkNow();
      }
    });
  }

  /** Checks as soon as no check runs, and again and again from then on; any thread. */
  void checkSoon() {
    context.runOnContext(_ -> checkNow());
  }

  private void checkNow() {
    vertx.cancelTimer(timer);
    begun = true;
    if (checking) {
      again = true; // what runs may have read what was there before
    } else {
      check();
    }
  }

  /** Reads the certificate again, writes the configurations, and so on until the stop. */
  private void check() {
    if (stopped) {
      return;
    }
    checking = true;
    again = false;
    long version = directory.version();
    List<Promise<Void>> waited = List.copyOf(waiting);
    waiting.clear();
    load.get()
        .compose(_ -> register())
        .onFailure(e -> failed("registration", e))
        // What is not declared is deleted also when something else cannot be registered.
        .transform(written ->
            deleteUndeclared()
                .onFailure(e -> {
                  if (written.succeeded()) {
                    failed("deletion", e);
                  }
                })
                .compose(_ ->
                    written.succeeded()
                        ? Future.succeededFuture()
                        : Future.failedFuture(written.cause())))
        .onComplete(done -> context.runOnContext(_ -> checked(version, waited, done.succeeded())));
  }

  private void checked(long version, List<Promise<Void>> waited, boolean complete) {
    checking = false;
    if (complete) {
      problem = null;
    }
    if (complete || (faults.isEmpty() && registered)) {
      registeredVersion = version;
    }
    waited.forEach(Promise::tryComplete);
    if (again) {
      check();
    } else if (!stopped) {
      Duration wait = registered && registeredVersion == directory.version() ? PERIOD : RETRY;
      timer = vertx.setTimer(wait.toMillis(), _ -> checkNow());
    }
  }

  /** Notes a problem, and logs it when it is another one. */
  void failed(String step, Throwable cause) {
    String text = step + ": " + cause.getMessage();
    if (!text.equals(problem)) {
      problem = text;
      LOG.atWarn()
          .addKeyValue("step", step)
          .addKeyValue("error", String.valueOf(cause.getMessage()))
          .log("webhooks not up to date, retrying");
    }
  }

  private Future<?> register() {
    Target to = target.get();
    if (to == null) {
      return Future.succeededFuture();
    }
    return blocking(() -> writer.write(to.url(), to.authority().getBytes()))
        .compose(found -> {
          faults = found;
          boolean all = required.stream().noneMatch(found::containsKey);
          if (all && !registered) {
            LOG.atInfo().addKeyValue("address", to.url()).log("webhooks registered");
          }
          registered |= all;
          return found.isEmpty()
              ? Future.succeededFuture()
              : Future.failedFuture(String.join("; ", new LinkedHashSet<>(found.values())));
        });
  }

  /** Deletes what an earlier version has registered; without it, writes would be refused for ever. */
  private Future<?> deleteUndeclared() {
    return blocking(() -> writer.deleteUndeclared(known))
        .onSuccess(deleted ->
            deleted.forEach(one ->
                LOG.atInfo()
                    .addKeyValue("configuration", one)
                    .log("webhook configuration deleted, no controller declares it")));
  }

  /** Returns why webhooks of controllers are not registered; empty when they are, or have none. */
  String problem(Collection<String> controllers) {
    Map<String, Webhooks> declared = directory.byController();
    List<String> with = controllers.stream().filter(declared::containsKey).sorted().toList();
    String now = problem;
    if (with.isEmpty() || now == null) {
      return "";
    }
    Map<String, String> known = faults;
    return with.stream()
        .filter(known::containsKey)
        .findFirst()
        .map(known::get)
        .orElse(known.isEmpty() ? now : ""); // what others cannot register concerns them
  }

  private <T> Future<T> blocking(Callable<T> code) {
    return vertx.executeBlocking(code, false).map(made -> Objects.requireNonNull(made));
  }

  /** Checks no more. */
  void stop() {
    stopped = true;
    context.runOnContext(_ -> {
      vertx.cancelTimer(timer);
      waiting.forEach(Promise::tryComplete);
    });
  }
}
