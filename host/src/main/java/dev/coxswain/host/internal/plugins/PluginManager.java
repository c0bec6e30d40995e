// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import dev.coxswain.admin.spi.PluginDirectory;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.PluginSettings;
import dev.coxswain.host.internal.controllers.ControllerManager;
import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.host.internal.webhooks.PluginWebhooks;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plug-ins of a host. Looks at the folder again and again: a plug-in whose files are new or have
 * changed, and were equal in two looks, is deployed; one whose files have gone is stopped.
 *
 * <p>Thread rule: any thread. Looks follow each other on platform threads.
 */
public final class PluginManager implements PluginDirectory, Component {

  private static final Logger LOG = LoggerFactory.getLogger(PluginManager.class);

  /** The time for which the start of the host waits for the plug-ins that it finds. */
  private static final Duration START_LIMIT = Duration.ofSeconds(5);

  /** The limit of plug-ins. */
  private static final int MAX_PLUGINS = 100;

  private final Vertx vertx;
  private final Path folder;
  private final Duration interval;
  private final Clock clock;
  private final PluginDeployment deployment;
  private final Map<String, ManagedPlugin> plugins = new ConcurrentSkipListMap<>();
  private final Deque<Plugin> removed = new ArrayDeque<>();
  private volatile String problem = "";

  /** The names that the last look has found; null before it. */
  private volatile @Nullable Set<String> seen;

  private volatile boolean closing;
  private volatile long timer = -1;

  /** The files of the last look; confined to the looks. */
  private Map<String, PluginFiles> last = Map.of();

  /**
   * Creates a manager that has not looked at the folder yet.
   *
   * @param vertx the owner of its timer
   * @param configuration the folder, and which controllers are enabled
   * @param manager runs the controllers
   * @param webhooks serves the webhooks of the plug-ins
   * @param ofClassPath the names of the controllers that are not in plug-ins
   */
  public PluginManager(
      Vertx vertx,
      CoxswainConfiguration configuration,
      ControllerManager manager,
      PluginWebhooks webhooks,
      Set<String> ofClassPath,
      Clock clock) {
    PluginSettings settings = configuration.plugins();
    this.vertx = vertx;
    this.folder = Objects.requireNonNull(settings.directory());
    this.interval = settings.scanInterval();
    this.clock = clock;
    this.deployment =
        new PluginDeployment(
            manager,
            new ControllerNames(ofClassPath),
            PluginMemory.ofHeap(),
            webhooks,
            name -> configuration.controller(name).enabled());
    webhooks.knownBy(this::areAllKnown);
  }

  @Override
  public String name() {
    return "plugins";
  }

  /** Deploys what is in the folder; completes when that has ended, or after some seconds. */
  @Override
  public Future<?> start() {
    Promise<Void> looked = Promise.promise();
    Thread.ofPlatform()
        .daemon()
        .name("plugins")
        .start(() -> {
          FileTime old = FileTime.from(clock.instant().minus(interval));
          Future.join(look(files -> files.isOlderThan(old))).<Void>mapEmpty().onComplete(looked);
          next();
        });
    return looked.future().timeout(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS).otherwiseEmpty();
  }

  private void next() {
    if (!closing) {
      timer =
          vertx.setTimer(
              interval.toMillis(),
              _ ->
                  Thread.ofPlatform()
                      .daemon()
                      .name("plugins")
                      .start(() -> {
                        try {
                          look(_ -> false);
                        } catch (Throwable e) { // such as no memory: it is read again
                          noted("the folder of plug-ins cannot be read: " + PluginErrors.text(e));
                        } finally {
                          next();
                        }
                      }));
    }
  }

  /** Looks no more, and begins nothing more; the controllers go on. */
  public void stopping() {
    closing = true;
    vertx.cancelTimer(timer);
  }

  /** Closes what the plug-ins have opened; after the controllers have stopped. */
  @Override
  public Future<?> stop() {
    stopping();
    return vertx.executeBlocking(() -> {
      for (ManagedPlugin plugin : plugins.values()) {
        LoadedPlugin loaded = plugin.loaded();
        if (loaded != null) {
          try {
            deployment.withdraw(plugin);
            loaded.close(plugin.name());
          } catch (Throwable e) { // the others are still closed
            LOG.atWarn().addKeyValue("plugin", plugin.name()).setCause(e).log("plug-in not closed");
          }
        }
      }
      return true;
    });
  }

  /** Decides whether files are complete although there was only one look at them. */
  interface Completeness {
    boolean isComplete(PluginFiles files);
  }

  /** Looks at the folder once; returns the ends of the deployments that have begun. */
  List<Future<Void>> look(Completeness certain) {
    List<Future<Void>> begun = new ArrayList<>();
    Map<String, PluginFiles> found;
    try {
      found = PluginFiles.look(folder);
    } catch (IOException | RuntimeException e) {
      noted("the folder of plug-ins cannot be read: " + PluginErrors.text(e));
      return begun; // what runs goes on
    }
    Set<String> names = new TreeSet<>(found.keySet());
    names.addAll(plugins.keySet());
    Set<String> left = new TreeSet<>();
    for (String name : names) {
      PluginFiles files = found.get(name);
      if (closing) {
        break;
      }
      if (files != null && !plugins.containsKey(name) && plugins.size() >= MAX_PLUGINS) {
        left.add(name); // those that run go first
      } else if (files != null && (files.equals(last.get(name)) || certain.isComplete(files))) {
        changed(files, begun);
      } else if (files == null && !last.containsKey(name)) {
        gone(name);
      }
    }
    last = found;
    seen = Set.copyOf(found.keySet());
    noted(
        left.isEmpty()
            ? ""
            : "the folder has more than %d plug-ins: %d are left out, such as \"%s\""
                .formatted(MAX_PLUGINS, left.size(), left.iterator().next()));
    return begun;
  }

  private void changed(PluginFiles files, List<Future<Void>> begun) {
    ManagedPlugin plugin =
        plugins.computeIfAbsent(files.name(), name -> new ManagedPlugin(name, clock));
    if (!files.equals(plugin.files()) || plugin.isCleared()) {
      Future<Void> ended = plugin.begin(() -> deployment.deploy(plugin, files, false));
      if (ended != null) {
        begun.add(ended);
      }
    }
  }

  private void gone(String name) {
    ManagedPlugin plugin = plugins.get(name);
    if (plugin != null) {
      plugin.begin(() -> {
        Plugin last = plugin.status();
        if (deployment.unload(plugin)) {
          removed(last);
          plugins.remove(name, plugin);
        }
      });
    }
  }

  private void removed(Plugin last) {
    synchronized (removed) {
      removed.addFirst(
          new Plugin(
              last.name(),
              Phase.STOPPED,
              "",
              clock.instant(),
              last.controllers(),
              last.digest(),
              last.deployedAt(),
              last.deployments()));
      if (removed.size() > MAX_PLUGINS) {
        removed.removeLast();
      }
    }
  }

  @Override
  public List<Plugin> removed() {
    synchronized (removed) {
      return List.copyOf(removed);
    }
  }

  /** Returns whether it is known what each plug-in of the folder has. */
  private boolean areAllKnown() {
    Set<String> found = seen;
    return found != null
        && !closing
        && problem.isEmpty()
        && plugins.keySet().containsAll(found)
        && plugins.values().stream()
            .map(plugin -> plugin.status().phase())
            .noneMatch(phase -> phase == Phase.LOADING || phase == Phase.FAILED);
  }

  private void noted(String now) {
    if (!now.equals(problem) && !now.isEmpty()) {
      LOG.atWarn()
          .addKeyValue("error", now)
          .log("not all plug-ins could be examined, those that run continue");
    }
    problem = now;
  }

  @Override
  public List<Plugin> plugins() {
    Map<String, String> problems = deployment.problems();
    return plugins.values().stream().map(plugin -> plugin.status(problems)).toList();
  }

  @Override
  public Optional<Plugin> find(String name) {
    return Optional.ofNullable(plugins.get(name))
        .map(plugin -> plugin.status(deployment.problems()));
  }

  @Override
  public String problem() {
    return problem;
  }

  @Override
  public Optional<Begun> begin(String name, Action action) {
    return Optional.ofNullable(plugins.get(name)).map(plugin -> begin(plugin, action));
  }

  private Begun begin(ManagedPlugin plugin, Action action) {
    Phase phase = plugin.status().phase();
    boolean done =
        switch (action) {
          case DEPLOY -> phase == Phase.RUNNING && plugin.status().error().isEmpty();
          case STOP -> phase == Phase.STOPPED;
          case REDEPLOY -> false;
        };
    if (done) {
      return new Begun(Result.SKIPPED, Future.succeededFuture());
    }
    Future<Void> ended =
        closing
            ? null
            : plugin.begin(
                action == Action.STOP ? () -> deployment.stop(plugin) : () -> deployNow(plugin));
    return ended == null
        ? new Begun(Result.BUSY, Future.succeededFuture())
        : new Begun(Result.APPLIED, ended);
  }

  private void deployNow(ManagedPlugin plugin) {
    @Nullable PluginFiles files;
    try {
      files = PluginFiles.look(folder).get(plugin.name());
    } catch (IOException e) {
      PluginDeployment.rejected(
          plugin,
          "the folder of plug-ins cannot be read: " + PluginErrors.text(e),
          ManagedPlugin.NEVER);
      return;
    }
    if (files == null) {
      PluginDeployment.rejected(plugin, "its file has gone", ManagedPlugin.NEVER);
    } else {
      deployment.deploy(plugin, files, true);
    }
  }
}
