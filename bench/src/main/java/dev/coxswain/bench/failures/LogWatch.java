// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Warnings and errors in the logs of the replicas.
 *
 * <p>Thread rule: one thread.
 */
final class LogWatch {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The failures of the storm, which the host logs from time to time. */
  private static final String EXPECTED = "StormFailure";

  private final Map<Path, Integer> read = new HashMap<>();

  /**
   * Complaints by level and text, with how often each was made; lines that are no JSON count as
   * errors.
   */
  record Complaints(Map<String, Integer> warnings, Map<String, Integer> errors) {
    int warningCount() {
      return warnings.values().stream().mapToInt(Integer::intValue).sum();
    }

    int errorCount() {
      return errors.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  /** Returns what is new since the last call. */
  Complaints next(List<Path> logs) throws IOException {
    Map<String, Integer> warnings = new TreeMap<>();
    Map<String, Integer> errors = new TreeMap<>();
    for (Path log : logs) {
      byte[] bytes = Files.readAllBytes(log);
      int from = read.getOrDefault(log, 0);
      String text = new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
      int end = text.lastIndexOf('\n') + 1;
      read.put(log, from + text.substring(0, end).getBytes(StandardCharsets.UTF_8).length);
      text.substring(0, end).lines().forEach(line -> sort(line, warnings, errors));
    }
    return new Complaints(warnings, errors);
  }

  private static void sort(
      String line, Map<String, Integer> warnings, Map<String, Integer> errors) {
    if (line.contains(EXPECTED)) {
      return;
    }
    try {
      JsonNode entry = JSON.readTree(line);
      String text =
          entry.path("logger").asText()
              + ": "
              + entry.path("msg").asText()
              + (entry.has("error") ? " (" + entry.path("error").asText() + ")" : "");
      switch (entry.path("level").asText()) {
        case "warn" -> warnings.merge(text, 1, Integer::sum);
        case "error" -> errors.merge(text, 1, Integer::sum);
        default -> {
          // Nothing to complain about.
        }
      }
    } catch (JsonProcessingException e) {
      errors.merge("not a line of the log: " + line, 1, Integer::sum);
    }
  }
}
