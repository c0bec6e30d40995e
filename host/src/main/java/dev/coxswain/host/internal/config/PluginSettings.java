// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import dev.coxswain.host.internal.config.reader.Section;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The folder of plug-ins.
 *
 * <p>Thread rule: immutable.
 *
 * @param directory the folder, or null for no plug-ins
 * @param scanInterval the time between two readings of the folder
 */
public record PluginSettings(@Nullable Path directory, Duration scanInterval) {

  /** The default time between two readings of the folder. */
  public static final Duration DEFAULT_SCAN_INTERVAL = Duration.ofSeconds(2);

  /** The shortest time between two readings of the folder. */
  public static final Duration LEAST_SCAN_INTERVAL = Duration.ofMillis(100);

  static PluginSettings read(Section section) {
    String directory = section.text("directory");
    Duration interval =
        section.duration("scanInterval", LEAST_SCAN_INTERVAL, DEFAULT_SCAN_INTERVAL);
    if (directory == null || directory.isEmpty()) {
      return new PluginSettings(null, interval);
    }
    try {
      return new PluginSettings(Path.of(directory), interval);
    } catch (InvalidPathException e) {
      section.fault("directory", "the path of a folder");
      return new PluginSettings(null, interval);
    }
  }
}
