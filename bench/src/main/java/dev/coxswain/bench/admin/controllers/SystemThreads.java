// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.controllers;

import dev.coxswain.bench.run.Commands;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The threads of this process in Linux, and commands on them. The system keeps the first
 * 15 characters of a name.
 *
 * <p>Thread rule: any thread; calls block.
 */
public final class SystemThreads {
  private SystemThreads() {}

  /** Returns the ids of the threads that run now and whose names begin so, by name. */
  public static Map<String, String> named(String prefix) throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        String name = Files.readString(task.resolve("comm")).strip();
        if (name.startsWith(prefix)) {
          found.put(name, task.getFileName().toString());
        }
      }
    }
    return found;
  }

  /**
   * Gives a thread a real-time priority (SCHED_FIFO) with {@code chrt} of util-linux.
   *
   * @param id of the system
   * @param priority 1 is the lowest of these, and goes before all ordinary threads
   * @throws IOException when it cannot, and why
   */
  public static void promote(String id, int priority) throws IOException {
    Commands.run("chrt", "-f", "-p", String.valueOf(priority), id);
  }

  /**
   * Binds a thread to one processor, with {@code taskset} of util-linux.
   *
   * @param id of the system
   * @throws IOException when it cannot, and why
   */
  public static void pin(String id, int processor) throws IOException {
    Commands.run("taskset", "-cp", String.valueOf(processor), id);
  }
}
