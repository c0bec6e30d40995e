// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.jvm;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file in which the JVM keeps the classes of a host, linked, and what it has learned about
 * their methods: an ahead-of-time cache of the JDK. The launcher decides whether one fits, since
 * the JVM does not notice when a jar has changed (JDK-8377932, up to 25.0.3); the checksum in its
 * name is of everything that it was made of.
 *
 * <p>Thread rule: stateless.
 */
public final class StartCache {

  /** Where the launcher says which file this process uses, or is to make. */
  private static final String FILE = "coxswain.start.cache";

  private StartCache() {}

  /** Returns the file that the launcher has told this process of, or null when there is none. */
  static @Nullable Path file() {
    String file = System.getProperty(FILE);
    return file == null ? null : Path.of(file);
  }

  /** Returns the flags of a JVM that uses a cache. */
  static List<String> use(Path cache) {
    return List.of("-XX:AOTCache=" + cache, "-D" + FILE + "=" + cache);
  }

  /**
   * Returns whether this JVM was given a cache and does without, and then without any archive of
   * classes: because of other flags than those that the cache was made with, an agent, another
   * build of the JDK, or a damaged file.
   */
  public static boolean refused() {
    return file() != null && !System.getProperty("java.vm.info", "").contains("sharing");
  }
}
