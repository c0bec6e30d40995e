// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import dev.coxswain.admin.spi.PluginDirectory.Phase;
import dev.coxswain.admin.spi.PluginDirectory.Plugin;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One plug-in with its state. At most one task changes it at a time.
 *
 * <p>Thread rule: {@link #status}, {@link #begin} and {@link #files} on any thread; the rest on the
 * thread of the task that has begun.
 */
final class ManagedPlugin {

  /** Nothing but other files helps. */
  static final BooleanSupplier NEVER = () -> false;

  private final Clock clock;
  private final AtomicReference<@Nullable Promise<Void>> task = new AtomicReference<>();
  private volatile Plugin status;
  private volatile @Nullable PluginFiles files;
  private volatile BooleanSupplier cleared = NEVER;
  private volatile @Nullable LoadedPlugin loaded;

  ManagedPlugin(String name, Clock clock) {
    this.clock = clock;
    this.status = new Plugin(name, Phase.LOADING, "", clock.instant(), List.of(), "", null, 0);
  }

  String name() {
    return status.name();
  }

  Plugin status() {
    return status;
  }

  /**
   * Returns the status with the first problem of a controller, if it has no error itself.
   *
   * @param problems the problems of controllers by name
   */
  Plugin status(Map<String, String> problems) {
    Plugin now = status;
    if (now.phase() != Phase.RUNNING || !now.error().isEmpty()) {
      return now;
    }
    return now.controllers().stream()
        .filter(problems::containsKey)
        .findFirst()
        .map(name ->
            with(now, Phase.RUNNING, now.since(), "controller " + name + ": " + problems.get(name)))
        .orElse(now);
  }

  /** Begins a task, unless one is under way; then returns null. */
  @Nullable Future<Void> begin(Runnable work) {
    Promise<Void> ended = Promise.promise();
    if (!task.compareAndSet(null, ended)) {
      return null;
    }
    Thread.ofPlatform()
        .daemon()
        .name("plugin-" + name())
        .start(() -> {
          try {
            work.run();
          } catch (Throwable e) {
            failed(PluginErrors.text(e)); // this plug-in only
          } finally {
            task.set(null);
            ended.complete();
          }
        });
    return ended.future();
  }

  /** Returns the files of the last attempt to deploy it, or null. */
  @Nullable PluginFiles files() {
    return files;
  }

  /** An attempt to deploy these files begins. */
  void tried(PluginFiles now) {
    files = now;
    cleared = NEVER;
  }

  /** Returns whether what kept its files from being deployed, such as another plug-in, has gone. */
  boolean isCleared() {
    return cleared.getAsBoolean();
  }

  @Nullable LoadedPlugin loaded() {
    return loaded;
  }

  void enter(Phase phase) {
    Plugin now = status;
    set(phase, now.phase() == phase ? now.since() : clock.instant(), "");
  }

  /** It is loaded, and its controllers are about to start. */
  void loading(LoadedPlugin now) {
    loaded = now;
  }

  /** It is unloaded. */
  void unloaded() {
    loaded = null;
  }

  void failed(String error) {
    set(Phase.FAILED, clock.instant(), error);
  }

  /**
   * Its files were not deployed; what runs goes on.
   *
   * @param until whether the cause has gone, so that the same files are worth another attempt
   */
  void rejected(String error, BooleanSupplier until) {
    cleared = until;
    if (loaded != null && status.phase() == Phase.RUNNING) {
      set(Phase.RUNNING, status.since(), "the changed files are not in use: " + error);
    } else {
      failed(error);
    }
  }

  /** Its controllers have been started. */
  void running(LoadedPlugin now) {
    loaded = now;
    Instant at = clock.instant();
    status =
        new Plugin(
            name(),
            Phase.RUNNING,
            "",
            at,
            now.definitions().keySet().stream().sorted().toList(),
            now.contents().digest(),
            at,
            status.deployments() + 1);
  }

  /** The files have the contents that run. */
  void unchanged() {
    if (status.phase() == Phase.RUNNING) {
      set(Phase.RUNNING, status.since(), "");
    }
  }

  private void set(Phase phase, Instant since, String error) {
    status = with(status, phase, since, error);
  }

  private static Plugin with(Plugin now, Phase phase, Instant since, String error) {
    return new Plugin(
        now.name(),
        phase,
        error,
        since,
        now.controllers(),
        now.digest(),
        now.deployedAt(),
        now.deployments());
  }
}
