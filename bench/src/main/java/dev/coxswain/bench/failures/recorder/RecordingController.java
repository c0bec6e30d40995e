// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.recorder;

import dev.coxswain.bench.run.BenchConfig;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.source.Predicates;
import dev.coxswain.testing.report.RecordLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Records its attempts and writes the status of its objects.
 *
 * <p>Its part of the configuration: {@code records}, the file to append to; {@code process}, the
 * name that it writes into objects; {@code caches}, {@code full} or {@code filtered}; {@code wait}, milliseconds that each attempt takes; {@code
 * again}, milliseconds until the next attempt of the same object, -1 for the next change, and then
 * nothing is written.
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class RecordingController implements ControllerDefinition {
  public static final String NAME = "recorder";

  private final String name;
  private final String labels;

  /** Creates the definition of all objects; called by the host. */
  public RecordingController() {
    this(NAME, "");
  }

  /**
   * Creates the definition of some objects.
   *
   * @param labels a selector, or nothing for all objects
   */
  RecordingController(String name, String labels) {
    this.name = name;
    this.labels = labels;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) throws IOException {
    BenchConfig config = new BenchConfig(name, environment);
    Kubernetes k8s = environment.get(Kubernetes.class);
    var kind = k8s.kind(RecordedObject.class).filter(Predicates.generationChanged());
    var selected = labels.isEmpty() ? kind : kind.labels(labels);
    var objects = (config.text("caches").equals("full") ? selected.full() : selected).toSource();
    return Controller.named(name)
        .watches(objects)
        .reconciles(
            new RecordingReconciler(
                objects::get,
                k8s.resource(RecordedObject.class),
                RecordLog.open(Path.of(config.text("records"))),
                config.text("process"),
                Duration.ofMillis(config.number("wait")),
                Duration.ofMillis(config.number("again"))));
  }
}
