// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.lifecycle.HostException;

/**
 * Where a replica listens, as it tells whoever started it.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the replica
 * @param admin the address of the admin API
 * @param metrics the address of the metrics
 * @param health the address of the probes
 * @param limiter the address of its member of the shared limiter; empty when it has none
 * @param pid its process
 */
public record ReplicaReport(
    String name, String admin, String metrics, String health, String limiter, long pid) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Returns this report as one line of JSON. */
  public String toJson() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a report of plain values is always writable", e);
    }
  }

  /**
   * Reads a report.
   *
   * @throws HostException when the line is not one
   */
  public static ReplicaReport fromJson(String line) throws HostException {
    try {
      return JSON.readValue(line, ReplicaReport.class);
    } catch (JsonProcessingException e) {
      throw new HostException("a replica answered with something unexpected: " + line, e);
    }
  }
}
