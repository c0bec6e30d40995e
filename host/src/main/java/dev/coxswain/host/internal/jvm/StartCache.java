// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.jvm;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ahead-of-time cache of the JDK, with the linked classes of a host. The launcher checks whether it fits, because the JVM does not notice a changed jar
 * (JDK-8377932, up to 25.0.3): its name has a checksum of all inputs.
 *
 * <p>Thread rule: stateless.
 */
public final class StartCache {

  /** The property, set by the launcher, with the file to use or to create. */
  private static final String FILE = "coxswain.start.cache";

  private StartCache() {}

  /** Returns the file set by the launcher, or null. */
  static @Nullable Path file() {
    String file = System.getProperty(FILE);
    return file == null ? null : Path.of(file);
  }

  /** Returns the flags of a JVM that uses a cache. */
  static List<String> use(Path cache) {
    return List.of("-XX:AOTCache=" + cache, "-D" + FILE + "=" + cache);
  }

  /**
   * Returns whether this JVM has rejected its cache, and so runs without any archive of classes:
   * because of other flags, an agent, another build of the JDK, or a damaged file.
   */
  public static boolean refused() {
    return file() != null && !System.getProperty("java.vm.info", "").contains("sharing");
  }
}
