// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill.herd;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import org.jspecify.annotations.Nullable;

/**
 * An object of the drill.
 *
 * <p>Thread rule: one thread.
 */
abstract class HerdObject extends CustomObject {

  private @Nullable Spec spec;

  /**
   * What its controller reads.
   *
   * @param failure what it fails of; null for nothing
   */
  public record Spec(@Nullable HerdFailure failure) {}

  /** Sets the spec. */
  public void setSpec(Spec value) {
    spec = value;
  }

  /** Returns the spec, or null. */
  public @Nullable Spec spec() {
    return spec;
  }

  /** An object of the controller {@code websites}. */
  @KubernetesResource(group = HerdKind.GROUP, version = HerdKind.VERSION, plural = "websites")
  public static final class Website extends HerdObject {}

  /** An object of the controller {@code backups}. */
  @KubernetesResource(group = HerdKind.GROUP, version = HerdKind.VERSION, plural = "backups")
  public static final class Backup extends HerdObject {}

  /** An object of the controller {@code certificates}. */
  @KubernetesResource(group = HerdKind.GROUP, version = HerdKind.VERSION, plural = "certificates")
  public static final class Certificate extends HerdObject {}
}
