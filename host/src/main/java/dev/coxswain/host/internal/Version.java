// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

/**
 * The version of this build.
 *
 * <p>Thread rule: stateless.
 */
public final class Version {
  private Version() {}

  /** Returns the version from the manifest of the jar, or a placeholder. */
  public static String text() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
