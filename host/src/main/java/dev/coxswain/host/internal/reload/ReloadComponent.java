// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.reload;

import dev.coxswain.admin.spi.ConfigurationStatus;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Limiter;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.host.internal.http.WatchedFiles;
import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Watches the file of the configuration. A changed file is read and checked as a whole: if it is
 * faulty, the configuration in use stays.
 *
 * <p>Thread rule: any thread.
 */
public final class ReloadComponent implements Component {

  private static final Logger LOG = LoggerFactory.getLogger(ReloadComponent.class);

  private final Vertx vertx;
  private final ConfigurationFile file;
  private final ConfigurationFile.Check check;
  private final Target target;
  private final Clock clock;
  private final WatchedFiles watched;
  private CoxswainConfiguration current; // guarded by this
  private volatile ConfigurationStatus status;

  /** What changes without a restart. No method blocks. */
  public interface Target {

    /**
     * Changes the limits of limiters.
     *
     * @throws IllegalArgumentException with a line for each limiter that cannot have them now
     */
    void limits(Map<String, Limiter> limits);

    /** Changes the levels of loggers. */
    void levels(Logging logging);

    /** Changes the concurrency of controllers, and the namespaces that they watch. */
    void controllers(CoxswainConfiguration next);

    /** Shows why a changed file is not in use; null when it is. */
    void rejected(@Nullable String error);
  }

  /**
   * Creates a component that does not watch yet.
   *
   * @param file the file
   * @param check checks changed configurations, on a worker thread
   * @param current the configuration of the host
   */
  public ReloadComponent(
      Vertx vertx,
      ConfigurationFile file,
      ConfigurationFile.Check check,
      CoxswainConfiguration current,
      Target target,
      Clock clock) {
    this.vertx = vertx;
    this.file = file;
    this.check = check;
    this.current = current;
    this.target = target;
    this.clock = clock;
    this.status = ConfigurationStatus.started(file.path().toString(), clock.instant());
    this.watched =
        new WatchedFiles(
            vertx,
            "configuration",
            List.of(file.path()),
            contents -> reload(contents.getFirst()),
            true,
            this::rejected);
  }

  @Override
  public String name() {
    return "configuration";
  }

  @Override
  public Future<?> start() {
    watched.follow(file.contents());
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    watched.stop();
    return Future.succeededFuture();
  }

  /** Returns the current status, without the limiters that are settling. */
  public ConfigurationStatus status() {
    return status;
  }

  /** Checks the file for changes at once; never fails. A change is used by the second check. */
  Future<Void> look() {
    return watched.look();
  }

  private Future<Void> reload(byte[] contents) {
    return vertx
        .executeBlocking(() -> file.load(contents, check))
        .map(loaded -> {
          apply(loaded);
          return null;
        });
  }

  private synchronized void apply(LoadedConfiguration loaded) {
    ConfigurationDifference found = ConfigurationDifference.of(file.started(), current, loaded);
    CoxswainConfiguration next = found.next();
    target.limits(next.limiters()); // first, since only this can fail
    if (!next.logging().equals(current.logging())) {
      target.levels(next.logging());
    }
    target.controllers(next);
    current = next;
    status = status.reloaded(clock.instant(), found.changed(), found.restart());
    target.rejected(null);
    LOG.atLevel(found.restart().isEmpty() ? Level.INFO : Level.WARN)
        .addKeyValue("file", file.path())
        .addKeyValue("changed", String.join(", ", found.changed()))
        .addKeyValue("needsRestart", String.join(", ", found.restart()))
        .log(
            found.restart().isEmpty()
                ? "configuration reloaded"
                : "configuration reloaded, some changed keys need a restart");
  }

  private void rejected(Throwable cause) {
    List<String> errors = String.valueOf(cause.getMessage()).lines().toList();
    synchronized (this) {
      status = status.rejected(clock.instant(), errors);
    }
    target.rejected("the changed configuration is not in use: " + String.join("; ", errors));
  }
}
