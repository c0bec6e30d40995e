// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.reconcile.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A number of equal machines at a vendor.
 *
 * <p>Thread rule: one thread.
 */
@KubernetesResource(group = "fleet.coxswain.dev", version = "v1", plural = "fleets")
public final class Fleet extends CustomObject {

  private @Nullable Spec spec;

  /**
   * The desired state.
   *
   * @param size how many machines
   * @param version what runs on each
   * @param checkSeconds how often each machine is compared with the spec
   */
  public record Spec(int size, String version, long checkSeconds) {

    Duration check() {
      return Duration.ofSeconds(Math.max(1, checkSeconds));
    }
  }

  /** Returns the spec, or that of a fleet without machines. */
  public Spec spec() {
    return spec == null ? new Spec(0, "", 60) : spec;
  }

  /** Sets the spec. */
  public void setSpec(Spec value) {
    spec = value;
  }

  /** Returns a request for each machine: its name is that of the fleet and an index. */
  List<Request> machines() {
    String namespace = Objects.requireNonNull(getMetadata().getNamespace());
    List<Request> machines = new ArrayList<>();
    for (int i = 0; i < spec().size(); i++) {
      machines.add(Request.of(namespace, getMetadata().getName() + "." + i));
    }
    return machines;
  }

  /** Returns the fleet of a machine. */
  static Request of(Request machine) {
    return Request.of(machine.namespace(), machine.name().substring(0, separator(machine)));
  }

  /** Returns the index of a machine. */
  static int index(Request machine) {
    return Integer.parseInt(machine.name().substring(separator(machine) + 1));
  }

  private static int separator(Request machine) {
    int separator = machine.name().lastIndexOf('.');
    if (separator < 1) {
      throw new IllegalArgumentException(
          "\"" + machine + "\" is no machine: expected FLEET.INDEX, such as web.7");
    }
    return separator;
  }
}
