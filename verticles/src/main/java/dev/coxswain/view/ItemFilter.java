// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A selection of items of a queue. A null or empty part matches any item.
 *
 * <p>Thread rule: immutable.
 *
 * @param phases the phases, empty for any
 * @param failing whether the item must be failing, or null
 * @param minFailures the least number of failures in a row, 0 for any
 * @param namespace the namespace exactly, or null
 * @param nameGlob a pattern for the name in which {@code *} stands for any text and {@code ?} for
 *     any one character, or null
 * @param maxSeq only items with a sequence number up to this one, which excludes items added later;
 *     {@link Long#MAX_VALUE} for any
 * @param olderThan for how long at least the item must have been ready, waiting for a token or in
 *     flight, or null; a delayed item never matches
 * @param readyBefore the item must be ready since, or delayed until, before this time; or null
 * @param errorClass the simple name of the class of the last failure of a failing item, or null
 * @param cause the name of the cause of the last failure of a failing item, or null
 * @param labelSelector a selector for the labels of the item's object, in the syntax of the
 *     controller's sources, or null. An item matches when a source holds its object and selects it,
 *     so an item whose object is gone never matches
 */
@RecordBuilder
public record ItemFilter(
    Set<Phase> phases,
    @Nullable Boolean failing,
    int minFailures,
    @Nullable String namespace,
    @Nullable String nameGlob,
    long maxSeq,
    @Nullable Duration olderThan,
    @Nullable Instant readyBefore,
    @Nullable String errorClass,
    @Nullable String cause,
    @Nullable String labelSelector)
    implements ItemFilterBuilder.With {

  /** The longest selector. */
  public static final int MAX_SELECTOR = 1024;

  private static final int MAX_DAYS = 36_500;

  /** A filter that matches every item. */
  public static final ItemFilter ALL =
      new ItemFilter(Set.of(), null, 0, null, null, Long.MAX_VALUE, null, null, null, null, null);

  public ItemFilter {
    phases = phases.isEmpty() ? Set.of() : Set.copyOf(EnumSet.copyOf(phases));
    if (minFailures < 0) {
      throw new IllegalArgumentException("minFailures must not be negative: " + minFailures);
    }
    if (nameGlob != null && nameGlob.length() > 253) {
      throw new IllegalArgumentException("a name pattern has at most 253 characters");
    }
    if (olderThan != null && (olderThan.isNegative() || olderThan.toDays() > MAX_DAYS)) {
      throw new IllegalArgumentException(
          "olderThan must be from nothing to " + MAX_DAYS + " days: " + olderThan);
    }
    if (labelSelector != null && labelSelector.length() > MAX_SELECTOR) {
      throw new IllegalArgumentException(
          "a label selector has at most " + MAX_SELECTOR + " characters");
    }
  }

  /** Returns whether this filter matches every item, {@code maxSeq} aside. */
  public boolean matchesEverything() {
    return (phases.isEmpty()
            || Arrays.stream(Phase.values()).filter(Phase::queued).allMatch(phases::contains))
        && failing == null
        && minFailures == 0
        && namespace == null
        && nameGlob == null
        && olderThan == null
        && readyBefore == null
        && errorClass == null
        && cause == null
        && labelSelector == null;
  }

  /** Returns whether the text of a failure, {@code class: message}, is of {@code errorClass}. */
  public boolean matchesError(@Nullable String error) {
    return errorClass == null
        || (error != null
            && error.startsWith(errorClass)
            && (error.length() == errorClass.length() || error.charAt(errorClass.length()) == ':'));
  }

  /** Returns whether a name matches {@code nameGlob}, in time linear in both for each star. */
  public boolean matchesName(String name) {
    return nameGlob == null || Glob.matches(nameGlob, name);
  }

  /**
   * Matching of names against a pattern of {@code *} and {@code ?}, without backtracking over stars.
   */
  private static final class Glob {
    private Glob() {}

    static boolean matches(String glob, String text) {
      int g = 0;
      int t = 0;
      int starGlob = -1;
      int starText = 0;
      while (t < text.length()) {
        if (g < glob.length()
            && (glob.charAt(g) == '?' || glob.charAt(g) == text.charAt(t))
            && glob.charAt(g) != '*') {
          g++;
          t++;
        } else if (g < glob.length() && glob.charAt(g) == '*') {
          starGlob = g++;
          starText = t;
        } else if (starGlob >= 0) {
          // Only the last star needs to be retried: an earlier one would match nothing more.
          g = starGlob + 1;
          t = ++starText;
        } else {
          return false;
        }
      }
      while (g < glob.length() && glob.charAt(g) == '*') {
        g++;
      }
      return g == glob.length();
    }
  }
}
