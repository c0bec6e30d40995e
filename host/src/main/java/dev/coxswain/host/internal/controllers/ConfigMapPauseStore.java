// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.admin.spi.PauseStore;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.host.internal.config.ChangeSettings;
import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.FailurePattern;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores pauses in a ConfigMap, one key for each controller and each cause. Every replica watches it and applies
 * its contents: a write takes effect when the change is read back.
 *
 * <p>Thread rule: any thread.
 */
public final class ConfigMapPauseStore implements PauseStore, Component {

  private static final Logger LOG = LoggerFactory.getLogger(ConfigMapPauseStore.class);

  /** More pauses than this are refused, so that the ConfigMap stays small. */
  static final int MAX_PAUSES = 500;

  /** The most paused causes of one controller; with more, the controller itself can be paused. */
  static final int MAX_CAUSES = 20;

  /**
   * The time for which the start of the host waits for the pauses. Then controllers start without
   * attempts until the pauses are known.
   */
  private static final Duration START_LIMIT = Duration.ofSeconds(2);

  /** The interval in which the reason is updated while the pauses are unknown. */
  private static final long REASON_MILLIS = 1000;

  private final Vertx vertx;
  private final Kubernetes kubernetes;
  private final Request key;
  private final Supplier<Collection<ControllerHandle>> running;
  private final Clock clock;
  private volatile @Nullable InformerHandle<V1ConfigMap> cache;

  private volatile Map<String, StoredPause> known = Map.of(); // written under the lock
  private String version = ""; // of the known pauses; under the lock

  /** The pause of every controller while its own is unknown. */
  private final Pause unknown;

  private final Duration startTimeout;
  private final Consumer<@Nullable String> problem;

  /** Whether attempts may start: the ConfigMap was read, or the time-out has passed. */
  private volatile boolean decided;

  private boolean read; // whether the ConfigMap, or its absence, was read; under the lock
  private long reasonTimer = -1; // under the lock

  /**
   * Creates a store that is not open.
   *
   * @param running the controllers that run on this replica
   * @param problem receives the reason why the pauses are unknown, or null when they are known
   */
  public ConfigMapPauseStore(
      Vertx vertx,
      Kubernetes kubernetes,
      ChangeSettings.Pauses where,
      Supplier<Collection<ControllerHandle>> running,
      Consumer<@Nullable String> problem,
      Clock clock) {
    this.vertx = vertx;
    this.kubernetes = kubernetes;
    this.key = Request.of(where.namespace(), where.name());
    this.running = running;
    this.problem = problem;
    this.startTimeout = where.startTimeout();
    this.clock = clock;
    this.unknown =
        new Pause(
            "the pauses are unknown until they have been read; after 2 s see the condition pausesUnknown",
            "coxswain",
            clock.instant(),
            null);
  }

  @Override
  public String name() {
    return "pauses";
  }

  /**
   * Starts to watch the ConfigMap; completes when the pauses are known, or after
   * {@link #START_LIMIT}. Until then every controller is paused.
   */
  @Override
  public Future<?> start() {
    InformerHandle<V1ConfigMap> opened =
        kubernetes
            .kind(V1ConfigMap.class)
            .inNamespace(key.namespace())
            .fields("metadata.name=" + key.name())
            .openCache();
    cache = opened;
    Future<Void> synced =
        opened.subscribe("pauses", Thread.ofPlatform().daemon().factory(), this::received).synced();
    synced.onSuccess(_ -> learned());
    if (startTimeout.isPositive()) {
      vertx.setTimer(Math.max(1, startTimeout.toMillis()), _ -> decide());
    }
    return synced
        .timeout(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .recover(cause -> {
          showProblem(opened);
          return Future.succeededFuture();
        });
  }

  private synchronized void showProblem(InformerHandle<V1ConfigMap> opened) {
    if (read) {
      return;
    }
    String reason = opened.status().problem().orElse("the ConfigMap has not been read yet");
    problem.accept(
        (decided
                ? "pauses unknown, attempts were started after changes.pauses.startTimeout: "
                : "pauses unknown, no attempts are started: ")
            + "ConfigMap "
            + key
            + ": "
            + reason);
    if (reasonTimer < 0) {
      reasonTimer = vertx.setPeriodic(REASON_MILLIS, _ -> showProblem(opened));
    }
  }

  /** The ConfigMap, or its absence, has been read. */
  private synchronized void learned() {
    if (!read) {
      read = true;
      vertx.cancelTimer(reasonTimer);
      problem.accept(null);
      decide();
    }
  }

  /** Applies the known pauses to the controllers. */
  private synchronized void decide() {
    if (!decided) {
      decided = true;
      running.get().forEach(this::apply);
    }
  }

  @Override
  public Future<?> stop() {
    InformerHandle<V1ConfigMap> opened = cache;
    if (opened != null) {
      opened.close();
    }
    synchronized (this) {
      vertx.cancelTimer(reasonTimer);
    }
    return Future.succeededFuture();
  }

  /** Returns the pause of a controller, or null when it has none or it is over. */
  private @Nullable Pause of(String controller) {
    if (!decided) {
      return unknown;
    }
    StoredPause stored = known.get(controller);
    return stored == null || isOver(stored.pause()) ? null : stored.pause();
  }

  /** Returns the pauses of the causes of a controller; none while they are unknown. */
  private Map<FailurePattern, ControllerStatus.Pause> ofCauses(String controller) {
    Map<FailurePattern, ControllerStatus.Pause> all = new HashMap<>();
    StoredPause.ofCauses(known, controller)
        .forEach((cause, pause) -> {
          if (!isOver(pause)) {
            all.put(cause, pause.status());
          }
        });
    return all;
  }

  /** Under the lock, so that a controller receives changes in their order. */
  @Override
  public synchronized Future<Void> follow(ControllerHandle handle) {
    Pause pause = of(handle.name());
    Future<Void> causes = handle.pauseCauses(ofCauses(handle.name()));
    Future<Void> whole = pause == null ? handle.resume() : handle.pause(pause.status());
    return Future.all(causes, whole).mapEmpty();
  }

  /** Applies the stored pause to a controller; a failure is only logged. */
  void apply(ControllerHandle handle) {
    follow(handle)
        .onFailure(cause ->
            LOG.atInfo()
                .addKeyValue("controller", handle.name())
                .addKeyValue("error", cause.toString())
                .log("pause not applied, controller is stopping"));
  }

  private boolean isOver(Pause pause) {
    Instant until = pause.until();
    return until != null && !until.isAfter(clock.instant());
  }

  // ---- writes ----

  @Override
  public Future<Optional<Pause>> pause(String controller, Pause pause) {
    return change(
        controller,
        (data, before) -> {
          if (before == null || !before.isAs(pause)) {
            data.put(controller, new StoredPause(pause, null).write());
          }
        });
  }

  @Override
  public Future<Optional<Pause>> pauseCause(String controller, FailurePattern cause, Pause pause) {
    String entry = StoredPause.key(controller, cause.id());
    return change(
        entry,
        (data, before) -> {
          if (before == null || !before.isAs(pause)) {
            data.put(entry, new StoredPause(pause, cause).write());
          }
          StoredPause.checkCauses(data, controller, MAX_CAUSES);
        });
  }

  @Override
  public Future<Optional<Pause>> resumeCause(String controller, String cause) {
    String entry = StoredPause.key(controller, cause);
    return change(entry, (data, _) -> data.remove(entry));
  }

  @Override
  public Future<Optional<Pause>> resume(String controller) {
    return change(controller, (data, _) -> data.remove(controller));
  }

  @Override
  public Future<Void> restore(Restoration wanted) {
    String entry =
        wanted.cause() == null
            ? wanted.controller()
            : StoredPause.key(wanted.controller(), wanted.cause());
    return change(
            entry,
            (data, before) -> {
              if (!Objects.equals(before, wanted.expected())) {
                throw new ChangedException(before);
              }
              Pause pause = wanted.pause();
              if (pause == null) {
                data.remove(entry);
              } else {
                data.put(entry, new StoredPause(pause, wanted.pattern()).write());
              }
              StoredPause.checkCauses(data, wanted.controller(), MAX_CAUSES);
            })
        .mapEmpty();
  }

  /**
   * Changes the stored pauses.
   *
   * @param what receives all pauses that hold, and that of the entry
   * @return the pause of the entry before the change
   */
  private Future<Optional<Pause>> change(
      String entry, BiConsumer<Map<String, String>, @Nullable Pause> what) {
    AtomicReference<@Nullable Pause> before = new AtomicReference<>();
    return vertx
        .executeBlocking(
            () ->
                kubernetes
                    .resource(V1ConfigMap.class)
                    .createOrPatch(
                        key,
                        V1ConfigMap::new,
                        map -> map.setData(changed(map, entry, before, what))),
            false)
        .onSuccess(this::take)
        .map(_ -> Optional.ofNullable(before.get()));
  }

  /** May run again after a conflict. */
  private Map<String, String> changed(
      V1ConfigMap map,
      String entry,
      AtomicReference<@Nullable Pause> before,
      BiConsumer<Map<String, String>, @Nullable Pause> what) {
    Map<String, String> known = map.getData();
    Map<String, String> data = known == null ? new HashMap<>() : new HashMap<>(known);
    data.entrySet()
        .removeIf(one -> {
          StoredPause stored = StoredPause.read(one.getKey(), one.getValue());
          return stored != null && isOver(stored.pause());
        });
    int others = data.size();
    String text = data.get(entry);
    StoredPause stored = text == null ? null : StoredPause.read(entry, text);
    Pause own = stored == null ? null : stored.pause();
    before.set(own);
    what.accept(data, own);
    if (data.size() > Math.max(MAX_PAUSES, others)) {
      throw new LimitException(
          "ConfigMap " + key + " has " + MAX_PAUSES + " pauses, which is the limit");
    }
    return data;
  }

  // ---- reads ----

  private void received(ObjectEvent<V1ConfigMap> event) {
    V1ConfigMap map = event.object();
    if (event.kind() == ObjectEvent.Kind.DELETED) {
      map.setData(Map.of());
    }
    take(map);
  }

  /** Stores the contents of the ConfigMap, unless a newer version is known. */
  private synchronized void take(V1ConfigMap map) {
    String now =
        map.getMetadata() == null
            ? ""
            : Objects.requireNonNullElse(map.getMetadata().getResourceVersion(), "");
    if (isOlder(now, version)) {
      return;
    }
    version = now;
    Map<String, StoredPause> next = new HashMap<>();
    Map<String, String> data = map.getData();
    if (data != null) {
      data.forEach((entry, text) -> {
        StoredPause stored = StoredPause.read(entry, text);
        if (stored != null) {
          next.put(entry, stored);
        }
      });
    }
    Map<String, StoredPause> before = known;
    known = Map.copyOf(next);
    learned();
    for (ControllerHandle handle : running.get()) {
      String name = handle.name();
      if (!Objects.equals(before.get(name), next.get(name))
          || !StoredPause.ofCauses(before, name).equals(StoredPause.ofCauses(next, name))) {
        apply(handle);
      }
    }
  }

  /** Versions of one resource are decimal numbers; a longer one is larger. */
  private static boolean isOlder(String version, String than) {
    return version.length() != than.length()
        ? version.length() < than.length()
        : version.compareTo(than) < 0;
  }
}
