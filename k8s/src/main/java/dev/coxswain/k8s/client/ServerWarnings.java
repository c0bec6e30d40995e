// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log of the API server's warnings, such as an unknown field that it dropped, or a deprecated
 * version; each is logged once.
 *
 * <p>Thread rule: any thread.
 */
final class ServerWarnings {

  private static final Logger log = LoggerFactory.getLogger(ServerWarnings.class);
  private static final Pattern HEADER = Pattern.compile("299 \\S+ \"((?:[^\"\\\\]|\\\\.)*)\"");

  /** The limit at which all are cleared and may be logged once more. */
  private static final int MAX_REMEMBERED = 256;

  private final ReentrantLock lock = new ReentrantLock();
  private final Set<String> logged = new HashSet<>();

  /** Logs the {@code Warning} headers of a response. */
  void take(String request, List<String> headers) {
    for (String header : headers) {
      Matcher warning = HEADER.matcher(header);
      while (warning.find()) {
        String text = warning.group(1).replaceAll("\\\\(.)", "$1");
        if (isNew(text)) {
          log.atWarn()
              .addKeyValue("request", request)
              .addKeyValue("warning", text)
              .log("API server warning");
        }
      }
    }
  }

  /** Adds a warning; returns whether it is new. */
  boolean isNew(String text) {
    lock.lock();
    try {
      if (logged.size() >= MAX_REMEMBERED) {
        logged.clear();
      }
      return logged.add(text);
    } finally {
      lock.unlock();
    }
  }
}
