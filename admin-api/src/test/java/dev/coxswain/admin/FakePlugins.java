// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.spi.PluginDirectory;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** One plug-in named copier, in the state that a test sets. */
public final class FakePlugins implements PluginDirectory {

  public final List<Action> begun = new CopyOnWriteArrayList<>();
  public volatile Phase phase = Phase.RUNNING;
  public volatile String error = "";
  public volatile String problem = "";
  public volatile List<String> controllers = List.of("copier", "copier-two");
  public volatile String digest = "cafe";
  public volatile Result result = Result.APPLIED;
  public volatile Future<Void> end = Future.succeededFuture();

  @Override
  public List<Plugin> plugins() {
    return List.of(
        new Plugin("copier", phase, error, Instant.EPOCH, controllers, digest, Instant.EPOCH, 3));
  }

  @Override
  public String problem() {
    return problem;
  }

  @Override
  public Optional<Begun> begin(String name, Action action) {
    if (!name.equals("copier")) {
      return Optional.empty();
    }
    if (result == Result.APPLIED) {
      begun.add(action);
    }
    return Optional.of(new Begun(result, end));
  }
}
