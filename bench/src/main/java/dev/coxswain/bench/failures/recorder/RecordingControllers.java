// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.recorder;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Several {@link RecordingController}s that divide the objects by a label. Not in the service file
 * of this module: a suite that wants them names it in one of its own.
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class RecordingControllers implements ControllerDefinition {
  public static final int COUNT = 20;

  public RecordingControllers() {}

  /** Returns the name of one of them. */
  public static String name(int index) {
    return RecordingController.NAME + "-" + index;
  }

  /** Returns the label of the objects of one of them, as JSON. */
  public static String label(int index) {
    return "{\"recorder\": \"" + index + "\"}";
  }

  @Override
  public String name() {
    return "recorders";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    throw new IllegalStateException("each of the definitions creates its own");
  }

  @Override
  public List<ControllerDefinition> definitions() {
    return IntStream.range(0, COUNT)
        .<ControllerDefinition>mapToObj(i -> new RecordingController(name(i), "recorder=" + i))
        .toList();
  }
}
