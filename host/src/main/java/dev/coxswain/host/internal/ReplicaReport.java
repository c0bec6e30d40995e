// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.internal.lifecycle.HostException;

/**
 * The addresses of a replica, reported to the process that started it.
 *
 * <p>Thread rule: immutable.
 *
 * @param name the replica
 * @param admin the address of the admin API
 * @param metrics the address of the metrics
 * @param health the address of the probes
 * @param limiter the address of its Hazelcast member; empty when it has none
 * @param pid its process id
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
   * Parses a report.
   *
   * @throws HostException when the line is not one
   */
  public static ReplicaReport fromJson(String line) throws HostException {
    try {
      return JSON.readValue(line, ReplicaReport.class);
    } catch (JsonProcessingException e) {
      throw new HostException("unexpected output of a replica: " + line, e);
    }
  }
}
