// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.ChangedValue;
import dev.coxswain.admin.spi.PauseStore;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a change of one object changed anything, as its response has it. Immutable.
 *
 * @param applied false when everything was as requested before
 * @param detail why nothing was changed, or what was so before; null when there is nothing to add
 * @param isPreview whether it was only checked
 */
public record Effect(boolean applied, @Nullable String detail, boolean isPreview) {

  /** The result of a check without a change. */
  public static final String PREVIEW = "preview";

  private static final Effect APPLIED = new Effect(true, null);

  public Effect(boolean applied, @Nullable String detail) {
    this(applied, detail, false);
  }

  /** Returns what a change would do, which was only checked. */
  public static Effect preview(String detail) {
    return new Effect(false, detail, true);
  }

  /** Returns that a change was made, unless everything was as requested before. */
  public static Effect unless(boolean same, String why) {
    return same ? new Effect(false, why + "; nothing was changed") : APPLIED;
  }

  /** Returns the effect of a pause on a controller with another one, or with none. */
  public static Effect ofPause(Optional<PauseStore.Pause> before, PauseStore.Pause pause) {
    if (before.isEmpty()) {
      return APPLIED;
    }
    PauseStore.Pause old = before.get();
    String since = " since " + Durations.shown(old.since());
    return old.isAs(pause)
        ? unless(true, "it is paused already," + since)
        : new Effect(
            true,
            "it was paused already,%s (\"%s\"); only the reason and the end are replaced"
                .formatted(since, Json.line(old.reason(), 200)));
  }

  /** Adds it to the response that shows the object. */
  Response addTo(Response shown) {
    return shown.body() instanceof ChangedValue value
        ? shown.withBody(
            value.outcome(
                isPreview ? PREVIEW : applied ? ChangedValue.APPLIED : ChangedValue.SKIPPED,
                detail))
        : shown;
  }
}
