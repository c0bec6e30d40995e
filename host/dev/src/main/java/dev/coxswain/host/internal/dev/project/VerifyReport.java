// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Prints a line for each check when it has ended, and the totals.
 *
 * <p>Thread rule: one thread.
 */
final class VerifyReport {

  private static final double MILLIS = 1000;

  private final PrintStream out;
  private int passed;
  private int failed;
  private int skipped;

  VerifyReport(PrintStream out) {
    this.out = out;
  }

  void passed(String check, String text) {
    passed++;
    line("ok", check, text);
  }

  /** Reports a check that had nothing to do. */
  void skipped(String check, String text) {
    skipped(check, text, List.of());
  }

  /** Reports a check that had nothing to do, with remarks on lines of their own. */
  void skipped(String check, String text, List<String> remarks) {
    skipped++;
    line("-", check, text);
    remarks.forEach(this::detail);
  }

  /** Reports a failure, with what to do about it on lines of their own. */
  void failed(String check, String text, List<String> details) {
    failed++;
    line("FAILED", check, text);
    details.forEach(this::detail);
  }

  private void detail(String text) {
    out.println("          " + text);
  }

  private void line(String result, String check, String text) {
    out.printf("%-7s  %-12s  %s%n", result, check, text);
  }

  /** Prints the totals; returns whether no check has failed. */
  boolean end(Duration took) {
    out.printf(
        Locale.ROOT,
        "%d passed, %d failed, %d skipped in %.1f s%n",
        passed,
        failed,
        skipped,
        took.toMillis() / MILLIS);
    return failed == 0;
  }
}
