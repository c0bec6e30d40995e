// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The number of file descriptors that this process may have open, which bounds connections: clients
 * must not use up those of log files, jars, and connections to the API server. Read once; where it is
 * not known, as outside of Linux, it bounds nothing.
 *
 * <p>Thread rule: any thread.
 */
public final class DescriptorLimit {

  /** Quicker than the platform bean, of which the classes are not loaded at the start. */
  private static final Path LIMITS = Path.of("/proc/self/limits");

  private static final Pattern ROW = Pattern.compile("(?m)^Max open files +(\\d{1,18}) ");
  private static final int NONE = Integer.MAX_VALUE;
  private static final int MAX = read();

  private DescriptorLimit() {}

  /** Returns a part of the descriptors, one of {@code parts} equal ones; at least 1. */
  public static int part(int parts) {
    return Math.max(1, MAX / parts);
  }

  /** Returns how many connections a server may have: as many as wanted, at most a part. */
  public static int connections(int wanted, int parts) {
    return Math.min(wanted, part(parts));
  }

  private static int read() {
    try {
      return of(Files.readString(LIMITS, StandardCharsets.US_ASCII));
    } catch (IOException | SecurityException e) {
      return NONE;
    }
  }

  /** Returns the soft limit in a text of limits, as Linux writes it. */
  static int of(String limits) {
    Matcher row = ROW.matcher(limits);
    return row.find() ? (int) Math.min(NONE, Long.parseLong(row.group(1))) : NONE;
  }
}
