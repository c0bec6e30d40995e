// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.resource.PartialObjectMetadata;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The namespaces that {@code kubernetes.watchNamespaceSelector} selects by their labels, as they are
 * in force for the controllers.
 *
 * <p>Each change builds controllers again, so changes are collected: the first one is in force after
 * {@link #SETTLE}, and the next ones {@link #PAUSE} after that at the earliest.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
public final class SelectedNamespaces implements Component {

  /** Labels of several namespaces are often changed together. */
  static final Duration SETTLE = Duration.ofSeconds(2);

  /** A cluster whose labels change all the time must not build its controllers all the time. */
  static final Duration PAUSE = Duration.ofMinutes(1);

  /** The time for which the start of the host waits; controllers start later than that by themselves. */
  private static final Duration START_LIMIT = Duration.ofSeconds(2);

  /** A watch that fails for less time is repeated, and says nothing about the namespaces. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  /** The interval in which it looks whether the namespaces are followed. */
  private static final long LOOK_MILLIS = 1000;

  private static final ResourceType<PartialObjectMetadata> NAMESPACES =
      ResourceType.of(V1Namespace.class).metadataOnly();

  private static final Logger LOG = LoggerFactory.getLogger(SelectedNamespaces.class);

  /**
   * How often changes are in force.
   *
   * @param settle the time that the first one is collected for
   * @param pause the time between two
   * @param patience the time after which namespaces that are known count as unknown
   */
  record Pace(Duration settle, Duration pause, Duration patience) {}

  private final Vertx vertx;
  private final Kubernetes kubernetes;
  private final Consumer<@Nullable String> problem;
  private final Runnable changed;
  private final Clock clock;
  private final Pace pace;

  // Guarded by this.
  private String selector;
  private boolean started;
  private @Nullable InformerHandle<PartialObjectMetadata> cache;
  private boolean known;
  private long timer = -1;
  private long lookTimer = -1;
  private @Nullable Long lastChange;

  /** Since when they cannot be read; null when they can. */
  private @Nullable Long unreadSince;

  /** Why the present selection is not in force; empty when it is. */
  private String refused = "";

  private String shown = "";

  /** What was selected last; empty before. */
  private Optional<Set<String>> selection = Optional.empty();

  /** Whether another selector is in use since then. */
  private boolean replaced;

  private volatile Function<String, Optional<Set<String>>> inForce = _ -> Optional.empty();

  /**
   * Creates a selection that watches nothing yet.
   *
   * @param selector the labels, empty for no selection
   * @param problem receives why the namespaces in force are not those that are selected, or null
   * @param changed called after each change
   */
  public SelectedNamespaces(
      Vertx vertx,
      Kubernetes kubernetes,
      String selector,
      Consumer<@Nullable String> problem,
      Runnable changed,
      Clock clock) {
    this(vertx, kubernetes, selector, problem, changed, clock, new Pace(SETTLE, PAUSE, PATIENCE));
  }

  SelectedNamespaces(
      Vertx vertx,
      Kubernetes kubernetes,
      String selector,
      Consumer<@Nullable String> problem,
      Runnable changed,
      Clock clock,
      Pace pace) {
    this.vertx = vertx;
    this.kubernetes = kubernetes;
    this.selector = selector;
    this.problem = problem;
    this.changed = changed;
    this.clock = clock;
    this.pace = pace;
  }

  @Override
  public String name() {
    return "namespaces";
  }

  /** Watches the namespaces; completes when they are known, or after a while. Never fails. */
  @Override
  public synchronized Future<?> start() {
    started = true;
    return selector.isEmpty()
        ? Future.succeededFuture()
        : open().timeout(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS).otherwiseEmpty();
  }

  @Override
  public synchronized Future<?> stop() {
    started = false;
    close();
    return Future.succeededFuture();
  }

  /**
   * Returns the namespaces that a controller watches, by its name. They are never an empty set except where
   * {@link #follow} was given it, and empty when none is selected, or known yet. A later change is not in
   * this function.
   */
  Function<String, Optional<Set<String>>> inForce() {
    return inForce;
  }

  /**
   * Uses another selector.
   *
   * @param next the labels, empty for no selection
   * @param before what each controller watches by now, which stays until the namespaces of the new
   *     selector are known
   */
  synchronized void follow(String next, Function<String, Optional<Set<String>>> before) {
    if (next.equals(selector)) {
      return;
    }
    inForce = before;
    replaced = true;
    close();
    selector = next;
    if (started && !next.isEmpty()) {
      open();
    }
  }

  private Future<Void> open() {
    InformerHandle<PartialObjectMetadata> opened =
        kubernetes.kind(NAMESPACES).labels(selector).openCache();
    cache = opened;
    lookTimer = vertx.setPeriodic(LOOK_MILLIS, _ -> look(opened));
    Future<Void> synced =
        opened
            .subscribe("namespaces", Thread.ofPlatform().daemon().factory(), _ -> seen(opened))
            .synced();
    return synced.onSuccess(_ -> read(opened));
  }

  private void close() {
    InformerHandle<PartialObjectMetadata> opened = cache;
    cache = null;
    known = false;
    lastChange = null;
    unreadSince = null;
    refused = "";
    vertx.cancelTimer(timer);
    timer = -1;
    vertx.cancelTimer(lookTimer);
    show("");
    if (opened != null) {
      opened.close();
    }
  }

  /** Shows that they are unknown: for long, if they were known before, as without the right to read them. */
  private synchronized void look(InformerHandle<PartialObjectMetadata> opened) {
    if (!opened.equals(cache)) {
      return;
    }
    Optional<String> reason = opened.status().problem();
    long now = clock.nanos();
    unreadSince = reason.isEmpty() ? null : unreadSince == null ? Long.valueOf(now) : unreadSince;
    if (!known) {
      show(
          "the namespaces with the labels \"%s\" (kubernetes.watchNamespaceSelector) have not been read: %s"
              .formatted(selector, reason.orElse("no answer yet")));
    } else if (unreadSince != null && now - unreadSince >= pace.patience.toNanos()) {
      show(
          "the namespaces with the labels \"%s\" (kubernetes.watchNamespaceSelector) may be others by now: %s"
              .formatted(selector, reason.orElse("")));
    } else {
      show(refused);
    }
  }

  private synchronized void read(InformerHandle<PartialObjectMetadata> opened) {
    if (opened.equals(cache)) {
      use(opened);
      known = true;
      lastChange = null; // the next one need not wait for long
    }
  }

  /** A namespace has come or gone, or was changed. */
  private synchronized void seen(InformerHandle<PartialObjectMetadata> opened) {
    if (!opened.equals(cache) || !known || timer >= 0) {
      return;
    }
    long now = clock.nanos();
    long wait = pace.settle.toNanos();
    if (lastChange != null) {
      wait = Math.max(wait, lastChange + pace.pause.toNanos() - now);
    }
    timer =
        vertx.setTimer(
            Math.max(1, Durations.toMillis(Duration.ofNanos(wait))), _ -> settled(opened));
  }

  private synchronized void settled(InformerHandle<PartialObjectMetadata> opened) {
    if (opened.equals(cache)) {
      timer = -1;
      use(opened);
    }
  }

  private void use(InformerHandle<PartialObjectMetadata> opened) {
    Set<String> names =
        opened.keys().stream().map(Request::name).collect(Collectors.toUnmodifiableSet());
    boolean tooMany = names.size() > ConfigurationLoader.MAX_WATCH_NAMESPACES;
    refused =
        !tooMany
            ? ""
            : "the labels \"%s\" (kubernetes.watchNamespaceSelector) select %d namespaces, and at most %d are watched: those before stay"
                .formatted(selector, names.size(), ConfigurationLoader.MAX_WATCH_NAMESPACES);
    show(refused);
    if (tooMany) {
      return;
    }
    Optional<Set<String>> next = names.isEmpty() ? Optional.empty() : Optional.of(names);
    Optional<Set<String>> before = selection;
    if (next.equals(before) && !replaced) {
      return;
    }
    selection = next;
    replaced = false;
    inForce = _ -> next;
    lastChange = clock.nanos();
    LOG.atInfo()
        .addKeyValue("selector", selector)
        .addKeyValue("before", text(before))
        .addKeyValue("after", text(next))
        .log("selected namespaces changed");
    changed.run();
  }

  /** Returns namespaces for the log. */
  static String text(Optional<Set<String>> namespaces) {
    return namespaces
        .map(some -> some.isEmpty() ? "all" : String.join(", ", new TreeSet<>(some)))
        .orElse("none");
  }

  private void show(String text) {
    if (!text.equals(shown)) {
      shown = text;
      problem.accept(text.isEmpty() ? null : text);
    }
  }
}
