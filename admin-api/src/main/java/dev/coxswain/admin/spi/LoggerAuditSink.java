// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import io.vertx.core.Future;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Writes audit records to the logger {@code audit}; an appender that throws is a failure. */
final class LoggerAuditSink implements AuditSink {

  static final LoggerAuditSink INSTANCE = new LoggerAuditSink();

  private static final Logger AUDIT = LoggerFactory.getLogger("audit");

  private LoggerAuditSink() {}

  @Override
  public Future<Void> write(Line line) {
    try {
      LoggingEventBuilder event = AUDIT.atInfo();
      for (Map.Entry<String, Object> field : line.fields().entrySet()) {
        event = event.addKeyValue(field.getKey(), field.getValue());
      }
      event.log(line.message());
      return Future.succeededFuture();
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }
}
