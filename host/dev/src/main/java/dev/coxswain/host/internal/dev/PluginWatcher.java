// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Copies the plug-ins of authors into the folder that the replicas read, at the start and after each
 * change, and applies the manifests in them. A change is complete when two looks are equal and all
 * controllers have their classes, so a compiler that is still running is waited for.
 *
 * <p>Thread rule: {@link #start} blocks until all are copied; {@link #close} on any thread.
 */
final class PluginWatcher implements AutoCloseable {

  private static final Duration INTERVAL = Duration.ofMillis(100);
  // 10 s: longer than a compiler takes, unless it has failed.
  private static final int PATIENT_LOOKS = 100;

  private final List<PluginSource> sources;
  private final Path folder;
  private final DevApiServer api;
  private final boolean resumed;
  private final Consumer<String> progress;
  private final Map<PluginSource, PluginSource.Look> copied = new HashMap<>();
  private final Map<String, String> applied = new HashMap<>();
  private volatile boolean closed;

  /**
   * Creates a watcher that does nothing yet.
   *
   * @param sources what is copied
   * @param folder the folder of plug-ins of the replicas
   * @param api receives the manifests
   * @param resumed whether the server has objects of an earlier session: sample objects are left then
   * @param progress receives a line for each change
   */
  PluginWatcher(
      List<PluginSource> sources,
      Path folder,
      DevApiServer api,
      boolean resumed,
      Consumer<String> progress) {
    this.sources = List.copyOf(sources);
    this.folder = folder;
    this.api = api;
    this.resumed = resumed;
    this.progress = progress;
  }

  void start() throws IOException, HostException {
    Files.createDirectories(folder);
    for (PluginSource source : sources) {
      PluginSource.Look look = source.look();
      PluginSource made = source.compiled(work());
      if (resumed) {
        for (Manifests.Manifest manifest : made.manifests()) {
          if (!manifest.isType()) {
            applied.put(id(source, manifest), manifest.yaml());
          }
        }
      }
      copy(source, made, look);
      progress.accept("plug-in " + source.name() + " from " + source.describe());
    }
    Thread.ofVirtual().name("plugin-watch").start(this::watch);
  }

  private void watch() {
    Map<PluginSource, PluginSource.Look> before = new HashMap<>(copied);
    Map<PluginSource, String> failures = new HashMap<>();
    Map<PluginSource, Integer> incomplete = new HashMap<>();
    while (!closed) {
      LockSupport.parkNanos(INTERVAL.toNanos());
      for (PluginSource source : sources) {
        try {
          PluginSource.Look now = source.look();
          boolean quiet = now.equals(before.put(source, now));
          // A clean build deletes first: the former version runs until there are classes again.
          if (!quiet || now.isEmpty() || now.equals(copied.get(source))) {
            incomplete.remove(source);
            continue;
          }
          Optional<String> missing = source.missingController();
          if (missing.isPresent()) {
            if (incomplete.merge(source, 1, Integer::sum) == PATIENT_LOOKS) {
              progress.accept(
                  "plug-in %s is not reloaded: there is no class %s, which META-INF/services names"
                      .formatted(source.name(), missing.get()));
            }
          } else {
            incomplete.remove(source);
            copied.put(source, now); // also when it fails: the next change is tried again
            failures.remove(source);
            copy(source, source.compiled(work()), now);
            progress.accept("plug-in " + source.name() + " has changed");
          }
        } catch (IOException | UncheckedIOException | HostException e) {
          // A file that was removed meanwhile, or a manifest that is refused.
          String failure = "plug-in " + source.name() + " is not reloaded: " + e.getMessage();
          if (!failure.equals(failures.put(source, failure))) {
            progress.accept(failure); // once, not at each look
          }
        }
      }
    }
  }

  /** Where source files are compiled: beside the folder that the replicas read. */
  private Path work() {
    return folder.resolveSibling("compiled");
  }

  private void copy(PluginSource source, PluginSource made, PluginSource.Look look)
      throws IOException, HostException {
    List<String> files = new ArrayList<>();
    for (Manifests.Manifest manifest : made.manifests()) {
      String file = id(source, manifest);
      if (!manifest.yaml().equals(applied.get(file))) {
        api.apply(file, manifest.yaml());
        applied.put(file, manifest.yaml());
        files.add(manifest.file());
      }
    }
    made.copyTo(folder.resolve(source.name()));
    copied.put(source, look);
    if (!files.isEmpty()) {
      progress.accept("applied " + String.join(", ", files) + " of plug-in " + source.name());
    }
  }

  private static String id(PluginSource source, Manifests.Manifest manifest) {
    return source.name() + "/" + manifest.example() + "/" + manifest.file();
  }

  @Override
  public void close() {
    closed = true;
  }
}
