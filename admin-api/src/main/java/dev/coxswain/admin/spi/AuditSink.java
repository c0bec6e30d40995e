// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The destination of audit records. A change is made only after its record has been written, so a
 * sink reports success and failure.
 *
 * <p>Thread rule: called on the event loop of the admin API and must not block it; the future may
 * complete on any thread.
 */
@FunctionalInterface
public interface AuditSink {

  /**
   * One audit record.
   *
   * <p>Thread rule: immutable.
   *
   * @param at when it was made
   * @param message the kind of the record, a constant
   * @param fields its names and values, in order; a value is a text or an integer
   */
  record Line(Instant at, String message, Map<String, Object> fields) {
    public Line {
      fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }
  }

  /**
   * Writes a record.
   *
   * @return completes when the record is written and flushed, and fails when it is not, within two
   *     seconds; later is a failure
   */
  Future<Void> write(Line line);

  /**
   * Returns a sink that writes to the logger {@code audit} of SLF4J. It reports the failures that
   * the appender of that logger reports; most report none.
   */
  static AuditSink logger() {
    return LoggerAuditSink.INSTANCE;
  }
}
