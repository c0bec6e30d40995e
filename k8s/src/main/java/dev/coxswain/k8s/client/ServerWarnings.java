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
 * Logs what the API server warning of, such as a field that it does not know and has left out, or a
 * deprecated version; the same warning once.
 *
 * <p>Thread rule: any thread.
 */
final class ServerWarnings {

  private static final Logger log = LoggerFactory.getLogger(ServerWarnings.class);
  private static final Pattern HEADER = Pattern.compile("299 \\S+ \"((?:[^\"\\\\]|\\\\.)*)\"");

  /** When so many have been remembered, all are forgotten and may be logged once more. */
  private static final int MAX_REMEMBERED = 256;

  private final ReentrantLock lock = new ReentrantLock();
  private final Set<String> logged = new HashSet<>();

  /** Takes the {@code Warning} headers of an answer. */
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

  /** Returns whether a warning is not remembered, and remembers it. */
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
