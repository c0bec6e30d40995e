// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import dev.coxswain.admin.internal.value.RevisedValue;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of an action on one item.
 *
 * @param id the encoded id of the item
 * @param item the item after the action
 */
@RecordBuilder
public record ActionResource(
    String kind,
    String controller,
    String id,
    String action,
    String result,
    @Nullable String detail,
    @Nullable ItemResource item,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ChangeResult> results)
    implements ChangedValue, RevisedValue, ActionResourceBuilder.With {

  /** Creates the result on one replica. */
  public static ActionResource of(
      String controller,
      String id,
      String action,
      String result,
      @Nullable String detail,
      @Nullable ItemResource item) {
    return new ActionResource(
        "ActionResult", controller, id, action, result, detail, item, null, null, null);
  }

  /** Returns the revision of the item after the action. */
  @Override
  public @Nullable String rev() {
    return item == null ? null : item.rev();
  }

  @Override
  public ActionResource outcome(String value, @Nullable String why) {
    return withResult(value).withDetail(why);
  }

  @Override
  public ActionResource on(String name, boolean isPartial, List<ChangeResult> all) {
    return withReplica(name).withPartial(isPartial).withResults(all);
  }
}
